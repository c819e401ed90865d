//! The errors of an expression, each with its position.

use super::variable::Var;
use crate::launch::Dim3;

/// The longest expression in bytes: enough for what is typed by hand, and its nesting cannot
/// exhaust the stack.
pub(super) const LONGEST: usize = 512;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}{}", of_thread(*.thread))]
pub struct ExprError {
    pub what: ExprErrorKind,
    /// The position in the text, in bytes.
    pub at: usize,
    /// The thread whose value cannot be computed, or `None` if the text itself is wrong.
    pub thread: Option<Dim3>,
}

/// The kinds of errors in an expression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExprErrorKind {
    /// Another token was expected.
    #[error("expected {expected}, found {found}")]
    Unexpected {
        /// The tokens that are possible here.
        expected: &'static str,
        /// The text found here.
        found: String,
    },
    /// A name that is not a variable.
    #[error("there is no variable `{0}`: use {names}", names = Var::names())]
    UnknownName(String),
    /// A constant that is not decimal or hexadecimal, or too large.
    #[error("`{0}` is not a decimal or hexadecimal number below 2^63")]
    Number(String),
    /// A text longer than anything typed by hand; the limit also bounds how deep expressions nest.
    #[error("an expression has at most {most} bytes, this one {0}", most = LONGEST)]
    TooLong(usize),
    /// `/` or `%` by zero.
    #[error("division by zero")]
    DivisionByZero,
    /// A shift by less than 0 or more than 63 bits.
    #[error("a shift by {0} bits, where 0 to 63 are possible,")]
    Shift(i64),
    /// A result beyond 64 bits.
    #[error("the result does not fit in 64 bits")]
    Overflow,
    /// A negative index.
    #[error("the index {0} is negative")]
    Negative(i64),
    /// An index whose address lies beyond all memory.
    #[error("the index {0} is too large")]
    TooLarge(u64),
}

impl ExprError {
    /// Returns the message, the expression, and a caret under the position.
    pub fn render(&self, text: &str) -> String {
        let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let before = text.get(..self.at).unwrap_or(text).chars().count();
        format!("{self}\n  {line}\n  {:before$}^", "")
    }
}

fn of_thread(thread: Option<Dim3>) -> String {
    match thread {
        None => String::new(),
        Some(Dim3 { x, y, z: 0 }) => format!(" for tx = {x}, ty = {y}"),
        Some(Dim3 { x, y, z }) => format!(" for tx = {x}, ty = {y}, tz = {z}"),
    }
}
