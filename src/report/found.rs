//! The findings in the run of one block, with a sentence for each step at which one shows.

use super::cause::{Explanation, Verdict, capitalised};
use super::chosen;
use super::finding::{Names, lanes, verb};
use super::number::grouped;
use super::sentence::{WIDTH, clip};
use crate::analysis::check::{AccessKind, Finding, FindingKind, Participant};
use crate::kernel::Problem;
use crate::launch::Dim3;
use crate::matrix::judge::{Mismatch, Wrong};
use crate::sim::LaneMask;
use crate::study::cause::Diagnosis;
use crate::study::findings::{
    BlockFindings, BlockRun, GridFindings, InRun, Read, WrongGrid, WrongResult,
};
use ptx::Space;

/// A finding in the run of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FindingInRun {
    /// race, barrier, memory, assertion or no-end; [`RESULT`] for a wrong C.
    pub kind: &'static str,
    /// The message, a sentence on what happened.
    pub message: String,
    pub advice: String,
    /// What it did in this run.
    pub outcome: FindingOutcome,
    /// The same in words; empty if it is not known.
    pub verdict: String,
    /// The steps of the run at which it shows, in order.
    pub shows: Vec<FindingStep>,
    /// Where it occurs, if not in the block that is watched.
    pub elsewhere: Option<OtherBlock>,
}

/// Where a finding occurs that is not the watched block's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OtherBlock {
    /// The first such block.
    pub block: Dim3,
    /// How many there are.
    pub blocks: u64,
}

/// How far a run has been checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CheckedReach {
    /// The block that is watched.
    #[default]
    Block,
    /// That block, and the others are being checked.
    SoFar,
    /// That block, and the others are not checked, since that may take long.
    Alone,
    /// All blocks.
    Grid,
}

/// What a finding did in this run, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FindingOutcome {
    /// A wrong value was read.
    Spoilt,
    /// Not known, or an error in itself.
    Error,
    /// The right value was read, although nothing made sure of it.
    Lucky,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FindingStep {
    /// The number of steps done once it has been executed.
    pub step: usize,
    pub warp: u16,
    /// The lanes that take part.
    pub lanes: LaneMask,
    /// The word of shared memory, if it concerns one.
    pub word: Option<u32>,
    /// Whether it is the block's end, where C is found wrong and no lane takes part.
    pub is_end: bool,
    /// What the finding did.
    pub outcome: FindingOutcome,
    /// The finding at this step, in a sentence that fits its row.
    pub sentence: String,
}

impl FindingInRun {
    /// All findings of a run, in the order of [`Names::rank`].
    pub fn all(suspect: &BlockRun, looked: &BlockFindings) -> Vec<Self> {
        let mut all = in_order(suspect, looked, None);
        if let Some(first) = all.first_mut() {
            let verdict = Verdict::of(None);
            first.shows.extend(looked.spoilt.as_ref().and_then(|of| spoilt(of, BLOCK, verdict)));
        }
        all
    }

    /// All findings with those of other blocks, and after them the wrong C, with what `diagnosis` says
    /// of it; where the block's is right, that of the whole grid.
    pub fn with_result(
        suspect: &BlockRun,
        looked: &BlockFindings,
        diagnosis: Option<&Diagnosis>,
        of_grid: Option<&GridFindings>,
    ) -> Vec<Self> {
        let mut all = in_order(suspect, looked, of_grid);
        let problem = &suspect.problem;
        let explained = |diagnosis| Explanation::new(problem, diagnosis);
        let spoilt = looked.spoilt.as_ref();
        let of_block =
            spoilt.and_then(|of| result(problem, of, BLOCK, diagnosis.map(explained).as_ref()));
        let of_grid = || {
            let WrongGrid { result: of, diagnosis } = of_grid?.wrong.as_ref()?;
            result(problem, of, GRID, diagnosis.as_ref().map(explained).as_ref())
        };
        all.extend(of_block.or_else(of_grid));
        all
    }

    /// Whether two warps take part.
    pub fn is_between_warps(&self) -> bool {
        let took_part: Vec<_> = self.shows.iter().filter(|shows| !shows.is_end).collect();
        took_part.windows(2).any(|pair| pair[0].warp != pair[1].warp)
    }
}

/// The findings of a block and those of other blocks, each as [`Names::rank`] places it.
fn in_order(
    suspect: &BlockRun,
    looked: &BlockFindings,
    of_grid: Option<&GridFindings>,
) -> Vec<FindingInRun> {
    let BlockRun { problem, program, block, .. } = suspect;
    let names = Names { problem, program, memory: &looked.memory };
    let own = looked.findings.iter();
    let own = own.map(|found| (names.rank(&found.finding), found_of(&names, found)));
    let others = of_grid.into_iter().flat_map(|GridFindings { findings, memory, .. }| {
        let names = Names { problem, program, memory };
        findings.iter().map(move |found| (names.rank(found), of_others(&names, found, *block)))
    });
    let mut all: Vec<_> = own.chain(others).collect();
    all.sort_by_key(|(rank, _)| *rank);
    all.into_iter().map(|(_, found)| found).collect()
}

/// A finding that is not the watched block's own.
fn of_others(names: &Names<'_>, finding: &Finding, watched: Dim3) -> FindingInRun {
    let row = names.row(finding);
    let (kind, advice, message) = (row.kind, row.advised(), row.message);
    let places = std::iter::once(finding.block).chain(finding.sides.iter().map(|side| side.block));
    let block = places.into_iter().find(|block| *block != watched).unwrap_or(finding.block);
    FindingInRun {
        kind,
        message,
        advice,
        outcome: FindingOutcome::Error,
        verdict: String::new(),
        shows: Vec::new(),
        elsewhere: Some(OtherBlock { block, blocks: finding.blocks }),
    }
}

/// The kind of a wrong C.
pub const RESULT: &str = "result";

/// Whose C is wrong.
const BLOCK: &str = "this block's";
const GRID: &str = "the grid's";

/// The wrong C as an entry among the findings.
fn result(
    problem: &Problem,
    of: &WrongResult,
    whose: &str,
    explained: Option<&Explanation>,
) -> Option<FindingInRun> {
    let Wrong { elements, of: all, first, .. } = of.wrong;
    let (first, [is, should]) = (first?, first?.shown());
    let Mismatch { row, column, .. } = first;
    let verdict = Verdict::of(explained);
    let lines = explained.map(|explained| explained.lines(elements)).unwrap_or_default();
    let sentences = lines.iter().map(|line| capitalised(line) + ".");
    let sentences = sentences.chain(chosen::of_result(problem, explained));
    Some(FindingInRun {
        kind: RESULT,
        message: format!(
            "C is {verdict}: {} of {whose} {} elements are wrong, the first C[{row}][{column}] = \
             {is} instead of {should}",
            grouped(elements),
            grouped(all)
        ),
        advice: sentences.collect::<Vec<_>>().join(" "),
        outcome: FindingOutcome::Spoilt,
        verdict: String::new(),
        shows: spoilt(of, whose, verdict).into_iter().collect(),
        elsewhere: None,
    })
}

/// The wrong C at the end of the block: the wrong and the right value are never cut.
fn spoilt(of: &WrongResult, whose: &str, verdict: Verdict) -> Option<FindingStep> {
    let WrongResult { step, warp, wrong } = of;
    let Wrong { elements, of, first, .. } = wrong;
    let Mismatch { row, column, is, should, .. } = (*first)?;
    let (elements, of) = (grouped(*elements), grouped(*of));
    let values = format!("C[{row}][{column}] = {is:.4}, not {should:.4}");
    let sentence = fitting([
        format!("C is {verdict}: {elements} of {whose} {of} elements, the first {values}."),
        format!("C is {verdict}: {elements} of {of} elements, first {values}."),
        format!("C is {verdict}: {values}."),
    ]);
    let (step, warp, outcome) = (*step, *warp, FindingOutcome::Spoilt);
    Some(FindingStep {
        step,
        warp,
        lanes: LaneMask::NONE,
        word: None,
        is_end: true,
        outcome,
        sentence,
    })
}

/// The first wording that fits its row, or the last one.
fn fitting<const N: usize>(wordings: [String; N]) -> String {
    let mut last = String::new();
    for wording in wordings {
        if wording.chars().count() <= WIDTH {
            return wording;
        }
        last = wording;
    }
    clip(last)
}

fn found_of(names: &Names<'_>, InRun { finding, steps, read }: &InRun) -> FindingInRun {
    let row = names.row(finding);
    let shared = finding.place.filter(|place| place.space == Space::Shared);
    let word = shared.map(|place| (place.addr / 4) as u32);
    let both = (steps.first().copied().flatten(), steps.get(1).copied().flatten());
    let outcome = match read {
        Some(read) if read.is_right() => FindingOutcome::Lucky,
        Some(_) => FindingOutcome::Spoilt,
        None => FindingOutcome::Error,
    };
    let mut verdict = String::new();
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
                    let met =
                        UnorderedPair { names, finding, sides: [side, other], first: *now < then };
                    let told = met.explain(*read);
                    if outcome == FindingOutcome::Lucky || side.did == AccessKind::Load {
                        verdict.clone_from(&told);
                    }
                    told
                }
                _ => brief(row.kind, &row.message),
            };
            let warp = side.machine_warp(names.problem.launch.warps());
            let lanes = side.lanes;
            let (step, sentence) = ((*step)?, clip(sentence));
            Some(FindingStep { step, warp, lanes, word, is_end: false, outcome, sentence })
        })
        .collect();
    shows.sort_by_key(|shows| shows.step);
    shows.dedup_by_key(|shows| shows.step);
    let verdict = if outcome == FindingOutcome::Error { String::new() } else { verdict };
    let advice = row.advised();
    let message = row.message;
    FindingInRun { kind: row.kind, message, advice, outcome, verdict, shows, elsewhere: None }
}

/// Two accesses that nothing orders, as seen from the first of them.
struct UnorderedPair<'a> {
    names: &'a Names<'a>,
    finding: &'a Finding,
    sides: [&'a Participant; 2],
    /// Whether the first one came first.
    first: bool,
}

impl UnorderedPair<'_> {
    fn element(&self) -> String {
        let place = self.finding.place;
        place.map_or_else(String::new, |place| self.names.element(place, &self.finding.sides))
    }

    fn explain(&self, read: Option<Read>) -> String {
        match read {
            Some(read) if read.is_right() => self.luck(),
            Some(read) => self.wrong(read),
            None => race(self.names, self.finding, self.sides, self.first),
        }
    }

    /// "Well by luck: w0 stores sA[2][0], then w1 loads it; nothing made w1 wait."
    fn luck(&self) -> String {
        let [me, other] = self.sides;
        let [early, late] = if self.first { [me, other] } else { [other, me] };
        let [one, two] = [early, late].map(|side| short(self.names, side, me.warp == other.warp));
        let (did, does, element) = (verb(early.did), verb(late.did), self.element());
        let met = format!("{one} {did} {element}, then {two} {does} it");
        fitting([
            format!("Went well by luck: {met}; nothing made {two} wait."),
            format!("Well by luck: {met}; nothing made {two} wait."),
            format!("Luck: {met}; nothing made it wait."),
        ])
    }

    /// "WRONG VALUE: w0 loads sB[2][0] = 0.3712, it should be 0.1146." and, of the other
    /// access, what made it wrong.
    fn wrong(&self, Read { is, should }: Read) -> String {
        let [me, other] = self.sides;
        let [one, two] = [me, other].map(|side| short(self.names, side, me.warp == other.warp));
        let [here, there] = [me, other].map(|side| self.names.line(side));
        let element = self.element();
        match (me.did, self.first) {
            (AccessKind::Load, _) => format!(
                "WRONG VALUE: {one} loads {element} = {}, it should be {}.",
                value(is),
                value(should)
            ),
            (_, true) => fitting([
                format!(
                    "RACE: {one} overwrites {element}, {here}: {two} still needs the old value."
                ),
                format!("RACE: {one} overwrites {element}: {two} still needs the old value."),
            ]),
            (_, false) => fitting([
                format!(
                    "RACE: {one} stores {element}, {here}: too late, {two} has loaded it, {there}."
                ),
                format!("RACE: {one} stores {element}: too late, {two} has loaded it."),
            ]),
        }
    }
}

fn value(value: f32) -> String {
    if value.fract() == 0.0 { value.to_string() } else { format!("{value:.4}") }
}

/// `w0`, or of lanes of one warp `w0 l1`.
fn short(names: &Names<'_>, side: &Participant, lanes: bool) -> String {
    let warp = side.machine_warp(names.problem.launch.warps());
    match side.lanes.count() {
        1 if lanes => format!("w{warp} l{}{}", side.lanes.0.trailing_zeros(), of_rank(side)),
        _ => format!("w{warp}{}", of_rank(side)),
    }
}

/// ` (rank 1)` of several blocks that run together, whose warps are numbered through.
fn of_rank(side: &Participant) -> String {
    side.rank.map_or_else(String::new, |rank| format!(" (rank {rank})"))
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
    let warps = names.problem.launch.warps();
    let warp = |side: &Participant| format!("warp {}{}", side.machine_warp(warps), of_rank(side));
    let same = (one.rank, one.warp) == (other.rank, other.warp);
    let long = if same { sides.map(lanes) } else { sides.map(warp) };
    let long = told(long);
    if long.chars().count() <= WIDTH {
        return long;
    }
    told(sides.map(|side| short(names, side, true)))
}

/// `MEMORY: lane 3 loads C[0][3], which was never stored.`: for a message that does not fit its
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
        let short = "lane 3 of warp 1 loads sA[4] at line 18, which was never stored";
        assert_eq!(brief("memory", short), format!("MEMORY: {short}."));
    }
}
