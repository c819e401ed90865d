//! Structures: values of them, their members and member functions.

use super::declare::part;
use super::location::{Lvalue, MemoryOperand, field, member};
use super::lowering::{Binding, Lowering};
use super::stop::{Result, Stop};
use super::value::{Held, Reg, Value};
use crate::ast::{Declaration, Expr, ExprKind, Function, Init, Parameter};
use crate::at::Pos;
use crate::error::Error;
use crate::types::{Pointer, Scalar, Space, Struct, Type};
use std::rc::Rc;

/// The most bytes of a structure with arrays that are copied, element by element.
const MOST_COPIED: u64 = 1024;

impl<'a> Lowering<'a> {
    /// A parameter of the kernel that is passed by value: each member in registers of its own.
    pub(super) fn passed(
        &mut self,
        parameter: &Parameter,
        symbol: &str,
        of: &Rc<Struct>,
    ) -> Result<Lvalue> {
        let ty = Type::Struct(Rc::clone(of));
        if !of.is_in_memory() || parameter.storage.is_of_grid {
            return self.passed_at(parameter.at, (symbol, 0), &ty);
        }
        let place = self.local(parameter.at, (&parameter.name, parameter.id), ty.clone())?;
        self.passed_to(parameter.at, (symbol, 0), &ty, &place)?;
        Ok(place)
    }

    /// Copies a part of a parameter of the kernel that holds arrays to a place in local memory.
    fn passed_to(
        &mut self,
        at: Pos,
        (symbol, offset): (&str, u64),
        ty: &Type,
        place: &Lvalue,
    ) -> Result<()> {
        match ty {
            Type::Array(inner, count) => (0..u64::from(*count)).try_for_each(|index| {
                let from = (symbol, offset + index * inner.bytes());
                self.passed_to(at, from, inner, &part(place, inner, index))
            }),
            Type::Struct(of) if of.is_in_memory() => of.copied_members().try_for_each(|index| {
                let member = &of.members[index];
                let from = (symbol, offset + member.offset);
                self.passed_to(at, from, &member.ty, &field(place, index))
            }),
            _ => {
                let from = self.passed_at(at, (symbol, offset), ty)?;
                let value = self.load(at, from)?;
                self.store(at, place.clone(), value).map(drop)
            }
        }
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
            Type::Array(..) | Type::Void | Type::Function(_) => Err(no_member(at, ty)),
        }
    }

    /// A pointer that was found in memory: the host and kernels store addresses in global memory.
    pub(super) fn global_pointer(
        &mut self,
        at: Pos,
        pointer: &Pointer,
        generic: Reg,
    ) -> Result<Lvalue> {
        let to = self.complete(pointer.to.clone());
        if self.decisions.generic {
            let ty = to.pointer(Some(Space::Generic), pointer.qualifiers);
            return Ok(Lvalue::Register(ty, generic));
        }
        let ty = to.pointer(Some(Space::Global), pointer.qualifiers);
        let global = self.code.register(&ty);
        self.code.emit(Some(at), format!("cvta.to.global.u64 {global}, {generic}"))?;
        Ok(Lvalue::Register(ty, global))
    }

    pub(super) fn load_pointer(&mut self, at: Pos, memory: &MemoryOperand) -> Result<Value> {
        let Type::Pointer(pointer) = &memory.ty else { return Ok(Value::NOTHING) };
        let (address, volatile, space) =
            (memory.address(), memory.volatile(), memory.space.suffix());
        let generic = self.code.register(&memory.ty);
        self.code.emit(Some(at), format!("ld{volatile}{space}.u64 {generic}, {address}"))?;
        let place = self.global_pointer(at, pointer, generic)?;
        self.load(at, place)
    }

    /// Declares a variable that is a structure: in registers, or in local memory if it holds arrays.
    pub(super) fn structure(&mut self, one: &'a Declaration, of: &Rc<Struct>) -> Result<()> {
        let ty = Type::Struct(Rc::clone(of));
        let place = if of.is_in_memory() {
            self.local(one.at, (&one.name, one.id), ty)?
        } else {
            self.own_variable(one.at, (&one.name, one.id), &ty)?
        };
        self.bind(&one.name, Binding::Place(place.clone()), one.at)?;
        match &one.init {
            None if self.constructor(of, 0).is_some() => self.construct(one.at, &place, of, &[]),
            None => Ok(()),
            // Members that have first values keep those for which none stands in the braces.
            Some(Init::List(all)) if self.constructor(of, 0).is_some() => {
                self.construct(one.at, &place, of, &[])?;
                let given = of.members.iter().zip(all).zip(0..);
                given.into_iter().try_for_each(|((_, init), index)| {
                    self.fill_one(one, field(&place, index), Some(init))
                })
            }
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
        let place = self.temporary(at, ty)?;
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
            let place = self.temporary(at, &value.ty)?;
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
        if let Some((function, this)) = self.method_on(place, name, given.len()) {
            return self.inline(at, function, Some(&this), given);
        }
        // A pointer to a function that is a member.
        if of.path_to(name).is_some() {
            let member = member(place.clone(), name, at)?;
            let pointer = self.load(at, member)?;
            return self.through(at, &pointer, given);
        }
        let count = given.len();
        let told =
            format!("`{ty}` has no member function `{name}` of {count} arguments for the device");
        Err(Error::at(at, told).into())
    }

    /// The member function of this name of a structure or of one of its bases, and the part of it that it
    /// is called on.
    pub(super) fn method_on(
        &self,
        place: &Lvalue,
        name: &str,
        given: usize,
    ) -> Option<(&'a Rc<Function>, Lvalue)> {
        let Type::Struct(of) = place.ty() else { return None };
        if let Some(function) = self.member_function(&of, name, given) {
            return Some((function, place.clone()));
        }
        let mut bases = of.unnamed();
        bases.find_map(|(index, _)| self.method_on(&field(place, index), name, given))
    }

    /// The place that a member function returns by reference; `None` if it returns a value.
    pub(super) fn place_by_method(
        &mut self,
        at: Pos,
        of: &'a Expr,
        name: &str,
        given: &'a [Expr],
    ) -> Result<Option<Lvalue>> {
        if !matches!(self.type_if_structure(of)?, Type::Struct(_)) {
            return Ok(None);
        }
        let Some(place) = self.variable_at(of)? else { return Ok(None) };
        match self.method_on(&place, name, given.len()) {
            Some((function, this)) if function.by_reference => {
                self.inlined_place(at, function, Some(&this), given)
            }
            _ => Ok(None),
        }
    }

    /// Names a structure `this` and its members, for a member function.
    pub(super) fn bind_members(&mut self, at: Pos, place: &Lvalue) -> Result<()> {
        let Type::Struct(of) = place.ty() else { return Ok(()) };
        self.bind(&"this".into(), Binding::Place(place.clone()), at)?;
        self.bind_each(&of, place);
        Ok(())
    }

    /// Names the members of a structure; those of its bases first, which its own may hide.
    fn bind_each(&mut self, of: &Rc<Struct>, place: &Lvalue) {
        for (index, inner) in of.unnamed() {
            self.bind_each(inner, &field(place, index));
        }
        let named = of.members.iter().enumerate().filter(|(_, member)| !member.name.is_empty());
        let named =
            named.map(|(index, one)| (one.name.clone(), Binding::Place(field(place, index))));
        if let Some(scope) = self.scopes.last_mut() {
            scope.extend(named);
        }
    }

    /// The same type with the structure of a name that was only declared where it was written.
    pub(super) fn complete(&self, ty: Type) -> Type {
        match ty {
            Type::Struct(of) if of.is_incomplete() => {
                let known = self.module.structures.get(&of.name).cloned();
                known.unwrap_or(Type::Struct(of))
            }
            Type::Pointer(pointer) => {
                self.complete(pointer.to).pointer(pointer.space, pointer.qualifiers)
            }
            other => other,
        }
    }

    /// A place for a value: in registers, or in local memory if it holds arrays.
    pub(super) fn temporary(&mut self, at: Pos, ty: &Type) -> Result<Lvalue> {
        match ty {
            Type::Struct(of) if of.is_in_memory() => {
                let number = self.local.len() as u32;
                self.local(at, ("value", number), ty.clone())
            }
            _ => Ok(self.variable(ty)),
        }
    }

    pub(super) fn load_structure(
        &mut self,
        at: Pos,
        of: &Rc<Struct>,
        place: &Lvalue,
    ) -> Result<Value> {
        if of.is_in_memory() && of.bytes > MOST_COPIED {
            let told = format!("a `{}` of {} bytes as a value", of.name, of.bytes);
            return Err(Error::outside(at, &told).into());
        }
        let member = |index| self.load_whole(at, field(place, index));
        let parts = of.copied_members().map(member).collect::<Result<_>>()?;
        Ok(Value { ty: Type::Struct(Rc::clone(of)), held: Held::Parts(parts) })
    }

    /// The value of a member: of an array all elements.
    fn load_whole(&mut self, at: Pos, place: Lvalue) -> Result<Value> {
        let Type::Array(inner, count) = place.ty() else { return self.load(at, place) };
        let element = |index| self.load_whole(at, part(&place, &inner, index));
        let parts = (0..u64::from(count)).map(element).collect::<Result<_>>()?;
        Ok(Value { ty: place.ty(), held: Held::Parts(parts) })
    }

    fn store_whole(&mut self, at: Pos, place: Lvalue, value: Value) -> Result<()> {
        let (Type::Array(inner, _), Held::Parts(parts)) = (place.ty(), &value.held) else {
            return self.store(at, place, value).map(drop);
        };
        parts.iter().zip(0..).try_for_each(|(one, index)| {
            self.store_whole(at, part(&place, &inner, index), one.clone())
        })
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
        for (index, part) in of.copied_members().zip(&parts) {
            self.is_kept(part)?;
            self.store_whole(at, field(place, index), part.clone())?;
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

pub(super) fn registers(place: &Lvalue, all: &mut Vec<Reg>) {
    match place {
        Lvalue::Register(_, register) => all.push(*register),
        Lvalue::Parts(_, parts) => all.extend(parts),
        Lvalue::Fields(_, fields) => fields.iter().for_each(|field| registers(field, all)),
        Lvalue::Half(of, ..) => registers(of, all),
        Lvalue::InArray(..) | Lvalue::Memory(_) => {}
    }
}
