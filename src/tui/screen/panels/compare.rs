//! The panel that compares two kernels, and of a user's kernel shows the launch.

use crate::kernel::Tile;
use crate::matrix::Operand;
use crate::tui::facts;
use crate::tui::session::Session;
use crate::tui::theme::Look;
use crate::tui::view_model::ViewModel;
use crate::tui::widget::compare::{ComparePanel, Curve, Side};
use crate::tui::widget::launch::LaunchPanel;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::Widget;

pub(super) fn draw(view: &ViewModel<'_>, area: Rect, buf: &mut Buffer) -> (String, String) {
    let shown = view.session;
    // A user's kernel, or a broken one, has nothing beside it.
    let Some(beside) = view.kernels.compared() else {
        return draw_launch(shown, area, buf, view.look);
    };
    let Some(other) = &view.run.other else {
        let text = format!("loading {} ...", view.kernels.cache.problem(beside).label());
        Line::styled(text, view.look.dim()).render(area, buf);
        return ("Compare".to_owned(), String::new());
    };
    // In teaching order, whichever of the two is shown.
    let mut both = [shown, other];
    both.sort_by_key(|session| view.kernels.cache.order(session.problem()));
    let names = both.map(|session| session.problem().label());
    // For tiles of different shape: as many blocks as compute the same part of C.
    let elements = both.map(|session| session.problem().tile().map_or(1, elements));
    let most = elements[0].max(elements[1]);
    let side = |index: usize| {
        let session: &Session = both[index];
        let (problem, costs) = (session.problem(), session.trace().costs());
        let per_k = problem.fma_per_k(session.block());
        let blocks = f64::from(most) / f64::from(elements[index]);
        let curve = Curve { costs, per_k, blocks };
        let (totals, reuse) = (session.place().totals, facts::reuse(session));
        Side { name: &names[index], totals, reuse, curve }
    };
    let k = shown.problem().size.k;
    let tile = both.iter().filter_map(|session| session.problem().tile()).map(|tile| tile.k).max();
    let tile = tile.unwrap_or(k);
    ComparePanel { left: side(0), right: side(1), k, tile, look: view.look }.render(area, buf);
    ("Compare: sums over k".to_owned(), "the same work, simulated".to_owned())
}

/// The elements of C that a tile covers.
fn elements(tile: Tile) -> u32 {
    let (rows, columns) = tile.shape(Operand::C);
    rows * columns
}

fn draw_launch(session: &Session, area: Rect, buf: &mut Buffer, look: Look) -> (String, String) {
    let (facts, counts) = (facts::launch(session), facts::counts(session));
    let notes = facts::join_notes(session);
    LaunchPanel { facts: &facts, counts: &counts, notes: &notes, look }.render(area, buf);
    let joined = !session.trace().joins().is_empty();
    let how = if joined { "PTX -> SASS" } else { "PTX" };
    ("Launch".to_owned(), format!("so far: simulated, this block, {how}"))
}
