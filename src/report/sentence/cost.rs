//! What an instruction's accesses cost, in a few words: for one warp, and how many did the same.

use crate::analysis::{banks, coalesce};
use crate::report::number::{Count, percent};
use crate::sim::{Access, Direction};
use ptx::Space;

/// The cost of the accesses of one instruction, one for each warp, in a longer and a shorter
/// wording.
pub(super) fn cost(accesses: &[&Access]) -> [String; 2] {
    if accesses.first().is_some_and(|access| access.space == Space::Shared) {
        passes(accesses)
    } else {
        sectors(accesses)
    }
}

fn passes(accesses: &[&Access]) -> [String; 2] {
    let costs: Vec<_> = accesses.iter().map(|access| banks::wavefronts(access)).collect();
    let passes = for_each(&costs.iter().map(|cost| cost.wavefronts), "pass");
    let ways = costs.iter().filter(|cost| cost.conflicts > 0).map(|cost| cost.ways).max();
    let bytes = accesses.iter().map(|access| u32::from(access.bytes)).max().unwrap_or(0);
    let several = costs.iter().any(|cost| cost.wavefronts > 1);
    let atomic = accesses.iter().all(|access| access.direction == Direction::Atomic);
    match ways {
        Some(ways) if atomic => [
            format!("{passes}, as up to {ways} lanes take turns in a bank"),
            format!("{passes}, {ways} lanes take turns"),
        ],
        None if several && bytes > 4 => [
            format!("{passes}, for {bytes} bytes a lane"),
            format!("{passes}, for {bytes} B a lane"),
        ],
        None => [format!("{passes}, no bank conflict"), format!("{passes}, no conflict")],
        Some(ways) => [
            format!("{passes}, {} {ways}-way bank conflict", article(ways)),
            format!("{passes}, {ways}-way conflict"),
        ],
    }
}

fn sectors(accesses: &[&Access]) -> [String; 2] {
    let costs: Vec<_> = accesses.iter().map(|access| coalesce::sectors(access)).collect();
    let sectors = for_each(&costs.iter().map(|cost| cost.sectors), "sector");
    let sum = |of: fn(&coalesce::Sectors) -> u32| costs.iter().map(of).sum::<u32>();
    let fetched = coalesce::SECTOR as u32 * sum(|cost| cost.sectors);
    let alike = costs.iter().all(|cost| *cost == costs[0]);
    if let Some(cost) = costs.first().filter(|cost| alike && cost.is_shared() && cost.wasted() > 0)
    {
        let used = format!("{sectors}, {} of {} B used", cost.distinct, cost.fetched());
        return [format!("{used}, by {} lanes", accesses[0].active.count()), used];
    }
    match percent(sum(|cost| cost.distinct), fetched) {
        100.0 => [format!("{sectors}, all bytes used"), format!("{sectors}, all used")],
        part => {
            [format!("{sectors}, {part} % of the bytes used"), format!("{sectors}, {part} % used")]
        }
    }
}

/// "2 passes", "2 passes each", or "9 passes in all" for warps that differ.
fn for_each(costs: &(impl Iterator<Item = u32> + Clone), noun: &str) -> String {
    let first = costs.clone().next().unwrap_or(0);
    let (warps, sum) = (costs.clone().count(), costs.clone().sum::<u32>());
    if costs.clone().any(|cost| cost != first) {
        return format!("{} in all", Count(sum.into(), noun));
    }
    let each = if warps > 1 { " each" } else { "" };
    format!("{}{each}", Count(first.into(), noun))
}

/// "a 2-way", "an 8-way".
const fn article(number: u32) -> &'static str {
    if matches!(number, 8 | 11 | 18 | 80..=89) { "an" } else { "a" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sim::{LaneMask, Route};

    fn access(space: Space, word: impl Fn(u64) -> u64) -> Access {
        let addrs = std::array::from_fn(|lane| 4 * word(lane as u64));
        let (direction, route) = (Direction::Load, Route::Lanes);
        Access { space, direction, bytes: 4, route, active: LaneMask::ALL, addrs }
    }

    #[test]
    fn warps_that_do_the_same_have_the_cost_of_one() {
        let row = access(Space::Shared, |lane| lane);
        let column = access(Space::Shared, |lane| 8 * lane);
        assert_eq!(cost(&[&row])[0], "1 pass, no bank conflict");
        assert_eq!(cost(&[&row, &row])[0], "1 pass each, no bank conflict");
        assert_eq!(cost(&[&column; 8])[0], "8 passes each, an 8-way bank conflict");
        assert_eq!(cost(&[&row, &column])[0], "9 passes in all, an 8-way bank conflict");
        let atomic = Access { direction: Direction::Atomic, ..access(Space::Shared, |_| 7) };
        assert_eq!(cost(&[&atomic])[0], "32 passes, as up to 32 lanes take turns in a bank");
    }

    #[test]
    fn sectors_say_how_much_of_them_is_used() {
        let row = access(Space::Global, |lane| lane);
        let column = access(Space::Global, |lane| 8 * lane);
        assert_eq!(cost(&[&row]), ["4 sectors, all bytes used", "4 sectors, all used"]);
        assert_eq!(cost(&[&column; 2])[0], "32 sectors each, 12.5 % of the bytes used");
        assert_eq!(cost(&[&row, &column])[1], "36 sectors in all, 22.2 % used");
        let one = access(Space::Global, |lane| lane / 16 * 1024);
        assert_eq!(cost(&[&one; 2])[0], "2 sectors each, 8 of 64 B used, by 32 lanes");
    }
}
