//! A C whose elements are right but stand elsewhere: a store that is shifted, or a tile in shared
//! memory that is read by the thread's other index.

use super::comparison::Comparison;
use super::kind::{Cause, StoreShift};
use super::stored::StoredElements;
use crate::kernel::Problem;
use crate::matrix::{Layout, Operand, Size};

/// A shifted store: `C[row][col + 1]`, `C[row + 1][col]` and their like.
pub(super) fn shifted(compared: &Comparison<'_>, stored: &StoredElements) -> Option<Cause> {
    let problem = compared.problem();
    let Size { m, n, .. } = problem.size;
    let all = i64::from(m) * i64::from(n);
    let is_shown = |shift: &StoreShift| {
        let by = i64::from(shift.rows) * i64::from(n) + i64::from(shift.columns);
        let shown = |index: u64| {
            let at = u64::try_from(index as i64 + by).ok().filter(|at| (*at as i64) < all)?;
            stored.holds(at).then(|| compared.is(at))
        };
        // No element belongs there: whoever stored it has not made this mistake alone.
        let mut beyond = if by > 0 { 0..by } else { all + by..all };
        !beyond.any(|at| stored.holds(at.unsigned_abs())) && compared.shows(shown)
    };
    let shifts = [(0, 1), (1, 0), (0, -1), (-1, 0)];
    let shifts = shifts.map(|(rows, columns)| StoreShift { rows, columns });
    let found = shifts.into_iter().filter(|_| is_dense_row_major(problem)).find(is_shown);
    found.map(Cause::ShiftedStore)
}

/// A square tile that each thread reads by its `threadIdx.x` where it should by its `threadIdx.y`, or
/// the other way round: its element of C is that of another thread.
pub(super) fn of_another_thread(compared: &Comparison<'_>) -> Option<Cause> {
    let problem = compared.problem();
    let (block, Size { m, n, .. }) = (problem.launch.block, problem.size);
    let side = block.x;
    if side != block.y || block.z > 1 || side < 2 || !is_dense_row_major(problem) {
        return None;
    }
    // Every element that one thread's row of A, or column of B, has gone into.
    let places = |of: Operand, (row, column): (u32, u32)| {
        let is_diagonal = row % side == column % side;
        let (along, end) = if of == Operand::A { (row, m) } else { (column, n) };
        let first = along - along % side;
        let places = (first..end.min(first + side)).map(move |at| match of {
            Operand::A => (at, column),
            _ => (row, at),
        });
        places.filter(move |_| is_diagonal)
    };
    let is_shown = |of: &Operand| {
        compared.shows(|index| {
            let place = ((index / u64::from(n)) as u32, (index % u64::from(n)) as u32);
            let index = |(row, column)| u64::from(row) * u64::from(n) + u64::from(column);
            let mut values = places(*of, place).map(|place| compared.is(index(place)));
            let first = values.next()?;
            Some(if values.all(|value| value.to_bits() == first.to_bits()) {
                first
            } else {
                f64::NAN
            })
        })
    };
    let found = [Operand::A, Operand::B].into_iter().find(is_shown);
    found.map(Cause::TileByOtherIndex)
}

/// Whether C lies row by row, without gaps.
fn is_dense_row_major(problem: &Problem) -> bool {
    let layout = problem.layout(Operand::C);
    layout == Layout { of: layout.of, ..Layout::default() } && !problem.gemm.reads_c()
}
