//! Chooses the blocks of the grid to run for an element, the likely ones first.

use crate::kernel::Problem;
use crate::launch::Dim3;
use crate::matrix::{Element, Operand};
use std::collections::HashSet;

/// The largest number of blocks that are run for one answer.
const MOST: usize = 1024;

/// Returns the blocks that may store an element of C. If the kernel determines which block does,
/// only that one; otherwise the watched one, those whose position in the grid corresponds to that
/// of the element in C, along either axis, and then all others.
pub(super) fn writers(problem: &Problem, watched: Dim3, element: Element) -> Vec<Dim3> {
    if let Some(block) = owner(problem, element) {
        return vec![block];
    }
    let grid = problem.launch.grid;
    let (rows, columns) = problem.size.shape(element.operand);
    let part = |at: u32, of: u32, blocks: u32| {
        (u64::from(at) * u64::from(blocks) / u64::from(of.max(1))) as u32
    };
    let (row, column) = (element.row, element.column);
    let upright = Dim3::at(part(column, columns, grid.x), part(row, rows, grid.y));
    let turned = Dim3::at(part(row, rows, grid.x), part(column, columns, grid.y));
    likely_first(&[watched, upright, turned], grid)
}

/// Returns the blocks that may load an element of A or B. If the kernel determines which blocks
/// compute the row or column of C that needs it, only those; otherwise all, the watched one and its
/// neighbours in the grid first.
pub(super) fn readers(problem: &Problem, watched: Dim3, element: Element) -> Vec<Dim3> {
    if let Some(mut line) = line(problem, element) {
        // A stable sort: the watched one first, the others in order.
        line.sort_by_key(|block| *block != watched);
        return line;
    }
    let grid = problem.launch.grid;
    let row = (0..grid.x).map(|x| Dim3::at(x, watched.y));
    let column = (0..grid.y).map(|y| Dim3::at(watched.x, y));
    let near = [watched].into_iter().chain(row).chain(column);
    likely_first(&near.collect::<Vec<_>>(), grid)
}

/// Returns the blocks whose tiles lie in the row of C that needs an element of A, or in the column
/// that needs one of B, if the kernel is known to have such tiles.
fn line(problem: &Problem, element: Element) -> Option<Vec<Dim3>> {
    let (tile, size) = (problem.tile()?, problem.size);
    let across = |row: u32| (0..size.n).step_by(tile.n as usize).map(move |n| (row, n));
    let down = |column: u32| (0..size.m).step_by(tile.m as usize).map(move |m| (m, column));
    // A kernel whose threads have many elements of C may move its last tile back inside C,
    // overlapping the previous tile (kernels/sgemm.cu): then it also reads what that tile needs.
    let lines = |at: u32, side: u32, end: u32| {
        let moved = tile.side().is_none() && at + side >= end && at / side < (end - 1) / side;
        [Some(at), moved.then_some(end - 1)].into_iter().flatten()
    };
    let places: Vec<_> = match element.operand {
        Operand::A => lines(element.row, tile.m, size.m).flat_map(across).collect(),
        Operand::B => lines(element.column, tile.n, size.n).flat_map(down).collect(),
        Operand::C => return None,
    };
    // A block that computes several of these tiles comes once.
    let mut seen = HashSet::new();
    let blocks = places.into_iter().map(|(row, column)| problem.block_of(row, column));
    let blocks: Vec<_> = blocks.collect::<Option<_>>()?;
    Some(blocks.into_iter().filter(|block| seen.insert(*block)).collect())
}

/// Returns the block whose threads compute an element of C, if the kernel is known to assign one.
fn owner(problem: &Problem, element: Element) -> Option<Dim3> {
    problem.block_of(element.row, element.column)
}

/// Returns `first` and then the other blocks of the grid, each once, up to a limit.
fn likely_first(first: &[Dim3], grid: Dim3) -> Vec<Dim3> {
    let mut blocks: Vec<Dim3> = Vec::new();
    for block in first.iter().copied().take(MOST) {
        if grid.contains(block) && !blocks.contains(&block) {
            blocks.push(block);
        }
    }
    let likely = blocks.clone();
    let all = (0..grid.volume()).map(|index| grid.place(index));
    let others = all.filter(|block| !likely.contains(block));
    blocks.extend(others.take(MOST - likely.len()));
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_block_comes_once_the_likely_ones_first() {
        let at = Dim3::at;
        let blocks = likely_first(&[at(2, 1), at(1, 1), at(2, 1), at(9, 9)], Dim3::flat(3, 2));
        assert_eq!(blocks, [at(2, 1), at(1, 1), at(0, 0), at(1, 0), at(2, 0), at(0, 1)]);
        assert_eq!(likely_first(&[], Dim3::flat(4000, 4000)).len(), MOST);
    }
}
