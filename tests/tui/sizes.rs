//! What teaches, at five sizes: only the part of the screen that shows it, so that other changes
//! leave these pictures alone.

use crate::{app, options, press, problem, settle, start};
use matviz::kernel::{KERNELS, Problem};
use matviz::launch::Dim3;
use matviz::matrix::{SMALL, Size};
use matviz::report::pointed::PointedAt;
use matviz::sim::Order;
use matviz::tui::action::Action;
use matviz::tui::layout::Panel;
use matviz::tui::{App, StartOptions, frame, update};
use ratatui::layout::Rect;
use std::collections::BTreeSet;

type Screen = (u16, u16);

const SIZES: [Screen; 5] = [(80, 24), (80, 50), (100, 30), (120, 36), (200, 60)];

/// A thing to see: how it is brought to a screen of a size, and the part of the screen it is.
struct Thing {
    name: &'static str,
    on: fn(Screen) -> App,
    part: fn(&App) -> String,
}

const THINGS: [Thing; 10] = [
    Thing {
        name: "gate",
        on: |screen| at(tiled(screen), 240),
        part: |app| panel(app, Panel::Warps),
    },
    Thing {
        name: "timeline",
        on: |screen| showing(at(tiled(screen), 600), Panel::Timeline),
        part: |app| panel(app, Panel::Timeline),
    },
    Thing {
        name: "source",
        on: |screen| showing(at(tiled(screen), 600), Panel::Source),
        part: |app| panel(app, Panel::Source),
    },
    Thing {
        name: "compare",
        on: |screen| showing(at(tiled(screen), 600), Panel::Compare),
        part: |app| panel(app, Panel::Compare),
    },
    Thing {
        name: "why",
        on: |screen| pressed(tiled(screen), "m 5"),
        part: |app| framed(app, "5", "Why"),
    },
    Thing { name: "glossary", on: |screen| pressed(tiled(screen), "? Right"), part: glossary },
    Thing { name: "numbers", on: toy, part: |app| panel(app, Panel::Matrices) },
    Thing { name: "words", on: toy, part: |app| panel(app, Panel::Shared) },
    Thing { name: "pointing", on: pointing, part: last_row },
    Thing { name: "finale", on: at_the_end, part: |app| text(app, app.size()).join("\n") },
];

#[test]
fn what_teaches_is_seen_at_five_sizes() {
    for Thing { name, on, part } in THINGS {
        let all = SIZES.map(|screen| {
            let part = part(&on(screen));
            assert!(!part.trim().is_empty(), "{name} at {screen:?}");
            format!("{}x{}\n{part}\n", screen.0, screen.1)
        });
        insta::assert_snapshot!(name, all.join("\n"));
    }
}

/// The tiled kernel, watched in the usual order.
fn tiled(screen: Screen) -> App {
    let problems: Vec<_> = KERNELS.iter().map(|kernel| problem(kernel, 64)).collect();
    let tiled = problems.iter().position(|known| known.name() == "tiled").expect("a kernel");
    start(
        StartOptions { order: Order::ByPhase, ..options(problems, tiled, Dim3::at(2, 2)) },
        screen,
    )
}

/// Small numbers, in the last product of the first tile, with one lane pointed at.
fn toy(screen: Screen) -> App {
    let tiled = KERNELS.iter().find(|kernel| kernel.name == "tiled").expect("a kernel");
    let (variant, ptx) = (tiled.variant(4).expect("a tile"), tiled.embedded(4).expect("its PTX"));
    let toy = Problem { seed: SMALL, ..Problem::of(tiled, variant, Size::square(8), ptx.into()) };
    let app = start(options(vec![toy], 0, Dim3::at(0, 0)), screen);
    pressed(app, "n n Left")
}

fn pointing(screen: Screen) -> App {
    act(at(tiled(screen), 240), Action::Point(PointedAt::Lane { warp: 3, lane: 17 }))
}

fn at_the_end(screen: Screen) -> App {
    let mut app = pressed(tiled(screen), "] ] ] ] ] ] Space");
    while let Some(next) = app.next_frame() {
        if let Some(tasks) = app.tick(next) {
            settle(&mut app, tasks);
        }
    }
    app
}

fn act(mut app: App, action: Action) -> App {
    let tasks = update::update(&mut app, action);
    settle(&mut app, tasks);
    app
}

fn at(app: App, step: usize) -> App {
    act(app, Action::Seek(step))
}

fn pressed(mut app: App, keys: &str) -> App {
    press(&mut app, keys);
    app
}

/// With a panel on the screen: by its key, where there is no room for all.
fn showing(app: App, panel: Panel) -> App {
    if app.areas().panel(panel).is_some() { app } else { pressed(app, panel.row().key) }
}

/// The rows of a part of the screen, without blanks at their ends.
fn text(app: &App, area: Rect) -> Vec<String> {
    let size = app.size();
    let cells = frame(app, size.width, size.height);
    let symbols = |y| (area.x..area.right()).map(|x| cells[(x, y)].symbol()).collect::<String>();
    (area.y..area.bottom()).map(|y| symbols(y).trim_end().to_owned()).collect()
}

/// A panel with its frame.
fn panel(app: &App, panel: Panel) -> String {
    let area = app.areas().panel(panel).expect("it is on the screen");
    text(app, area).join("\n")
}

fn last_row(app: &App) -> String {
    text(app, app.areas().footer).join("\n")
}

/// The frame with the focus, whose title begins and ends so.
fn framed(app: &App, begins: &str, ends: &str) -> String {
    let rows = text(app, app.size());
    let is_head = |row: &&String| row.contains(&format!(" {begins} ")) && row.contains(ends);
    let top = rows.iter().position(|row| is_head(&row)).expect("a title");
    let head: Vec<char> = rows[top].chars().collect();
    let left = head.iter().position(|c| "╔╠╟".contains(*c)).expect("a corner");
    let right = head.iter().rposition(|c| "╗╣╢".contains(*c)).expect("a corner");
    let part = |row: &String| row.chars().skip(left).take(right + 1 - left).collect::<String>();
    let bottom = rows[top + 1..].iter().position(|row| part(row).starts_with(['╚', '╠', '╟']));
    let bottom = top + 1 + bottom.expect("a lower border");
    rows[top..=bottom].iter().map(part).collect::<Vec<_>>().join("\n")
}

/// The words of the first page of the help.
fn glossary(app: &App) -> String {
    let page = framed(app, "Help", "");
    let rows = page.lines().take_while(|row| !row.contains("Press first"));
    rows.map(str::trim_end).collect::<Vec<_>>().join("\n")
}

/// Also a loop that is unrolled, on a screen that has no room for the loop around it.
#[test]
fn the_listing_stays_where_it_is_while_a_loop_runs() {
    for (kernel, screen) in
        ["tiled", "blocked_1d"].iter().flat_map(|name| SIZES.map(|s| (*name, s)))
    {
        let app = pressed(app(kernel, 64, screen.0, screen.1), "n Right");
        let mut app = showing(app, Panel::Source);
        let mut seen = BTreeSet::new();
        for _ in 0..24 {
            press(&mut app, "Right");
            if ["acc", "load sA", "load sB"].iter().any(|word| app.sentence().contains(word)) {
                // The mark moves with the current line.
                seen.insert(
                    panel(&app, Panel::Source)
                        .lines()
                        .nth(1)
                        .map(|row| row.replace(['►', '·'], " ")),
                );
            }
        }
        assert_eq!(seen.len(), 1, "{kernel} at {screen:?}: {seen:#?}");
    }
}

/// A tile of which there is no recorded time, and a panel with more rows than bars.
#[test]
fn the_panel_of_times_says_what_it_lacks_and_fills_its_rows() {
    for screen in SIZES {
        let app = toy(screen);
        let text = panel(&app, Panel::Measured);
        assert!(text.contains("tiled 16"), "{text}");
    }
    for screen in [(80, 50), (120, 36), (200, 60)] {
        let text = panel(&pressed(tiled(screen), "8"), Panel::Measured);
        for part in ["naive_rows", "shared wavefronts", "GFLOP/s over N"] {
            assert!(text.contains(part), "{part} at {screen:?}: {text}");
        }
    }
}
