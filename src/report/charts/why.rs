//! Why one kernel is faster than another: times and counts side by side, the one that moved lit.

use super::roofline::{self, counter};
use super::{Shown, Source};
use crate::analysis::Counters;
use crate::gpu::protocol::Resources;
use crate::report::fastest::{Rung, short_name};

/// One figure of both kernels.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// What is counted, with its unit.
    pub label: &'static str,
    /// Where both values come from.
    pub source: Source,
    /// Of the one that it is compared with, and of the chosen one.
    pub values: [f64; 2],
    /// What it has to do with the time.
    pub part: Part,
}

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
struct Count {
    label: &'static str,
    part: Part,
    hardware: Ways,
    simulated: Option<fn(&Counters) -> u64>,
}

const fn count(
    label: &'static str,
    part: Part,
    hardware: Ways,
    simulated: Option<fn(&Counters) -> u64>,
) -> Count {
    Count { label, part, hardware, simulated }
}

const LOADS: Ways = &[&["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"]];
const SECTORS: Ways = &[&["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"]];
const STORED: Ways = &[&["l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"]];
const SHARED_LOADS: Ways = &[&["smsp__sass_inst_executed_op_shared_ld.sum"]];
const LDMATRIX: Ways = &[&["smsp__sass_inst_executed_op_ldsm.sum"]];
const CONFLICTS: Ways = &[&[
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
]];
const FMA: Ways = &[&["smsp__sass_thread_inst_executed_op_ffma_pred_on.sum"]];

/// What is counted, under Nsight Compute's names. Caches are not simulated; instructions of every
/// kind are machine code's, which a simulation of PTX cannot foretell.
const COUNTS: [Count; 14] = [
    count("global loads", Part::Cost, LOADS, Some(|c| c.global_load_requests)),
    count("global load sectors", Part::Cost, SECTORS, Some(|c| c.global_load_sectors)),
    count("global store sectors", Part::Cost, STORED, Some(|c| c.global_store_sectors)),
    count("L2 bytes", Part::Cost, &[&["lts__t_bytes.sum"]], None),
    count("DRAM bytes", Part::Cost, &roofline::DRAM, None),
    count("shared loads", Part::Cost, SHARED_LOADS, Some(|c| c.shared_load_instructions)),
    count("ldmatrix", Part::Cost, LDMATRIX, Some(|c| c.matrix_load_instructions)),
    count("shared wavefronts", Part::Cost, &roofline::PASSES, Some(|c| c.shared_wavefronts)),
    count("bank conflicts", Part::Cost, CONFLICTS, Some(conflicts)),
    count("barrier arrivals", Part::Cost, &[], Some(|c| c.barriers)),
    count("multiply-adds (FMA)", Part::Cost, FMA, Some(|c| c.thread_fma)),
    count("tensor instructions", Part::Fact, &[], Some(|c| c.tensor_instructions)),
    count("instructions", Part::Cost, &[&["smsp__inst_executed.sum"]], None),
    count(
        "warps at work, %",
        Part::Help,
        &[&["sm__warps_active.avg.pct_of_peak_sustained_active"]],
        None,
    ),
];

/// Wavefronts beyond those that would do.
const fn conflicts(counters: &Counters) -> u64 {
    counters.shared_bank_conflicts
}

/// A figure that the driver tells of a loaded kernel.
type Taken = (&'static str, Part, fn(&Resources) -> u32);

const TAKEN: [Taken; 3] = [
    ("registers a thread", Part::Fact, |taken| taken.registers),
    ("blocks on an SM", Part::Fact, |taken| taken.blocks_per_sm),
    ("warps on an SM", Part::Help, |taken| taken.blocks_per_sm * taken.threads.div_ceil(32)),
];

impl Figure {
    /// How much of it went: the logarithm of before over after. A count of nothing at all on one
    /// side is a great change, but not an endless one.
    fn went(&self) -> f64 {
        let least = if self.part == Part::Time { f64::MIN_POSITIVE } else { 0.5 };
        let [before, after] = self.values.map(|value| value.max(least));
        (before / after).ln()
    }

    /// Whether nothing became of it.
    pub fn is_same(&self) -> bool {
        self.went().abs() < 0.005
    }

    /// By how much it makes the kernel faster, if it does anything at all.
    fn helps(&self) -> f64 {
        match self.part {
            Part::Cost => self.went(),
            Part::Help => -self.went(),
            Part::Time | Part::Fact => 0.0,
        }
    }

    /// What became of it, in words.
    pub fn change(&self) -> String {
        match self.values {
            _ if self.is_same() => "the same".to_owned(),
            [before, _] if before <= 0.0 => "new".to_owned(),
            [_, after] if after <= 0.0 => "gone".to_owned(),
            [before, after] if before > after => format!("{} less", times(before / after)),
            [before, after] => format!("{} more", times(after / before)),
        }
    }
}

/// A factor with three digits.
fn times(factor: f64) -> String {
    match factor {
        100.0.. => format!("{factor:.0}x"),
        10.0.. => format!("{factor:.1}x"),
        _ => format!("{factor:.2}x"),
    }
}

/// What is known of both: times, counts, and what they take of a multiprocessor. A figure that one
/// of them was measured for and the other was not is compared as it was simulated.
pub fn figures(shown: &Shown<'_>) -> Vec<Figure> {
    let Some(pair) = shown.pair() else { return Vec::new() };
    let time = pair.map(|rung| rung.row.ms.median);
    let time =
        Figure { label: "time, ms", source: Source::Measured, values: time, part: Part::Time };
    let counts = COUNTS.iter().filter_map(|count| counted(shown, pair, count));
    let taken = TAKEN.iter().filter_map(|(label, part, of)| {
        let of = |rung: &Rung<'_>| Some(f64::from(of(rung.row.beside.resources.as_ref()?)));
        let values = both(pair, of)?;
        Some(Figure { label, source: Source::Module, values, part: *part })
    });
    // Nothing is said by what neither of them does.
    let does = |figure: &Figure| figure.values.iter().any(|value| *value > 0.0);
    [time].into_iter().chain(counts).chain(taken).filter(does).collect()
}

fn counted(shown: &Shown<'_>, pair: [&Rung<'_>; 2], count: &Count) -> Option<Figure> {
    let Count { label, part, hardware, simulated } = *count;
    let measured = both(pair, |rung| counter(rung.row, hardware));
    let simulated = || both(pair, |rung| Some(simulated?(shown.counts.of(rung.row)?) as f64));
    let measured = measured.map(|values| (values, Source::Measured));
    let (values, source) = measured.or_else(|| Some((simulated()?, Source::Simulated)))?;
    Some(Figure { label, source, values, part })
}

fn both<T>(pair: [&Rung<'_>; 2], of: impl Fn(&Rung<'_>) -> Option<T>) -> Option<[T; 2]> {
    Some([of(pair[0])?, of(pair[1])?])
}

/// The figure that moved: of a faster kernel the one that helps most, of a slower one the one that
/// costs most.
pub fn moved(figures: &[Figure]) -> Option<usize> {
    let time = figures.iter().find(|figure| figure.part == Part::Time)?;
    let sign = time.went().signum();
    let helps = figures.iter().enumerate().map(|(index, figure)| (index, sign * figure.helps()));
    let most = helps.reduce(|a, b| if b.1 > a.1 { b } else { a });
    most.filter(|(_, helps)| *helps > 0.05).map(|(index, _)| index)
}

/// What became of the time, and what moved.
pub(super) fn sentence(shown: &Shown<'_>) -> Vec<String> {
    let Some(pair) = shown.pair() else {
        return vec!["the first of the story: choose a later kernel".to_owned()];
    };
    let figures = figures(shown);
    let [before, after] = pair.map(|rung| short_name(rung.row));
    let [was, is] = pair.map(|rung| rung.row.ms.median);
    let time = if is <= was {
        format!("{after} is {} as fast as {before}", times(was / is))
    } else {
        format!("{after} takes {} as long as {before}", times(is / was))
    };
    let moved = moved(&figures).map(|index| &figures[index]);
    let moved = moved.map(|figure| format!("{} {}", figure.label, figure.change()));
    let with = |time: &str| moved.as_ref().map(|moved| format!("{time}: {moved}."));
    let short = format!("{} the time", times(is / was));
    let wordings = [with(&time), with(&short), Some(format!("{time}."))];
    wordings.into_iter().flatten().collect()
}
