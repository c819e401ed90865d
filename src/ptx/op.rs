//! The one table of instructions, by shape: what an instruction does and what it works on.

mod atomic;
mod bits;
mod kind;
mod map;
mod strength;
mod warp;

use super::operand::Address;
use super::tensor::{Fragment, Mma};
use super::types::{Space, Type};
use super::wgmma::Wgmma;
pub use atomic::AtomicOp;
pub use bits::{BitsOp, Class, Permute, Saturated};
pub use strength::{MemoryScope, Strength};
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
    /// `ld{.vec}`: one register per element of the vector. A volatile one is not to be joined with
    /// others nor left out; ordering (`.relaxed`, `.acquire`) does not forbid that.
    Ld { space: Space, ty: Type, strength: Strength, dst: Vec<O>, addr: Address<O> },
    /// `st{.vec}`.
    St { space: Space, ty: Type, strength: Strength, addr: Address<O>, src: Vec<O> },
    /// `cp.async [dst], [src], bytes{, size}`: from global to shared memory, not waited for; of
    /// the bytes only the first `size` are read, and zeros come for the rest. `past_l1`: `.cg`.
    CopyAsync { bytes: u8, past_l1: bool, dst: Address<O>, src: Address<O>, size: Option<O> },
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
    /// `wgmma.mma_async`: begun, and not waited for.
    Wgmma(Box<Wgmma<O>>),
    /// `wgmma.fence`: what the warp did with registers comes before what products do with them.
    WgmmaFence,
    /// `wgmma.commit_group`, `wgmma.wait_group`.
    WgmmaGroup(CopyGroup),
    /// `wmma.load`.
    LdFragment(Box<Fragment<O>>),
    /// `wmma.store`.
    StFragment(Box<Fragment<O>>),
    /// `atom`, `red` (without `dst`): a word of memory changed as one; `dst` is what was there.
    Atom {
        op: AtomicOp,
        strength: Strength,
        space: Space,
        ty: Type,
        dst: Option<O>,
        addr: Address<O>,
        args: Vec<O>,
    },
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
    /// A register that tells the time: how many instructions the block has issued; or the upper half
    /// of that.
    Clock { ty: Type, upper: bool, dst: O },
    /// `membar`, `fence`: changes nothing here, where every thread sees every access at once, but
    /// puts accesses in order. Weak: of another kind (`fence.proxy`), which orders nothing here.
    Fence(Strength),
    /// `fence.proxy.async`: what the thread wrote to shared memory comes before what others read
    /// there without executing loads (PTX ISA, "Proxies").
    ProxyFence,
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
    /// A call of a function of which the module has no body; of one that the simulator knows, with
    /// the addresses of its arguments in local memory.
    CallMissing { name: String, args: Vec<O> },
    /// `ret` in a device function: back to the caller.
    Ret,
    /// `exit`, and `ret` in a kernel: the thread ends.
    Exit,
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

/// What a thread does with its asynchronous copies, or with products.
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
