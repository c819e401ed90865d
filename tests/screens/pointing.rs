//! Pointing: one line about a lane, a word, a bank, a sector or an element, true at each step.

use super::{app, app_of, click, press, shown};
use matviz::kernel::{KERNELS, Problem};
use matviz::launch::Dim3;
use matviz::matrix::{Element, Operand, SMALL, Size};
use matviz::report::pointed::Point;
use matviz::tui::action::Action;
use matviz::tui::headless::settle;
use matviz::tui::{App, update};

fn point(app: &mut App, point: Point) {
    let tasks = update::update(app, Action::Point(point));
    settle(app, tasks);
}

/// The last row.
fn line(app: &App) -> String {
    shown(app).lines().last().unwrap_or_default().trim().to_owned()
}

/// Steps on until the last row contains this.
fn until(app: &mut App, said: &str) {
    let found = (0..200).find(|_| {
        press(app, "Right");
        line(app).contains(said)
    });
    assert!(found.is_some(), "{said}: {}", line(app));
}

/// A product of whole numbers from 0 to 9.
fn toy(kernel: &str, screen: (u16, u16)) -> App {
    let tiled = KERNELS.iter().find(|known| known.name == kernel).expect("a kernel");
    let (variant, ptx) = (tiled.variant(4).expect("a tile"), tiled.embedded(4).expect("its PTX"));
    let problem = Problem::of(tiled, variant, Size::square(8), ptx.into());
    app_of(vec![Problem { seed: SMALL, ..problem }], 0, Dim3::at(0, 0), screen)
}

#[test]
fn a_lane_says_what_it_loads_and_where_that_goes() {
    let lane = Point::Lane { warp: 3, lane: 17 };
    for (width, said) in [
        (120, "w3 l17 = thread (1,7): loads A[23][1] = "),
        (80, "w3 l17 (1,7): loads A[23][1], line A+0x1700 sector 0, for sA[7][1], bank 17"),
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
    point(&mut app, Point::Lane { warp: 0, lane: 6 });
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
    point(&mut app, Point::Word(16));
    assert!(line(&app).starts_with("sA[0][16], bank 16: padding"), "{}", line(&app));
    point(&mut app, Point::Word(17));
    assert!(line(&app).starts_with("sA[1][0], bank 17: holds A["), "{}", line(&app));
}

#[test]
fn a_bank_and_a_sector_say_who_asks_for_them() {
    let mut app = app("tiled", 64, 120, 36);
    press(&mut app, "n Right Right");
    point(&mut app, Point::Bank(2));
    assert!(line(&app).starts_with("bank 2: "), "{}", line(&app));
    press(&mut app, "g a");
    point(&mut app, Point::Element(Element { operand: Operand::A, row: 30, column: 9 }));
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

#[test]
fn no_line_is_longer_than_the_screen_or_empty() {
    for kernel in ["tiled", "naive", "tiled_padded", "blocked_2d", "double_buffered"] {
        let mut app = app(kernel, 64, 80, 24);
        for _ in 0..12 {
            press(&mut app, "Right");
            let lanes = [(0, 0), (0, 31), (1, 17)].map(|(warp, lane)| Point::Lane { warp, lane });
            let element = |operand| Point::Element(Element { operand, row: 20, column: 3 });
            let others = [Point::Word(0), Point::Word(100), Point::Bank(3), Point::Sector(1 << 16)];
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
        point(&mut app, Point::Lane { warp: 0, lane: 6 });
        insta::assert_snapshot!(format!("toy_{width}x{height}"), shown(&app));
    }
}
