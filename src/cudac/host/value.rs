//! What an expression of the host comes to.

use crate::source::expression::wrapped;
use crate::types::{Qualifiers, Scalar, Type, narrowed};
use std::cmp::Ordering;
use std::rc::Rc;

/// The region's number plus 1 above the bits of `WITHIN`, and the byte in it.
pub(super) type HostAddress = u64;

/// The number of a reason why something is not known.
pub(super) type Reason = u32;

#[derive(Clone, Debug)]
pub(super) enum HostValue {
    Nothing,
    Int(i64, Scalar),
    Float(f64, Scalar),
    /// An address, and the type of what is there.
    Pointer(HostAddress, Type),
    Object(Box<HostObject>),
    Text(Rc<str>),
    /// A function or a kernel, with the arguments of its template.
    Function(Rc<str>, Vec<TemplateArgument>),
    /// Functions between which something chooses that nobody knows.
    Either(Box<[Self; 2]>),
    List(Vec<Self>),
    Unknown(Reason),
}

/// A structure or a vector by its bytes.
#[derive(Clone, Debug)]
pub(super) struct HostObject {
    pub ty: Type,
    pub bytes: Vec<u8>,
    pub states: Vec<super::ByteState>,
}

impl HostObject {
    /// The pointers in it, each with its offset.
    pub(super) fn pointers(&self) -> Vec<(u32, HostAddress)> {
        let mut places = Vec::new();
        pointers_in(&self.ty, 0, &mut places);
        let word = |at: u32| {
            let word = self.bytes.get(at as usize..at as usize + 8)?;
            Some((at, u64::from_le_bytes(word.try_into().ok()?)))
        };
        places.into_iter().filter_map(word).collect()
    }
}

/// Where the pointers in a structure are.
fn pointers_in(ty: &Type, at: u32, found: &mut Vec<u32>) {
    match ty {
        Type::Pointer(_) => found.push(at),
        Type::Struct(of) => {
            of.members.iter().for_each(|one| pointers_in(&one.ty, at + one.offset as u32, found));
        }
        Type::Array(of, count) => {
            for place in 0..*count {
                pointers_in(of, at + place * of.bytes() as u32, found);
            }
        }
        _ => {}
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum TemplateArgument {
    Type(Type),
    Number(i64),
    Unknown,
}

impl HostValue {
    pub(super) const fn int(value: i64) -> Self {
        Self::Int(value, Scalar::I32)
    }

    pub(super) const fn truth(holds: bool) -> Self {
        Self::Int(holds as i64, Scalar::Bool)
    }

    pub(super) fn float(&self) -> Option<f64> {
        match self {
            Self::Int(value, Scalar::U64) => Some(*value as u64 as f64),
            Self::Int(value, _) => Some(*value as f64),
            Self::Float(value, _) => Some(*value),
            _ => None,
        }
    }

    pub(super) fn whole(&self) -> Option<i64> {
        match self {
            Self::Int(value, _) => Some(*value),
            Self::Float(value, _) => Some(*value as i64),
            Self::Pointer(address, _) => Some(*address as i64),
            _ => None,
        }
    }

    pub(super) fn holds(&self) -> Option<bool> {
        match self {
            Self::Int(value, _) => Some(*value != 0),
            Self::Float(value, _) => Some(*value != 0.0),
            Self::Pointer(address, _) => Some(*address != 0),
            Self::Text(_) | Self::Function(..) | Self::Either(_) => Some(true),
            _ => None,
        }
    }

    pub(super) fn reason(&self) -> Option<Reason> {
        if let Self::Unknown(reason) = self { Some(*reason) } else { None }
    }

    pub(super) fn ty(&self) -> Option<Type> {
        match self {
            Self::Int(_, scalar) | Self::Float(_, scalar) => Some(Type::Scalar(*scalar)),
            Self::Pointer(_, of) => Some(of.clone().pointer(None, Qualifiers::default())),
            Self::Object(object) => Some(object.ty.clone()),
            Self::Function(..) | Self::Either(_) => {
                Some(Type::Void.pointer(None, Qualifiers::default()))
            }
            _ => None,
        }
    }
}

/// The result of an operator of two numbers; `None` if it has none.
pub(super) fn binary(operator: &str, left: &HostValue, right: &HostValue) -> Option<HostValue> {
    if let (HostValue::Int(a, one), HostValue::Int(b, other)) = (left, right) {
        let shifts = matches!(operator, "<<" | ">>");
        let scalar = if shifts { one.promoted() } else { one.common(*other) };
        let (bits, is_unsigned) = (8 * scalar.bytes(), !scalar.is_signed());
        let (a, b) = (narrowed(*a, scalar), if shifts { *b } else { narrowed(*b, scalar) });
        let value = wrapped(operator, [a, b], bits, is_unsigned).ok()?;
        let is_truth = matches!(operator, "==" | "!=" | "<" | ">" | "<=" | ">=" | "&&" | "||");
        let scalar = if is_truth { Scalar::Bool } else { scalar };
        return Some(HostValue::Int(narrowed(value, scalar), scalar));
    }
    let (a, b) = (left.float()?, right.float()?);
    let is_single = |value: &HostValue| !matches!(value, HostValue::Float(_, Scalar::F64));
    let scalar = if is_single(left) && is_single(right) { Scalar::F32 } else { Scalar::F64 };
    let value = match operator {
        "+" => a + b,
        "-" => a - b,
        "*" => a * b,
        "/" => a / b,
        "<" => return Some(HostValue::truth(a < b)),
        ">" => return Some(HostValue::truth(a > b)),
        "<=" => return Some(HostValue::truth(a <= b)),
        ">=" => return Some(HostValue::truth(a >= b)),
        "==" => return Some(HostValue::truth(a.partial_cmp(&b) == Some(Ordering::Equal))),
        "!=" => return Some(HostValue::truth(a.partial_cmp(&b) != Some(Ordering::Equal))),
        _ => return None,
    };
    let value = if scalar == Scalar::F32 { f64::from(value as f32) } else { value };
    Some(HostValue::Float(value, scalar))
}
