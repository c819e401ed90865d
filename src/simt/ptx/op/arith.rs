//! What instructions of arithmetic, comparison and conversion are told.

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
