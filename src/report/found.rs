//! What is wrong with the run of one block, and at which of its steps that shows.

use super::finding::{Names, lanes, verb};
use super::sentence::{WIDTH, clip};
use super::sim::errors::{Element, Errors, Wrong};
use crate::analysis::check::{self, Checks, Did, Finding, Side, What};
use crate::kernel::Problem;
use crate::launch::Dim3;
use crate::matrix::Operand;
use crate::ptx::Space;
use crate::sim::{Access, Effect, LaneMask, Machine, Memory, Order, Program, Step};
use crate::trace::LIMIT;
use std::sync::Arc;

/// A finding in the run of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// race, barrier, memory, assertion or no-end.
    pub kind: &'static str,
    /// What happened, in a sentence.
    pub message: String,
    /// What to do about it.
    pub advice: String,
    /// Where it shows in the run, in the order of its steps.
    pub shows: Vec<Shows>,
}

/// A step at which a finding shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shows {
    /// Steps done when it has been executed.
    pub step: usize,
    /// Its warp.
    pub warp: u16,
    /// The lanes that have to do with it.
    pub lanes: LaneMask,
    /// The word of shared memory that it is about, if it is about one.
    pub word: Option<u32>,
    /// Whether nobody of them takes part: it is the end of the block, at which C is wrong.
    pub is_end: bool,
    /// What is wrong there, in a sentence that fits its row.
    pub sentence: String,
}

impl Found {
    /// Whether two warps take part.
    pub fn is_between_warps(&self) -> bool {
        let took_part: Vec<_> = self.shows.iter().filter(|shows| !shows.is_end).collect();
        took_part.windows(2).any(|pair| pair[0].warp != pair[1].warp)
    }
}

/// A block's run, to be looked through.
#[derive(Clone, Debug)]
pub struct Suspect {
    /// What runs.
    pub problem: Problem,
    /// Its program.
    pub program: Arc<Program>,
    /// The block.
    pub block: Dim3,
    /// The order of its warps.
    pub order: Order,
}

impl Suspect {
    /// Everything that is wrong with it: it is run with all checks, and once more to find the steps.
    ///
    /// Of a block that takes more steps than are recorded, that part: whether it ends is not known,
    /// unless it has come back to where it was.
    pub fn look(&self) -> Vec<Found> {
        let checks = Checks {
            launch: self.problem.launch(),
            only: Some(self.block),
            budget: LIMIT as u64,
            unfilled: self.problem.unfilled(),
        };
        let memory = || self.problem.sparse_memory(&self.program);
        let machine = |block, memory| {
            self.problem.machine(Arc::clone(&self.program), block, memory, self.order.clone())
        };
        let mut checked = check::run(&checks, memory, machine);
        checked.findings.retain(|finding| !is_only_long(finding));
        if checked.findings.is_empty() {
            return Vec::new();
        }
        let mut steps = Places::of(&checked.findings);
        let mut again = machine(self.block, memory());
        let end = steps.find(&mut again);
        let names =
            Names { problem: &self.problem, program: &self.program, memory: &checked.memory };
        let found = checked.findings.iter().zip(&steps.found);
        let found = found.map(|(finding, steps)| found_of(&names, finding, steps));
        let mut found: Vec<_> = found.collect();
        if let Some(first) = found.first_mut() {
            first.shows.extend(self.spoilt(again.memory(), end));
        }
        found
    }

    /// At the end of the block: what has become of its C, if it is known what that should be.
    fn spoilt(&self, memory: &Memory, end: Option<End>) -> Option<Shows> {
        let (part, c) = (self.problem.part(self.block)?, memory.named(Operand::C.name())?);
        let Wrong { elements, of, first, .. } = Errors::of(&self.problem, c, part, 0.0).wrong();
        let (Element { row, column, is, should }, End { step, warp }) = (first?, end?);
        let sentence = clip(format!(
            "WRONG: {elements} of {of} elements of this block's C, as C[{row}][{column}]: {is:.4}, \
             not {should:.4}."
        ));
        Some(Shows { step, warp, lanes: LaneMask::NONE, word: None, is_end: true, sentence })
    }
}

/// The last step of a block that came to its end.
struct End {
    step: usize,
    warp: u16,
}

/// For each finding and each side of it, the step at which it took part, if that is known.
struct Places<'a> {
    findings: &'a [Finding],
    found: Vec<Vec<Option<usize>>>,
}

impl<'a> Places<'a> {
    fn of(findings: &'a [Finding]) -> Self {
        let found = findings.iter().map(|finding| vec![None; finding.sides.len()]).collect();
        Self { findings, found }
    }

    /// Runs to the end; where that is, if the block comes to it.
    fn find(&mut self, machine: &mut Machine) -> Option<End> {
        let (mut index, mut last, mut ended) = (0, 0, false);
        while index < LIMIT && !ended {
            let interval = machine.interval();
            match machine.step() {
                Ok(Some(step)) => {
                    (index, last) = (index + 1, step.warp);
                    self.meet(step, interval, index);
                }
                Ok(None) => ended = true,
                Err(_) => break,
            }
        }
        // Who stands somewhere for ever, or could not go on, does so at the end.
        for (finding, found) in self.findings.iter().zip(&mut self.found) {
            let ends = matches!(finding.what, What::Deadlock(_) | What::Fault(_) | What::NoEnd(_));
            found.iter_mut().filter(|at| at.is_none() && ends).for_each(|at| *at = Some(index));
        }
        ended.then_some(End { step: index, warp: last })
    }

    fn meet(&mut self, step: &Step, interval: u32, index: usize) {
        for (finding, found) in self.findings.iter().zip(&mut self.found) {
            if finding.interval.is_some_and(|at| at != interval) {
                continue;
            }
            for (side, at) in finding.sides.iter().zip(found) {
                if at.is_none() && took_part(finding, side, step) {
                    *at = Some(index);
                }
            }
        }
    }
}

/// Whether all that was found is that the block has not ended by then.
fn is_only_long(finding: &Finding) -> bool {
    matches!(&finding.what, What::NoEnd(found) if !found.repeats)
}

fn took_part(finding: &Finding, side: &Side, step: &Step) -> bool {
    if (step.warp, step.pc) != (side.warp, side.pc) || side.did == Did::Stand {
        return false;
    }
    let Some(place) = finding.place else { return true };
    let touches = |access: &Access| {
        let lanes = access.touched().filter(|(lane, _)| side.lanes.has(*lane));
        let size = u64::from(access.bytes);
        let hits = |addr: u64| place.addr.wrapping_sub(addr) < size;
        (access.space == Space::Shared) == (place.space == Space::Shared)
            && lanes.into_iter().any(|(_, addr)| hits(addr))
    };
    match &step.effect {
        Effect::Copy(copy) => copy.iter().any(touches),
        _ => step.accesses().iter().any(touches),
    }
}

fn found_of(names: &Names<'_>, finding: &Finding, steps: &[Option<usize>]) -> Found {
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
            let sentence = match (&finding.what, other, step) {
                (What::Race | What::InFlight, Some((other, then)), Some(now)) => {
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
    Found { kind: row.kind, message: row.message, advice: row.advice, shows }
}

/// "RACE: warp 0 loads sB[3][0], line 35, before warp 1 stores it, line 29."
fn race(names: &Names<'_>, finding: &Finding, sides: [&Side; 2], first: bool) -> String {
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
    let warp = |side: &Side| format!("warp {}", side.warp);
    let long = if one.warp == other.warp { sides.map(lanes) } else { sides.map(warp) };
    let long = told(long);
    if long.chars().count() <= WIDTH {
        return long;
    }
    let short = |side: &Side| match side.lanes.count() {
        1 => format!("w{} l{}", side.warp, side.lanes.0.trailing_zeros()),
        _ => format!("w{}", side.warp),
    };
    told(sides.map(short))
}

/// `MEMORY: lane 3 loads C[0][3], which nobody has written.`: of a message that does not fit its
/// row, the part behind the place, which the screen shows, or that before what explains it.
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
        let short = "lane 3 of warp 1 loads sA[4] at line 18, which nobody has written";
        assert_eq!(brief("memory", short), format!("MEMORY: {short}."));
    }
}
