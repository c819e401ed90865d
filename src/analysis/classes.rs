//! Classes of blocks: which blocks of a grid do the same, so that one is counted for all of them.
//!
//! Blocks of a grid differ in nothing but `%ctaid`. So the first block of a region is run, and
//! beside each of its registers stands how the value changes from block to block: by a constant
//! slope along each axis of the grid, in some way that is not known, or with loaded data. Each
//! instruction takes these on from its operands to its result. The blocks of the region do the
//! same if, at every step of the first,
//!
//! - the lanes that take part are the same in all: a comparison of values with constant slopes
//!   has one outcome all over a region if it has it at the corners;
//! - every access to memory is shifted by whole sectors (in shared memory, words), which no rule
//!   of [`coalesce`](super::coalesce) and [`banks`](super::banks) can see, and lies in the same
//!   buffer.
//!
//! Where that does not hold the region is cut, in two or into residue classes, and each piece is
//! tried anew; a single block always does the same as itself. So the classes are exact for every
//! kernel, and few for those whose addresses and bounds are linear in `%ctaid`. Only where loaded
//! data decide which lanes run, or on an address, do the values matter, and there are no classes.

mod follow;
mod region;
mod rule;
mod spread;

use crate::launch::{Dim3, Launch};
use crate::sim::{Machine, Pc};
use follow::{Flow, Obstacle, follow};
use region::Region;

/// Blocks that do the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Class {
    /// The first of them in the grid's order.
    pub block: Dim3,
    /// How many they are.
    pub blocks: u64,
}

/// Why a kernel's blocks have no classes: what they do depends on the values in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{what}", line.map(|line| format!("line {line}: ")).unwrap_or_default())]
pub struct Unclassed {
    /// What depends on them.
    pub what: Dependent,
    /// The instruction.
    pub pc: Pc,
    /// Its line in the CUDA source.
    pub line: Option<u32>,
}

/// What can depend on values in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Dependent {
    /// The guard of an instruction.
    #[error("loaded data decide which threads execute this")]
    Lanes,
    /// The address of an access.
    #[error("loaded data decide on this address")]
    Address,
    /// The number of a barrier, or of the threads that it waits for.
    #[error("loaded data decide on this barrier")]
    Barrier,
    /// The result of an instruction that is not followed.
    #[error("how the result of this instruction changes from block to block is not known")]
    Unknown,
}

/// The classes of the blocks of `launch`; `machine` makes the block at a place before its first
/// instruction, in memory whose words need no values.
///
/// A block that faults, or is given up after `budget` instructions, is the first one of its
/// class, and stands for it.
///
/// # Errors
/// What it is that depends on values in memory.
pub fn classes(
    launch: Launch,
    budget: u64,
    machine: impl Fn(Dim3) -> Machine,
) -> Result<Vec<Class>, Unclassed> {
    let first = machine(Dim3::at(0, 0));
    let flow = Flow::of(first.program());
    let (mut classes, mut open) = (Vec::new(), vec![Region::whole(launch.grid)]);
    while let Some(region) = open.pop() {
        match follow(machine(region.first()), budget, &flow, &region) {
            Ok(()) => classes.push(Class { block: region.first(), blocks: region.blocks() }),
            Err(Obstacle::Cut(axis, cut)) => open.extend(region.cut(axis, cut)),
            Err(Obstacle::Unclassed(why)) => return Err(why),
        }
    }
    classes.sort_unstable_by_key(|Class { block, .. }| (block.z, block.y, block.x));
    Ok(classes)
}
