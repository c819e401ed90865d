//! Measured rows as CSV.

use super::ladder::{Standing, standing};
use crate::report::csv;
use crate::timing::pack::Pack;
use crate::timing::{HostCopies, Measurement, Sensors, Telemetry};
use std::collections::{BTreeMap, BTreeSet};

/// A row and its context.
struct BenchRow<'a> {
    pack: &'a Pack,
    row: &'a Measurement,
    beside: &'a Telemetry,
    standing: Standing,
}

/// Returns a column's value for a line.
type Cell = fn(&BenchRow<'_>) -> String;

/// The columns, with units in their names.
const COLUMNS: &[(&str, Cell)] = &[
    ("device", |l| l.row.device.clone()),
    ("date", |l| l.pack.date.clone()),
    ("kernel", |l| l.row.kernel.clone()),
    ("tile", |l| known(l.row.tile)),
    ("m", |l| l.row.size.m.to_string()),
    ("n", |l| l.row.size.n.to_string()),
    ("k", |l| l.row.size.k.to_string()),
    ("median_ms", |l| l.row.ms.median.to_string()),
    ("q1_ms", |l| l.row.ms.q1.to_string()),
    ("q3_ms", |l| l.row.ms.q3.to_string()),
    ("samples", |l| l.row.ms.samples.to_string()),
    ("gflops", |l| l.row.gflops.to_string()),
    ("of_cublas", |l| known(l.standing.of_cublas)),
    ("times_before", |l| known(l.standing.times_before)),
    ("cold_ms", |l| known(l.beside.cold_ms.map(|ms| ms.median))),
    ("cold_q1_ms", |l| known(l.beside.cold_ms.map(|ms| ms.q1))),
    ("cold_q3_ms", |l| known(l.beside.cold_ms.map(|ms| ms.q3))),
    ("submit_us", |l| known(l.beside.submit_us.map(|us| us.median))),
    ("to_gpu_ms", |l| known(l.copies().map(|copies| copies.to_gpu_ms.median))),
    ("from_gpu_ms", |l| known(l.copies().map(|copies| copies.from_gpu_ms.median))),
    ("threads", |l| known(l.beside.resources.map(|taken| taken.threads))),
    ("registers", |l| known(l.beside.resources.map(|taken| taken.registers))),
    ("static_shared", |l| known(l.beside.resources.map(|taken| taken.static_shared))),
    ("dynamic_shared", |l| known(l.beside.resources.map(|taken| taken.dynamic_shared))),
    ("blocks_per_sm", |l| known(l.beside.resources.map(|taken| taken.blocks_per_sm))),
    ("cores", |l| known(l.beside.cores)),
    ("sm_mhz_before", |l| known(l.before().and_then(|gpu| gpu.sm_mhz))),
    ("sm_mhz_after", |l| known(l.after().and_then(|gpu| gpu.sm_mhz))),
    ("temperature_c_before", |l| known(l.before().and_then(|gpu| gpu.temperature_c))),
    ("temperature_c_after", |l| known(l.after().and_then(|gpu| gpu.temperature_c))),
    ("power_w_after", |l| known(l.after().and_then(|gpu| gpu.power_w))),
    ("relative_error", |l| known(l.row.relative_error)),
    ("right", |l| l.row.is_right().to_string()),
    ("ptx_sha256", |l| known(l.row.ptx_sha256.as_ref())),
];

/// One line per row; unknown values are empty. If counters of the hardware were read, they follow
/// the other columns.
pub fn csv(pack: &Pack) -> String {
    let counters = pack.rows.iter().filter_map(|row| row.beside.counters.as_ref());
    let counters: BTreeSet<_> = counters.flat_map(BTreeMap::keys).collect();
    let names = COLUMNS.iter().map(|(name, _)| (*name).to_owned());
    let head = names.chain(counters.iter().map(|&name| name.clone())).collect();
    let line = |(index, row): (usize, &Measurement)| {
        let standing = standing(&pack.rows, index);
        let line = BenchRow { pack, row, beside: &row.beside, standing };
        let cells = COLUMNS.iter().map(|(_, cell)| cell(&line));
        cells.chain(counters.iter().map(|name| line.counter(name))).collect()
    };
    csv::text(head, pack.rows.iter().enumerate().map(line))
}

fn known(value: Option<impl ToString>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

impl BenchRow<'_> {
    fn copies(&self) -> Option<&HostCopies> {
        self.beside.copies.as_ref()
    }

    fn before(&self) -> Option<&Sensors> {
        self.beside.before.as_ref()
    }

    fn after(&self) -> Option<&Sensors> {
        self.beside.after.as_ref()
    }

    fn counter(&self, name: &str) -> String {
        known(self.beside.counters.as_ref().and_then(|counters| counters.get(name)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::ladder::tests::ladder;
    use super::*;

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
        let mut lines = ::csv::Reader::from_reader(text.as_bytes());
        let columns = lines.headers().expect("a header").clone();
        let field = |line: &::csv::StringRecord, name: &str| {
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
