//! The error that the user can mend.

/// Something that the user can mend: exit code 2.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct BadUse(pub String);
