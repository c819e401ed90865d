//! The ladder of kernels as tables: each relative to the rung before it and to cuBLAS.

use super::{aligned, error, heading};
use crate::kernel::{KERNELS, Kernel};
use crate::matrix::Size;
use crate::report::ceilings;
use crate::timing::pack::{Pack, Skipped};
use crate::timing::{Measurement, Telemetry, library};
use std::fmt::Write;

const HEADER: [&str; 10] = [
    "kernel",
    "tile",
    "median ms",
    "IQR",
    "GFLOP/s",
    "% cuBLAS",
    "x before",
    "cold ms",
    "regs",
    "rel. error",
];

/// A row's speed relative to the rows of its size. It is defined for any row, with any tile, and
/// for the CPU's loops, whereas [`crate::report::ladder`] has one rung per kernel, with gains from
/// one rung to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Standing {
    /// Its speed as a fraction of cuBLAS's in the same precision.
    pub of_cublas: Option<f64>,
    /// Its speed as a multiple of its predecessor's. For a kernel that is the last kernel before it
    /// in the catalogue that was measured in its precision, with the same tile or else with its
    /// fastest; for a CPU loop, the loop before.
    pub times_before: Option<f64>,
}

/// The relative speed of row number `index`.
pub fn standing(rows: &[Measurement], index: usize) -> Standing {
    let row = &rows[index];
    let of_size = rows.iter().filter(|other| other.size == row.size);
    let cublas = of_size.clone().find(|other| other.kernel == library(row.precision()));
    let before = if row.is_cpu() {
        rows[..index].iter().rev().find(|other| other.is_cpu() && other.size == row.size)
    } else {
        earlier_rungs(row).find_map(|kernel| {
            let rows = of_size.clone().filter(|other| other.kernel == kernel.name);
            let faster = |a: &&Measurement, b: &&Measurement| a.ms.median.total_cmp(&b.ms.median);
            rows.clone().find(|other| other.tile == row.tile).or_else(|| rows.min_by(faster))
        })
    };
    Standing {
        of_cublas: cublas.map(|cublas| cublas.ms.median / row.ms.median),
        times_before: before.map(|before| before.ms.median / row.ms.median),
    }
}

/// The kernels before that of a row in the catalogue, in its precision, the last first.
fn earlier_rungs(row: &Measurement) -> impl Iterator<Item = &'static Kernel> {
    let known = row.tile.and_then(|_| KERNELS.iter().position(|known| known.name == row.kernel));
    let precision = row.precision();
    let earlier = KERNELS[..known.unwrap_or(0)].iter().rev();
    earlier.filter(move |kernel| kernel.precision == precision)
}

/// The GPU and the date, its ceilings, then a table for each size, then the skipped rows.
pub fn tables(pack: &Pack) -> String {
    let mut text = heading(pack) + "\n";
    if let Some(seen) = &pack.ceilings {
        let levels = seen.hierarchy.as_ref().map(ceilings::hierarchy);
        let lines = [Some(ceilings::line(seen)), levels, Some(ceilings::ways(seen))];
        let lines: Vec<_> = lines.into_iter().flatten().collect();
        let _ = writeln!(text, "measured: {}", lines.join("\n          "));
    }
    if let Some(cpu) = pack.rows.iter().find(|row| row.is_cpu()) {
        let most = pack.rows.iter().filter_map(|row| row.beside.cores).max().unwrap_or(1);
        let _ = writeln!(text, "CPU: {}, {most} threads for gemm", cpu.device);
    }
    let mut sizes: Vec<_> = pack.rows.iter().map(|row| row.size).collect();
    sizes.dedup();
    for size in sizes {
        let of_size = pack.rows.iter().enumerate().filter(|(_, row)| row.size == size);
        let lines = of_size.map(|(index, row)| cells(row, standing(&pack.rows, index)));
        let lines: Vec<_> = [HEADER.map(str::to_owned)].into_iter().chain(lines).collect();
        let _ = writeln!(text, "\n{size}{}\n{}", at_clock(pack, size), aligned(&lines).trim_end());
    }
    for Skipped { kernel, size, reason } in &pack.skipped {
        let _ = writeln!(text, "not measured: {kernel} at {size}: {reason}");
    }
    text
}

/// The GPU's state after the last row of that size.
fn at_clock(pack: &Pack, size: Size) -> String {
    let rows = pack.rows.iter().filter(|row| row.size == size);
    let last = rows.filter_map(|row| row.beside.after.as_ref()).next_back();
    last.map(|after| format!(", ended at {}", ceilings::sensors(after))).unwrap_or_default()
}

fn cells(row: &Measurement, standing: Standing) -> [String; 10] {
    let Telemetry { cold_ms, resources, .. } = &row.beside;
    let or_dash = |text: Option<String>| text.unwrap_or("-".to_owned());
    [
        row.kernel.clone(),
        or_dash(row.tile.map(|tile| tile.to_string())),
        format!("{:.4}", row.ms.median),
        format!("{:.1} %", row.ms.relative_iqr() * 100.0),
        format!("{:.0}", row.gflops),
        or_dash(standing.of_cublas.map(|part| format!("{:.1}", part * 100.0))),
        or_dash(standing.times_before.map(|times| format!("{times:.2}"))),
        or_dash(cold_ms.map(|ms| format!("{:.4}", ms.median))),
        or_dash(resources.map(|taken| taken.registers.to_string())),
        error(row),
    ]
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::report::bench::tests::{pack, row};
    use crate::stats::Quartiles;

    pub(in crate::report::bench) fn ladder() -> Pack {
        let cpu = Measurement {
            device: "a CPU".to_owned(),
            beside: Telemetry { cores: Some(16), ..Telemetry::default() },
            ..row("cpu gemm", None, 4.0, Some(1e-7))
        };
        let mut naive = row("naive", Some(16), 0.4, Some(2.1e-7));
        let cold = Quartiles { median: 0.41, q1: 0.4, q3: 0.42, samples: 10 };
        naive.beside.cold_ms = Some(cold);
        let tiled = row("tiled", Some(16), 0.2, Some(0.3));
        pack(vec![cpu, naive, tiled, row("cublas", None, 0.05, Some(1.1e-7))])
    }

    #[test]
    fn each_rung_stands_beside_the_one_before_it_and_beside_cublas() {
        let rows = ladder().rows;
        let of = |index| standing(&rows, index);
        assert_eq!(of(0), Standing { of_cublas: Some(0.0125), times_before: None });
        assert_eq!(of(1), Standing { of_cublas: Some(0.125), times_before: None });
        assert_eq!(of(2), Standing { of_cublas: Some(0.25), times_before: Some(2.0) });
        assert_eq!(of(3), Standing { of_cublas: Some(1.0), times_before: None });
        let alone = [row("naive", Some(16), 0.4, None)];
        assert_eq!(standing(&alone, 0), Standing::default());
    }

    #[test]
    fn tiles_stand_beside_their_like_and_halves_beside_halves() {
        let rows = [
            row("naive", Some(8), 0.8, None),
            row("tiled", Some(8), 0.4, None),
            row("naive", Some(16), 0.6, None),
            row("tiled", Some(16), 0.2, None),
            row("blocked_1d", Some(64), 0.1, None),
            row("half_plain", Some(64), 0.2, None),
            row("half_tensor", Some(64), 0.1, None),
            row("cublas", None, 0.1, None),
            row("cublas half", None, 0.05, None),
        ];
        let told = |index| (standing(&rows, index).times_before, standing(&rows, index).of_cublas);
        let before: Vec<_> = (0..9).map(|index| told(index).0).collect();
        let step = [None, Some(2.0), None, Some(3.0), Some(2.0), None, Some(2.0), None, None];
        assert_eq!(before.iter().map(|b| b.map(f64::round)).collect::<Vec<_>>(), step);
        assert_eq!([told(4).1, told(6).1, told(8).1], [Some(1.0), Some(0.5), Some(1.0)]);
    }

    #[test]
    fn the_tables_say_where_when_how_fast_and_what_is_wrong() {
        let skipped = Skipped {
            kernel: "cpu plain".to_owned(),
            size: Size::square(1024),
            reason: "it would take too long".to_owned(),
        };
        insta::assert_snapshot!(tables(&Pack { skipped: vec![skipped], ..ladder() }), @"
        a GPU, driver 580.1 (CUDA 13.0), 2026-11-21
        CPU: a CPU, 16 threads for gemm

        1024
        kernel    tile  median ms    IQR  GFLOP/s  % cuBLAS  x before  cold ms  regs    rel. error
        cpu gemm     -     4.0000  1.0 %      537       1.2         -        -     -        1.0e-7
        naive       16     0.4000  1.0 %     5369      12.5         -   0.4100     -        2.1e-7
        tiled       16     0.2000  1.0 %    10737      25.0      2.00        -     -  3.0e-1 WRONG
        cublas       -     0.0500  1.0 %    42950     100.0         -        -     -        1.1e-7
        not measured: cpu plain at 1024: it would take too long
        ");
    }
}
