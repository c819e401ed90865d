//! Why one kernel is faster than another: times and counts side by side, the one that moved lit.

pub use super::metrics::Part;

use super::metrics::{CONFLICTS, METRICS, Metric, WAVEFRONTS};
use super::shown::{Shown, Source};
use super::table::Table;
use crate::gpu::protocol::Resources;
use crate::report::ladder::{Rung, short_name};
use serde_json::json;

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
    /// The milliseconds that both take at least, at the full rate of what does it; none if it has
    /// no rate, or the GPU's ceilings are not known.
    pub least_ms: Option<[f64; 2]>,
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

/// A factor with three digits, in thousands and millions if need be.
fn times(factor: f64) -> String {
    match factor {
        1e10.. => format!("{factor:.1e}x"),
        1e7.. => format!("{:.0}Mx", factor / 1e6),
        1e4.. => format!("{:.0}kx", factor / 1e3),
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
    let figure =
        |label, source, values, part| Figure { label, source, values, part, least_ms: None };
    let time = figure("time, ms", Source::Measured, time, Part::Time);
    let counts = METRICS.iter().filter_map(|metric| counted(shown, pair, metric));
    let taken = TAKEN.iter().filter_map(|(label, part, of)| {
        let of = |rung: &Rung<'_>| Some(f64::from(of(rung.row.beside.resources.as_ref()?)));
        Some(figure(label, Source::Module, both(pair, of)?, *part))
    });
    // Nothing is said by what neither of them does.
    let does = |figure: &Figure| figure.values.iter().any(|value| *value > 0.0);
    let mut figures: Vec<_> = [time].into_iter().chain(counts).chain(taken).filter(does).collect();
    leave_conflicts_out(&mut figures);
    figures
}

/// Bank conflicts are wavefronts as well: what they take is theirs alone.
fn leave_conflicts_out(figures: &mut [Figure]) {
    let of = |figures: &[Figure], label| figures.iter().position(|figure| figure.label == label);
    let [all, conflicts] = [WAVEFRONTS, CONFLICTS].map(|label| of(figures, label));
    let Some((all, Some(conflicts))) = all.zip(conflicts.map(|index| figures[index].least_ms))
    else {
        return;
    };
    if let Some(all) = &mut figures[all].least_ms {
        *all = [all[0] - conflicts[0], all[1] - conflicts[1]];
    }
}

fn counted(shown: &Shown<'_>, pair: [&Rung<'_>; 2], metric: &Metric) -> Option<Figure> {
    let measured = both(pair, |rung| metric.measured(rung.row));
    let simulated = || both(pair, |rung| metric.simulated(shown.counts.of(rung.row)?));
    let measured = measured.map(|values| (values, Source::Measured));
    let (values, source) = measured.or_else(|| Some((simulated()?, Source::Simulated)))?;
    let least = |value| metric.least_ms(value, shown.pack.ceilings.as_ref()?);
    let least_ms = least(values[0]).zip(least(values[1])).map(|(before, after)| [before, after]);
    Some(Figure { label: metric.label, source, values, part: metric.part, least_ms })
}

fn both<T>(pair: [&Rung<'_>; 2], of: impl Fn(&Rung<'_>) -> Option<T>) -> Option<[T; 2]> {
    Some([of(pair[0])?, of(pair[1])?])
}

/// What must have moved to be spoken of, as a part of the longer time.
const MATTERS: f64 = 0.01;

/// The figure that moved: of a faster kernel the one that helps most, of a slower one the one that
/// costs most.
///
/// Counts of different things are weighed by the time that each takes at least, at the full rate of
/// what does it: 19 million bank conflicts fewer are much among 20 million wavefronts, and nothing
/// among a billion multiply-adds. (All of these go on side by side, so that their times do not add
/// up.) Where no count moved by a hundredth of the time, it is what hides waiting that may have.
pub fn moved(figures: &[Figure]) -> Option<usize> {
    let time = figures.iter().find(|figure| figure.part == Part::Time)?;
    let sign = time.went().signum();
    let most = |helps: fn(&Figure) -> Option<f64>, least: f64| {
        let all = figures.iter().enumerate();
        let helps = all.filter_map(|(index, figure)| Some((index, sign * helps(figure)?)));
        let most = helps.reduce(|a, b| if b.1 > a.1 { b } else { a });
        most.filter(|(_, helps)| *helps > least).map(|(index, _)| index)
    };
    let saved = |figure: &Figure| figure.least_ms.map(|[before, after]| before - after);
    let hides = |figure: &Figure| (figure.part == Part::Help).then(|| -figure.went());
    most(saved, MATTERS * time.values[0].max(time.values[1])).or_else(|| most(hides, 0.05))
}

/// What became of the time, and what moved.
pub fn sentence(shown: &Shown<'_>) -> Vec<String> {
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

/// The same as a table.
pub fn table(shown: &Shown<'_>) -> Table {
    let columns =
        vec!["figure", "is", "before", "after", "moved", "kernel_before", "kernel", "size"];
    let Some([before, after]) = shown.pair() else { return Table { columns, rows: Vec::new() } };
    let figures = figures(shown);
    let moved = moved(&figures);
    let told = |(index, figure): (usize, &Figure)| {
        vec![
            json!(figure.label),
            json!(figure.source.word()),
            json!(figure.values[0]),
            json!(figure.values[1]),
            json!(Some(index) == moved),
            json!(before.name),
            json!(after.name),
            json!(shown.size.to_string()),
        ]
    };
    Table { columns, rows: figures.iter().enumerate().map(told).collect() }
}
