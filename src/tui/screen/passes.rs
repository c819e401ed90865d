//! The passes over the banks that an access takes, shown one after the other while the run plays.

use crate::analysis::banks::{self, Cell, Pass};
use crate::sim::{Direction, LaneMask};
use crate::trace::{Last, Word};
use crate::tui::app::App;

/// Returns the selected warp's access to shared memory, if it is what led to the position shown.
fn access(app: &App) -> Option<&Last> {
    let last = app.session.place().warps.get(app.warp)?.shared.as_ref();
    // Hardware counts no banks for what reaches other blocks.
    let own = last.filter(|last| !last.access.route.is_of_cluster());
    own.filter(|last| last.index == app.session.at())
}

/// Returns the number of its passes.
pub(super) fn count(app: &App) -> usize {
    access(app).map_or(0, |last| banks::wavefronts(&last.access).wavefronts as usize)
}

/// Returns the pass that is shown now, from 0, if there are several.
pub(super) fn playing(app: &App) -> Option<usize> {
    let (part, count) = (app.in_motion()?.turns()?, count(app));
    (count > 1).then_some((part * count as f32) as usize)
}

/// Returns that pass and those after it, if the selected warp acts alone.
fn left(app: &App) -> Option<Vec<Pass>> {
    let (pass, last) = (playing(app)?, access(app)?);
    let alone = app.session.place().together().count() == 1;
    alone.then(|| banks::passes(&last.access).split_off(pass)).filter(|left| !left.is_empty())
}

fn cells(passes: &[Pass]) -> impl Iterator<Item = Cell> {
    passes.iter().flat_map(|pass| pass.cells).flatten()
}

/// Returns the lanes that later passes serve.
pub(super) fn waiting(app: &App) -> Option<LaneMask> {
    let left = left(app)?;
    Some(cells(&left[1..]).map(|cell| cell.lanes).fold(LaneMask::NONE, LaneMask::or))
}

/// Returns the words of shared memory that the pass serves.
pub(super) fn words_now(app: &App) -> Option<Vec<u32>> {
    Some(cells(&left(app)?[..1]).map(|cell| cell.word as u32).collect())
}

/// Returns shared memory as it is before the later passes, if they store into it.
pub(super) fn shared(app: &App) -> Option<Vec<Word>> {
    let (left, from) = (left(app)?, app.in_motion()?.from());
    let at_start = (from.place.1 == 0).then(Word::default);
    access(app).filter(|last| last.access.direction == Direction::Store)?;
    let mut words = app.session.place().shared.clone();
    for cell in cells(&left[1..]) {
        let index = cell.word as usize;
        let before = from.shared.get(index).copied().or(at_start);
        if let (Some(word), Some(before)) = (words.get_mut(index), before) {
            *word = before;
        }
    }
    Some(words)
}
