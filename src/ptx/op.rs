//! The one table of instructions, by shape: what an instruction does and what it works on.

mod atomic;
mod bits;
mod warp;

use super::tensor::{Fragment, Mma};
use super::types::{Space, Type};
pub use atomic::AtomicOp;
pub use bits::{BitsOp, Class, Permute, Saturated};
use std::convert::Infallible;
pub use warp::{Reduce, Shuffle, Vote, WarpOp};

/// An instruction without its guard.
///
/// `O` is an operand: a name or literal after parsing, a register's row after lowering. `L` is a
/// place to jump to: a label after parsing, an instruction's number after lowering.
#[derive(Clone, Debug, PartialEq)]
#[expect(
    missing_docs,
    reason = "the fields are the manual's operands, named in each variant's text"
)]
pub enum Op<O, L> {
    /// `mov`, and what amounts to one: the bits of `src` into `dst`.
    Mov { ty: Type, dst: O, src: O },
    /// `mov.b64 d, {a, b}`: parts into a wider register, the lowest first.
    Pack { ty: Type, dst: O, parts: Vec<O> },
    /// `mov.b64 {a, b}, s`: a register into its parts, the lowest first.
    Unpack { ty: Type, parts: Vec<O>, src: O },
    /// One operand.
    Unary { op: UnaryOp, ty: Type, float: Float, dst: O, a: O },
    /// Two operands.
    Binary { op: BinaryOp, ty: Type, float: Float, dst: O, a: O, b: O },
    /// Three operands.
    Ternary { op: TernaryOp, ty: Type, float: Float, dst: O, abc: [O; 3] },
    /// `bfi`: the low `length` bits of `a` into `b` at `position`.
    Insert { ty: Type, dst: O, a: O, b: O, position: O, length: O },
    /// An instruction on integers and bits, of one to four operands.
    Bits { op: BitsOp, ty: Type, dst: O, args: Vec<O> },
    /// `add.cc`, `madc`: a sum whose carry comes from a flag of the thread, or goes to it.
    Carry { op: CarryOp, ty: Type, dst: O, args: Vec<O>, from: Option<O>, to: Option<O> },
    /// `setp.cmp{.bool} dst{|negated}, a, b{, {!}with}`; of packed halves, `dst` is of the lower
    /// ones and `negated` of the upper ones.
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
    /// `set.cmp{.bool}.to.ty dst, a, b{, {!}with}`: all ones, or 1.0, where it holds; else zero.
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
    /// `cvt.to.f32 dst, a, b`: two float32 packed, `a` into the upper half.
    CvtPair { to: Type, rounding: Rounding, float: Float, dst: O, a: O, b: O },
    /// `cvta{.to}.space`: between a space's own addresses and generic ones.
    Cvta { space: Space, to_space: bool, ty: Type, dst: O, src: O },
    /// `ld{.vec}`: one register per element of the vector. `volatile`: not to be joined with
    /// others nor left out; ordering (`.relaxed`, `.acquire`) does not forbid that.
    Ld { space: Space, ty: Type, volatile: bool, dst: Vec<O>, addr: Address<O> },
    /// `st{.vec}`.
    St { space: Space, ty: Type, volatile: bool, addr: Address<O>, src: Vec<O> },
    /// `cp.async [dst], [src], bytes{, size}`: from global to shared memory, not waited for; of
    /// the bytes only the first `size` are read, and zeros come for the rest.
    CopyAsync { bytes: u8, dst: Address<O>, src: Address<O>, size: Option<O> },
    /// `cp.async.commit_group`, `cp.async.wait_group`, `cp.async.wait_all`.
    CopyGroup(CopyGroup),
    /// `ldmatrix`: as many 8 x 8 matrices of 16-bit elements as there are registers, their rows at
    /// the addresses of 8 lanes each.
    LdMatrix { transposed: bool, space: Space, dst: Vec<O>, addr: Address<O> },
    /// `stmatrix`: the same to memory.
    StMatrix { transposed: bool, space: Space, addr: Address<O>, src: Vec<O> },
    /// `movmatrix`: an 8 x 8 matrix transposed.
    MovMatrix { dst: O, src: O },
    /// `mma`, and `wmma.mma` as those that it is made of.
    Mma(Vec<Mma<O>>),
    /// `wmma.load`.
    LdFragment(Box<Fragment<O>>),
    /// `wmma.store`.
    StFragment(Box<Fragment<O>>),
    /// `atom`, `red` (without `dst`): a word of memory changed as one; `dst` is what was there.
    Atom { op: AtomicOp, space: Space, ty: Type, dst: Option<O>, addr: Address<O>, args: Vec<O> },
    /// The lanes of a warp together: `args` is what each brings along, `members` are those who
    /// are to come (none: those who do). `pred` is a second result.
    Warp {
        op: WarpOp,
        ty: Type,
        dst: Option<O>,
        pred: Option<O>,
        negated: bool,
        args: Vec<O>,
        members: Option<O>,
    },
    /// A register that tells the time: how many instructions the block has issued.
    Clock { ty: Type, dst: O },
    /// `membar`, `fence`: changes nothing here, where every thread sees every access at once.
    Fence,
    /// A prefetch, a pause or another hint: changes times, not values.
    Hint,
    /// `trap`: the kernel is ended as wrong. `brkpt`: handed to a debugger, which is none here.
    Trap { breakpoint: bool },
    /// `bra`.
    Bra { target: L },
    /// `brx.idx`: to the place of that number in a list (until lowering, to the list's name).
    Switch { index: O, targets: Vec<L> },
    /// `bar.how id{, threads}`, `barrier.how`: without a number of threads, the whole block.
    Bar { how: Arrival<O>, id: O, threads: Option<O> },
    /// `call (returns), target, (args)`; what is passed is a `.param` of the scope, or a register.
    Call { target: L, returns: Vec<O>, args: Vec<O> },
    /// A call of a function of which the module has no body.
    CallMissing { name: String },
    /// `ret` in a device function: back to the caller.
    Return,
    /// `ret` in a kernel, `exit`: the thread ends.
    Ret,
}

/// What an instruction does with an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    /// Reads its value.
    Read,
    /// Writes it.
    Write,
    /// Reads the low bits of a register that may be wider (PTX ISA, "Operand Size Exceeding
    /// Instruction-Type Size").
    ReadLow,
    /// Writes a register that may be wider; the value is sign- or zero-extended to it.
    WriteExtended,
    /// Takes it as an address, which may be 32 or 64 bits wide.
    Address,
}

/// A register, or nothing but a number, plus a displacement in bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct Address<O> {
    /// The register or symbol.
    pub base: O,
    /// Bytes to add.
    pub offset: i64,
}

/// What floating-point instructions may be told besides their type; nothing for the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a word of the instruction")]
pub struct Float {
    /// Subnormal inputs and results become zero (float32 and float16 only).
    pub ftz: bool,
    /// The result is clamped to [0, 1] (for `cvt` to integers: to the type's range).
    pub sat: bool,
    /// A negative result becomes zero.
    pub relu: bool,
    /// An infinite result becomes the greatest finite number of its sign (`cvt` only).
    pub satfinite: bool,
    /// How arithmetic rounds; a `cvt` says it beside this.
    pub rounding: Rounding,
}

/// Instructions of one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the manual's")]
pub enum UnaryOp {
    Abs,
    Neg,
    Not,
    Cnot,
    Popc,
    Clz,
    Brev,
    Sqrt,
    Rsqrt,
    Rcp,
    /// 2 to the power of the operand.
    Ex2,
    /// The logarithm to base 2.
    Lg2,
    Sin,
    Cos,
    Tanh,
}

/// Instructions of two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the manual's")]
pub enum BinaryOp {
    Add,
    Sub,
    Mul(Width),
    Div,
    Rem,
    Min,
    Max,
    /// `min.NaN`: NaN if an operand is NaN.
    MinNan,
    /// `max.NaN`
    MaxNan,
    And,
    Or,
    Xor,
    Shl,
    Shr,
}

/// Instructions of three operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TernaryOp {
    /// `mad`: a x b + c, the half of the product as told.
    Mad(Width),
    /// `fma`: a x b + c, rounded once.
    Fma,
    /// `bfe`: `c` bits of `a` from bit `b` on.
    Bfe,
}

/// Instructions with a carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CarryOp {
    /// `add.cc`, `addc`
    Add,
    /// `sub.cc`, `subc`: the carry is a borrow.
    Sub,
    /// `mad.lo.cc`, `madc.lo`; or of the high half of the product.
    Mad {
        /// Whether the high half is taken.
        high: bool,
    },
}

/// Which part of a product is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// The low half, as wide as the operands.
    Lo,
    /// The high half, as wide as the operands.
    Hi,
    /// All of it, twice as wide.
    Wide,
}

/// A comparison; the first six are false if an operand is NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the manual's")]
pub enum Compare {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    /// As above, but true if an operand is NaN.
    EqU,
    NeU,
    LtU,
    LeU,
    GtU,
    GeU,
    /// Neither is NaN.
    Num,
    /// One is NaN.
    Nan,
}

/// How `setp` joins its comparison with a third operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names are the manual's")]
pub enum Boolean {
    And,
    Or,
    Xor,
}

/// What a thread does with its asynchronous copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyGroup {
    /// Those that belong to no group yet become one.
    Commit,
    /// Waits until all groups but so many of the last ones are complete.
    WaitAllBut(u32),
    /// Waits for every copy.
    WaitAll,
}

/// What a thread does at a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrival<O> {
    /// `sync`: waits.
    Sync,
    /// `arrive`: goes on.
    Arrive,
    /// `red`: waits, and takes the result of a vote along.
    Reduce {
        /// Over the threads that arrive.
        reduction: Reduction,
        /// Where the result goes.
        dst: O,
        /// The thread's vote, and whether it is to be negated.
        vote: (bool, O),
    },
}

/// What `bar.red` makes of the votes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// How many are true.
    Popc,
    /// Whether all are.
    And,
    /// Whether one is.
    Or,
}

impl Reduction {
    /// The type of its result.
    const fn result(self) -> Type {
        match self {
            Self::Popc => Type::U32,
            Self::And | Self::Or => Type::Pred,
        }
    }
}

/// How a result that cannot be held exactly is rounded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rounding {
    /// To nearest even (`rn`), or to the nearest even integer (`rni`).
    #[default]
    Nearest,
    /// To nearest, and from the middle away from zero (`rna`).
    NearestAway,
    /// Towards zero (`rz`, `rzi`).
    Zero,
    /// Down (`rm`, `rmi`).
    Down,
    /// Up (`rp`, `rpi`).
    Up,
    /// Within bounds that the manual gives (`approx`, `full`); a GPU's bits are not documented.
    Approximate,
}

impl<O: Copy, L> Op<O, L> {
    /// Every operand with the type that the instruction reads or writes there and what it does
    /// with it, in no particular order.
    pub fn operands(&self) -> Vec<(O, Type, Use)> {
        let mut operands = Vec::new();
        let visit = |operand: &O, ty, how| {
            operands.push((*operand, ty, how));
            Ok::<_, Infallible>(())
        };
        let Ok(_) = self.map(visit, |_| Ok(()));
        operands
    }
}

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
            Self::Atom { op, space, ty, dst, addr, args } => {
                let addr =
                    Address { base: o(&addr.base, Type::U64, Use::Address)?, offset: addr.offset };
                let dst = dst.as_ref().map(|dst| o(dst, *ty, Write)).transpose()?;
                let args = args.iter().map(|a| o(a, *ty, Read)).collect::<Result<_, _>>()?;
                Op::Atom { op: *op, space: *space, ty: *ty, dst, addr, args }
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
            Self::Clock { ty, dst } => Op::Clock { ty: *ty, dst: o(dst, *ty, Write)? },
            Self::Fence => Op::Fence,
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
            Self::Ld { space, ty, volatile, dst, addr } => {
                let dst = dst.iter().map(|d| o(d, *ty, WriteExtended)).collect::<Result<_, _>>()?;
                let addr =
                    Address { base: o(&addr.base, Type::U64, Use::Address)?, offset: addr.offset };
                Op::Ld { space: *space, ty: *ty, volatile: *volatile, dst, addr }
            }
            Self::St { space, ty, volatile, addr, src } => {
                let addr =
                    Address { base: o(&addr.base, Type::U64, Use::Address)?, offset: addr.offset };
                let src = src.iter().map(|s| o(s, *ty, ReadLow)).collect::<Result<_, _>>()?;
                Op::St { space: *space, ty: *ty, volatile: *volatile, addr, src }
            }
            Self::CopyAsync { bytes, dst, src, size } => {
                let mut at = |addr: &'s Address<O>| {
                    let base = o(&addr.base, Type::U64, Use::Address)?;
                    Ok(Address { base, offset: addr.offset })
                };
                let (dst, src) = (at(dst)?, at(src)?);
                let size = size.as_ref().map(|size| o(size, Type::U32, Read)).transpose()?;
                Op::CopyAsync { bytes: *bytes, dst, src, size }
            }
            Self::CopyGroup(group) => Op::CopyGroup(*group),
            Self::LdMatrix { transposed, space, dst, addr } => {
                let dst = dst.iter().map(|d| o(d, Type::B32, Write)).collect::<Result<_, _>>()?;
                let base = o(&addr.base, Type::U64, Use::Address)?;
                let addr = Address { base, offset: addr.offset };
                Op::LdMatrix { transposed: *transposed, space: *space, dst, addr }
            }
            Self::StMatrix { transposed, space, addr, src } => {
                let base = o(&addr.base, Type::U64, Use::Address)?;
                let addr = Address { base, offset: addr.offset };
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
            Self::CallMissing { name } => Op::CallMissing { name: name.clone() },
            Self::Return => Op::Return,
            Self::Ret => Op::Ret,
        })
    }
}

impl<O, L> Op<O, L> {
    /// Whether its result is an approximation, whose bits are the hardware's own affair.
    pub const fn is_approximate(&self) -> bool {
        match self {
            Self::Unary { float, .. } | Self::Binary { float, .. } => {
                matches!(float.rounding, Rounding::Approximate)
            }
            _ => false,
        }
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
