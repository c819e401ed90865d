//! The page of a lesson: its text, its question and its keys, set in lines.

pub mod different;
pub mod offer;
pub mod prose;
pub mod question;
pub mod results;
