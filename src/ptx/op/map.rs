//! An instruction with its operands and labels translated: which types it takes where.

use super::{Arrival, BinaryOp, Boolean, Op, TernaryOp, UnaryOp, Width};
use crate::ptx::operand::{Address, Use};
use crate::ptx::types::Type;

impl<O, L> Op<O, L> {
    /// The same instruction with every operand and label translated; the first error ends it.
    ///
    /// `operand` is told the type that the instruction reads or writes there and whether it is
    /// written.
    ///
    /// # Errors
    /// Whatever `operand` and `label` answer.
    #[expect(clippy::too_many_lines, reason = "a table: an arm for each instruction")]
    pub fn map<'s, P, M, E>(
        &'s self,
        mut operand: impl FnMut(&'s O, Type, Use) -> Result<P, E>,
        mut label: impl FnMut(&'s L) -> Result<M, E>,
    ) -> Result<Op<P, M>, E> {
        use Use::{Read, ReadLow, Write, WriteExtended};
        let mut o = |of: &'s O, ty, how| operand(of, ty, how);
        Ok(match self {
            Self::Mov { ty, dst, src } => {
                Op::Mov { ty: *ty, dst: o(dst, *ty, Write)?, src: o(src, *ty, Read)? }
            }
            Self::Pack { ty, dst, parts } => {
                let part = part_type(*ty, parts.len());
                let parts = parts.iter().map(|p| o(p, part, Read)).collect::<Result<_, _>>()?;
                Op::Pack { ty: *ty, dst: o(dst, *ty, Write)?, parts }
            }
            Self::Unpack { ty, parts, src } => {
                let part = part_type(*ty, parts.len());
                let parts = parts.iter().map(|p| o(p, part, Write)).collect::<Result<_, _>>()?;
                Op::Unpack { ty: *ty, parts, src: o(src, *ty, Read)? }
            }
            Self::Unary { op, ty, float, dst, a } => {
                let to = if matches!(op, UnaryOp::Popc | UnaryOp::Clz) { Type::U32 } else { *ty };
                let (dst, a) = (o(dst, to, Write)?, o(a, *ty, Read)?);
                Op::Unary { op: *op, ty: *ty, float: *float, dst, a }
            }
            Self::Binary { op, ty, float, dst, a, b } => {
                let shift = matches!(op, BinaryOp::Shl | BinaryOp::Shr);
                let dst = o(dst, result_type(*op == BinaryOp::Mul(Width::Wide), *ty), Write)?;
                let (a, b) = (o(a, *ty, Read)?, o(b, if shift { Type::U32 } else { *ty }, Read)?);
                Op::Binary { op: *op, ty: *ty, float: *float, dst, a, b }
            }
            Self::Ternary { op, ty, float, dst, abc: [a, b, c] } => {
                let wide = result_type(*op == TernaryOp::Mad(Width::Wide), *ty);
                let (b_ty, c_ty) =
                    if *op == TernaryOp::Bfe { (Type::U32, Type::U32) } else { (*ty, wide) };
                let dst = o(dst, wide, Write)?;
                let abc = [o(a, *ty, Read)?, o(b, b_ty, Read)?, o(c, c_ty, Read)?];
                Op::Ternary { op: *op, ty: *ty, float: *float, dst, abc }
            }
            Self::Insert { ty, dst, a, b, position, length } => Op::Insert {
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
                Op::Bits { op: *op, ty: *ty, dst: o(dst, to, Write)?, args }
            }
            Self::Carry { op, ty, dst, args, from, to } => Op::Carry {
                op: *op,
                ty: *ty,
                dst: o(dst, *ty, Write)?,
                args: args.iter().map(|a| o(a, *ty, Read)).collect::<Result<_, _>>()?,
                from: from.as_ref().map(|flag| o(flag, Type::Pred, Read)).transpose()?,
                to: to.as_ref().map(|flag| o(flag, Type::Pred, Write)).transpose()?,
            },
            Self::Atom { op, strength, space, ty, dst, addr, args } => {
                let addr = addr.map(&mut o)?;
                let dst = dst.as_ref().map(|dst| o(dst, *ty, Write)).transpose()?;
                let args = args.iter().map(|a| o(a, *ty, Read)).collect::<Result<_, _>>()?;
                let (op, strength) = (*op, *strength);
                Op::Atom { op, strength, space: *space, ty: *ty, dst, addr, args }
            }
            Self::Warp { op, ty, dst, pred, negated, args, members } => {
                let (to, from) = op.types(*ty);
                Op::Warp {
                    op: *op,
                    ty: *ty,
                    dst: dst.as_ref().map(|dst| o(dst, to, Write)).transpose()?,
                    pred: pred.as_ref().map(|pred| o(pred, Type::Pred, Write)).transpose()?,
                    negated: *negated,
                    args: args.iter().map(|a| o(a, from, Read)).collect::<Result<_, _>>()?,
                    members: members.as_ref().map(|m| o(m, Type::B32, Read)).transpose()?,
                }
            }
            Self::Clock { ty, upper, dst } => {
                Op::Clock { ty: *ty, upper: *upper, dst: o(dst, *ty, Write)? }
            }
            Self::Fence(strength) => Op::Fence(*strength),
            Self::ProxyFence => Op::ProxyFence,
            Self::Hint => Op::Hint,
            Self::Trap { breakpoint } => Op::Trap { breakpoint: *breakpoint },
            Self::Switch { index, targets } => Op::Switch {
                index: o(index, Type::U32, Read)?,
                targets: targets.iter().map(&mut label).collect::<Result<_, _>>()?,
            },
            Self::Setp { cmp, ty, ftz, dst, negated, a, b, with } => Op::Setp {
                cmp: *cmp,
                ty: *ty,
                ftz: *ftz,
                dst: o(dst, Type::Pred, Write)?,
                negated: negated.as_ref().map(|n| o(n, Type::Pred, Write)).transpose()?,
                a: o(a, *ty, Read)?,
                b: o(b, *ty, Read)?,
                with: third(with.as_ref(), |p| o(p, Type::Pred, Read))?,
            },
            Self::Set { cmp, to, ty, ftz, dst, a, b, with } => Op::Set {
                cmp: *cmp,
                to: *to,
                ty: *ty,
                ftz: *ftz,
                dst: o(dst, *to, Write)?,
                a: o(a, *ty, Read)?,
                b: o(b, *ty, Read)?,
                with: third(with.as_ref(), |p| o(p, Type::Pred, Read))?,
            },
            Self::Selp { ty, dst, a, b, pred } => Op::Selp {
                ty: *ty,
                dst: o(dst, *ty, Write)?,
                a: o(a, *ty, Read)?,
                b: o(b, *ty, Read)?,
                pred: o(pred, Type::Pred, Read)?,
            },
            Self::Cvt { to, from, rounding, float, dst, src } => {
                let (dst, src) = (o(dst, *to, WriteExtended)?, o(src, *from, ReadLow)?);
                Op::Cvt { to: *to, from: *from, rounding: *rounding, float: *float, dst, src }
            }
            Self::CvtPair { to, rounding, float, dst, a, b } => Op::CvtPair {
                to: *to,
                rounding: *rounding,
                float: *float,
                dst: o(dst, *to, Write)?,
                a: o(a, Type::F32, Read)?,
                b: o(b, Type::F32, Read)?,
            },
            Self::Cvta { space, to_space, ty, dst, src } => {
                let (dst, src) = (o(dst, *ty, Write)?, o(src, *ty, Read)?);
                Op::Cvta { space: *space, to_space: *to_space, ty: *ty, dst, src }
            }
            Self::Ld { space, ty, strength, dst, addr } => {
                let dst = dst.iter().map(|d| o(d, *ty, WriteExtended)).collect::<Result<_, _>>()?;
                let addr = addr.map(&mut o)?;
                Op::Ld { space: *space, ty: *ty, strength: *strength, dst, addr }
            }
            Self::St { space, ty, strength, addr, src } => {
                let addr = addr.map(&mut o)?;
                let src = src.iter().map(|s| o(s, *ty, ReadLow)).collect::<Result<_, _>>()?;
                Op::St { space: *space, ty: *ty, strength: *strength, addr, src }
            }
            Self::CopyAsync { bytes, past_l1, dst, src, size } => {
                let (dst, src) = (dst.map(&mut o)?, src.map(&mut o)?);
                let size = size.as_ref().map(|size| o(size, Type::U32, Read)).transpose()?;
                Op::CopyAsync { bytes: *bytes, past_l1: *past_l1, dst, src, size }
            }
            Self::CopyGroup(group) => Op::CopyGroup(*group),
            Self::LdMatrix { transposed, space, dst, addr } => {
                let dst = dst.iter().map(|d| o(d, Type::B32, Write)).collect::<Result<_, _>>()?;
                let addr = addr.map(&mut o)?;
                Op::LdMatrix { transposed: *transposed, space: *space, dst, addr }
            }
            Self::StMatrix { transposed, space, addr, src } => {
                let addr = addr.map(&mut o)?;
                let src = src.iter().map(|s| o(s, Type::B32, Read)).collect::<Result<_, _>>()?;
                Op::StMatrix { transposed: *transposed, space: *space, addr, src }
            }
            Self::MovMatrix { dst, src } => {
                Op::MovMatrix { dst: o(dst, Type::B32, Write)?, src: o(src, Type::B32, Read)? }
            }
            Self::Mma(products) => {
                let products = products.iter().map(|product| product.map(&mut o));
                Op::Mma(products.collect::<Result<_, _>>()?)
            }
            Self::Wgmma(product) => Op::Wgmma(Box::new(product.map(&mut o)?)),
            Self::WgmmaFence => Op::WgmmaFence,
            Self::WgmmaGroup(group) => Op::WgmmaGroup(*group),
            Self::LdFragment(fragment) => Op::LdFragment(Box::new(fragment.map(Write, &mut o)?)),
            Self::StFragment(fragment) => Op::StFragment(Box::new(fragment.map(Read, &mut o)?)),
            Self::Bra { target } => Op::Bra { target: label(target)? },
            Self::Bar { how, id, threads } => Op::Bar {
                how: match how {
                    Arrival::Sync => Arrival::Sync,
                    Arrival::Arrive => Arrival::Arrive,
                    Arrival::Reduce { reduction, dst, vote: (not, vote) } => Arrival::Reduce {
                        reduction: *reduction,
                        dst: o(dst, reduction.result(), Write)?,
                        vote: (*not, o(vote, Type::Pred, Read)?),
                    },
                },
                id: o(id, Type::U32, Read)?,
                threads: threads.as_ref().map(|of| o(of, Type::U32, Read)).transpose()?,
            },
            Self::Call { target, returns, args } => Op::Call {
                target: label(target)?,
                returns: returns
                    .iter()
                    .map(|r| o(r, Type::B32, Write))
                    .collect::<Result<_, _>>()?,
                args: args.iter().map(|a| o(a, Type::B32, Read)).collect::<Result<_, _>>()?,
            },
            Self::CallMissing { name, args } => {
                let args =
                    args.iter().map(|arg| o(arg, Type::U64, Read)).collect::<Result<_, _>>()?;
                Op::CallMissing { name: name.clone(), args }
            }
            Self::Ret => Op::Ret,
            Self::Exit => Op::Exit,
        })
    }
}

impl<O> Address<O> {
    /// The same address with its base translated; `operand` is told that it is one.
    pub(in crate::ptx) fn map<'s, P, E>(
        &'s self,
        operand: impl FnOnce(&'s O, Type, Use) -> Result<P, E>,
    ) -> Result<Address<P>, E> {
        let base = operand(&self.base, Type::U64, Use::Address)?;
        Ok(Address { base, offset: self.offset })
    }
}

/// A comparison's third operand, translated.
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

/// The type of a product: the operands' own, or twice as wide.
const fn result_type(wide: bool, ty: Type) -> Type {
    match (wide, ty) {
        (true, Type::U32) => Type::U64,
        (true, Type::S32) => Type::S64,
        (true, Type::U16) => Type::U32,
        (true, Type::S16) => Type::S32,
        (_, ty) => ty,
    }
}
