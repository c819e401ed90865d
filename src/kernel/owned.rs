//! Which elements of C each thread of a block computes: those that it stores.

use super::Problem;
use crate::launch::{Dim3, WARP_SIZE};
use crate::matrix::{Operand, Size};
use crate::ptx::Space;
use crate::sim::{Direction, Order, Program};
use std::sync::Arc;

/// The elements of C of each thread of a block, by the thread's number; (row, column).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Owned(Vec<Vec<(u32, u32)>>);

impl Owned {
    /// Those of one thread.
    pub fn by(&self, thread: usize) -> &[(u32, u32)] {
        self.0.get(thread).map_or(&[], Vec::as_slice)
    }
}

/// Instructions after which a block is given up: one k-tile of the largest takes a tenth of it.
const MOST_STEPS: usize = 1 << 20;

impl Problem {
    /// The elements that the threads of `block` compute. It is executed for a single tile's worth
    /// of k, so this takes milliseconds; nothing is known of a kernel that is not of the catalogue.
    pub fn owned(&self, program: &Arc<Program>, block: Dim3) -> Owned {
        let Some(tile) = self.tile() else { return Owned::default() };
        let size = Size { k: self.size.k.min(tile.k), ..self.size };
        let short = Self { size, ..self.clone() };
        let memory = short.hollow_memory(program);
        let mut machine = short.machine(Arc::clone(program), block, memory, Order::default());
        let mut owned = vec![Vec::new(); self.launch().threads() as usize];
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
