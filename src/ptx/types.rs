//! The fundamental types and the state spaces, with their PTX spellings.

use std::fmt;

/// A fundamental type (PTX ISA, "Fundamental Types").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    Pred,
    B8,
    B16,
    B32,
    B64,
    U8,
    U16,
    U32,
    U64,
    S8,
    S16,
    S32,
    S64,
    F16,
    F16x2,
    Bf16,
    Bf16x2,
    Tf32,
    F32,
    F64,
    /// Elements of matrices only, as are the next two.
    S4,
    U4,
    B1,
    /// Elements of matrices only: 8 bits, of which 3 are the fraction; without infinities.
    E4m3,
    /// The same with 2 bits of fraction, and with infinities.
    E5m2,
    /// Two of them, which only `cvt` reads and writes.
    E4m3x2,
    E5m2x2,
    /// Of `atom` only: registers of this type are pairs of `B64` here.
    B128,
}

/// Every type with its spelling and its width in bits.
const TYPES: [(Type, &str, u32); 28] = [
    (Type::Pred, "pred", 1),
    (Type::B8, "b8", 8),
    (Type::B16, "b16", 16),
    (Type::B32, "b32", 32),
    (Type::B64, "b64", 64),
    (Type::U8, "u8", 8),
    (Type::U16, "u16", 16),
    (Type::U32, "u32", 32),
    (Type::U64, "u64", 64),
    (Type::S8, "s8", 8),
    (Type::S16, "s16", 16),
    (Type::S32, "s32", 32),
    (Type::S64, "s64", 64),
    (Type::F16, "f16", 16),
    (Type::F16x2, "f16x2", 32),
    (Type::Bf16, "bf16", 16),
    (Type::Bf16x2, "bf16x2", 32),
    (Type::Tf32, "tf32", 32),
    (Type::F32, "f32", 32),
    (Type::F64, "f64", 64),
    (Type::S4, "s4", 4),
    (Type::U4, "u4", 4),
    (Type::B1, "b1", 1),
    (Type::E4m3, "e4m3", 8),
    (Type::E5m2, "e5m2", 8),
    (Type::E4m3x2, "e4m3x2", 16),
    (Type::E5m2x2, "e5m2x2", 16),
    (Type::B128, "b128", 128),
];

impl Type {
    /// The type of registers and variables spelt `word`, without the dot.
    pub fn from_word(word: &str) -> Option<Self> {
        let elements_only = |ty: &Self| ty.bits() < 8 && *ty != Self::Pred || ty.is_of_bytes();
        Self::of_element(word).filter(|ty| !elements_only(ty) && *ty != Self::B128)
    }

    /// The type spelt `word`, without the dot, also if it is only that of a matrix's elements.
    pub(super) fn of_element(word: &str) -> Option<Self> {
        TYPES.iter().find(|(_, spelling, _)| *spelling == word).map(|(ty, ..)| *ty)
    }

    /// Width in bits; 1 for a predicate.
    pub const fn bits(self) -> u32 {
        TYPES[self as usize].2
    }

    /// Width in bytes.
    pub const fn bytes(self) -> u32 {
        self.bits().div_ceil(8)
    }

    /// Whether it is a signed integer.
    pub const fn is_signed(self) -> bool {
        matches!(self, Self::S4 | Self::S8 | Self::S16 | Self::S32 | Self::S64)
    }

    /// Whether it is a floating-point format, or a packed pair of one.
    pub const fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F64 | Self::Tf32) || self.is_half() || self.is_of_bytes()
    }

    /// Whether it is an 8-bit floating-point format, or a packed pair of one.
    pub const fn is_of_bytes(self) -> bool {
        matches!(self, Self::E4m3 | Self::E5m2 | Self::E4m3x2 | Self::E5m2x2)
    }

    /// Whether it is a 16-bit floating-point format, or a packed pair of one.
    pub const fn is_half(self) -> bool {
        matches!(self, Self::F16 | Self::F16x2 | Self::Bf16 | Self::Bf16x2)
    }

    /// Whether it is two numbers packed in one register.
    pub const fn is_packed(self) -> bool {
        matches!(self, Self::F16x2 | Self::Bf16x2 | Self::E4m3x2 | Self::E5m2x2)
    }

    /// The type of one number of a packed pair; any other type is its own.
    #[must_use]
    pub const fn alone(self) -> Self {
        match self {
            Self::F16x2 => Self::F16,
            Self::Bf16x2 => Self::Bf16,
            Self::E4m3x2 => Self::E4m3,
            Self::E5m2x2 => Self::E5m2,
            other => other,
        }
    }

    /// Whether it is a signed or unsigned integer (not untyped bits).
    pub const fn is_integer(self) -> bool {
        !matches!(
            self,
            Self::Pred | Self::B1 | Self::B8 | Self::B16 | Self::B32 | Self::B64 | Self::B128
        ) && !self.is_float()
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(TYPES[*self as usize].1)
    }
}

/// A state space (PTX ISA, "State Spaces").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    /// Unspecified: one of the others, determined by the address.
    Generic,
    /// `.global`
    Global,
    /// `.shared`
    Shared,
    /// `.shared::cluster`: that of the blocks of a cluster, distributed shared memory.
    Distributed,
    /// `.local`
    Local,
    /// `.const`
    Const,
    /// `.param`
    Param,
}

impl Space {
    /// The space spelt `word`, without the dot.
    pub fn from_word(word: &str) -> Option<Self> {
        let all = [Self::Global, Self::Shared, Self::Local, Self::Const, Self::Param];
        all.into_iter().find(|space| space.name() == word)
    }

    /// Its spelling, without the dot.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Generic => "generic",
            Self::Global => "global",
            Self::Shared => "shared",
            Self::Distributed => "shared::cluster",
            Self::Local => "local",
            Self::Const => "const",
            Self::Param => "param",
        }
    }
}

impl fmt::Display for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
