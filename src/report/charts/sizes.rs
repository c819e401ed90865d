//! GFLOP/s against the size of the matrices: every kernel, with the tile chosen for it at each
//! size.

use super::shown::ChartData;
use super::table::ChartTable;
use crate::matrix::Size;
use crate::report::ladder;
use crate::report::ladder::Rung;
use serde_json::json;

/// A kernel at all square sizes.
#[derive(Clone, Debug, PartialEq)]
pub struct SizeSeries {
    /// The number of its rung.
    pub rung: usize,
    /// Its name, without a tile, which changes with the size.
    pub name: String,
    /// (N, GFLOP/s), ascending.
    pub points: Vec<(u32, f64)>,
}

/// Every rung that was measured at several square sizes.
pub fn series(shown: &ChartData<'_>) -> Vec<SizeSeries> {
    let rows = &shown.pack.rows;
    let sizes = ladder::sizes(rows).into_iter().filter(|size| *size == Size::square(size.n));
    let at_sizes: Vec<_> = sizes.map(|size| (size.n, ladder::rungs(rows, size))).collect();
    let points = |rung: &Rung<'_>| {
        let at = |(n, rungs): &(u32, Vec<Rung<'_>>)| {
            let same = rungs.iter().find(|other| other.row.kernel == rung.row.kernel);
            same.map(|rung| (*n, rung.row.gflops))
        };
        at_sizes.iter().filter_map(at).collect::<Vec<_>>()
    };
    let series = |(rung, told): (usize, &Rung<'_>)| {
        let points = points(told);
        let name = ladder::short_name(told.row);
        (points.len() > 1).then_some(SizeSeries { rung, name, points })
    };
    shown.rungs.iter().enumerate().filter_map(series).collect()
}

/// The size at which the chosen kernel is fastest, and the size from which it is faster than the
/// other.
pub fn sentence(shown: &ChartData<'_>) -> Vec<String> {
    let all = series(shown);
    let of = |rung: usize| all.iter().find(|series| series.rung == rung);
    let Some(own) = of(shown.rung) else {
        return vec!["this kernel was measured at one size only".to_owned()];
    };
    let best = own.points.iter().max_by(|a, b| a.1.total_cmp(&b.1));
    let Some((n, gflops)) = best else { return Vec::new() };
    let best = format!("{}: at its best at {n}, {:.1} TFLOP/s", own.name, gflops / 1e3);
    let other = shown.beside.and_then(of);
    let compared = other.filter(|other| meet(own, other).next().is_some());
    let from = compared.map(|other| match overtakes(own, other) {
        Some(n) => format!("; from {n} on faster than {}", other.name),
        None => format!("; nowhere faster than {} for good", other.name),
    });
    vec![format!("{best}{}.", from.unwrap_or_default()), format!("{best}.")]
}

/// The sizes at which both were measured, ascending, and whether `own` was faster.
fn meet(own: &SizeSeries, other: &SizeSeries) -> impl DoubleEndedIterator<Item = (u32, bool)> {
    own.points.iter().filter_map(|(n, gflops)| {
        let theirs = other.points.iter().find(|(m, _)| m == n)?;
        Some((*n, *gflops > theirs.1))
    })
}

/// The size from which `own` is faster, if there is one.
fn overtakes(own: &SizeSeries, other: &SizeSeries) -> Option<u32> {
    meet(own, other).rev().take_while(|(_, faster)| *faster).last().map(|(n, _)| n)
}

pub fn table(shown: &ChartData<'_>) -> ChartTable {
    let rows = |SizeSeries { rung, points, .. }: SizeSeries| {
        let kernel = shown.rungs[rung].row.kernel.clone();
        points.into_iter().map(move |(n, gflops)| vec![json!(kernel), json!(n), json!(gflops)])
    };
    let rows = series(shown).into_iter().flat_map(rows).collect();
    ChartTable { columns: vec!["kernel", "n", "gflops"], rows }
}
