//! The error for something that the user can correct.

/// An error that the user can correct: exit code 2.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct BadUse(pub String);
