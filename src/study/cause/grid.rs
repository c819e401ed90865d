//! A grid that ends before C does.

use super::kind::{Cause, ComputedPart, Gaps};
use super::relaunch;
use super::stored::StoredElements;
use crate::kernel::Problem;
use crate::launch::Dim3;
use crate::matrix::Size;
use crate::sim::{RowInit, Special};
use crate::study::simulation::Simulation;
use std::ops::Range;

/// The cause if what no thread stores follows on a leading part.
pub(super) fn too_small(simulation: &Simulation<'_>, stored: &StoredElements) -> Option<Cause> {
    let problem = simulation.problem;
    let computed = corner(problem.size, stored).or_else(|| up_to(problem.size, stored))?;
    let larger = larger(problem, computed).filter(|grid| {
        let other = problem.with_grid(*grid);
        other.is_some_and(|other| relaunch::is_right(&other, simulation.budget, true))
    });
    Some(Cause::GridTooSmall(computed, larger))
}

/// The cause if all blocks compute the same part of C, as none reads its index.
pub(super) fn same_part(simulation: &Simulation<'_>) -> Option<Cause> {
    let Simulation { problem, program, .. } = simulation;
    let asks = |init: &RowInit| matches!(init, RowInit::Special(Special::Ctaid(_)));
    let none = !program.init.iter().any(|(_, init)| asks(init));
    (none && problem.launch.blocks() > 1).then_some(Cause::SamePart)
}

/// The cause if what no thread stores is whole rows and columns, in several places.
pub(super) fn gaps(Size { m, n, .. }: Size, stored: &StoredElements) -> Option<Cause> {
    let at =
        |row: u32, column: u32| stored.holds(u64::from(row) * u64::from(n) + u64::from(column));
    let row = (0..m).find(|row| (0..n).any(|column| at(*row, column)))?;
    let columns: Vec<_> = (0..n).map(|column| at(row, column)).collect();
    let column = columns.iter().position(|is_there| *is_there)? as u32;
    let rows: Vec<_> = (0..m).map(|row| at(row, column)).collect();
    let is_whole = |row: u32| {
        (0..n).all(|column| at(row, column) == (rows[row as usize] && columns[column as usize]))
    };
    let gaps = Gaps { rows: missing(&rows), columns: missing(&columns) };
    (0..m).all(is_whole).then_some(Cause::Gaps(gaps))
}

/// The ranges of numbers that are not there.
fn missing(are_there: &[bool]) -> Vec<Range<u32>> {
    let mut all: Vec<Range<u32>> = Vec::new();
    for (number, _) in (0..).zip(are_there).filter(|(_, is_there)| !**is_there) {
        match all.last_mut().filter(|last| last.end == number) {
            Some(last) => last.end += 1,
            None => all.push(number..number + 1),
        }
    }
    all
}

/// The rows and columns that are stored, if these are the first ones, and not all.
fn corner(Size { m, n, .. }: Size, stored: &StoredElements) -> Option<ComputedPart> {
    let at =
        |row: u32, column: u32| stored.holds(u64::from(row) * u64::from(n) + u64::from(column));
    let rows = (0..m).take_while(|row| at(*row, 0)).count() as u32;
    let columns = (0..n).take_while(|column| at(0, *column)).count() as u32;
    let is_corner =
        |row: u32| (0..n).all(|column| at(row, column) == (row < rows && column < columns));
    let some = rows > 0 && columns > 0 && (rows < m || columns < n);
    (some && (0..m).all(is_corner)).then_some(ComputedPart::Corner(rows, columns))
}

/// The first element that is not stored, if no later one is.
fn up_to(size: Size, stored: &StoredElements) -> Option<ComputedPart> {
    let all = u64::from(size.m) * u64::from(size.n);
    let end = (0..all).find(|index| !stored.holds(*index)).filter(|end| *end > 0)?;
    let n = u64::from(size.n);
    let none = (end..all).all(|index| !stored.holds(index));
    none.then_some(ComputedPart::UpTo((end / n) as u32, (end % n) as u32))
}

/// A grid in proportion to all of C.
fn larger(problem: &Problem, computed: ComputedPart) -> Option<Dim3> {
    let (Size { m, n, .. }, Dim3 { x, y, z }) = (problem.size, problem.launch.grid);
    let scaled = |blocks: u32, all: u64, part: u64| {
        u32::try_from((u64::from(blocks) * all).div_ceil(part)).ok()
    };
    let wide = |size: u32| u64::from(size);
    match computed {
        ComputedPart::Corner(rows, columns) => {
            Some(Dim3::new(scaled(x, wide(n), wide(columns))?, scaled(y, wide(m), wide(rows))?, z))
        }
        ComputedPart::UpTo(row, column) => {
            let part = wide(row) * wide(n) + wide(column);
            Some(Dim3::new(scaled(x, wide(m) * wide(n), part)?, y, z))
        }
    }
}
