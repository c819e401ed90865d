//! A C whose elements have fewer digits than its sums: whole numbers, or halves.

use super::comparison::Comparison;
use super::kind::Cause;
use crate::matrix::ElementType;
use crate::sim::{Inst, Program};
use ptx::{LaneOp, Op, Type};

/// The type in which a kernel keeps its sums, if that explains every wrong element.
pub(super) fn cause(compared: &Comparison<'_>, program: &Program) -> Option<Cause> {
    let cuts = program.insts.iter().any(cuts_off);
    if cuts && compared.is_cut_off() {
        return Some(Cause::WholeNumbers);
    }
    let halves = [ElementType::F16, ElementType::Bf16];
    halves.into_iter().find(|of| compared.is_rounded_to(*of)).map(Cause::Rounded)
}

/// Whether an instruction makes a whole number of a float.
const fn cuts_off(inst: &Inst) -> bool {
    match inst.op {
        Op::Lane(LaneOp::Cvt { to, from, .. }) => matches!(from, Type::F32) && !is_float(to),
        _ => false,
    }
}

const fn is_float(ty: Type) -> bool {
    matches!(ty, Type::F32 | Type::F64 | Type::F16 | Type::Bf16)
}
