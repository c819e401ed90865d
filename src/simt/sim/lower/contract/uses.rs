//! The instructions that are not dead, and what they use.

use super::body::Body;
use super::values::{Definition, NEVER, ReachingDefinitions};
use crate::sim::flow::Set;
use crate::sim::program::Inst;
use ptx::{LaneOp, MemoryOp, Op, Strength};
use std::collections::HashMap;

/// What uses a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum User {
    /// An operand of the instruction there.
    At(usize),
    /// Another value may take its place: of another way, or of a guarded instruction.
    Merge,
}

/// The uses of values by live instructions.
#[derive(Clone)]
pub(super) struct Uses {
    /// By the number of the write.
    of: HashMap<u32, Vec<User>>,
    /// The instructions whose results are used, or which do more than compute.
    live: Set,
    /// Copies of a value to where ways meet.
    copies: Set,
}

impl Uses {
    /// Looks for the uses, beginning with what has an effect.
    pub(super) fn of(
        body: &Body<'_>,
        values: &ReachingDefinitions<'_>,
        reached: impl Fn(usize) -> bool,
    ) -> Self {
        let insts = body.insts;
        let nothing = || Set::empty(insts.len());
        let mut search = UseSearch {
            values,
            insts,
            uses: Self { of: HashMap::new(), live: nothing(), copies: nothing() },
            merged: Set::empty(values.writes.len()),
            merging: Vec::new(),
            open: (0..insts.len()).filter(|pc| reached(*pc) && acts(&insts[*pc])).collect(),
        };
        search.run();
        search.uses
    }

    /// Whether the instruction is executed for something.
    pub(super) fn is_live(&self, pc: usize) -> bool {
        self.live.has(pc)
    }

    /// Whether nothing is left of the instruction.
    pub(super) fn is_idle(&self, pc: usize) -> bool {
        !self.live.has(pc) && !self.copies.has(pc)
    }

    /// The uses of a write.
    pub(super) fn users(&self, number: u32) -> &[User] {
        self.of.get(&number).map_or(&[], Vec::as_slice)
    }

    pub(super) fn add(&mut self, number: u32, user: User) {
        self.of.entry(number).or_default().push(user);
    }

    /// Takes away the uses by an instruction, or all.
    pub(super) fn remove(&mut self, number: u32, user: Option<User>) {
        self.of.entry(number).or_default().retain(|other| user.is_some_and(|user| *other != user));
    }
}

/// Whether an instruction does more than compute a value from values.
fn acts(inst: &Inst) -> bool {
    match &inst.op {
        Op::Lane(_) => false,
        Op::Memory(MemoryOp::Ld { strength, .. }) => *strength == Strength::Volatile,
        _ => true,
    }
}

/// Whether an instruction's `.ftz` makes subnormal operands zero.
pub(super) fn flushes(inst: &Inst) -> bool {
    match &inst.op {
        Op::Lane(LaneOp::Binary { float, .. } | LaneOp::Ternary { float, .. }) => float.ftz,
        _ => false,
    }
}

struct UseSearch<'v, 'p> {
    values: &'v ReachingDefinitions<'p>,
    insts: &'p [Inst],
    uses: Uses,
    merged: Set,
    /// Writes of values that merge with others, and instructions that are live.
    merging: Vec<u32>,
    open: Vec<usize>,
}

impl UseSearch<'_, '_> {
    fn run(&mut self) {
        loop {
            while let Some(number) = self.merging.pop() {
                self.merges(number);
            }
            let Some(pc) = self.open.pop() else { return };
            if self.uses.live.has(pc) {
                continue;
            }
            self.uses.live.put(pc);
            for (reg, _) in self.values.reads(pc) {
                let value = self.values.read(pc, *reg, flushes(&self.insts[pc]));
                self.uses(&value.origin, User::At(pc));
            }
        }
    }

    fn uses(&mut self, origin: &Definition, user: User) {
        match origin {
            Definition::Given(_) => {}
            Definition::Made(number) => {
                self.uses.add(*number, user);
                self.open.push(self.values.writes[*number as usize].pc);
            }
            Definition::Merged(numbers) => {
                self.merging.extend(numbers.iter().filter(|number| **number != NEVER));
            }
        }
    }

    /// A write is one of several that a register may hold the result of.
    fn merges(&mut self, number: u32) {
        if self.merged.has(number as usize) {
            return;
        }
        self.merged.put(number as usize);
        let pc = self.values.writes[number as usize].pc;
        let Some((from, reg, _)) = self.values.passes(number, false) else {
            self.uses.add(number, User::Merge);
            return self.open.push(pc);
        };
        self.uses.copies.put(pc);
        let guard = self.insts[pc].guard.map(|(guard, _)| self.values.read(pc, guard, false));
        let value = self.values.read(from, reg, false);
        guard.into_iter().chain([value]).for_each(|value| self.uses(&value.origin, User::Merge));
    }
}
