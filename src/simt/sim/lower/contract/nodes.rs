//! The products and sums of a program, as candidates of a contraction.

use super::body::Body;
use super::uses::{Uses, flushes};
use super::values::{Definition, ReachingDefinitions, SignedValue};
use crate::sim::program::{Inst, Reg, RowInit};
use ptx::{BinaryOp, Float, LaneOp, MemoryOp, Op, Rounding, Space, Type};

/// A product, or a sum.
#[derive(Clone, Debug)]
pub(super) struct ArithmeticNode {
    pub(super) kind: ArithmeticKind,
    pub(super) ty: Type,
    float: Float,
    guarded: bool,
    /// The operands, in the order of the PTX; of the second operand of `sub` the sign is changed.
    pub(super) values: Vec<SignedValue>,
    /// Of a product: whether a factor is a constant or a parameter.
    pub(super) has_given: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ArithmeticKind {
    Product,
    Sum,
    /// A sum that has taken a product.
    Fused,
}

impl ArithmeticNode {
    /// The candidate that an instruction is.
    pub(super) fn of(
        body: &Body<'_>,
        values: &ReachingDefinitions<'_>,
        uses: &Uses,
        pc: usize,
    ) -> Option<Self> {
        let inst = &body.insts[pc];
        let Op::Lane(LaneOp::Binary { op, ty, float, a, b, .. }) = &inst.op else { return None };
        let kind = kind(*op, *float)?;
        if !ty.is_float() || !uses.is_live(pc) {
            return None;
        }
        let read = |reg: &Reg| values.read(pc, *reg, flushes(inst));
        let mut operands = vec![read(a), read(b)];
        operands[1].negative ^= *op == BinaryOp::Sub;
        let mut node = Self {
            kind,
            ty: *ty,
            float: *float,
            guarded: inst.guard.is_some(),
            has_given: operands.iter().any(|value| is_given(body, values, value)),
            values: operands,
        };
        if *op == BinaryOp::Div {
            // Its last product is of values that have no name here.
            (node.has_given, node.values) = (false, Vec::new());
            return (*ty == Type::F32).then_some(node);
        }
        let is_constant = |value: &SignedValue| body.constant(&value.origin).is_some();
        let folded = kind == ArithmeticKind::Product && node.values.iter().all(is_constant);
        let dropped =
            kind == ArithmeticKind::Product && values.passes(values.write_of(pc), true).is_some();
        (!folded && !dropped).then_some(node)
    }

    /// Whether it can be fused at all: no rounding is prescribed, and a product is exact.
    pub(super) fn is_free(&self) -> bool {
        let exact = !self.float.sat && !self.guarded;
        self.kind == ArithmeticKind::Sum || self.kind == ArithmeticKind::Product && exact
    }

    /// Whether a product and a sum are of the same kind of numbers.
    pub(super) fn fits(&self, other: &Self) -> bool {
        self.ty == other.ty && self.float.ftz == other.float.ftz
    }

    pub(super) const fn is_guarded(&self) -> bool {
        self.guarded
    }

    pub(super) fn flushes(&self) -> bool {
        self.float.ftz
    }

    /// Whether its operands are the same value, but for the sign.
    pub(super) fn is_of_twins(&self) -> bool {
        matches!(&self.values[..], [a, b] if a.origin == b.origin)
    }

    /// Whether two products have the same factors.
    pub(super) fn equals(&self, other: &Self) -> bool {
        match (&self.values[..], &other.values[..]) {
            ([a, b], [c, d]) => a == c && b == d || a == d && b == c,
            _ => false,
        }
    }
}

fn kind(op: BinaryOp, float: Float) -> Option<ArithmeticKind> {
    match op {
        BinaryOp::Mul(_) if float.rounding == Rounding::Unwritten => Some(ArithmeticKind::Product),
        BinaryOp::Div if float.rounding == Rounding::Approximate => Some(ArithmeticKind::Product),
        BinaryOp::Add | BinaryOp::Sub if float.rounding == Rounding::Unwritten => {
            Some(ArithmeticKind::Sum)
        }
        _ => None,
    }
}

/// Whether a value is an immediate, a parameter or constant memory at a known address.
fn is_given(body: &Body<'_>, values: &ReachingDefinitions<'_>, value: &SignedValue) -> bool {
    match &value.origin {
        Definition::Given(reg) => {
            matches!(body.given.get(reg), Some(RowInit::Constant(_) | RowInit::Param(..)))
        }
        Definition::Made(number) => is_constant_load(body, values.inst(*number)),
        Definition::Merged(_) => false,
    }
}

fn is_constant_load(body: &Body<'_>, inst: &Inst) -> bool {
    match &inst.op {
        Op::Memory(MemoryOp::Ld { space: Space::Const, addr, .. }) => {
            body.given.contains_key(&addr.base)
        }
        _ => false,
    }
}
