//! Occupancy: how many blocks one multiprocessor holds at a time, and what limits them.
//!
//! The rules are those of the CUDA C++ Programming Guide ("Compute Capabilities", technical
//! specifications) and of the occupancy calculator that came with CUDA. Registers are allocated to
//! warps in units, each of the multiprocessor's four partitions from its own quarter. Shared memory
//! is allocated to blocks in units, including the bytes that the system reserves in each block.

use crate::launch::{Dim3, WARP_SIZE};

/// Registers are allocated to a warp in units of this many.
const REGISTER_UNIT: u32 = 256;

/// Shared memory is allocated in units of this many bytes (compute capability 8.0 and newer).
const SHARED_UNIT: u32 = 128;

/// A multiprocessor's partitions; each has a scheduler and a quarter of the registers.
const PARTS: u32 = 4;

/// The resources of one multiprocessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Multiprocessor {
    /// Threads that it can hold.
    pub threads: u32,
    /// Blocks that it can hold.
    pub blocks: u32,
    /// 32-bit registers.
    pub registers: u32,
    /// Bytes of shared memory.
    pub shared: u32,
    /// Bytes of `shared` that the system reserves in every block.
    pub reserved: u32,
}

/// The resources that one block needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Demand {
    /// Its threads.
    pub block: Dim3,
    /// Registers per thread, as reported for the compiled kernel.
    pub registers: u32,
    /// Bytes of shared memory, static and dynamic.
    pub shared: u32,
}

/// A resource that can limit occupancy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Thread slots.
    Threads,
    /// Block slots.
    Blocks,
    Registers,
    /// Shared memory.
    Shared,
}

/// The blocks that fit on one multiprocessor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Occupancy {
    /// Blocks at a time; 0 for a block that does not fit at all.
    pub blocks: u32,
    pub warps: u32,
    /// The number of warps that the multiprocessor has room for.
    pub most_warps: u32,
    /// For each limit the number of blocks that it alone would allow, in the order of
    /// [`Limit::ALL`].
    pub allowed: [(Limit, u32); 4],
}

impl Limit {
    /// All limits, in the order in which they are shown.
    pub const ALL: [Self; 4] = [Self::Threads, Self::Blocks, Self::Registers, Self::Shared];
}

impl Multiprocessor {
    /// Returns the Programming Guide's figures for a compute capability (major, minor), or `None`
    /// if it is not in the table.
    pub fn of(capability: (u32, u32)) -> Option<Self> {
        let (threads, blocks, kilobytes, reserved) = match capability {
            (8, 0) => (2048, 32, 164, 1024),
            (8, 6) => (1536, 16, 100, 1024),
            (8, 7) => (1536, 16, 164, 1024),
            (8, 9) | (12, 0) => (1536, 24, 100, 1024),
            (9 | 10, 0) => (2048, 32, 228, 1024),
            (7, 5) => (1024, 16, 64, 0),
            (7, 0) => (2048, 32, 96, 0),
            _ => return None,
        };
        Some(Self { threads, blocks, registers: 65_536, shared: kilobytes * 1024, reserved })
    }

    /// Returns how many blocks of this kind it holds at a time.
    pub fn holds(&self, demand: &Demand) -> Occupancy {
        let allowed = Limit::ALL.map(|limit| (limit, self.allows(limit, demand)));
        let blocks = allowed.iter().map(|(_, blocks)| *blocks).min().unwrap_or_default();
        Occupancy {
            blocks,
            warps: blocks * warps(demand.block),
            most_warps: self.threads / WARP_SIZE,
            allowed,
        }
    }

    /// Returns how much of a resource one block of this kind is allocated, rounded up to allocation
    /// units.
    pub fn gives(&self, limit: Limit, demand: &Demand) -> u32 {
        match limit {
            Limit::Threads => warps(demand.block) * WARP_SIZE,
            Limit::Blocks => 1,
            Limit::Registers => warps(demand.block) * of_a_warp(demand),
            Limit::Shared => (demand.shared + self.reserved).next_multiple_of(SHARED_UNIT),
        }
    }

    /// Returns how much of a resource the multiprocessor has.
    pub const fn has(&self, limit: Limit) -> u32 {
        match limit {
            Limit::Threads => self.threads,
            Limit::Blocks => self.blocks,
            Limit::Registers => self.registers,
            Limit::Shared => self.shared,
        }
    }

    fn allows(&self, limit: Limit, demand: &Demand) -> u32 {
        let warps = warps(demand.block).max(1);
        match limit {
            Limit::Registers => self.registers / PARTS / of_a_warp(demand) * PARTS / warps,
            Limit::Threads | Limit::Blocks | Limit::Shared => {
                self.has(limit).checked_div(self.gives(limit, demand)).unwrap_or(self.blocks)
            }
        }
    }
}

impl Occupancy {
    /// The limits that keep another block out: all that allow no more than `blocks`.
    pub fn limits(&self) -> impl Iterator<Item = Limit> {
        self.allowed.iter().filter(|(_, blocks)| *blocks == self.blocks).map(|(limit, _)| *limit)
    }

    /// Resident warps as a fraction of those that the multiprocessor has room for.
    pub fn share(&self) -> f64 {
        f64::from(self.warps) / f64::from(self.most_warps)
    }
}

/// The registers allocated to a warp, rounded up to allocation units.
fn of_a_warp(demand: &Demand) -> u32 {
    // No block of threads with so many registers fits: more would only overflow.
    (demand.registers.clamp(1, 1 << 16) * WARP_SIZE).next_multiple_of(REGISTER_UNIT)
}

fn warps(block: Dim3) -> u32 {
    (block.volume() as u32).div_ceil(WARP_SIZE)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOPPER: Multiprocessor = Multiprocessor {
        threads: 2048,
        blocks: 32,
        registers: 65_536,
        shared: 228 * 1024,
        reserved: 1024,
    };

    fn held(threads: u32, registers: u32, shared: u32) -> (u32, Vec<Limit>) {
        let block = Dim3::flat(threads, 1);
        let occupancy = HOPPER.holds(&Demand { block, registers, shared });
        (occupancy.blocks, occupancy.limits().collect())
    }

    #[test]
    fn each_resource_limits_in_its_turn() {
        assert_eq!(held(256, 32, 2048), (8, vec![Limit::Threads, Limit::Registers]));
        assert_eq!(held(256, 24, 2048), (8, vec![Limit::Threads]));
        assert_eq!(held(32, 24, 0), (32, vec![Limit::Blocks]));
        assert_eq!(held(256, 128, 2048), (2, vec![Limit::Registers]));
        assert_eq!(held(128, 24, 100 * 1024), (2, vec![Limit::Shared]));
        assert_eq!(held(1024, 96, 0), (0, vec![Limit::Registers]));
    }

    #[test]
    fn registers_are_given_out_in_units_and_by_quarters() {
        // 33 registers cost a warp as much as 40: 12 warps in each quarter, 6 blocks of 8 warps.
        assert_eq!(held(256, 33, 0), (6, vec![Limit::Registers]));
        // 12 warps in each quarter are 48: three blocks of 13 warps, not the 3.9 of all registers.
        assert_eq!(held(416, 40, 0), (3, vec![Limit::Registers]));
        // 241 registers are rounded up to 248 for each thread of a warp.
        let demand = Demand { block: Dim3::flat(256, 1), registers: 241, shared: 49_664 };
        assert_eq!(Limit::ALL.map(|limit| HOPPER.gives(limit, &demand)), [256, 1, 63_488, 50_688]);
    }

    #[test]
    fn a_warp_that_is_not_full_counts_whole() {
        let block = Dim3::flat(33, 1);
        let occupancy = HOPPER.holds(&Demand { block, registers: 16, shared: 0 });
        assert_eq!((occupancy.blocks, occupancy.warps), (32, 64));
        assert!((occupancy.share() - 1.0).abs() < f64::EPSILON);
    }
}
