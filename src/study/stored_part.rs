//! The part of C that a block has stored.

use crate::kernel::Problem;
use crate::matrix::Operand;
use crate::sim::Memory;
use std::collections::BTreeSet;
use std::ops::Range;

/// The rows and columns of C that were stored, if every element of them was. Of elements smaller than
/// a word, one that keeps its value does not count: only the word is known to be written.
pub fn stored_part(problem: &Problem, memory: &Memory) -> Option<(Range<u32>, Range<u32>)> {
    let c = memory.buffers().iter().position(|buffer| buffer.name == Operand::C.name())?;
    let words = memory.written().into_iter().filter(|(buffer, ..)| *buffer == c);
    let (buffer, columns) = (&memory.buffers()[c], u64::from(problem.size.n));
    let bytes = u64::from(problem.element_type(Operand::C).bytes());
    let element = |addr| problem.element(memory, addr).map(|(_, row, column)| (row, column));
    let places = words.flat_map(|(_, word, _)| {
        let first = buffer.base + 4 * word;
        (first..first + 4).step_by(bytes.min(4) as usize).filter_map(element)
    });
    let is_new = |(row, column): &(u32, u32)| {
        let index = u64::from(*row) * columns + u64::from(*column);
        bytes >= 4
            || problem.of_c(buffer, index).to_bits() != problem.before(Operand::C, index).to_bits()
    };
    let places: BTreeSet<_> = places.filter(is_new).collect();
    let span = |sides: Vec<u32>| Some(*sides.iter().min()?..*sides.iter().max()? + 1);
    let rows = span(places.iter().map(|(row, _)| *row).collect())?;
    let columns = span(places.iter().map(|(_, column)| *column).collect())?;
    (places.len() == rows.len() * columns.len()).then_some((rows, columns))
}
