//! Why one kernel is faster than another: the limit of each, what moved from one unit to another,
//! and times and counts side by side.

use super::metrics::{ChartMetric, METRICS};
use super::shown::{ChartData, FigureSource};
use super::table::ChartTable;
use super::units::{self, GpuUnit, UnitLimit, UnitLoad, ms};
use crate::report::ladder::{Rung, short_name};
use crate::timing::Resources;
use serde_json::json;

/// A figure for both kernels.
#[derive(Clone, Debug, PartialEq)]
pub struct ComparedFigure {
    /// Its name, with its unit.
    pub label: &'static str,
    /// The source of both values.
    pub source: FigureSource,
    /// The values for the kernel compared with, then for the chosen one.
    pub values: [f64; 2],
}

/// A kernel with the time that each unit needs for its work.
#[derive(Clone, Debug, PartialEq)]
pub struct UnitTimes {
    /// The kernel's name.
    pub name: String,
    /// Its measured time, in milliseconds.
    pub measured: f64,
    pub loads: Vec<UnitLoad>,
    /// Its limit, if that is known.
    pub limit: Option<UnitLimit>,
}

impl UnitTimes {
    pub fn load(&self, unit: GpuUnit) -> Option<&UnitLoad> {
        self.loads.iter().find(|load| load.unit == unit)
    }

    /// The unit that explains the measured time.
    pub fn close(&self) -> Option<GpuUnit> {
        self.limit.filter(UnitLimit::is_close).map(|limit| limit.load.unit)
    }
}

fn needs(shown: &ChartData<'_>, rung: &Rung<'_>) -> UnitTimes {
    UnitTimes {
        name: rung.name.clone(),
        measured: rung.row.ms.median,
        loads: units::loads(shown.pack, rung, shown.counts),
        limit: units::limit(shown.pack, rung, shown.counts),
    }
}

/// The kernel compared with, if there is one, and the chosen one.
pub fn bars(shown: &ChartData<'_>) -> Vec<UnitTimes> {
    match shown.pair() {
        Some(pair) => pair.map(|rung| needs(shown, rung)).into(),
        None => shown.current().map(|rung| needs(shown, rung)).into_iter().collect(),
    }
}

/// A figure of a loaded kernel that the driver reports.
type Taken = (&'static str, fn(&Resources) -> u32);

const TAKEN: [Taken; 3] = [
    ("registers a thread", |taken| taken.registers),
    ("blocks on an SM", |taken| taken.blocks_per_sm),
    ("warps on an SM", |taken| taken.blocks_per_sm * taken.threads.div_ceil(32)),
];

impl ComparedFigure {
    /// Whether it did not change.
    pub fn is_same(&self) -> bool {
        let [before, after] = self.values.map(|value| value.max(f64::MIN_POSITIVE));
        (before / after).ln().abs() < 0.005
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
pub fn figures(shown: &ChartData<'_>) -> Vec<ComparedFigure> {
    let Some(pair) = shown.pair() else { return Vec::new() };
    let time = pair.map(|rung| rung.row.ms.median);
    let time = ComparedFigure { label: "time, ms", source: FigureSource::Measured, values: time };
    let counts = METRICS.iter().filter_map(|metric| counted(shown, pair, metric));
    let taken = TAKEN.iter().filter_map(|(label, of)| {
        let of = |rung: &Rung<'_>| Some(f64::from(of(rung.row.beside.resources.as_ref()?)));
        Some(ComparedFigure { label, source: FigureSource::Module, values: both(pair, of)? })
    });
    // Figures that are 0 for both say nothing.
    let does = |figure: &ComparedFigure| figure.values.iter().any(|value| *value > 0.0);
    [time].into_iter().chain(counts).chain(taken).filter(does).collect()
}

fn counted(
    shown: &ChartData<'_>,
    pair: [&Rung<'_>; 2],
    metric: &ChartMetric,
) -> Option<ComparedFigure> {
    let measured = both(pair, |rung| metric.measured(rung.row));
    let simulated = || both(pair, |rung| metric.simulated(shown.counts.of(rung.row)?));
    let measured = measured.map(|values| (values, FigureSource::Measured));
    let (values, source) = measured.or_else(|| Some((simulated()?, FigureSource::Simulated)))?;
    Some(ComparedFigure { label: metric.label, source, values })
}

fn both<T>(pair: [&Rung<'_>; 2], of: impl Fn(&Rung<'_>) -> Option<T>) -> Option<[T; 2]> {
    Some([of(pair[0])?, of(pair[1])?])
}

/// The change of the time, and the limit now.
pub fn sentence(shown: &ChartData<'_>) -> Vec<String> {
    let bars = bars(shown);
    let Some(now) = bars.last() else { return vec!["nothing was measured".to_owned()] };
    let time = shown.pair().map(|pair| {
        let [before, after] = pair.map(|rung| short_name(rung.row));
        let [was, is] = pair.map(|rung| rung.row.ms.median);
        if is <= was {
            format!("{after} is {} as fast as {before}", times(was / is))
        } else {
            format!("{after} takes {} as long as {before}", times(is / was))
        }
    });
    let name = shown.current().map(|rung| short_name(rung.row)).unwrap_or_default();
    let limit = now.limit.map(|limit| {
        let (unit, share) = (limit.load.unit.word(), limit.share());
        match (bars.len(), limit.is_close()) {
            (2, true) if bars[0].close() == now.close() => {
                format!("the limit is still {unit}, {share}")
            }
            (2, true) => format!("the limit is now {unit}, {share}"),
            (_, true) => format!("the limit is {unit}, {share}"),
            (_, false) => format!("it mostly waits, {unit} needs {share}"),
        }
    });
    let both = time.as_ref().zip(limit.as_ref()).map(|(time, limit)| format!("{time}: {limit}."));
    let alone = limit.map(|limit| format!("{name}: {limit}."));
    let time = time.map(|time| format!("{time}."));
    [both, alone, time, Some(format!("{name}."))].into_iter().flatten().collect()
}

/// The explanation, in paragraphs: what moved, what it is not, and what would be faster.
pub fn story(shown: &ChartData<'_>) -> Vec<String> {
    let bars = bars(shown);
    let Some(now) = bars.last() else { return Vec::new() };
    let before = (bars.len() == 2).then(|| &bars[0]);
    let moved = before.and_then(|before| moved(before, now));
    let innocent = before.and_then(|before| innocent(before, now));
    [moved, innocent, advice(shown, now)].into_iter().flatten().collect()
}

/// What became of the limit of the kernel before.
fn moved(before: &UnitTimes, now: &UnitTimes) -> Option<String> {
    let (old, new) = (before.close()?, now.limit?.load.unit);
    let change = |unit: GpuUnit| {
        let at = |needs: &UnitTimes| needs.load(unit).map_or("?".to_owned(), |load| ms(load.ms));
        let [was, is] = [before, now].map(at);
        let from = if was == is { String::new() } else { format!("{was} -> ") };
        format!("{} {from}{is} ms", unit.word())
    };
    Some(match (old == new, now.close().is_some()) {
        (true, true) => format!("The same unit limits both: {}.", change(old)),
        (false, true) => format!("The work moved: {}, but {}.", change(old), change(new)),
        (_, false) => format!("{} is no longer the limit: {}.", old.word(), change(old)),
    })
}

/// The bytes of DRAM, if they grew without limiting the kernel.
fn innocent(before: &UnitTimes, now: &UnitTimes) -> Option<String> {
    let [was, is] = [before.load(GpuUnit::Dram)?, now.load(GpuUnit::Dram)?];
    let grew = was.ms > 0.0 && is.ms > 1.1 * was.ms && now.limit?.load.unit != GpuUnit::Dram;
    grew.then(|| {
        format!(
            "DRAM moves {} the bytes, but that needs {} of {} ms: it is not the limit.",
            times(is.ms / was.ms),
            ms(is.ms),
            ms(now.measured)
        )
    })
}

/// What a kernel must do to be faster, and the next of the ladder that is.
fn advice(shown: &ChartData<'_>, now: &UnitTimes) -> Option<String> {
    let limit = now.limit?;
    let must = if limit.is_close() {
        limit.load.unit.advice()
    } else {
        "it must wait less: with more warps, or with loads long before their use"
    };
    let faster = |rung: &&Rung<'_>| {
        let current = shown.current().map(|current| current.precision);
        Some(rung.precision) == current && rung.row.ms.median < now.measured
    };
    let next = shown.rungs.iter().skip(shown.rung + 1).find(faster).map(|rung| {
        let (needs, name) = (needs(shown, rung), short_name(rung.row));
        let time = ms(needs.measured);
        match needs.load(limit.load.unit).filter(|load| load.ms < limit.load.ms) {
            Some(load) => {
                let unit = load.unit.word();
                format!(" Next: {name} ({unit}: {} of {time} ms).", ms(load.ms))
            }
            None => format!(" Next: {name} ({time} ms)."),
        }
    });
    Some(format!("To be faster {must}.{}", next.unwrap_or_default()))
}

pub fn table(shown: &ChartData<'_>) -> ChartTable {
    let columns = vec!["figure", "is", "before", "after", "kernel_before", "kernel", "size"];
    let Some([before, after]) = shown.pair() else {
        return ChartTable { columns, rows: Vec::new() };
    };
    let row = |figure: String, is: String, values: [Option<f64>; 2]| {
        vec![
            json!(figure),
            json!(is),
            json!(values[0]),
            json!(values[1]),
            json!(before.name),
            json!(after.name),
            json!(shown.size.to_string()),
        ]
    };
    let figures = figures(shown).into_iter();
    let figures = figures.map(|figure| {
        row(figure.label.to_owned(), figure.source.word().to_owned(), figure.values.map(Some))
    });
    let bars = bars(shown);
    let units = GpuUnit::ALL.iter().filter_map(|unit| {
        let of = [bars.first()?.load(*unit), bars.last()?.load(*unit)];
        let is = of.into_iter().flatten().next_back()?.origin();
        let label = format!("ms at the full rate of {}", unit.label());
        Some(row(label, is, of.map(|load| load.map(|load| load.ms))))
    });
    ChartTable { columns, rows: figures.chain(units).collect() }
}
