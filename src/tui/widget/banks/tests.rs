//! Snapshot tests of the banks: broadcast, conflicts, wide accesses, and what SASS makes of them.

use super::super::picture::{self, ASCII, MONO, RICH};
use super::verdict::verdict;
use super::*;
use crate::analysis::banks::Wavefronts;
use crate::matrix::ElementType;
use insta::assert_snapshot;
use ptx::Space;

fn access(direction: Direction, bytes: u8, word: fn(u64) -> u64) -> Access {
    let addrs = std::array::from_fn(|lane| 4 * word(lane as u64));
    Access {
        space: Space::Shared,
        direction,
        bytes,
        route: Route::Lanes,
        active: LaneMask::ALL,
        addrs,
    }
}

/// An access that is executed as written.
static WRITTEN: ExecutedSass =
    ExecutedSass { instead: None, words: Vec::new(), with: None, doubt: Vec::new() };

fn panel(access: &Access, look: Look) -> Banks<'_> {
    Banks {
        access: Some(access),
        warp: 3,
        operand: Some(Operand::B),
        becomes: &WRITTEN,
        values: None,
        pointed: 0,
        pass: None,
        together: None,
        look,
    }
}

#[test]
fn one_pass_is_fine_and_says_what_is_broadcast() {
    let row = access(Direction::Load, 4, |lane| lane % 16);
    assert_snapshot!(picture::text(panel(&row, ASCII), 37, 5), @"
    bank 0       8       16      24    31
    #1   bbbbbbbbbbbbbbbb................
    ok 1 pass: 16 words for 32 lanes
    one row = one pass: fewer is faster
    ");
    assert_snapshot!(picture::text(panel(&row, ASCII), 30, 2), @"
    ok 1 pass: no conflict
    ");
    let buf = picture::buffer(panel(&row, RICH), 72, 4);
    assert_eq!(buf[(10, 1)].bg, RICH.pixel(Role::B));
}

#[test]
fn words_are_for_all_lanes_only_if_each_lane_gets_them() {
    let twice = access(Direction::Load, 4, |lane| if lane == 31 { 0 } else { lane });
    let text = picture::text(panel(&twice, ASCII), 72, 5);
    assert!(text.contains("1 pass: 31 words for 32 lanes, no bank conflict"), "{text}");
    let even = Wavefronts { wavefronts: 4, conflicts: 0, ways: 1, groups: 4, ideal: 4 };
    assert_eq!(verdict(&[even], (0, false), None)[1], "4 passes: the least for these bytes");
}

#[test]
fn a_conflict_is_a_pile_of_rows_and_a_number() {
    let column = access(Direction::Store, 4, |lane| lane * 16);
    assert_snapshot!(picture::text(panel(&column, RICH), 37, 5), @"
    bank 0       8       16      24    31
    #1    ··············· ···············
    #2    ··············· ···············
        ... and 14 more passes
    ▲ 16-way conflict: 16 passes
    ");
    assert_snapshot!(picture::text(panel(&column, ASCII), 74, 6), @"
    bank 0                8                16               24            31
    #1   !!..............|................|!!..............|................
    #2   !!..............|................|!!..............|................
    #3   !!..............|................|!!..............|................
        ... and 13 more passes
    !! 16-way bank conflict: 16 passes instead of 1
    ");
    let buf = picture::buffer(panel(&column, RICH), 37, 5);
    assert_eq!(buf[(5, 1)].bg, RICH.pixel(Role::Bad));
}

#[test]
fn only_the_banks_that_cost_a_pass_are_red() {
    let one_too_many = access(Direction::Load, 4, |lane| if lane == 31 { 32 } else { lane });
    let buf = picture::buffer(panel(&one_too_many, RICH), 37, 5);
    let grounds: Vec<_> = (5..8).map(|x| buf[(x, 1)].bg).collect();
    assert_eq!(grounds, [Role::Bad, Role::B, Role::B].map(|role| RICH.pixel(role)));
    assert_eq!(buf[(5, 2)].bg, RICH.pixel(Role::Bad));
}

#[test]
fn passes_are_played_one_after_the_other() {
    let column = access(Direction::Load, 4, |lane| lane * 16);
    let play = |pass| Banks { pass: Some(pass), ..panel(&column, ASCII) };
    let text = picture::text(play(0), 60, 20);
    assert!(text.contains("pass 1 of 16: serves 2 lanes, 30 lanes still"), "{text}");
    assert!(text.contains("#16  w"), "the last pass waits: {text}");
    // Where not all fit, the one that is played is in view.
    let text = picture::text(play(9), 37, 6);
    assert!(text.contains("#10  !") && text.contains("pass 10 of 16"), "{text}");
    let text = picture::text(play(99), 37, 6);
    assert!(text.contains("16-way conflict"), "no such pass: {text}");
    picture::survives(|look| Banks { pass: Some(9), ..panel(&column, look) });
}

#[test]
fn a_position_is_a_bank() {
    let row = access(Direction::Load, 4, |lane| lane);
    let (panel, area) = (panel(&row, RICH), Rect::new(2, 3, 37, 5));
    assert_eq!(bank_at(&panel, area)(2 + 5 + 17, 4), Some(17));
    assert_eq!(bank_at(&panel, area)(2, 4), None);
    assert_eq!(bank_at(&panel, area)(2 + 5 + 17, 7), None);
}

#[test]
fn zoomed_each_lane_has_its_bank_and_each_word_its_lane() {
    let row = access(Direction::Load, 4, |lane| lane % 16);
    let text = picture::text(panel(&row, MONO), 118, 18);
    let line = |row| text.lines().nth(row).unwrap_or_default();
    assert!(line(0).starts_with("lane   0  1  2") && line(0).ends_with("31"), "{text}");
    assert!(line(1).starts_with("bank   0  1  2") && line(1).ends_with("15"), "{text}");
    assert!(text.contains("#1    0+ 1+ 2+"), "{text}");
}

#[test]
fn with_much_room_a_picture_shows_where_each_lane_goes() {
    let column = access(Direction::Load, 4, |lane| lane * 16);
    let buf = picture::buffer(panel(&column, RICH), 118, 60);
    for lane in 0..32 {
        let red: Vec<_> = (0..32)
            .filter(|bank| buf[(6 + 3 * bank + bank / 8, 1 + lane)].bg == RICH.pixel(Role::Bad))
            .collect();
        assert_eq!(red, [lane % 2 * 16], "lane {lane}");
    }
    let text = picture::text(panel(&column, ASCII), 118, 30);
    assert!(text.contains("l2   '''") && text.contains("|,,,"), "{text}");
    picture::survives(|look| Banks { pass: Some(3), ..panel(&column, look) });
}

#[test]
fn with_room_each_word_has_its_value_below_the_lane() {
    let row = access(Direction::Load, 4, |lane| lane % 16);
    let values = SharedValues {
        words: (0..16_u8).map(|word| (f32::from(word) / 4.0 - 1.0).to_bits()).collect(),
        types: vec![(0..16, ElementType::F32)],
    };
    let valued = Banks { values: Some(&values), ..panel(&row, ASCII) };
    let text = picture::text(valued, 198, 60);
    assert!(text.contains("b-1b-0.8b-0.5b-0.2bbbb0"), "{text}");
    assert!(text.contains("below the lane: what its word holds now"), "{text}");
    // Without room for them nothing is said of values.
    let text = picture::text(valued, 118, 18);
    assert!(!text.contains("-0.8") && !text.contains("below the lane"), "{text}");
    picture::survives(|look| Banks { look, ..valued });
}

#[test]
fn wide_loads_need_several_passes_without_a_conflict() {
    let four = access(Direction::Load, 16, |lane| lane * 4);
    assert_snapshot!(picture::text(panel(&four, ASCII), 54, 7), @"
    bank 0        8        16       24    31
    #1   bbbbbbbb|bbbbbbbb|bbbbbbbb|bbbbbbbb
    #2   bbbbbbbb|bbbbbbbb|bbbbbbbb|bbbbbbbb
    #3   bbbbbbbb|bbbbbbbb|bbbbbbbb|bbbbbbbb
    #4   bbbbbbbb|bbbbbbbb|bbbbbbbb|bbbbbbbb
    ok 4 passes: 16 B a lane, no conflict
    16 bytes a lane: a quarter of a warp a pass
    ");
}

/// Four loads of one address each from neighbouring addresses, vectorised to a single load.
fn joined(instead: Option<Vec<Access>>) -> ExecutedSass {
    let words = ["4 x ld.shared.f32 -> 1 x LDS.128", "4 x ld -> 1 x LDS.128"];
    let words = words.map(str::to_owned).to_vec();
    ExecutedSass { instead, words, with: Some(181), doubt: Vec::new() }
}

#[test]
fn what_is_executed_instead_is_said_and_with_room_drawn() {
    let four = access(Direction::Load, 4, |lane| lane / 16 * 16);
    let wide = Access { bytes: 16, ..four.clone() };
    let becomes = joined(Some(vec![wide]));
    let panel = |look| Banks { becomes: &becomes, ..panel(&four, look) };
    assert_snapshot!(picture::text(panel(ASCII), 37, 5), @"
    bank 0       8       16      24    31
    #1   b...............b...............
    ok 1 pass: 2 words for 32 lanes
    4 x ld.shared.f32 -> 1 x LDS.128
    one row = one pass: fewer is faster
    ");
    assert_snapshot!(picture::text(panel(ASCII), 60, 16), @"
    PTX
    bank 0        8        16       24    31
    #1   b.......|........|b.......|........
    ok 1 pass: 2 words for 32 lanes, no bank conflict
    one row = one pass: fewer is faster



    SASS: 4 x ld.shared.f32 -> 1 x LDS.128
    bank 0        8        16       24    31
    #1   bbbb....|........|........|........
    #2   ........|........|bbbb....|........
    ok 2 passes: the least for 16 bytes a lane, no bank conflict
    16 bytes a lane: half a warp a pass
    one row = one pass: fewer is faster
    ");
    let nothing = joined(Some(Vec::new()));
    let later = |look| Banks { becomes: &nothing, ..panel(look) };
    assert_snapshot!(picture::text(later(ASCII), 60, 16), @"
    PTX
    bank 0        8        16       24    31
    #1   b.......|........|b.......|........
    ok 1 pass: 2 words for 32 lanes, no bank conflict
    one row = one pass: fewer is faster



    SASS: 4 x ld.shared.f32 -> 1 x LDS.128
    Nothing here: it comes with that, PTX line 181.
    ");
    let column = access(Direction::Load, 4, |lane| lane * 16);
    let bad = Banks { access: Some(&column), ..panel(ASCII) };
    assert_snapshot!(picture::text(bad, 37, 5), @"
    bank 0       8       16      24    31
    #1   !...............!...............
        ... and 15 more passes
    !! 16-way conflict: 16 passes
    4 x ld.shared.f32 -> 1 x LDS.128
    ");
    picture::survives(panel);
    picture::survives(later);
}

#[test]
fn what_is_not_known_is_said_by_name() {
    let row = access(Direction::Load, 4, |lane| lane % 16);
    let doubt = ["SASS? ptxas may or may not unroll this loop", "SASS? may be unrolled"];
    let doubt = doubt.map(str::to_owned).to_vec();
    let becomes = ExecutedSass { doubt, ..ExecutedSass::default() };
    let panel = Banks { becomes: &becomes, ..panel(&row, ASCII) };
    assert_snapshot!(picture::text(panel, 37, 5), @"
    bank 0       8       16      24    31
    #1   bbbbbbbbbbbbbbbb................
    ok 1 pass: 16 words for 32 lanes
    SASS? may be unrolled
    one row = one pass: fewer is faster
    ");
    assert_snapshot!(picture::text(panel, 60, 5), @"
    bank 0        8        16       24    31
    #1   bbbbbbbb|bbbbbbbb|........|........
    ok 1 pass: 16 words for 32 lanes, no bank conflict
    SASS? ptxas may or may not unroll this loop
    one row = one pass: fewer is faster
    ");
}

#[test]
fn every_size_survives() {
    let column = access(Direction::Load, 4, |lane| lane * 16);
    let nobody = Access { active: LaneMask::NONE, ..column.clone() };
    picture::survives(|look| panel(&column, look));
    picture::survives(|look| panel(&nobody, look));
    picture::survives(|look| Banks { access: None, ..panel(&column, look) });
}
