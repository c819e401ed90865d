//! Pointing at something on the screen.

use super::follow;
use crate::matrix::{Element, Operand};
use crate::report::pointed::Point;
use crate::tui::app::{App, Watch};
use crate::tui::screen::pointed;

/// Points at something; a lane's warp becomes the selected one.
pub(super) fn at(app: &mut App, point: Point) {
    if let Point::Lane { warp, .. } = point {
        (app.warp, app.watch) = (warp, Watch::Chosen);
    }
    app.pointed = Some(point);
}

/// Follows the value that is pointed at; without one, that of the last step.
pub(super) fn follow(app: &mut App) {
    match element(app) {
        Some(element) => follow_element(app, element),
        None => follow::start(app),
    }
}

/// Follows an element, and says where it lives.
pub(super) fn follow_element(app: &mut App, element: Element) {
    app.pointed = None;
    follow::select(app, element);
    let room = usize::from(app.size.width.saturating_sub(2));
    app.message = Some(pointed::moment(app, |moment| moment.line(Point::Element(element), room)));
}

/// Returns the element that is pointed at: of a lane, the one that it computes.
fn element(app: &App) -> Option<Element> {
    let related = pointed::related(app)?;
    let of_c = related.elements.iter().find(|element| element.operand == Operand::C);
    of_c.or(related.elements.first()).copied()
}

/// Points at nothing any longer; returns whether something was pointed at.
pub(super) fn leave(app: &mut App) -> bool {
    app.pointed.take().is_some()
}
