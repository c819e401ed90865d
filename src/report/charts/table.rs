//! The pictures as tables, for CSV and JSON: one row for each thing that is drawn.

use super::shown::Shown;
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

/// The same as CSV; nothing stands for null.
pub fn csv(Table { columns, rows }: Table) -> String {
    let cell = |value: &Value| match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let head = columns.iter().map(|name| (*name).to_owned()).collect();
    csv::text(head, rows.iter().map(|row| row.iter().map(cell).collect()))
}

/// The same as JSON, with the picture's name, and where and when it was measured.
pub fn json(shown: &Shown<'_>, picture: &str, Table { columns, rows }: Table) -> Value {
    let object = |row: Vec<Value>| {
        let pairs = columns.iter().map(|name| (*name).to_owned()).zip(row);
        Value::Object(pairs.collect::<Map<_, _>>())
    };
    let rows: Vec<_> = rows.into_iter().map(object).collect();
    json!({
        "picture": picture,
        "device": shown.pack.device,
        "date": shown.pack.date,
        "driver": shown.pack.driver,
        "size": shown.size.to_string(),
        "rows": rows,
    })
}

/// The columns that say which row was measured.
const ROW: [&str; 3] = ["kernel", "tile", "size"];

/// The values of those columns.
pub(super) fn row(rung: &Rung<'_>) -> Vec<Value> {
    let tile = rung.row.tile.map(|tile| tile.to_string());
    vec![json!(rung.row.kernel), json!(tile), json!(rung.row.size.to_string())]
}

/// A row for each kernel: which it is, and then these columns.
pub(super) fn of_rungs(columns: &[&'static str], rows: impl Iterator<Item = Vec<Value>>) -> Table {
    Table { columns: ROW.iter().chain(columns).copied().collect(), rows: rows.collect() }
}
