//! Collects what the card after a change of the tile says.

use super::lesson;
use crate::kernel::Tile;
use crate::report::tiles::{
    Tiling, basis, passes_per_warp_fma, rows, sectors_per_element, sentence,
};
use crate::tui::app::App;
use crate::tui::facts::counts::{counted, subject};
use crate::tui::kernel_cache::KernelIndex;
use crate::tui::keymap::Key;
use crate::tui::layout::Panel;
use crate::tui::measure_view::Underway;
use crate::tui::widget::tiles::{State, Step, TileCard};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;

/// Draws the card, if there is a tile to compare with.
pub fn draw(app: &App, area: Rect, buf: &mut Buffer) {
    let tilings =
        app.before.and_then(|before| Some([tiling(app, before)?, tiling(app, app.kernel)?]));
    let Some([before, now]) = &tilings else { return };
    let both = [before, now];
    let steps: Vec<_> =
        app.shelf.tiles(app.kernel).into_iter().map(|of| step(app, both, of)).collect();
    let sentence = sentence(both).unwrap_or_else(|| waits(app, both));
    let (rows, basis, next, look) = (rows(both), basis(both), next(app), app.look);
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

fn tiling(app: &App, place: KernelIndex) -> Option<Tiling<'_>> {
    let problem = app.shelf.problem(place);
    let tile = problem.tile()?;
    let shared = app.shelf.loaded(place).map(|loaded| loaded.program.shared_bytes);
    // Times may be what a lesson asks later.
    let pack = app.times.pack(false).filter(|_| !lesson::hides(app, Panel::Measured));
    let counted = counted(app, tile);
    Some(Tiling { tile, problem, counted, shared, pack, size: app.measures.size })
}

fn step(app: &App, [before, now]: [&Tiling<'_>; 2], tile: Tile) -> Step {
    let state = match tile {
        _ if tile == now.tile => State::Now,
        _ if tile == before.tile => State::Before,
        _ => State::Other,
    };
    let counters = counted(app, tile).map(|counted| &counted.counters);
    let sectors = counters.map(|of| sectors_per_element(of, now.problem.size));
    Step { tile: tile.to_string(), state, sectors, passes: counters.map(passes_per_warp_fma) }
}

/// Says why there is no sentence yet.
fn waits(app: &App, both: [&Tiling<'_>; 2]) -> String {
    let mut subjects = both.iter().filter_map(|of| subject(app, of.tile));
    let failed = subjects.find_map(|of| app.times.counts.known(&of)?.as_ref().err());
    let counting = app.times.counting.as_ref().map(Underway::line);
    match (failed, counting) {
        (Some(why), _) => format!("Not counted: {why}."),
        (None, Some(line)) => line,
        (None, None) => "Not counted yet.".to_owned(),
    }
}

/// The keys that lead on.
fn next(app: &App) -> Vec<(Key, String)> {
    let tiles = app.shelf.tiles(app.kernel);
    let now = app.shelf.problem(app.kernel).tile();
    let at = tiles.iter().position(|tile| Some(*tile) == now).unwrap_or(0);
    let tile = |by: usize| format!("tile {}", tiles[(at + by) % tiles.len()]);
    let beside = app.beside().map(|place| app.shelf.problem(place).label());
    let offers = [
        ("tile", Some(tile(1))),
        // With two tiles, both keys lead to the same one.
        ("smaller-tile", Some(tile(tiles.len() - 1)).filter(|_| tiles.len() > 2)),
        ("compare", Some("both, as sums over k".to_owned())),
        ("kernel", beside),
    ];
    offers.into_iter().filter_map(|(name, text)| Some((*app.keymap.key_of(name)?, text?))).collect()
}
