//! The values of a case: their types, and their bits.

use std::fmt::Debug;
use std::str::FromStr;

/// One expected value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Value {
    Bits(u64),
    AnyNan,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Ty {
    B16,
    F16,
    Bf16,
    U32,
    S32,
    U64,
    S64,
    F32,
    F64,
}

impl Ty {
    pub(crate) fn read(name: &str) -> Option<Self> {
        Some(match name {
            "b16" => Self::B16,
            "f16" => Self::F16,
            "bf16" => Self::Bf16,
            "u32" => Self::U32,
            "s32" => Self::S32,
            "u64" => Self::U64,
            "s64" => Self::S64,
            "f32" => Self::F32,
            "f64" => Self::F64,
            _ => return None,
        })
    }

    pub(crate) fn bytes(self) -> usize {
        match self {
            Self::B16 | Self::F16 | Self::Bf16 => 2,
            Self::U32 | Self::S32 | Self::F32 => 4,
            Self::U64 | Self::S64 | Self::F64 => 8,
        }
    }

    pub(crate) fn value(self, text: &str) -> Result<Value, String> {
        if let Some(digits) = text.strip_prefix("0x") {
            return u64::from_str_radix(digits, 16)
                .map(Value::Bits)
                .map_err(|error| error.to_string());
        }
        if text == "nan" {
            return Ok(Value::AnyNan);
        }
        Ok(Value::Bits(match self {
            Self::B16 => number::<u16>(text)?.into(),
            Self::F16 | Self::Bf16 => self.half(number(text)?)?,
            Self::U32 => number::<u32>(text)?.into(),
            Self::S32 => u64::from(number::<i32>(text)? as u32),
            Self::U64 => number(text)?,
            Self::S64 => number::<i64>(text)? as u64,
            Self::F32 => u64::from(number::<f32>(text)?.to_bits()),
            Self::F64 => number::<f64>(text)?.to_bits(),
        }))
    }

    /// The half that is exactly `value`.
    fn half(self, value: f64) -> Result<u64, String> {
        let same = |bits: &u64| self.number(*bits).to_bits() == value.to_bits();
        (0..=0xffff).find(same).ok_or_else(|| format!("{value} is not a number of this type"))
    }

    /// The number that the bits of a floating-point type represent.
    fn number(self, bits: u64) -> f64 {
        match self {
            Self::F64 => f64::from_bits(bits),
            Self::F16 | Self::Bf16 => {
                let stored = if self == Self::F16 { 10 } else { 7 };
                let (field, top) = ((bits & 0x7fff) >> stored, 0x7fff >> stored);
                let hidden = u64::from(field > 0) << stored;
                let significand = (bits & ((1 << stored) - 1)) | hidden;
                let exponent = field.max(1) as i32 - top as i32 / 2 - stored;
                let magnitude = match (field == top, significand == hidden) {
                    (true, true) => f64::INFINITY,
                    (true, false) => f64::NAN,
                    (false, _) => significand as f64 * 2.0_f64.powi(exponent),
                };
                if bits & 0x8000 == 0 { magnitude } else { -magnitude }
            }
            _ => f32::from_bits(bits as u32).into(),
        }
    }

    pub(crate) fn integer(self, value: i64) -> Value {
        Value::Bits(match self {
            Self::B16 => u64::from(value as u16),
            Self::F16 | Self::Bf16 => self.half(value as f64).expect("a small number"),
            Self::U32 | Self::S32 => u64::from(value as u32),
            Self::U64 | Self::S64 => value as u64,
            Self::F32 => u64::from((value as f32).to_bits()),
            Self::F64 => (value as f64).to_bits(),
        })
    }

    pub(crate) fn bytes_of(self, value: Value) -> Vec<u8> {
        let bits = match (value, self) {
            (Value::Bits(bits), _) => bits,
            (Value::AnyNan, Self::F64) => f64::NAN.to_bits(),
            (Value::AnyNan, Self::F16 | Self::Bf16) => 0x7fff,
            (Value::AnyNan, _) => u64::from(f32::NAN.to_bits()),
        };
        bits.to_le_bytes()[..self.bytes()].to_vec()
    }

    pub(crate) fn values_of(self, words: &[u32]) -> Vec<u64> {
        let bytes: Vec<_> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        bytes
            .chunks_exact(self.bytes())
            .map(|bytes| bytes.iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte)))
            .collect()
    }

    pub(crate) fn is_nan(self, bits: u64) -> bool {
        match self {
            Self::F16 | Self::Bf16 | Self::F32 | Self::F64 => self.number(bits).is_nan(),
            Self::B16 | Self::U32 | Self::S32 | Self::U64 | Self::S64 => false,
        }
    }

    pub(crate) fn show(self, bits: u64) -> String {
        match self {
            Self::B16 | Self::U32 | Self::U64 => format!("{bits} ({bits:#x})"),
            Self::F16 | Self::Bf16 => format!("{:e} ({bits:#x})", self.number(bits)),
            Self::S32 => format!("{} ({bits:#x})", bits as i32),
            Self::S64 => format!("{} ({bits:#x})", bits as i64),
            Self::F32 => format!("{:e} ({bits:#x})", f32::from_bits(bits as u32)),
            Self::F64 => format!("{:e} ({bits:#x})", f64::from_bits(bits)),
        }
    }
}

pub(crate) fn number<T: FromStr<Err: Debug>>(text: &str) -> Result<T, String> {
    text.trim().parse().map_err(|error| format!("`{text}`: {error:?}"))
}
