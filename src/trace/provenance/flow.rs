//! What each instruction does with values: which registers' bytes come into which.

use super::low;
use crate::ptx::{Op, Type, Use};
use crate::sim::{Inst, Program, Reg};
use std::convert::Infallible;

/// How an instruction carries values on, in each lane for itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    /// Not at all: branches, barriers, comparisons.
    Nothing,
    /// One value goes on: moved, converted, split or packed.
    Pass(Vec<Edge>),
    /// Several values become one; of packed ones, the halves each for itself.
    Join { from: Vec<Reg>, to: Vec<Reg>, packed: bool },
    /// One of two values goes on, the first where the predicate is set.
    Choose { to: Reg, options: [Reg; 2], by: Reg },
    /// Elements of that many bytes come from memory.
    Load { to: Vec<Reg>, size: u8 },
    /// Elements of that many bytes go to memory.
    Store { from: Vec<Reg>, size: u8 },
    /// Lanes exchange elements of matrices: what came into these registers is not followed.
    Opaque { to: Vec<Reg> },
    /// Words set out from global to shared memory.
    Copy,
    /// Some of them arrive.
    Land,
}

/// Bytes of one register that come into another; bytes are bits of a mask, the lowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Edge {
    pub(super) from: Reg,
    pub(super) to: Reg,
    how: How,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    /// As they are: so many bytes from a byte of the one to a byte of the other.
    Bytes { from: u8, to: u8, count: u8 },
    /// Changed: these bytes of the other say something about the one, whatever part of it.
    Into(u8),
}

impl Edge {
    /// The bytes of `from` that come into these bytes of `to`.
    pub(super) const fn back(self, mask: u8) -> u8 {
        match self.how {
            How::Bytes { from, to, count } => (mask >> to & low(count as u64)) << from,
            How::Into(to) => u8::MAX * (mask & to != 0) as u8,
        }
    }

    /// The bytes of `to` into which these bytes of `from` come.
    pub(super) const fn on(self, mask: u8) -> u8 {
        match self.how {
            How::Bytes { from, to, count } => (mask >> from & low(count as u64)) << to,
            How::Into(to) => to * (mask != 0) as u8,
        }
    }
}

/// The bytes of a join's source that come into these of its result, and the other way round.
pub(super) const fn joined(packed: bool, mask: u8) -> u8 {
    match (packed, mask & 0b0011 != 0, mask & !0b0011 != 0) {
        (_, false, false) => 0,
        (true, true, false) => 0b0011,
        (true, false, true) => 0b1100,
        (true, true, true) | (false, ..) => u8::MAX,
    }
}

/// The flow of every instruction of a program.
pub(super) fn flows(program: &Program) -> Vec<Flow> {
    program.insts.iter().map(|inst| flow(program, inst)).collect()
}

fn flow(program: &Program, inst: &Inst) -> Flow {
    let bytes = |from, to, (at_from, at_to, count)| {
        let how = How::Bytes { from: at_from, to: at_to, count };
        Edge { from, to, how }
    };
    match &inst.op {
        Op::Mov { dst, src, .. } => Flow::Pass(vec![bytes(*src, *dst, (0, 0, 8))]),
        Op::Pack { ty, dst, parts } => {
            let size = (ty.bytes() as usize / parts.len().max(1)) as u8;
            let edge = |(part, reg): (u8, &Reg)| bytes(*reg, *dst, (0, part * size, size));
            Flow::Pass((0..).zip(parts).map(edge).collect())
        }
        Op::Unpack { ty, parts, src } => {
            let size = (ty.bytes() as usize / parts.len().max(1)) as u8;
            let edge = |(part, reg): (u8, &Reg)| bytes(*src, *reg, (part * size, 0, size));
            Flow::Pass((0..).zip(parts).map(edge).collect())
        }
        Op::CvtPair { dst, a, b, .. } => {
            let half = |from, to| Edge { from, to: *dst, how: How::Into(to) };
            Flow::Pass(vec![half(*a, 0b1100), half(*b, 0b0011)])
        }
        Op::Selp { dst, a, b, pred, .. } => Flow::Choose { to: *dst, options: [*a, *b], by: *pred },
        Op::Ld { ty, dst, .. } => Flow::Load { to: dst.clone(), size: ty.bytes() as u8 },
        Op::St { ty, src, .. } => Flow::Store { from: src.clone(), size: ty.bytes() as u8 },
        Op::CopyAsync { .. } => Flow::Copy,
        Op::CopyGroup(_) => Flow::Land,
        Op::LdMatrix { dst, .. } => Flow::Opaque { to: dst.clone() },
        Op::MovMatrix { dst, .. } => Flow::Opaque { to: vec![*dst] },
        Op::LdFragment(fragment) => Flow::Opaque { to: fragment.regs.clone() },
        Op::Mma(products) => {
            Flow::Opaque { to: products.iter().flat_map(|product| product.d.clone()).collect() }
        }
        Op::StMatrix { .. } | Op::StFragment(_) => Flow::Opaque { to: Vec::new() },
        // What was there before is taken for gone.
        Op::Atom { ty, dst: Some(dst), .. } => {
            Flow::Load { to: vec![*dst], size: ty.bytes() as u8 }
        }
        Op::Atom { ty, args, .. } => {
            let from = args.last().copied().into_iter().collect();
            Flow::Store { from, size: ty.bytes() as u8 }
        }
        Op::Call { returns, .. } => Flow::Opaque { to: returns.clone() },
        Op::Warp { dst, .. } => Flow::Opaque { to: dst.iter().copied().collect() },
        Op::Bra { .. }
        | Op::Switch { .. }
        | Op::Bar { .. }
        | Op::CallMissing { .. }
        | Op::Return
        | Op::Ret
        | Op::Fence
        | Op::Hint
        | Op::Clock { .. }
        | Op::Trap { .. } => Flow::Nothing,
        op @ (Op::Unary { .. }
        | Op::Binary { .. }
        | Op::Ternary { .. }
        | Op::Insert { .. }
        | Op::Bits { .. }
        | Op::Carry { .. }
        | Op::Setp { .. }
        | Op::Set { .. }
        | Op::Cvt { .. }
        | Op::Cvta { .. }) => computed(program, op),
    }
}

/// What is calculated from one value is still that value, in another form; what is calculated
/// from several is something new. Constants and parameters do not count.
fn computed<L>(program: &Program, op: &Op<Reg, L>) -> Flow {
    let (mut from, to) = operands(op);
    from.retain(|reg| program.init.iter().all(|(given, _)| given != reg));
    match (&from[..], &to[..]) {
        ([], _) | (_, []) => Flow::Nothing,
        ([one], _) => {
            let edge = |to: &Reg| Edge { from: *one, to: *to, how: How::Into(u8::MAX) };
            Flow::Pass(to.iter().map(edge).collect())
        }
        _ => Flow::Join { from, to, packed: is_packed(op) },
    }
}

/// Whether it computes with two halves of a register each for itself.
fn is_packed<L>(op: &Op<Reg, L>) -> bool {
    match op {
        Op::Unary { ty, .. } | Op::Binary { ty, .. } | Op::Ternary { ty, .. } => {
            matches!(ty, Type::F16x2 | Type::Bf16x2)
        }
        _ => false,
    }
}

/// The registers that an instruction reads and those that it writes; predicates are none of them,
/// and no addresses.
fn operands<L>(op: &Op<Reg, L>) -> (Vec<Reg>, Vec<Reg>) {
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    let note = |reg: &Reg, ty: Type, how: Use| -> Result<(), Infallible> {
        match how {
            _ if ty == Type::Pred => {}
            Use::Read | Use::ReadLow => reads.push(*reg),
            Use::Write | Use::WriteExtended => writes.push(*reg),
            Use::Address => {}
        }
        Ok(())
    };
    let Ok(_) = op.map(note, |_| Ok::<(), Infallible>(()));
    (reads, writes)
}
