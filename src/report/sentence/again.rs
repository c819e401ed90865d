//! Describes an episode in which events repeat, in one sentence.

use crate::kernel::Problem;
use crate::report::number::{Count, Range, grouped};
use crate::study::stage::{LowerRoom, StageScene, TwinBar};
use crate::trace::OpKind;
use crate::trace::episodes::{CyclePart, Episode, RepeatedEvents};

/// Whether and how often a block fetches sectors again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FetchedAgain {
    #[default]
    Unknown,
    Never,
    /// The sectors of the whole run, and the different ones among them.
    Counted(u64, u64),
}

impl FetchedAgain {
    pub(super) fn of(scene: &StageScene) -> Self {
        match scene.twin {
            Some(TwinBar { end: Some((asked, different)), .. }) => Self::Counted(asked, different),
            _ if is_fetched_once(scene) => Self::Never,
            _ => Self::Unknown,
        }
    }
}

/// Whether no sector was fetched twice, as far as a scene says that.
fn is_fetched_once(scene: &StageScene) -> bool {
    let LowerRoom::Cross(cross) = &scene.below else { return false };
    let tiles = || scene.above.iter().chain([&cross.left, &cross.top]);
    let wear = || tiles().filter_map(|tile| tile.wear.as_ref()).flat_map(|wear| &wear.rows);
    wear().count() > 0 && wear().all(|times| *times <= 1)
}

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

/// The same on a stage, where `fetches` says whether sectors are fetched again.
pub fn told_again(problem: &Problem, episode: &Episode, fetches: FetchedAgain) -> Option<String> {
    let again = episode.again.as_ref()?;
    let numbers = progress(problem, again).filter(|progress| progress.who.is_none());
    let (first, last) = again.fmas.unwrap_or_default();
    Some(match numbers {
        Some(progress) if again.releases > 0 => match (progress.tiles, again.part) {
            (tiles, CyclePart::First) => format!("Tile {}: the same again.", tiles.0),
            (tiles, _) if tiles.0 == tiles.1 => format!("Tile {}: the same again.", tiles.0),
            (tiles, _) => format!("And {} more.", Count(tiles.count(), "tile")),
        },
        Some(progress) if progress.k.0 == progress.k.1 => {
            let k = progress.k.0;
            format!("Then column {k} and row {k}.")
        }
        Some(progress) => {
            let products = grouped(progress.k.1 + 1);
            let on = format!("On to {products} products");
            match fetches {
                FetchedAgain::Never => format!("{on}: every sector fetched once."),
                FetchedAgain::Counted(asked, different) => {
                    let [asked, different] = [asked, different].map(grouped);
                    format!("{on}: {asked} sectors fetched, where {different} would do.")
                }
                FetchedAgain::Unknown => format!("{on}, to column and row {}.", progress.k.1),
            }
        }
        None if again.releases > 1 => {
            format!("And {} more.", Count(again.releases.into(), "barrier"))
        }
        None if last > first => "The same again, faster.".to_owned(),
        None => told_others(again.warps, &again.kinds)?,
    })
}

/// "Warps 1 to 7 bring theirs."
fn told_others(warps: u64, kinds: &[OpKind]) -> Option<String> {
    let who = who(warps)?.replace('-', " to ");
    let one = warps.is_power_of_two();
    let brings = kinds.contains(&OpKind::SharedStore) && kinds.contains(&OpKind::GlobalLoad);
    let stores = kinds.iter().all(|kind| matches!(kind, OpKind::GlobalStore));
    Some(match (brings, one) {
        (true, true) => format!("{who} brings more."),
        (true, false) => format!("{who} bring theirs."),
        (false, false) if stores => format!("{who} store theirs."),
        _ => return None,
    })
}
