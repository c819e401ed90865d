//! The pictures as tables, for CSV and JSON: one row for each thing that is drawn.

use super::roofline::{self, Spot};
use super::shown::Shown;
use super::sizes::{self, Series};
use super::{Picture, occupancy, why};
use crate::analysis::roofline::Bound;
use crate::report::csv;
use crate::report::ladder::Rung;
use serde_json::{Map, Value, json};

/// A picture's figures: every row has a value for every column, null where there is none.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// Their names, the units in them.
    pub columns: Vec<&'static str>,
    /// The rows.
    pub rows: Vec<Vec<Value>>,
}

/// What a picture shows.
pub fn of(shown: &Shown<'_>, picture: Picture) -> Table {
    match picture {
        Picture::Ladder => ladder(shown),
        Picture::Sizes => over_sizes(shown),
        Picture::Roofline => under_roofs(shown),
        Picture::Occupancy => occupancies(shown),
        Picture::Why => reasons(shown),
    }
}

/// The same as CSV; nothing stands for null.
pub fn csv(shown: &Shown<'_>, picture: Picture) -> String {
    let Table { columns, rows } = of(shown, picture);
    let cell = |value: &Value| match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let head = columns.iter().map(|name| (*name).to_owned()).collect();
    csv::text(head, rows.iter().map(|row| row.iter().map(cell).collect()))
}

/// The same as JSON, with where and when it was measured.
pub fn json(shown: &Shown<'_>, picture: Picture) -> Value {
    let Table { columns, rows } = of(shown, picture);
    let object = |row: Vec<Value>| {
        let pairs = columns.iter().map(|name| (*name).to_owned()).zip(row);
        Value::Object(pairs.collect::<Map<_, _>>())
    };
    let rows: Vec<_> = rows.into_iter().map(object).collect();
    json!({
        "picture": picture.name(),
        "device": shown.pack.device,
        "date": shown.pack.date,
        "driver": shown.pack.driver,
        "size": shown.size.to_string(),
        "rows": rows,
    })
}

/// The columns that say which row was measured, and their values.
const ROW: [&str; 3] = ["kernel", "tile", "size"];

fn row(rung: &Rung<'_>) -> Vec<Value> {
    let tile = rung.row.tile.map(|tile| tile.to_string());
    vec![json!(rung.row.kernel), json!(tile), json!(rung.row.size.to_string())]
}

fn table(columns: &[&'static str], rows: impl Iterator<Item = Vec<Value>>) -> Table {
    Table { columns: ROW.iter().chain(columns).copied().collect(), rows: rows.collect() }
}

fn ladder(shown: &Shown<'_>) -> Table {
    const COLUMNS: [&str; 7] =
        ["precision", "gflops", "median_ms", "iqr", "of_library", "over_previous", "stale"];
    let told = |rung: &Rung<'_>| {
        let more = [
            json!(rung.precision),
            json!(rung.row.gflops),
            json!(rung.row.ms.median),
            json!(rung.row.ms.relative_iqr()),
            json!(rung.of_library),
            json!(rung.over_previous),
            json!(rung.is_stale()),
        ];
        row(rung).into_iter().chain(more).collect()
    };
    table(&COLUMNS, shown.rungs.iter().map(told))
}

fn over_sizes(shown: &Shown<'_>) -> Table {
    let rows = |Series { rung, points, .. }: Series| {
        let kernel = shown.rungs[rung].row.kernel.clone();
        points.into_iter().map(move |(n, gflops)| vec![json!(kernel), json!(n), json!(gflops)])
    };
    let rows = sizes::series(shown).into_iter().flat_map(rows).collect();
    Table { columns: vec!["kernel", "n", "gflops"], rows }
}

fn under_roofs(shown: &Shown<'_>) -> Table {
    const COLUMNS: [&str; 8] = [
        "traffic",
        "bytes",
        "bytes_are",
        "flop_per_byte",
        "gflops",
        "roof_gflops",
        "part_of_roof",
        "bound",
    ];
    let told = |spot: Spot| {
        let Spot { rung, point, bytes, source, roofs, .. } = spot;
        let bound = match roofs.bound(point.intensity) {
            Bound::Memory => "memory",
            Bound::Compute => "compute",
        };
        let more = [
            json!(shown.traffic.word()),
            json!(bytes),
            json!(source.word()),
            json!(point.intensity),
            json!(point.gflops),
            json!(roofs.attainable(point.intensity)),
            json!(point.reached(&roofs)),
            json!(bound),
        ];
        row(&shown.rungs[rung]).into_iter().chain(more).collect()
    };
    table(&COLUMNS, roofline::spots(shown).into_iter().map(told))
}

fn occupancies(shown: &Shown<'_>) -> Table {
    const COLUMNS: [&str; 8] = [
        "threads_per_block",
        "registers_per_thread",
        "shared_bytes_per_block",
        "blocks_per_sm",
        "blocks_per_sm_by_driver",
        "warps_per_sm",
        "most_warps_per_sm",
        "limits",
    ];
    let told = |rung: &Rung<'_>| {
        let (has, demand) = (occupancy::multiprocessor(shown.pack)?, occupancy::demand(rung)?);
        let held = has.holds(&demand);
        let limits: Vec<_> = held.limits().map(occupancy::word).collect();
        let more = [
            json!(demand.block.volume()),
            json!(demand.registers),
            json!(demand.shared),
            json!(held.blocks),
            json!(rung.row.beside.resources.map(|taken| taken.blocks_per_sm)),
            json!(held.warps),
            json!(held.most_warps),
            json!(limits.join(" + ")),
        ];
        Some(row(rung).into_iter().chain(more).collect())
    };
    table(&COLUMNS, shown.rungs.iter().filter_map(told))
}

fn reasons(shown: &Shown<'_>) -> Table {
    let columns =
        vec!["figure", "is", "before", "after", "moved", "kernel_before", "kernel", "size"];
    let Some([before, after]) = shown.pair() else { return Table { columns, rows: Vec::new() } };
    let figures = why::figures(shown);
    let moved = why::moved(&figures);
    let told = |(index, figure): (usize, &why::Figure)| {
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
