//! Pointing: one line about a lane, a word, a bank, a sector or an element, true at each step.

use super::{app, app_of, click, foreign, options, press, problem, shown, start};
use matviz::kernel::{KERNELS, Problem};
use matviz::launch::Dim3;
use matviz::matrix::{Element, Operand, SMALL, Size};
use matviz::report::pointed::PointedAt;
use matviz::sim::Order;
use matviz::tui::action::Action;
use matviz::tui::headless::settle;
use matviz::tui::theme::{Depth, Glyphs, Look, Theme};
use matviz::tui::{App, StartOptions, frame, update};

pub(super) fn point(app: &mut App, point: PointedAt) {
    let tasks = update::update(app, Action::Point(point));
    settle(app, tasks);
}

/// The last row.
pub(super) fn line(app: &App) -> String {
    shown(app).lines().last().unwrap_or_default().trim().to_owned()
}

/// Steps on until the last row contains this.
pub(super) fn until(app: &mut App, said: &str) {
    let found = (0..200).find(|_| {
        press(app, "Right");
        line(app).contains(said)
    });
    assert!(found.is_some(), "{said}: {}", line(app));
}

/// A product of whole numbers from 0 to 9.
pub(super) fn toy(kernel: &str, screen: (u16, u16)) -> App {
    let tiled = KERNELS.iter().find(|known| known.name == kernel).expect("a kernel");
    let (variant, ptx) = (tiled.variant(4).expect("a tile"), tiled.embedded(4).expect("its PTX"));
    let problem = Problem::of(tiled, variant, Size::square(8), ptx.into());
    app_of(vec![Problem { seed: SMALL, ..problem }], 0, Dim3::at(0, 0), screen)
}

#[test]
fn a_lane_says_what_it_loads_and_where_that_goes() {
    let lane = PointedAt::Lane { warp: 3, lane: 17 };
    for (width, said) in [
        (120, "w3 l17 = thread (1,7): loads A[23][1] = "),
        (80, "thread (1,7): loads A[23][1], line A+0x1700 sector 0, for sA[7][1], bank 17"),
    ] {
        let mut app = app("tiled", 64, width, if width == 80 { 24 } else { 36 });
        point(&mut app, lane);
        until(&mut app, ": loads A");
        assert!(line(&app).starts_with(said), "{}", line(&app));
    }
    let mut app = app("tiled", 64, 120, 36);
    point(&mut app, lane);
    until(&mut app, ": loads A");
    assert!(line(&app).contains(", line A+0x1700 sector 0, slot sA[7][1], bank 17"));
    assert!(shown(&app).contains("►w3"), "its warp is not the selected one");
    until(&mut app, ": stores A[23][1] = ");
    assert!(line(&app).contains(" in sA[7][1], bank 17"), "{}", line(&app));
    press(&mut app, "Esc");
    assert!(!line(&app).contains("w3"), "{}", line(&app));
}

#[test]
fn the_register_of_a_lane_grows_to_its_element_of_c() {
    let mut app = toy("tiled", (120, 36));
    point(&mut app, PointedAt::Lane { warp: 0, lane: 6 });
    let mut sum = 0;
    for k in 0..8 {
        until(&mut app, &format!(" by A[1][{k}] x B[{k}][2] for C[1][2]"));
        let (_, text) = line(&app)
            .split_once("acc = ")
            .map(|(a, b)| (a.to_owned(), b.to_owned()))
            .expect("a sum");
        let numbers: Vec<i32> = text
            .split(|c: char| !c.is_ascii_digit())
            .filter_map(|word| word.parse().ok())
            .take(4)
            .collect();
        let [before, a, b, after] = numbers[..] else { panic!("{text}") };
        assert_eq!((before, before + a * b), (sum, after), "{text}");
        sum = after;
    }
    assert!(sum > 0);
}

#[test]
fn a_word_says_what_it_holds_and_padding_that_it_is_padding() {
    let mut app = app("tiled_padded", 64, 120, 36);
    press(&mut app, "n Right");
    point(&mut app, PointedAt::Word(16));
    assert!(line(&app).starts_with("sA[0][16], bank 16: padding"), "{}", line(&app));
    point(&mut app, PointedAt::Word(17));
    assert!(line(&app).starts_with("sA[1][0], bank 17: holds A["), "{}", line(&app));
}

#[test]
fn a_bank_and_a_sector_say_who_asks_for_them() {
    let mut app = app("tiled", 64, 120, 36);
    press(&mut app, "n Right Right");
    point(&mut app, PointedAt::Bank(2));
    assert!(line(&app).starts_with("bank 2: "), "{}", line(&app));
    press(&mut app, "g a");
    point(&mut app, PointedAt::Element(Element { operand: Operand::A, row: 30, column: 9 }));
    assert!(line(&app).contains("line A+0x1e00 sector 1, "), "{}", line(&app));
    assert!(line(&app).contains("sA[14][9], bank 9"), "{}", line(&app));
}

#[test]
fn a_click_points_at_the_word_under_it_and_the_keys_move_on() {
    let mut app = app("tiled", 64, 120, 36);
    press(&mut app, "n Right 2");
    let text = shown(&app);
    let row = text.lines().position(|row| row.contains("sA[16][16]")).expect("a label");
    let row = u16::try_from(row).expect("on the screen");
    let label = text.lines().nth(usize::from(row)).and_then(|text| text.find("sA[")).expect("it");
    let column = u16::try_from(label).expect("on the screen");
    click(&mut app, column.saturating_sub(2), row + 1);
    assert!(line(&app).starts_with("sA[0][0], bank 0: "), "{}", line(&app));
    press(&mut app, "I Right Down");
    assert!(line(&app).starts_with("sA[1][1], bank 17: "), "{}", line(&app));
    press(&mut app, "Up Up Left Left");
    assert!(line(&app).starts_with("sA[0][0], bank 0: "), "{}", line(&app));
    press(&mut app, "v");
    assert!(!line(&app).contains("bank"), "another kernel: {}", line(&app));
}

/// Two halves are in each word, and all of them are named.
#[test]
fn halves_are_named_one_by_one() {
    let mut app = app("half_plain", 64, 120, 36);
    point(&mut app, PointedAt::Lane { warp: 0, lane: 0 });
    until(&mut app, ": loads A[");
    let values = "loads A[32][0-3] = -0.824 -0.751 0.374 0.171, line";
    assert!(line(&app).contains(values), "{}", line(&app));
    press(&mut app, "Esc 5 I");
    assert!(line(&app).contains(": A[32][0-15], asked for by"), "{}", line(&app));
}

/// A lane that is switched off multiplies nothing.
#[test]
fn a_lane_that_takes_no_part_says_so() {
    let mut app = foreign("predicated", "16,2,5", Dim3::flat(16, 16), None, (120, 36));
    let (mut idle, mut busy) = (0, 0);
    for (warp, lane) in (0..8).flat_map(|warp| [(warp, 0), (warp, 5)]).cycle().take(320) {
        if lane == 0 {
            press(&mut app, "Right");
        }
        point(&mut app, PointedAt::Lane { warp, lane });
        let said = line(&app);
        idle += u32::from(said.contains("takes no part"));
        busy += u32::from(said.contains(" a sum = "));
        assert!(!said.contains("NaN"), "{said}");
    }
    assert!(idle > 0 && busy > 0, "{idle}, {busy}");
}

/// In any order of the warps, a warp that waits does not wait for itself.
#[test]
fn who_is_awaited_is_named_one_by_one() {
    let kernels: Vec<_> = KERNELS.iter().map(|kernel| problem(kernel, 64)).collect();
    let tiled = KERNELS.iter().position(|known| known.name == "tiled").expect("a kernel");
    let options = options(kernels, tiled, Dim3::at(1, 1));
    let mut app = start(StartOptions { order: Order::Random(1), ..options }, (120, 36));
    let mut waits = 0;
    for warp in (0..8).cycle().take(400) {
        press(&mut app, "Right");
        point(&mut app, PointedAt::Lane { warp, lane: 0 });
        let said = line(&app);
        let awaited = said.split_once("at the barrier for ").map_or("", |(_, whom)| whom);
        let awaited = awaited.split(", last").next().unwrap_or_default();
        if let Some((first, last)) = awaited.strip_prefix('w').and_then(|s| s.split_once('-')) {
            let number = |text: &str| {
                let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
                digits.parse::<usize>().expect("a number")
            };
            assert!(!(number(first)..=number(last)).contains(&warp), "w{warp}: {said}");
        }
        waits += u32::from(!awaited.is_empty());
    }
    assert!(waits > 0);
}

#[test]
fn no_line_is_longer_than_the_screen_or_empty() {
    for kernel in ["tiled", "naive", "tiled_padded", "blocked_2d", "double_buffered"] {
        let mut app = app(kernel, 64, 80, 24);
        for _ in 0..12 {
            press(&mut app, "Right");
            let lanes =
                [(0, 0), (0, 31), (1, 17)].map(|(warp, lane)| PointedAt::Lane { warp, lane });
            let element = |operand| PointedAt::Element(Element { operand, row: 20, column: 3 });
            let others = [
                PointedAt::Word(0),
                PointedAt::Word(100),
                PointedAt::Bank(3),
                PointedAt::Sector(1 << 16),
            ];
            for at in lanes.into_iter().chain(others).chain(Operand::ALL.map(element)) {
                point(&mut app, at);
                let said = line(&app);
                assert!(!said.is_empty() && said.chars().count() <= 78, "{at:?}: {said}");
            }
        }
    }
}

#[test]
fn a_toy_shows_its_numbers() {
    for (width, height) in [(80, 24), (120, 36), (200, 60)] {
        let mut app = toy("tiled", (width, height));
        press(&mut app, "n Right Right Right");
        point(&mut app, PointedAt::Lane { warp: 0, lane: 6 });
        insta::assert_snapshot!(format!("toy_{width}x{height}"), shown(&app));
    }
}

/// The cells of panel 2 next to its label, row by row, of a tile of 16.
fn cells(app: &App, label: &str) -> Vec<ratatui::buffer::Cell> {
    let (text, size) = (shown(app), app.size());
    let rows = text.lines().enumerate();
    let mut found = rows.filter_map(|(y, row)| Some((row[..row.find(label)?].chars().count(), y)));
    let (x, y) = found.next().expect("a label");
    let buf = frame(app, size.width, size.height);
    let at = |row: usize| (0..16).map(move |column| ((x + column) as u16, (y + 1 + row) as u16));
    (0..8).flat_map(at).map(|at| buf[at].clone()).collect()
}

#[test]
fn the_selected_warps_part_is_marked_and_no_other() {
    for look in [
        Look::default(),
        Look { theme: Theme::Light, ..Look::default() },
        Look { depth: Depth::Mono, glyphs: Glyphs::Ascii, ..Look::default() },
    ] {
        let tiled = matviz::kernel::find("tiled").expect("a kernel");
        let options = options(vec![problem(tiled, 64)], 0, Dim3::at(1, 1));
        let mut app = start(StartOptions { look, ..options }, (120, 36));
        press(&mut app, "n");
        let before = ["sA[16]", "sB[16]"].map(|label| cells(&app, label));
        press(&mut app, "g n");
        let tasks = update::update(&mut app, Action::SelectWarp(3));
        settle(&mut app, tasks);
        let after = ["sA[16]", "sB[16]"].map(|label| cells(&app, label));
        for (before, after) in before.iter().zip(&after) {
            let marked: Vec<_> = (0..128).filter(|at| before[*at] != after[*at]).collect();
            // Warp 3 has stored rows 6 and 7, which share a row of the screen.
            assert_eq!(marked, (48..64).collect::<Vec<_>>(), "{look:?}");
        }
        // At the top level, Esc selects no warp.
        press(&mut app, "Esc");
        assert_eq!(["sA[16]", "sB[16]"].map(|label| cells(&app, label)), before, "{look:?}");
    }
}

#[test]
fn the_lines_and_banks_are_those_of_the_selected_warp() {
    let mut app = app("tiled", 64, 120, 36);
    press(&mut app, "n");
    let tasks = update::update(&mut app, Action::SelectWarp(3));
    settle(&mut app, tasks);
    press(&mut app, "5");
    let text = shown(&app);
    // Rows 6 and 7 of its tile of B.
    let lines = ["w3, line 35, before, simulated", "B row 6", "B row 7"];
    assert!(lines.iter().all(|line| text.contains(line)), "{text}");
    assert!(text.contains(" 0 ") && text.contains(" 31"), "the lanes are numbered: {text}");
    press(&mut app, "5 6");
    let text = shown(&app);
    assert!(text.contains("w3, line 35, before, simulated") && text.contains(" 31"), "{text}");
}

#[test]
fn a_zoomed_panel_shows_where_each_lane_goes() {
    for (panel, name) in [("5", "lines"), ("6", "banks")] {
        for (width, height) in [(100, 30), (120, 36), (200, 60)] {
            let transposed = matviz::kernel::find("tiled_transposed").expect("a kernel");
            let options = options(vec![problem(transposed, 64)], 0, Dim3::at(1, 1));
            let look = Look { glyphs: Glyphs::Ascii, ..Look::default() };
            let mut app = start(StartOptions { look, ..options }, (width, height));
            press(&mut app, "x");
            press(&mut app, panel);
            // On a small screen a panel is first shown beside the others.
            if width < 120 {
                press(&mut app, panel);
            }
            insta::assert_snapshot!(format!("{name}_zoomed_{width}x{height}"), shown(&app));
        }
    }
}
