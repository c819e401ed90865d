//! The metrics of a launch: the hardware's counters by Nsight Compute's names, the simulator's
//! counts, and the peak rate of each on a GPU.

use super::counter;
use super::shown::FigureSource;
use crate::analysis::{Counters, Counts, coalesce};
use crate::report::number::grouped;
use crate::timing::pack::Pack;
use crate::timing::{Hierarchy, Measurement};

/// Alternative sums of the hardware's counters: each a list of their names.
type Ways = &'static [&'static [&'static str]];

/// A metric: counted by the hardware and, if possible, by the simulator.
pub(super) struct ChartMetric {
    pub(super) label: &'static str,
    hardware: Ways,
    simulated: Option<fn(&Counts) -> u64>,
    most: PeakRate,
}

/// The peak rate of something on a GPU.
#[derive(Clone, Copy)]
enum PeakRate {
    /// This number per cycle and multiprocessor: a model.
    Cycle(f64),
    /// Float32 multiply-adds, measured by a loop of them.
    MultiplyAdds,
    /// Bytes per second, measured by a copy.
    Copy,
    /// Wavefronts per second, measured by a loop over shared memory.
    Passes,
    /// Bytes per second from the L2 cache, measured by loads that miss L1; as long as that was not
    /// measured, 64 bytes per cycle and multiprocessor: a model.
    L2,
    /// It is no work of a unit, or a part of another metric's.
    Free,
}

/// float32 multiply-adds per cycle on one multiprocessor (CUDA C++ Programming Guide, "Arithmetic
/// Instructions").
const FMA_A_CYCLE: f64 = 128.0;

/// Bytes that a multiprocessor can receive from the L2 cache per cycle (Nsight Compute's peak of
/// `l1tex__m_xbar2l1tex_read_bytes`).
const L2_A_CYCLE: f64 = 64.0;

/// The cycles of all multiprocessors together in a millisecond: at the highest clock, or at the one
/// that the measured rate of multiply-adds takes at least.
pub(super) fn cycles(pack: &Pack) -> Option<f64> {
    if let Some(limits) = &pack.limits {
        return Some(f64::from(limits.multiprocessors) * f64::from(limits.sm_mhz) * 1e3);
    }
    Some(pack.ceilings.as_ref()?.float32_gflops.median * 1e6 / (2.0 * FMA_A_CYCLE))
}

impl PeakRate {
    /// The peak rate per millisecond of the whole GPU.
    fn a_millisecond(self, pack: &Pack) -> Option<f64> {
        let ceilings = pack.ceilings.as_ref();
        match self {
            Self::Cycle(most) => Some(most * cycles(pack)?),
            Self::MultiplyAdds => Some(ceilings?.float32_gflops.median * 1e6 / 2.0),
            Self::Copy => Some(ceilings?.copy_gb_s.median * 1e6),
            Self::Passes => Some(ceilings?.shared_gb_s.median * 1e6 / counter::WAVEFRONT),
            Self::L2 => hierarchy(pack).map_or_else(
                || Self::Cycle(L2_A_CYCLE).a_millisecond(pack),
                |measured| Some(measured.l2_gb_s.median * 1e6),
            ),
            Self::Free => None,
        }
    }
}

/// The measured memory hierarchy of a pack's GPU.
pub(super) fn hierarchy(pack: &Pack) -> Option<&Hierarchy> {
    pack.ceilings.as_ref()?.hierarchy.as_ref()
}

impl ChartMetric {
    /// The hardware's count, if it was read.
    pub(super) fn measured(&self, row: &Measurement) -> Option<f64> {
        let unseen = [LOADS, SECTORS, STORED, FMA].contains(&self.hardware) && copies_tiles(row);
        counter::counter(row, self.hardware).filter(|_| !unseen)
    }

    /// The simulated count, if the metric is simulated.
    pub(super) fn simulated(&self, counters: &Counters) -> Option<f64> {
        Some(self.simulated?(&counters.sass()) as f64)
    }

    /// The minimum time for `count` of it, in milliseconds.
    pub(super) fn least_ms(&self, count: f64, pack: &Pack) -> Option<f64> {
        Some(count / self.most.a_millisecond(pack)?)
    }

    /// Where its peak rate comes from.
    pub(super) fn rate(&self, pack: &Pack) -> FigureSource {
        match self.most {
            PeakRate::Cycle(_) | PeakRate::Free => FigureSource::Model,
            PeakRate::L2 if hierarchy(pack).is_none() => FigureSource::Model,
            PeakRate::L2 | PeakRate::MultiplyAdds | PeakRate::Copy | PeakRate::Passes => {
                FigureSource::Measured
            }
        }
    }
}

const fn metric(
    label: &'static str,
    hardware: Ways,
    simulated: Option<fn(&Counts) -> u64>,
    most: PeakRate,
) -> ChartMetric {
    ChartMetric { label, hardware, simulated, most }
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

/// Wavefronts of shared memory, including those caused by bank conflicts.
pub(super) const WAVEFRONTS: &str = "shared wavefronts";
const CONFLICTS: &str = "bank conflicts";
pub(super) const LOAD_SECTORS: &str = "global load sectors";
pub(super) const L2_BYTES: &str = "L2 bytes";
const L2: &[&[&str]] = &[&["lts__t_bytes.sum"]];
pub(super) const DRAM_BYTES: &str = "DRAM bytes";
pub(super) const MULTIPLY_ADDS: &str = "thread FMAs";
pub(super) const INSTRUCTIONS: &str = "instructions";

/// The metrics. Caches are not simulated, and a total of SASS instructions cannot be predicted from
/// PTX.
pub(super) const METRICS: [ChartMetric; 14] = [
    metric("global loads", LOADS, Some(|c| c.global.loads.requests), PeakRate::Free),
    metric(LOAD_SECTORS, SECTORS, Some(|c| c.global.loads.sectors), PeakRate::Free),
    metric("global store sectors", STORED, Some(|c| c.global.stores.sectors), PeakRate::Free),
    metric(L2_BYTES, L2, None, PeakRate::L2),
    metric(DRAM_BYTES, &counter::DRAM, None, PeakRate::Copy),
    metric("shared loads", SHARED_LOADS, Some(|c| c.shared.loads.instructions), PeakRate::Free),
    metric("ldmatrix", LDMATRIX, Some(|c| c.shared.matrix_loads.instructions), PeakRate::Free),
    metric(WAVEFRONTS, &counter::PASSES, Some(|c| c.shared.all().wavefronts), PeakRate::Passes),
    metric(CONFLICTS, CONFLICTED, Some(|c| c.shared.all().conflicts), PeakRate::Free),
    metric("barrier arrivals", &[], Some(|c| c.barriers), PeakRate::Free),
    metric(MULTIPLY_ADDS, FMA, Some(|c| c.thread_fma), PeakRate::MultiplyAdds),
    metric("tensor instructions", &[], Some(|c| c.tensor.instructions), PeakRate::Free),
    metric(INSTRUCTIONS, &[&["smsp__inst_executed.sum"]], None, PeakRate::Cycle(4.0)),
    metric("warps at work, %", WARPS, None, PeakRate::Free),
];

/// The loads of global memory that the hardware counted.
pub(super) fn loads(row: &Measurement) -> Option<f64> {
    counter::counter(row, LOADS).filter(|_| !copies_tiles(row))
}

/// The sectors of these loads.
pub fn sectors(row: &Measurement) -> Option<f64> {
    counter::counter(row, SECTORS).filter(|_| !copies_tiles(row))
}

/// The sectors of each of these loads, on average.
pub fn sectors_per_load(row: &Measurement) -> Option<f64> {
    let loads = loads(row).filter(|loads| *loads > 0.0)?;
    Some(sectors(row)? / loads)
}

/// The part of these sectors that L1 had, from 0 to 1: at least that, since stores reach L2 as well.
pub fn from_l1(row: &Measurement) -> Option<f64> {
    let asked = coalesce::SECTOR as f64 * sectors(row)?;
    let of_l2 = counter::counter(row, L2)?;
    (asked > of_l2).then(|| 1.0 - of_l2 / asked)
}

/// Whether a launch reads memory in a way that these counters do not see: a library's kernel for
/// Hopper copies whole tiles with the tensor memory accelerator, and its threads load nothing.
pub fn copies_tiles(row: &Measurement) -> bool {
    row.is_library() && counter::counter(row, LOADS) == Some(0.0)
}

/// A metric of one launch, measured and simulated.
#[derive(Clone, Debug, PartialEq)]
pub struct MetricPair {
    /// Its name, with its unit.
    pub label: &'static str,
    /// The hardware's count.
    pub measured: f64,
    /// The simulator's count, once known.
    pub simulated: Option<f64>,
    /// Whether it can be simulated.
    pub predicted: bool,
}

/// The hardware's counts of a launch next to the simulated ones, the metrics that can be simulated
/// first; without those that are 0 on both sides.
pub fn beside(row: &Measurement, counters: Option<&Counters>) -> Vec<MetricPair> {
    let both = |metric: &ChartMetric| {
        let measured = metric.measured(row)?;
        let simulated = counters.and_then(|counters| metric.simulated(counters));
        let any = measured > 0.0 || simulated.is_some_and(|count| count > 0.0);
        let (label, predicted) = (metric.label, metric.simulated.is_some());
        any.then_some(MetricPair { label, measured, simulated, predicted })
    };
    let mut all: Vec<_> = METRICS.iter().filter_map(both).collect();
    all.sort_by_key(|metric| !metric.predicted);
    all
}

impl MetricPair {
    /// The difference of the hardware's figure from the simulated one, as text.
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

    /// Whether the two differ, if both are known.
    pub fn differs(&self) -> bool {
        self.simulated.is_some_and(|simulated| (self.measured - simulated).abs() > 0.0)
    }

    /// The reason why the hardware counts more, if known.
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
            MetricPair { label: "", measured, simulated, predicted: true }.difference()
        };
        assert_eq!(told(1024.0, Some(1024.0)), "equal");
        assert_eq!(told(1126.4, Some(1024.0)), "+10.0 %");
        assert_eq!(told(960.0, Some(1000.0)), "-4.0 %");
        assert_eq!(told(1_000_066.0, Some(1_000_000.0)), "+66");
        assert_eq!(told(342_487.0, Some(0.0)), "+342,487");
        assert_eq!(told(62.0, None), "");
    }
}
