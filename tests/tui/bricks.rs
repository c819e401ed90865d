//! Bricks on the screen: as many passes and sectors as are counted, whatever the kernel and the size.

use crate::{app, press, settle, shown};
use matviz::kernel::KERNELS;
use matviz::tui::action::Action;
use matviz::tui::layout::Panel;
use matviz::tui::theme::{Look, Role};
use matviz::tui::{App, frame, update};

/// The cells of a panel.
fn cells(app: &App, panel: Panel) -> Vec<ratatui::buffer::Cell> {
    let size = app.size();
    let area = app.areas().panel(panel).expect("it is shown");
    let buf = frame(app, size.width, size.height);
    area.positions().map(|at| buf[(at.x, at.y)].clone()).collect()
}

/// The rows of a panel.
fn rows(app: &App, panel: Panel) -> Vec<String> {
    let wide = usize::from(app.areas().panel(panel).expect("it is shown").width);
    let cells = cells(app, panel);
    cells.chunks(wide).map(|row| row.iter().map(ratatui::buffer::Cell::symbol).collect()).collect()
}

/// At its first conflict.
fn conflict(screen: (u16, u16)) -> App {
    let mut app = app("tiled_transposed", 64, screen.0, screen.1);
    press(&mut app, "x");
    assert!(app.sentence().contains("conflict"), "{}", app.sentence());
    app
}

#[test]
fn zoomed_a_tower_has_a_brick_for_each_pass_with_the_number_of_its_lane() {
    for screen in [(120, 36), (200, 60)] {
        let mut app = conflict(screen);
        press(&mut app, "6");
        let rows = rows(&app, Panel::Banks);
        let passes = (1..=8).map(|pass| format!("pass {pass} "));
        for pass in passes {
            assert!(rows.iter().any(|row| row.contains(&pass)), "{pass}: {}", shown(&app));
        }
        assert!(!rows.iter().any(|row| row.contains("pass 9")), "{}", shown(&app));
        for lane in [0, 14, 15] {
            let number = format!("{lane}");
            let at = |row: &String| row.split_whitespace().any(|word| word == number);
            assert!(rows.iter().any(at), "lane {lane} at {screen:?}: {}", shown(&app));
        }
    }
}

/// The whole queue is in the panel, also where it has few rows.
#[test]
fn the_panel_of_the_workbench_shows_the_whole_queue() {
    let app = conflict((120, 36));
    let buf = cells(&app, Panel::Banks);
    let bad = Look::default().pixel(Role::Bad);
    let halves = |cell: &ratatui::buffer::Cell| match cell.symbol() {
        " " => 2 * u32::from(cell.bg == bad),
        "▀" | "▄" => u32::from(cell.fg == bad) + u32::from(cell.bg == bad),
        _ => 0,
    };
    let red: u32 = buf.iter().map(halves).sum();
    assert_eq!(red, 4 * 7, "four towers, of which seven passes each are too many: {}", shown(&app));
    assert!(shown(&app).contains("8-way conflict: 8 passes"), "{}", shown(&app));
}

#[test]
fn an_access_of_an_earlier_event_is_no_alarm() {
    let mut app = conflict((120, 36));
    let bad = Look::default().pixel(Role::Bad);
    assert!(cells(&app, Panel::Banks).iter().any(|cell| cell.bg == bad));
    // All warps store together; then the first loads from B.
    press(&mut app, "Right Right");
    let (text, cells) = (shown(&app), cells(&app, Panel::Banks));
    assert!(text.contains("line 33, before"), "{text}");
    assert!(cells.iter().all(|cell| cell.bg != bad && cell.fg != bad), "{text}");
}

/// The panels say what `analysis` counts, for each access of each kernel.
#[test]
fn the_panels_say_how_many_sectors_and_passes_each_access_takes() {
    for kernel in KERNELS {
        let mut app = crate::start(
            crate::options(vec![crate::problem(kernel, 256)], 0, matviz::launch::Dim3::at(0, 0)),
            (200, 60),
        );
        for _ in 0..24 {
            let tasks = update::update(&mut app, Action::Forward);
            settle(&mut app, tasks);
            let sentence = app.sentence().to_owned();
            let lines = rows(&app, Panel::Lines).join("\n");
            for sectors in [" sectors", " sector "] {
                let Some((before, _)) = sentence.split_once(sectors) else { continue };
                let count = before.rsplit(' ').next().unwrap_or_default();
                let said = format!("{count} sector");
                assert!(lines.contains(&said), "{}: {sentence}\n{lines}", kernel.name);
            }
        }
    }
}
