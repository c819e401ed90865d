//! The types that elements of a matrix or of a buffer can have: their width, rounding and tolerance.

use super::{Operand, SMALL, bits_of, digit, element};
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

    /// Its name in `--launch`: `f32`.
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

    /// The distance from 1 to the next smaller number, half of it the largest error of rounding;
    /// `None` for integers, which are exact.
    pub const fn unit(self) -> Option<f64> {
        match self {
            Self::F64 => Some(1.0 / (1_u64 << 53) as f64),
            Self::F32 => Some(1.0 / (1_u64 << 24) as f64),
            Self::F16 => Some(1.0 / (1_u64 << 11) as f64),
            Self::Bf16 => Some(1.0 / (1_u64 << 8) as f64),
            _ => None,
        }
    }

    /// Element `index` of the buffer of an operand that is filled from `seed`, see
    /// [`super::element`]: a float is rounded to this type (a float64 has all its 53 bits), an
    /// integer of 8 bits has any value, and a wider one at most 100 in magnitude.
    pub fn element(self, seed: u64, operand: Operand, index: u64) -> f64 {
        let bits = || bits_of(seed, operand, index);
        match self {
            Self::F32 => element(seed, operand, index).into(),
            Self::F16 | Self::Bf16 => self.round(element(seed, operand, index).into()),
            _ if seed == SMALL => digit(bits()).into(),
            Self::F64 => (bits() >> 11) as f64 / (1_u64 << 52) as f64 - 1.0,
            Self::I8 | Self::U8 => self.value(bits() >> 56),
            _ if self.is_signed() => ((bits() >> 40) % 201) as f64 - 100.0,
            _ => ((bits() >> 40) % 101) as f64,
        }
    }

    /// The index as an element of this type, or the largest that it holds: never less than the one
    /// before it.
    pub(super) fn ascending(self, index: u64) -> f64 {
        let most = match self {
            Self::I8 => i8::MAX as u64,
            Self::U8 => u8::MAX.into(),
            Self::I16 => i16::MAX as u64,
            Self::U16 => u16::MAX.into(),
            Self::I32 => i32::MAX as u64,
            Self::U32 => u32::MAX.into(),
            Self::F16 => f16::MAX.to_f64() as u64,
            Self::F32 | Self::F64 | Self::Bf16 | Self::I64 | Self::U64 => 1 << 53,
        };
        self.round(index.min(most) as f64)
    }

    /// 4-byte word number `index` of such a buffer.
    pub fn word(self, seed: u64, operand: Operand, index: u64) -> u32 {
        match self {
            Self::F32 => element(seed, operand, index).to_bits(),
            _ => self.packed(index, |index| self.element(seed, operand, index)),
        }
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

    /// The type without a sign of an integer of 16 bits or more; others stay: what is done with those
    /// of 8 bits shows their sign.
    #[must_use]
    pub const fn without_sign(self) -> Self {
        match self {
            Self::I16 => Self::U16,
            Self::I32 => Self::U32,
            Self::I64 => Self::U64,
            other => other,
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

    /// The bits of the element nearest to `value`, ties to even, by way of float32 for those of 16
    /// bits; an integer wraps.
    pub fn bits(self, value: f64) -> u64 {
        match self {
            Self::F32 => (value as f32).to_bits().into(),
            Self::F64 => value.to_bits(),
            Self::F16 => f16::from_f32(value as f32).to_bits().into(),
            Self::Bf16 => bf16::from_f32(value as f32).to_bits().into(),
            _ => value as i128 as u64 & (u64::MAX >> (64 - 8 * u32::from(self.bytes()))),
        }
    }

    /// Rounds to the nearest representable value; an integer wraps.
    pub fn round(self, value: f64) -> f64 {
        self.value(self.bits(value))
    }

    /// The result that is expected where `exact` is computed: itself, but an integer wraps.
    pub fn expected(self, exact: f64) -> f64 {
        if self.is_integer() { self.round(exact) } else { exact }
    }

    /// Upper bound on the relative error expected of sums of `k` products of such elements: see
    /// [`super::tolerance`]; those of 16 bits are added in float32.
    ///
    /// Tensor cores truncate their sums towards zero, once for every 16 products, where a
    /// multiply-add would round; the loss therefore grows linearly with k. On an H200 it was 0.02 k
    /// units in the last place (2^-24) for k from 2048 to 8192, with cuBLAS and with our kernels.
    /// Three times that is allowed.
    pub fn tolerance(self, k: u32) -> f64 {
        let single = super::tolerance(k);
        match self {
            Self::F32 => single,
            Self::F64 => single * 2.0_f64.powi(24 - 53),
            Self::F16 | Self::Bf16 => single + f64::from(k) / 16.0 * 2.0_f64.powi(-24),
            _ => 0.0,
        }
    }
}

impl ElementType {
    /// Upper bound on the relative error expected of C, where A, B and C have these types: that of
    /// sums in the coarsest of them, `slack` times, and the rounding of C's elements to 16 bits;
    /// integers have none.
    pub fn tolerance_of_product(types: [Self; 3], k: u32, slack: f64) -> f64 {
        let [.., c] = types;
        let of_sums = slack * types.iter().map(|of| of.tolerance(k)).fold(0.0, f64::max);
        match c {
            _ if c.is_integer() => 0.0,
            Self::F16 | Self::Bf16 => of_sums + c.unit().unwrap_or(0.0),
            _ => of_sums,
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_half_comes_back_and_what_lies_between_goes_to_the_nearest() {
        let (half, widened) =
            (|value| ElementType::F16.bits(value), |bits| ElementType::F16.value(bits));
        for bits in (0..0x7c00).chain(0x8000..0xfc00) {
            assert_eq!(half(widened(bits)), bits);
        }
        for bits in 0..0x7bff_u64 {
            let (low, high) = (widened(bits), widened(bits + 1));
            let middle = f32::midpoint(low as f32, high as f32);
            let even = bits + (bits & 1);
            assert_eq!(half(middle.into()), even, "{middle} lies between {low} and {high}");
            assert_eq!(half(middle.next_down().into()), bits);
            assert_eq!(half(middle.next_up().into()), bits + 1);
        }
    }

    #[test]
    fn what_tensor_cores_lost_on_an_h200_is_allowed_for_at_every_size() {
        // Measured at 2048 and 8192; extrapolated linearly to the largest size.
        for (k, error) in [(2048, 2.47e-6), (8192, 9.70e-6), (46340, 9.70e-6 * 46340.0 / 8192.0)] {
            let most = ElementType::F16.tolerance(k);
            assert!((2.0 * error..8.0 * error).contains(&most), "{k}: {most}");
        }
    }

    /// What a word of the fill holds is read as the elements that it was made of.
    #[test]
    fn elements_of_every_type_lie_in_words_and_come_back() {
        for of in ElementType::ALL {
            for seed in [1, SMALL] {
                let word = |index| of.word(seed, Operand::B, index);
                let values: Vec<_> = (0..500).map(|at| of.read(at, word)).collect();
                let filled: Vec<_> = (0..500).map(|at| of.element(seed, Operand::B, at)).collect();
                assert_eq!(values, filled, "{of}");
                let most = match of {
                    _ if seed == SMALL => 9.0,
                    ElementType::U8 => 255.0,
                    ElementType::I8 => 128.0,
                    _ if of.is_integer() => 100.0,
                    _ => 1.0,
                };
                let largest = values.iter().fold(0.0, |most: f64, value| most.max(value.abs()));
                assert!((0.9 * most..=most).contains(&largest), "{of}: {largest}");
                let negative = values.iter().any(|value| *value < 0.0);
                assert_eq!(negative, seed != SMALL && (of.is_signed() || !of.is_integer()), "{of}");
            }
            assert_eq!(of.to_string().parse(), Ok(of));
        }
    }

    #[test]
    fn a_double_is_no_float_and_integers_wrap() {
        let of = |at| ElementType::F64.element(1, Operand::A, at);
        assert!((0..100).any(|at| ElementType::F32.round(of(at)).to_bits() != of(at).to_bits()));
        assert_eq!(ElementType::I8.expected(200.0).to_bits(), (-56.0_f64).to_bits());
        assert_eq!(ElementType::U8.expected(-1.0).to_bits(), 255.0_f64.to_bits());
        assert_eq!(
            ElementType::I32.expected(2.0_f64.powi(31)).to_bits(),
            (-2.0_f64.powi(31)).to_bits()
        );
        assert_eq!(ElementType::F16.expected(0.1).to_bits(), 0.1_f64.to_bits());
        assert_eq!(ElementType::Bf16.round(1.0 + 2.0_f64.powi(-9)).to_bits(), 1.0_f64.to_bits());
        assert_eq!(
            "f8".parse::<ElementType>().map_err(|error| error.to_string()),
            Err("`f8` is not an element type: give f32, f64, f16, bf16, i8, u8, i16, u16, i32, u32, \
                 i64, u64"
                .to_owned())
        );
    }
}
