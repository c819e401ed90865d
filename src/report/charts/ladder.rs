//! Every kernel relative to the library and to the kernel before, as a sentence and as a table.

use super::shown::ChartData;
use super::table::{ChartTable, of_rungs, row};
use crate::report::ladder::{self, Rung};
use serde_json::json;

/// The chosen kernel's speed.
pub fn sentence(shown: &ChartData<'_>) -> Vec<String> {
    ladder::sentence(&shown.rungs, shown.rung)
}

/// All rungs.
pub fn table(shown: &ChartData<'_>) -> ChartTable {
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
    of_rungs(&COLUMNS, shown.rungs.iter().map(told))
}
