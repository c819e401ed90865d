//! Structures: values of them, their members and member functions.

use super::location::{Lvalue, MemoryOperand};
use super::lowering::{Binding, Lowering};
use super::stop::{Result, Stop};
use super::value::{Held, Reg, Value};
use crate::ast::{Declaration, Expr, ExprKind, Function, Init, Parameter};
use crate::at::Pos;
use crate::error::Error;
use crate::types::{Pointer, Qualifiers, Scalar, Space, Struct, Type};
use std::rc::Rc;

impl<'a> Lowering<'a> {
    /// A parameter of the kernel that is passed by value: each member in registers of its own.
    pub(super) fn passed(
        &mut self,
        parameter: &Parameter,
        symbol: &str,
        of: &Rc<Struct>,
    ) -> Result<Lvalue> {
        self.passed_at(parameter.at, (symbol, 0), &Type::Struct(Rc::clone(of)))
    }

    pub(super) fn passed_at(
        &mut self,
        at: Pos,
        (symbol, offset): (&str, u64),
        ty: &Type,
    ) -> Result<Lvalue> {
        let from = format!("[{symbol}+{offset}]");
        match ty {
            Type::Struct(of) => {
                let member = |member: &crate::types::Member| {
                    self.passed_at(at, (symbol, offset + member.offset), &member.ty)
                };
                let members = of.members.iter().map(member).collect::<Result<_>>()?;
                Ok(Lvalue::Fields(Rc::clone(of), members))
            }
            Type::Pointer(pointer) => {
                let generic = self.code.register(ty);
                self.code.emit(Some(at), format!("ld.param.u64 {generic}, {from}"))?;
                self.global_pointer(at, pointer, generic)
            }
            Type::Scalar(scalar) if *scalar != Scalar::Bool => {
                let register = self.code.register(ty);
                let name = scalar.stored();
                self.code.emit(Some(at), format!("ld.param.{name} {register}, {from}"))?;
                Ok(Lvalue::Register(ty.clone(), register))
            }
            Type::Scalar(_) => {
                let word = self.code.register(&Type::INT);
                self.code.emit(Some(at), format!("ld.param.u8 {word}, {from}"))?;
                let truth = self.number(at, Value::in_register(Type::INT, word), Scalar::Bool)?;
                let Held::Reg(register) = truth.held else { return Err(no_member(at, ty)) };
                Ok(Lvalue::Register(ty.clone(), register))
            }
            Type::Vector(scalar, count) => {
                let part = |part: u32| {
                    let at_part = offset + u64::from(part * scalar.bytes());
                    self.passed_at(at, (symbol, at_part), &Type::Scalar(*scalar))
                };
                let parts = (0..*count).map(part).collect::<Result<Vec<_>>>()?;
                let registers = parts.into_iter().filter_map(|part| match part {
                    Lvalue::Register(_, register) => Some(register),
                    _ => None,
                });
                Ok(Lvalue::Parts(*scalar, registers.collect()))
            }
            Type::Array(..) | Type::Void => Err(no_member(at, ty)),
        }
    }

    /// A pointer that was found in memory: the host and kernels store addresses in global memory.
    fn global_pointer(&mut self, at: Pos, pointer: &Pointer, generic: Reg) -> Result<Lvalue> {
        let ty = pointer.to.clone().pointer(Some(Space::Global), pointer.qualifiers);
        let global = self.code.register(&ty);
        self.code.emit(Some(at), format!("cvta.to.global.u64 {global}, {generic}"))?;
        Ok(Lvalue::Register(ty, global))
    }

    pub(super) fn load_pointer(&mut self, at: Pos, memory: &MemoryOperand) -> Result<Value> {
        let Type::Pointer(pointer) = &memory.ty else { return Ok(Value::NOTHING) };
        let (address, volatile, space) = (memory.address(), memory.volatile(), memory.space.name());
        let generic = self.code.register(&memory.ty);
        self.code.emit(Some(at), format!("ld{volatile}.{space}.u64 {generic}, {address}"))?;
        let place = self.global_pointer(at, pointer, generic)?;
        self.load(at, place)
    }

    /// Declares a variable that is a structure: in registers, or in local memory if it holds arrays.
    pub(super) fn structure(&mut self, one: &'a Declaration, of: &Rc<Struct>) -> Result<()> {
        let ty = Type::Struct(Rc::clone(of));
        let place = if of.has_array() {
            self.local(one, ty.clone())?;
            let Some(Binding::Place(place)) = self.find(&one.name).cloned() else { return Ok(()) };
            place
        } else {
            let place = self.variable(&ty);
            self.bind(&one.name, Binding::Place(place.clone()), one.at)?;
            place
        };
        match &one.init {
            None if self.constructor(of, 0).is_some() => self.construct(one.at, &place, of, &[]),
            None => Ok(()),
            Some(Init::List(all)) => self.fill_structure(one, &place, of, all),
            Some(Init::Value(expr)) => match &expr.kind {
                ExprKind::Construct(Type::Struct(own), given) if own == of => {
                    self.construct(expr.at, &place, of, given)
                }
                _ => {
                    let value = self.value(expr)?;
                    self.store(one.at, place, value).map(drop)
                }
            },
        }
    }

    /// Stores values in braces, and zeros after them.
    pub(super) fn fill_structure(
        &mut self,
        one: &'a Declaration,
        place: &Lvalue,
        of: &Rc<Struct>,
        all: &'a [Init],
    ) -> Result<()> {
        if all.len() > of.members.len() {
            return Err(Error::at(one.at, "there are more values than members").into());
        }
        for (index, member) in of.members.iter().enumerate() {
            let part = field(place, index);
            match (all.get(index), &member.ty) {
                (Some(Init::List(inner)), Type::Struct(own)) => {
                    self.fill_structure(one, &part, own, inner)?;
                }
                (Some(Init::List(inner)), Type::Array(..)) => self.fill(one, part, inner)?,
                (Some(Init::List(inner)), ty @ Type::Vector(..)) => {
                    let value = self.in_braces(one, ty, inner)?;
                    self.store(one.at, part, value)?;
                }
                (None, Type::Struct(own)) => self.fill_structure(one, &part, own, &[])?,
                (None, Type::Array(..)) => self.fill(one, part, &[])?,
                (init, _) => self.fill_one(one, part, init)?,
            }
        }
        Ok(())
    }

    pub(super) fn constructed(&mut self, at: Pos, ty: &Type, given: &'a [Expr]) -> Result<Value> {
        let Type::Struct(of) = ty else { return Ok(Value::NOTHING) };
        if of.has_array() {
            let told = format!("a `{ty}`, which holds an array, as a value");
            return Err(Error::outside(at, &told).into());
        }
        let place = self.variable(ty);
        self.construct(at, &place, of, given)?;
        self.load(at, place)
    }

    /// Makes a structure in a place: by its constructor, or from the values of its members.
    fn construct(
        &mut self,
        at: Pos,
        place: &Lvalue,
        of: &Rc<Struct>,
        given: &'a [Expr],
    ) -> Result<()> {
        if let Some(constructor) = self.constructor(of, given.len()) {
            return self.inline(at, constructor, Some(place), given).map(drop);
        }
        // A copy.
        if let [one] = given
            && self.type_of(one)? == Type::Struct(Rc::clone(of))
        {
            let value = self.value(one)?;
            return self.store(at, place.clone(), value).map(drop);
        }
        if given.len() > of.members.len() {
            let told = format!("`{}` has no constructor of {} values", of.name, given.len());
            return Err(Error::at(at, told).into());
        }
        for (index, member) in of.members.iter().enumerate() {
            let value = match (given.get(index), &member.ty) {
                (Some(expr), _) => self.value(expr)?,
                (None, Type::Scalar(_) | Type::Vector(..)) => super::declare::zero(&member.ty),
                (None, ty) => {
                    let told = format!("a `{}` without a value for its `{ty}`", of.name);
                    return Err(Error::outside(at, &told).into());
                }
            };
            self.store(at, field(place, index), value)?;
        }
        Ok(())
    }

    fn constructor(&self, of: &Struct, given: usize) -> Option<&'a Rc<Function>> {
        self.member_function(of, &of.name, given)
    }

    /// The member function of this name with this many parameters.
    pub(super) fn member_function(
        &self,
        of: &Struct,
        name: &str,
        given: usize,
    ) -> Option<&'a Rc<Function>> {
        let name = format!("{}::{name}", of.name);
        let module = self.module;
        let mut all = module.functions.iter();
        let takes = |one: &Rc<Function>| {
            let needed = one.parameters.iter().filter(|one| one.default.is_none()).count();
            (needed..=one.parameters.len()).contains(&given)
        };
        all.find(|one| *one.name == *name && takes(one))
    }

    /// `of.name(given)`
    pub(super) fn method(
        &mut self,
        at: Pos,
        of: &'a Expr,
        name: &str,
        given: &'a [Expr],
    ) -> Result<Value> {
        if let Some(value) = self.of_tile(at, of, name, given)? {
            return Ok(value);
        }
        let place = if let Some(place) = self.variable_at(of)? {
            place
        } else {
            let value = self.value(of)?;
            let place = self.variable(&value.ty);
            self.store(at, place.clone(), value)?;
            place
        };
        self.method_of(at, &place, name, given)
    }

    pub(super) fn method_of(
        &mut self,
        at: Pos,
        place: &Lvalue,
        name: &str,
        given: &'a [Expr],
    ) -> Result<Value> {
        let ty = place.ty();
        let Type::Struct(of) = &ty else {
            return Err(Error::at(at, format!("a `{ty}` has no member function")).into());
        };
        let count = given.len();
        let Some(function) = self.member_function(of, name, count) else {
            let told = format!(
                "`{ty}` has no member function `{name}` of {count} arguments for the device"
            );
            return Err(Error::at(at, told).into());
        };
        self.inline(at, function, Some(place), given)
    }

    /// Names a structure `this` and its members, for a member function.
    pub(super) fn bind_members(&mut self, at: Pos, place: &Lvalue) -> Result<()> {
        let Type::Struct(of) = place.ty() else { return Ok(()) };
        self.bind(&"this".into(), Binding::Place(place.clone()), at)?;
        for (index, member) in of.members.iter().enumerate() {
            self.bind(&member.name, Binding::Place(field(place, index)), at)?;
        }
        Ok(())
    }

    pub(super) fn load_structure(
        &mut self,
        at: Pos,
        of: &Rc<Struct>,
        place: &Lvalue,
    ) -> Result<Value> {
        if of.has_array() {
            let told = format!("a `{}`, which holds an array, as a value", of.name);
            return Err(Error::outside(at, &told).into());
        }
        let member = |index| self.load(at, field(place, index));
        let parts = (0..of.members.len()).map(member).collect::<Result<_>>()?;
        Ok(Value { ty: Type::Struct(Rc::clone(of)), held: Held::Parts(parts) })
    }

    pub(super) fn store_structure(
        &mut self,
        at: Pos,
        of: &Rc<Struct>,
        place: &Lvalue,
        value: Value,
    ) -> Result<Value> {
        let Held::Parts(mut parts) = value.held else { return Ok(value) };
        let mut own = Vec::new();
        registers(place, &mut own);
        // `p = {p.b, p.a}` reads the old `p.a` after the new one is written.
        for part in &mut parts {
            *part = self.apart(at, part.clone(), &own)?;
        }
        for (index, part) in parts.iter().enumerate() {
            is_global(at, part)?;
            self.store(at, field(place, index), part.clone())?;
        }
        Ok(Value { ty: Type::Struct(Rc::clone(of)), held: Held::Parts(parts) })
    }

    /// The value in registers that are none of these.
    fn apart(&mut self, at: Pos, value: Value, own: &[Reg]) -> Result<Value> {
        match &value.held {
            Held::Reg(register) if own.contains(register) => {
                let place = self.variable(&value.ty);
                self.store(at, place.clone(), value)?;
                self.load(at, place)
            }
            Held::Parts(parts) => {
                let parts = parts.iter().map(|part| self.apart(at, part.clone(), own));
                Ok(Value { held: Held::Parts(parts.collect::<Result<_>>()?), ty: value.ty })
            }
            _ => Ok(value),
        }
    }
}

/// The error for a part of a structure that no parameter holds here.
fn no_member(at: Pos, ty: &Type) -> Stop {
    Error::outside(at, &format!("a `{ty}` in a structure that is passed by value")).into()
}

/// Refuses an address that is none in global memory where such a one is expected later.
pub(super) fn is_global(at: Pos, value: &Value) -> Result<()> {
    match &value.ty {
        Type::Pointer(pointer) if pointer.space.is_some_and(|space| space != Space::Global) => {
            let told = "a pointer in a structure or in memory that points into another memory than \
                        global memory";
            Err(Error::outside(at, told).into())
        }
        _ => Ok(()),
    }
}

fn registers(place: &Lvalue, all: &mut Vec<Reg>) {
    match place {
        Lvalue::Register(_, register) => all.push(*register),
        Lvalue::Parts(_, parts) => all.extend(parts),
        Lvalue::Fields(_, fields) => fields.iter().for_each(|field| registers(field, all)),
        Lvalue::Half(of, ..) => registers(of, all),
        Lvalue::InArray(..) | Lvalue::Memory(_) => {}
    }
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
