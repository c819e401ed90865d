//! Instructions that operate on registers only, in each lane independently: moves, arithmetic,
//! logic, comparisons, conversions.

use super::arith::{
    BinaryOp, Boolean, CarryOp, Compare, Float, Rounding, TernaryOp, UnaryOp, Width,
};
use super::bits::BitsOp;
use crate::operand::Use::{self, Read, ReadLow, Write, WriteExtended};
use crate::operand::{each, maybe};
use crate::types::{Space, Type};

/// A computation on a lane's registers; the result depends only on the operands that
/// `LaneOp::map` marks as read.
#[derive(Clone, Debug, PartialEq)]
pub enum LaneOp<O> {
    /// `mov` and its equivalents: the bits of `src` into `dst`.
    Mov { ty: Type, dst: O, src: O },
    /// `mov.b64 d, {a, b}`: packs parts into a wider register, the lowest first.
    Pack { ty: Type, dst: O, parts: Vec<O> },
    /// `mov.b64 {a, b}, s`: unpacks a register into its parts, the lowest first.
    Unpack { ty: Type, parts: Vec<O>, src: O },
    /// An instruction with one operand.
    Unary { op: UnaryOp, ty: Type, float: Float, dst: O, a: O },
    /// An instruction with two operands.
    Binary { op: BinaryOp, ty: Type, float: Float, dst: O, a: O, b: O },
    /// An instruction with three operands.
    Ternary { op: TernaryOp, ty: Type, float: Float, dst: O, abc: [O; 3] },
    /// `mul` whose product is contracted into sums that execute when its factors may have other
    /// values: `kept` are copies of these, each with the register that it is of.
    Factors { ty: Type, float: Float, dst: O, a: O, b: O, kept: Vec<[O; 2]> },
    /// `bfi`: inserts the low `length` bits of `a` into `b` at `position`.
    Insert { ty: Type, dst: O, a: O, b: O, position: O, length: O },
    /// An integer or bit instruction with one to four operands.
    Bits { op: BitsOp, ty: Type, dst: O, args: Vec<O> },
    /// `add.cc`, `madc`: arithmetic that reads the thread's carry flag, writes it, or both.
    Carry { op: CarryOp, ty: Type, dst: O, args: Vec<O>, from: Option<O>, to: Option<O> },
    /// `setp.cmp{.bool} dst{|negated}, a, b{, {!}with}`; for packed halves, `dst` receives the
    /// result of the lower elements and `negated` that of the upper ones.
    Setp {
        cmp: Compare,
        ty: Type,
        ftz: bool,
        dst: O,
        negated: Option<O>,
        a: O,
        b: O,
        with: Option<(Boolean, bool, O)>,
    },
    /// `set.cmp{.bool}.to.ty dst, a, b{, {!}with}`: all ones, or 1.0, if true; otherwise zero.
    Set {
        cmp: Compare,
        to: Type,
        ty: Type,
        ftz: bool,
        dst: O,
        a: O,
        b: O,
        with: Option<(Boolean, bool, O)>,
    },
    /// `selp dst, a, b, pred`: `a` where `pred` is true.
    Selp { ty: Type, dst: O, a: O, b: O, pred: O },
    /// `cvt{.rounding}{.ftz}{.sat}.to.from`.
    Cvt { to: Type, from: Type, rounding: Option<Rounding>, float: Float, dst: O, src: O },
    /// `cvt.to.f32 dst, a, b`: two float32 converted and packed, `a` in the upper half.
    CvtPair { to: Type, rounding: Rounding, float: Float, dst: O, a: O, b: O },
    /// `cvta{.to}.space`: converts between addresses of a space and generic addresses.
    Cvta { space: Space, to_space: bool, ty: Type, dst: O, src: O },
}

impl<O> LaneOp<O> {
    /// Adds `.ftz` to an instruction on float32.
    pub(crate) fn flush(&mut self) {
        match self {
            Self::Unary { ty: Type::F32, float, .. }
            | Self::Binary { ty: Type::F32, float, .. }
            | Self::Ternary { ty: Type::F32, float, .. }
            | Self::Cvt { to: Type::F32, float, .. }
            | Self::Cvt { from: Type::F32, float, .. } => float.ftz = true,
            Self::Setp { ty: Type::F32, ftz, .. } | Self::Set { ty: Type::F32, ftz, .. } => {
                *ftz = true;
            }
            _ => {}
        }
    }

    #[expect(clippy::too_many_lines, reason = "an arm for each instruction")]
    pub(super) fn map<'s, P, E>(
        &'s self,
        o: &mut impl FnMut(&'s O, Type, Use) -> Result<P, E>,
    ) -> Result<LaneOp<P>, E> {
        Ok(match self {
            Self::Mov { ty, dst, src } => {
                LaneOp::Mov { ty: *ty, dst: o(dst, *ty, Write)?, src: o(src, *ty, Read)? }
            }
            Self::Pack { ty, dst, parts } => {
                let parts = each(parts, part_type(*ty, parts.len()), Read, o)?;
                LaneOp::Pack { ty: *ty, dst: o(dst, *ty, Write)?, parts }
            }
            Self::Unpack { ty, parts, src } => LaneOp::Unpack {
                ty: *ty,
                parts: each(parts, part_type(*ty, parts.len()), Write, o)?,
                src: o(src, *ty, Read)?,
            },
            Self::Unary { op, ty, float, dst, a } => {
                let to = if matches!(op, UnaryOp::Popc | UnaryOp::Clz) { Type::U32 } else { *ty };
                let (dst, a) = (o(dst, to, Write)?, o(a, *ty, Read)?);
                LaneOp::Unary { op: *op, ty: *ty, float: *float, dst, a }
            }
            Self::Binary { op, ty, float, dst, a, b } => {
                let shift = matches!(op, BinaryOp::Shl | BinaryOp::Shr);
                let dst = o(dst, result_type(*op == BinaryOp::Mul(Width::Wide), *ty), Write)?;
                let (a, b) = (o(a, *ty, Read)?, o(b, if shift { Type::U32 } else { *ty }, Read)?);
                LaneOp::Binary { op: *op, ty: *ty, float: *float, dst, a, b }
            }
            Self::Ternary { op, ty, float, dst, abc: [a, b, c] } => {
                let wide = result_type(*op == TernaryOp::Mad(Width::Wide), *ty);
                let (b_ty, c_ty) =
                    if *op == TernaryOp::Bfe { (Type::U32, Type::U32) } else { (*ty, wide) };
                let dst = o(dst, wide, Write)?;
                let abc = [o(a, *ty, Read)?, o(b, b_ty, Read)?, o(c, c_ty, Read)?];
                LaneOp::Ternary { op: *op, ty: *ty, float: *float, dst, abc }
            }
            Self::Factors { ty, float, dst, a, b, kept } => {
                let kept =
                    kept.iter().map(|[to, from]| Ok([o(to, *ty, Write)?, o(from, *ty, Read)?]));
                let kept = kept.collect::<Result<_, _>>()?;
                let (dst, a, b) = (o(dst, *ty, Write)?, o(a, *ty, Read)?, o(b, *ty, Read)?);
                LaneOp::Factors { ty: *ty, float: *float, dst, a, b, kept }
            }
            Self::Insert { ty, dst, a, b, position, length } => LaneOp::Insert {
                ty: *ty,
                dst: o(dst, *ty, Write)?,
                a: o(a, *ty, Read)?,
                b: o(b, *ty, Read)?,
                position: o(position, Type::U32, Read)?,
                length: o(length, Type::U32, Read)?,
            },
            Self::Bits { op, ty, dst, args } => {
                let (to, from) = op.types(*ty);
                let args = args.iter().zip(from).map(|(a, ty)| o(a, ty, Read));
                let args = args.collect::<Result<_, _>>()?;
                LaneOp::Bits { op: *op, ty: *ty, dst: o(dst, to, Write)?, args }
            }
            Self::Carry { op, ty, dst, args, from, to } => LaneOp::Carry {
                op: *op,
                ty: *ty,
                dst: o(dst, *ty, Write)?,
                args: each(args, *ty, Read, o)?,
                from: maybe(from.as_ref(), Type::Pred, Read, o)?,
                to: maybe(to.as_ref(), Type::Pred, Write, o)?,
            },
            Self::Setp { cmp, ty, ftz, dst, negated, a, b, with } => LaneOp::Setp {
                cmp: *cmp,
                ty: *ty,
                ftz: *ftz,
                dst: o(dst, Type::Pred, Write)?,
                negated: maybe(negated.as_ref(), Type::Pred, Write, o)?,
                a: o(a, *ty, Read)?,
                b: o(b, *ty, Read)?,
                with: third(with.as_ref(), |p| o(p, Type::Pred, Read))?,
            },
            Self::Set { cmp, to, ty, ftz, dst, a, b, with } => LaneOp::Set {
                cmp: *cmp,
                to: *to,
                ty: *ty,
                ftz: *ftz,
                dst: o(dst, *to, Write)?,
                a: o(a, *ty, Read)?,
                b: o(b, *ty, Read)?,
                with: third(with.as_ref(), |p| o(p, Type::Pred, Read))?,
            },
            Self::Selp { ty, dst, a, b, pred } => LaneOp::Selp {
                ty: *ty,
                dst: o(dst, *ty, Write)?,
                a: o(a, *ty, Read)?,
                b: o(b, *ty, Read)?,
                pred: o(pred, Type::Pred, Read)?,
            },
            Self::Cvt { to, from, rounding, float, dst, src } => {
                let (dst, src) = (o(dst, *to, WriteExtended)?, o(src, *from, ReadLow)?);
                LaneOp::Cvt { to: *to, from: *from, rounding: *rounding, float: *float, dst, src }
            }
            Self::CvtPair { to, rounding, float, dst, a, b } => LaneOp::CvtPair {
                to: *to,
                rounding: *rounding,
                float: *float,
                dst: o(dst, *to, Write)?,
                a: o(a, Type::F32, Read)?,
                b: o(b, Type::F32, Read)?,
            },
            Self::Cvta { space, to_space, ty, dst, src } => {
                let (dst, src) = (o(dst, *ty, Write)?, o(src, *ty, Read)?);
                LaneOp::Cvta { space: *space, to_space: *to_space, ty: *ty, dst, src }
            }
        })
    }

    /// Whether its result is an approximation whose exact bits depend on the hardware.
    pub(super) const fn is_approximate(&self) -> bool {
        match self {
            Self::Unary { float, .. } | Self::Binary { float, .. } => {
                matches!(float.rounding, Rounding::Approximate)
            }
            _ => false,
        }
    }
}

/// Translates the third operand of a comparison.
fn third<'s, O, P, E>(
    with: Option<&'s (Boolean, bool, O)>,
    operand: impl FnOnce(&'s O) -> Result<P, E>,
) -> Result<Option<(Boolean, bool, P)>, E> {
    with.map(|(join, not, p)| Ok((*join, *not, operand(p)?))).transpose()
}

/// The type of each of `count` equal parts of a `ty`.
fn part_type(ty: Type, count: usize) -> Type {
    match ty.bits() / count.max(1) as u32 {
        32 => Type::B32,
        16 => Type::B16,
        _ => Type::B8,
    }
}

/// The type of a product: that of the operands, or twice as wide.
const fn result_type(wide: bool, ty: Type) -> Type {
    match (wide, ty) {
        (true, Type::U32) => Type::U64,
        (true, Type::S32) => Type::S64,
        (true, Type::U16) => Type::U32,
        (true, Type::S16) => Type::S32,
        (_, ty) => ty,
    }
}
