//! The panel of the matrices.

use super::super::{buffers, numbers};
use crate::kernel::Tile;
use crate::matrix::Size;
use crate::trace::{Extent, SharedWord};
use crate::tui::action::Action;
use crate::tui::facts::staged::StagedContents;
use crate::tui::facts::value::LitElements;
use crate::tui::facts::{self, SumProgress, passes, staged};
use crate::tui::view_model::ViewModel;
use crate::tui::widget::chosen;
use crate::tui::widget::matrices::{self, BlockWork, Element, MatricesPanel, MatrixValues};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;

/// Returns the words that shared memory holds now: an event may fill them in several passes.
pub(super) fn held(view: &ViewModel<'_>) -> Vec<SharedWord> {
    let words = passes::shared(view.app);
    staged::words(view.session, words.as_ref().unwrap_or(&view.session.place().shared))
}

/// The squares that the matrices are divided into if the kernel has no known tiles; small matrices
/// are not divided.
fn ground(Size { m, n, k }: Size) -> Tile {
    let [m, n, k] = [m, n, k].map(|side| side.clamp(1, 16));
    Tile { m, n, k }
}

/// What the matrices show at one moment: the elements of the current step and of shared memory, or
/// those of the point or of the followed value.
#[derive(Debug)]
struct MatrixMarks {
    touched: Vec<Element>,
    kept: StagedContents,
    values: Option<MatrixValues>,
    said: Vec<Vec<String>>,
    lit: Option<LitElements>,
    wrong: Vec<Element>,
    extents: [Option<Extent>; 3],
    sums: Vec<(Element, SumProgress)>,
}

impl MatrixMarks {
    fn of(view: &ViewModel<'_>, kept: StagedContents) -> Self {
        let touched = facts::lit(view.session);
        let values = numbers::values(view.session, view.app.size().as_size());
        let extents = facts::extents(view.session);
        // While a question is open, that may be its answer.
        let wrong = if view.redacted.asks { Vec::new() } else { facts::wrong(view.session) };
        let sums = facts::sums(view.session);
        Self { touched, kept, values, said: Vec::new(), lit: None, wrong, extents, sums }
    }
}

/// Returns the elements that are highlighted now, with what shared memory holds: to find the place
/// of an element, which does not depend on that, nothing.
fn marked(view: &ViewModel<'_>, kept: StagedContents) -> MatrixMarks {
    let now = MatrixMarks::of(view, kept);
    match facts::value::lit(view.app) {
        _ if view.run.pointed.is_some() => now,
        None => MatrixMarks { said: numbers::product(view.session, view.run.warp), ..now },
        lit => MatrixMarks { lit, ..now },
    }
}

/// Returns the elements that are pointed at or followed.
fn outlined(view: &ViewModel<'_>, marked: &MatrixMarks) -> Vec<Element> {
    let pointed = view.related.as_ref().map(|related| related.elements.clone());
    let followed = || marked.lit.as_ref().map(|lit| lit.pointed.into_iter().chain([lit.element]));
    pointed.or_else(|| Some(followed()?.collect())).unwrap_or_default()
}

/// Builds the widget of the matrices.
fn matrices<'a>(view: &ViewModel<'a>, marked: &'a MatrixMarks) -> MatricesPanel<'a> {
    let (problem, block) = (view.session.problem(), view.session.block());
    let MatrixMarks { touched, kept, wrong, values, said, sums, lit, extents } = marked;
    // A followed value needs single elements, so the switch between tiles and elements is inverted.
    let detail = view.display.detail;
    let detail = if lit.is_some() { detail.other() } else { detail };
    let work = match (lit, view.session.k_tile()) {
        (Some(lit), _) => BlockWork::Followed(lit),
        (None, Some(k_tile)) => BlockWork::Tiled(k_tile),
        (None, None) => BlockWork::Touched(extents),
    };
    MatricesPanel {
        size: problem.size,
        tile: problem.tile().unwrap_or_else(|| ground(problem.size)),
        block,
        grid: problem.launch.grid,
        place: problem.tile_of(block).unwrap_or((block.y, block.x)),
        work,
        counts: !view.redacted.asks,
        touched,
        kept,
        wrong,
        sums,
        values: values.as_ref(),
        said,
        detail,
        look: view.look,
    }
}

pub(super) fn follow_element(
    view: &ViewModel<'_>,
    area: Rect,
    (x, y): (u16, u16),
) -> Option<Action> {
    if view.session.problem().operands.is_empty() {
        return None;
    }
    let marked = marked(view, StagedContents::Nothing);
    matrices::hit(&matrices(view, &marked), area, x, y).map(Action::FollowElement)
}

pub(super) fn draw(view: &ViewModel<'_>, area: Rect, buf: &mut Buffer) -> (String, String) {
    if view.session.problem().operands.is_empty() {
        return buffers::draw(view, area, buf);
    }
    let marked = marked(view, staged::kept(view.session, &held(view)));
    let widget = matrices(view, &marked);
    widget.render(area, buf);
    if let Some(part) = &view.part {
        chosen::mark(buf, view.look, &matrices::halves_of(&widget, area, &part.elements));
    }
    let outlined = outlined(view, &marked);
    chosen::follow(buf, view.look, &matrices::halves_of(&widget, area, &outlined));
    ("Matrices".to_owned(), widget.note())
}

/// Returns the halves of cells that show these elements.
pub(super) fn halves_of(view: &ViewModel<'_>, area: Rect, elements: &[Element]) -> Vec<Rect> {
    let marked = marked(view, StagedContents::Nothing);
    matrices::halves_of(&matrices(view, &marked), area, elements)
}
