//! The course: pages that ask before the picture moves, and answers that the simulator gives.
//!
//! ```text
//! lessons/*.md --document--> Lesson { pages: [Page { beats: [Scene, Text, Ask, ..] }] }
//!                                    |
//! Setting (a scene, its variant chosen by the seed) --stage--> Stage: a recorded run, its counts
//!                                    |
//! Expr, Place  --query--> Answer { value, origin, step, view, marks }     what is right
//!              --model--> Value                                            what a wrong idea says
//!                                    |
//! Question --judge--> Verdict --walk--> what a screen, a line of text or a test shows
//! ```
//!
//! No answer is ever written in a lesson, and nothing here knows a screen.

pub mod answer;
pub mod document;
pub mod setting;
pub mod thing;
