//! The error for something that the user can correct.

/// An error that the user can correct: exit code 2.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadUse(pub String);

impl BadUse {
    pub(super) fn of(error: impl Into<Box<dyn std::error::Error>>) -> Self {
        Self(error.into().to_string())
    }
}
