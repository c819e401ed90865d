//! The barrier missing between two accesses of a block: where to put it so that all its threads reach
//! it.

use super::flow::{SuccessorInsts, ended, is_barrier};
use super::names::Names;
use super::ways::{ForkStatement, SkippingPath};
use crate::analysis::check::{AccessKind, Finding, FindingKind, Participant};
use crate::launch::WARP_SIZE;
use crate::report::cause::capitalised;
use crate::sim::{Inst, Pc};
use ptx::{BarrierAction, ControlOp, Op, Space, WarpOp};

/// The barrier that a race lacks.
pub(super) struct MissingBarrier {
    /// Of a race that the barrier of an earlier finding puts in order: the number of that finding.
    pub(super) with: Option<usize>,
    /// Where it goes, for all of them.
    pub(super) advice: String,
}

/// A gap in which one barrier puts all of some races in order.
struct BarrierGap<'f> {
    /// The first of these findings.
    number: usize,
    /// The last of the accesses before it, and the first after it.
    sides: [&'f Participant; 2],
    /// Whether it lies between two rounds of a loop.
    is_round: bool,
    /// The branch that guards both accesses.
    fork: Option<Pc>,
}

/// For each finding the barrier that it lacks, if it is a race between warps of one block for which
/// there is a place between two lines; one for as many as it puts in order. `is_all` says of a race
/// whether a barrier is all that it lacks.
pub(super) fn barriers(
    names: &Names<'_>,
    findings: &[&Finding],
    is_all: impl Fn(&Finding) -> bool,
) -> Vec<Option<MissingBarrier>> {
    let mut gaps: Vec<BarrierGap<'_>> = Vec::new();
    let mut of: Vec<Option<usize>> = Vec::new();
    for (number, finding) in findings.iter().enumerate() {
        let Some(new) = gap(names, (number, finding)).filter(|_| is_all(finding)) else {
            of.push(None);
            continue;
        };
        let joined = gaps.iter().enumerate().find_map(|(at, gap)| Some((at, gap.with(&new)?)));
        of.push(Some(if let Some((at, joined)) = joined {
            gaps[at] = joined;
            at
        } else {
            gaps.push(new);
            gaps.len() - 1
        }));
    }
    let barrier = |(number, at): (usize, Option<usize>)| {
        let BarrierGap { number: first, sides, .. } = &gaps[at?];
        let advice = between(names, findings[*first], *sides);
        Some(MissingBarrier { with: (*first != number).then_some(*first), advice })
    };
    of.into_iter().enumerate().map(barrier).collect()
}

/// The gap of a race between warps, if a barrier there puts them in order.
fn gap<'f>(names: &Names<'_>, (number, finding): (usize, &'f Finding)) -> Option<BarrierGap<'f>> {
    let [first, second] = &finding.sides[..] else { return None };
    let is_plain = finding.kind == FindingKind::Race
        && finding.interval.is_some()
        && finding.missing.is_none()
        && first.block == second.block
        && !finding.is_within_a_warp()
        && first.line.is_some()
        && first.line != second.line;
    let sides = [first, second];
    let is_barrier = is_plain && apart(names, sides, None).is_none();
    let (place, _) = is_barrier.then(|| place(names, sides, false))?;
    let [early, late] = if first.pc <= second.pc { sides } else { [second, first] };
    let (sides, is_round) = match place {
        BarrierPlacement::Between if early.line < late.line => ([early, late], false),
        BarrierPlacement::Round if early.line < late.line => ([late, early], true),
        _ => return None,
    };
    let fork = names.way_to_both(sides).map(|way| way.fork.pc);
    Some(BarrierGap { number, sides, is_round, fork })
}

impl BarrierGap<'_> {
    /// What two gaps have in common: after the later of the accesses before them, before the earlier of
    /// those after them.
    fn with(&self, other: &Self) -> Option<Self> {
        let [[one, two], [after, before]] = [self.sides, other.sides];
        let after = if one.pc >= after.pc { one } else { after };
        let before = if two.pc <= before.pc { two } else { before };
        let fits = self.is_round || after.pc < before.pc && after.line < before.line;
        let is_same = (self.is_round, self.fork) == (other.is_round, other.fork);
        (is_same && fits).then_some(Self { sides: [after, before], ..*self })
    }
}

/// How these accesses come into an order.
pub(super) fn between(
    names: &Names<'_>,
    finding: &Finding,
    sides @ [first, second]: [&Participant; 2],
) -> String {
    let way = names.way_to_both(sides);
    if let Some(told) = apart(names, sides, way.as_ref()) {
        return told;
    }
    let is_within = finding.is_within_a_warp();
    let is_shared = finding.place.is_some_and(|place| place.space == Space::Shared);
    let is_one_warp = names.problem.launch.threads() <= WARP_SIZE;
    let is_one_line = first.line.is_some() && first.line == second.line;
    let of_lanes = is_within && (is_one_warp || is_one_line || way.is_some() && is_shared);
    let barrier = if of_lanes { "__syncwarp()" } else { "__syncthreads()" };
    let outside = way.map_or_else(String::new, |way| outside(&way, of_lanes));
    if is_one_line && first.did == AccessKind::Load && first.pc < second.pc {
        return format!(
            "{} loads and stores in one statement, and others load and store there meanwhile: load into \
             a variable, then put a {barrier}, then store, then put another {barrier}{outside}.",
            capitalised(&names.line(first))
        );
    }
    let (_, place) = place(names, sides, is_within);
    let less = if is_shared && is_within && !of_lanes {
        "; for lanes of one warp a __syncwarp() will do"
    } else {
        ""
    };
    format!("Put a {barrier} {place}{less}{outside}.")
}

/// Where all threads would reach the barrier, if not all reach the accesses.
fn outside(SkippingPath { fork, kind, name }: &SkippingPath, of_lanes: bool) -> String {
    // Threads that have ended are not waited for.
    if *kind == ForkStatement::Return || of_lanes && fork.is_of_warps {
        return String::new();
    }
    match kind {
        ForkStatement::Loop if of_lanes => {
            format!(", with all lanes of the warp making the same number of rounds of {name}")
        }
        ForkStatement::Loop => format!(
            ", with all threads of the block making the same number of rounds of {name}: guard what \
             they load and store in it"
        ),
        ForkStatement::Return | ForkStatement::If | ForkStatement::Branch => {
            let all = if of_lanes { "lanes of the warp" } else { "threads of the block" };
            format!(
                ", outside {name}, so that all {all} come to it: end that before the barrier and begin it \
                 again after it"
            )
        }
    }
}

/// The advice for accesses in two branches, between which no barrier fits.
fn apart(
    names: &Names<'_>,
    [first, second]: [&Participant; 2],
    way: Option<&SkippingPath>,
) -> Option<String> {
    let [one, two] = [first, second].map(|side| SuccessorInsts::new(names.program, side.pc));
    if first.pc == second.pc || one.has(second.pc) || two.has(first.pc) {
        return None;
    }
    let takes = if second.did == AccessKind::Load { second } else { first };
    if let Some(arrive) = arrive_before(names, takes) {
        let line = names.line(&arrive);
        return Some(format!(
            "bar.arrive in {line} does not wait for the threads that store: use bar.sync there, or let \
             all of them meet at another barrier before {} loads.",
            names.line(takes)
        ));
    }
    let returns = way.is_none_or(|way| way.kind == ForkStatement::Return);
    if let Some((side, _)) = ended(names.program, [first, second]).filter(|_| returns) {
        return Some(format!(
            "Keep the threads that end after {0}: guard what follows instead of returning early, and \
             put a __syncthreads() after {0} that all threads of the block reach.",
            names.line(side)
        ));
    }
    let stores_first = [first, second].map(|side| side.did == AccessKind::Load) != [true, false];
    let in_order = if stores_first { [first, second] } else { [second, first] };
    let [here, there] = in_order.map(|side| names.line(side));
    let branch = way.map_or("the branch", |way| &way.name);
    Some(format!(
        "No barrier fits between the two ways of {branch}: end it after all that one way does there \
         before the other may go on ({here}), put a __syncthreads() there that all threads of the block \
         reach, and let the other way ({there}) follow in a branch of its own."
    ))
}

/// The last bar.arrive before an access.
fn arrive_before(names: &Names<'_>, side: &Participant) -> Option<Participant> {
    let insts = &names.program.insts;
    let arrives = |pc: &Pc| {
        let Inst { op, .. } = &insts[pc.0 as usize];
        matches!(op, Op::Control(ControlOp::Bar { how: BarrierAction::Arrive, .. }))
    };
    let comes = |pc: &Pc| SuccessorInsts::new(names.program, *pc).has(side.pc);
    let pc = (0..side.pc.0).rev().map(Pc).filter(arrives).find(comes)?;
    let Inst { line, file, .. } = insts[pc.0 as usize];
    Some(Participant { pc, line, file, ..*side })
}

/// Whether lanes of a warp wait for each other there.
fn is_of_lanes(inst: &Inst) -> bool {
    matches!(&inst.op, Op::Warp(of) if of.op == WarpOp::Sync)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BarrierPlacement {
    /// Between two lines.
    Between,
    /// Between two lines that have one between them, which not all threads reach.
    Reached,
    /// After a line, before the loop's next iteration reaches another.
    Round,
    /// Within a line.
    InLine,
}

/// Where to put the missing barrier. If the second access comes before the first in the next round
/// of their loop, that is where.
fn place(
    names: &Names<'_>,
    [first, second]: [&Participant; 2],
    is_within: bool,
) -> (BarrierPlacement, String) {
    let program = names.program;
    let ordered = first.pc <= second.pc;
    let [early, late] = if ordered { [first, second] } else { [second, first] };
    let insts = &program.insts[early.pc.0 as usize..late.pc.0 as usize];
    let parts = |inst: &Inst| is_barrier(inst) || is_within && is_of_lanes(inst);
    let parted = insts.iter().any(parts);
    let [one, two] = [early, late].map(|side| names.line(side));
    let bounds = bounds(names, [early, late], is_within);
    let loops = SuccessorInsts::new(program, late.pc).has(early.pc);
    // Of an unrolled loop, a copy of the later access comes before the earlier one.
    let ptx = &names.problem.ptx;
    let again = program.inst(late.pc).opcode(ptx);
    let is_copy =
        |inst: &Inst| (inst.file, inst.line) == (late.file, late.line) && inst.opcode(ptx) == again;
    let unrolled = late.line.is_some() && program.insts[..early.pc.0 as usize].iter().any(is_copy);
    let reads_after = first.did == AccessKind::Store && second.did == AccessKind::Load;
    let reads_after = reads_after && (early.did == AccessKind::Store || loops);
    match (one == two, early.line > late.line) {
        (true, _) if reads_after && !loops && unrolled => (
            BarrierPlacement::InLine,
            format!("between the store in {one} and the load there that comes after it"),
        ),
        (true, _) if reads_after && loops => (
            BarrierPlacement::InLine,
            format!("after the store in {one}, before the next round loads there"),
        ),
        (true, _) if reads_after => {
            (BarrierPlacement::InLine, format!("between store and load in {one}"))
        }
        (true, _) => (BarrierPlacement::InLine, format!("between load and store in {one}")),
        (false, true) if loops || unrolled => {
            (BarrierPlacement::Round, format!("after {one}, before the next round comes to {two}"))
        }
        (false, true) => (BarrierPlacement::Between, format!("between {two} and {one}")),
        (false, false) if parted && loops => {
            (BarrierPlacement::Round, format!("after {two}, before the next round comes to {one}"))
        }
        (false, false) if parted => {
            let all = if is_within { "lanes of the warp" } else { "threads of the block" };
            (BarrierPlacement::Reached, format!("between {one} and {two} that all {all} reach"))
        }
        (false, false) => (BarrierPlacement::Between, format!("between {}", bounds.join(" and "))),
    }
}

/// The lines between which all threads reach a barrier: after the statement that diverges to the first
/// access, before the one that diverges to the second.
fn bounds(names: &Names<'_>, [early, late]: [&Participant; 2], is_within: bool) -> [String; 2] {
    let (before, after) = (names.ways(early), names.ways(late));
    let is_among =
        |way: &SkippingPath, ways: &[SkippingPath]| ways.iter().any(|other| other.fork == way.fork);
    let parts = |way: &&SkippingPath| !(is_within && way.fork.is_of_warps);
    let line = |way: &SkippingPath| names.program.inst(way.fork.pc).line;
    let encloses = |way: &&SkippingPath| {
        way.kind != ForkStatement::Return && !is_among(way, &after) && line(way) < early.line
    };
    let first = before.iter().filter(parts).rfind(encloses);
    let begins = |way: &&SkippingPath| {
        !is_among(way, &before) && early.line < line(way) && line(way) < late.line
    };
    let last = after.iter().filter(parts).rfind(begins);
    [
        first.map_or_else(|| names.line(early), |way| format!("the end of {}", way.name)),
        last.map_or_else(|| names.line(late), |way| way.name.clone()),
    ]
}
