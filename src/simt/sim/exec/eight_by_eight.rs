//! 8 x 8 matrices of 16-bit elements in the registers of a warp: a word for each lane.

use crate::sim::exec_context::ExecContext;
use crate::sim::mask::LaneMask;
use crate::sim::program::Reg;

/// Matrix `number` of those whose rows have been read: lane l receives word l mod 4 of row l / 4.
pub(super) fn from_rows(words: &[[u32; 32]], number: usize) -> [u32; 32] {
    std::array::from_fn(|lane| words[lane % 4][8 * number + lane / 4])
}

/// Transposes an 8 x 8 matrix of 16-bit elements, of which lane l holds columns 2 (l mod 4) and the
/// next in row l / 4.
pub(super) fn transpose(row: &[u32; 32]) -> [u32; 32] {
    let element = |i: usize, j: usize| row[4 * i + j / 2] >> (16 * (j % 2)) & 0xffff;
    std::array::from_fn(|lane| {
        let (i, j) = (2 * (lane % 4), lane / 4);
        element(i, j) | element(i + 1, j) << 16
    })
}

pub(super) fn get(place: &ExecContext<'_>, reg: Reg) -> [u32; 32] {
    place.warp.regs.wide(reg).map(|value| value as u32)
}

pub(super) fn set(place: &mut ExecContext<'_>, reg: Reg, row: [u32; 32]) {
    place.warp.regs.set_wide(reg, &row.map(u64::from), LaneMask::ALL);
}
