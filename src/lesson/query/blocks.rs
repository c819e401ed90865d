//! The block and the grid: counts, and elements that no thread computes.

use super::asked::count;
use crate::lesson::answer::{Answer, Value};
use crate::lesson::expr::QueryCall;
use crate::lesson::query_error::QueryError;
use crate::lesson::target::{Target, View};
use crate::matrix::{Element, Operand};

type Result<T> = std::result::Result<T, QueryError>;

/// The most elements of C that are lit.
const LIT: usize = 1 << 12;

pub(super) fn warps(asked: &QueryCall<'_>) -> Result<Answer> {
    Ok(seen(count(asked.runs()?.problem.launch.warps()), View::Warps))
}

pub(super) fn blocks(asked: &QueryCall<'_>) -> Result<Answer> {
    Ok(seen(count(asked.runs()?.problem.launch.blocks()), View::Matrices))
}

pub(super) fn threads(asked: &QueryCall<'_>) -> Result<Answer> {
    let launch = asked.runs()?.problem.launch;
    Ok(seen(count(launch.blocks() * u64::from(launch.threads())), View::Matrices))
}

pub(super) fn idle(asked: &QueryCall<'_>) -> Result<Answer> {
    let runs = asked.runs()?;
    let launch = runs.problem.launch;
    let threads = launch.blocks() * u64::from(launch.threads());
    Ok(seen(count(threads.saturating_sub(runs.stored()?.storing)), View::Matrices))
}

pub(super) fn k_tiles(asked: &QueryCall<'_>) -> Result<Answer> {
    let runs = asked.runs()?;
    let none = || QueryError::new("this kernel has no tile that is known");
    let tile = runs.tile().ok_or_else(none)?;
    Ok(seen(count(runs.problem.size.k.div_ceil(tile.k)), View::Matrices))
}

pub(super) fn barriers(asked: &QueryCall<'_>) -> Result<Answer> {
    let runs = asked.runs()?;
    let passed = runs.trace().records().iter().filter(|mark| mark.released).count();
    Ok(seen(count(passed), View::Timeline))
}

pub(super) fn busiest(asked: &QueryCall<'_>) -> Result<Answer> {
    let runs = asked.runs()?;
    let launch = runs.problem.launch;
    let threads = launch.blocks() * u64::from(launch.threads());
    let (most, all) = runs.coverage()?.executed;
    let times = (most * threads) as f64 / all.max(1) as f64;
    Ok(seen(Value::Number(times), View::Matrices))
}

pub(super) fn unread(asked: &QueryCall<'_>) -> Result<Answer> {
    Ok(seen(count(asked.runs()?.coverage()?.unread), View::Shared))
}

pub(super) fn rows_unwritten(asked: &QueryCall<'_>) -> Result<Answer> {
    let runs = asked.runs()?;
    let columns = runs.problem.size.n;
    let rows = (0..).zip(runs.stored()?.stored.chunks(columns.max(1) as usize));
    let bare = rows.filter(|(_, elements)| elements.iter().all(|stored| !stored));
    let bare: Vec<u32> = bare.map(|(row, _)| row).collect();
    let element = |row, column| Target::Element(Element { operand: Operand::C, row, column });
    let lit = bare.iter().flat_map(|row| (0..columns).map(move |column| element(*row, column)));
    let marks = lit.take(LIT).collect();
    Ok(Answer { marks, ..seen(count(bare.len()), View::Matrices) })
}

/// A value that a view shows at any moment.
fn seen(value: Value, view: View) -> Answer {
    Answer { view: Some(view), ..Answer::simulated(value) }
}
