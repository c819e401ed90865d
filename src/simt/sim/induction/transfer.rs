//! Transfer functions: the motion of an instruction's result from those of its operands.

use super::motion::Motion;
use super::turn::{ComparedSide, Turn};
use crate::sim::program::Reg;
use ptx::{BinaryOp, Float, LaneOp, Rounding, TernaryOp, Type, UnaryOp, Width};

/// Whether the type is an integer, or bits, as wide as a register.
fn is_whole(ty: Type) -> bool {
    use Type::{B32, B64, S32, S64, U32, U64};
    matches!(ty, B32 | U32 | S32 | B64 | U64 | S64)
}

/// What a round's proof rests on.
#[derive(Debug, Default)]
pub(super) struct RoundNotes {
    /// The comparisons of changing values.
    pub(super) turns: Vec<Turn>,
    /// The registers that were assumed to change evenly.
    pub(super) even: Vec<Reg>,
}

/// The motion of the result in a lane; `read` gives an operand's motion and value. The outcome of a
/// comparison is assumed constant, and the comparison is noted.
pub(super) fn of_result(
    op: &LaneOp<Reg>,
    operands: &[Reg],
    lane: usize,
    read: impl Fn(Reg) -> (Motion, u64),
    notes: &mut RoundNotes,
) -> Motion {
    if operands.iter().all(|reg| read(*reg).0.stays()) {
        return Motion::Stays;
    }
    let motion = |reg: Reg| read(reg).0;
    let side = |reg: Reg| {
        let (motion, value) = read(reg);
        ComparedSide { value, motion }
    };
    match *op {
        LaneOp::Mov { src, .. } | LaneOp::Cvta { src, .. } => return motion(src),
        LaneOp::Selp { a, b, pred, .. } => {
            let (of, chosen) = read(pred);
            let chosen = motion(if chosen == 1 { a } else { b });
            return if of.stays() { chosen } else { Motion::Unknown };
        }
        LaneOp::Binary { op: op @ (BinaryOp::Add | BinaryOp::Sub), ty, float, a, b, .. }
            if ty.is_float() =>
        {
            let sum = sum((ty, float), read(a), read(b), op == BinaryOp::Sub);
            return sum.unwrap_or(Motion::Unknown);
        }
        _ => {}
    }
    let compares_floats = matches!(op, LaneOp::Setp { ty, .. } if ty.is_float());
    if !compares_floats {
        let head = |reg: &Reg| match read(*reg).0 {
            Motion::By { head, .. } => head,
            _ => None,
        };
        notes.even.extend(operands.iter().filter_map(head));
    }
    let known = match *op {
        LaneOp::Unary { op: UnaryOp::Neg | UnaryOp::Not, ty, a, .. } if is_whole(ty) => {
            motion(a).step().map(|step| Motion::moving(step.wrapping_neg()))
        }
        LaneOp::Binary { op, ty, a, b, .. } if is_whole(ty) => integer(op, read(a), read(b)),
        LaneOp::Ternary { op: TernaryOp::Mad(Width::Lo), ty, abc: [a, b, c], .. }
            if is_whole(ty) =>
        {
            let product = integer(BinaryOp::Mul(Width::Lo), read(a), read(b));
            let add = |product: Motion| {
                Some(Motion::moving(product.step()?.wrapping_add(motion(c).step()?)))
            };
            product.and_then(add)
        }
        LaneOp::Cvt { to, from, float, src, .. }
            if is_whole(to) && is_whole(from) && !float.sat && to.bits() <= from.bits() =>
        {
            motion(src).step().map(Motion::moving)
        }
        LaneOp::Setp { cmp, ty, ftz: false, negated: None, with: None, a, b, .. }
            if is_whole(ty) || matches!(ty, Type::F32 | Type::F64) =>
        {
            let sides = [side(a), side(b)];
            notes.turns.push(Turn { compare: cmp, ty, lane, sides });
            Some(Motion::Stays)
        }
        _ => None,
    };
    known.unwrap_or(Motion::Unknown)
}

fn integer(op: BinaryOp, (a, of_a): (Motion, u64), (b, of_b): (Motion, u64)) -> Option<Motion> {
    let (step_a, step_b) = (a.step()?, b.step()?);
    Some(Motion::moving(match op {
        BinaryOp::Add => step_a.wrapping_add(step_b),
        BinaryOp::Sub => step_a.wrapping_sub(step_b),
        BinaryOp::Mul(Width::Lo) if b.stays() => step_a.wrapping_mul(of_b),
        BinaryOp::Mul(Width::Lo) if a.stays() => step_b.wrapping_mul(of_a),
        BinaryOp::Shl if b.stays() && of_b < 32 => step_a << of_b,
        // Steps by multiples of a power of two keep the bits below it.
        BinaryOp::And if b.stays() && below(step_a, of_b) => 0,
        BinaryOp::And if a.stays() && below(step_b, of_a) => 0,
        _ => return None,
    }))
}

/// Whether a mask has only bits below those that a step changes.
fn below(step: u64, mask: u64) -> bool {
    mask < 1 << step.trailing_zeros().min(63)
}

/// The motion of a float plus a constant addend.
fn sum(
    (ty, float): (Type, Float),
    (a, of_a): (Motion, u64),
    (b, of_b): (Motion, u64),
    negates: bool,
) -> Option<Motion> {
    let plain = !float.ftz
        && !float.sat
        && matches!(float.rounding, Rounding::Nearest | Rounding::Unwritten);
    let sign = match ty {
        Type::F32 => 1 << 31,
        Type::F64 => 1 << 63,
        _ => return None,
    };
    let (head, addend) = match (a, b) {
        (Motion::By { head: Some(head), .. }, Motion::Stays) => {
            (head, if negates { of_b ^ sign } else { of_b })
        }
        (Motion::Stays, Motion::By { head: Some(head), .. }) if !negates => (head, of_a),
        _ => return None,
    };
    plain.then_some(Motion::Plus { head, addend })
}
