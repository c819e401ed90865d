//! Launches that exceed a limit of the GPU for a block or a grid: which limit, and what to do.

use crate::launch::{Dim3, Launch, MAX_GRID};
use crate::timing::{Limits, Resources};
use serde::{Deserialize, Serialize};

/// The limit that a launch exceeds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "limit", rename_all = "snake_case")]
pub enum Excess {
    /// Threads per block.
    #[error(
        "a block of {asked} threads is too large: a block of this GPU holds {most}; launch smaller \
         blocks"
    )]
    Threads {
        /// The number of threads requested.
        asked: u32,
        /// The GPU's limit.
        most: u32,
    },
    /// Threads per block of a kernel that was compiled for fewer.
    #[error(
        "a block of {asked} threads is too large for this kernel, which was compiled for at most \
         {most} (__launch_bounds__, .maxntid); launch at most that many"
    )]
    Bounds {
        /// The number of threads requested.
        asked: u32,
        /// The module's limit.
        most: u32,
    },
    /// Registers per block.
    #[error(
        "a block of {threads} threads with {registers} registers each is too large: a block of this \
         GPU has {most} registers; launch at most {fitting} threads, or compile with \
         __launch_bounds__({threads}), so that the compiler keeps to {each} a thread"
    )]
    Registers {
        /// Threads per block.
        threads: u32,
        /// Registers per thread.
        registers: u32,
        /// The GPU's limit per block.
        most: u32,
        /// The largest block that fits.
        fitting: u32,
        /// The number of registers that each thread of this block may have.
        each: u32,
    },
    /// Shared memory per block.
    #[error(
        "each block needs {} bytes of shared memory ({fixed} declared, {dynamic} added by the \
         launch), and a block of this GPU can have {most}; use smaller tiles or fewer of them",
        fixed + dynamic
    )]
    Shared {
        /// Bytes that the source declares.
        fixed: u32,
        /// Bytes that the launch adds.
        dynamic: u32,
        /// The GPU's limit.
        most: u32,
    },
    /// Statically declared shared memory.
    #[error(
        "{entry} declares {declared} bytes of shared memory, and {most} are the most that a source \
         can declare; more (up to {dynamic} on this GPU) must be `extern __shared__`, its size given \
         by the launch"
    )]
    Declared {
        /// The kernel.
        entry: String,
        /// Bytes that it declares statically.
        declared: u32,
        /// The maximum for static declarations.
        most: u32,
        /// The GPU's limit per block.
        dynamic: u32,
    },
    #[error(
        "a grid of {asked} blocks in {side} is too large: {most} is the most there; let each block do \
         more, or put the longer side in x"
    )]
    Grid {
        /// `x`, `y` or `z`.
        side: char,
        /// The number of blocks requested.
        asked: u32,
        /// The limit.
        most: u32,
    },
}

/// Registers are allocated to warps in units of 256, so to threads in units of 8 (the same table).
const REGISTERS_TOGETHER: u32 = 8;

impl Excess {
    /// Returns the limit that a launch exceeds whatever its kernel.
    pub fn of_launch(launch: &Launch, dynamic: u32, limits: &Limits) -> Option<Self> {
        let Dim3 { x, y, z } = launch.grid;
        let sides =
            [('x', x), ('y', y), ('z', z)].into_iter().zip([MAX_GRID.x, MAX_GRID.y, MAX_GRID.z]);
        if let Some(((side, asked), most)) = sides.into_iter().find(|((_, n), most)| n > most) {
            return Some(Self::Grid { side, asked, most });
        }
        let (asked, most) = (launch.threads(), limits.threads_per_block);
        if asked > most {
            return Some(Self::Threads { asked, most });
        }
        Self::of_shared(0, dynamic, limits)
    }

    /// Returns the limit that a launch of a loaded kernel exceeds. `compiled_for` is the maximum
    /// number of threads per block for this kernel, as the driver reports it.
    pub fn of_kernel(taken: &Resources, compiled_for: u32, limits: &Limits) -> Option<Self> {
        let Resources { threads, registers, static_shared, dynamic_shared, .. } = *taken;
        let each = registers.next_multiple_of(REGISTERS_TOGETHER).max(REGISTERS_TOGETHER);
        let most = limits.registers_per_block;
        if threads.next_multiple_of(32) * each > most {
            let fitting = most / each / 32 * 32;
            let each =
                most / threads.next_multiple_of(32) / REGISTERS_TOGETHER * REGISTERS_TOGETHER;
            return Some(Self::Registers { threads, registers, most, fitting, each });
        }
        if threads > compiled_for {
            return Some(Self::Bounds { asked: threads, most: compiled_for });
        }
        Self::of_shared(static_shared, dynamic_shared, limits)
    }

    fn of_shared(fixed: u32, dynamic: u32, limits: &Limits) -> Option<Self> {
        let most = limits.shared_per_block;
        let fits = u64::from(fixed) + u64::from(dynamic) <= u64::from(most);
        (!fits).then_some(Self::Shared { fixed, dynamic, most })
    }

    /// Parses the message of the driver's compiler for an array that is too large: `Entry function
    /// 'tiled' uses too much shared data (0x10000 bytes, 0xc000 max)`.
    pub fn of_log(log: &str, limits: &Limits) -> Option<Self> {
        let (before, after) = log.split_once("uses too much shared data (0x")?;
        let entry = before.rsplit('\'').nth(1)?.to_owned();
        let (declared, rest) = after.split_once(" bytes, 0x")?;
        let (most, _) = rest.split_once(' ')?;
        let [declared, most] = [declared, most].map(|hex| u32::from_str_radix(hex, 16).ok());
        let dynamic = limits.shared_per_block;
        Some(Self::Declared { entry, declared: declared?, most: most?, dynamic })
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// The limits that the driver reports for an H200.
    pub(crate) const H200: Limits = Limits {
        multiprocessors: 132,
        threads_per_block: 1024,
        threads_per_sm: 2048,
        blocks_per_sm: 32,
        registers_per_block: 65_536,
        registers_per_sm: 65_536,
        shared_per_block: 232_448,
        shared_per_sm: 233_472,
        shared_reserved: 1024,
        l2_bytes: 52_428_800,
        sm_mhz: 1980,
        memory_mhz: 3201,
    };

    fn taken(threads: u32, registers: u32, static_shared: u32, dynamic_shared: u32) -> Resources {
        let (local, blocks_per_sm) = (0, 0);
        Resources { threads, registers, static_shared, dynamic_shared, local, blocks_per_sm }
    }

    fn of_kernel(taken: &Resources, compiled_for: u32) -> String {
        Excess::of_kernel(taken, compiled_for, &H200).map_or(String::new(), |e| e.to_string())
    }

    #[test]
    fn what_fits_is_no_excess() {
        assert_eq!(Excess::of_kernel(&taken(1024, 64, 0, 232_448), 1024, &H200), None);
        assert_eq!(Excess::of_kernel(&taken(256, 255, 1024, 231_424), 256, &H200), None);
        let launch = Launch { grid: Dim3::flat(1 << 30, 65_535), block: Dim3::flat(32, 32) };
        assert_eq!(Excess::of_launch(&launch, 232_448, &H200), None);
    }

    #[test]
    fn each_limit_is_named_with_its_figure_and_a_way_out() {
        insta::assert_snapshot!(of_kernel(&taken(1024, 70, 0, 0), 896), @"a block of 1024 threads with 70 registers each is too large: a block of this GPU has 65536 registers; launch at most 896 threads, or compile with __launch_bounds__(1024), so that the compiler keeps to 64 a thread");
        insta::assert_snapshot!(of_kernel(&taken(512, 32, 0, 0), 256), @"a block of 512 threads is too large for this kernel, which was compiled for at most 256 (__launch_bounds__, .maxntid); launch at most that many");
        insta::assert_snapshot!(of_kernel(&taken(256, 32, 1024, 232_448), 1024), @"each block needs 233472 bytes of shared memory (1024 declared, 232448 added by the launch), and a block of this GPU can have 232448; use smaller tiles or fewer of them");
        let of_launch = |grid: Dim3, block: Dim3| {
            Excess::of_launch(&Launch { grid, block }, 0, &H200)
                .map(|e| e.to_string())
                .unwrap_or_default()
        };
        insta::assert_snapshot!(of_launch(Dim3::flat(1, 1), Dim3::flat(64, 32)), @"a block of 2048 threads is too large: a block of this GPU holds 1024; launch smaller blocks");
        insta::assert_snapshot!(of_launch(Dim3::flat(1, 65_536), Dim3::flat(1, 1)), @"a grid of 65536 blocks in y is too large: 65535 is the most there; let each block do more, or put the longer side in x");
    }

    #[test]
    fn the_drivers_compiler_is_understood() {
        let log = "ptxas error   : Entry function 'tiled' uses too much shared data (0x10000 bytes, 0xc000 max)\n";
        let excess = Excess::of_log(log, &H200).expect("understood");
        insta::assert_snapshot!(excess, @"tiled declares 65536 bytes of shared memory, and 49152 are the most that a source can declare; more (up to 232448 on this GPU) must be `extern __shared__`, its size given by the launch");
        assert_eq!(Excess::of_log("ptxas fatal   : Unresolved extern function", &H200), None);
    }
}
