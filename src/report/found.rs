//! The findings in the run of one block, with a sentence for each step at which one shows.

use super::finding::{Names, lanes, verb};
use super::sentence::{WIDTH, clip};
use crate::analysis::check::{Finding, FindingKind, Participant};
use crate::matrix::judge::{Off, Wrong};
use crate::ptx::Space;
use crate::sim::LaneMask;
use crate::study::findings::{BlockFindings, BlockRun, InRun, WrongResult};

/// A finding in the run of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FindingInRun {
    /// race, barrier, memory, assertion or no-end.
    pub kind: &'static str,
    /// The message, a sentence on what happened.
    pub message: String,
    /// The advice.
    pub advice: String,
    /// The steps of the run at which it shows, in order.
    pub shows: Vec<Shows>,
}

/// A step at which a finding shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shows {
    /// The number of steps done once it has been executed.
    pub step: usize,
    /// Its warp.
    pub warp: u16,
    /// The lanes that take part.
    pub lanes: LaneMask,
    /// The word of shared memory, if it concerns one.
    pub word: Option<u32>,
    /// Whether it is the end of the block, at which C is wrong and no lane takes part.
    pub is_end: bool,
    /// The finding at this step, in a sentence that fits its row.
    pub sentence: String,
}

impl FindingInRun {
    /// All findings of a run.
    pub fn all(suspect: &BlockRun, looked: &BlockFindings) -> Vec<Self> {
        let BlockRun { problem, program, .. } = suspect;
        let names = Names { problem, program, memory: &looked.memory };
        let found = |InRun { finding, steps }: &InRun| found_of(&names, finding, steps);
        let mut all: Vec<_> = looked.findings.iter().map(found).collect();
        if let Some(first) = all.first_mut() {
            first.shows.extend(looked.spoilt.as_ref().and_then(spoilt));
        }
        all
    }

    /// Whether two warps take part.
    pub fn is_between_warps(&self) -> bool {
        let took_part: Vec<_> = self.shows.iter().filter(|shows| !shows.is_end).collect();
        took_part.windows(2).any(|pair| pair[0].warp != pair[1].warp)
    }
}

/// The wrong C at the end of the block.
fn spoilt(WrongResult { step, warp, wrong }: &WrongResult) -> Option<Shows> {
    let Wrong { elements, of, first, .. } = wrong;
    let Off { row, column, is, should } = (*first)?;
    let sentence = clip(format!(
        "WRONG: {elements} of {of} elements of this block's C, as C[{row}][{column}]: {is:.4}, \
         not {should:.4}."
    ));
    let (step, warp) = (*step, *warp);
    Some(Shows { step, warp, lanes: LaneMask::NONE, word: None, is_end: true, sentence })
}

fn found_of(names: &Names<'_>, finding: &Finding, steps: &[Option<usize>]) -> FindingInRun {
    let row = names.row(finding);
    let shared = finding.place.filter(|place| place.space == Space::Shared);
    let word = shared.map(|place| (place.addr / 4) as u32);
    let both = (steps.first().copied().flatten(), steps.get(1).copied().flatten());
    let mut shows: Vec<_> = finding
        .sides
        .iter()
        .zip(steps)
        .enumerate()
        .filter_map(|(number, (side, step))| {
            let other = finding.sides.get(1 - number.min(1)).zip(match number {
                0 => both.1,
                _ => both.0,
            });
            let sentence = match (&finding.kind, other, step) {
                (FindingKind::Race | FindingKind::UnwaitedCopy, Some((other, then)), Some(now)) => {
                    race(names, finding, [side, other], *now < then)
                }
                _ => brief(row.kind, &row.message),
            };
            let (warp, lanes) = (side.warp, side.lanes);
            let (step, sentence) = ((*step)?, clip(sentence));
            Some(Shows { step, warp, lanes, word, is_end: false, sentence })
        })
        .collect();
    shows.sort_by_key(|shows| shows.step);
    shows.dedup_by_key(|shows| shows.step);
    FindingInRun { kind: row.kind, message: row.message, advice: row.advice, shows }
}

/// "RACE: warp 0 loads sB[3][0], line 35, before warp 1 stores it, line 29."
fn race(names: &Names<'_>, finding: &Finding, sides: [&Participant; 2], first: bool) -> String {
    let element = finding.place.map(|place| names.element(place, &finding.sides));
    let element = element.unwrap_or_default();
    let when = if first { "before" } else { "after" };
    let [one, other] = sides;
    let [here, there] = sides.map(|side| names.line(side));
    let told = |names: [String; 2]| {
        let [me, they] = names;
        let (mine, theirs) = (verb(one.did), verb(other.did));
        format!("RACE: {me} {mine} {element}, {here}, {when} {they} {theirs} it, {there}.")
    };
    let warp = |side: &Participant| format!("warp {}", side.warp);
    let long = if one.warp == other.warp { sides.map(lanes) } else { sides.map(warp) };
    let long = told(long);
    if long.chars().count() <= WIDTH {
        return long;
    }
    let short = |side: &Participant| match side.lanes.count() {
        1 => format!("w{} l{}", side.warp, side.lanes.0.trailing_zeros()),
        _ => format!("w{}", side.warp),
    };
    told(sides.map(short))
}

/// `MEMORY: lane 3 loads C[0][3], which was never written.`: for a message that does not fit its
/// row, the part after the place, which the screen shows, or the part before the explanation.
fn brief(kind: &str, message: &str) -> String {
    let told = |message: &str| format!("{}: {message}.", shout(kind));
    let (head, tail) = message.split_once(": ").unwrap_or((message, message));
    let cut = tail.rsplit_once(", ").map_or(tail, |(cut, _)| cut);
    let is_place = head.starts_with("lane") || kind == "no-end";
    let parts = if is_place { [message, tail, cut, head] } else { [message, head, tail, cut] };
    let fits = |text: &String| text.chars().count() <= WIDTH;
    parts.map(told).into_iter().find(fits).unwrap_or_else(|| told(message))
}

fn shout(kind: &str) -> String {
    kind.to_uppercase().replace('-', " ")
}

#[cfg(test)]
mod tests {
    use super::brief;

    #[test]
    fn of_a_long_message_the_row_says_the_part_that_matters() {
        let barrier =
            "224 threads ended before the barrier of line 16: 24 lanes of warp 0 at line 11";
        assert_eq!(
            brief("barrier", barrier),
            "BARRIER: 224 threads ended before the barrier of line 16."
        );
        let memory = "lane 0 of warp 0 at line 12: this 4-byte load is outside: `B` ends 128 bytes before it";
        assert_eq!(
            brief("memory", memory),
            "MEMORY: this 4-byte load is outside: `B` ends 128 bytes before it."
        );
        let endless = "no end after 8388608 instructions of a block: warp 0 goes round in line 12 as \
                       long as 0 == 0, neither of which changes";
        assert_eq!(
            brief("no-end", endless),
            "NO END: warp 0 goes round in line 12 as long as 0 == 0."
        );
        let short = "lane 3 of warp 1 loads sA[4] at line 18, which was never written";
        assert_eq!(brief("memory", short), format!("MEMORY: {short}."));
    }
}
