//! Why a query has no answer.

use std::ops::Range;

/// Why a query has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct QueryError {
    /// What is wrong, or what is missing.
    pub message: String,
    /// Where in the query's text, in bytes; empty if it is about the whole.
    pub span: Range<usize>,
}

impl QueryError {
    /// About a part of the text.
    pub fn at(span: Range<usize>, message: impl Into<String>) -> Self {
        Self { message: message.into(), span }
    }

    /// About the whole text.
    pub fn new(message: impl Into<String>) -> Self {
        Self::at(0..0, message)
    }

    /// The same about this part, unless it already names one.
    #[must_use]
    pub fn within(self, span: &Range<usize>) -> Self {
        if self.span.is_empty() { Self { span: span.clone(), ..self } } else { self }
    }
}
