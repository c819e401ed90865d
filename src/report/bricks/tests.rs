//! Bricks are the figures of the analysis, laid out.

use super::*;
use crate::sim::{Direction, Route};
use proptest::prelude::*;
use ptx::Space;

fn access(space: Space, direction: Direction, bytes: u8, word: impl Fn(u64) -> u64) -> Access {
    let addrs = std::array::from_fn(|lane| 4 * word(lane as u64));
    Access { space, direction, bytes, route: Route::Lanes, active: LaneMask::ALL, addrs }
}

fn load(bytes: u8, word: impl Fn(u64) -> u64) -> Access {
    access(Space::Shared, Direction::Load, bytes, word)
}

/// Any aligned access, with repeats and common banks likely.
fn any_access() -> impl Strategy<Value = Access> {
    let direction =
        prop::sample::select(vec![Direction::Load, Direction::Store, Direction::Atomic]);
    let bytes = prop::sample::select(vec![1u8, 2, 4, 8, 16]);
    let step = prop::sample::select(vec![1u64, 4, 32]);
    (direction, bytes, 1u32.., step, prop::array::uniform32(0u64..64)).prop_map(
        |(direction, bytes, mask, step, at)| {
            let words = u64::from(bytes).div_ceil(4);
            let to = |lane: u64| at[lane as usize] * step * words;
            let access = access(Space::Shared, direction, bytes, to);
            Access { active: LaneMask(mask), ..access }
        },
    )
}

proptest! {
    #[test]
    fn towers_are_as_high_as_the_passes_that_are_counted(access in any_access()) {
        let towers = BankTowers::of(std::slice::from_ref(&access));
        let cost = wavefronts(&access);
        prop_assert_eq!(towers.passes.len(), cost.wavefronts as usize);
        let costly = |pass: &&BankPass| pass.bricks.iter().any(|brick| brick.costs);
        prop_assert_eq!(towers.passes.iter().filter(costly).count(), cost.conflicts as usize);
        let lanes = towers.passes.iter().fold(LaneMask::NONE, |sum, pass| sum.or(pass.lanes()));
        prop_assert_eq!(lanes, access.active);
        for pass in &towers.passes {
            for pair in pass.bricks.windows(2) {
                prop_assert!(pair[0].banks().end <= pair[1].banks().start, "{:?}", pair);
            }
        }
    }

    #[test]
    fn buckets_are_as_many_as_the_sectors_that_are_counted(access in any_access()) {
        let access = Access { space: Space::Global, ..access };
        let buckets = buckets(&access);
        prop_assert_eq!(buckets.len(), coalesce::sectors(&access).sectors as usize);
        let lanes = buckets.iter().flat_map(|bucket| bucket.words);
        prop_assert_eq!(lanes.fold(LaneMask::NONE, LaneMask::or), access.active);
        for bucket in &buckets {
            let wide: usize = bucket.bricks().iter().map(|(_, wide, _)| wide).sum();
            prop_assert_eq!(wide, WORDS);
        }
    }
}

#[test]
fn words_side_by_side_of_one_lane_are_one_brick() {
    let wide = BankTowers::of(&[load(16, |lane| 4 * lane)]);
    let first = &wide.passes[0].bricks;
    let places: Vec<_> = first.iter().map(|brick| (brick.bank, brick.wide)).collect();
    assert_eq!(places, (0..8).map(|brick| (4 * brick, 4)).collect::<Vec<_>>());
    assert_eq!(
        share_of_warp(&wide, 16).as_deref(),
        Some("16 bytes a lane: a quarter of the warp a pass")
    );
    let half = BankTowers::of(&[load(8, |lane| 2 * lane)]);
    assert_eq!(share_of_warp(&half, 8).as_deref(), Some("8 bytes a lane: half of the warp a pass"));
    assert_eq!(share_of_warp(&BankTowers::of(&[load(4, |lane| lane)]), 4), None);
}

#[test]
fn lanes_that_share_a_word_are_one_brick() {
    let towers = BankTowers::of(&[load(4, |lane| lane / 16 * 16)]);
    let bricks: Vec<_> = towers.passes[0].bricks.iter().map(|brick| brick.lanes).collect();
    assert_eq!(bricks.len(), 2);
    assert_eq!(lane_list(bricks[0]), "lanes 0-15");
    assert_eq!(lane_number(bricks[1], 3), "16+");
    assert_eq!(lane_number(bricks[1], 2), "16");
}

#[test]
fn numbers_that_would_read_as_one_are_left_out() {
    let row = &BankTowers::of(&[load(4, |lane| lane)]).passes[0];
    assert_eq!(row.numbered(2)[..4], [true, false, true, false]);
    assert!(row.numbered(3).iter().all(|named| *named));
    let apart = &BankTowers::of(&[load(4, |lane| 4 * lane)]).passes[0];
    assert!(apart.numbered(2).iter().all(|named| *named));
}

#[test]
fn one_judge_says_what_a_pass_and_a_sector_cost() {
    let column = [load(4, |lane| 16 * lane)];
    let words = bank_words(&BankTowers::of(&column), &column);
    assert_eq!(words[0], "16-way bank conflict: 16 passes instead of 1");
    let wide = [load(16, |lane| 4 * lane)];
    let words = bank_words(&BankTowers::of(&wide), &wide);
    assert_eq!(words[0], "4 passes: the least for 16 bytes a lane, no bank conflict");
    let twice = [load(4, |lane| if lane == 31 { 0 } else { lane })];
    let words = bank_words(&BankTowers::of(&twice), &twice);
    assert_eq!(words[0], "1 pass: 31 words for 32 lanes, no bank conflict");
    let global = |word: fn(u64) -> u64| access(Space::Global, Direction::Load, 4, word);
    let naive = global(|lane| lane / 16 * 1024);
    assert_eq!(sector_mark(&coalesce::sectors(&naive)), CostMark::Plain);
    assert_eq!(
        sector_words(&naive)[0],
        "2 sectors: 64 B fetched, 8 B of it used, by 32 lanes at once"
    );
    let rows = global(|lane| lane * 1024);
    assert_eq!(sector_mark(&coalesce::sectors(&rows)), CostMark::Bad);
    assert_eq!(
        sector_words(&rows)[0],
        "32 sectors, 4 would do: 1024 B fetched, 128 B used: 12.5 %"
    );
    let tile = global(|lane| lane / 16 * 1024 + lane % 16);
    assert_eq!(sector_words(&tile)[0], "4 sectors: 128 B fetched, all of it used");
    let stores = Access { direction: Direction::Store, ..rows };
    assert_eq!(sector_words(&stores)[0], "32 sectors for 128 B stored, 4 would do");
}

#[test]
fn a_pass_names_the_lanes_that_it_serves() {
    let towers = BankTowers::of(&[load(4, |lane| lane % 2 * 16 + lane / 2 * 32)]);
    assert_eq!(
        pass_words(&towers, 2),
        [
            "pass 3 of 16: serves lanes 4 and 5; 26 lanes still wait",
            "pass 3 of 16: 2 served; 26 wait",
            "pass 3 of 16",
        ]
    );
    let list = |mask| lane_list(LaneMask(mask));
    assert_eq!(list(1 << 7), "lane 7");
    assert_eq!(list(0b1111_0000_1111), "lanes 0-3, 8-11");
    assert_eq!(list(0b10_0011), "lanes 0, 1, 5");
}
