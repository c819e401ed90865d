//! The part of C that a block has stored.

use crate::kernel::Problem;
use crate::matrix::Operand;
use crate::sim::Memory;
use std::ops::Range;

/// The rows and columns of C that were stored, if every element of them was.
pub fn stored_part(problem: &Problem, memory: &Memory) -> Option<(Range<u32>, Range<u32>)> {
    let c = memory.buffers().iter().position(|buffer| buffer.name == Operand::C.name())?;
    let words = memory.written().into_iter().filter(|(buffer, ..)| *buffer == c);
    let columns = u64::from(problem.size.n.max(1));
    let places: Vec<_> =
        words.map(|(_, index, _)| ((index / columns) as u32, (index % columns) as u32)).collect();
    let span = |sides: Vec<u32>| Some(*sides.iter().min()?..*sides.iter().max()? + 1);
    let rows = span(places.iter().map(|(row, _)| *row).collect())?;
    let columns = span(places.iter().map(|(_, column)| *column).collect())?;
    (places.len() == rows.len() * columns.len()).then_some((rows, columns))
}
