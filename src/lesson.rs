//! The course: pages that ask before the picture moves, and answers that the simulator gives.
//!
//! ```text
//! lessons/*.md --read--> Lesson { pages: [Page { blocks: [Scene, Text, Ask, ..] }] }
//!                                    |
//! Setting (a scene, its variant chosen by the seed) --runs--> SettingRuns: a recorded run, its counts
//!                                    |
//! QueryExpr, RunPosition  --query--> Answer { value, origin, step, view, marks }     what is right
//!                          --model--> Value                                            what a wrong idea says
//!                                    |
//! Question --judge--> AnswerVerdict --session--> what a screen, a line of text or a test shows
//!
//! Exercise, a file --edit--> Judgement: what is wrong, which goals are met --grade--> points
//! ```
//!
//! No answer is ever written in a lesson, and nothing here knows a screen.

pub mod answer;
pub mod change;
pub mod check;
pub mod claim;
pub mod clock;
pub mod diagnostic;
pub mod dials;
pub mod document;
pub mod edit;
pub mod error;
pub mod exercise;
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
pub mod session;
pub mod setting;
pub mod setting_runs;

pub mod target;
