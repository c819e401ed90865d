//! The passes over the banks that an access takes, shown one after the other while the run plays.

use crate::analysis::banks::{self, BankWord, Pass};
use crate::sim::{Access, Direction, LaneMask};
use crate::trace::{Last, SharedWord};
use crate::tui::app::App;
use crate::tui::motion::Motion;

/// Returns the selected warp's access to shared memory, if it is what led to the position shown.
fn access(app: &App) -> Option<&Last> {
    let last = app.run.session.place().warps.get(app.run.warp)?.shared.as_ref();
    // Hardware counts no banks for what reaches other blocks.
    let own = last.filter(|last| !last.access.route.is_distributed());
    own.filter(|last| last.index == app.run.session.at())
}

/// Returns that access itself, without where it was made.
pub(in crate::tui) fn own(app: &App) -> Option<&Access> {
    access(app).map(|last| &last.access)
}

/// Returns the number of its passes.
pub(in crate::tui) fn count(app: &App) -> usize {
    access(app).map_or(0, |last| banks::wavefronts(&last.access).wavefronts as usize)
}

/// The turns during which the bricks of an access with several passes fall.
const FALL: usize = 2;

/// Returns the pass that is shown now, from 0, if there are several.
pub(in crate::tui) fn playing(app: &App) -> Option<usize> {
    let (part, count) = (app.in_motion()?.turns()?, count(app));
    let turn = (part * (count + FALL) as f32) as usize;
    (count > 1).then(|| turn.saturating_sub(FALL))
}

/// Returns the part of their way, from 0 to 1, that the bricks of the selected warp's access to shared
/// or to global memory have fallen.
pub(in crate::tui) fn falling(app: &App, shared: bool) -> Option<f32> {
    let motion = app.in_motion()?;
    let count = if shared { count(app) } else { 0 };
    if count > 1 {
        let turns = motion.turns()? * (count + FALL) as f32 / FALL as f32;
        return Some(turns).filter(|part| *part < 1.0);
    }
    let place = app.run.session.place();
    let warp = place.warps.get(app.run.warp)?;
    let last = if shared { &warp.shared } else { &warp.global };
    last.as_ref().filter(|last| last.index == app.run.session.at())?;
    motion.fall()
}

/// Returns that pass, none while bricks still fall, and those after it, if the selected warp acts alone.
fn left(app: &App) -> Option<(Option<Pass>, Vec<Pass>)> {
    let (pass, last) = (playing(app)?, access(app)?);
    let alone = app.run.session.place().together().count() == 1;
    let mut left = alone.then(|| banks::passes(&last.access))?.into_iter().skip(pass);
    let now = if falling(app, true).is_none() { Some(left.next()?) } else { None };
    Some((now, left.collect()))
}

fn cells<'a>(passes: impl IntoIterator<Item = &'a Pass>) -> impl Iterator<Item = BankWord> {
    passes.into_iter().flat_map(|pass| pass.cells).flatten()
}

/// Returns the lanes that later passes serve.
pub(in crate::tui) fn waiting(app: &App) -> Option<LaneMask> {
    let (_, later) = left(app)?;
    Some(cells(&later).map(|cell| cell.lanes).fold(LaneMask::NONE, LaneMask::or))
}

/// Returns the words of shared memory that the pass serves.
pub(in crate::tui) fn words_now(app: &App) -> Option<Vec<u32>> {
    let (now, _) = left(app)?;
    Some(cells(&now).map(|cell| cell.word as u32).collect())
}

/// Returns shared memory as it is before the later passes, if they store into it.
pub(in crate::tui) fn shared(app: &App) -> Option<Vec<SharedWord>> {
    let (_, later) = left(app)?;
    access(app).filter(|last| last.access.direction == Direction::Store)?;
    Some(before(app, cells(&later).map(|cell| cell.word as u32).collect()))
}

/// Returns shared memory with these words restored to their previous values.
fn before(app: &App, changed: Vec<u32>) -> Vec<SharedWord> {
    let mut words = app.run.session.place().shared.clone();
    let Some(from) = app.in_motion().map(Motion::from) else { return words };
    let at_start = (from.place.1 == 0).then(SharedWord::default);
    for index in changed {
        let before = from.shared.get(index as usize).copied().or(at_start);
        if let (Some(word), Some(before)) = (words.get_mut(index as usize), before) {
            *word = before;
        }
    }
    words
}
