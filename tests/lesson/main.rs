//! The course: its lessons, what is checked of them, and what a learner changes.

mod changes;
mod check;
mod exercises;
mod shipped;
