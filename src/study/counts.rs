//! Counts of a launch: from one block of each class where the blocks have classes, otherwise from
//! every block. What classes do not keep, the lines of a load, is counted in one block.

use crate::analysis::block_classes::{self, BlockClass, NotClassifiable, Unclassed, classes};
use crate::analysis::{Counters, coalesce, grid};
use crate::kernel::{Kernel, Problem, Tile};
use crate::launch::Dim3;
use crate::matrix::Size;
use crate::sim::{Access, AsyncEffect, Direction, Effect, Fault, Machine, Order, Program};
use crate::work::WorkToken;
use ptx::{ParseError, Space};
use std::sync::Arc;

/// The largest product, in multiply-adds, that is simulated block by block if its blocks have no
/// classes: some seconds on two cores.
const SMALL: f64 = (1_u64 << 30) as f64;

/// Instructions of a block between two questions whether to go on: less than a millisecond.
const LOOK: u64 = 1 << 12;

/// A kernel of the catalogue with a tile and a size.
#[derive(Clone, Copy, Debug)]
pub struct SizedSubject {
    pub kernel: &'static Kernel,
    pub tile: Tile,
    pub size: Size,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LaunchCounts {
    /// The sums over the grid.
    pub counters: Counters,
    /// The 128-byte lines that a warp's load of global memory touches, on average over the block
    /// in the middle of the grid; `None` if it loads nothing.
    pub lines_per_load: Option<f64>,
}

/// Why a launch is not counted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CountError {
    #[error("it has no such tile")]
    NoTile,
    #[error("its PTX is not embedded")]
    NotEmbedded,
    #[error(transparent)]
    Program(#[from] ParseError),
    #[error(transparent)]
    Fault(#[from] Fault),
    #[error("every block would have to be run, since {0}; too many here")]
    TooMany(Unclassed),
    #[error("given up")]
    Cancelled,
    /// The user cancelled it.
    #[error("it was stopped")]
    Stopped,
}

impl PartialEq for SizedSubject {
    fn eq(&self, other: &Self) -> bool {
        let of = |this: &Self| (this.kernel.name, this.tile, this.size);
        of(self) == of(other)
    }
}

impl SizedSubject {
    /// Counts its launch.
    ///
    /// # Errors
    /// Why that is not possible: see [`simulate`].
    pub fn count(&self, token: &WorkToken) -> Result<LaunchCounts, CountError> {
        let variant = self.kernel.variant(self.tile).ok_or(CountError::NoTile)?;
        let ptx = variant.ptx.ok_or(CountError::NotEmbedded)?;
        let problem = Problem::of(self.kernel, variant, self.size, ptx.into());
        let counters = simulate(&problem, token)?;
        Ok(LaunchCounts { counters, lines_per_load: lines_per_load(&problem, token)? })
    }
}

/// Counts a problem's launch.
///
/// # Errors
/// Why that is not possible: unsupported PTX, a fault, or too many blocks that all differ; or that it
/// was cancelled.
pub fn simulate(problem: &Problem, token: &WorkToken) -> Result<Counters, CountError> {
    let program = problem.program()?;
    let memory = problem.bounds_only_memory(&program);
    let machine =
        |block| problem.machine(Arc::clone(&program), block, memory.clone(), Order::default());
    let counters = match classes_of(problem, grid::BUDGET, machine, token) {
        Ok(classes) => block_classes::sum(&classes),
        Err(NotClassifiable::Cancelled) => return Err(CountError::Cancelled),
        Err(_) if problem.size.flops() / 2.0 <= SMALL => {
            let every = every_block(problem, &program, &Order::default(), &WorkToken::default());
            every.map(Option::unwrap_or_default)
        }
        Err(NotClassifiable::Unclassed(why)) => return Err(CountError::TooMany(why)),
    };
    Ok(counters?)
}

/// The classes of a problem's blocks, see [`classes`]. The blocks of clusters have none, unless the
/// catalogue knows which clusters do the same: then a class is of clusters.
///
/// # Errors
/// Why there are no classes.
pub(super) fn classes_of(
    problem: &Problem,
    budget: u64,
    machine: impl Fn(Dim3) -> Machine + Sync,
    token: &WorkToken,
) -> Result<Vec<BlockClass>, NotClassifiable> {
    let known = problem.known.filter(|known| !known.is_changed);
    let kinds = known.and_then(|known| known.variant.kinds_of_clusters(problem.size));
    let Some(kinds) = kinds else { return classes(problem.launch, budget, machine, token) };
    let count = |(block, clusters)| {
        let did = grid::run_within((problem.launch, Some(block)), budget, &machine, token);
        BlockClass { block, blocks: clusters, did: did.map(|(counters, _)| counters) }
    };
    let counted = kinds.into_iter().map(count).collect();
    if token.is_cancelled() { Err(NotClassifiable::Cancelled) } else { Ok(counted) }
}

/// Simulates and counts every block, with its warps in this order; the token is told of each that
/// begins. When it is cancelled, there are no counts of the grid.
///
/// # Errors
/// The fault of the first block (in grid order) that has one.
pub fn every_block(
    problem: &Problem,
    program: &Arc<Program>,
    order: &Order,
    token: &WorkToken,
) -> Result<Option<Counters>, Fault> {
    let (memory, launch) = (problem.dense_memory(program), problem.launch);
    let machine = |block| {
        // Whoever runs the block asks as well.
        _ = token.begin("block", launch.blocks());
        problem.machine(Arc::clone(program), block, memory.clone(), order.clone())
    };
    let (counters, _) = grid::run_within((launch, None), grid::BUDGET, machine, token)?;
    Ok((!token.is_cancelled()).then_some(counters))
}

/// The lines that a warp's load of global memory touches on average, in the block in the middle of
/// the grid.
///
/// Blocks of one class may lie differently on lines, so their sums cannot hold this figure. It is
/// `None` if the block loads nothing or faults.
///
/// # Errors
/// The PTX is not supported, or counting was cancelled.
fn lines_per_load(problem: &Problem, token: &WorkToken) -> Result<Option<f64>, CountError> {
    let program = problem.program()?;
    let memory = problem.bounds_only_memory(&program);
    let Dim3 { x, y, z } = problem.launch.grid;
    let middle = Dim3 { x: x / 2, y: y / 2, z: z / 2 };
    let mut machine = problem.machine(program, middle, memory, Order::default());
    let [mut loads, mut lines] = [0_u64; 2];
    let mut see = |access: &Access| {
        let cost = coalesce::sectors(access);
        loads += u64::from(cost.requests);
        lines += u64::from(cost.lines);
    };
    let blocks = problem.launch.blocks();
    for instructions in 1_u64.. {
        let looks = instructions.is_multiple_of(LOOK);
        if looks && token.step("block", blocks, blocks).is_break() {
            return Err(CountError::Cancelled);
        }
        match step(&mut machine, &mut see) {
            Ok(true) => {}
            Ok(false) => break,
            Err(_) => return Ok(None),
        }
    }
    Ok((loads > 0).then(|| lines as f64 / loads as f64))
}

/// Executes a step and shows each of its loads of global memory; returns whether the block goes on.
fn step(machine: &mut Machine, mut see: impl FnMut(&Access)) -> Result<bool, Fault> {
    let Some(step) = machine.step()? else { return Ok(false) };
    let is_load =
        |access: &&Access| access.space == Space::Global && access.direction == Direction::Load;
    match &step.effect {
        Effect::Memory(access) => Some(access).into_iter().filter(is_load).for_each(&mut see),
        Effect::Async(AsyncEffect::Copy(copy)) => copy.iter().filter(is_load).for_each(&mut see),
        Effect::Accesses(accesses) => accesses.iter().filter(is_load).for_each(&mut see),
        _ => {}
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::find;
    use crate::work::WorkProgress;
    use std::ops::ControlFlow;

    fn subject(name: &str, tile: u32) -> SizedSubject {
        let kernel = find(name).expect("a kernel");
        SizedSubject { kernel, tile: tile.into(), size: Size::square(128) }
    }

    fn lines(name: &str, tile: u32) -> f64 {
        subject(name, tile)
            .count(&WorkToken::default())
            .expect("it is counted")
            .lines_per_load
            .expect("it loads")
    }

    #[test]
    fn a_load_of_one_row_touches_one_line_and_one_of_sixteen_rows_sixteen() {
        // Of A a warp reads an element from each of 2 rows, of B half a line.
        assert_eq!(lines("naive", 16).to_bits(), 1.5_f64.to_bits());
        // With 32 columns a warp stays in one row of A.
        assert_eq!(lines("naive", 32).to_bits(), 1.0_f64.to_bits());
        // Of A 16 rows, of B 2 elements of one line.
        assert_eq!(lines("naive_rows", 16).to_bits(), 8.5_f64.to_bits());
    }

    #[test]
    fn counting_can_be_cancelled_until_its_last_block_has_ended() {
        let token = WorkToken::default().heard_by(|progress| match progress {
            WorkProgress { done, total, .. } if done < total => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        });
        let counted = subject("naive", 16).count(&token);
        assert_eq!(counted, Err(CountError::Cancelled));
        let WorkProgress { done, total, .. } = token.progress();
        assert_eq!((done, total), (64, 64), "only the lines of a load were left to count");
    }
}
