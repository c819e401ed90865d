//! A text of the query language as a lesson has it: read once, and kept with its place in the file.

use super::access::RunPosition;
use super::tree::QueryExpr;
use super::{parse, place};
use crate::lesson::query_error::QueryError;
use std::ops::Range;

/// A text of the query language with what it means, or why it means nothing.
#[derive(Clone, Debug)]
pub struct Parsed<T> {
    pub text: String,
    /// Where the text stands in the file, in bytes.
    pub span: Range<usize>,
    meaning: Result<T, QueryError>,
}

/// An expression that is asked.
pub type Query = Parsed<QueryExpr>;

impl Query {
    pub fn query(text: impl Into<String>, span: Range<usize>) -> Self {
        let text = text.into();
        Self { meaning: parse::whole(&text), text, span }
    }
}

impl Parsed<RunPosition> {
    pub fn place(text: impl Into<String>, span: Range<usize>) -> Self {
        let text = text.into();
        Self { meaning: place::whole(&text), text, span }
    }

    pub fn start() -> Self {
        Self { text: "start".to_owned(), span: 0..0, meaning: Ok(RunPosition::Start) }
    }

    pub fn end() -> Self {
        Self { text: "end".to_owned(), span: 0..0, meaning: Ok(RunPosition::End) }
    }
}

impl<T> Parsed<T> {
    /// What it means.
    ///
    /// # Errors
    /// The text cannot be read.
    pub fn meaning(&self) -> Result<&T, QueryError> {
        self.meaning.as_ref().map_err(Clone::clone)
    }
}

/// One text has one meaning.
impl<T> PartialEq for Parsed<T> {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text && self.span == other.span
    }
}

impl<T> Eq for Parsed<T> {}
