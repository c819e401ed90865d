//! What the banks cost, in words.

use crate::analysis::banks::{BANKS, Pass, Wavefronts};
use crate::report::number::Count;
use crate::sim::{Access, Direction, LaneMask};

/// Returns how many words one load's only pass delivers, and to how many lanes, if lanes share them.
pub(super) fn shared_words(
    accesses: &[Access],
    passes: &[(Pass, [bool; BANKS])],
) -> Option<(u64, u32)> {
    let ([access], [(pass, _)]) = (accesses, passes) else { return None };
    let words = pass.cells.iter().flatten();
    let shared = words.clone().any(|cell| cell.lanes.count() > 1);
    let lanes = words.clone().fold(LaneMask::NONE, |sum, cell| sum.or(cell.lanes)).count();
    (shared && access.direction == Direction::Load).then(|| (words.count() as u64, lanes))
}

/// Describes the pass that is being played.
pub(super) fn play(at: usize, passes: &[(Pass, [bool; BANKS])]) -> Vec<String> {
    let count = |passes: &[(Pass, _)]| {
        let cells = passes.iter().flat_map(|(pass, _)| pass.cells).flatten();
        cells.fold(LaneMask::NONE, |sum, cell| sum.or(cell.lanes)).count()
    };
    let head = format!("pass {} of {}", at + 1, passes.len());
    let (now, rest) = (count(&passes[at..=at]), count(&passes[at + 1..]));
    let (served, waiting) = (Count(now.into(), "lane"), Count(rest.into(), "lane"));
    vec![
        format!("{head}: serves {served}, {waiting} still to be served"),
        format!("{head}: {now} served, {rest} wait"),
        head,
    ]
}

/// Returns the verdict: "1 pass: 2 words for 32 lanes", "16-way conflict: 16 passes". `shared` has
/// the number of words and of their lanes if several lanes get the same.
pub(super) fn verdict(
    costs: &[Wavefronts],
    (bytes, atomic): (u8, bool),
    shared: Option<(u64, u32)>,
) -> Vec<String> {
    let sum = |of: fn(&Wavefronts) -> u32| costs.iter().map(of).sum::<u32>();
    let (wavefronts, conflicts) = (sum(|cost| cost.wavefronts), sum(|cost| cost.conflicts));
    let passes = Count(wavefronts.into(), "pass").to_string();
    if conflicts > 0 {
        let least = sum(|cost| cost.groups);
        let ways = costs.iter().map(|cost| cost.ways).max().unwrap_or(0);
        if atomic {
            return vec![
                format!("up to {ways} lanes take turns in a bank: {passes} instead of {least}"),
                format!("{ways} lanes take turns: {passes}"),
                passes,
            ];
        }
        return vec![
            format!("{ways}-way bank conflict: {passes} instead of {least}"),
            format!("{ways}-way conflict: {passes}"),
            passes,
        ];
    }
    let why = match shared {
        Some((words, lanes)) => {
            let (words, lanes) = (Count(words, "word"), Count(lanes.into(), "lane"));
            let text = format!("{words} for {lanes}");
            [format!("{text}, no bank conflict"), text]
        }
        None if wavefronts > 1 && bytes > 4 => [
            format!("the least for {bytes} bytes a lane, no bank conflict"),
            format!("{bytes} B a lane, no conflict"),
        ],
        None if wavefronts > 1 => {
            ["the least for these bytes, no bank conflict", "the least for these bytes"]
                .map(str::to_owned)
        }
        None => ["no bank has to serve two words".to_owned(), "no bank conflict".to_owned()],
    };
    let [long, short] = why.map(|why| format!("{passes}: {why}"));
    vec![long, short, format!("{passes}: no conflict"), passes]
}
