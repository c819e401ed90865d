//! Counts of a launch: from one block of each class where the blocks have classes, otherwise from
//! every block.

use crate::analysis::block_classes::{self, NotClassifiable, Progress, classes_while};
use crate::analysis::{Counters, grid};
use crate::kernel::{Kernel, Problem, Tile};
use crate::matrix::Size;
use crate::sim::{Fault, Order, Program};
use std::sync::Arc;

/// The largest product, in multiply-adds, that is simulated block by block if its blocks have no
/// classes: some seconds on two cores.
const SMALL: f64 = (1_u64 << 30) as f64;

/// A kernel of the catalogue with a tile and a size.
#[derive(Clone, Copy, Debug)]
pub struct Subject {
    /// The kernel.
    pub kernel: &'static Kernel,
    /// Its tile.
    pub tile: Tile,
    /// The sizes of A, B and C.
    pub size: Size,
}

impl PartialEq for Subject {
    fn eq(&self, other: &Self) -> bool {
        let of = |this: &Self| (this.kernel.name, this.tile, this.size);
        of(self) == of(other)
    }
}

impl Subject {
    /// Counts its launch.
    ///
    /// # Errors
    /// Why that is not possible: see [`simulate_while`].
    pub fn count(&self) -> Result<Counters, String> {
        self.count_while(|_| true)
    }

    /// Like [`Self::count`], but reports its progress to `go_on` now and then, and stops when that
    /// returns false.
    ///
    /// # Errors
    /// Why counting is not possible, or that it was cancelled.
    pub fn count_while(&self, go_on: impl Fn(Progress) -> bool + Sync) -> Result<Counters, String> {
        let variant = self.kernel.variant(self.tile).ok_or("it has no such tile")?;
        let ptx = variant.ptx.ok_or("its PTX is not embedded")?;
        let problem = Problem::of(self.kernel, variant, self.size, ptx.into());
        simulate_while(&problem, go_on)
    }
}

/// Counts a problem's launch.
///
/// # Errors
/// Why that is not possible: unsupported PTX, a fault, or too many blocks that all differ.
pub fn simulate(problem: &Problem) -> Result<Counters, String> {
    simulate_while(problem, |_| true)
}

/// Like [`simulate`], but reports its progress to `go_on` now and then, and stops when that returns
/// false.
///
/// # Errors
/// Why counting is not possible, or that it was cancelled.
pub fn simulate_while(
    problem: &Problem,
    go_on: impl Fn(Progress) -> bool + Sync,
) -> Result<Counters, String> {
    let program = problem.program().map_err(|error| error.to_string())?;
    let memory = problem.bounds_only_memory(&program);
    let machine =
        |block| problem.machine(Arc::clone(&program), block, memory.clone(), Order::default());
    let counters = match classes_while(problem.launch(), grid::BUDGET, machine, go_on) {
        Ok(classes) => block_classes::sum(&classes),
        Err(why @ NotClassifiable::GivenUp) => return Err(why.to_string()),
        Err(_) if problem.size.flops() / 2.0 <= SMALL => {
            every_block(problem, &program, &Order::default())
        }
        Err(why) => {
            return Err(format!("every block would have to be run, since {why}; too many here"));
        }
    };
    counters.map_err(|fault| fault.to_string())
}

/// Simulates and counts every block, with its warps in this order.
///
/// # Errors
/// The fault of the first block (in grid order) that has one.
pub fn every_block(
    problem: &Problem,
    program: &Arc<Program>,
    order: &Order,
) -> Result<Counters, Fault> {
    let memory = problem.dense_memory(program);
    grid::run(problem.launch(), |block| {
        problem.machine(Arc::clone(program), block, memory.clone(), order.clone())
    })
}
