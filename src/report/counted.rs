//! The hardware's counters for a measured launch next to the simulated ones, metric by metric.

use super::number::grouped;
use super::reconcile::{self, Predicted, Profile, Reconciled};
use crate::analysis::Counters;
use crate::kernel::Tile;
use crate::launch::{Launch, WARP_SIZE};
use crate::matrix::{Operand, Precision, Size};
use crate::study::counts::CountError;
use crate::timing::{Limits, Measurement};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Metrics that only the hardware can count: bytes and hits of the caches, active warps, SASS
/// instructions.
const ALONE: &[&str] = &[
    "smsp__inst_executed.sum",
    "dram__bytes.sum",
    "dram__bytes_read.sum",
    "dram__bytes_write.sum",
    "l1tex__t_sector_hit_rate.pct",
    "lts__t_sector_hit_rate.pct",
    "lts__t_bytes.sum",
    "sm__warps_active.avg.pct_of_peak_sustained_active",
];

/// The metrics to read from the hardware, by Nsight Compute's names: those that are simulated, and
/// those that cannot be.
pub fn metrics() -> Vec<String> {
    let alone = ALONE.iter().map(|&name| name.to_owned());
    reconcile::counters().into_iter().map(str::to_owned).chain(alone).collect()
}

/// The hardware's counters of one measured launch, next to the simulation.
#[derive(Debug, Serialize)]
pub struct CounterComparison {
    kernel: String,
    tile: Option<Tile>,
    size: Size,
    /// The simulated metrics, if the hardware's are known.
    compared: Option<Reconciled>,
    /// The simulated metrics, if the hardware's are not known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    simulated: Vec<Predicted>,
    /// The reason if the launch was not simulated.
    not_simulated: Option<String>,
    /// The metrics that are not simulated.
    hardware_alone: Vec<UnsimulatedMetric>,
}

/// A metric that is not simulated.
#[derive(Debug, Serialize)]
struct UnsimulatedMetric {
    metric: &'static str,
    hardware: f64,
    /// A figure to compare it with all the same.
    note: String,
}

impl CounterComparison {
    /// The counters of a row and a simulation of its launch, or the simulation alone if no counters
    /// were read. `None` if there are neither. For a launch that was not simulated, it contains the
    /// reason.
    pub fn of(
        row: &Measurement,
        limits: Option<&Limits>,
        simulated: Option<Result<(Launch, Counters), CountError>>,
    ) -> Option<Self> {
        let counters = row.beside.counters.as_ref();
        if counters.is_none() && simulated.is_none() {
            return None;
        }
        let own = || Err("its kernels are its own".to_owned());
        let simulated = simulated.map_or_else(own, |it| it.map_err(|why| why.to_string()));
        let (mut compared, mut predicted) = (None, Vec::new());
        match (&simulated, counters) {
            (Ok((launch, all)), Some(counters)) => {
                let profile = profile(title(row), *launch, counters);
                compared = Reconciled::new(&profile, all).map(Reconciled::without_nothing);
            }
            (Ok((_, all)), None) => predicted = reconcile::predicted(all),
            (Err(_), _) => {}
        }
        let ptx = simulated.as_ref().ok().map(|(_, all)| all.ptx.warp_instructions);
        let alone = |metric: &&'static str| {
            let hardware = *counters?.get(*metric)?;
            Some(UnsimulatedMetric { metric, hardware, note: note(metric, row, limits, ptx) })
        };
        Some(Self {
            kernel: row.kernel.clone(),
            tile: row.tile,
            size: row.size,
            compared,
            simulated: predicted,
            not_simulated: simulated.err(),
            hardware_alone: ALONE.iter().filter_map(alone).collect(),
        })
    }

    /// Whether every difference from the simulation has a reason, if there is a simulation.
    pub fn is_explained(&self) -> bool {
        self.not_simulated.is_none() && self.compared.as_ref().is_none_or(Reconciled::is_explained)
    }

    /// The text table.
    pub fn text(&self) -> String {
        let title = || titled(&self.kernel, self.tile, self.size);
        let mut text = match (&self.compared, &self.not_simulated) {
            (Some(compared), _) => compared.text(),
            (None, None) => format!("{}, simulated\n{}", title(), self.simulated()),
            (None, Some(why)) => format!("{}: not simulated: {why}\n", title()),
        };
        for UnsimulatedMetric { metric, hardware, note } in &self.hardware_alone {
            let value = if metric.contains("pct") {
                format!("{hardware:.1} %")
            } else {
                grouped(*hardware as u64)
            };
            let _ = writeln!(text, "  {value:>15}  {metric:<50}  {note}");
        }
        text
    }

    /// The simulated counts alone.
    fn simulated(&self) -> String {
        let mut text = format!("  {:>15} {:>15}  metric\n", "SASS", "PTX");
        for Predicted { metric, sass, ptx } in &self.simulated {
            let [executed, written] = [sass, ptx].map(|count| grouped(*count));
            let _ = writeln!(text, "  {executed:>15} {written:>15}  {metric}");
        }
        text
    }
}

/// The simulated ones among the counters, as a profile of Nsight Compute.
fn profile(kernel: String, launch: Launch, counters: &BTreeMap<String, f64>) -> Profile {
    let Launch { grid, block } = launch;
    let held = reconcile::counters();
    let simulated = counters.iter().filter(|(name, _)| held.contains(name.as_str()));
    let metrics = simulated.map(|(name, value)| (name.clone(), *value as u64)).collect();
    Profile { kernel, block, grid, metrics, fractions: BTreeSet::new() }
}

/// The heading above a row's counters.
fn title(row: &Measurement) -> String {
    titled(&row.kernel, row.tile, row.size)
}

fn titled(kernel: &str, tile: Option<Tile>, size: Size) -> String {
    let tile = tile.map_or(String::new(), |tile| format!(" {tile}"));
    format!("{kernel}{tile} at {size}")
}

/// A figure to compare a metric with that is not simulated.
fn note(
    metric: &str,
    row: &Measurement,
    limits: Option<&Limits>,
    instructions: Option<u64>,
) -> String {
    let bytes = |operands: &[Operand]| grouped(operands.iter().map(|of| bytes(row, *of)).sum());
    match metric {
        "smsp__inst_executed.sum" => {
            let ptx = instructions.map_or(String::new(), |count| {
                format!("{} of PTX are simulated; ", grouped(count))
            });
            format!("{ptx}machine instructions cannot be predicted from PTX")
        }
        "dram__bytes.sum" => "read and written".to_owned(),
        "dram__bytes_read.sum" => format!("A and B have {}", bytes(&[Operand::A, Operand::B])),
        "dram__bytes_write.sum" => {
            format!("C has {}; some of it may still be in the L2 cache", bytes(&[Operand::C]))
        }
        "sm__warps_active.avg.pct_of_peak_sustained_active" => most_warps(row, limits)
            .map_or("achieved occupancy".to_owned(), |most| {
                format!("achieved occupancy; a block's demands allow {:.1} %", most * 100.0)
            }),
        _ => "caches are not simulated".to_owned(),
    }
}

/// Bytes of an operand of the row's kernel.
fn bytes(row: &Measurement, operand: Operand) -> u64 {
    let precision = if operand == Operand::C { Precision::Single } else { row.precision() };
    row.size.elements(operand) * u64::from(precision.bytes())
}

/// The maximum occupancy: the fraction of a multiprocessor's warps that the resident blocks have.
fn most_warps(row: &Measurement, limits: Option<&Limits>) -> Option<f64> {
    let taken = row.beside.resources.as_ref()?;
    let warps = taken.blocks_per_sm * taken.threads.div_ceil(WARP_SIZE);
    Some(f64::from(warps) / f64::from(limits?.threads_per_sm / WARP_SIZE))
}
