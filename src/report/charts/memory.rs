//! The memory hierarchy: how soon a word comes from each level, how many come at a time, and what two
//! kernels take from it.

use super::counter::{self, WAVEFRONT};
use super::metrics::{self, ChartMetric, METRICS};
use super::shown::{ChartData, FigureSource};
use super::table::ChartTable;
use crate::matrix::{Operand, Precision};
use crate::report::ladder::{Rung, short_name};
use crate::report::number::{held, moved as amount};
use crate::timing::pack::Pack;
use crate::timing::{Hierarchy, Resources};
use serde_json::json;

/// A level of the memory hierarchy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryLevel {
    /// The registers of a thread.
    Registers,
    /// The shared memory of a block.
    Shared,
    /// The L1 cache of a multiprocessor.
    L1,
    /// The L2 cache of the GPU.
    L2,
    /// The GPU's memory.
    Dram,
}

/// What is known of a level.
#[derive(Clone, Debug, PartialEq)]
pub struct Storey {
    pub level: MemoryLevel,
    /// The time until a word that is loaded from here can be used, in nanoseconds, measured.
    pub latency_ns: f64,
    /// Bytes that each multiprocessor gets from here in a cycle when all of them load.
    pub rate: Option<f64>,
    /// Whether that is measured, or a model.
    pub rate_is: FigureSource,
    /// Bytes that the kernel compared with, then the chosen one, take from here, with who counted.
    pub bytes: Vec<Option<(f64, FigureSource)>>,
    /// Where the level is, and what the chosen kernel keeps there; the longest wording first.
    pub keeps: Vec<String>,
}

/// Bytes of the operands of a multiply-add of one lane, and the lanes that a multiprocessor serves in
/// a cycle (CUDA C++ Programming Guide, "Arithmetic Instructions").
const OPERANDS: f64 = 3.0 * 4.0;
const LANES: f64 = 128.0;

/// Bytes of a sector.
const SECTOR: f64 = 32.0;

impl MemoryLevel {
    /// All of them, the nearest first.
    pub const ALL: [Self; 5] = [Self::Registers, Self::Shared, Self::L1, Self::L2, Self::Dram];

    pub const fn word(self) -> &'static str {
        match self {
            Self::Registers => "registers",
            Self::Shared => "shared memory",
            Self::L1 => "L1",
            Self::L2 => "L2",
            Self::Dram => "DRAM",
        }
    }

    fn latency_ns(self, seen: &Hierarchy) -> f64 {
        let time = match self {
            Self::Registers => &seen.registers_ns,
            Self::Shared => &seen.shared_ns,
            Self::L1 => &seen.l1_ns,
            Self::L2 => &seen.l2_ns,
            Self::Dram => &seen.dram_ns,
        };
        time.median
    }

    /// Bytes in a cycle of one multiprocessor.
    pub fn rate(self, pack: &Pack) -> Option<f64> {
        let (most, seen) = (pack.ceilings.as_ref()?, metrics::hierarchy(pack)?);
        let gb_s = match self {
            Self::Registers => return Some(OPERANDS * LANES),
            Self::Shared => most.shared_gb_s,
            Self::L1 => seen.l1_gb_s,
            Self::L2 => seen.l2_gb_s,
            Self::Dram => most.copy_gb_s,
        };
        Some(gb_s.median * 1e6 / metrics::cycles(pack)?)
    }

    const fn rate_is(self) -> FigureSource {
        match self {
            Self::Registers => FigureSource::Model,
            Self::Shared | Self::L1 | Self::L2 | Self::Dram => FigureSource::Measured,
        }
    }

    /// The metric that counts what is taken from here, and the bytes of one of it.
    const fn counted(self) -> (&'static str, f64) {
        match self {
            Self::Registers => (metrics::MULTIPLY_ADDS, OPERANDS),
            Self::Shared => (metrics::WAVEFRONTS, WAVEFRONT),
            Self::L1 => (metrics::LOAD_SECTORS, SECTOR),
            Self::L2 => (metrics::L2_BYTES, 1.0),
            Self::Dram => (metrics::DRAM_BYTES, 1.0),
        }
    }

    fn bytes(self, shown: &ChartData<'_>, rung: &Rung<'_>) -> Option<(f64, FigureSource)> {
        let (label, each) = self.counted();
        // Tensor cores take their operands in another way than multiply-adds of lanes.
        if self == Self::Registers && counter::is_tensor(rung)
            || self == Self::Shared && counter::moves_unseen(rung)
        {
            return None;
        }
        let metric: &ChartMetric = METRICS.iter().find(|metric| metric.label == label)?;
        let simulated =
            || Some((metric.simulated(shown.counts.of(rung.row)?)?, FigureSource::Simulated));
        let measured = metric.measured(rung.row).map(|count| (count, FigureSource::Measured));
        measured.or_else(simulated).map(|(count, source)| (count * each, source))
    }

    /// Where the level is, and what a kernel keeps there.
    fn keeps(self, pack: &Pack, rung: Option<&Rung<'_>>) -> Vec<String> {
        let limits = pack.limits.as_ref();
        let kib = |of: fn(&crate::timing::Limits) -> u32| {
            limits.map_or(String::new(), |limits| format!("{} in ", held(of(limits).into())))
        };
        let taken = rung.and_then(|rung| rung.row.beside.resources);
        let name = rung.map(|rung| short_name(rung.row)).unwrap_or_default();
        let (place, kept) = match self {
            Self::Registers => (
                format!("{}each SM, a thread's own", kib(|limits| limits.registers_per_sm * 4)),
                taken.map(|Resources { registers, .. }| {
                    format!("the sums (acc) and addresses of {name}: {registers} a thread")
                }),
            ),
            Self::Shared => (
                format!("{}each SM, a block's own", kib(|limits| limits.shared_per_sm)),
                taken.map(|taken| match taken.static_shared + taken.dynamic_shared {
                    0 => format!("{name} keeps nothing here"),
                    bytes => {
                        format!("tiles of A and B, {} a block", held(bytes.into()))
                    }
                }),
            ),
            Self::L1 => (
                "in the same SRAM of each SM".to_owned(),
                Some("lines of A and B that were loaded lately".to_owned()),
            ),
            Self::L2 => {
                let size = limits.map(|limits| held(limits.l2_bytes.into()));
                (
                    format!("{}one for all SMs", size.map_or(String::new(), |size| size + ", ")),
                    Some("what several blocks load".to_owned()),
                )
            }
            Self::Dram => {
                let bytes = rung.map(matrices);
                (
                    "the GPU's memory, outside the chip".to_owned(),
                    bytes.map(|bytes| format!("A, B and C, {}", held(bytes))),
                )
            }
        };
        let both = kept.as_ref().map(|kept| format!("{place}; {kept}"));
        [both, kept, Some(place)].into_iter().flatten().collect()
    }
}

/// The levels; `None` if their latencies were not measured.
pub fn storeys(shown: &ChartData<'_>) -> Option<Vec<Storey>> {
    let seen = metrics::hierarchy(shown.pack)?;
    let rungs = rungs(shown);
    let storey = |level: MemoryLevel| Storey {
        level,
        latency_ns: level.latency_ns(seen),
        rate: level.rate(shown.pack),
        rate_is: level.rate_is(),
        bytes: rungs.iter().map(|rung| level.bytes(shown, rung)).collect(),
        keeps: level.keeps(shown.pack, shown.current()),
    };
    Some(MemoryLevel::ALL.map(storey).into())
}

/// Bytes of A, B and C of a rung. C has single precision in every kernel.
fn matrices(rung: &Rung<'_>) -> u64 {
    let size = rung.row.size;
    let [a, b, c] = [Operand::A, Operand::B, Operand::C].map(|operand| size.elements(operand));
    (a + b) * u64::from(rung.precision.bytes()) + c * u64::from(Precision::Single.bytes())
}

/// The kernel compared with, if there is one, and the chosen one.
pub fn rungs<'a, 's>(shown: &'s ChartData<'a>) -> Vec<&'s Rung<'a>> {
    shown.pair().map_or_else(|| shown.current().into_iter().collect(), Vec::from)
}

/// The cycles of a multiprocessor in a time, if its clock is known.
pub fn cycles(pack: &Pack, ns: f64) -> Option<f64> {
    Some(ns * f64::from(pack.limits.as_ref()?.sm_mhz) / 1e3)
}

/// The cycles until a word is there, from each level of the memory, the nearest first, as they were
/// measured.
pub fn distances(pack: &Pack) -> Option<[(MemoryLevel, f64); 5]> {
    let seen = metrics::hierarchy(pack)?;
    let clock = cycles(pack, 1.0)?;
    Some(MemoryLevel::ALL.map(|level| (level, clock * level.latency_ns(seen))))
}

/// Why it matters where a word is.
pub fn sentence(shown: &ChartData<'_>) -> Vec<String> {
    let of = |level: MemoryLevel| {
        let storeys = storeys(shown)?;
        storeys.into_iter().find(|storey| storey.level == level)
    };
    let both = of(MemoryLevel::Shared).zip(of(MemoryLevel::Dram));
    let Some((near, far)) = both else {
        return vec!["this pack holds no latencies: measure with r, or record it anew".to_owned()];
    };
    let sooner = far.latency_ns / near.latency_ns;
    let more = near.rate.zip(far.rate).map(|(near, far)| near / far);
    let sooner = format!("A word comes {sooner:.0} times sooner from shared memory than from DRAM");
    let more = more.map(|more| format!("{sooner}, and {more:.0} times as many at a time."));
    more.into_iter().chain([format!("{sooner}.")]).collect()
}

/// The explanation, in paragraphs: what the chosen kernel moved to a nearer level, and what a wait
/// costs.
pub fn story(shown: &ChartData<'_>) -> Vec<String> {
    let Some(storeys) = storeys(shown) else { return Vec::new() };
    let of = |level: MemoryLevel| storeys.iter().find(|storey| storey.level == level);
    let waits = of(MemoryLevel::Registers).zip(of(MemoryLevel::Dram)).map(|(near, far)| {
        let steps = far.latency_ns / near.latency_ns;
        let cycles = cycles(shown.pack, far.latency_ns);
        let cycles = cycles.map_or(String::new(), |cycles| format!("{cycles:.0} cycles, "));
        format!(
            "A warp that needs a word from DRAM waits {cycles}as long as {steps:.0} FMAs \
             one after the other: the SM works on other warps in the meantime. A sum (acc) in a \
             register is there at once, and no load fetches it."
        )
    });
    let moved = moved(shown, of(MemoryLevel::L1), of(MemoryLevel::Shared));
    [moved, funnel(shown, &storeys), waits].into_iter().flatten().collect()
}

/// How few of the operands come from far away.
fn funnel(shown: &ChartData<'_>, storeys: &[Storey]) -> Option<String> {
    let bytes = |storey: &Storey| storey.bytes.last().copied().flatten().map(|(bytes, _)| bytes);
    let (near, far) = storeys.split_first()?;
    let operands = bytes(near).filter(|bytes| *bytes > 0.0)?;
    let part = |storey: &Storey| {
        let part = 100.0 * bytes(storey)? / operands;
        let digits = if part >= 9.95 || part <= 0.0 { 0 } else { 1 + usize::from(part < 0.095) };
        Some(format!("{part:.digits$} from {}", storey.level.word()))
    };
    let parts: Vec<_> = far.iter().filter_map(part).collect();
    let name = short_name(shown.current()?.row);
    (!parts.is_empty())
        .then(|| format!("For every 100 bytes of operands, {name} takes {}.", parts.join(", ")))
}

/// What the chosen kernel no longer takes from L1, and takes from shared memory.
fn moved(shown: &ChartData<'_>, l1: Option<&Storey>, shared: Option<&Storey>) -> Option<String> {
    let [before, after] = shown.pair()?.map(|rung| short_name(rung.row));
    let of = |storey: &Storey| match storey.bytes[..] {
        [Some((before, _)), Some((after, _))] => Some([before, after]),
        _ => None,
    };
    let ([was, is], [none, tiles]) = (of(l1?)?, of(shared?)?);
    let fewer = was / is;
    (is > 0.0 && fewer > 1.1 && tiles > 1.1 * none).then(|| {
        format!(
            "{after} asks L1 for {fewer:.1} times fewer bytes than {before} ({} instead of {}): its \
             FMAs take {} from shared memory.",
            amount(is),
            amount(was),
            amount(tiles)
        )
    })
}

/// The figures as a table.
pub fn table(shown: &ChartData<'_>) -> ChartTable {
    let columns = vec![
        "level",
        "latency_ns",
        "latency_cycles",
        "bytes_per_cycle_and_sm",
        "rate_is",
        "kernel",
        "size",
        "bytes",
        "bytes_are",
    ];
    let rungs = rungs(shown);
    let rows = storeys(shown).into_iter().flatten().flat_map(|storey| {
        let figures = [
            json!(storey.level.word()),
            json!(storey.latency_ns),
            json!(cycles(shown.pack, storey.latency_ns)),
            json!(storey.rate),
            json!(storey.rate_is.word()),
        ];
        let row = |(rung, bytes): (&&Rung<'_>, &Option<(f64, FigureSource)>)| {
            let taken = [
                json!(rung.name),
                json!(rung.row.size.to_string()),
                json!(bytes.map(|(bytes, _)| bytes)),
                json!(bytes.map(|(_, source)| source.word())),
            ];
            figures.iter().cloned().chain(taken).collect()
        };
        rungs.iter().zip(&storey.bytes).map(row).collect::<Vec<_>>()
    });
    ChartTable { columns, rows: rows.collect() }
}
