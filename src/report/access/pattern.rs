//! An index expression applied to a whole block: one access per warp.

use super::expr::{ExprError, ExprErrorKind, ExprThread, IndexExpr};
use crate::launch::{Dim3, Launch, WARP_SIZE};
use crate::sim::{Access, Direction, LaneMask, Route};
use ptx::Space;

/// Upper bound of addresses, so that the counting rules can add to them.
pub(super) const END: u64 = 1 << 62;

/// A memory instruction that every thread of a block executes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// Global or shared memory.
    pub space: Space,
    /// Load or store.
    pub direction: Direction,
    /// Bytes of an element, which is what each thread accesses: 1, 2, 4, 8 or 16.
    pub bytes: u8,
    /// The block's size.
    pub block: Dim3,
    /// The block's position in the grid.
    pub at: Dim3,
}

impl Pattern {
    /// Returns the access of each warp of the block if each thread accesses the element with index
    /// `expr` of an array that starts on a 128-byte line.
    ///
    /// # Errors
    /// The first thread whose index is negative, too large or cannot be computed.
    pub fn accesses(&self, expr: &IndexExpr<'_>) -> Result<Vec<Access>, ExprError> {
        let launch = Launch { grid: Dim3::flat(1, 1), block: self.block };
        (0..launch.warps()).map(|warp| self.access(expr, launch.threads(), warp)).collect()
    }

    fn access(&self, expr: &IndexExpr<'_>, threads: u32, warp: u32) -> Result<Access, ExprError> {
        let first = warp * WARP_SIZE;
        let active = LaneMask::first(threads - first);
        let mut addrs = [0; 32];
        for lane in active.lanes() {
            addrs[lane] = self.address(expr, first + lane as u32)?;
        }
        let Self { space, direction, bytes, .. } = *self;
        Ok(Access { space, direction, bytes, route: Route::Lanes, active, addrs })
    }

    fn address(&self, expr: &IndexExpr<'_>, number: u32) -> Result<u64, ExprError> {
        let thread = ExprThread { number, block: self.block, at: self.at };
        let index = expr.index(&thread)?;
        let address = index.checked_mul(u64::from(self.bytes)).filter(|address| *address < END);
        address.ok_or_else(|| expr.error(ExprErrorKind::TooLarge(index), &thread))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shared(block: Dim3) -> Pattern {
        let (space, direction, at) = (Space::Shared, Direction::Load, Dim3::new(0, 0, 0));
        Pattern { space, direction, bytes: 8, block, at }
    }

    #[test]
    fn each_warp_has_its_threads_and_the_last_one_may_be_partly_empty() {
        let expr = IndexExpr::parse("ty * 100 + tx").unwrap();
        let accesses = shared(Dim3::flat(20, 2)).accesses(&expr).unwrap();
        let masks: Vec<_> = accesses.iter().map(|access| access.active).collect();
        assert_eq!(masks, [LaneMask::ALL, LaneMask::first(8)]);
        assert_eq!(accesses[0].addrs[19..22], [8 * 19, 8 * 100, 8 * 101]);
        assert_eq!(accesses[1].addrs[7..9], [8 * 119, 0]);
    }

    #[test]
    fn an_index_beyond_all_memory_is_refused() {
        let expr = IndexExpr::parse("0x7fffffffffffffff").unwrap();
        let error = shared(Dim3::flat(1, 1)).accesses(&expr).unwrap_err();
        assert_eq!(error.what, ExprErrorKind::TooLarge(i64::MAX as u64));
    }
}
