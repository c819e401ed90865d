//! An index expression in C's notation, evaluated for one thread of a block.

mod error;
mod lexer;
mod node;
mod parser;
mod variable;

pub use error::{ExprError, Wrong};
use node::Node;
pub use variable::Thread;

/// A parsed expression.
///
/// The operators are C's without assignment, with C's precedence; all arithmetic is in signed 64
/// bits, and what does not fit is an error. `&&`, `||` and `?:` evaluate only what they need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expr {
    root: Node,
}

impl Expr {
    /// Reads an expression.
    ///
    /// # Errors
    /// The first place that cannot be read, and what was expected there.
    pub fn parse(text: &str) -> Result<Self, ExprError> {
        parser::parse(text).map(|root| Self { root })
    }

    /// Its value for one thread.
    ///
    /// # Errors
    /// Division by zero, a shift by more than 63 bits, a result beyond 64 bits.
    pub fn value(&self, thread: &Thread) -> Result<i64, ExprError> {
        self.root.value(thread)
    }

    /// Its value as an index.
    ///
    /// # Errors
    /// Those of [`value`](Self::value), and a negative value.
    pub fn index(&self, thread: &Thread) -> Result<u64, ExprError> {
        let value = self.value(thread)?;
        u64::try_from(value).map_err(|_negative| self.error(Wrong::Negative(value), thread))
    }

    /// Reports an error in the value of the whole expression for one thread.
    pub fn error(&self, what: Wrong, thread: &Thread) -> ExprError {
        self.root.error(what, thread)
    }
}

#[cfg(test)]
mod tests;
