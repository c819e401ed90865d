//! Compares a new run with a recorded one, row by row.

use super::bench::aligned;
use crate::kernel::Tile;
use crate::matrix::Size;
use crate::timing::Measurement;
use crate::timing::pack::Pack;
use serde::Serialize;

const HEADER: [&str; 8] =
    ["kernel", "tile", "size", "now ms", "recorded ms", "x recorded", "GFLOP/s", "PTX"];

/// A row that both have.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ComparedRow {
    /// The row's name.
    pub kernel: String,
    /// The tile of a block, if known.
    pub tile: Option<Tile>,
    pub size: Size,
    /// The median now, in milliseconds.
    pub now_ms: f64,
    /// The recorded median, in milliseconds.
    pub recorded_ms: f64,
    /// The speed-up of the new run.
    pub ratio: f64,
    /// Whether both ran the same PTX, byte for byte.
    pub same_ptx: bool,
}

/// The rows of `now` that `recorded` also has.
pub fn pairs(now: &Pack, recorded: &Pack) -> Vec<ComparedRow> {
    let pair = |row: &Measurement| {
        let other = recorded.row_like(row)?;
        Some(ComparedRow {
            kernel: row.kernel.clone(),
            tile: row.tile,
            size: row.size,
            now_ms: row.ms.median,
            recorded_ms: other.ms.median,
            ratio: other.ms.median / row.ms.median,
            same_ptx: row.ptx_sha256 == other.ptx_sha256,
        })
    };
    now.rows.iter().filter_map(pair).collect()
}

/// The pairs as a table, under the GPU and date of the recording; then the rows that only one run
/// has.
pub fn table(now: &Pack, recorded: &Pack) -> String {
    let pairs = pairs(now, recorded);
    let lines = pairs.iter().map(|pair| {
        let ComparedRow { kernel, tile, size, now_ms, recorded_ms, ratio, same_ptx } = pair;
        [
            kernel.clone(),
            tile.map_or("-".to_owned(), |tile| tile.to_string()),
            size.to_string(),
            format!("{now_ms:.4}"),
            format!("{recorded_ms:.4}"),
            format!("{ratio:.3}"),
            format!("{:.0}", size.flops() / now_ms / 1e6),
            if *same_ptx { "the same" } else { "CHANGED" }.to_owned(),
        ]
    });
    let table = aligned(&[HEADER.map(str::to_owned)].into_iter().chain(lines).collect::<Vec<_>>());
    let alone = now.rows.len() - pairs.len();
    let alone =
        if alone == 0 { String::new() } else { format!("{alone} rows were not recorded\n") };
    format!(
        "beside what was {}, by matviz {}\n\n{table}{alone}",
        recorded.label(),
        recorded.program
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::bench::tests::{pack, row};

    #[test]
    fn rows_meet_their_like_and_another_ptx_is_named() {
        let now = pack(vec![
            row("naive", Some(16), 0.5, Some(1e-7)),
            row("tiled", Some(16), 0.3, Some(1e-7)),
            row("tiled", Some(32), 0.3, Some(1e-7)),
        ]);
        let mut changed = row("tiled", Some(16), 0.6, Some(1e-7));
        changed.ptx_sha256 = Some("another".to_owned());
        let then = pack(vec![changed, row("naive", Some(16), 0.4, Some(1e-7))]);
        insta::assert_snapshot!(table(&now, &then), @"
        beside what was recorded on a GPU, 2026-11-21, by matviz 0.1.0

        kernel  tile  size  now ms  recorded ms  x recorded  GFLOP/s       PTX
        naive     16  1024  0.5000       0.4000       0.800     4295  the same
        tiled     16  1024  0.3000       0.6000       2.000     7158   CHANGED
        1 rows were not recorded
        ");
    }
}
