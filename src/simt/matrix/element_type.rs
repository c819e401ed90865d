//! The types that elements of a matrix or of a buffer can have: their names, width and bits.

use half::{bf16, f16};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The type of an element in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ElementType {
    /// IEEE 754 binary32, `float`.
    #[default]
    F32,
    /// IEEE 754 binary64, `double`.
    F64,
    /// IEEE 754 binary16, `half`.
    F16,
    /// The upper half of a binary32, `__nv_bfloat16`.
    Bf16,
    /// `signed char`.
    I8,
    /// `unsigned char`.
    U8,
    /// `short`.
    I16,
    /// `unsigned short`.
    U16,
    /// `int`.
    I32,
    /// `unsigned int`.
    U32,
    /// `long long`.
    I64,
    /// `unsigned long long`.
    U64,
}

/// Returned for a text that does not name an element type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not an element type: give {known}", known = ElementType::ALL.map(ElementType::name).join(", "))]
pub struct ParseElementTypeError(pub String);

impl ElementType {
    /// All types.
    pub const ALL: [Self; 12] = [
        Self::F32,
        Self::F64,
        Self::F16,
        Self::Bf16,
        Self::I8,
        Self::U8,
        Self::I16,
        Self::U16,
        Self::I32,
        Self::U32,
        Self::I64,
        Self::U64,
    ];

    /// Its name in `--args`: `f32`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
            Self::I8 => "i8",
            Self::U8 => "u8",
            Self::I16 => "i16",
            Self::U16 => "u16",
            Self::I32 => "i32",
            Self::U32 => "u32",
            Self::I64 => "i64",
            Self::U64 => "u64",
        }
    }

    /// Size of an element in bytes.
    pub const fn bytes(self) -> u8 {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::F16 | Self::Bf16 | Self::I16 | Self::U16 => 2,
            Self::F32 | Self::I32 | Self::U32 => 4,
            Self::F64 | Self::I64 | Self::U64 => 8,
        }
    }

    /// Whether its elements are integers, whose arithmetic is exact and wraps.
    pub const fn is_integer(self) -> bool {
        !matches!(self, Self::F32 | Self::F64 | Self::F16 | Self::Bf16)
    }

    /// Whether it is an integer with a sign.
    const fn is_signed(self) -> bool {
        matches!(self, Self::I8 | Self::I16 | Self::I32 | Self::I64)
    }

    /// 4-byte word number `index` of a buffer whose elements `element` returns.
    pub fn packed(self, index: u64, element: impl Fn(u64) -> f64) -> u32 {
        let bits = |index| self.bits(element(index));
        match self.bytes() {
            4 => bits(index) as u32,
            8 => (bits(index / 2) >> (32 * (index % 2))) as u32,
            bytes => {
                let each = 4 / u64::from(bytes);
                let place = |at: u64| bits(each * index + at) << (8 * u64::from(bytes) * at);
                (0..each).map(place).fold(0, |word, part| word | part) as u32
            }
        }
    }

    /// Reads element `index` of a buffer whose 4-byte words `word` returns.
    pub fn read(self, index: u64, word: impl Fn(u64) -> u32) -> f64 {
        let bytes = u64::from(self.bytes());
        let first = index * bytes / 4;
        let bits = match bytes {
            8 => u64::from(word(first)) | u64::from(word(first + 1)) << 32,
            _ => u64::from(word(first) >> (8 * (index * bytes % 4))),
        };
        self.value(bits)
    }

    /// The value of an element with these bits, those above its width ignored.
    pub fn value(self, bits: u64) -> f64 {
        let above = 64 - 8 * u32::from(self.bytes());
        match self {
            Self::F32 => f32::from_bits(bits as u32).into(),
            Self::F64 => f64::from_bits(bits),
            Self::F16 => f16::from_bits(bits as u16).into(),
            Self::Bf16 => bf16::from_bits(bits as u16).into(),
            _ if self.is_signed() => ((bits << above) as i64 >> above) as f64,
            _ => (bits << above >> above) as f64,
        }
    }

    /// The bits of the element nearest to `value`, ties to even; an integer wraps.
    pub fn bits(self, value: f64) -> u64 {
        match self {
            Self::F32 => (value as f32).to_bits().into(),
            Self::F64 => value.to_bits(),
            Self::F16 => f16::from_f64(value).to_bits().into(),
            Self::Bf16 => bf16::from_f64(value).to_bits().into(),
            _ => value as i128 as u64 & (u64::MAX >> (64 - 8 * u32::from(self.bytes()))),
        }
    }

    /// Rounds to the nearest representable value; an integer wraps.
    pub fn round(self, value: f64) -> f64 {
        self.value(self.bits(value))
    }
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for ElementType {
    type Err = ParseElementTypeError;

    fn from_str(text: &str) -> Result<Self, ParseElementTypeError> {
        let found = Self::ALL.into_iter().find(|known| known.name() == text);
        found.ok_or_else(|| ParseElementTypeError(text.to_owned()))
    }
}
