//! Occupancy: a kernel block's share of a multiprocessor's resources, and the limit on further
//! blocks.

use super::shown::ChartData;
use super::table::{ChartTable, of_rungs, row};
use crate::analysis::occupancy::{Demand, Limit, Multiprocessor};
use crate::launch::Dim3;
use crate::report::ladder::{self, Rung};
use crate::report::number::Count;
use crate::timing::Resources;
use crate::timing::pack::Pack;
use serde_json::json;

/// The resources of a multiprocessor of the GPU, if its compute capability is known here.
pub fn multiprocessor(pack: &Pack) -> Option<Multiprocessor> {
    let (major, minor) = pack.compute_capability.split_once('.')?;
    Multiprocessor::of((major.parse().ok()?, minor.parse().ok()?))
}

/// The resources of a block of a rung, if the driver reported them.
pub fn demand(rung: &Rung<'_>) -> Option<Demand> {
    let Resources { threads, registers, static_shared, dynamic_shared, .. } =
        rung.row.beside.resources?;
    let block = Dim3::flat(threads, 1);
    Some(Demand { block, registers, shared: static_shared + dynamic_shared })
}

/// The name of a limit.
pub const fn word(limit: Limit) -> &'static str {
    match limit {
        Limit::Threads => "threads",
        Limit::Blocks => "blocks",
        Limit::Registers => "registers",
        Limit::Shared => "shared memory",
    }
}

/// The number of warps, and the limit on more.
pub fn sentence(shown: &ChartData<'_>) -> Vec<String> {
    let known = shown.current().and_then(|rung| {
        Some((ladder::short_name(rung.row), multiprocessor(shown.pack)?, demand(rung)?))
    });
    let Some((name, has, demand)) = known else {
        return vec!["nothing is known of this kernel's registers and shared memory".to_owned()];
    };
    let held = has.holds(&demand);
    if held.blocks == 0 {
        return vec![format!("{name}: a block of it does not fit on a multiprocessor")];
    }
    let limits: Vec<_> = held.limits().map(word).collect();
    let (limits, blocks) = (limits.join(" and "), Count(held.blocks.into(), "block"));
    let share = (1000.0 * held.share()).round() / 10.0;
    let warps = format!("{} of {} warps ({share} %)", held.warps, held.most_warps);
    vec![
        format!("{name}: {blocks} on each multiprocessor, {warps}; limited by {limits}."),
        format!("{name}: {blocks} on each SM, {warps}; limited by {limits}."),
        format!("{name}: {warps} on each SM; limited by {limits}."),
        format!("{name}: {warps} on each SM."),
    ]
}

/// The figures as a table.
pub fn table(shown: &ChartData<'_>) -> ChartTable {
    const COLUMNS: [&str; 8] = [
        "threads_per_block",
        "registers_per_thread",
        "shared_bytes_per_block",
        "blocks_per_sm",
        "blocks_per_sm_by_driver",
        "warps_per_sm",
        "most_warps_per_sm",
        "limits",
    ];
    let told = |rung: &Rung<'_>| {
        let (has, demand) = (multiprocessor(shown.pack)?, demand(rung)?);
        let held = has.holds(&demand);
        let limits: Vec<_> = held.limits().map(word).collect();
        let more = [
            json!(demand.block.volume()),
            json!(demand.registers),
            json!(demand.shared),
            json!(held.blocks),
            json!(rung.row.beside.resources.map(|taken| taken.blocks_per_sm)),
            json!(held.warps),
            json!(held.most_warps),
            json!(limits.join(" + ")),
        ];
        Some(row(rung).into_iter().chain(more).collect())
    };
    of_rungs(&COLUMNS, shown.rungs.iter().filter_map(told))
}
