//! What the accesses at a place cost, by the judge of `analysis` alone.

use super::scene::{CostLine, CostVerdict};
use crate::analysis::coalesce::Sectors;
use crate::analysis::{banks, coalesce};
use crate::sim::{Access, Direction, Route};
use ptx::Space;
use std::collections::BTreeMap;

/// The line under a place whose last access this was.
pub(super) fn line(access: &Access, now: bool) -> CostLine {
    if access.space == Space::Shared { passes(access, now) } else { sectors(access, now) }
}

fn sectors(access: &Access, now: bool) -> CostLine {
    let cost = coalesce::sectors(access);
    let (sectors, used) = (counted(cost.sectors, "sector"), cost.distinct);
    let share = 100 * used / cost.fetched().max(1);
    let words = if access.direction == Direction::Store && !cost.is_scattered() {
        vec![format!("{sectors} written"), sectors]
    } else if cost.is_scattered() {
        let would = cost.ideal();
        vec![
            format!("{sectors}, {share} % used ({would} would do)"),
            format!("{sectors}, {would} would do"),
            sectors,
        ]
    } else if used == cost.fetched() {
        vec![format!("{sectors} fetched, every byte used"), format!("{sectors}, all used"), sectors]
    } else {
        let lanes = counted(access.active.count(), "lane");
        vec![
            format!("{sectors} fetched, {used} of {} bytes used, by {lanes}", cost.fetched()),
            format!("{sectors}, {share} % used, by {lanes}"),
            sectors,
        ]
    };
    let stores = access.direction == Direction::Store;
    let verdict = if stores && !cost.is_scattered() { CostVerdict::Full } else { verdict(&cost) };
    CostLine { words, verdict, now }
}

fn verdict(cost: &Sectors) -> CostVerdict {
    match (cost.is_scattered(), cost.wasted()) {
        (true, _) => CostVerdict::Wasteful,
        (false, 0) => CostVerdict::Full,
        (false, _) => CostVerdict::Partly,
    }
}

fn passes(access: &Access, now: bool) -> CostLine {
    let cost = banks::wavefronts(access);
    let passes = if cost.wavefronts == 1 {
        "1 pass".to_owned()
    } else {
        format!("{} passes", cost.wavefronts)
    };
    let words = if cost.conflicts > 0 {
        vec![format!("{passes}: a {}-way conflict", cost.ways), passes]
    } else if cost.groups > 1 {
        vec![format!("{passes}: {} words a lane", access.bytes / 4), passes]
    } else {
        vec![format!("{passes}: no conflict"), passes]
    };
    let verdict = if cost.conflicts > 0 { CostVerdict::Wasteful } else { CostVerdict::Full };
    CostLine { words, verdict, now }
}

/// `1 sector`, `4 sectors`.
pub(super) fn counted(count: u32, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// The line of all accesses that brought a tile, with the sectors that they fetched.
pub(super) fn of_tile<'a>(all: impl Iterator<Item = &'a Access>, fetched: u32) -> CostLine {
    let cost: Sectors = all.map(coalesce::sectors).sum();
    let (sectors, bytes) = (counted(fetched, "sector"), fetched * coalesce::SECTOR as u32);
    let share = 100 * cost.distinct / bytes.max(1);
    let used = if share == 100 { "all used".to_owned() } else { format!("{share} % used") };
    let words = vec![format!("{sectors} a tile, {used}"), sectors];
    CostLine { words, verdict: verdict(&cost), now: false }
}

/// The line of a copy that no thread carries, in parts: the loads and their stores.
pub(super) fn copy<'a>(
    parts: impl Iterator<Item = (&'a Access, &'a Access)>,
    now: bool,
) -> CostLine {
    let of_part =
        |(from, into)| (fetched_by_copy(from, into).len() as u32, coalesce::sectors(from).ideal());
    let (fetched, ideal) =
        parts.map(of_part).fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1));
    let sectors = counted(fetched, "sector");
    let words = if fetched > ideal {
        let held = counted(ideal, "sector");
        vec![format!("{sectors} a copy, its words fill {held}"), format!("{sectors} a copy")]
    } else {
        vec![format!("{sectors} a copy, every byte used"), format!("{sectors} a copy")]
    };
    CostLine { words, verdict: CostVerdict::Full, now }
}

/// The sectors of global memory that an access fetches.
pub(super) fn fetched(access: &Access) -> Vec<u64> {
    let bytes = u64::from(access.bytes.max(1));
    let mut all: Vec<u64> = access
        .touched()
        .flat_map(|(_, addr)| addr / coalesce::SECTOR..=(addr + bytes - 1) / coalesce::SECTOR)
        .collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// The same of a copy past the L1 cache, which fetches a sector for each pair of a sector that it writes
/// and a line that it reads.
pub(super) fn fetched_by_copy(from: &Access, into: &Access) -> Vec<u64> {
    if !matches!(into.route, Route::CopyGlobal | Route::CopyGlobalSized) {
        return fetched(from);
    }
    let mut pairs = BTreeMap::new();
    for (lane, to) in into.touched().filter(|(lane, _)| from.active.has(*lane)) {
        let addr = from.addrs[lane];
        pairs.entry((to / coalesce::SECTOR, addr / coalesce::LINE)).or_insert(addr);
    }
    pairs.into_values().map(|addr| addr / coalesce::SECTOR).collect()
}
