//! What bricks cost, in words, the longest wording first.

use super::{BankTowers, CostMark, sector_mark};
use crate::analysis::coalesce;
use crate::report::number::{Count, percent};
use crate::sim::{Access, Direction, LaneMask, Route};

/// `lane 4`, `lanes 4 and 20`, `lanes 0-15`, `lanes 0-3, 8-11`.
pub fn lane_list(lanes: LaneMask) -> String {
    let all: Vec<_> = lanes.lanes().collect();
    let runs: Vec<_> = all
        .chunk_by(|one, next| one + 1 == *next)
        .map(|run| match run {
            [first, _, .., last] => format!("{first}-{last}"),
            run => run.iter().map(usize::to_string).collect::<Vec<_>>().join(", "),
        })
        .collect();
    let what = if all.len() == 1 { "lane" } else { "lanes" };
    match &all[..] {
        [one, other] => format!("{what} {one} and {other}"),
        _ => format!("{what} {}", runs.join(", ")),
    }
}

/// Which part of a warp a pass serves, if not all of it: `16 bytes a lane: a quarter of the warp a pass`.
pub fn share_of_warp(towers: &BankTowers, bytes: u8) -> Option<String> {
    let most = towers.passes.iter().map(|pass| pass.group.count()).max().unwrap_or(0);
    let several = towers.passes.windows(2).any(|pair| pair[0].group != pair[1].group);
    let part = match most {
        9..=16 => "half of the warp".to_owned(),
        5..=8 => "a quarter of the warp".to_owned(),
        _ => Count(most.into(), "lane").to_string(),
    };
    several.then(|| format!("{bytes} bytes a lane: {part} a pass"))
}

/// Describes the pass that is served now, counted from 0.
pub fn pass_words(towers: &BankTowers, at: usize) -> Vec<String> {
    let served = towers.passes.get(at).map_or(LaneMask::NONE, super::BankPass::lanes);
    let later = towers.passes.iter().skip(at + 1);
    let rest = later.fold(LaneMask::NONE, |sum, pass| sum.or(pass.lanes())).count();
    let head = format!("pass {} of {}", at + 1, towers.passes.len());
    let wait = if rest == 1 { "waits" } else { "wait" };
    vec![
        format!(
            "{head}: serves {}; {} still {wait}",
            lane_list(served),
            Count(rest.into(), "lane")
        ),
        format!("{head}: {} served; {rest} {wait}", served.count()),
        head,
    ]
}

/// What accesses, executed one after the other, cost at the banks: `1 pass: 2 words for 32 lanes`,
/// `16-way bank conflict: 16 passes instead of 1`.
pub fn bank_words(towers: &BankTowers, accesses: &[Access]) -> Vec<String> {
    let cost = &towers.cost;
    let passes = Count(cost.wavefronts.into(), "pass").to_string();
    let atomic = accesses.iter().any(|access| access.direction == Direction::Atomic);
    let (ways, least) = (cost.ways, cost.least());
    if cost.conflicts > 0 && atomic {
        return vec![
            format!("up to {ways} lanes take turns in a bank: {passes} instead of {least}"),
            format!("{ways} lanes take turns: {passes}"),
            passes,
        ];
    }
    if cost.conflicts > 0 {
        return vec![
            format!("{ways}-way bank conflict: {passes} instead of {least}"),
            format!("{ways}-way conflict: {passes}"),
            passes,
        ];
    }
    let by_descriptor = accesses.iter().any(|access| access.route == Route::Wgmma);
    let bytes = accesses.first().map_or(0, |access| access.bytes);
    let [long, short] = match shared_words(towers, accesses) {
        Some((words, lanes)) => {
            let text = format!("{} for {}", Count(words, "word"), Count(lanes.into(), "lane"));
            [format!("{text}, no bank conflict"), text]
        }
        None if cost.wavefronts > 1 && bytes > 4 && !by_descriptor => [
            format!("the least for {bytes} bytes a lane, no bank conflict"),
            format!("{bytes} B a lane, no conflict"),
        ],
        None if cost.wavefronts > 1 => {
            ["the least for these bytes, no bank conflict", "the least for these bytes"]
                .map(str::to_owned)
        }
        None => ["no bank has to serve two words".to_owned(), "no bank conflict".to_owned()],
    };
    vec![
        format!("{passes}: {long}"),
        format!("{passes}: {short}"),
        format!("{passes}: no conflict"),
        passes,
    ]
}

/// How many words a load's only pass delivers, and to how many lanes, if lanes share them.
fn shared_words(towers: &BankTowers, accesses: &[Access]) -> Option<(u64, u32)> {
    let ([access], [pass]) = (accesses, &towers.passes[..]) else { return None };
    let shared = pass.bricks.iter().any(|brick| brick.lanes.count() > 1);
    let words = pass.bricks.iter().map(|brick| u64::from(brick.wide)).sum();
    (shared && access.direction == Direction::Load).then(|| (words, pass.lanes().count()))
}

/// What a request to global memory costs: `16 sectors, 2 would do: 512 B fetched, 64 B used: 12.5 %`.
pub fn sector_words(access: &Access) -> Vec<String> {
    let cost = coalesce::sectors(access);
    let head = Count(cost.sectors.into(), "sector").to_string();
    let (used, moved, least) = (cost.distinct, cost.fetched(), cost.ideal());
    let share = percent(used, moved);
    let done = match access.direction {
        Direction::Load => "used",
        Direction::Store => "stored",
        Direction::Atomic => "changed",
    };
    let stores = access.direction != Direction::Load;
    match sector_mark(&cost) {
        // Nothing is fetched for a store, and what it does not store is not wasted.
        mark if stores => {
            let least = match mark {
                CostMark::Bad => format!("{least} would do"),
                _ => "the least".to_owned(),
            };
            vec![format!("{head} for {used} B {done}, {least}"), format!("{head}, {least}"), head]
        }
        CostMark::Good => vec![
            format!("{head}: {moved} B fetched, all of it used"),
            format!("{head}: all {moved} B used"),
            head,
        ],
        CostMark::Plain => {
            let lanes = Count(access.active.count().into(), "lane");
            vec![
                format!("{head}: {moved} B fetched, {used} B of it used, by {lanes} at once"),
                format!("{head}: {used} of {moved} B used, by {lanes}"),
                format!("{head}: {used} of {moved} B used"),
                format!("{head}, {share} % used"),
                head,
            ]
        }
        CostMark::Bad => vec![
            format!("{head}, {least} would do: {moved} B fetched, {used} B used: {share} %"),
            format!("{head}, {share} % used: {least} would do"),
            format!("{head}, {share} % used"),
            head,
        ],
    }
}
