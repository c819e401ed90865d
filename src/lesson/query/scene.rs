//! What the scene itself is: for the text of a page.

use super::asked::count;
use crate::lesson::answer::{Answer, Value};
use crate::lesson::expr::QueryCall;
use crate::lesson::query_error::QueryError;

type Result<T> = std::result::Result<T, QueryError>;

pub(super) fn tile(asked: &QueryCall<'_>) -> Result<Answer> {
    let tile = asked.runs()?.tile();
    let tile = tile.ok_or_else(|| QueryError::new("this kernel has no tile that is known"))?;
    Ok(Answer::simulated(match tile.side() {
        Some(side) => count(side),
        None => Value::Name(tile.to_string()),
    }))
}

pub(super) fn m(asked: &QueryCall<'_>) -> Result<Answer> {
    Ok(Answer::simulated(count(asked.runs()?.problem.size.m)))
}

pub(super) fn n(asked: &QueryCall<'_>) -> Result<Answer> {
    Ok(Answer::simulated(count(asked.runs()?.problem.size.n)))
}

pub(super) fn k(asked: &QueryCall<'_>) -> Result<Answer> {
    Ok(Answer::simulated(count(asked.runs()?.problem.size.k)))
}
