//! Why one kernel is faster than another: times and counts side by side, with the decisive one
//! marked.

pub use super::metrics::Part;

use super::metrics::{CONFLICTS, METRICS, Metric, WAVEFRONTS};
use super::shown::{Shown, Source};
use super::table::Table;
use crate::gpu::protocol::Resources;
use crate::report::ladder::{Rung, short_name};
use serde_json::json;

/// A figure for both kernels.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Its name, with its unit.
    pub label: &'static str,
    /// The source of both values.
    pub source: Source,
    /// The values for the kernel compared with, then for the chosen one.
    pub values: [f64; 2],
    /// How it relates to the time.
    pub part: Part,
    /// The minimum time for both values, in milliseconds, at the peak rate; `None` if there is no
    /// such rate, or if the GPU's ceilings are not known.
    pub least_ms: Option<[f64; 2]>,
}

/// A figure of a loaded kernel that the driver reports.
type Taken = (&'static str, Part, fn(&Resources) -> u32);

const TAKEN: [Taken; 3] = [
    ("registers a thread", Part::Fact, |taken| taken.registers),
    ("blocks on an SM", Part::Fact, |taken| taken.blocks_per_sm),
    ("warps on an SM", Part::Help, |taken| taken.blocks_per_sm * taken.threads.div_ceil(32)),
];

impl Figure {
    /// The logarithm of the value before over the value after. A value of 0 on one side gives a
    /// large change, but not an infinite one.
    fn went(&self) -> f64 {
        let least = if self.part == Part::Time { f64::MIN_POSITIVE } else { 0.5 };
        let [before, after] = self.values.map(|value| value.max(least));
        (before / after).ln()
    }

    /// Whether it did not change.
    pub fn is_same(&self) -> bool {
        self.went().abs() < 0.005
    }

    /// The change, as text.
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

/// A factor with three digits, in thousands and millions if necessary.
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

/// The figures known for both: times, counts, and resources. If only one of them has a measured
/// count, the simulated counts are compared.
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
    // Figures that are 0 for both say nothing.
    let does = |figure: &Figure| figure.values.iter().any(|value| *value > 0.0);
    let mut figures: Vec<_> = [time].into_iter().chain(counts).chain(taken).filter(does).collect();
    leave_conflicts_out(&mut figures);
    figures
}

/// Subtracts the time of bank conflicts from that of the wavefronts, which include them.
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

/// The minimum change to be named as a cause, as a fraction of the longer time.
const MATTERS: f64 = 0.01;

/// The decisive figure: for a faster kernel the one that gains most, for a slower one the one that
/// costs most.
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

/// The change of the time, and its cause.
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

/// The figures as a table.
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
