//! Values while they are computed: constants, registers, and their text in PTX.

use crate::types::{Scalar, Type, narrowed};
use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum RegClass {
    Predicate,
    Word,
    Long,
    Float,
    Double,
    Half,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Reg {
    pub class: RegClass,
    pub number: u32,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Value {
    pub ty: Type,
    pub held: Held,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Held {
    /// A whole number, a truth: known now.
    Int(i64),
    /// A floating-point number: known now.
    Float(f64),
    Reg(Reg),
    Parts(Vec<Value>),
    Nothing,
}

impl RegClass {
    pub(super) const ALL: [Self; 6] =
        [Self::Predicate, Self::Word, Self::Long, Self::Float, Self::Double, Self::Half];

    /// The class for a type that is one number or a pointer.
    pub(super) const fn of(ty: &Type) -> Self {
        match ty {
            Type::Scalar(Scalar::Bool) => Self::Predicate,
            Type::Scalar(Scalar::F32) => Self::Float,
            Type::Scalar(Scalar::F64) => Self::Double,
            Type::Scalar(Scalar::F16 | Scalar::BF16) => Self::Half,
            Type::Scalar(Scalar::I64 | Scalar::U64)
            | Type::Pointer(_)
            | Type::Array(..)
            | Type::Function(_) => Self::Long,
            Type::Scalar(_) | Type::Void | Type::Vector(..) | Type::Struct(_) => Self::Word,
        }
    }

    /// The name of its registers, and their type in a declaration.
    pub(super) const fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Predicate => ("%p", ".pred"),
            Self::Word => ("%r", ".b32"),
            Self::Long => ("%rd", ".b64"),
            Self::Float => ("%f", ".f32"),
            Self::Double => ("%fd", ".f64"),
            Self::Half => ("%rs", ".b16"),
        }
    }
}

impl fmt::Display for Reg {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.class.names().0, self.number)
    }
}

impl Value {
    pub(super) const NOTHING: Self = Self { ty: Type::Void, held: Held::Nothing };

    pub(super) const fn in_register(ty: Type, register: Reg) -> Self {
        Self { ty, held: Held::Reg(register) }
    }

    /// A whole number, wrapped to its type.
    pub(super) fn int(value: i64, scalar: Scalar) -> Self {
        let wrapped = match scalar {
            Scalar::F16x2 | Scalar::BF16x2 => i64::from(value as u32),
            Scalar::F32 | Scalar::F64 | Scalar::F16 | Scalar::BF16 => {
                return Self::float(value as f64, scalar);
            }
            whole => narrowed(value, whole),
        };
        Self { ty: Type::Scalar(scalar), held: Held::Int(wrapped) }
    }

    /// A floating-point number, rounded to its type.
    pub(super) fn float(value: f64, scalar: Scalar) -> Self {
        let rounded = match scalar {
            Scalar::F32 => f64::from(value as f32),
            Scalar::F16 => to_nearest(value, 11, -14, 65_504.0),
            Scalar::BF16 => to_nearest(value, 8, -126, f64::from(f32::from_bits(0x7f7f_0000))),
            _ => value,
        };
        Self { ty: Type::Scalar(scalar), held: Held::Float(rounded) }
    }

    pub(super) const fn scalar(&self) -> Option<Scalar> {
        match self.ty {
            Type::Scalar(scalar) => Some(scalar),
            Type::Void
            | Type::Vector(..)
            | Type::Pointer(_)
            | Type::Array(..)
            | Type::Struct(_)
            | Type::Function(_) => None,
        }
    }

    /// The whole number, if it is known.
    pub(super) const fn whole(&self) -> Option<i64> {
        match self.held {
            Held::Int(value) => Some(value),
            Held::Float(_) | Held::Reg(_) | Held::Parts(_) | Held::Nothing => None,
        }
    }

    pub(super) const fn is_constant(&self) -> bool {
        matches!(self.held, Held::Int(_) | Held::Float(_))
    }
}

impl Value {
    /// The bits of a number of half precision, as which it is rounded.
    pub(super) fn half_bits(&self, value: f64) -> u16 {
        match self.ty {
            Type::Scalar(Scalar::BF16) => half::bf16::from_f32(value as f32).to_bits(),
            _ => half::f16::from_f32(value as f32).to_bits(),
        }
    }
}

/// The nearest number of so many bits, the even one of two; the smallest exponent of a normal one and
/// the largest number bound them.
fn to_nearest(value: f64, bits: i32, smallest: i32, largest: f64) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let exponent = (value.abs().log2().floor() as i32).max(smallest);
    let step = f64::from(exponent - bits + 1).exp2();
    let rounded = (value / step).round_ties_even() * step;
    if rounded.abs() > largest { f64::INFINITY.copysign(value) } else { rounded }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.held {
            Held::Int(value) if self.ty == Type::Scalar(Scalar::U64) => {
                write!(f, "{}", *value as u64)
            }
            Held::Int(value) => write!(f, "{value}"),
            Held::Float(value) if self.ty == Type::Scalar(Scalar::F32) => {
                write!(f, "0f{:08X}", (*value as f32).to_bits())
            }
            Held::Float(value) if self.scalar().is_some_and(Scalar::is_half) => {
                write!(f, "0x{:04X}", self.half_bits(*value))
            }
            Held::Float(value) => write!(f, "0d{:016X}", value.to_bits()),
            Held::Reg(register) => write!(f, "{register}"),
            Held::Parts(parts) => {
                let parts: Vec<_> = parts.iter().map(Self::to_string).collect();
                write!(f, "{{{}}}", parts.join(", "))
            }
            Held::Nothing => Ok(()),
        }
    }
}

/// Whether a value is known to be 1.
#[expect(clippy::float_cmp, reason = "1 and nothing near it is neutral")]
pub(super) fn is_one(value: &Value) -> bool {
    matches!(value.held, Held::Float(known) if known == 1.0)
}

/// The NaN that a GPU makes, whichever it computed with (PTX ISA, "Floating Point Comparisons").
pub(super) fn not_a_number(scalar: Scalar) -> f64 {
    match scalar {
        Scalar::F32 => f64::from(f32::from_bits(0x7fff_ffff)),
        _ => f64::from_bits(0xfff8_0000_0000_0000),
    }
}
