//! Measured rows as a table.

pub mod columns;
pub mod ladder;

use crate::timing::Measurement;
use crate::timing::pack::Pack;

const HEADER: [&str; 8] =
    ["kernel", "tile", "size", "median ms", "IQR", "GFLOP/s", "x naive", "rel. error"];

/// A heading with the GPU and the date, then one line per row, with aligned columns and units in
/// the header. A wrong result is marked `WRONG`.
pub fn table(pack: &Pack) -> String {
    format!("{}\n\n{}{}", heading(pack), columns(&pack.rows), to_look_at(&pack.rows))
}

/// What is said of rows that matviz compiled.
fn to_look_at(rows: &[Measurement]) -> String {
    let Some(row) = rows.iter().find(|row| row.is_to_look_at()) else { return String::new() };
    let by = row.compiled_by.as_deref().unwrap_or_default();
    format!(
        "\n{}: compiled by {by}, to be looked at and not for speed: NVRTC's PTX of it is faster\n",
        row.kernel
    )
}

/// The GPU and the date.
pub(super) fn heading(Pack { device, driver, cuda, date, .. }: &Pack) -> String {
    let driver = driver.as_deref().unwrap_or("of unknown release");
    format!("{device}, driver {driver} (CUDA {cuda}), {date}")
}

fn columns(rows: &[Measurement]) -> String {
    let lines = rows.iter().map(|row| cells(row, rows));
    aligned(&[HEADER.map(str::to_owned)].into_iter().chain(lines).collect::<Vec<_>>())
}

/// Speed as a multiple of naive's at the same size and tile or, for a row without a square tile, of
/// the first naive row of that size.
pub fn speed_up(row: &Measurement, rows: &[Measurement]) -> Option<f64> {
    let is_its_naive = |other: &&Measurement| {
        other.kernel == "naive"
            && other.size == row.size
            && (row.tile.is_none_or(|tile| tile.side().is_none()) || other.tile == row.tile)
    };
    // PTX that is to be looked at is no rung of a ladder.
    rows.iter()
        .find(is_its_naive)
        .filter(|_| !row.is_to_look_at())
        .map(|naive| naive.ms.median / row.ms.median)
}

fn cells(row: &Measurement, rows: &[Measurement]) -> [String; 8] {
    [
        row.kernel.clone(),
        row.tile.map_or("-".to_owned(), |tile| tile.to_string()),
        row.size.to_string(),
        format!("{:.4}", row.ms.median),
        format!("{:.1} %", row.ms.relative_iqr() * 100.0),
        format!("{:.0}", row.gflops),
        speed_up(row, rows).map_or("-".to_owned(), |times| format!("{times:.2}")),
        error(row),
    ]
}

/// The error of C.
pub(super) fn error(row: &Measurement) -> String {
    match row.relative_error {
        Some(error) if row.is_right() => format!("{error:.1e}"),
        Some(error) => format!("{error:.1e} WRONG"),
        None => "not finite WRONG".to_owned(),
    }
}

/// Lines with aligned columns: names to the left, numbers to the right.
pub(super) fn aligned<const N: usize>(lines: &[[String; N]]) -> String {
    let width = |column: usize| lines.iter().map(|line| line[column].len()).max().unwrap_or(0);
    let widths: [usize; N] = std::array::from_fn(width);
    let cell = |(index, (cell, width)): (usize, (&String, &usize))| {
        if index == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
    };
    let line = |line: &[String; N]| {
        let cells: Vec<_> = line.iter().zip(&widths).enumerate().map(cell).collect();
        format!("{}\n", cells.join("  ").trim_end())
    };
    lines.iter().map(line).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::kernel::Tile;
    use crate::matrix::Size;
    use crate::stats::Quartiles;
    use crate::timing::{Reference, Telemetry};

    pub(in crate::report) fn pack(rows: Vec<Measurement>) -> Pack {
        Pack {
            format: crate::timing::pack::FORMAT,
            device: "a GPU".to_owned(),
            compute_capability: "9.0".to_owned(),
            driver: Some("580.1".to_owned()),
            cuda: "13.0".to_owned(),
            date: "2026-11-21".to_owned(),
            program: "0.1.0".to_owned(),
            limits: None,
            ceilings: None,
            rows,
            skipped: Vec::new(),
        }
    }

    pub(in crate::report) fn row(
        kernel: &str,
        tile: Option<u32>,
        ms: f64,
        error: Option<f64>,
    ) -> Measurement {
        let size = Size::square(1024);
        Measurement {
            device: "a GPU".to_owned(),
            kernel: kernel.to_owned(),
            ptx_sha256: None,
            compiled_by: None,
            size,
            tile: tile.map(Tile::square),
            ms: Quartiles { median: ms, q1: ms * 0.995, q3: ms * 1.005, samples: 10 },
            gflops: size.flops() / ms / 1e6,
            relative_error: error,
            tolerance: 1e-5,
            reference: Reference::Float64,
            c_sha256: String::new(),
            beside: Telemetry::default(),
        }
    }

    #[test]
    fn the_table_lines_up_and_says_what_is_wrong() {
        let rows = [
            row("naive", Some(16), 0.41234, Some(2.1e-7)),
            row("tiled", Some(16), 0.271_12, Some(2.1e-7)),
            row("tiled", Some(32), 12.5, Some(0.3)),
            row("tiled", Some(8), 123.456, None),
            row("cublas", None, 0.06443, Some(1.1e-7)),
        ];
        insta::assert_snapshot!(columns(&rows), @"
        kernel  tile  size  median ms    IQR  GFLOP/s  x naive        rel. error
        naive     16  1024     0.4123  1.0 %     5208     1.00            2.1e-7
        tiled     16  1024     0.2711  1.0 %     7921     1.52            2.1e-7
        tiled     32  1024    12.5000  1.0 %      172        -      3.0e-1 WRONG
        tiled      8  1024   123.4560  1.0 %       17        -  not finite WRONG
        cublas     -  1024     0.0644  1.0 %    33330     6.40            1.1e-7
        ");
    }

    #[test]
    fn nothing_measured_is_a_header_alone() {
        assert_eq!(columns(&[]).lines().count(), 1);
    }
}
