//! The error for something that the user can correct.

/// An error that the user can correct: exit code 2.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct BadUse(pub String);

impl BadUse {
    pub(super) fn of(error: impl ToString) -> Self {
        Self(error.to_string())
    }
}
