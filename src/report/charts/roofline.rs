//! The roofline: each kernel's arithmetic intensity and speed, under the measured roofs.

use super::counter::{DRAM, PASSES, WAVEFRONT, counter, is_tensor, moves_unseen};
use super::counts::ChartCounts;
use super::shown::{ChartData, FigureSource};
use super::table::{ChartTable, of_rungs, row};
use super::traffic::Traffic;
use super::units::{self, GpuUnit, UnitLimit};
use crate::analysis::roofline::{Bound, Point, Roofs};
use crate::matrix::{Operand, Precision, Size};
use crate::report::ladder::{self, Rung};
use crate::timing::pack::Pack;
use crate::timing::{Ceilings, Measurement};
use serde_json::json;

/// A kernel's point in the roofline.
#[derive(Clone, Debug, PartialEq)]
pub struct RooflinePoint {
    /// The number of its rung.
    pub rung: usize,
    pub name: String,
    /// Its coordinates.
    pub point: Point,
    /// The bytes that it transfers.
    pub bytes: f64,
    /// The source of that number.
    pub source: FigureSource,
    /// The roofs for it: those of tensor cores are higher.
    pub roofs: Roofs,
}

impl Traffic {
    /// The bytes transferred for a row, and their source.
    pub fn bytes(
        self,
        row: &Measurement,
        precision: Precision,
        counts: &ChartCounts,
    ) -> Option<(f64, FigureSource)> {
        match self {
            Self::Dram => {
                let measured = counter(row, &DRAM).map(|bytes| (bytes, FigureSource::Measured));
                measured.or_else(|| Some((least(row.size, precision), FigureSource::Model)))
            }
            Self::Shared => {
                let measured = counter(row, &PASSES).map(|passes| (passes, FigureSource::Measured));
                let simulated = || {
                    counts
                        .of(row)
                        .map(|c| (c.sass().shared.all().wavefronts as f64, FigureSource::Simulated))
                };
                let (passes, source) = measured.or_else(simulated)?;
                Some((passes * WAVEFRONT, source))
            }
        }
    }
}

/// The minimum that any kernel must transfer: A and B once, C once.
fn least(size: Size, precision: Precision) -> f64 {
    let bytes = |which| match which {
        Operand::A | Operand::B => u64::from(precision.bytes()),
        Operand::C => 4,
    };
    Operand::ALL.into_iter().map(|which| size.elements(which) * bytes(which)).sum::<u64>() as f64
}

/// The roofs for float32, or for the tensor cores.
pub fn roofs(pack: &Pack, traffic: Traffic, tensor: bool) -> Option<Roofs> {
    let Ceilings { copy_gb_s, shared_gb_s, float32_gflops, half_mma_gflops, .. } =
        pack.ceilings.as_ref()?;
    let gigabytes = match traffic {
        Traffic::Dram => copy_gb_s.median,
        Traffic::Shared => shared_gb_s.median,
    };
    let flat = if tensor { half_mma_gflops.as_ref() } else { Some(float32_gflops) };
    Some(Roofs { gflops: flat?.median, gigabytes })
}

/// The points of all rungs whose bytes are known.
pub fn spots(shown: &ChartData<'_>) -> Vec<RooflinePoint> {
    let spot = |(rung, told): (usize, &Rung<'_>)| {
        if shown.traffic == Traffic::Shared && moves_unseen(told) {
            return None;
        }
        let (bytes, source) = shown.bytes(told)?;
        let point = Point::of(told.row.size.flops(), bytes, told.row.ms.median)?;
        let roofs = roofs(shown.pack, shown.traffic, is_tensor(told))?;
        let name = ladder::short_name(told.row);
        Some(RooflinePoint { rung, name, point, bytes, source, roofs })
    };
    shown.rungs.iter().enumerate().filter_map(spot).collect()
}

/// The source of these points' bytes, as text; empty without points.
pub fn origin(traffic: Traffic, spots: &[RooflinePoint]) -> String {
    let has = |source| spots.iter().any(|spot| spot.source == source);
    let of = traffic.word();
    match (has(FigureSource::Measured), has(FigureSource::Simulated), has(FigureSource::Model)) {
        (true, _, true) => format!("bytes of {of}: measured; MODEL, where that is not known"),
        (false, _, true) => "bytes: MODEL, each matrix moved once".to_owned(),
        (true, true, false) => format!("bytes of {of}: measured, simulated"),
        (true, false, false) => format!("bytes of {of}, measured"),
        (false, true, false) => format!("bytes of {of}, simulated"),
        (false, false, false) => String::new(),
    }
}

/// The traffic with the memory that limits the chosen kernel; DRAM, if none of these does.
pub fn limiting(shown: &ChartData<'_>) -> Traffic {
    match limit(shown).map(|limit| limit.load.unit) {
        Some(GpuUnit::Shared) => Traffic::Shared,
        _ => Traffic::Dram,
    }
}

fn limit(shown: &ChartData<'_>) -> Option<UnitLimit> {
    units::limit(shown.pack, shown.current()?, shown.counts)
}

/// Whether the chosen kernel's block has no shared memory, by the loaded module.
fn uses_none(shown: &ChartData<'_>) -> bool {
    let taken = shown.current().and_then(|rung| rung.row.beside.resources);
    taken.is_some_and(|taken| taken.static_shared + taken.dynamic_shared == 0)
}

/// The distance of the chosen kernel from its roof, and which roof that is.
pub fn sentence(shown: &ChartData<'_>) -> Vec<String> {
    let spots = spots(shown);
    let name = shown.current().map(|rung| ladder::short_name(rung.row)).unwrap_or_default();
    let Some(spot) = spots.iter().find(|spot| spot.rung == shown.rung) else {
        let why = match (shown.pack.ceilings.is_some(), shown.traffic) {
            (false, _) => "the GPU's ceilings are not in this pack",
            (true, Traffic::Shared) if uses_none(shown) => "it uses no shared memory",
            (true, Traffic::Shared) => "its traffic with shared memory is not known",
            (true, Traffic::Dram) => "its traffic is not known",
        };
        return vec![format!("{name}: {why}.")];
    };
    let reached = 100.0 * spot.point.reached(&spot.roofs);
    let roof = match (spot.roofs.bound(spot.point.intensity), shown.traffic) {
        (Bound::Compute, _) => "what the arithmetic allows",
        (Bound::Memory, Traffic::Dram) => "what DRAM allows",
        (Bound::Memory, Traffic::Shared) => "what shared memory allows",
    };
    let shows = match shown.traffic {
        Traffic::Dram => GpuUnit::Dram,
        Traffic::Shared => GpuUnit::Shared,
    };
    let other = limit(shown).filter(|limit| limit.is_close() && limit.load.unit != shows);
    let other = other.map(|limit| format!("; its limit is {}", limit.load.unit.word()));
    let other = other.unwrap_or_default();
    let model = if spot.source == FigureSource::Model { " at best" } else { "" };
    vec![
        format!(
            "{name}: {} FLOP for each byte of {}{model}; it reaches {reached:.0} % of {roof}{other}.",
            digits(spot.point.intensity),
            shown.traffic.word()
        ),
        format!("{name}: it reaches {reached:.0} % of {roof}{other}."),
        format!("{name}: it reaches {reached:.0} % of {roof}."),
    ]
}

/// A figure with a sensible number of digits for its magnitude.
pub fn digits(value: f64) -> String {
    match value {
        10.0.. => format!("{value:.0}"),
        1.0.. => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}

/// The points as a table.
pub fn table(shown: &ChartData<'_>) -> ChartTable {
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
    let told = |spot: RooflinePoint| {
        let RooflinePoint { rung, point, bytes, source, roofs, .. } = spot;
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
    of_rungs(&COLUMNS, spots(shown).into_iter().map(told))
}
