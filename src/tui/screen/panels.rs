//! Builds each panel's widget from the state.

mod compare;
mod matrices;

use super::{listing, measured, value};
use crate::analysis::banks::wavefronts;
use crate::analysis::coalesce;
use crate::report::pointed::PointedAt;
use crate::report::sentence::BankTalk;
use crate::sim::LaneMask;
use crate::tui::action::Action;
use crate::tui::chart;
use crate::tui::facts::{self, ExecutedSass, passes, pointed, staged, things};
use crate::tui::layout::Panel;
use crate::tui::motion::FloorSlide;
use crate::tui::theme::Role;
use crate::tui::view_model::ViewModel;
use crate::tui::widget::bricks::{self, BrickMotion, BucketPanel, Towers};
use crate::tui::widget::chosen;
use crate::tui::widget::cost::{CostPanel, WarpTally};
use crate::tui::widget::panel::{self, PanelFrame};
use crate::tui::widget::shared::{self, SharedPanel};
use crate::tui::widget::timeline::{self, Timeline};
use crate::tui::widget::warps::{self, Warps};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;

/// Columns of the panel of shared memory that its full title needs beside the names in it.
const NARROW: u16 = 40;

/// Draws a panel's content, and returns what its frame says: (title, note).
type Draw = fn(&ViewModel<'_>, Rect, &mut Buffer) -> (String, String);

/// Returns the action of a click at a position inside the panel.
type Click = fn(&ViewModel<'_>, Rect, (u16, u16)) -> Option<Action>;

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
pub fn draw(view: &ViewModel<'_>, panel: Panel, area: Rect, buf: &mut Buffer) -> (String, String) {
    parts(panel).0(view, area, buf)
}

/// Returns the action of a click at a position inside a panel.
pub fn click(view: &ViewModel<'_>, panel: Panel, area: Rect, at: (u16, u16)) -> Option<Action> {
    parts(panel).1(view, area, at)
}

fn nothing(_: &ViewModel<'_>, _: Rect, _: (u16, u16)) -> Option<Action> {
    None
}

/// Builds the widget of the warps.
fn warps<'a>(
    view: &ViewModel<'a>,
    names: &'a [&'a str],
    lit: &'a [(usize, LaneMask, Role)],
) -> Warps<'a> {
    let (session, place) = (view.session, view.session.place());
    Warps {
        warps: &place.warps,
        block: session.problem().launch.block,
        blocks: session.replay().machine().blocks().count() as usize,
        names,
        selected: view.run.warp,
        issued: place.step.as_ref().map(|step| usize::from(step.warp)),
        gate: facts::gate(session),
        multiplies: facts::multiplies(session),
        lit,
        look: view.look,
    }
}

/// Returns the columns and half rows of the screen that show these points in a panel, as far as they
/// are in view.
pub fn places(view: &ViewModel<'_>, panel: Panel, area: Rect, points: &[PointedAt]) -> Vec<Rect> {
    let is_one = |point| points.contains(&point);
    match panel {
        _ if points.is_empty() => Vec::new(),
        Panel::Matrices if view.session.problem().operands.is_empty() => Vec::new(),
        Panel::Matrices => {
            let elements = points.iter().filter_map(|point| match point {
                PointedAt::Element(element) => Some(*element),
                _ => None,
            });
            matrices::halves_of(view, area, &elements.collect::<Vec<_>>())
        }
        Panel::Shared => shared(view, area, |widget| {
            let words = points.iter().filter_map(|point| match point {
                PointedAt::Word(word) => Some(*word),
                _ => None,
            });
            shared::halves_of(&widget, area, &words.collect::<Vec<_>>())
        }),
        Panel::Lines => {
            let places = facts::line_places(view.session, view.run.last(|warp| &warp.global));
            let sector_at = bricks::sector_at(&lines(view, &[], &places), area);
            cells(area, |x, y| sector_at(x, y).map(sector).is_some_and(is_one))
        }
        Panel::Banks => {
            let bank_at = banks(view, |widget| bricks::bank_at(&widget, area));
            cells(area, |x, y| bank_at(x, y).map(bank).is_some_and(is_one))
        }
        _ => Vec::new(),
    }
}

/// Returns the point that a sector is: the address of its line, and its number there.
fn sector((line, sector): (u64, u8)) -> PointedAt {
    PointedAt::Sector(line + u64::from(sector) * coalesce::SECTOR)
}

fn bank(bank: u8) -> PointedAt {
    PointedAt::Bank(bank.into())
}

/// Returns the cells of an area for which this holds, as columns and half rows.
fn cells(area: Rect, holds: impl Fn(u16, u16) -> bool) -> Vec<Rect> {
    let held = area.positions().filter(|at| holds(at.x, at.y));
    held.map(|at| Rect { x: at.x, y: 2 * at.y, width: 1, height: 2 }).collect()
}

/// Builds the widget of the timeline.
fn timeline<'a>(view: &ViewModel<'a>) -> Timeline<'a> {
    Timeline {
        columns: &view.display.chart.columns,
        executed: &view.display.chart.executed,
        multiplies: facts::multiplies(view.session),
        at: view.session.at(),
        selected: view.run.warp,
        found: view.redacted.found,
        bands: view.session.supersteps(),
        unordered: view.redacted.unordered,
        hides: view.redacted.from,
        look: view.look,
    }
}

fn draw_warps(view: &ViewModel<'_>, area: Rect, buf: &mut Buffer) -> (String, String) {
    let pointed = || Some(view.related.as_ref()?.lanes.clone());
    let followed = || Some(vec![facts::value::lanes(view.app)?]);
    let own = things::lanes(view.app).or_else(pointed).or_else(followed).unwrap_or_default();
    let lit = facts::lit_lanes(view.app);
    let names = facts::touched_names(view.session);
    let widget = warps(view, &names, &lit);
    widget.render(area, buf);
    chosen::follow(buf, view.look, &warps::halves_of(&widget, area, &own));
    if view.hides(Panel::Warps) {
        return ("Threads".to_owned(), String::new());
    }
    // That a kernel has a barrier may be what is asked.
    let asks = view.redacted.asks && view.session.at() == 0;
    let gate = widget.gate.filter(|_| !asks);
    Warps { gate, ..widget }.title(area)
}

fn point_at_lane(view: &ViewModel<'_>, area: Rect, (x, y): (u16, u16)) -> Option<Action> {
    let widget = warps(view, &[], &[]);
    let point = warps::lane_at(&widget, area, x, y);
    let point = point.map(|(warp, lane)| Action::Point(PointedAt::Lane { warp, lane }));
    point.or_else(|| warps::warp_at(&widget, area, y).map(Action::SelectWarp))
}

fn draw_timeline(view: &ViewModel<'_>, area: Rect, buf: &mut Buffer) -> (String, String) {
    let widget = timeline(view);
    widget.render(area, buf);
    widget.title(area)
}

fn seek(view: &ViewModel<'_>, area: Rect, (x, y): (u16, u16)) -> Option<Action> {
    let step = chart::step_at(area, &view.display.chart.columns, x).map(Action::Seek);
    step.or_else(|| timeline::warp_at(&timeline(view), area, y).map(Action::SelectWarp))
}

/// Builds the widget of shared memory, and hands it on.
fn shared<T>(view: &ViewModel<'_>, area: Rect, see: impl FnOnce(SharedPanel<'_>) -> T) -> T {
    let session = view.session;
    let wrong: Vec<_> = session.shows().filter_map(|shows| shows.word).collect();
    let means = session.worst().map_or(Role::Here, |shows| facts::role_of(shows.outcome));
    let now = passes::words_now(view.app).unwrap_or_else(|| facts::shared_now(session));
    let now = if wrong.is_empty() { now } else { wrong };
    let values = facts::shared_values(session);
    // While a question is open, that may be its answer.
    let hazards = if view.redacted.asks { Vec::new() } else { session.hazards().collect() };
    let titles = facts::shared_titles(session);
    let (arrays, marks) = facts::shared_arrays(session, &titles);
    let words = &matrices::held(view);
    let look = view.look;
    let (arrays, marks, now, values) = (&arrays[..], &marks[..], &now[..], Some(&values));
    see(SharedPanel {
        arrays,
        marks,
        known: session.problem().known.is_some(),
        words,
        hazards: &hazards,
        now,
        means,
        values,
        registers: &pointed::registers(view.app, area.width),
        look,
    })
}

fn draw_shared(view: &ViewModel<'_>, area: Rect, buf: &mut Buffer) -> (String, String) {
    let session = view.session;
    let foreign = session.problem().staged(session.trace().program()).next().is_none();
    let part = view.part.as_ref().map_or(&[][..], |part| &part.words);
    let note = shared(view, area, |widget| {
        let note = staged::counted(widget.words, foreign);
        widget.render(area, buf);
        if !part.is_empty() {
            chosen::mark(buf, view.look, &shared::halves_of(&widget, area, part));
        }
        let followed = view.related.as_ref().map(|related| related.words.clone());
        let followed = followed.or_else(|| facts::value::slots(view.app)).unwrap_or_default();
        chosen::follow(buf, view.look, &shared::halves_of(&widget, area, &followed));
        note
    });
    // How many words have come may be what a lesson asks.
    let note = if view.redacted.asks { String::new() } else { note };
    // A narrow panel has no row for the names above the pictures.
    let title = if area.width < NARROW && !foreign {
        let staged = session.problem().staged(session.trace().program());
        let names: Vec<_> = staged.map(|(array, ..)| array.name).collect();
        format!("Shared: {}", names.join(", "))
    } else {
        "Shared memory".to_owned()
    };
    if part.is_empty() {
        return (title, note);
    }
    let whose = chosen::legend(view.look, view.run.warp);
    let both = if note.is_empty() { whose } else { format!("{whose}, {note}") };
    panel::fitting(&[title], &[both, note], area.width)
}

fn point_at_word(view: &ViewModel<'_>, area: Rect, (x, y): (u16, u16)) -> Option<Action> {
    let word = shared(view, area, |widget| shared::word_at(&widget, area, x, y));
    word.map(|word| Action::Point(PointedAt::Word(word)))
}

/// Builds the widget of the lines.
fn lines<'a>(
    view: &ViewModel<'a>,
    pointed: &'a [u64],
    places: &'a [(u32, u32)],
) -> BucketPanel<'a> {
    let last = view.run.last(|warp| &warp.global);
    let operand = facts::global_operand(view.session, last);
    BucketPanel {
        access: last.map(|last| &last.access),
        warp: view.run.warp as u16,
        operand: operand.map(|(operand, _)| operand),
        origin: operand.map_or(0, |(_, base)| base),
        places,
        pointed,
        motion: passes::falling(view.app, false).map_or(BrickMotion::Rest, BrickMotion::Falling),
        before: facts::before(view.session, last),
        look: view.look,
    }
}

fn draw_lines(view: &ViewModel<'_>, area: Rect, buf: &mut Buffer) -> (String, String) {
    let pointed = view.related.as_ref().map_or(&[][..], |related| &related.addresses);
    let places = facts::line_places(view.session, view.run.last(|warp| &warp.global));
    let widget = lines(view, pointed, &places);
    widget.render(area, buf);
    widget.title(area.width)
}

fn point_at_sector(view: &ViewModel<'_>, area: Rect, (x, y): (u16, u16)) -> Option<Action> {
    let places = facts::line_places(view.session, view.run.last(|warp| &warp.global));
    bricks::sector_at(&lines(view, &[], &places), area)(x, y).map(sector).map(Action::Point)
}

/// Builds the widget of the banks, and hands it on.
fn banks<T>(view: &ViewModel<'_>, see: impl FnOnce(Towers<'_>) -> T) -> T {
    let last = view.run.last(|warp| &warp.shared);
    let turned = facts::column_by_column(view.app, last);
    let is_turned = turned.is_some();
    let becomes =
        if is_turned { ExecutedSass::default() } else { facts::becomes(view.session, last) };
    let zoomed = view.display.wanted.zoomed == Some(Panel::Banks);
    let values = (zoomed && !is_turned).then(|| facts::shared_values(view.session));
    let own = last.map(|last| &last.access);
    let (turned, padded) = match turned {
        Some((access, padded)) => (Some(access), padded),
        None => (None, facts::padded(view.app, last)),
    };
    let here = (view.session.id(), view.session.at());
    let slide = view.app.floor_slide();
    let before = slide.and_then(|slide| slide.before(here));
    let slides = slide.and_then(FloorSlide::part);
    let own = before.filter(|_| slides.is_some_and(|(was, _)| was)).or(own);
    let falling = slides.map(|(_, part)| part).or_else(|| passes::falling(view.app, true));
    see(Towers {
        access: turned.as_ref().or(own),
        keeps: before.map_or(0, |access| wavefronts(access).wavefronts as usize),
        warp: view.run.warp as u16,
        operand: facts::shared_operand(view.session, last),
        becomes: &becomes,
        values: values.as_ref(),
        pointed: view.related.as_ref().map_or(0, pointed::banks),
        motion: match (falling, passes::playing(view.app)) {
            _ if is_turned => BrickMotion::Rest,
            (Some(part), _) => BrickMotion::Falling(part),
            (None, Some(pass)) => BrickMotion::Pass(pass),
            (None, None) => BrickMotion::Rest,
        },
        padded: padded.as_ref(),
        together: facts::together(view.session, last),
        // While warps take turns at it, it would be old and new several times a second.
        before: facts::before(view.session, last).filter(|_| !view.app.takes_turns()),
        look: view.look,
    })
}

fn point_at_bank(view: &ViewModel<'_>, area: Rect, (x, y): (u16, u16)) -> Option<Action> {
    banks(view, |widget| bricks::bank_at(&widget, area))(x, y).map(bank).map(Action::Point)
}

fn draw_banks(view: &ViewModel<'_>, area: Rect, buf: &mut Buffer) -> (String, String) {
    banks(view, |widget| {
        widget.render(area, buf);
        let title = match view.app.speaks_of_banks() {
            Some(BankTalk::ByColumns) => "Column by column: 32 banks",
            Some(BankTalk::Padded) => "Column by column, rows with a word more: 32 banks",
            Some(BankTalk::AsStored) | None => return widget.title(area.width),
        };
        (title.to_owned(), "simulated".to_owned())
    })
}

fn draw_cost(view: &ViewModel<'_>, area: Rect, buf: &mut Buffer) -> (String, String) {
    let place = view.session.place();
    let shared = view.run.last(|warp| &warp.shared);
    CostPanel {
        global: view.run.last(|warp| &warp.global).map(|last| coalesce::sectors(&last.access)),
        shared: shared.map(|last| wavefronts(&last.access)),
        has_shared: view.display.wanted.shared,
        becomes: &facts::becomes(view.session, shared),
        reuse: facts::reuse(view.session),
        multiplies: facts::multiplies(view.session),
        works: facts::works(view.session),
        tally: WarpTally::of(&place.warps),
        look: view.look,
    }
    .render(area, buf);
    (format!("Cost, {}", CostPanel::note(area.height)), String::new())
}

pub fn frame<'a>(
    view: &ViewModel<'_>,
    panel: Panel,
    title: &'a str,
    note: &'a str,
) -> PanelFrame<'a> {
    let shown = view.display.wanted.shown();
    let number = panel.row().key.chars().next();
    PanelFrame { number, title, note, focused: panel == shown, look: view.look }
}
