//! The pictures as tables, for CSV and JSON: one row for each item drawn.

use super::shown::ChartData;
use crate::matrix::Size;
use crate::report::csv;
use crate::report::ladder::Rung;
use serde_json::{Map, Value, json};

/// The figures of a picture: every row has a value for every column, or null.
#[derive(Clone, Debug, PartialEq)]
pub struct ChartTable {
    /// The columns' names, with units.
    pub columns: Vec<&'static str>,
    pub rows: Vec<Vec<Value>>,
}

/// The table as CSV; null becomes an empty cell.
pub fn csv(ChartTable { columns, rows }: ChartTable) -> String {
    let cell = |value: &Value| match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let head = columns.iter().map(|name| (*name).to_owned()).collect();
    csv::text(head, rows.iter().map(|row| row.iter().map(cell).collect()))
}

/// The table as JSON, with the picture's name, the GPU and the date. Sizes and tiles are spelt as in
/// every other JSON of this program.
pub fn json(
    shown: &ChartData<'_>,
    picture: &str,
    ChartTable { columns, rows }: ChartTable,
) -> Value {
    let object = |row: Vec<Value>| {
        let sides = |value: &Value| value.as_str().and_then(|text| text.parse::<Size>().ok());
        let pairs = columns.iter().zip(row).map(|(name, value)| {
            let sides = sides(&value).filter(|_| ["size", "tile"].contains(name));
            ((*name).to_owned(), sides.map_or(value, |sides| json!(sides)))
        });
        Value::Object(pairs.collect::<Map<_, _>>())
    };
    let rows: Vec<_> = rows.into_iter().map(object).collect();
    json!({
        "picture": picture,
        "device": shown.pack.device,
        "date": shown.pack.date,
        "driver": shown.pack.driver,
        "size": shown.size,
        "rows": rows,
    })
}

/// The columns that identify a measured row.
const ROW: [&str; 3] = ["kernel", "tile", "size"];

/// The values of those columns.
pub(super) fn row(rung: &Rung<'_>) -> Vec<Value> {
    let tile = rung.row.tile.map(|tile| tile.to_string());
    vec![json!(rung.row.kernel), json!(tile), json!(rung.row.size.to_string())]
}

/// A row for each kernel: the identifying columns, then these.
pub(super) fn of_rungs(
    columns: &[&'static str],
    rows: impl Iterator<Item = Vec<Value>>,
) -> ChartTable {
    ChartTable { columns: ROW.iter().chain(columns).copied().collect(), rows: rows.collect() }
}
