//! The units of a GPU that can limit a kernel, and the time that each needs for the kernel's work at
//! its full rate.

use super::counter::{is_tensor, moves_unseen};
use super::counts::ChartCounts;
use super::metrics::{self, ChartMetric};
use super::shown::FigureSource;
use crate::report::ladder::Rung;
use crate::timing::Ceilings;
use crate::timing::pack::Pack;

/// A unit that can limit a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GpuUnit {
    /// The L1 cache, which serves a warp's global load line by line.
    L1,
    /// Shared memory.
    Shared,
    /// The L2 cache.
    L2,
    /// The GPU's memory.
    Dram,
    /// The float32 pipes.
    Fma,
    /// The tensor cores.
    Tensor,
    /// The schedulers, which issue an instruction of a warp each in every cycle.
    Issue,
}

/// The time that a unit needs for the work of a kernel, if it is never idle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnitLoad {
    pub unit: GpuUnit,
    /// The time, in milliseconds.
    pub ms: f64,
    /// Who counted the work.
    pub count: FigureSource,
    /// Where the unit's rate comes from.
    pub rate: FigureSource,
}

/// The unit that needs most of a kernel's time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnitLimit {
    pub load: UnitLoad,
    /// The kernel's measured time, in milliseconds.
    pub measured: f64,
}

/// The share of the measured time from which on a unit is called the limit. Below it the kernel
/// rather waits: for memory, at barriers, for results.
const CLOSE: f64 = 0.6;

/// The share of the issued instructions from which on they are called by their kind.
const MOSTLY: f64 = 0.8;

/// What the rates that are a model are.
pub fn model(pack: &Pack) -> &'static str {
    if metrics::hierarchy(pack).is_some() {
        "model: a multiprocessor issues 4 instructions in a cycle, at its highest clock"
    } else {
        "model: the most that a multiprocessor does in a cycle at its highest clock: L1 a line of 128 \
         bytes, L2 64 bytes, issue 4 instructions"
    }
}

impl GpuUnit {
    /// All of them, from the one that a load of global memory meets first.
    pub const ALL: [Self; 7] =
        [Self::L1, Self::L2, Self::Dram, Self::Shared, Self::Fma, Self::Tensor, Self::Issue];

    pub const fn word(self) -> &'static str {
        match self {
            Self::L1 => "L1",
            Self::Shared => "shared memory",
            Self::L2 => "L2",
            Self::Dram => "DRAM",
            Self::Fma => "FMA",
            Self::Tensor => "tensor cores",
            Self::Issue => "instruction issue",
        }
    }

    /// Its name in front of its bar.
    pub const fn label(self) -> &'static str {
        match self {
            Self::L1 => "L1, global loads",
            unit => unit.word(),
        }
    }

    /// What it is, for somebody who does not know its name; empty if that says it.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::L1 => "a copy near the cores",
            Self::L2 => "a copy of global memory for all cores",
            Self::Dram => "the chips of global memory",
            Self::Fma => "a * b + c in one instruction of a core",
            Self::Issue => "a warp's instruction starts, four in a cycle",
            Self::Shared | Self::Tensor => "",
        }
    }

    /// What makes a kernel faster that this unit limits.
    pub const fn advice(self) -> &'static str {
        match self {
            Self::L1 => "its warps must ask L1 for fewer lines",
            Self::Shared => "it must load from shared memory less often per FMA",
            Self::L2 | Self::Dram => "it must fetch each element less often: with larger tiles",
            Self::Fma => "it would need fewer FMAs, or tensor cores",
            Self::Tensor => "it would need a faster instruction of the tensor cores",
            Self::Issue => "it must issue fewer instructions per FMA",
        }
    }

    /// The metric whose count is its work, if one is.
    fn metric(self) -> Option<&'static ChartMetric> {
        let label = match self {
            Self::Shared => metrics::WAVEFRONTS,
            Self::L2 => metrics::L2_BYTES,
            Self::Dram => metrics::DRAM_BYTES,
            Self::Fma => metrics::MULTIPLY_ADDS,
            Self::Issue => metrics::INSTRUCTIONS,
            Self::L1 | Self::Tensor => return None,
        };
        metrics::METRICS.iter().find(|metric| metric.label == label)
    }
}

impl UnitLoad {
    /// Where the count and the rate come from: `count simulated, rate model`.
    pub fn origin(&self) -> String {
        format!("count {}, rate {}", self.count.word(), self.rate.word())
    }

    /// Where the less certain of both comes from.
    pub const fn weakest(&self) -> FigureSource {
        match (self.count, self.rate) {
            (FigureSource::Measured, FigureSource::Measured) => FigureSource::Measured,
            (_, FigureSource::Model) | (FigureSource::Model, _) => FigureSource::Model,
            _ => FigureSource::Simulated,
        }
    }
}

/// The units whose work for a rung is known, with the time that each needs for it.
pub fn loads(pack: &Pack, rung: &Rung<'_>, counts: &ChartCounts) -> Vec<UnitLoad> {
    let known = |unit: &GpuUnit| match unit {
        GpuUnit::L1 => l1(pack, rung, counts),
        GpuUnit::Tensor => tensor(pack, rung),
        GpuUnit::Shared if moves_unseen(rung) => None,
        unit => counted(*unit, pack, rung, counts),
    };
    GpuUnit::ALL.iter().filter_map(known).collect()
}

fn counted(unit: GpuUnit, pack: &Pack, rung: &Rung<'_>, counts: &ChartCounts) -> Option<UnitLoad> {
    let metric = unit.metric()?;
    let simulated = || Some((metric.simulated(counts.of(rung.row)?)?, FigureSource::Simulated));
    let measured = metric.measured(rung.row).map(|count| (count, FigureSource::Measured));
    let (count, source) = measured.or_else(simulated)?;
    let ms = metric.least_ms(count, pack)?;
    Some(UnitLoad { unit, ms, count: source, rate: metric.rate(pack) })
}

/// L1 serves lines, whether a load takes all of one or a word of each of seventeen. Its rate is that of
/// loads of a word of each; as long as that was not measured, a line in a cycle.
fn l1(pack: &Pack, rung: &Rung<'_>, counts: &ChartCounts) -> Option<UnitLoad> {
    let simulated = counts.simulated(rung.row)?;
    let loads =
        metrics::loads(rung.row).unwrap_or(simulated.counters.ptx.global.loads.requests as f64);
    let (rate, source) = lines_a_ms(pack)?;
    let ms = loads * simulated.lines_per_load? / rate;
    Some(UnitLoad { unit: GpuUnit::L1, ms, count: FigureSource::Simulated, rate: source })
}

/// Lines of 128 bytes that the L1 caches serve in a millisecond.
fn lines_a_ms(pack: &Pack) -> Option<(f64, FigureSource)> {
    let measured = metrics::hierarchy(pack).map(|seen| seen.l1_glines_s.median * 1e6);
    let measured = measured.map(|rate| (rate, FigureSource::Measured));
    measured.or_else(|| Some((metrics::cycles(pack)?, FigureSource::Model)))
}

/// The most that L1 can need for a rung: a line for every sector.
fn l1_at_most(pack: &Pack, rung: &Rung<'_>) -> Option<f64> {
    Some(metrics::sectors(rung.row)? / lines_a_ms(pack)?.0)
}

/// The products of a kernel of the catalogue, by the size. A library's instructions are not known.
fn tensor(pack: &Pack, rung: &Rung<'_>) -> Option<UnitLoad> {
    let Ceilings { half_mma_gflops, .. } = pack.ceilings.as_ref()?;
    let known = is_tensor(rung) && !rung.is_library();
    let rate = half_mma_gflops.filter(|_| known)?.median;
    let ms = rung.row.size.flops() / rate / 1e6;
    Some(UnitLoad {
        unit: GpuUnit::Tensor,
        ms,
        count: FigureSource::Model,
        rate: FigureSource::Measured,
    })
}

/// The busiest unit of a rung; `None` if the work of one that may be busier is not known.
pub fn limit(pack: &Pack, rung: &Rung<'_>, counts: &ChartCounts) -> Option<UnitLimit> {
    let loads = loads(pack, rung, counts);
    let busiest = loads.iter().copied().reduce(|a, b| if b.ms > a.ms { b } else { a })?;
    let of = |unit| loads.iter().copied().find(|load| load.unit == unit);
    let is_l1 = || l1_at_most(pack, rung).is_none_or(|most| most >= busiest.ms);
    if moves_unseen(rung) || (of(GpuUnit::L1).is_none() && is_l1()) {
        return None;
    }
    // Nearly all that is issued are multiply-adds: then these are the limit.
    let fma = of(GpuUnit::Fma)
        .filter(|fma| busiest.unit == GpuUnit::Issue && fma.ms > MOSTLY * busiest.ms);
    let limit = UnitLimit { load: fma.unwrap_or(busiest), measured: rung.row.ms.median };
    // A unit that is not counted may be what the kernel waits for.
    let all =
        [GpuUnit::L2, GpuUnit::Dram, GpuUnit::Issue].into_iter().all(|unit| of(unit).is_some());
    (all || limit.is_close()).then_some(limit)
}

impl UnitLimit {
    /// Whether the unit works for most of the time, so that it explains the time.
    pub fn is_close(&self) -> bool {
        self.load.ms >= CLOSE * self.measured
    }

    /// The unit's time out of the measured time: `13.5 of 16.9 ms`.
    pub fn share(&self) -> String {
        format!("{} of {} ms", ms(self.load.ms), ms(self.measured))
    }

    /// The limit on one line, the longest wording first.
    pub fn line(&self) -> Vec<String> {
        let (unit, share) = (self.load.unit.word(), self.share());
        if self.is_close() {
            let short = format!("{} of {} ms", ms(self.load.ms), ms(self.measured));
            let tell = |share: &str| format!("limit: {unit}, {share}");
            vec![tell(&share), tell(&short), format!("limit: {unit}")]
        } else {
            vec![
                format!("mostly waits: the busiest unit, {unit}, needs {share}"),
                format!("mostly waits: {unit} needs {share}"),
                format!("waits; {unit} {share}"),
                "mostly waits".to_owned(),
            ]
        }
    }
}

/// Milliseconds with three digits, and at most two of them after the point.
pub fn ms(value: f64) -> String {
    match value {
        100.0.. => format!("{value:.0}"),
        10.0.. => format!("{value:.1}"),
        ..=0.0 => "0".to_owned(),
        _ if value < 0.1 => format!("{value:.3}"),
        _ => format!("{value:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Size;
    use crate::report::ladder::rungs;
    use crate::study::counts::SizedSubject;
    use crate::timing::pack::packs;
    use crate::work::WorkToken;

    fn counts<'a>(rungs: impl IntoIterator<Item = &'a Rung<'a>>) -> ChartCounts {
        let mut counts = ChartCounts::default();
        for subject in rungs.into_iter().filter_map(|rung| SizedSubject::of(rung.row)) {
            counts.put(subject, subject.count(&WorkToken::default()));
        }
        counts
    }

    #[test]
    fn no_unit_needs_longer_at_its_full_rate_than_the_kernel_took() {
        let pack = &packs()[0];
        for n in [1024, 4096] {
            let rungs = rungs(&pack.rows, Size::square(n));
            let counts = if n == 1024 { counts(&rungs) } else { counts(&rungs[..3]) };
            for rung in &rungs {
                for load in loads(pack, rung, &counts) {
                    let time = rung.row.ms.median;
                    assert!(load.ms < time, "{} at {n}: {load:?} of {time} ms", rung.name);
                }
            }
        }
    }

    #[test]
    fn tiling_moves_the_limit_from_l1_to_shared_memory() {
        let pack = &packs()[0];
        let rungs = rungs(&pack.rows, Size::square(4096));
        let told = |counts: &ChartCounts| {
            let line = |rung| limit(pack, rung, counts).map(|limit| limit.line().swap_remove(0));
            rungs[..3]
                .iter()
                .map(line)
                .map(Option::unwrap_or_default)
                .collect::<Vec<_>>()
                .join("\n")
        };
        // The hardware has no counter of lines: until they are simulated, L1 may be the limit of a
        // kernel whose every load goes there.
        insta::assert_snapshot!(told(&ChartCounts::default()), @"


        limit: shared memory, 13.5 of 16.9 ms
        ");
        insta::assert_snapshot!(told(&counts(&rungs[..3])), @"
        limit: L1, 141 of 141 ms
        limit: L1, 24.8 of 25.5 ms
        limit: shared memory, 13.5 of 16.9 ms
        ");
    }
}
