//! The directed run of the stage on real screens: what has its full colour, what is lit before its words
//! have come, what flickers, and how much a terminal is sent.

use crate::stage::{staged, watch};
use matviz::kernel::KERNELS;
use matviz::study::stage::{PlaceId, Way};
use matviz::tui::layout::Areas;
use matviz::tui::terminal::SparingBackend;
use matviz::tui::theme::{Look, Role};
use matviz::tui::widget::stage::{HalfRect, PlaceShape, PlacedTile, StageGeometry};
use matviz::tui::{stage, view};
use ratatui::buffer;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Color;
use ratatui::{Terminal, TerminalOptions, Viewport};
use std::cell::Cell;
use std::collections::{BTreeSet, HashMap};
use std::io::{self, Write};
use std::rc::Rc;

const SIZES: [(u16, u16); 7] =
    [(80, 24), (100, 30), (120, 36), (160, 45), (200, 60), (300, 80), (40, 12)];

/// The hues in which words are at their brightest.
fn full_hues() -> [Color; 4] {
    [Role::A, Role::B, Role::C, Role::Here].map(|role| Look::default().pixel(role))
}

/// The colours of the upper and the lower half of a cell.
fn halves(cell: &buffer::Cell) -> [Color; 2] {
    match cell.symbol() {
        "▀" => [cell.fg, cell.bg],
        "▄" => [cell.bg, cell.fg],
        _ => [cell.bg; 2],
    }
}

/// The colour of a half row of the picture.
fn pixel(buf: &Buffer, stage: Rect, x: u16, y: u16) -> Option<Color> {
    let cell = buf.cell((stage.x + x, stage.y + y / 2))?;
    Some(halves(cell)[usize::from(y % 2)])
}

/// The areas of the picture in which something has its full colour: column and row are one source, both
/// collars one way, and what lies on no place is a strip on its way.
fn full_areas(buf: &Buffer, areas: &Areas, plan: &StageGeometry) -> BTreeSet<String> {
    let (stage, hues) = (areas.stage, full_hues());
    // A panel may lie over the stage.
    let last = areas.panels.first().map_or(stage.bottom(), |(_, panel)| panel.y) - stage.y;
    let mut found = BTreeSet::new();
    for y in plan.head.end * 2..plan.phases.unwrap_or(stage.height).min(last) * 2 {
        for x in 0..stage.width {
            if !pixel(buf, stage, x, y).is_some_and(|colour| hues.contains(&colour)) {
                continue;
            }
            let place = plan.tiles.iter().find(|tile| tile.area.has(x, y)).map(|tile| tile.place);
            found.insert(match place {
                Some(PlaceId::Left | PlaceId::Top) => "column and row".to_owned(),
                Some(PlaceId::LeftCollar | PlaceId::TopCollar) => "collars".to_owned(),
                Some(place) => format!("{place:?}"),
                None => "way".to_owned(),
            });
        }
    }
    found
}

/// The way's goal on the screen, if it is a grid.
fn goal(plan: &StageGeometry, way: &Way) -> Option<HalfRect> {
    let placed = plan.place(way.to.0).filter(|tile| tile.shape == PlaceShape::Grid)?;
    Some(placed.of(&way.to.1))
}

#[test]
fn at_most_three_areas_have_their_full_colour_in_the_directed_run() {
    for screen in [(80, 24), (120, 36), (200, 60)] {
        let mut most = 0;
        watch(&mut staged("tiled", 64, screen), |now, app, buf| {
            let Some((_, plan)) = stage(app).filter(|_| !app.shows_finale()) else { return };
            let all = full_areas(buf, &app.areas(), &plan);
            most = most.max(all.len());
            assert!(all.len() <= 3, "{screen:?} at {now:.1} s: {all:?}: {}", app.sentence());
        });
        assert!(most >= 2, "{screen:?}: something is lit");
    }
}

/// Strips fly to cells that are dark: as long as a way is not done, the part of its goal that its strip
/// has not reached keeps the colours that it had before.
#[test]
fn no_cell_of_a_goal_is_lit_before_its_words_are_there() {
    for (kernel, screen) in [("tiled", (120, 36)), ("tiled", (80, 24)), ("naive", (120, 36))] {
        let hues = full_hues();
        let mut flights = 0;
        watch(&mut staged(kernel, 64, screen), |now, app, buf| {
            let Some((scene, plan)) = stage(app).filter(|_| !app.shows_finale()) else { return };
            let area = app.areas().stage;
            for way in scene.ways.iter().filter(|way| way.part < 0.9 && !way.copy) {
                let Some((from, goal)) = plan.place(way.from.0).zip(goal(&plan, way)) else {
                    continue;
                };
                flights += 1;
                let is_lit = |x: &u16| {
                    let mut rows = goal.y..goal.bottom();
                    rows.any(|y| pixel(buf, area, *x, y).is_some_and(|hue| hues.contains(&hue)))
                };
                // From the side from which the strip comes.
                let mut columns: Vec<_> = (goal.x..goal.right()).collect();
                if from.area.x > goal.x {
                    columns.reverse();
                }
                let reached = columns.iter().take_while(|x| is_lit(x)).count();
                let lit = columns.iter().filter(|x| is_lit(x)).count();
                let where_ = format!("{kernel} {screen:?} at {now:.1} s, {:?}", way.to);
                assert_eq!(lit, reached, "{where_}: {}", app.sentence());
                assert!(reached < columns.len(), "{where_}: {}", app.sentence());
            }
        });
        assert!(flights > 10, "{kernel} {screen:?}: something flies");
    }
}

/// The half cells of a picture that go to a colour and back.
#[derive(Default)]
struct Flicker {
    /// The colour before the one shown, and that.
    last: HashMap<(u16, u16), [Color; 2]>,
    /// When each went back, and to which colour, within the last second.
    turns: HashMap<(u16, u16), Vec<(f64, Color)>>,
}

impl Flicker {
    /// Takes the next picture; returns the half cells that went back more than three times within a
    /// second.
    fn see(&mut self, now: f64, buf: &Buffer) -> Vec<(u16, u16)> {
        let picture = Rect { y: 1, height: buf.area.height - 3, ..buf.area };
        let mut found = Vec::new();
        for at in picture.positions() {
            for (half, colour) in (0..).zip(halves(&buf[at])) {
                let at = (at.x, 2 * at.y + half);
                let [before, shown] = self.last.entry(at).or_insert([colour; 2]);
                if colour == *shown {
                    continue;
                }
                let returns = colour == *before;
                (*before, *shown) = (*shown, colour);
                if returns {
                    let own = self.turns.entry(at).or_default();
                    own.retain(|(then, _)| now - then < 1.0);
                    own.push((now, colour));
                    if own.len() > 3 {
                        found.push(at);
                    }
                }
            }
        }
        found
    }
}

/// A strobe harms some people: no cell goes to a colour and back more than three times in a second.
#[test]
fn nothing_flickers_in_the_directed_run_of_other_kernels() {
    std::thread::scope(|all| {
        // Blocks in clusters have no stage.
        for kernel in KERNELS.iter().filter(|kernel| kernel.name != "half_tma") {
            all.spawn(|| nothing_flickers(kernel.name));
        }
    });
}

fn nothing_flickers(kernel: &str) {
    let mut flicker = Flicker::default();
    watch(&mut staged(kernel, 256, (120, 36)), |now, app, buf| {
        let found = flicker.see(now, buf);
        let said = app.sentence();
        let turns = found.first().map(|at| &flicker.turns[at]);
        assert!(found.is_empty(), "{kernel} at {now:.1} s: {said}: {turns:?} at {found:?}");
    });
}

/// A terminal that counts what it is sent.
#[derive(Clone, Default)]
struct SentBytes(Rc<Cell<usize>>);

impl Write for SentBytes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.set(self.0.get() + bytes.len());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_frame_of_the_directed_run_is_small() {
    std::thread::scope(|all| {
        for kernel in KERNELS {
            all.spawn(|| frames_are_small(kernel.name));
        }
    });
}

fn frames_are_small(kernel: &str) {
    let size = Rect::new(0, 0, 120, 36);
    let options = TerminalOptions { viewport: Viewport::Fixed(size) };
    let sent = SentBytes::default();
    let mut terminal =
        Terminal::with_options(SparingBackend::new(sent.clone()), options).expect("it is memory");
    let (mut most, mut large) = (0, Vec::new());
    watch(&mut staged(kernel, 256, (120, 36)), |now, app, _| {
        terminal.draw(|frame| view::view(app, frame)).expect("it is memory");
        let sent = sent.0.take();
        // The first frame is a whole screen, as is the picture at the end.
        if now > 0.0 && !app.shows_finale() {
            most = most.max(sent);
            if sent > 6 << 10 {
                large.push(format!("{sent} bytes at {now:.2} s: {}", app.sentence()));
            }
        }
    });
    assert!(most > 100, "{kernel}: something moves");
    assert!(large.is_empty(), "{kernel}: {large:#?}");
}

/// Row i of the left tile, of the collar and of C are one row of the screen, column j of the upper tile,
/// of its collar and of C one column: for every kernel, at every size.
#[test]
fn rows_and_columns_of_every_kernel_with_a_stage_are_those_of_the_screen() {
    let rows = |tile: &PlacedTile| (tile.area.y, tile.area.height, tile.rows, tile.bundle.rows);
    let columns =
        |tile: &PlacedTile| (tile.area.x, tile.area.width, tile.columns, tile.bundle.columns);
    for kernel in KERNELS.iter().filter(|kernel| kernel.name != "half_tma") {
        let mut app = staged(kernel.name, 256, (120, 36));
        let mut seen = 0;
        for (keys, screen) in SIZES.into_iter().flat_map(|screen| {
            ["n Right Right Right", "g n n Right Right"].map(|keys| (keys, screen))
        }) {
            crate::press(&mut app, keys);
            app.resize(screen.0, screen.1);
            let Some((_, plan)) = stage(&app) else { continue };
            let place = |place| plan.place(place).filter(|tile| tile.shape == PlaceShape::Grid);
            let Some(corner) = place(PlaceId::Corner) else { continue };
            seen += 1;
            for beside in [PlaceId::Left, PlaceId::LeftCollar].into_iter().filter_map(place) {
                assert_eq!(rows(beside), rows(corner), "{} {screen:?}", kernel.name);
            }
            for above in [PlaceId::Top, PlaceId::TopCollar].into_iter().filter_map(place) {
                assert_eq!(columns(above), columns(corner), "{} {screen:?}", kernel.name);
            }
        }
        assert!(seen >= 5, "{}: the cross is large at most sizes: {seen}", kernel.name);
    }
}
