//! A grid that ends before C does.

use super::kind::{Cause, Computed};
use super::relaunch;
use super::stored::Stored;
use crate::kernel::Problem;
use crate::launch::Dim3;
use crate::matrix::Size;
use crate::study::simulation::Simulation;

/// The cause if what no thread stores follows on a leading part.
pub(super) fn too_small(simulation: &Simulation<'_>, stored: &Stored) -> Option<Cause> {
    let problem = simulation.problem;
    let computed = corner(problem.size, stored).or_else(|| up_to(problem.size, stored))?;
    let larger = larger(problem, computed).filter(|grid| {
        let other = problem.with_grid(*grid);
        other.is_some_and(|other| relaunch::is_right(&other, simulation.budget, true))
    });
    Some(Cause::GridTooSmall(computed, larger))
}

/// The rows and columns that are stored, if these are the first ones, and not all.
fn corner(Size { m, n, .. }: Size, stored: &Stored) -> Option<Computed> {
    let at =
        |row: u32, column: u32| stored.holds(u64::from(row) * u64::from(n) + u64::from(column));
    let rows = (0..m).take_while(|row| at(*row, 0)).count() as u32;
    let columns = (0..n).take_while(|column| at(0, *column)).count() as u32;
    let is_corner =
        |row: u32| (0..n).all(|column| at(row, column) == (row < rows && column < columns));
    let some = rows > 0 && columns > 0 && (rows < m || columns < n);
    (some && (0..m).all(is_corner)).then_some(Computed::Corner(rows, columns))
}

/// The first element that is not stored, if no later one is.
fn up_to(size: Size, stored: &Stored) -> Option<Computed> {
    let all = u64::from(size.m) * u64::from(size.n);
    let end = (0..all).find(|index| !stored.holds(*index)).filter(|end| *end > 0)?;
    let n = u64::from(size.n);
    let none = (end..all).all(|index| !stored.holds(index));
    none.then_some(Computed::UpTo((end / n) as u32, (end % n) as u32))
}

/// A grid in proportion to all of C.
fn larger(problem: &Problem, computed: Computed) -> Option<Dim3> {
    let (Size { m, n, .. }, Dim3 { x, y, z }) = (problem.size, problem.launch().grid);
    let scaled = |blocks: u32, all: u64, part: u64| {
        u32::try_from((u64::from(blocks) * all).div_ceil(part)).ok()
    };
    let wide = |size: u32| u64::from(size);
    match computed {
        Computed::Corner(rows, columns) => {
            Some(Dim3::new(scaled(x, wide(n), wide(columns))?, scaled(y, wide(m), wide(rows))?, z))
        }
        Computed::UpTo(row, column) => {
            let part = wide(row) * wide(n) + wide(column);
            Some(Dim3::new(scaled(x, wide(m) * wide(n), part)?, y, z))
        }
    }
}
