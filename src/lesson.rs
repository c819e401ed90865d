//! The course: pages that ask before the picture moves, and answers that the simulator gives.
//!
//! ```text
//! lessons/*.md --read--> Lesson { pages: [Page { beats: [Scene, Text, Ask, ..] }] }
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
pub mod change;
pub mod check;
pub mod clock;
pub mod complaint;
pub mod dials;
pub mod document;
pub mod edit;
pub mod error;
pub mod expr;
pub mod gap;
pub mod judged;
pub mod model;
pub mod nearest;
pub mod plain;
pub mod progress;
pub mod proof;
pub mod query;
pub mod query_error;
pub mod question;
pub mod read;
pub mod setting;
pub mod stage;
pub mod thing;
pub mod walk;
