//! The ladder of kernels, each beside the rung before it and beside cuBLAS: as tables and as CSV.

use super::bench::{aligned, error, heading};
use super::ceilings;
use crate::gpu::pack::{Pack, Skipped};
use crate::gpu::protocol::{Beside, Measurement, Resources, Sensors, library};
use crate::kernel::{KERNELS, Kernel};
use crate::matrix::Size;
use crate::stats::Quartiles;
use std::collections::{BTreeMap, BTreeSet};
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

/// Where a row stands among the rows of its size.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Standing {
    /// Its speed as a part of cuBLAS's in the same precision.
    pub of_cublas: Option<f64>,
    /// How many times faster than what comes before it: a kernel than the last before it in the
    /// story that was measured in its precision, with the same tile or in its fastest; one of the
    /// CPU's loops than that before.
    pub times_before: Option<f64>,
}

/// Where row number `index` stands.
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

/// The kernels of the story before that of a row, in its precision, the last first.
fn earlier_rungs(row: &Measurement) -> impl Iterator<Item = &'static Kernel> {
    let known = row.tile.and_then(|_| KERNELS.iter().position(|known| known.name == row.kernel));
    let precision = row.precision();
    let earlier = KERNELS[..known.unwrap_or(0)].iter().rev();
    earlier.filter(move |kernel| kernel.precision == precision)
}

/// Where and when, the GPU's ceilings, then a table for each size; what was passed over at the end.
pub fn tables(pack: &Pack) -> String {
    let mut text = heading(pack) + "\n";
    if let Some(seen) = &pack.ceilings {
        let (line, ways) = (ceilings::line(seen), ceilings::ways(seen));
        let _ = writeln!(text, "measured: {line}\n          {ways}");
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

/// What the GPU was like after the last row of that size.
fn at_clock(pack: &Pack, size: Size) -> String {
    let rows = pack.rows.iter().filter(|row| row.size == size);
    let last = rows.filter_map(|row| row.beside.after.as_ref()).next_back();
    last.map(|after| format!(", ended at {}", ceilings::sensors(after))).unwrap_or_default()
}

fn cells(row: &Measurement, standing: Standing) -> [String; 10] {
    let Beside { cold_ms, resources, .. } = &row.beside;
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

/// The columns of [`csv`], the units in their names.
const COLUMNS: &[&str] = &[
    "device",
    "date",
    "kernel",
    "tile",
    "m",
    "n",
    "k",
    "median_ms",
    "q1_ms",
    "q3_ms",
    "samples",
    "gflops",
    "of_cublas",
    "times_before",
    "cold_ms",
    "cold_q1_ms",
    "cold_q3_ms",
    "submit_us",
    "to_gpu_ms",
    "from_gpu_ms",
    "threads",
    "registers",
    "static_shared",
    "dynamic_shared",
    "blocks_per_sm",
    "cores",
    "sm_mhz_before",
    "sm_mhz_after",
    "temperature_c_before",
    "temperature_c_after",
    "power_w_after",
    "relative_error",
    "right",
    "ptx_sha256",
];

/// One line a row, what is not known left empty; the hardware's counters behind the rest, where any
/// were read.
pub fn csv(pack: &Pack) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let counters = pack.rows.iter().filter_map(|row| row.beside.counters.as_ref());
    let counters: BTreeSet<_> = counters.flat_map(BTreeMap::keys).collect();
    let columns = COLUMNS.iter().map(|&name| name.to_owned());
    let columns = columns.chain(counters.iter().map(|&name| name.clone())).collect();
    let counted = |row: &Measurement| {
        let read = |name: &&String| Some(row.beside.counters.as_ref()?.get(*name)?.to_string());
        counters.iter().map(|name| read(name).unwrap_or_default()).collect::<Vec<_>>()
    };
    let line = |(index, row)| [record(pack, row, index), counted(row)].concat();
    let lines = pack.rows.iter().enumerate().map(line);
    for line in [columns].into_iter().chain(lines) {
        // Into memory: it cannot fail, and every line has as many fields as the first.
        let _ = writer.write_record(&line);
    }
    String::from_utf8(writer.into_inner().unwrap_or_default()).unwrap_or_default()
}

fn record(pack: &Pack, row: &Measurement, index: usize) -> Vec<String> {
    fn or_empty(value: Option<impl ToString>) -> String {
        value.map(|value| value.to_string()).unwrap_or_default()
    }
    let Standing { of_cublas, times_before } = standing(&pack.rows, index);
    let Beside { cold_ms, submit_us, copies, resources, before, after, cores, .. } = &row.beside;
    let middle = |time: Option<Quartiles>| or_empty(time.map(|time| time.median));
    let taken = |part: fn(&Resources) -> u32| or_empty(resources.as_ref().map(part));
    let sensed = |of: &Option<Sensors>, part: fn(&Sensors) -> Option<u32>| {
        or_empty(of.as_ref().and_then(part))
    };
    vec![
        row.device.clone(),
        pack.date.clone(),
        row.kernel.clone(),
        or_empty(row.tile),
        row.size.m.to_string(),
        row.size.n.to_string(),
        row.size.k.to_string(),
        row.ms.median.to_string(),
        row.ms.q1.to_string(),
        row.ms.q3.to_string(),
        row.ms.samples.to_string(),
        row.gflops.to_string(),
        or_empty(of_cublas),
        or_empty(times_before),
        middle(*cold_ms),
        or_empty(cold_ms.map(|ms| ms.q1)),
        or_empty(cold_ms.map(|ms| ms.q3)),
        middle(*submit_us),
        middle(copies.as_ref().map(|copies| copies.to_gpu_ms)),
        middle(copies.as_ref().map(|copies| copies.from_gpu_ms)),
        taken(|taken| taken.threads),
        taken(|taken| taken.registers),
        taken(|taken| taken.static_shared),
        taken(|taken| taken.dynamic_shared),
        taken(|taken| taken.blocks_per_sm),
        or_empty(*cores),
        sensed(before, |sensors| sensors.sm_mhz),
        sensed(after, |sensors| sensors.sm_mhz),
        sensed(before, |sensors| sensors.temperature_c),
        sensed(after, |sensors| sensors.temperature_c),
        or_empty(after.as_ref().and_then(|sensors| sensors.power_w)),
        or_empty(row.relative_error),
        row.is_right().to_string(),
        row.ptx_sha256.clone().unwrap_or_default(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::bench::tests::{pack, row};

    fn ladder() -> Pack {
        let cpu = Measurement {
            device: "a CPU".to_owned(),
            beside: Beside { cores: Some(16), ..Beside::default() },
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

    #[test]
    fn counters_have_columns_of_their_own_where_any_were_read() {
        let mut pack = ladder();
        let counters = [("dram__bytes.sum".to_owned(), 2_109_696.0)].into();
        pack.rows[1].beside.counters = Some(counters);
        let text = csv(&pack);
        let last = |line: &str| line.rsplit(',').next().map(str::to_owned).expect("a field");
        let last: Vec<_> = text.lines().map(last).collect();
        assert_eq!(last, ["dram__bytes.sum", "", "2109696", "", ""]);
        assert!(!csv(&ladder()).contains("dram"));
    }

    #[test]
    fn the_csv_has_a_field_for_every_column_and_nothing_for_what_is_not_known() {
        let text = csv(&ladder());
        let mut lines = csv::Reader::from_reader(text.as_bytes());
        let columns = lines.headers().expect("a header").clone();
        let field = |line: &csv::StringRecord, name: &str| {
            let place = columns.iter().position(|column| column == name).expect("a column");
            line[place].to_owned()
        };
        let lines: Vec<_> = lines.records().map(|line| line.expect("as many fields")).collect();
        let [cpu, naive, tiled, cublas] = &lines[..] else { panic!("{} lines", lines.len()) };
        assert_eq!(field(cpu, "cores"), "16");
        assert_eq!([field(naive, "cold_ms"), field(naive, "cores")], ["0.41", ""]);
        assert_eq!([field(tiled, "times_before"), field(tiled, "right")], ["2", "false"]);
        assert_eq!([field(cublas, "tile"), field(cublas, "of_cublas")], ["", "1"]);
    }
}
