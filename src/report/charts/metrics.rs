//! What is counted of a launch: by the hardware, under Nsight Compute's names, and by the simulator;
//! and how fast a GPU does it at most.

use super::roofline;
use crate::analysis::{Counters, Counts};
use crate::gpu::protocol::{Ceilings, Measurement};
use crate::report::number::grouped;

/// What a figure has to do with the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// It is the time.
    Time,
    /// Work that costs time: less of it is better.
    Cost,
    /// Something that hides waiting: more of it is better.
    Help,
    /// It tells something of the kernel, and nothing of its speed alone.
    Fact,
}

/// Ways to add up the hardware's counters: each a list of their names.
type Ways = &'static [&'static [&'static str]];

/// A count: by the hardware, and by the simulator if it has it.
pub(super) struct Metric {
    pub(super) label: &'static str,
    pub(super) part: Part,
    hardware: Ways,
    simulated: Option<fn(&Counts) -> u64>,
    most: Most,
}

/// How much of something a GPU does at most.
#[derive(Clone, Copy)]
enum Most {
    /// So much in a cycle of each multiprocessor.
    Cycle(f64),
    /// Bytes in a second: as a copy did it.
    Copy,
    /// Passes in a second: as a loop over shared memory did them.
    Passes,
    /// It takes no time of its own.
    Free,
}

/// Multiply-adds in float32 that a multiprocessor does in a cycle (CUDA C++ Programming Guide,
/// "Arithmetic Instructions").
const FMA_A_CYCLE: f64 = 128.0;

impl Most {
    /// The same in a millisecond of the whole GPU, of which these are the measured ceilings.
    fn a_millisecond(self, ceilings: &Ceilings) -> Option<f64> {
        let cycles = ceilings.float32_gflops.median * 1e6 / (2.0 * FMA_A_CYCLE);
        match self {
            Self::Cycle(most) => Some(most * cycles),
            Self::Copy => Some(ceilings.copy_gb_s.median * 1e6),
            Self::Passes => Some(ceilings.shared_gb_s.median * 1e6 / roofline::WAVEFRONT),
            Self::Free => None,
        }
    }
}

impl Metric {
    /// What the hardware counted, if it did.
    pub(super) fn measured(&self, row: &Measurement) -> Option<f64> {
        let unseen = [LOADS, SECTORS, STORED, FMA].contains(&self.hardware) && copies_in_bulk(row);
        roofline::counter(row, self.hardware).filter(|_| !unseen)
    }

    /// What is simulated of it, if it can be.
    pub(super) fn simulated(&self, counters: &Counters) -> Option<f64> {
        Some(self.simulated?(&counters.sass()) as f64)
    }

    /// The milliseconds that so much of it takes at least.
    pub(super) fn least_ms(&self, count: f64, ceilings: &Ceilings) -> Option<f64> {
        Some(count / self.most.a_millisecond(ceilings)?)
    }
}

const fn metric(
    label: &'static str,
    hardware: Ways,
    simulated: Option<fn(&Counts) -> u64>,
    most: Most,
) -> Metric {
    Metric { label, part: Part::Cost, hardware, simulated, most }
}

const LOADS: Ways = &[&["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"]];
const SECTORS: Ways = &[&["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"]];
const STORED: Ways = &[&["l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"]];
const SHARED_LOADS: Ways = &[&["smsp__sass_inst_executed_op_shared_ld.sum"]];
const LDMATRIX: Ways = &[&["smsp__sass_inst_executed_op_ldsm.sum"]];
const CONFLICTED: Ways = &[&[
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
]];
const FMA: Ways = &[&["smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"]];
const WARPS: Ways = &[&["sm__warps_active.avg.pct_of_peak_sustained_active"]];

/// Passes through the banks of shared memory, and those beyond the ones that would do.
pub(super) const WAVEFRONTS: &str = "shared wavefronts";
pub(super) const CONFLICTS: &str = "bank conflicts";

/// What is counted. Caches are not simulated; instructions of every kind are machine code's, which a
/// simulation of PTX cannot foretell.
///
/// A multiprocessor takes one request of a warp in a cycle, moves 128 bytes between L1 or shared
/// memory and registers (four sectors, one wavefront), 64 between L2 and L1, and starts an
/// instruction on each of its four schedulers (NVIDIA H100 white paper; Nsight Compute's peak rates).
pub(super) const METRICS: [Metric; 14] = [
    metric("global loads", LOADS, Some(|c| c.global.loads.requests), Most::Cycle(1.0)),
    metric("global load sectors", SECTORS, Some(|c| c.global.loads.sectors), Most::Cycle(4.0)),
    metric("global store sectors", STORED, Some(|c| c.global.stores.sectors), Most::Cycle(4.0)),
    metric("L2 bytes", &[&["lts__t_bytes.sum"]], None, Most::Cycle(64.0)),
    metric("DRAM bytes", &roofline::DRAM, None, Most::Copy),
    metric("shared loads", SHARED_LOADS, Some(|c| c.shared.loads.instructions), Most::Cycle(1.0)),
    metric("ldmatrix", LDMATRIX, Some(|c| c.shared.matrix_loads.instructions), Most::Cycle(1.0)),
    metric(WAVEFRONTS, &roofline::PASSES, Some(|c| c.shared.all().wavefronts), Most::Passes),
    metric(CONFLICTS, CONFLICTED, Some(|c| c.shared.all().conflicts), Most::Passes),
    metric("barrier arrivals", &[], Some(|c| c.barriers), Most::Cycle(4.0)),
    metric("multiply-adds (FMA)", FMA, Some(|c| c.thread_fma), Most::Cycle(FMA_A_CYCLE)),
    Metric {
        part: Part::Fact,
        ..metric("tensor instructions", &[], Some(|c| c.tensor.instructions), Most::Free)
    },
    metric("instructions", &[&["smsp__inst_executed.sum"]], None, Most::Cycle(4.0)),
    Metric { part: Part::Help, ..metric("warps at work, %", WARPS, None, Most::Free) },
];

/// Whether a launch reads memory in a way that these counters do not see: a library's kernel for
/// Hopper copies whole tiles with the tensor memory accelerator, and has no loads by threads.
pub fn copies_in_bulk(row: &Measurement) -> bool {
    row.is_library() && roofline::counter(row, LOADS) == Some(0.0)
}

/// A metric of one launch, by the hardware and by the simulator.
#[derive(Clone, Debug, PartialEq)]
pub struct Beside {
    /// What is counted, with its unit.
    pub label: &'static str,
    /// By the hardware.
    pub measured: f64,
    /// By the simulator, once it has.
    pub simulated: Option<f64>,
    /// Whether it can.
    pub foretold: bool,
}

/// What the hardware has counted of a launch beside what was simulated of it, the metrics that can be
/// simulated first; without what neither has counted.
pub fn beside(row: &Measurement, counters: Option<&Counters>) -> Vec<Beside> {
    let both = |metric: &Metric| {
        let measured = metric.measured(row)?;
        let simulated = counters.and_then(|counters| metric.simulated(counters));
        let any = measured > 0.0 || simulated.is_some_and(|count| count > 0.0);
        let (label, foretold) = (metric.label, metric.simulated.is_some());
        any.then_some(Beside { label, measured, simulated, foretold })
    };
    let mut all: Vec<_> = METRICS.iter().filter_map(both).collect();
    all.sort_by_key(|metric| !metric.foretold);
    all
}

impl Beside {
    /// By how much the hardware's figure differs from the simulated one, in words.
    pub fn difference(&self) -> String {
        let Some(simulated) = self.simulated else { return String::new() };
        let more = self.measured - simulated;
        match more / simulated {
            _ if more == 0.0 => "equal".to_owned(),
            part if simulated > 0.0 && part.abs() >= 0.000_5 => format!("{:+.1} %", 100.0 * part),
            _ => {
                let sign = if more < 0.0 { '-' } else { '+' };
                format!("{sign}{}", grouped(more.abs() as u64))
            }
        }
    }

    /// Whether the two differ, as far as both are known.
    pub fn differs(&self) -> bool {
        self.simulated.is_some_and(|simulated| (self.measured - simulated).abs() > 0.0)
    }

    /// Why the hardware counts more of it, where that is known.
    pub fn reason(&self) -> Option<&'static str> {
        let arbitrated = self.label == CONFLICTS && self.measured > self.simulated?;
        arbitrated.then_some("bank conflicts: the hardware adds the passes lost to other warps")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_told_as_it_is_read_best() {
        let told = |measured, simulated| {
            Beside { label: "", measured, simulated, foretold: true }.difference()
        };
        assert_eq!(told(1024.0, Some(1024.0)), "equal");
        assert_eq!(told(1126.4, Some(1024.0)), "+10.0 %");
        assert_eq!(told(960.0, Some(1000.0)), "-4.0 %");
        assert_eq!(told(1_000_066.0, Some(1_000_000.0)), "+66");
        assert_eq!(told(342_487.0, Some(0.0)), "+342,487");
        assert_eq!(told(62.0, None), "");
    }
}
