//! Which instructions of a block make memory work harder than their addresses need.

use super::{banks, coalesce};
use crate::ptx::Space;
use crate::sim::{Access, Direction, Effect, Machine, Pc};
use std::collections::BTreeMap;

/// One instruction's accesses to memory, over the run of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Costly {
    /// The instruction.
    pub pc: Pc,
    /// Global or shared memory.
    pub space: Space,
    /// Load or store.
    pub direction: Direction,
    /// Warp-wide accesses.
    pub accesses: u64,
    /// 32-byte sectors of global memory, or passes through the banks of shared memory.
    pub cost: u64,
    /// How many would do for the same bytes.
    pub ideal: u64,
}

impl Costly {
    /// Whether a person should hear of it: at least half as much again as would do. Less comes from
    /// rows that begin in the middle of a sector, which no order of the lanes mends.
    fn matters(&self) -> bool {
        2 * self.cost >= 3 * self.ideal
    }

    /// What it costs beyond what would do.
    fn excess(&self) -> u64 {
        self.cost - self.ideal
    }
}

/// Runs a block for at most `budget` instructions: the instructions that cost more than they need,
/// the worst first. A fault ends the run, and what was seen until then counts.
pub fn find(mut machine: Machine, budget: u64) -> Vec<Costly> {
    let mut seen = BTreeMap::new();
    for _ in 0..budget {
        let Ok(Some(step)) = machine.step() else { break };
        if let Effect::Memory(access) = &step.effect {
            add(&mut seen, step.pc, access);
        }
    }
    let mut costly: Vec<_> = seen.into_values().filter(Costly::matters).collect();
    costly.sort_by_key(|costly| std::cmp::Reverse(costly.excess()));
    costly
}

fn add(seen: &mut BTreeMap<Pc, Costly>, pc: Pc, access: &Access) {
    let (space, direction) = (access.space, access.direction);
    let (cost, ideal) = match space {
        _ if access.active.is_empty() || direction == Direction::Atomic => return,
        Space::Global => {
            let sectors = coalesce::sectors(access);
            (sectors.sectors, sectors.ideal())
        }
        Space::Shared => {
            let passes = banks::wavefronts(access);
            (passes.wavefronts, passes.ideal())
        }
        _ => return,
    };
    let none = Costly { pc, space, direction, accesses: 0, cost: 0, ideal: 0 };
    let sum = seen.entry(pc).or_insert(none);
    sum.accesses += 1;
    sum.cost += u64::from(cost);
    sum.ideal += u64::from(ideal);
}
