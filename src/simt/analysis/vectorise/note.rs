//! Notes: where the rule does not predict what ptxas does, or where ptxas knows too little.

use super::dataflow::{Dataflow, DataflowFacts, MemoryEffect, MemoryVersion, SPACES, touch};
use super::rule::{BaseAccesses, CombinableLoads, Executed, count};
use super::site::{AccessGuard, Site};
use super::value::{Atom, Base};
use crate::sim::flow::{FlowGraph, NaturalLoop};
use crate::sim::{Pc, Program};
use ptx::{AsyncOp, ControlOp, MemoryOp, Op, Space};
use std::fmt;

/// More trailing zeros than any rule requires.
pub(super) const ENOUGH: u8 = 4;

/// The longest block after a branch that ptxas may replace by a predicate, in instructions. Of
/// blocks with a copy it did so for one with 6 instructions, and for none with 12 or more.
const SHORT: usize = 11;

/// Something that ptxas does, or may do, outside the rule, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    pub kind: NoteKind,
    /// The instruction; for a loop, its first one.
    pub at: Pc,
    /// The shared accesses concerned, ascending; empty for the whole program.
    pub of: Vec<Pc>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum NoteKind {
    /// Neighbouring accesses are not combined, since the address is not known to be aligned.
    Unaligned,
    /// ptxas may unroll the loop and combine accesses of neighbouring iterations.
    Unrolled,
    /// ptxas may move the access out of its loop, branch or function, guard it in another way, or
    /// leave it out beside one that moves the same bytes.
    Reordered,
    /// A load or store of shared memory through a generic address: it is executed as a generic one,
    /// and ptxas may combine those.
    Generic,
    /// How much ptxas sees of the addresses and their alignment was not found out.
    Unknown,
}

/// Each kind as a sentence, and in the fewest words.
const TEXTS: [(NoteKind, &str, &str); 5] = [
    (
        NoteKind::Unaligned,
        "neighbouring accesses stay apart: the alignment of their address is not provable",
        "alignment not provable",
    ),
    (
        NoteKind::Unrolled,
        "ptxas may unroll this loop and join the accesses of neighbouring rounds",
        "the loop may be unrolled",
    ),
    (
        NoteKind::Reordered,
        "ptxas may move this access, guard it in another way or leave it out, and join those around it",
        "may be moved or left out",
    ),
    (
        NoteKind::Generic,
        "this generic access to shared memory is executed as one, and may be joined",
        "a generic access",
    ),
    (
        NoteKind::Unknown,
        "how much ptxas sees of these addresses is not known: it may join the accesses or not",
        "may be joined or not",
    ),
];

impl NoteKind {
    /// Whether the counts may be wrong.
    pub const fn is_doubt(self) -> bool {
        !matches!(self, Self::Unaligned)
    }

    /// What may be executed of an access. Where ptxas can do no more than join, it joins to 16 bytes.
    pub(super) fn doubt(self, site: &Site) -> Option<ExecutedRange> {
        match self {
            Self::Unaligned => None,
            Self::Unrolled => Some(ExecutedRange { least: site.bytes(), unit: site.bytes() }),
            Self::Reordered | Self::Generic | Self::Unknown => {
                Some(ExecutedRange { least: 0, unit: site.element })
            }
        }
    }

    /// The note in the fewest words.
    pub fn brief(self) -> &'static str {
        self.texts().1
    }

    fn texts(self) -> (&'static str, &'static str) {
        let own = TEXTS.iter().find(|(kind, ..)| *kind == self);
        own.map_or(("", ""), |(_, sentence, brief)| (sentence, brief))
    }
}

impl fmt::Display for NoteKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.texts().0)
    }
}

/// The least and the most that may be executed of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExecutedRange {
    /// The least, in sixteenths of what is written.
    pub least: u8,
    /// Bytes per lane of each of the accesses into which it may be split.
    pub unit: u8,
}

impl ExecutedRange {
    /// Both doubts.
    pub(super) fn or(self, other: Self) -> Self {
        Self { least: self.least.min(other.least), unit: self.unit.min(other.unit) }
    }
}

/// The input from which the notes are derived.
pub(super) struct NoteBuilder<'a, 'p> {
    pub(super) program: &'a Program,
    pub(super) flow: &'a FlowGraph,
    pub(super) dataflow: &'a mut Dataflow<'p>,
    pub(super) states: &'a [Option<DataflowFacts>],
    pub(super) sites: &'a [Site],
    pub(super) classes: &'a [CombinableLoads<'a>],
    pub(super) executed: &'a Executed,
    pub(super) told: &'a BaseAccesses<'a>,
    pub(super) sure: &'a BaseAccesses<'a>,
}

impl NoteBuilder<'_, '_> {
    /// Returns every note, in program order.
    pub(super) fn notes(
        mut self,
        overwritten: &[usize],
        untold: &[usize],
        joined: &[Vec<usize>],
    ) -> Vec<Note> {
        let mut notes: Vec<Note> =
            overwritten.iter().map(|pc| note(NoteKind::Reordered, *pc)).collect();
        notes.extend(untold.iter().map(|pc| note(NoteKind::Unknown, *pc)));
        notes.extend(joined.iter().filter_map(|of| self.stored(of)));
        let loops = self.flow.loops();
        for class in self.classes {
            if class.differs(self.sure, self.flow) {
                let members = class.members.iter().copied();
                notes.push(about(NoteKind::Unknown, class.members[0].pc, members));
            }
            notes.extend(self.apart(class, &loops));
            let is_undefined = |site: &&Site| site.guard == AccessGuard::Undefined;
            let undefined: Vec<_> = class.members.iter().copied().filter(is_undefined).collect();
            if let [first, _, ..] = undefined[..] {
                notes.push(about(NoteKind::Reordered, first.pc, undefined));
            }
        }
        notes.extend(self.beside());
        notes.extend(self.computed());
        for found in &loops {
            for space in &SPACES {
                self.loop_notes(found, *space, &mut notes);
            }
        }
        notes.extend(self.of_instructions());
        notes.sort_by_key(|note| (note.at, note.kind));
        notes.dedup_by(|next, note| {
            let same = (next.at, next.kind) == (note.at, note.kind);
            if same {
                note.of.append(&mut next.of);
            }
            same
        });
        for note in &mut notes {
            note.of.sort_unstable();
            note.of.dedup();
        }
        notes
    }

    /// Stores that are joined: ptxas may keep them apart where one is a vector, or where it replaces
    /// the branch over them by a guard.
    fn stored(&self, of: &[usize]) -> Option<Note> {
        let sites: Vec<_> = self.sites.iter().filter(|site| of.contains(&site.pc)).collect();
        let first = sites.first()?;
        let kind = if sites.iter().any(|site| site.is_vector()) {
            NoteKind::Unknown
        } else if self.is_guarded(first.block, first.pc) {
            NoteKind::Reordered
        } else {
            return None;
        };
        Some(about(kind, first.pc, sites))
    }

    /// Loads that would be combined if more were known of their address.
    fn apart(&self, class: &CombinableLoads<'_>, loops: &[NaturalLoop]) -> Option<Note> {
        let wide = 1 << ENOUGH;
        let hidden = class.members.iter().any(|site| site.inner % wide != 0);
        let first = class.members[0];
        // Nothing but a vector tells the alignment of global memory.
        if first.space == Space::Global
            || count(&class.joined(self.flow)) <= class.fewest(self.flow)
        {
            return None;
        }
        // If the loop is fully unrolled, the address is known.
        if let Some(rolled) = loops.iter().find(|of| self.moves_with(first, of)) {
            let header = self.flow.blocks[rolled.header].start;
            return Some(about(NoteKind::Unrolled, header, class.members.iter().copied()));
        }
        let kind = if hidden { NoteKind::Unknown } else { NoteKind::Unaligned };
        Some(about(kind, first.pc, class.members.iter().copied()))
    }

    /// Whether an address changes between iterations of a loop that may be unrolled.
    fn moves_with(&self, site: &Site, of: &NaturalLoop) -> bool {
        self.may_unroll(of)
            && of.blocks.contains(&site.block)
            && self.begins_in(site.base, of.header)
    }

    /// Whether a sum has a part that paths reach with different values at this block.
    fn begins_in(&self, base: Base, header: usize) -> bool {
        self.dataflow.bases.sum(base).iter().any(|(atom, _)| match atom {
            Atom::Met(block, _) => *block == header,
            Atom::Widened(inner, ..) => self.begins_in(*inner, header),
            Atom::Initial(_) | Atom::Symbol(_) | Atom::Written(..) => false,
        })
    }

    fn may_unroll(&self, of: &NaturalLoop) -> bool {
        let header = self.flow.blocks[of.header].start;
        !self.program.rolled.contains(&Pc(header as u32))
    }

    /// Notes about single instructions.
    fn of_instructions(&mut self) -> Vec<Note> {
        let mut notes = Vec::new();
        for block in self.flow.graph.order.clone() {
            let Some(mut state) = self.states[block].clone() else { continue };
            for pc in self.flow.blocks[block].clone() {
                let op = &self.program.inst(Pc(pc as u32)).op;
                let generic = match op {
                    Op::Memory(
                        MemoryOp::Ld { space: Space::Generic, addr, .. }
                        | MemoryOp::St { space: Space::Generic, addr, .. },
                    ) => Some(addr.base),
                    _ => None,
                };
                let base = generic.map(|reg| self.dataflow.value(reg, &state).base);
                if base.is_some_and(|base| self.is_shared(base)) {
                    notes.push(note(NoteKind::Generic, pc));
                }
                match op {
                    Op::Async(AsyncOp::Copy { past_l1: true, .. })
                        if self.is_guarded(block, pc) =>
                    {
                        // Guarded by a predicate, Nsight Compute counts no wavefronts of it.
                        notes.push(note(NoteKind::Reordered, pc));
                    }
                    Op::Control(ControlOp::Call { .. }) if !self.program.shared.is_empty() => {
                        notes.push(general(NoteKind::Reordered, pc));
                    }
                    _ => {}
                }
                self.dataflow.step(pc, &mut state);
            }
        }
        notes
    }

    /// Whether an instruction is guarded, or in a short block after a branch.
    pub(super) fn is_guarded(&self, block: usize, pc: usize) -> bool {
        let before = &self.flow.graph.before[block];
        let branch = |from: &usize| *from != block && self.flow.graph.next[*from].len() > 1;
        let short = self.flow.blocks[block].len() <= SHORT && before.iter().all(branch);
        self.program.inst(Pc(pc as u32)).guard.is_some() || (short && !before.is_empty())
    }

    fn is_shared(&self, base: Base) -> bool {
        let sum = self.dataflow.bases.sum(base);
        sum.iter().any(|(atom, _)| matches!(atom, Atom::Symbol(_)))
    }

    fn loop_notes(&mut self, of: &NaturalLoop, space: Space, notes: &mut Vec<Note>) {
        let touches = |wanted: MemoryEffect| {
            let insts = of.blocks.iter().flat_map(|block| self.flow.blocks[*block].clone());
            insts.map(|pc| touch(&self.program.inst(Pc(pc as u32)).op, space)).any(|t| t == wanted)
        };
        let [loads, stores, fences] =
            [MemoryEffect::Load, MemoryEffect::Store, MemoryEffect::Fence].map(touches);
        if fences || (loads && stores) {
            return;
        }
        let header = self.flow.blocks[of.header].start;
        let may_unroll = self.may_unroll(of);
        let is_inside = |site: &&Site| site.space == space && of.blocks.contains(&site.block);
        let inside: Vec<&Site> = self.sites.iter().filter(is_inside).collect();
        for site in &inside {
            let is_executed = self.executed.get(&site.pc).is_some_and(|of| !of.is_empty());
            let Some(step) = self.step_of(site, of).filter(|_| is_executed && !site.alone) else {
                continue;
            };
            let always = of.ends.iter().all(|end| self.flow.dominates(site.block, *end));
            if step == 0 && site.load && always && site.guard == AccessGuard::None {
                notes.push(note(NoteKind::Reordered, site.pc));
            }
            let like = |other: &&&Site| {
                (other.base, other.unit, other.load) == (site.base, site.unit, site.load)
            };
            let others: Vec<_> = inside.iter().filter(like).copied().collect();
            let could = space == Space::Shared || self.told.is_of(site);
            if step != 0 && may_unroll && could && meet_in_a_cell(site, &others, step) {
                notes.push(about(NoteKind::Unrolled, header, others));
            }
        }
    }

    /// Returns by how much an access moves per iteration, or `None` if that is not a constant.
    fn step_of(&mut self, site: &Site, of: &NaturalLoop) -> Option<i64> {
        if site.load
            && matches!(site.version, MemoryVersion::Met(block) if of.blocks.contains(&block))
        {
            return None;
        }
        self.step_of_base(site.base, of)
    }

    fn step_of_base(&mut self, base: Base, of: &NaturalLoop) -> Option<i64> {
        let mut step = 0_i64;
        for (atom, factor) in self.dataflow.bases.sum(base).to_vec() {
            let by = match atom {
                Atom::Written(pc, _) => {
                    let inside = |block: &usize| self.flow.blocks[*block].contains(&(pc as usize));
                    if of.blocks.iter().any(inside) {
                        return None;
                    }
                    0
                }
                Atom::Met(block, register) if block == of.header => {
                    self.step_of_register(atom, register, of)?
                }
                Atom::Met(block, _) if of.blocks.contains(&block) => return None,
                // ptxas adds the step after the widening, in the loops that it unrolls.
                Atom::Widened(inner, ..) => self.step_of_base(inner, of)?,
                Atom::Initial(_) | Atom::Symbol(_) | Atom::Met(..) => 0,
            };
            step = step.wrapping_add(by.wrapping_mul(factor));
        }
        Some(step)
    }

    /// Returns by how much a register grows in one iteration.
    fn step_of_register(&mut self, atom: Atom, register: u32, of: &NaturalLoop) -> Option<i64> {
        let mut step = None;
        for end in &of.ends {
            let mut state = self.states[*end].clone()?;
            for pc in self.flow.blocks[*end].clone() {
                self.dataflow.step(pc, &mut state);
            }
            let value = state.number(register)?;
            let same = self.dataflow.bases.sum(value.base) == [(atom, 1)];
            let by = value.inner.wrapping_add(value.outer);
            if !same || step.is_some_and(|known| known != by) {
                return None;
            }
            step = Some(by);
        }
        step
    }
}

/// Whether accesses of different iterations fall into one cell, if the first iteration's cells are
/// aligned.
fn meet_in_a_cell(site: &Site, others: &[&Site], step: i64) -> bool {
    let wide = (4 * i64::from(site.unit)).min(1 << ENOUGH);
    let places = |site: &Site| site.units().map(|at| at + site.inner).collect::<Vec<_>>();
    let cell = |at: i64, round: i64| (at + round * step).div_euclid(wide);
    let rounds = wide / i64::from(site.unit);
    let mut pairs = places(site).into_iter().flat_map(|a| {
        others.iter().flat_map(|other| places(other)).map(move |b| (a, b)).collect::<Vec<_>>()
    });
    pairs.any(|(a, b)| {
        (0..=rounds).any(|n| (0..=rounds).any(|m| n != m && cell(a, n) == cell(b, m)))
    })
}

/// Makes a note about the access at `pc` only.
fn note(kind: NoteKind, pc: usize) -> Note {
    Note { of: vec![Pc(pc as u32)], ..general(kind, pc) }
}

/// Makes a note about these accesses.
pub(super) fn about<'a>(
    kind: NoteKind,
    pc: usize,
    sites: impl IntoIterator<Item = &'a Site>,
) -> Note {
    let of = sites.into_iter().map(|site| Pc(site.pc as u32)).collect();
    Note { of, ..general(kind, pc) }
}

/// Makes a note about the whole program.
pub(super) const fn general(kind: NoteKind, pc: usize) -> Note {
    Note { kind, at: Pc(pc as u32), of: Vec::new() }
}
