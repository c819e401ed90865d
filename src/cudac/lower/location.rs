//! A place that holds a value: registers, an array in registers, memory.

use super::stop::Result;
use super::value::{Held, Reg, Value};
use crate::at::Pos;
use crate::error::Error;
use crate::types::{Qualifiers, Scalar, Space, Struct, Type};
use std::rc::Rc;

/// A place that can be read and written.
#[derive(Clone, Debug)]
pub(super) enum Lvalue {
    Register(Type, Reg),
    Parts(Scalar, Vec<Reg>),
    /// A part of an array in registers: its type, the array, and its first number in it.
    InArray(Type, usize, u64),
    /// A structure in registers: a place for each member.
    Fields(Rc<Struct>, Vec<Lvalue>),
    Memory(MemoryOperand),
    /// The lower or the upper number of a pair of halves in a register.
    Half(Box<Lvalue>, Scalar, usize),
}

#[derive(Clone, Debug)]
pub(super) struct MemoryOperand {
    pub ty: Type,
    pub space: Space,
    pub base: Reg,
    pub offset: i64,
    pub qualifiers: Qualifiers,
}

impl Lvalue {
    pub(super) fn ty(&self) -> Type {
        match self {
            Self::Register(ty, _) | Self::InArray(ty, ..) => ty.clone(),
            Self::Parts(scalar, parts) => Type::Vector(*scalar, parts.len() as u32),
            Self::Fields(of, _) => Type::Struct(Rc::clone(of)),
            Self::Memory(memory) => memory.ty.clone(),
            Self::Half(_, scalar, _) => Type::Scalar(*scalar),
        }
    }
}

impl MemoryOperand {
    pub(super) fn address(&self) -> String {
        match self.offset {
            0 => format!("[{}]", self.base),
            offset => format!("[{}+{offset}]", self.base),
        }
    }

    pub(super) fn volatile(&self) -> &'static str {
        if self.qualifiers.volatile { ".volatile" } else { "" }
    }
}

pub(super) fn place_at(at: Pos, pointer: &Value) -> Result<Lvalue> {
    let (Type::Pointer(what), Held::Reg(base)) = (&pointer.ty, &pointer.held) else {
        let told = format!("a `{}` points at nothing", pointer.ty);
        return Err(Error::at(at, told).into());
    };
    let space = what.space.unwrap_or(Space::Global);
    let (ty, qualifiers) = (what.to.clone(), what.qualifiers);
    Ok(Lvalue::Memory(MemoryOperand { ty, space, base: *base, offset: 0, qualifiers }))
}
