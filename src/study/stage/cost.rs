//! What the accesses at a place cost, by the judge of `analysis` alone.

use super::scene::CostLine;
use crate::analysis::{banks, coalesce};
use crate::sim::Access;
use ptx::Space;

/// The line under a place whose last access this was.
pub(super) fn line(access: &Access, now: bool) -> CostLine {
    if access.space == Space::Shared { passes(access, now) } else { sectors(access, now) }
}

fn sectors(access: &Access, now: bool) -> CostLine {
    let cost = coalesce::sectors(access);
    let (sectors, used) = (counted(cost.sectors, "sector"), cost.distinct);
    let share = 100 * used / cost.fetched().max(1);
    let words = if cost.is_scattered() {
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
    CostLine { words, alarm: cost.is_scattered(), now }
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
        vec![format!("{passes}, for {} bytes a lane", access.bytes), passes]
    } else {
        vec![format!("{passes}: no conflict"), passes]
    };
    CostLine { words, alarm: cost.conflicts > 0, now }
}

/// `1 sector`, `4 sectors`.
pub(super) fn counted(count: u32, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// The sectors of global memory that an access fetches.
pub(super) fn fetched(access: &Access) -> impl Iterator<Item = u64> {
    let bytes = u64::from(access.bytes.max(1));
    let mut all: Vec<u64> = access
        .touched()
        .flat_map(|(_, addr)| addr / coalesce::SECTOR..=(addr + bytes - 1) / coalesce::SECTOR)
        .collect();
    all.sort_unstable();
    all.dedup();
    all.into_iter()
}
