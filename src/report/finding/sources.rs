//! What the value of a register may be made of, whatever way a thread takes.

use crate::sim::{Inst, Program, Reg, RowInit, Special};
use ptx::{BinaryOp, Compare, LaneOp, MemoryOp, Op, Space};
use std::collections::{HashMap, HashSet};

/// The instructions that write each register, and the values with which registers begin.
pub(super) struct RegisterWriters<'a> {
    writes: HashMap<usize, Vec<&'a Inst>>,
    given: HashMap<usize, RowInit>,
}

/// What a value may be made of.
#[derive(Default)]
struct ValueSources<'a> {
    of: Vec<RowInit>,
    by: Vec<&'a Inst>,
}

impl<'a> RegisterWriters<'a> {
    pub(super) fn new(program: &'a Program) -> Self {
        let mut writes: HashMap<usize, Vec<&Inst>> = HashMap::new();
        for inst in &program.insts {
            for (reg, _, how) in inst.op.operands() {
                if how.writes() {
                    writes.entry(reg.number()).or_default().push(inst);
                }
            }
        }
        let given = program.init.iter().map(|(reg, init)| (reg.number(), *init)).collect();
        Self { writes, given }
    }

    /// Follows a value back through the instructions that `follows` holds for.
    fn made(&self, reg: Reg, follows: impl Fn(&Inst) -> bool) -> ValueSources<'a> {
        let (mut made, mut open, mut seen) = (ValueSources::default(), vec![reg], HashSet::new());
        while let Some(reg) = open.pop() {
            if !seen.insert(reg.number()) {
                continue;
            }
            made.of.extend(self.given.get(&reg.number()).copied());
            for inst in self.writes.get(&reg.number()).into_iter().flatten() {
                made.by.push(*inst);
                if follows(inst) {
                    let reads = inst.op.operands().into_iter().filter(|(.., how)| how.reads());
                    open.extend(reads.map(|(reg, ..)| reg));
                    open.extend(inst.guard.map(|(reg, _)| reg));
                }
            }
        }
        made
    }

    /// Whether a thread computes this value of what it has loaded there.
    pub(super) fn is_made_of(&self, value: Reg, load: &Inst) -> bool {
        self.made(value, is_local).by.iter().any(|by| std::ptr::eq(*by, load))
    }

    /// Whether threads of a block may differ in this value.
    pub(super) fn varies(&self, reg: Reg) -> bool {
        let made = self.made(reg, |inst| is_local(inst) || loads(inst));
        let is_own = |init: &RowInit| matches!(init, RowInit::Special(of) if is_of_thread(*of));
        let differs = |inst: &&Inst| !is_local(inst) && !loads(inst);
        made.of.iter().any(is_own) || made.by.iter().any(differs)
    }

    /// The array of shared or local memory that this address was computed from, if there is one.
    pub(super) fn array(&self, address: Reg) -> Option<RowInit> {
        let made = self.made(address, is_local);
        let is_array = |init: &&RowInit| matches!(init, RowInit::Shared(_) | RowInit::Local(_));
        let mut arrays = made.of.iter().filter(is_array);
        let first = arrays.next()?;
        arrays.all(|other| other == first).then_some(*first)
    }

    /// The arrays and pointers from which an address may be computed.
    pub(super) fn begins(&self, address: Reg) -> HashSet<RowInit> {
        let is_pointer = |init: &RowInit| match init {
            RowInit::Shared(_) | RowInit::Local(_) => true,
            RowInit::Param(_, ty) => ty.bits() == 64,
            _ => false,
        };
        self.made(address, is_local).of.into_iter().filter(is_pointer).collect()
    }

    /// Whether a comparison sends whole warps one way where each warp lies in one row: of `threadIdx.x`
    /// with a multiple of 32, or of the number of a warp.
    pub(super) fn is_of_whole_warps(&self, condition: Reg) -> bool {
        let Some([inst]) = self.writes.get(&condition.number()).map(Vec::as_slice) else {
            return false;
        };
        let Op::Lane(LaneOp::Setp { cmp, a, b, with: None, .. }) = &inst.op else { return false };
        let (number, thread, cmp) = match (self.constant(*a), self.constant(*b)) {
            (None, Some(number)) => (number, *a, *cmp),
            (Some(number), None) => (number, *b, turned(*cmp)),
            _ => return false,
        };
        let made = self.made(thread, is_local);
        let is_thread = made.of.contains(&RowInit::Special(Special::Tid(0)));
        let begins = match cmp {
            Compare::Lt | Compare::Ge => number,
            Compare::Le | Compare::Gt => number.wrapping_add(1),
            _ => 1,
        };
        let is_plain = made.by.iter().all(|by| is_copy(by)) && begins.is_multiple_of(32);
        is_thread && (is_plain || made.by.iter().any(|by| self.is_number_of_warp(by)))
    }

    /// The value of a register that is a constant.
    fn constant(&self, reg: Reg) -> Option<u64> {
        match self.made(reg, is_copy).of[..] {
            [RowInit::Constant(number)] => Some(number),
            _ => None,
        }
    }

    /// Whether it divides by the lanes of a warp.
    fn is_number_of_warp(&self, inst: &Inst) -> bool {
        match &inst.op {
            Op::Lane(LaneOp::Binary { op: BinaryOp::Shr, b, .. }) => self.constant(*b) == Some(5),
            Op::Lane(LaneOp::Binary { op: BinaryOp::Div, b, .. }) => self.constant(*b) == Some(32),
            _ => false,
        }
    }
}

/// The comparison with its sides exchanged.
const fn turned(cmp: Compare) -> Compare {
    match cmp {
        Compare::Lt => Compare::Gt,
        Compare::Gt => Compare::Lt,
        Compare::Le => Compare::Ge,
        Compare::Ge => Compare::Le,
        other => other,
    }
}

const fn is_of_thread(special: Special) -> bool {
    matches!(special, Special::Tid(_) | Special::LaneId | Special::WarpId | Special::LaneMask(_))
}

/// Whether a thread computes it of its own registers alone.
const fn is_local(inst: &Inst) -> bool {
    matches!(inst.op, Op::Lane(_))
}

const fn is_copy(inst: &Inst) -> bool {
    matches!(inst.op, Op::Lane(LaneOp::Mov { .. } | LaneOp::Cvt { .. } | LaneOp::Cvta { .. }))
}

/// Whether it loads what is the same for all that load from there.
const fn loads(inst: &Inst) -> bool {
    match &inst.op {
        Op::Memory(MemoryOp::Ld { space, .. }) => !matches!(space, Space::Local),
        _ => false,
    }
}
