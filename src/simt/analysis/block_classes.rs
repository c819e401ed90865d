//! Classes of blocks: which blocks of a grid do the same, so that one can be counted for all of
//! them.
//!
//! Blocks of a grid differ only in `%ctaid`. So the first block of a region is run, and an `Affine`
//! next to each of its registers records how the value changes from block to block: by a constant
//! slope along each axis of the grid, in some unknown way, or with loaded data. A transfer function
//! for each instruction derives the result's change from those of the operands. The blocks of the
//! region do the same if, at every step of the first,
//!
//! - the active lanes are the same in all: a comparison of values with constant slopes has one
//!   outcome all over a region if it has that outcome at the corners;
//! - every memory access is shifted by whole sectors (in shared memory, words), which no rule of
//!   [`coalesce`](super::coalesce) and [`banks`](super::banks) can see, and lies in the same
//!   buffer.
//!
//! Where that does not hold, the region is cut, in two or into residue classes, and each piece is
//! tried anew; a single block always does the same as itself. So the classes are exact for every
//! kernel, and they are few where addresses and bounds are linear in `%ctaid`. The values in memory
//! matter only where loaded data decide which lanes are active, or an address; then there are no
//! classes.

mod affine;
mod interpret;
mod region;
mod slopes;
mod transfer;
mod unclassed;

use super::Counters;
use super::grid::GridCount;
use crate::launch::{Dim3, Launch};
use crate::sim::{Fault, Machine, Pc};
use crate::work::{WorkToken, share};
use interpret::{Obstacle, RegisterUses, follow};
use region::Region;
use std::ops::ControlFlow;
pub use unclassed::{Dependent, NotClassifiable, Unclassed};

/// Blocks that do the same.
#[derive(Clone, Debug, PartialEq)]
pub struct BlockClass {
    /// The first of them in grid order.
    pub block: Dim3,
    pub blocks: u64,
    pub did: Result<Counters, Fault>,
}

/// Returns the classes of the blocks of `launch` with their counts. `machine` makes the block at a
/// position of the grid, before its first instruction; its memory needs no values. The token is told
/// now and then how many blocks are known, and how many instructions were followed for that.
///
/// A block that faults, or is aborted after `budget` instructions, is the first one of its class,
/// and stands for it.
///
/// # Errors
/// The instruction that depends on values in memory, and in which respect, or that the work was
/// cancelled.
pub fn classes(
    launch: Launch,
    budget: u64,
    machine: impl Fn(Dim3) -> Machine + Sync,
    token: &WorkToken,
) -> Result<Vec<BlockClass>, NotClassifiable> {
    let blocks = launch.blocks();
    token.add("block", 0, blocks);
    let first = machine(Dim3::at(0, 0));
    if !first.blocks().is_single() {
        let (what, pc) = (Dependent::OtherBlocks, Pc(0));
        return Err(NotClassifiable::Unclassed(Unclassed { what, pc, line: None }));
    }
    let flow = RegisterUses::of(first.program());
    let follow = |count: &mut GridCount, region: &Region| {
        let found = follow(machine(region.first()), budget, &flow, (region, token), count);
        if found.is_ok() {
            token.add("block", region.blocks(), blocks);
        }
        found
    };
    let (mut classes, mut open) = (Vec::new(), vec![Region::whole(launch.grid)]);
    while !open.is_empty() {
        for (region, found) in follow_each(&std::mem::take(&mut open), follow) {
            match found {
                Ok(did) => {
                    classes.push(BlockClass {
                        block: region.first(),
                        blocks: region.blocks(),
                        did,
                    });
                }
                Err(Obstacle::Cut(axis, cut)) => open.extend(region.cut(axis, cut)),
                Err(Obstacle::End(why)) => return Err(why),
            }
        }
    }
    classes.sort_unstable_by_key(|BlockClass { block, .. }| (block.z, block.y, block.x));
    Ok(classes)
}

/// The outcome for a region: the counts or the fault of each of its blocks, or why they may not do
/// the same.
type Found = Result<Result<Counters, Fault>, Obstacle>;

/// Follows the first blocks of the regions in parallel, until a region turns out to have no
/// classes.
fn follow_each(
    regions: &[Region],
    follow: impl Fn(&mut GridCount, &Region) -> Found + Sync,
) -> Vec<(Region, Found)> {
    let worker = || (GridCount::default(), Vec::new());
    let work = |(count, found): &mut (GridCount, Vec<(u64, Found)>), number: u64| {
        let what = follow(count, &regions[number as usize]);
        let ends = matches!(what, Err(Obstacle::End(_)));
        found.push((number, what));
        if ends { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let workers = share(regions.len() as u64, worker, work);
    let mut found: Vec<_> = workers.into_iter().flat_map(|(_, found)| found).collect();
    found.sort_unstable_by_key(|(number, _)| *number);
    found.into_iter().map(|(number, found)| (regions[number as usize], found)).collect()
}

/// Adds up the counts of all blocks of all classes.
///
/// # Errors
/// The fault of the first block (in grid order) that has one.
pub fn sum(classes: &[BlockClass]) -> Result<Counters, Fault> {
    let mut sum = Counters::default();
    for class in classes {
        sum.merge_times(class.did.as_ref().map_err(Clone::clone)?, class.blocks);
    }
    Ok(sum)
}
