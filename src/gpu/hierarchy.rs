//! The probes of the memory hierarchy: how soon a word comes from each level, and at what rate.

use super::ceilings::{MEMORY, THREADS, blocks};
use crate::kernel::{Arg, Call};
use crate::launch::{Dim3, Launch};
use crate::timing::Limits;

/// Bytes of a line of the caches.
const LINE: u32 = 128;

/// A level of the memory hierarchy whose latency a chain measures: each instruction needs the result
/// of the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Chain {
    /// Multiply-adds in registers.
    Registers,
    /// Loads of shared memory.
    Shared,
    /// Loads that hit the L1 cache.
    L1,
    /// Loads that pass the L1 cache and hit the L2 cache.
    L2,
    /// Loads that miss both caches.
    Dram,
}

/// The fewest lines of a chain to DRAM, for a driver that does not report its L2 cache: 64 MiB. A chain
/// without lines would follow an address that nobody has set.
const LEAST_LINES: u32 = 1 << 19;

/// Instructions of a chain in one iteration of its loop, as in its source.
const UNROLLED: u32 = 8;

impl Chain {
    const fn entry(self) -> &'static str {
        match self {
            Self::Registers => "follow_registers",
            Self::Shared => "follow_shared",
            Self::L1 => "follow_l1",
            Self::L2 | Self::Dram => "follow_l2",
        }
    }

    /// The number of iterations of its loop: a few milliseconds on a GPU of 2024.
    const fn rounds(self) -> u32 {
        match self {
            Self::Registers => 100_000,
            Self::Shared | Self::L1 => 20_000,
            Self::L2 | Self::Dram => 2_500,
        }
    }

    /// The number of lines of global memory that are chained: few enough for the cache that is to be
    /// hit, four times what the L2 cache holds where it is to be missed. A power of two.
    pub(super) fn lines(self, limits: &Limits) -> u32 {
        match self {
            Self::Registers | Self::Shared => 1,
            Self::L1 => 64,
            Self::L2 => 4096,
            Self::Dram => (limits.l2_bytes / LINE * 4).next_power_of_two().max(LEAST_LINES),
        }
    }

    /// Bytes of its buffer.
    pub(super) fn bytes(self, limits: &Limits) -> usize {
        self.lines(limits) as usize * LINE as usize
    }

    /// The launch that chains its lines in buffer 0, if it has any.
    pub(super) fn link(self, limits: &Limits) -> Option<Call> {
        let count = self.lines(limits);
        let args = vec![Arg::Buffer(0), Arg::word(count)];
        (count > 1).then(|| call("chain", blocks(limits), THREADS, args))
    }

    /// The launch that follows it.
    pub(super) fn follow(self) -> Call {
        let rounds = Arg::word(self.rounds());
        let [x, y] = [0.999_f32, 1.0].map(|value| Arg::word(value.to_bits()));
        let args = match self {
            Self::Registers => vec![Arg::Buffer(0), x, y, rounds],
            Self::Shared | Self::L1 | Self::L2 | Self::Dram => vec![Arg::Buffer(0), rounds],
        };
        call(self.entry(), 1, 1, args)
    }

    /// The time of one of its instructions if all of them take `ms` milliseconds, in nanoseconds.
    pub(super) fn step_ns(self, ms: f64) -> f64 {
        ms * 1e6 / f64::from(self.rounds() * UNROLLED)
    }
}

/// A cache whose rate is measured by all multiprocessors loading from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cache {
    /// The L1 caches, whose lines are taken whole.
    L1,
    /// The L1 caches, of whose lines one word each is taken.
    L1Lines,
    L2,
}

impl Cache {
    /// The number of iterations of its loop.
    const fn rounds(self) -> u32 {
        match self {
            Self::L1 => 1000,
            Self::L1Lines | Self::L2 => 400,
        }
    }

    /// What the cache serves a thread in one iteration, as in its source: the bytes of 8 loads of
    /// 16 bytes; 8 lines, one word of each of which is loaded.
    const fn work(self) -> u32 {
        match self {
            Self::L1 | Self::L2 => 8 * 16,
            Self::L1Lines => 8,
        }
    }

    /// Bytes of its buffer: 64 lines; 32 lines and as many words as a line has; 16 for each thread.
    pub(super) fn bytes(self, limits: &Limits) -> usize {
        match self {
            Self::L1 => 64 * LINE as usize,
            Self::L1Lines => 33 * LINE as usize,
            Self::L2 => blocks(limits) as usize * THREADS as usize * 16,
        }
    }

    /// The launch, with as many threads as the GPU holds at a time; it never writes buffer 0.
    pub(super) fn call(self, limits: &Limits) -> Call {
        let rounds = Arg::word(self.rounds());
        let places = Arg::word(blocks(limits) * THREADS);
        let (entry, args) = match self {
            Self::L1 => ("read_l1", vec![Arg::Buffer(0), rounds]),
            Self::L1Lines => ("read_l1_lines", vec![Arg::Buffer(0), rounds]),
            Self::L2 => ("read_l2", vec![Arg::Buffer(0), places, rounds]),
        };
        call(entry, blocks(limits), THREADS, args)
    }

    /// The rate of `call` if it takes `ms` milliseconds, in 10^9 bytes or lines per second.
    pub(super) fn rate(self, call: &Call, ms: f64) -> f64 {
        let threads = call.launch.threads() as f64 * call.launch.grid.volume() as f64;
        threads * f64::from(self.rounds()) * f64::from(self.work()) / ms / 1e6
    }
}

fn call(entry: &str, grid: u32, block: u32, args: Vec<Arg>) -> Call {
    Call {
        entry: entry.to_owned(),
        ptx: MEMORY.ptx.to_owned(),
        launch: Launch { grid: Dim3::flat(grid, 1), block: Dim3::flat(block, 1) },
        shared: 0,
        cluster: None,
        args,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timing::excess::tests::H200;
    use std::collections::BTreeSet;

    #[test]
    fn a_chain_to_memory_is_longer_than_the_cache_and_visits_every_line_once() {
        let lines = Chain::Dram.lines(&H200);
        assert!(Chain::Dram.bytes(&H200) >= 4 * H200.l2_bytes as usize);
        // The order of kernels/probes/memory.cu.
        for count in [Chain::L1.lines(&H200), Chain::L2.lines(&H200), lines] {
            assert!(count.is_power_of_two());
        }
        let count = Chain::L2.lines(&H200);
        let next = |line: u32| line.wrapping_mul(1_664_525).wrapping_add(1_013_904_223) % count;
        let order = std::iter::successors(Some(0), |line| Some(next(*line)));
        assert_eq!(order.take(count as usize).collect::<BTreeSet<_>>().len(), count as usize);
        let unknown = Limits { l2_bytes: 0, ..H200 };
        assert!(Chain::Dram.link(&unknown).is_some(), "an unknown cache still needs a chain");
        // Ten launches together revisit nothing that the cache could still hold.
        assert!(lines > 10 * Chain::Dram.rounds() * UNROLLED);
    }

    #[test]
    fn a_time_is_shared_by_the_steps_and_bytes_are_counted_as_the_source_loads_them() {
        assert!((Chain::Shared.step_ns(2.4) - 15.0).abs() < 1e-9);
        let call = Cache::L1.call(&H200);
        // A line of 128 bytes in each cycle of 132 multiprocessors at 1980 MHz: 1.034 ms.
        let rate = Cache::L1.rate(&call, 1.034_36);
        assert!((rate - 33_454.0).abs() < 1.0, "{rate}");
    }

    #[test]
    fn every_launch_is_in_the_module_and_takes_the_arguments_it_is_given() {
        let chains = [Chain::Registers, Chain::Shared, Chain::L1, Chain::L2, Chain::Dram];
        let links = chains.iter().filter_map(|chain| chain.link(&H200));
        let follows = chains.iter().map(|chain| chain.follow());
        let caches = [Cache::L1, Cache::L1Lines, Cache::L2].map(|cache| cache.call(&H200));
        for call in links.chain(follows).chain(caches) {
            let (_, header) =
                call.ptx.split_once(&format!(".entry {}(", call.entry)).expect("there");
            let (parameters, _) = header.split_once(')').expect("its end");
            assert_eq!(parameters.matches(".param").count(), call.args.len(), "{}", call.entry);
        }
    }
}
