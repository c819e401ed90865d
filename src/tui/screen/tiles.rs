//! Collects what the card after a change of the tile says.

use crate::kernel::Tile;
use crate::report::tiles::{
    Tiling, basis, passes_per_warp_fma, rows, sectors_per_element, sentence,
};
use crate::tui::facts::counts::{counted, subject};
use crate::tui::kernel_cache::KernelIndex;
use crate::tui::keymap::Key;
use crate::tui::layout::Panel;
use crate::tui::measure_view::RunningCount;
use crate::tui::view_model::ViewModel;
use crate::tui::widget::tiles::{TileCard, TileRole, TileStep};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;

/// Draws the card, if there is a tile to compare with.
pub fn draw(view: &ViewModel<'_>, area: Rect, buf: &mut Buffer) {
    let tilings = view
        .kernels
        .before
        .and_then(|before| Some([tiling(view, before)?, tiling(view, view.kernels.shown)?]));
    let Some([before, now]) = &tilings else { return };
    let both = [before, now];
    let steps: Vec<_> = view
        .kernels
        .cache
        .tiles(view.kernels.shown)
        .into_iter()
        .map(|of| step(view, both, of))
        .collect();
    let sentence = sentence(both).unwrap_or_else(|| waits(view, both));
    let (rows, basis, next, look) = (rows(both), basis(both), next(view), view.look);
    let kernel = now.problem.name();
    TileCard {
        kernel,
        steps: &steps,
        sentence: &sentence,
        rows: &rows,
        basis: &basis,
        next: &next,
        look,
    }
    .render(area, buf);
}

fn tiling<'a>(view: &ViewModel<'a>, place: KernelIndex) -> Option<Tiling<'a>> {
    let problem = view.kernels.cache.problem(place);
    let tile = problem.tile()?;
    let shared = view.kernels.cache.loaded(place).map(|loaded| loaded.program.shared_bytes);
    // Times may be what a lesson asks later.
    let pack = view.measuring.times.pack(false).filter(|_| !view.hides(Panel::Measured));
    let counted = counted(view.app, tile);
    Some(Tiling { tile, problem, counted, shared, pack, size: view.measuring.measures.size })
}

fn step(view: &ViewModel<'_>, [before, now]: [&Tiling<'_>; 2], tile: Tile) -> TileStep {
    let state = match tile {
        _ if tile == now.tile => TileRole::Now,
        _ if tile == before.tile => TileRole::Before,
        _ => TileRole::Other,
    };
    let counters = counted(view.app, tile).map(|counted| &counted.counters);
    let sectors = counters.map(|of| sectors_per_element(of, now.problem.size));
    TileStep { tile: tile.to_string(), state, sectors, passes: counters.map(passes_per_warp_fma) }
}

/// Says why there is no sentence yet.
fn waits(view: &ViewModel<'_>, both: [&Tiling<'_>; 2]) -> String {
    let mut subjects = both.iter().filter_map(|of| subject(view.app, of.tile));
    let failed = subjects.find_map(|of| view.measuring.times.counts.known(&of)?.as_ref().err());
    let counting = view.measuring.times.counting.as_ref().map(RunningCount::line);
    match (failed, counting) {
        (Some(why), _) => format!("Not counted: {why}."),
        (None, Some(line)) => line,
        (None, None) => "Not counted yet.".to_owned(),
    }
}

/// The keys that lead on.
fn next(view: &ViewModel<'_>) -> Vec<(Key, String)> {
    let tiles = view.kernels.cache.tiles(view.kernels.shown);
    let now = view.kernels.cache.problem(view.kernels.shown).tile();
    let at = tiles.iter().position(|tile| Some(*tile) == now).unwrap_or(0);
    let tile = |by: usize| format!("tile {}", tiles[(at + by) % tiles.len()]);
    let beside = view.kernels.beside().map(|place| view.kernels.cache.problem(place).label());
    let offers = [
        ("tile", Some(tile(1))),
        // With two tiles, both keys lead to the same one.
        ("smaller-tile", Some(tile(tiles.len() - 1)).filter(|_| tiles.len() > 2)),
        ("compare", Some("both, as sums over k".to_owned())),
        ("kernel", beside),
    ];
    offers
        .into_iter()
        .filter_map(|(name, text)| Some((*view.keymap.key_of(name)?, text?)))
        .collect()
}
