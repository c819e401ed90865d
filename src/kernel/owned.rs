//! The elements of C that each thread of a block computes, which are those that it stores.

use super::Problem;
use crate::launch::{Dim3, WARP_SIZE};
use crate::matrix::{Operand, Size};
use crate::sim::{Direction, Order, Program};
use ptx::Space;
use std::sync::Arc;

/// For each thread of a block, by its number, its elements of C as (row, column).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Owned(Vec<Vec<(u32, u32)>>);

impl Owned {
    /// The elements of one thread.
    pub fn by(&self, thread: usize) -> &[(u32, u32)] {
        self.0.get(thread).map_or(&[], Vec::as_slice)
    }
}

/// Instructions after which a block is aborted: one k-tile of the largest takes a tenth of that.
const MOST_STEPS: usize = 1 << 20;

impl Problem {
    /// Returns the elements that the threads of `block` compute. The block is executed for only one
    /// tile's worth of k, so this takes milliseconds. Without known tiles the result is empty.
    pub fn owned(&self, program: &Arc<Program>, block: Dim3) -> Owned {
        let short = self
            .tile()
            .and_then(|tile| self.resized(Size { k: self.size.k.min(tile.k), ..self.size }));
        let Some(short) = short else { return Owned::default() };
        let memory = short.bounds_only_memory(program);
        let mut machine = short.machine(Arc::clone(program), block, memory, Order::default());
        let mut owned = vec![Vec::new(); self.launch.threads() as usize];
        for _ in 0..MOST_STEPS {
            let Ok(Some(step)) = machine.step() else { break };
            let first = usize::from(step.warp) * WARP_SIZE as usize;
            let stores = step.accesses().iter().filter(|access| {
                access.space == Space::Global && access.direction == Direction::Store
            });
            let words = stores.flat_map(|access| {
                let bytes = u64::from(access.bytes);
                let each =
                    move |(lane, addr)| (addr..addr + bytes).step_by(4).map(move |a| (lane, a));
                access.touched().flat_map(each)
            });
            let words: Vec<_> = words.collect();
            for (lane, addr) in words {
                if let Some((Operand::C, row, column)) = short.element(machine.memory(), addr) {
                    owned[first + lane].push((row, column));
                }
            }
        }
        Owned(owned)
    }
}
