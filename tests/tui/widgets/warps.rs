//! What the panel of the warps shows.

use super::picture::{self, ASCII, MONO, RICH};
use matviz::launch::Dim3;
use matviz::sim::{LaneMask, Pc};
use matviz::trace::{OpKind, WarpNow, WarpState};
use matviz::tui::facts::{Activity, BarrierGate, FMA};
use matviz::tui::theme::{Look, Role};
use matviz::tui::widget::warps::*;
use ratatui::layout::Rect;

fn warp(state: WarpState, kind: OpKind) -> WarpNow {
    let (live, active) = (LaneMask::ALL, LaneMask::ALL);
    WarpNow {
        state,
        live,
        active,
        pc: Pc(7),
        kind,
        last: None,
        executed: LaneMask::ALL,
        fma: 0,
        multiplied: 0,
        arrivals: 0,
        global: None,
        shared: None,
    }
}

/// Four warps at the barrier, one that stores, three that have loaded.
fn half_there() -> Vec<WarpNow> {
    let mut warps = vec![warp(WarpState::Waiting, OpKind::Barrier); 4];
    warps.push(warp(WarpState::Ready, OpKind::SharedStore));
    warps.extend(vec![warp(WarpState::Ready, OpKind::GlobalLoad); 3]);
    warps
}

const CLOSED: BarrierGate = BarrierGate { number: 1, open: false };
const NAMES: [&str; 8] = ["", "", "", "", "sB", "A", "A", "A"];

fn panel(warps: &[WarpNow], look: Look) -> Warps<'_> {
    Warps {
        warps,
        block: Dim3::flat(16, 16),
        blocks: 1,
        names: &NAMES,
        selected: 4,
        issued: Some(4),
        gate: Some(CLOSED),
        multiplies: FMA,
        lit: &[],
        look,
    }
}

fn line(text: &str, row: usize) -> &str {
    text.lines().nth(row).unwrap_or_default()
}

#[test]
fn a_warp_says_what_it_does_and_whom_it_waits_for() {
    let warps = half_there();
    let text = picture::text(panel(&warps, ASCII), 44, 8);
    assert_eq!(line(&text, 0), " w0  ---------------- @| WAIT for w4-w7");
    assert_eq!(line(&text, 4), ">w4  SSSSSSSSSSSSSSSS o| store sB now");
    assert_eq!(line(&text, 7), " w7  gggggggggggggggg o| load A");
}

#[test]
fn both_memories_have_one_verb_and_two_colours() {
    let words = |kind| Activity::of(&warp(WarpState::Ready, kind)).word();
    assert_eq!(words(OpKind::GlobalLoad), words(OpKind::SharedLoad));
    assert_eq!(words(OpKind::GlobalStore), words(OpKind::SharedStore));
    let colour = |kind| {
        let warps = vec![warp(WarpState::Ready, kind); 8];
        let buf = picture::buffer(Warps { issued: None, ..panel(&warps, RICH) }, 44, 8);
        assert_eq!(buf[(5, 0)].symbol(), " ", "a solid band, without a glyph for each lane");
        buf[(5, 0)].bg
    };
    assert_eq!(colour(OpKind::GlobalLoad), RICH.pixel(Role::Memory));
    assert_eq!(colour(OpKind::SharedLoad), RICH.half(Role::Shared));
}

#[test]
fn waiting_lanes_have_a_glyph_beside_their_grey() {
    let warps = half_there();
    for (width, height) in [(44, 8), (118, 29)] {
        let buf = picture::buffer(panel(&warps, RICH), width, height);
        let cell = &buf[(9, height / 29)];
        assert_eq!((cell.symbol(), cell.bg), ("─", RICH.half(Role::Wait)));
    }
}

#[test]
fn only_the_warps_that_moved_last_are_bright() {
    let mut warps = half_there();
    warps[4].last = Some(Pc(3));
    warps[5].kind = OpKind::Fma;
    let buf = picture::buffer(panel(&warps, RICH), 44, 8);
    assert_eq!(buf[(5, 4)].bg, RICH.pixel(Role::Shared));
    assert_eq!(buf[(5, 5)].bg, RICH.half(Role::C));
    // If all moved alike, brightness would say nothing and the whole panel would flash.
    let alike = vec![WarpNow { last: Some(Pc(3)), ..warp(WarpState::Ready, OpKind::Fma) }; 8];
    let buf = picture::buffer(panel(&alike, RICH), 44, 8);
    assert_eq!(buf[(5, 4)].bg, RICH.half(Role::C));
}

#[test]
fn the_gate_fills_opens_and_is_gone() {
    let seats = |warps: &[WarpNow], gate: BarrierGate| {
        let text = picture::text(Warps { gate: Some(gate), ..panel(warps, ASCII) }, 44, 8);
        text.lines()
            .map(|line| line.get(22..24).unwrap_or_default().trim().to_owned())
            .collect::<Vec<_>>()
    };
    let filled = ["@|", "@|", "@|", "@|", "o|", "o|", "o|", "o|"];
    assert_eq!(seats(&half_there(), CLOSED), filled);
    let released = vec![warp(WarpState::Ready, OpKind::Barrier); 8];
    let open = BarrierGate { open: true, ..CLOSED };
    assert_eq!(seats(&released, open), ["->"; 8]);
    // In the next step the barrier is closed again and no warp has arrived.
    assert_eq!(seats(&released, CLOSED), ["o|"; 8]);
    let text = picture::text(panel(&released, ASCII), 44, 8);
    assert!(text.contains("released"), "{text}");
}

#[test]
fn the_frame_says_which_barrier_and_how_many_have_arrived() {
    let warps = half_there();
    let area = Rect::new(0, 0, 70, 14);
    let title = |panel: Warps<'_>| panel.title(area);
    let (shape, note) = title(panel(&warps, RICH));
    assert_eq!(shape, "Threads 16 x 16 in 8 warps of 32");
    assert_eq!(note, "barrier 1: 4 of 8");
    let ready = vec![warp(WarpState::Ready, OpKind::Fma); 8];
    assert_eq!(title(panel(&ready, RICH)).1, "barrier 1: 0 of 8");
    let open = Some(BarrierGate { open: true, ..CLOSED });
    let (_, note) = title(Warps { gate: open, ..panel(&ready, RICH) });
    assert_eq!(note, "barrier 1: open");
}

#[test]
fn without_a_barrier_of_all_there_is_no_gate() {
    let text = picture::text(Warps { gate: None, ..panel(&half_there(), ASCII) }, 44, 8);
    assert!(!text.contains('|'), "{text}");
    assert!(text.contains("WAIT") && !text.contains("WAIT for"), "{text}");
}

#[test]
fn equal_warps_have_equal_rows_at_every_size() {
    let warps = vec![warp(WarpState::Ready, OpKind::Fma); 8];
    for (x, y) in [(16, 16), (8, 32), (32, 8), (256, 1), (4, 64)] {
        for (width, height) in [(44, 10), (70, 14), (118, 29), (140, 40)] {
            let panel = Warps { block: Dim3::flat(x, y), issued: None, ..panel(&warps, ASCII) };
            let text = picture::text(Warps { selected: 9, ..panel }, width, height);
            let rows: Vec<_> = text.lines().filter(|line| line.starts_with(" w")).collect();
            assert_eq!(rows.len(), 8, "{x} x {y} at {width} x {height}\n{text}");
            assert!(rows.iter().all(|row| row[3..] == rows[0][3..]), "{text}");
        }
    }
}

#[test]
fn zoomed_the_selected_warp_has_the_numbers_of_its_lanes() {
    let text = picture::text(panel(&half_there(), MONO), 126, 29);
    assert!(line(&text, 9).starts_with("►w4  S 0S 1S 2"), "{text}");
    assert!(line(&text, 10).starts_with("     S16S17S18"), "{text}");
    assert!(text.contains("lane 17 = thread (1,9)"), "{text}");
}

#[test]
fn without_colours_each_character_is_explained() {
    let text = picture::text(panel(&half_there(), MONO), 140, 40);
    let legend = ["gg global load", "GG global store", "ss shared load", "SS shared store"];
    assert!(legend.iter().all(|entry| text.contains(entry)), "{text}");
}

#[test]
fn only_full_warps_are_of_32_and_no_lane_is_named_twice() {
    let warps = half_there();
    let title = |x, y| {
        let block = Dim3::flat(x, y);
        let panel = Warps { block, warps: &warps[..2], selected: 1, ..panel(&warps, ASCII) };
        panel.title(Rect::new(0, 0, 100, 12)).0
    };
    assert_eq!(title(64, 1), "Threads 64 in 2 warps of 32");
    assert_eq!(title(40, 1), "Threads 40 in 2 warps");
    let small =
        Warps { block: Dim3::flat(4, 4), warps: &warps[..1], selected: 0, ..panel(&warps, ASCII) };
    let text = picture::text(small, 118, 20);
    assert_eq!(text.matches("lane 15 =").count(), 1, "{text}");
}

#[test]
fn tensor_cores_instructions_are_called_what_they_are() {
    let mut warps = half_there();
    (warps[4].kind, warps[4].fma) = (OpKind::Fma, 224);
    let text = picture::text(Warps { multiplies: "mma", ..panel(&warps, ASCII) }, 118, 29);
    assert!(text.contains("mma") && !text.contains("FMA"), "{text}");
}

#[test]
fn a_heading_never_touches_the_first_number() {
    let warps = half_there();
    for width in 36..118 {
        let list = Warps { block: Dim3::flat(256, 1), ..panel(&warps, ASCII) };
        let text = picture::text(list, width, 12);
        assert!(!text.contains("lane0") && !text.contains("tx0"), "{width}\n{text}");
    }
}

#[test]
fn a_lane_that_is_not_active_or_is_lit_can_be_seen() {
    let mut warps = half_there();
    warps[5].kind = OpKind::Fma;
    warps[5].active = LaneMask::first(8);
    let lit = [(6, LaneMask::first(1), Role::Bad)];
    let text = picture::text(Warps { lit: &lit, ..panel(&warps, ASCII) }, 44, 8);
    assert!(line(&text, 5).contains(" ''''''''........ "), "{text}");
    assert!(line(&text, 6).contains(" @ggggggggggggggg "), "{text}");
    let wide = Warps { block: Dim3::flat(256, 1), lit: &lit, ..panel(&warps, ASCII) };
    let text = picture::text(wide, 60, 8);
    assert!(line(&text, 5).contains(" FFFFFFFF........................ "), "{text}");
}

#[test]
fn wide_blocks_have_a_warp_in_a_row_and_scroll() {
    let warps = vec![warp(WarpState::Ready, OpKind::Fma); 32];
    let panel = Warps { block: Dim3::flat(32, 32), selected: 20, ..panel(&warps, ASCII) };
    let area = Rect::new(2, 5, 44, 4);
    let text = picture::text(panel, 44, 4);
    assert!(line(&text, 0).starts_with("^w18 FFFFFFFFFFFFFFFF o| FMA"), "{text}");
    assert!(line(&text, 3).starts_with("vw21"), "{text}");
    let rows = (4..10).map(|y| warp_at(&panel, area, y)).collect::<Vec<_>>();
    assert_eq!(rows, [None, Some(18), Some(19), Some(20), Some(21), None]);
}

#[test]
fn lanes_are_found_where_they_are_drawn() {
    let warps = half_there();
    for (block, width, height) in
        [(16, 118, 29), (16, 44, 8), (8, 70, 14), (32, 60, 8), (256, 60, 20)]
    {
        let panel = Warps { block: Dim3::flat(block, 256 / block), ..panel(&warps, RICH) };
        let area = Rect::new(3, 2, width, height);
        for warp in 0..8 {
            let halves = halves_of(&panel, area, &[(warp, LaneMask::ALL)]);
            let cells = halves.iter().map(|half| (half.x, half.y / 2));
            let found = cells.filter_map(|(x, y)| lane_at(&panel, area, x, y));
            let lanes: LaneMask =
                found.inspect(|(of, _)| assert_eq!(*of, warp)).map(|(_, lane)| lane).collect();
            assert!(lanes.has(0) && lanes.count() >= 16, "{block} {width}x{height}: {lanes:?}");
        }
        assert_eq!(lane_at(&panel, area, 2, 2), None);
    }
}

#[test]
fn every_size_survives() {
    let block = half_there();
    picture::survives(|look| panel(&block, look));
    picture::survives(|look| panel(&[], look));
    for (x, y) in [(1, 7), (8, 8), (24, 2), (256, 1), (4, 4)] {
        picture::survives(|look| Warps { block: Dim3::flat(x, y), ..panel(&block, look) });
    }
}
