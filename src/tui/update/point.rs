//! Pointing at something on the screen.

use super::follow;
use crate::analysis::banks::{BANKS, WORD};
use crate::analysis::coalesce::{LINE, SECTOR};
use crate::launch::WARP_SIZE;
use crate::matrix::{Element, Operand};
use crate::report::pointed::PointedAt;
use crate::trace::Last;
use crate::tui::app::App;
use crate::tui::facts::{self, PicturedArray, listing, pointed};
use crate::tui::layout::{Panel, ScreenView};
use crate::tui::playback::WarpSelection;

const LANES: usize = WARP_SIZE as usize;

/// Points at something; a lane's warp becomes the selected one.
pub(super) fn at(app: &mut App, point: PointedAt) {
    if let PointedAt::Lane { warp, lane } = point {
        (app.run.warp, app.run.lane, app.run.watch) = (warp, lane, WarpSelection::Chosen);
    }
    (app.run.pointed, app.run.hovered, app.run.pointing) = (Some(point), None, false);
}

/// Points at what is under the mouse, as long as nothing else is pointed at.
pub(super) fn hover(app: &mut App, point: Option<PointedAt>) {
    if app.run.can_hover() {
        (app.run.pointed, app.run.hovered) = (point, point);
    }
}

/// Points at data of the focused panel, to be moved with the keys; if so already, at nothing.
pub(super) fn here(app: &mut App) {
    if app.run.pointing {
        app.run.leave_point();
        return;
    }
    let point = app.run.pointed.unwrap_or_else(|| first(app));
    at(app, point);
    app.run.pointing = true;
}

/// Returns where pointing starts in the focused panel: at what was touched last, if anything was.
fn first(app: &App) -> PointedAt {
    let (session, warp) = (&app.run.session, app.run.warp);
    let now = session.place().warps.get(warp);
    let lane = PointedAt::Lane { warp, lane: 0 };
    let touched = |last: &Option<Last>| Some(last.as_ref()?.access.touched().next()?.1);
    match app.display.wanted.shown() {
        Panel::Matrices => facts::touched(session).first().map_or(lane, |e| PointedAt::Element(*e)),
        Panel::Shared if session.place().shared.is_empty() => lane,
        Panel::Shared => {
            let addr = now.and_then(|warp| touched(&warp.shared)).unwrap_or(0);
            PointedAt::Word((addr / WORD) as u32)
        }
        Panel::Lines => now.and_then(|warp| touched(&warp.global)).map_or(lane, sector),
        Panel::Source => listing::first(app).map_or(lane, PointedAt::Token),
        Panel::Banks => {
            let addr = now.and_then(|warp| touched(&warp.shared)).unwrap_or(0);
            PointedAt::Bank((addr / WORD) as usize % BANKS)
        }
        _ => lane,
    }
}

fn sector(addr: u64) -> PointedAt {
    PointedAt::Sector(addr / SECTOR * SECTOR)
}

/// Moves the point, no further than to the last of its kind.
pub(super) fn walk(app: &mut App, down: i32, right: i32) {
    let Some(point) = app.run.pointed else { return };
    let session = &app.run.session;
    let moved = |at: usize, by: i32, count: usize| {
        at.saturating_add_signed(by as isize).min(count.saturating_sub(1))
    };
    let to = match point {
        PointedAt::Lane { warp, lane } => {
            let warps = session.place().warps.len();
            PointedAt::Lane { warp: moved(warp, down, warps), lane: moved(lane, right, LANES) }
        }
        PointedAt::Word(word) => {
            let (row, words) = (row_of(app, word), session.place().shared.len());
            PointedAt::Word(moved(word as usize, down * row + right, words) as u32)
        }
        PointedAt::Bank(bank) => PointedAt::Bank(moved(bank, right, BANKS)),
        PointedAt::Sector(address) => {
            let by = i64::from(right) * SECTOR as i64 + i64::from(down) * LINE as i64;
            let to = address.saturating_add_signed(by);
            let inside = session.replay().machine().memory().locate(to).is_some();
            PointedAt::Sector(if inside { to } else { address })
        }
        PointedAt::Token(spot) => PointedAt::Token(listing::walked(app, spot, (down, right))),
        PointedAt::Element(element) => {
            let (rows, columns) = session.problem().size.shape(element.operand);
            let row = moved(element.row as usize, down, rows as usize) as u32;
            let column = moved(element.column as usize, right, columns as usize) as u32;
            PointedAt::Element(Element { row, column, ..element })
        }
    };
    at(app, to);
    app.run.pointing = true;
}

/// Returns the words in a row of the array that a word belongs to, as it is shown.
fn row_of(app: &App, word: u32) -> i32 {
    let titles = facts::shared_titles(&app.run.session);
    let (arrays, _) = facts::shared_arrays(&app.run.session, &titles);
    let holds = |array: &&PicturedArray<'_>| {
        word.checked_sub(array.first).is_some_and(|index| index < array.rows * array.columns)
    };
    arrays.iter().find(holds).map_or(BANKS as i32, |array| array.columns as i32)
}

/// Follows the value that is pointed at; without one, that of the last step. From the stage it goes to
/// the workbench, where the way of a value is drawn.
pub(super) fn follow(app: &mut App) {
    if app.shows_stage() {
        app.display.view = ScreenView::Workbench;
    }
    match element(app) {
        Some(element) => follow_element(app, element),
        None => follow::start(app),
    }
}

/// Follows an element, and says where it lives.
pub(super) fn follow_element(app: &mut App, element: Element) {
    app.run.leave_point();
    follow::select(app, element);
    let room = usize::from(app.display.size.width.saturating_sub(2));
    app.message =
        Some(pointed::moment(app, |moment| moment.line(PointedAt::Element(element), room)));
}

/// Returns the element that is pointed at: of a lane, the one that it computes.
fn element(app: &App) -> Option<Element> {
    let related = pointed::related(app)?;
    let of_c = related.elements.iter().find(|element| element.operand == Operand::C);
    of_c.or(related.elements.first()).copied()
}
