//! The query language as it is written: expressions, places, events and accesses.
//!
//! ```text
//! EXPR   := C's operators over numbers, texts in quotes, elements, things and calls
//! CALL   := NAME [ "(" ARGUMENT { "," ARGUMENT } { [","] ELSEWHERE } ")" ]
//! PLACE  := start | end | STEP | [before | after] EVENT { "," EVENT }
//! EVENT  := ACCESS | fma | barrier [N] | tile [N] | conflict | finding | wrong | line "TEXT" | waits
//! ACCESS := (load | read | store) NAME [#N] [line "TEXT"] | a
//! ELSEWHERE := of KERNEL | tile T | size S | warp W | block X,Y | change ID
//! ```
//!
//! What arguments a function takes stands in the table of functions, which also says what it tells.

mod access;
mod argument;
mod elsewhere;
mod parse;
mod parsed;
mod place;
mod reader;
mod tree;

pub use access::{AccessQuery, AccessVerb, RunEvent, RunPosition};
pub use elsewhere::Elsewhere;
pub use parsed::{Parsed, Query};
pub use reader::{DEEPEST, LONGEST};
pub use tree::{
    Argument, ArgumentKind, Binary, Bindings, EvalContext, FunctionCall, QueryCall, QueryExpr,
    QueryFunction, QueryNode, Topic, Unary,
};

use super::query_error::QueryError;

/// Reads an expression.
///
/// # Errors
/// The first thing that is wrong, with its place and the nearest word that is known.
pub fn expr(text: &str) -> Result<QueryExpr, QueryError> {
    parse::whole(text)
}

/// Reads a place.
///
/// # Errors
/// As for [`expr`].
pub fn place(text: &str) -> Result<RunPosition, QueryError> {
    place::whole(text)
}

#[cfg(test)]
mod tests;
