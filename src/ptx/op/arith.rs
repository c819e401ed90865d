//! Modifiers of arithmetic, comparison and conversion instructions.

/// Modifiers of floating-point instructions in addition to the type; all clear for other
/// instructions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a word of the instruction")]
pub struct Float {
    /// Subnormal inputs and results become zero (float32 and float16 only).
    pub ftz: bool,
    /// The result is clamped to [0, 1] (in a `cvt` to an integer: to the type's range).
    pub sat: bool,
    /// A negative result becomes zero.
    pub relu: bool,
    /// The result is zero where a factor is the NaN that tensor copies put outside of a tensor (`fma` of
    /// halves only; PTX ISA, "OOB-NaN").
    pub oob: bool,
    /// An infinite result becomes the largest finite number of its sign (`cvt` only).
    pub satfinite: bool,
    /// The rounding mode of arithmetic; `cvt` has a field of its own for it.
    pub rounding: Rounding,
}

/// Instructions with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    /// Base-2 logarithm.
    Lg2,
    Sin,
    Cos,
    Tanh,
}

/// Instructions with two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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

/// Instructions with three operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TernaryOp {
    /// `mad`: a x b + c, with the selected part of the product.
    Mad(Width),
    /// `fma`: a x b + c, rounded once.
    Fma,
    /// `add` or `sub`, as ptxas makes it: a x b + c. Lowering puts it in the place of a sum that
    /// takes, or may take, a product with it.
    Contracted(Contraction),
    /// `bfe`: `c` bits of `a` from bit `b` on.
    Bfe,
}

impl TernaryOp {
    /// Whether it is one multiply-add of floats: written so, or contracted.
    pub const fn is_fma(self) -> bool {
        matches!(self, Self::Fma | Self::Contracted(Contraction { fused: true, .. }))
    }
}

/// How a sum is contracted with a product: with its sign, and that of the other summand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Contraction {
    /// Whether the product is subtracted.
    pub minus_product: bool,
    /// Whether the other summand is subtracted.
    pub minus_other: bool,
    /// Whether both are rounded once. If not, the first factor is a summand and the second is 1.
    pub fused: bool,
    /// Whether ptxas is known to do the same.
    pub certain: bool,
}

/// Instructions that use the carry flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CarryOp {
    /// `add.cc`, `addc`
    Add,
    /// `sub.cc`, `subc`: the carry is a borrow.
    Sub,
    /// `mad.lo.cc`, `madc.lo`, or the same with the high half of the product.
    Mad {
        /// Whether it uses the high half.
        high: bool,
    },
}

/// The part of a product that is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Width {
    /// The low half, as wide as the operands.
    Lo,
    /// The high half, as wide as the operands.
    Hi,
    /// The full product, twice as wide.
    Wide,
}

/// A comparison; the first six variants are false if an operand is NaN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Compare {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    /// From here to `GeU`: like the above, but true if an operand is NaN.
    EqU,
    NeU,
    LtU,
    LeU,
    GtU,
    GeU,
    /// True if neither operand is NaN.
    Num,
    /// True if either operand is NaN.
    Nan,
}

/// How `setp` combines its comparison with a third operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Boolean {
    And,
    Or,
    Xor,
}

/// How an inexact result is rounded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rounding {
    /// To nearest even (`rn`), or to the nearest even integer (`rni`).
    #[default]
    Nearest,
    /// The same, where none is written, so that ptxas may contract a product and a sum into one
    /// instruction (`add`, `sub` and `mul` of floats only).
    Unwritten,
    /// To nearest, ties away from zero (`rna`).
    NearestAway,
    /// Towards zero (`rz`, `rzi`).
    Zero,
    /// Down (`rm`, `rmi`).
    Down,
    /// Up (`rp`, `rpi`).
    Up,
    /// Approximate, within the manual's error bounds (`approx`, `full`); the exact bits are
    /// undocumented.
    Approximate,
}
