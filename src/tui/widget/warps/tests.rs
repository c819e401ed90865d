//! What the panel of the warps shows.

use super::super::picture::{self, ASCII, MONO, RICH};
use super::*;
use insta::assert_snapshot;

fn warp(state: WarpState, kind: Kind) -> WarpNow {
    let (live, active) = (LaneMask::ALL, LaneMask::ALL);
    WarpNow {
        state,
        live,
        active,
        pc: Pc(7),
        kind,
        last: None,
        fma: 0,
        multiplied: 0,
        arrivals: 0,
        global: None,
        shared: None,
    }
}

/// A warp in each state.
fn block() -> Vec<WarpNow> {
    let ready = |kind| warp(WarpState::Ready, kind);
    vec![
        warp(WarpState::Waiting, Kind::Barrier),
        ready(Kind::GlobalLoad),
        ready(Kind::SharedStore),
        WarpNow { active: LaneMask::first(20), ..ready(Kind::Fma) },
        WarpNow { live: LaneMask::first(8), ..ready(Kind::Compute) },
        WarpNow { pc: Pc(0), ..ready(Kind::Compute) },
        WarpNow { live: LaneMask::NONE, ..warp(WarpState::Exited, Kind::Exit) },
    ]
}

fn warps(warps: &[WarpNow], look: Look) -> Warps<'_> {
    Warps { warps, selected: 3, issued: Some(2), lit: &[], look }
}

#[test]
fn every_state_has_its_glyph_and_its_word() {
    let block = block();
    assert_snapshot!(picture::text(warps(&block, RICH), 50, 8), @"
     w0 ──────────────── ──────────────── WAIT 1 of 6
     w1 ↓↓↓↓↓↓↓↓↓↓↓↓↓↓↓↓ ↓↓↓↓↓↓↓↓↓↓↓↓↓↓↓↓ load
     w2 ↑↑↑↑↑↑↑↑↑↑↑↑↑↑↑↑ ↑↑↑↑↑↑↑↑↑↑↑↑↑↑↑↑ write now
    ►w3 ■■■■■■■■■■■■■■■■ ■■■■············ FMA
     w4 ++++++++                          ALU
     w5 ················ ················ ready
     w6                                   done
        lane 0                    lane 31
    ");
    assert_snapshot!(picture::text(warps(&block, ASCII), 42, 7), @"
     w0 wwwwwwwwwwwwwwww wwwwwwwwwwwwwwww WAIT
     w1 LLLLLLLLLLLLLLLL LLLLLLLLLLLLLLLL load
     w2 SSSSSSSSSSSSSSSS SSSSSSSSSSSSSSSSwrite
    >w3 FFFFFFFFFFFFFFFF FFFF............ FMA
     w4 ++++++++                          ALU
     w5 ................ ................ready
     w6                                   done
    ");
}

#[test]
fn zoomed_the_lanes_stand_apart() {
    assert_snapshot!(picture::text(warps(&block()[..4], MONO), 100, 5), @"
     w0 ────────────────────────────────  ──────────────────────────────── WAIT for w1-3
     w1 ↓ ↓ ↓ ↓ ↓ ↓ ↓ ↓ ↓ ↓ ↓ ↓ ↓ ↓ ↓ ↓   ↓ ↓ ↓ ↓ ↓ ↓ ↓ ↓ ↓ ↓ ↓ ↓ ↓ ↓ ↓ ↓  load
     w2 ↑ ↑ ↑ ↑ ↑ ↑ ↑ ↑ ↑ ↑ ↑ ↑ ↑ ↑ ↑ ↑   ↑ ↑ ↑ ↑ ↑ ↑ ↑ ↑ ↑ ↑ ↑ ↑ ↑ ↑ ↑ ↑  write now
    ►w3 ■ ■ ■ ■ ■ ■ ■ ■ ■ ■ ■ ■ ■ ■ ■ ■   ■ ■ ■ ■ · · · · · · · · · · · ·  FMA
        lane 0                                                    lane 31
    ");
}

#[test]
fn without_room_for_lanes_the_words_stay() {
    assert_snapshot!(picture::text(warps(&block(), ASCII), 16, 7), @"
     w0 WAIT 1 of 6
     w1 load
     w2 write now
    >w3 FMA
     w4 ALU
     w5 ready
     w6 done
    ");
}

#[test]
fn thirty_two_warps_scroll_around_the_selected_one() {
    let block = vec![warp(WarpState::Ready, Kind::Fma); 32];
    let panel = Warps { selected: 20, issued: None, ..warps(&block, ASCII) };
    assert_snapshot!(picture::text(panel, 43, 4), @"
     18 FFFFFFFFFFFFFFFF FFFFFFFFFFFFFFFF FMA ^
     19 FFFFFFFFFFFFFFFF FFFFFFFFFFFFFFFF FMA
    >20 FFFFFFFFFFFFFFFF FFFFFFFFFFFFFFFF FMA
     21 FFFFFFFFFFFFFFFF FFFFFFFFFFFFFFFF FMA v
    ");
    assert_eq!(panel.note(4), "w18-21 of 32");
    assert_eq!(panel.note(32), "j/k selects");
    let area = Rect::new(2, 5, 43, 4);
    let rows = (4..10).map(|y| warp_at(&panel, area, y)).collect::<Vec<_>>();
    assert_eq!(rows, [None, Some(18), Some(19), Some(20), Some(21), None]);
}

#[test]
fn every_size_survives() {
    let block = block();
    picture::survives(|look| warps(&block, look));
    picture::survives(|look| warps(&[], look));
}
