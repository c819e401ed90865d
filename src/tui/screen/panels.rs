//! Builds each panel's widget from the state.

mod compare;
mod matrices;
mod moment;

use super::{lesson, listing, measured, value};
use crate::analysis::banks::wavefronts;
use crate::analysis::coalesce;
use crate::report::pointed::Point;
use crate::sim::LaneMask;
use crate::trace::{Last, WarpNow};
use crate::tui::action::Action;
use crate::tui::app::App;
use crate::tui::chart;
use crate::tui::facts::arrivals::Arrivals;
use crate::tui::facts::{self, Gate, passes, pointed, staged, things};
use crate::tui::layout::Panel;
use crate::tui::theme::Role;
use crate::tui::widget::banks::{self, Banks};
use crate::tui::widget::chosen;
use crate::tui::widget::cost::{Cost, Tally};
use crate::tui::widget::lines::{self, Lines};
use crate::tui::widget::panel::{self, Panel as Frame};
use crate::tui::widget::shared::{self, Shared};
use crate::tui::widget::timeline::{self, Timeline};
use crate::tui::widget::warps::{self, Warps};
pub use matrices::elements_of;
use moment::{glow, held};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;

/// Columns of the panel of shared memory that its full title needs beside the names in it.
const NARROW: u16 = 40;

/// Draws a panel's content, and returns what its frame says: (title, note).
type Draw = fn(&App, Rect, &mut Buffer) -> (String, String);

/// Returns the action of a click at a position inside the panel.
type Click = fn(&App, Rect, (u16, u16)) -> Option<Action>;

/// Returns how a panel is drawn and what a click in it does.
const fn parts(panel: Panel) -> (Draw, Click) {
    match panel {
        Panel::Matrices => (matrices::draw, matrices::follow_element),
        Panel::Shared => (draw_shared, point_at_word),
        Panel::Warps => (draw_warps, point_at_lane),
        Panel::Source => (listing::draw, listing::click),
        Panel::Lines => (draw_lines, point_at_sector),
        Panel::Banks => (draw_banks, point_at_bank),
        Panel::Timeline => (draw_timeline, seek),
        Panel::Measured => (measured::draw, nothing),
        Panel::Compare => (compare::draw, nothing),
        Panel::Value => (value::draw, value::click),
        Panel::Cost => (draw_cost, nothing),
    }
}

/// Draws a panel's content, and returns what its frame says: (title, note).
pub fn draw(app: &App, panel: Panel, area: Rect, buf: &mut Buffer) -> (String, String) {
    parts(panel).0(app, area, buf)
}

/// Returns the action of a click at a position inside a panel.
pub fn click(app: &App, panel: Panel, area: Rect, at: (u16, u16)) -> Option<Action> {
    parts(panel).1(app, area, at)
}

fn nothing(_: &App, _: Rect, _: (u16, u16)) -> Option<Action> {
    None
}

/// Builds the widget of the warps.
fn warps<'a>(app: &'a App, names: &'a [&'a str], lit: &'a [(usize, LaneMask, Role)]) -> Warps<'a> {
    let (session, place) = (&app.session, app.session.place());
    Warps {
        warps: &place.warps,
        block: session.problem().launch.block,
        blocks: session.replay().machine().blocks().count() as usize,
        names,
        selected: app.warp,
        issued: place.step.as_ref().map(|step| usize::from(step.warp)),
        gate: facts::gate(session),
        multiplies: facts::multiplies(session),
        lit,
        look: app.look,
    }
}

/// Returns the cells of a warp's lanes, if they are in view.
pub fn band(app: &App, area: Rect, warp: usize) -> Option<Rect> {
    warps::band_of(&warps(app, &[], &[]), area, warp)
}

/// Returns the cells around these words of shared memory, if they are in view.
pub fn words(app: &App, area: Rect, words: &[u32]) -> Option<Rect> {
    shared(app, area, |widget| shared::around(&widget, area, words))
}

/// Returns the columns and half rows of the screen that show these points in a panel, as far as they
/// are in view.
pub fn places(app: &App, panel: Panel, area: Rect, points: &[Point]) -> Vec<Rect> {
    let is_one = |point| points.contains(&point);
    match panel {
        _ if points.is_empty() => Vec::new(),
        Panel::Matrices if app.session.problem().operands.is_empty() => Vec::new(),
        Panel::Matrices => {
            let elements = points.iter().filter_map(|point| match point {
                Point::Element(element) => Some(*element),
                _ => None,
            });
            matrices::halves_of(app, area, &elements.collect::<Vec<_>>())
        }
        Panel::Shared => shared(app, area, |widget| {
            let words = points.iter().filter_map(|point| match point {
                Point::Word(word) => Some(*word),
                _ => None,
            });
            shared::halves_of(&widget, area, &words.collect::<Vec<_>>())
        }),
        Panel::Lines => {
            let places = facts::line_places(&app.session, last(app, |warp| &warp.global));
            let sector_at = lines::sector_at(&lines(app, &[], &places), area);
            cells(area, |x, y| sector_at(x, y).map(sector).is_some_and(is_one))
        }
        Panel::Banks => {
            let bank_at = banks(app, |widget| banks::bank_at(&widget, area));
            cells(area, |x, y| bank_at(x, y).map(bank).is_some_and(is_one))
        }
        _ => Vec::new(),
    }
}

/// Returns the point that a sector is: the address of its line, and its number there.
fn sector((line, sector): (u64, u8)) -> Point {
    Point::Sector(line + u64::from(sector) * coalesce::SECTOR)
}

/// Returns the point that a bank is.
fn bank(bank: u8) -> Point {
    Point::Bank(bank.into())
}

/// Returns the cells of an area for which this holds, as columns and half rows.
fn cells(area: Rect, holds: impl Fn(u16, u16) -> bool) -> Vec<Rect> {
    let held = area.positions().filter(|at| holds(at.x, at.y));
    held.map(|at| Rect { x: at.x, y: 2 * at.y, width: 1, height: 2 }).collect()
}

/// Builds the widget of the timeline.
fn timeline(app: &App) -> Timeline<'_> {
    Timeline {
        columns: &app.chart.columns,
        tally: &app.chart.tally,
        multiplies: facts::multiplies(&app.session),
        at: app.session.at(),
        selected: app.warp,
        found: lesson::found_at(app),
        hides: lesson::hides_from(app),
        look: app.look,
    }
}

/// The widget of the warps while some arrive at a barrier.
fn midway<'a>(arriving: &'a Arrivals, warps: Warps<'a>) -> Warps<'a> {
    let open = warps.gate.map(|gate| Gate { opening: arriving.opening, ..gate });
    let closed = warps.gate.map(|gate| Gate { open: false, ..gate });
    match &arriving.midway {
        None => Warps { gate: open, ..warps },
        Some((midway, last)) => Warps { warps: midway, issued: Some(*last), gate: closed, ..warps },
    }
}

fn draw_warps(app: &App, area: Rect, buf: &mut Buffer) -> (String, String) {
    let own = things::lanes(app).or_else(|| pointed::lanes(app)).unwrap_or_default();
    let step = facts::lit_lanes(app).into_iter();
    // What is wrong stays in its colour.
    let step = step.filter(|(.., role)| own.is_empty() || *role == Role::Bad);
    let lit: Vec<_> = step.chain(own.iter().copied()).collect();
    let names = facts::touched_names(&app.session);
    let arriving = Arrivals::of(app);
    let widget = midway(&arriving, warps(app, &names, &lit));
    widget.render(area, buf);
    let tiles = app.session.barrier_tile().zip(app.session.problem().k_tiles());
    let tile = tiles.map_or_else(String::new, |(tile, all)| {
        let all = if lesson::asks(app) { String::new() } else { format!("/{all}") };
        format!("tile {}{all}", tile + 1)
    });
    if lesson::hides(app, Panel::Warps) {
        return ("Threads".to_owned(), String::new());
    }
    widget.title(area, &tile)
}

fn point_at_lane(app: &App, area: Rect, (x, y): (u16, u16)) -> Option<Action> {
    let widget = warps(app, &[], &[]);
    let point = warps::lane_at(&widget, area, x, y);
    let point = point.map(|(warp, lane)| Action::Point(Point::Lane { warp, lane }));
    point.or_else(|| warps::warp_at(&widget, area, y).map(Action::SelectWarp))
}

fn draw_timeline(app: &App, area: Rect, buf: &mut Buffer) -> (String, String) {
    let widget = timeline(app);
    widget.render(area, buf);
    widget.title(area, app.session.trace().len())
}

fn seek(app: &App, area: Rect, (x, y): (u16, u16)) -> Option<Action> {
    let step = chart::step_at(area, &app.chart.columns, x).map(Action::Seek);
    step.or_else(|| timeline::warp_at(&timeline(app), area, y).map(Action::SelectWarp))
}

/// Builds the widget of shared memory, and hands it on.
fn shared<T>(app: &App, area: Rect, see: impl FnOnce(Shared<'_>) -> T) -> T {
    let session = &app.session;
    let wrong: Vec<_> = session.shows().filter_map(|shows| shows.word).collect();
    let means = session.worst().map_or(Role::Here, |shows| facts::role_of(shows.outcome));
    let now = passes::words_now(app).unwrap_or_else(|| facts::shared_now(session));
    let now = if passes::in_flight(app) { Vec::new() } else { now };
    let now = if wrong.is_empty() { now } else { wrong };
    let values = facts::shared_values(session);
    // While a question is open, that may be its answer.
    let hazards = if lesson::asks(app) { Vec::new() } else { session.hazards().collect() };
    let titles = facts::shared_titles(session);
    let (arrays, marks) = facts::shared_arrays(session, &titles);
    let words = &held(app);
    let look = app.look;
    let (arrays, marks, now, values) = (&arrays[..], &marks[..], &now[..], Some(&values));
    see(Shared {
        arrays,
        marks,
        known: session.problem().known.is_some(),
        words,
        hazards: &hazards,
        now,
        glow: glow(app, |shown| &shown.words),
        means,
        values,
        registers: &pointed::registers(app, area.width),
        look,
    })
}

fn draw_shared(app: &App, area: Rect, buf: &mut Buffer) -> (String, String) {
    let session = &app.session;
    let foreign = session.problem().staged(session.trace().program()).next().is_none();
    let part = pointed::part(app).unwrap_or_default();
    let note = shared(app, area, |widget| {
        let note = staged::counted(widget.words, foreign);
        widget.render(area, buf);
        if !part.words.is_empty() {
            chosen::mark(buf, app.look, &shared::halves_of(&widget, area, &part.words));
        }
        let followed = pointed::related(app).map(|related| related.words);
        let followed = followed.or_else(|| facts::value::slots(app)).unwrap_or_default();
        chosen::follow(buf, app.look, &shared::halves_of(&widget, area, &followed));
        note
    });
    // How many words have come may be what a lesson asks.
    let note = if lesson::asks(app) { String::new() } else { note };
    // A narrow panel has no row for the names above the pictures.
    let title = if area.width < NARROW && !foreign {
        let staged = session.problem().staged(session.trace().program());
        let names: Vec<_> = staged.map(|(array, ..)| array.name).collect();
        format!("Shared: {}", names.join(", "))
    } else {
        "Shared memory".to_owned()
    };
    if part.words.is_empty() {
        return (title, note);
    }
    let whose = chosen::legend(app.look, app.warp);
    let both = if note.is_empty() { whose } else { format!("{whose}, {note}") };
    panel::fitting(&[title], &[both, note], area.width)
}

fn point_at_word(app: &App, area: Rect, (x, y): (u16, u16)) -> Option<Action> {
    let word = shared(app, area, |widget| shared::word_at(&widget, area, x, y));
    word.map(|word| Action::Point(Point::Word(word)))
}

/// Builds the widget of the lines.
fn lines<'a>(app: &'a App, pointed: &'a [u64], places: &'a [(u32, u32)]) -> Lines<'a> {
    let last = last(app, |warp| &warp.global);
    let operand = facts::global_operand(&app.session, last);
    Lines {
        access: last.map(|last| &last.access),
        warp: app.warp as u16,
        operand: operand.map(|(operand, _)| operand),
        origin: operand.map_or(0, |(_, base)| base),
        places,
        pointed,
        look: app.look,
    }
}

fn draw_lines(app: &App, area: Rect, buf: &mut Buffer) -> (String, String) {
    let pointed = pointed::addresses(app);
    let places = facts::line_places(&app.session, last(app, |warp| &warp.global));
    let widget = lines(app, &pointed, &places);
    widget.render(area, buf);
    widget.title(area.width)
}

fn point_at_sector(app: &App, area: Rect, (x, y): (u16, u16)) -> Option<Action> {
    let places = facts::line_places(&app.session, last(app, |warp| &warp.global));
    lines::sector_at(&lines(app, &[], &places), area)(x, y).map(sector).map(Action::Point)
}

/// Builds the widget of the banks, and hands it on.
fn banks<T>(app: &App, see: impl FnOnce(Banks<'_>) -> T) -> T {
    let last = last(app, |warp| &warp.shared);
    let becomes = facts::becomes(&app.session, last);
    let zoomed = app.wanted.zoomed == Some(Panel::Banks);
    let values = zoomed.then(|| facts::shared_values(&app.session));
    see(Banks {
        access: last.map(|last| &last.access),
        warp: app.warp as u16,
        operand: facts::shared_operand(&app.session, last),
        becomes: &becomes,
        values: values.as_ref(),
        pointed: pointed::banks(app),
        pass: passes::playing(app),
        together: facts::together(&app.session, last),
        look: app.look,
    })
}

fn point_at_bank(app: &App, area: Rect, (x, y): (u16, u16)) -> Option<Action> {
    banks(app, |widget| banks::bank_at(&widget, area))(x, y).map(bank).map(Action::Point)
}

fn draw_banks(app: &App, area: Rect, buf: &mut Buffer) -> (String, String) {
    banks(app, |widget| {
        widget.render(area, buf);
        widget.title(area.width)
    })
}

fn draw_cost(app: &App, area: Rect, buf: &mut Buffer) -> (String, String) {
    let place = app.session.place();
    let shared = last(app, |warp| &warp.shared);
    Cost {
        global: last(app, |warp| &warp.global).map(|last| coalesce::sectors(&last.access)),
        shared: shared.map(|last| wavefronts(&last.access)),
        has_shared: app.wanted.shared,
        becomes: &facts::becomes(&app.session, shared),
        reuse: facts::reuse(&app.session),
        multiplies: facts::multiplies(&app.session),
        works: facts::works(&app.session),
        tally: Tally::of(Arrivals::of(app).warps(&place.warps)),
        look: app.look,
    }
    .render(area, buf);
    (format!("Cost, {}", Cost::note(area.height)), String::new())
}

/// Returns the selected warp's last access in the given memory space.
fn last(app: &App, of: impl Fn(&WarpNow) -> &Option<Last>) -> Option<&Last> {
    app.session.place().warps.get(app.warp).and_then(|warp| of(warp).as_ref())
}

/// Returns the frame of a panel.
pub fn frame<'a>(app: &App, panel: Panel, title: &'a str, note: &'a str) -> Frame<'a> {
    let shown = app.wanted.zoomed.unwrap_or(app.wanted.focus);
    let number = panel.row().key.chars().next();
    Frame { number, title, note, focused: panel == shown, look: app.look }
}
