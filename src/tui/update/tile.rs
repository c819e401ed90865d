//! Another tile for the kernel that is shown, and the card that says what it changes.

use crate::tui::action::{Action, OverlayAction};
use crate::tui::app::{App, Overlay};
use crate::tui::kernel_cache::KernelIndex;
use crate::tui::keymap::is_of_screen;

/// Shows the kernel with a larger tile, or a smaller one; past the last, it begins anew.
pub(super) fn turn(app: &mut App, by: isize) {
    let shown = app.kernels.coming();
    let (tiles, now) = (app.kernels.cache.tiles(shown), app.kernels.cache.problem(shown).tile());
    let at = tiles.iter().position(|tile| Some(*tile) == now);
    let Some(at) = at.filter(|_| tiles.len() > 1) else {
        app.message = Some(why_only_one(app, shown));
        return;
    };
    let next = (at as isize + by).rem_euclid(tiles.len() as isize);
    if let Some(place) = app.kernels.cache.choose(shown, tiles[next as usize]) {
        app.turn_to(place);
    }
}

/// Says why the tile cannot be changed, and what to do.
fn why_only_one(app: &App, place: KernelIndex) -> String {
    let problem = app.kernels.cache.problem(place);
    if problem.known.is_some_and(|known| known.is_changed) {
        return "the source is changed, for this tile alone".to_owned();
    }
    let (Some(kernel), Some(tile)) = (problem.catalogue(), problem.tile()) else {
        return "the tile of your own kernel is in its source: change it there, and start again"
            .to_owned();
    };
    match kernel.variants {
        [_] => {
            let key =
                app.keymap.key_of("next-kernel").map_or_else(String::new, ToString::to_string);
            format!("{} has one tile alone, {tile}: {key} goes to the next kernel", kernel.name)
        }
        _ => format!("this PTX is for tile {tile} alone: start again with another --tile"),
    }
}

/// Closes the card before an action, unless that changes the tile again, or only how the screen
/// looks.
pub(super) fn leave_card(app: &mut App, action: Action) {
    let stays = match action {
        Action::NextTile | Action::PreviousTile | Action::Overlay(_) => true,
        action => is_of_screen(action),
    };
    app.overlay.take_if(|overlay| *overlay == Overlay::Tile && !stays);
}

/// Whether a key of the overlays closes the card.
pub(super) const fn closes(motion: OverlayAction) -> bool {
    matches!(motion, OverlayAction::Accept | OverlayAction::Close)
}
