//! Describes a scene in which events repeat, in one sentence.

use crate::kernel::Problem;
use crate::launch::Dim3;
use crate::report::number::{Count, Range};
use crate::trace::scenes::{Again, Part, Scene};
use crate::trace::{Kind, Trace};

/// The sentence for a scene in which events repeat; `None` for a scene of one new event, which has
/// a sentence of its own.
pub fn again(problem: &Problem, block: Dim3, trace: &Trace, scene: &Scene) -> Option<String> {
    let again = scene.again.as_ref()?;
    let multiplies = again.kinds.contains(&Kind::Fma);
    Some(match progress(problem, block, trace, scene) {
        Some(progress) if multiplies && again.releases > 0 => progress.tiles(again.part),
        Some(progress) if multiplies => progress.steps(again.part),
        _ if again.releases > 1 && again.part == Part::Rest => {
            format!("{}, in fast motion.", Count(again.releases.into(), "more barrier"))
        }
        _ if again.releases > 0 => "The same again, faster.".to_owned(),
        _ => others(again),
    })
}

/// How far a scene leads along k.
struct Progress {
    /// The steps along k that it covers.
    k: Range,
    /// The tiles along k that it covers, counted from 1.
    tiles: Range,
    /// The number of tiles.
    of: u32,
}

fn progress(problem: &Problem, block: Dim3, trace: &Trace, scene: &Scene) -> Option<Progress> {
    let (tile, of) = problem.tile().zip(problem.k_tiles())?;
    let done = |steps: usize| steps.checked_sub(1).map_or(0, |last| trace.records()[last].fma);
    let each = u64::from(problem.fma_per_tile(block).max(1));
    let [from, to] = [scene.steps.start, scene.steps.end].map(|steps| u64::from(done(steps)));
    let k = |fma: u64| fma * u64::from(tile.k) / each;
    let last = to.max(from + 1) - 1;
    let k = Range(k(from), k(last));
    Some(Progress { k, tiles: Range(from / each + 1, last / each + 1), of })
}

impl Progress {
    fn tiles(&self, part: Part) -> String {
        let Self { tiles: Range(first, last), of, .. } = self;
        match part {
            Part::First => format!("Tile {first} of {of}: the same again, faster."),
            _ if first == last => format!("Tile {first} of {of}: the same again."),
            Part::Only | Part::Rest => format!("Tiles {first} to {last} of {of}, in fast motion."),
        }
    }

    fn steps(&self, part: Part) -> String {
        match (self.k, part) {
            (Range(first, last), _) if first == last => format!("k = {first}: the same again."),
            (Range(first, last), Part::First) => format!("k = {first} to {last}: the same again."),
            (Range(first, last), _) => format!("k = {first} to {last}: the same again, faster."),
        }
    }
}

/// "Warps 1-7 do the same in turn: load, store, wait.", "Warps 1-7 store in turn.", "Warp 0 loads
/// more."
fn others(again: &Again) -> String {
    let (first, last) = (again.warps.trailing_zeros(), 31 - again.warps.leading_zeros().min(31));
    let (who, one) = match again.warps.count_ones() {
        0 => return "The same again, faster.".to_owned(),
        1 => (format!("Warp {first}"), true),
        count if last - first + 1 == count => (format!("Warps {first}-{last}"), false),
        count => (format!("{count} warps"), false),
    };
    let mut verbs = Vec::new();
    for verb in again.kinds.iter().filter_map(|kind| verb(*kind)) {
        if !verbs.contains(&verb) {
            verbs.push(verb);
        }
    }
    match (&verbs[..], one) {
        ([verb], true) => format!("{who} {verb}s more."),
        ([verb], false) if again.in_turn => format!("{who} {verb} in turn."),
        ([verb], false) => format!("{who} {verb} more."),
        (_, true) => format!("{who} does the same: {}.", verbs.join(", ")),
        (_, false) if again.in_turn => format!("{who} do the same in turn: {}.", verbs.join(", ")),
        (_, false) => format!("{who} do the same: {}.", verbs.join(", ")),
    }
}

/// The verb for a kind of event.
const fn verb(kind: Kind) -> Option<&'static str> {
    match kind {
        Kind::GlobalLoad | Kind::SharedLoad => Some("load"),
        Kind::GlobalStore | Kind::SharedStore => Some("store"),
        Kind::Barrier => Some("wait"),
        Kind::Fma => Some("multiply"),
        Kind::Exit | Kind::Compute | Kind::Branch => None,
    }
}
