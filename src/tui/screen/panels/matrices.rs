//! The panel of the matrices.

use super::super::{buffers, lesson, numbers};
use super::moment::{glow, held};
use crate::kernel::Tile;
use crate::matrix::Size;
use crate::trace::Extent;
use crate::tui::action::Action;
use crate::tui::app::App;
use crate::tui::facts::staged::Kept;
use crate::tui::facts::value::Lit;
use crate::tui::facts::{self, pointed, staged};
use crate::tui::layout::Detail;
use crate::tui::session::Session;
use crate::tui::theme::Look;
use crate::tui::widget::chosen;
use crate::tui::widget::glow::Glow;
use crate::tui::widget::matrices::{self, Element, Matrices, Values, Work};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;

/// The squares that the matrices are divided into if the kernel has no known tiles; small matrices
/// are not divided.
fn ground(Size { m, n, k }: Size) -> Tile {
    let [m, n, k] = [m, n, k].map(|side| side.clamp(1, 16));
    Tile { m, n, k }
}

/// What the matrices show at one moment: the elements of the current step and of shared memory, or
/// those of the point or of the followed value.
#[derive(Debug)]
struct Marked {
    touched: Vec<Element>,
    kept: Kept,
    values: Option<Values>,
    said: Vec<Vec<String>>,
    lit: Option<Lit>,
    wrong: Vec<Element>,
    extents: [Option<Extent>; 3],
}

impl Marked {
    fn of(app: &App, kept: Kept) -> Self {
        let touched = facts::touched(&app.session);
        let values = numbers::values(&app.session, app.size().as_size());
        let extents = facts::extents(&app.session);
        // While a question is open, that may be its answer.
        let wrong = if lesson::asks(app) { Vec::new() } else { facts::wrong(&app.session) };
        Self { touched, kept, values, said: Vec::new(), lit: None, wrong, extents }
    }
}

/// Returns the elements that are highlighted now, with what shared memory holds: to find the place
/// of an element, which does not depend on that, nothing.
fn marked(app: &App, kept: Kept) -> Marked {
    let now = Marked::of(app, kept);
    match facts::value::lit(app) {
        _ if app.pointed.is_some() => now,
        None => Marked { said: numbers::product(&app.session, app.warp), ..now },
        lit => Marked { lit, ..now },
    }
}

/// Returns the elements that are pointed at or followed.
fn outlined(app: &App, marked: &Marked) -> Vec<Element> {
    let pointed = pointed::related(app).map(|related| related.elements);
    let followed = || marked.lit.as_ref().map(|lit| lit.pointed.into_iter().chain([lit.element]));
    pointed.or_else(|| Some(followed()?.collect())).unwrap_or_default()
}

/// Builds the widget of the matrices.
fn matrices<'a>(app: &'a App, marked: &'a Marked) -> Matrices<'a> {
    // A followed value needs single elements, so the switch between tiles and elements is inverted.
    let detail = if marked.lit.is_some() { app.detail.other() } else { app.detail };
    let matrices = matrices_of(&app.session, marked, detail, app.look);
    let glow = glow(app, |shown| &shown.elements);
    let work = marked.lit.as_ref().map_or(matrices.work, Work::Followed);
    Matrices { work, counts: !lesson::asks(app), glow, ..matrices }
}

fn matrices_of<'a>(
    session: &'a Session,
    marked: &'a Marked,
    detail: Detail,
    look: Look,
) -> Matrices<'a> {
    let (problem, block) = (session.problem(), session.block());
    let grid = problem.launch.grid;
    let tile = problem.tile().unwrap_or_else(|| ground(problem.size));
    let work = match session.k_tile() {
        Some(k_tile) => Work::Tiled(k_tile),
        None => Work::Touched(&marked.extents),
    };
    let place = problem.tile_of(block).unwrap_or((block.y, block.x));
    let Marked { touched, kept, wrong, values, said, .. } = marked;
    Matrices {
        size: problem.size,
        tile,
        block,
        grid,
        place,
        work,
        counts: true,
        touched,
        glow: Glow::NONE,
        kept,
        wrong,
        values: values.as_ref(),
        said,
        detail,
        look,
    }
}

/// Returns the cells around these elements of a matrix, if they are in view.
pub fn elements_of(app: &App, area: Rect, elements: &[Element]) -> Option<Rect> {
    let marked = marked(app, Kept::Nothing);
    matrices::around(&matrices(app, &marked), area, elements)
}

pub(super) fn follow_element(app: &App, area: Rect, (x, y): (u16, u16)) -> Option<Action> {
    if app.session.problem().operands.is_empty() {
        return None;
    }
    let marked = marked(app, Kept::Nothing);
    matrices::hit(&matrices(app, &marked), area, x, y).map(Action::FollowElement)
}

pub(super) fn draw(app: &App, area: Rect, buf: &mut Buffer) -> (String, String) {
    if app.session.problem().operands.is_empty() {
        return buffers::draw(app, area, buf);
    }
    let marked = marked(app, staged::kept(&app.session, &held(app)));
    let widget = matrices(app, &marked);
    widget.render(area, buf);
    if let Some(part) = pointed::part(app) {
        chosen::mark(buf, app.look, &matrices::halves_of(&widget, area, &part.elements));
    }
    let outlined = outlined(app, &marked);
    chosen::follow(buf, app.look, &matrices::halves_of(&widget, area, &outlined));
    ("Matrices".to_owned(), widget.note())
}

/// Returns the halves of cells that show these elements.
pub(super) fn halves_of(app: &App, area: Rect, elements: &[Element]) -> Vec<Rect> {
    let marked = marked(app, Kept::Nothing);
    matrices::halves_of(&matrices(app, &marked), area, elements)
}
