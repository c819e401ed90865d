//! Pictures say what is the case: on every screen, in every look.

use crate::{app, app_of, options, press, problem, shown, spoiled, start};
use matviz::kernel::{BROKEN, KERNELS, Problem};
use matviz::launch::Dim3;
use matviz::matrix::Size;
use matviz::sim::Order;
use matviz::tui::layout::Panel;
use matviz::tui::theme::{Depth, Glyphs, Look, Role};
use matviz::tui::{App, StartAt, StartOptions, frame};
use ratatui::layout::{Position, Rect};

const SCREENS: [(u16, u16); 3] = [(80, 24), (120, 36), (200, 60)];

fn looks() -> [Look; 3] {
    let plain = Look::default();
    let ascii = Look { glyphs: Glyphs::Ascii, ..plain };
    [plain, ascii, Look { depth: Depth::Mono, ..plain }]
}

/// The part of the screen inside a panel's frame.
fn inside(app: &App, panel: Panel) -> Rect {
    let area = app.areas().panel(panel).expect("it is on the screen");
    Rect { x: area.x + 1, y: area.y + 1, width: area.width - 2, height: area.height - 2 }
}

/// What stands inside a panel.
fn text_of(app: &App, panel: Panel) -> String {
    let (area, size) = (inside(app, panel), app.size());
    let buf = frame(app, size.width, size.height);
    let row = |y| (area.left()..area.right()).map(|x| buf[(x, y)].symbol()).collect::<String>();
    (area.top()..area.bottom()).map(|y| row(y) + "\n").collect()
}

/// The cells of a panel that are drawn as wrong: by colour or, without colours, by their mark.
fn wrong_cells(app: &App, panel: Panel) -> usize {
    let (area, size, look) = (inside(app, panel), app.size(), app.look());
    let buf = frame(app, size.width, size.height);
    let bad = look.pixel(Role::Bad);
    let cells = area.positions().map(|at| &buf[at]);
    let is_bad = |cell: &&ratatui::buffer::Cell| match look.depth {
        Depth::Mono => cell.symbol() == "!",
        _ => cell.bg == bad || cell.fg == bad && "▀▄".contains(cell.symbol()),
    };
    cells.filter(is_bad).count()
}

/// A whole run of a broken kernel in an order that spoils C, in a look.
fn broken(name: &str, look: Look, screen: (u16, u16)) -> App {
    let kernel = BROKEN.iter().find(|known| known.name == name).expect("a kernel");
    let options = options(vec![problem(kernel, 64)], 0, Dim3::at(1, 1));
    start(StartOptions { look, order: Order::ToBarrier, begin: StartAt::Start, ..options }, screen)
}

#[test]
fn what_is_wrong_in_c_is_red_from_its_store_on() {
    for (screen, look) in SCREENS.into_iter().flat_map(|screen| looks().map(|look| (screen, look)))
    {
        let mut app = broken("tiled_no_compute_barrier", look, screen);
        assert_eq!(wrong_cells(&app, Panel::Matrices), 0, "nothing is stored at the start");
        press(&mut app, "G Esc");
        assert!(wrong_cells(&app, Panel::Matrices) > 0, "{screen:?}, {look:?}: {}", shown(&app));
    }
    for kernel in ["naive", "tiled", "blocked_1d"] {
        let mut app = app(kernel, 64, 120, 36);
        press(&mut app, "G Esc");
        assert_eq!(wrong_cells(&app, Panel::Matrices), 0, "{kernel} is right: {}", shown(&app));
    }
}

#[test]
fn a_word_that_a_slow_warp_still_needs_is_red_and_not_old() {
    for screen in SCREENS {
        let mut app = spoiled("tiled_no_compute_barrier", StartAt::Finding, screen);
        assert!(app.sentence().starts_with("RACE: "), "{}", app.sentence());
        // All warps but one still need the first tile.
        let (buf, area) = (frame(&app, screen.0, screen.1), inside(&app, Panel::Shared));
        let old = [Role::A, Role::B].map(|role| app.look().half(role));
        let is_old = |at: &Position| old.contains(&buf[*at].bg) || old.contains(&buf[*at].fg);
        // The legend has one.
        assert!(area.positions().filter(is_old).count() <= 1, "{screen:?}: {}", shown(&app));
        assert!(wrong_cells(&app, Panel::Shared) > 1, "{screen:?}: {}", shown(&app));
        // On the way to the wrong load they stay marked.
        press(&mut app, "Right Right");
        assert!(wrong_cells(&app, Panel::Shared) > 1, "{screen:?}: {}", shown(&app));
    }
}

#[test]
fn the_row_of_the_whole_run_marks_where_a_finding_shows() {
    let app = spoiled("tiled_no_compute_barrier", StartAt::Finding, (120, 36));
    let (buf, row) = (frame(&app, 120, 36), app.areas().scrubber);
    let marks = row.positions().filter(|at| buf[*at].symbol() == "▲").count();
    assert!(marks > 0, "{}", shown(&app));
    let sound = crate::app("tiled", 64, 120, 36);
    let buf = frame(&sound, 120, 36);
    assert!(!row.positions().any(|at| buf[at].symbol() == "▲"), "{}", shown(&sound));
}

/// The values of the two kernels in each row of the table at the end.
fn compared(kernel: &str) -> Vec<String> {
    let mut app = app(kernel, 64, 120, 40);
    press(&mut app, "G Esc c");
    let text = shown(&app);
    let rows = ["global load requests", "warp instructions", "uses of a fetched word"];
    let row = |row: &str| text.lines().find_map(|line| line.split_once(row)).map(|(_, rest)| rest);
    let rows = rows.map(|name| row(name).expect(name));
    rows.map(|row| row.split_whitespace().take(2).collect::<Vec<_>>().join(" : ")).to_vec()
}

#[test]
fn both_kernels_are_counted_to_their_ends_from_either_side() {
    let tiled = compared("tiled");
    assert_eq!(tiled, compared("naive"));
    // What `matviz check` counts for one of 16 blocks: 50,944 and 36,736.
    assert_eq!(tiled[1], "3,184 : 2,296");
}

/// The height of the filled area in each column of the graph of sectors.
fn heights(app: &App) -> Vec<usize> {
    let size = app.size();
    let (buf, area) = (frame(app, size.width, size.height), inside(app, Panel::Compare));
    let fill = app.look().half(Role::Memory);
    let is_full = |x, y| {
        let cell = &buf[(x, y)];
        cell.bg == fill || cell.symbol() == "█" && cell.fg == fill
    };
    let column = |x| (area.top()..area.bottom()).filter(|y| is_full(x, *y)).count();
    (area.left()..area.right()).map(column).skip_while(|height| *height == 0).collect()
}

#[test]
fn sums_never_fall() {
    for screen in [(80, 24), (120, 36), (200, 60)] {
        for keys in ["G Esc c", "c", "n n Right c"] {
            let mut app = app("tiled", 64, screen.0, screen.1);
            press(&mut app, keys);
            let heights = heights(&app);
            let end = heights.iter().rposition(|height| *height > 0).map_or(0, |last| last + 1);
            assert!(heights[..end].is_sorted(), "{screen:?}, {keys}: {heights:?}\n{}", shown(&app));
        }
    }
}

#[test]
fn the_arrow_of_the_times_is_of_what_runs() {
    let kernel = KERNELS.iter().find(|known| known.name == "tiled").expect("a kernel");
    for (tile, size) in [(4, 8), (4, 64), (16, 64)] {
        let (variant, ptx) = (kernel.variant(tile).expect("a tile"), kernel.embedded(tile));
        let problem = Problem::of(kernel, variant, Size::square(size), ptx.expect("PTX").into());
        for screen in [(120, 36), (200, 60)] {
            let app = app_of(vec![problem.clone()], 0, Dim3::at(0, 0), screen);
            let text = text_of(&app, Panel::Measured);
            let told = text.contains(&format!("({tile} was not measured)"));
            let arrow = text.contains(&format!("►tiled {tile} "));
            assert!(told != arrow, "tile {tile}, {screen:?}: {text}");
            assert!(!text.contains("►tiled") || arrow, "{text}");
        }
    }
}

#[test]
fn lines_of_memory_are_rows_with_all_their_digits() {
    let problems = vec![KERNELS[2].problem_for(Size::square(1024))];
    for screen in SCREENS {
        let options = options(problems.clone(), 0, Dim3::at(32, 32));
        let mut app = start(StartOptions { order: Order::ByPhase, ..options }, screen);
        press(&mut app, "Right 5");
        let text = text_of(&app, Panel::Lines);
        assert!(text.contains("512") && text.contains("513"), "{screen:?}: {text}");
        assert!(!text.contains("0x") && !text.contains("1000"), "{screen:?}: {text}");
    }
}

#[test]
fn what_happens_now_stays_lit_while_a_word_is_pointed_at() {
    for screen in [(120, 36), (200, 60)] {
        let mut app = app("tiled", 64, screen.0, screen.1);
        press(&mut app, "n n Right Right Right Right");
        let now = |app: &App| {
            let (buf, area) = (frame(app, screen.0, screen.1), inside(app, Panel::Shared));
            let here = app.look().pixel(Role::Here);
            let words = Rect { height: area.height - 1, ..area };
            words.positions().filter(|at| buf[*at].bg == here || buf[*at].fg == here).count()
        };
        let lit = now(&app);
        press(&mut app, "2 2 I Down Down Down Down");
        let pointed = now(&app);
        assert!(lit > 8 && pointed + 8 >= lit, "{screen:?}: {lit}, {pointed}: {}", shown(&app));
    }
}

#[test]
fn a_part_of_a_matrix_is_not_headed_as_the_whole() {
    for kernel in &KERNELS[..3] {
        let problems = vec![kernel.problem_for(Size::square(1024))];
        for screen in SCREENS {
            let app = app_of(problems.clone(), 0, Dim3::at(1, 1), screen);
            let text = text_of(&app, Panel::Matrices);
            let whole = text.matches("1024x1024").count();
            assert_eq!(whole, text.matches("of 1024x1024").count(), "{screen:?}: {text}");
        }
    }
}
