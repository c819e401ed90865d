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

/// A member of a structure, by its place in the list.
pub(super) fn field(place: &Lvalue, index: usize) -> Lvalue {
    match place {
        Lvalue::Fields(_, fields) => fields[index].clone(),
        Lvalue::Memory(MemoryOperand { ty: Type::Struct(of), space, base, offset, qualifiers }) => {
            let member = &of.members[index];
            let offset = offset.wrapping_add(member.offset as i64);
            let qualifiers = Qualifiers { ..*qualifiers };
            let ty = member.ty.clone();
            Lvalue::Memory(MemoryOperand { ty, space: *space, base: *base, offset, qualifiers })
        }
        other => other.clone(),
    }
}

/// `.x` of a vector, or a member of a structure.
pub(super) fn member(place: Lvalue, name: &str, at: Pos) -> Result<Lvalue> {
    if let Type::Struct(of) = place.ty() {
        let Some(path) = of.path_to(name) else {
            let told = format!("`{}` has no member `{name}`", of.name);
            let members: Vec<_> = of.members.iter().map(|one| &*one.name).collect();
            let hint = format!("its members are {}", members.join(", "));
            return Err(Error::at(at, told).hint(hint).into());
        };
        return Ok(path.into_iter().fold(place, |place, index| field(&place, index)));
    }
    let (scalar, count) = match place.ty() {
        Type::Vector(scalar, count) => (scalar, count),
        Type::Scalar(pair) if pair.half().is_some() => (pair.half().unwrap_or(pair), 2),
        other => {
            let told = format!("a `{other}` has no member `{name}`");
            return Err(Error::at(at, told).into());
        }
    };
    let index = index(name, count, at)?;
    let ty = Type::Scalar(scalar);
    if matches!(place, Lvalue::Register(..) | Lvalue::InArray(Type::Scalar(_), ..)) {
        return Ok(Lvalue::Half(Box::new(place), scalar, index));
    }
    Ok(match place {
        Lvalue::Parts(_, parts) => Lvalue::Register(ty, parts[index]),
        Lvalue::InArray(_, array, from) => Lvalue::InArray(ty, array, from + index as u64),
        Lvalue::Memory(memory) => {
            let offset = memory.offset.wrapping_add(i64::from(scalar.bytes()) * index as i64);
            Lvalue::Memory(MemoryOperand { ty, offset, ..memory })
        }
        Lvalue::Register(..) | Lvalue::Fields(..) | Lvalue::Half(..) => place,
    })
}

/// Which part of a vector of `count` numbers a member names.
pub(super) fn index(name: &str, count: u32, at: Pos) -> Result<usize> {
    let index = ["x", "y", "z", "w"].iter().position(|axis| *axis == name);
    index.filter(|index| *index < count as usize).ok_or_else(|| {
        Error::at(at, format!("there is no `.{name}` here"))
            .hint("the members are .x, .y, .z and .w")
            .into()
    })
}
