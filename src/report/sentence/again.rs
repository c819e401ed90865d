//! Describes an episode in which events repeat, in one sentence.

use crate::kernel::Problem;
use crate::report::number::{Count, Range};
use crate::trace::OpKind;
use crate::trace::episodes::{CyclePart, Episode, RepeatedEvents};

/// The sentence for an episode in which events repeat; `None` for an episode of one new event, which has
/// a sentence of its own.
pub fn again(problem: &Problem, episode: &Episode) -> Option<String> {
    let again = episode.again.as_ref()?;
    Some(match progress(problem, again) {
        Some(progress) if again.releases > 0 => progress.tiles(again.part),
        Some(progress) => progress.steps(again.part),
        _ if again.releases > 1 && again.part == CyclePart::Rest => {
            format!("{}, in fast motion.", Count(again.releases.into(), "more barrier"))
        }
        _ if again.releases > 0 => "The same again, faster.".to_owned(),
        _ => others(again),
    })
}

/// How far an episode leads its warps along k.
pub(super) struct EpisodeProgress {
    /// The warps, if not all warps of the block take part.
    pub(super) who: Option<String>,
    /// The steps along k that it covers.
    pub(super) k: Range,
    /// The tiles along k that it covers, counted from 1.
    pub(super) tiles: Range,
    /// The number of tiles.
    of: u32,
}

pub(super) fn progress(problem: &Problem, again: &RepeatedEvents) -> Option<EpisodeProgress> {
    let ((first, last), variant) = again.fmas.zip(problem.known.map(|known| known.variant))?;
    let of = problem.k_tiles()?;
    let each = u64::from(variant.fma_per_thread().max(1));
    let [first, last] = [first, last].map(u64::from);
    let k = |fma: u64| fma * u64::from(variant.tile.k) / each;
    let all = again.warps.count_ones() == problem.launch.warps();
    let who = who(again.warps).filter(|_| !all);
    let tiles = Range(first / each + 1, last / each + 1);
    Some(EpisodeProgress { who, k: Range(k(first), k(last)), tiles, of })
}

impl EpisodeProgress {
    fn tiles(&self, part: CyclePart) -> String {
        let Self { tiles: Range(first, last), of, .. } = self;
        match part {
            CyclePart::First => format!("Tile {first} of {of}: the same again, faster."),
            _ if first == last => format!("Tile {first} of {of}: the same again."),
            CyclePart::Only | CyclePart::Rest => {
                format!("Tiles {first} to {last} of {of}, in fast motion.")
            }
        }
    }

    fn steps(&self, part: CyclePart) -> String {
        let Range(first, last) = self.k;
        let k =
            if first == last { format!("k = {first}") } else { format!("k = {first} to {last}") };
        let who = self.who.as_ref().map_or(String::new(), |who| format!("{who}, "));
        let pace = if first == last || part == CyclePart::First { "" } else { ", faster" };
        format!("{who}{k}: the same again{pace}.")
    }
}

/// "Warps 1-7 do the same in turn: load, store, wait.", "Warps 1-7 store in turn.", "Warp 0 loads
/// more."
fn others(again: &RepeatedEvents) -> String {
    let Some(who) = who(again.warps) else { return "The same again, faster.".to_owned() };
    let one = again.warps.is_power_of_two();
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

/// "Warp 3", "Warps 1-7", or "3 warps" if their numbers are not consecutive; `None` for no warp.
pub(super) fn who(warps: u64) -> Option<String> {
    let (first, last) = (warps.trailing_zeros(), 63 - warps.leading_zeros().min(63));
    match warps.count_ones() {
        0 => None,
        1 => Some(format!("Warp {first}")),
        count if last - first + 1 == count => Some(format!("Warps {first}-{last}")),
        count => Some(format!("{count} warps")),
    }
}

/// The verb for a kind of event.
const fn verb(kind: OpKind) -> Option<&'static str> {
    match kind {
        OpKind::GlobalLoad | OpKind::SharedLoad => Some("load"),
        OpKind::GlobalStore | OpKind::SharedStore => Some("store"),
        OpKind::Barrier => Some("wait"),
        OpKind::Fma => Some("multiply"),
        OpKind::Exit | OpKind::Compute | OpKind::Branch => None,
    }
}
