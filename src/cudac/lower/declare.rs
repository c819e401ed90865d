//! Declarations: where a variable lives, and its first value.

use super::location::{Lvalue, MemoryOperand};
use super::lowering::{Binding, Decisions, Lowering, RegisterArray};
use super::stop::{Result, Stop};
use super::value::{Held, RegClass, Value};
use crate::ast::{Declaration, Expr, Init, Module, Owner};
use crate::at::Pos;
use crate::compiled::{CompileOptions, SharedArray};
use crate::error::Error;
use crate::types::{Qualifiers, Scalar, Space, Type};
use std::collections::HashMap;

const LARGEST: u64 = 1 << 20;

/// The most bytes of local memory of a thread (CUDA C++ Programming Guide, "Compute Capabilities").
const MOST_LOCAL: u64 = 512 << 10;

/// The most bytes of shared memory of a block: those of compute capability 9.0.
const MOST_SHARED: u64 = 227 << 10;

/// The most numbers of an array in registers.
const MOST_REGISTERS: u64 = 4096;

/// The bytes of a variable in global or constant memory, and its first values, if it has some.
///
/// # Errors
/// Its size is not constant, or its values are not.
pub(super) fn global_bytes(
    module: &Module,
    one: &Declaration,
    options: &CompileOptions,
) -> std::result::Result<(u64, Option<Vec<u8>>), Error> {
    let decisions = Decisions::default();
    let mut lowering = Lowering::new(module, options, &decisions);
    let in_memory = |other: &&Declaration| !is_of_module(other);
    let globals = module.globals.iter().filter(in_memory);
    let sized = globals.into_iter().try_for_each(|other| lowering.global(other));
    let made = sized.and_then(|()| lowering.sized(one)).and_then(|ty| {
        let bytes = one.init.as_ref().map(|init| {
            let mut bytes = vec![0; ty.bytes() as usize];
            lowering.first_values(one, &ty, init, &mut bytes).map(|()| bytes)
        });
        Ok((ty.bytes(), bytes.transpose()?))
    });
    made.map_err(|stop| match stop {
        Stop::Error(error) => *error,
        Stop::Again { .. } | Stop::Generic | Stop::Instance(_) => {
            Error::outside(one.at, "this array")
        }
    })
}

/// Whether it is in the module's memory.
fn is_of_module(one: &Declaration) -> bool {
    matches!(one.storage.owner, Owner::Module | Owner::Constant)
}

impl<'a> Lowering<'a> {
    /// A constant, or a variable in global or shared memory, outside functions.
    pub(super) fn global(&mut self, one: &'a Declaration) -> Result<()> {
        let space = match one.storage.owner {
            Owner::Module => Space::Global,
            Owner::Constant => Space::Constant,
            Owner::Thread | Owner::Block => return self.declare(one),
        };
        let ty = self.sized(one)?;
        let place = self.in_memory(one, ty, space, &one.name)?;
        self.bind(&one.name, Binding::Place(place), one.at)
    }

    /// Writes the first values of a variable in the module's memory to its bytes.
    fn first_values(
        &mut self,
        one: &'a Declaration,
        ty: &Type,
        init: &'a Init,
        bytes: &mut [u8],
    ) -> Result<()> {
        let outside = || Error::outside(one.at, "such first values outside functions").into();
        match (init, ty) {
            (Init::List(all), Type::Array(inner, _)) => {
                let each = bytes.chunks_mut(inner.bytes().max(1) as usize);
                if all.len() > each.len() {
                    return Err(Error::at(one.at, "there are more values than elements").into());
                }
                each.zip(all)
                    .try_for_each(|(bytes, init)| self.first_values(one, inner, init, bytes))
            }
            (Init::Value(expr), Type::Function(_)) => {
                let value = self.value(expr)?;
                let value = self.converted(one.at, value, ty)?;
                let number = value.whole().ok_or_else(outside)?;
                bytes.copy_from_slice(&number.to_le_bytes());
                Ok(())
            }
            (Init::Value(expr), Type::Scalar(scalar)) => {
                let value = self.value(expr)?;
                let value = self.number(one.at, value, *scalar)?;
                let bits = match value.held {
                    Held::Int(value) => value as u64,
                    Held::Float(value) if *scalar == Scalar::F32 => (value as f32).to_bits().into(),
                    Held::Float(known) if scalar.is_half() => value.half_bits(known).into(),
                    Held::Float(value) => value.to_bits(),
                    _ => return Err(outside()),
                };
                bytes.copy_from_slice(&bits.to_le_bytes()[..bytes.len()]);
                Ok(())
            }
            _ => Err(outside()),
        }
    }

    pub(super) fn declare(&mut self, one: &'a Declaration) -> Result<()> {
        if one.storage.by_reference {
            return self.reference(one);
        }
        let ty = if one.storage.deduced { self.deduced(one)? } else { self.sized(one)? };
        if one.storage.owner == Owner::Block {
            return self.shared(one, ty);
        }
        if matches!(ty, Type::Array(..)) {
            return self.array(one, ty);
        }
        if ty == Type::Void {
            return Err(Error::at(one.at, "a variable cannot be void").into());
        }
        if let Type::Struct(of) = &ty {
            return self.structure(one, of);
        }
        let value = match &one.init {
            None => None,
            Some(Init::Value(expr)) => Some(self.value(expr)?),
            Some(Init::List(all)) => Some(self.in_braces(one, &ty, all)?),
        };
        let Some(value) = value else {
            if one.storage.qualifiers.constant {
                let told = format!("`{}` is const and has no value", one.name);
                return Err(Error::at(one.at, told).into());
            }
            // Until it is set it holds what its register held before.
            let ty = self.roaming(ty);
            let place = self.own_variable(one.at, (&one.name, one.id), &ty)?;
            return self.bind(&one.name, Binding::Place(place), one.at);
        };
        let value = self.implicit(one.at, value, &ty)?;
        let changes = self.changed.last().is_some_and(|changed| changed.contains(&one.name));
        if value.is_constant() && !changes {
            return self.bind(&one.name, Binding::Constant(value), one.at);
        }
        let ty = if changes { self.roaming(value.ty.clone()) } else { value.ty.clone() };
        let place = self.own_variable(one.at, (&one.name, one.id), &ty)?;
        self.store(one.at, place.clone(), value)?;
        self.bind(&one.name, Binding::Place(place), one.at)
    }

    /// `{x, y}` of a vector, or `{x}` of one number; zeros are added.
    pub(super) fn in_braces(
        &mut self,
        one: &Declaration,
        ty: &Type,
        all: &'a [Init],
    ) -> Result<Value> {
        let (scalar, count) = match ty {
            Type::Vector(scalar, count) => (Some(*scalar), *count as usize),
            _ => (None, 1),
        };
        if all.len() > count {
            return Err(Error::at(one.at, "there are more values than elements").into());
        }
        let mut parts = Vec::new();
        for init in all {
            let Init::Value(expr) = init else {
                return Err(Error::at(one.at, "these braces hold more than one value").into());
            };
            let value = self.value(expr)?;
            parts.push(match scalar {
                Some(scalar) => self.number(one.at, value, scalar)?,
                None => value,
            });
        }
        let Some(scalar) = scalar else { return Ok(parts.pop().unwrap_or_else(|| zero(ty))) };
        parts.resize(count, Value::int(0, scalar));
        Ok(Value { ty: ty.clone(), held: Held::Parts(parts) })
    }

    /// `{a, b}` as a value of a type.
    pub(super) fn listed(&mut self, at: Pos, ty: &Type, all: &'a [Expr]) -> Result<Value> {
        if matches!(ty, Type::Struct(_)) {
            return self.constructed(at, ty, all);
        }
        let (scalar, count) = match ty {
            Type::Vector(scalar, count) => (*scalar, *count as usize),
            Type::Scalar(scalar) => (*scalar, 1),
            other => return Err(Error::outside(at, &format!("braces for a `{other}`")).into()),
        };
        if all.len() > count {
            return Err(Error::at(at, "there are more values than elements").into());
        }
        let mut parts = Vec::new();
        for expr in all {
            let value = self.value(expr)?;
            parts.push(self.number(at, value, scalar)?);
        }
        parts.resize(count, Value::int(0, scalar));
        match ty {
            Type::Vector(..) => Ok(Value { ty: ty.clone(), held: Held::Parts(parts) }),
            _ => Ok(parts.remove(0)),
        }
    }

    /// The type of `auto x = ...`.
    fn deduced(&mut self, one: &'a Declaration) -> Result<Type> {
        let value = one
            .init
            .as_ref()
            .filter(|_| one.sides.is_empty() && one.storage.owner == Owner::Thread);
        let Some(Init::Value(expr)) = value else {
            return Err(Error::outside(one.at, "`auto` without one first value").into());
        };
        let ty = self.type_of(expr)?;
        self.exact(expr, &ty)?;
        let is_pointer = matches!(ty, Type::Pointer(_));
        if matches!(one.ty, Type::Pointer(_)) && !is_pointer {
            let told = format!("a value of the type `{ty}` is no address");
            return Err(Error::at(expr.at, told).into());
        }
        Ok(ty)
    }

    fn sized(&mut self, one: &'a Declaration) -> Result<Type> {
        let mut ty = one.ty.clone();
        for side in one.sides.iter().rev() {
            let count = match side {
                None => match &one.init {
                    Some(Init::List(all)) => all.len() as u32,
                    _ => 0,
                },
                Some(expr) => {
                    let what = format!("the size of `{}`", one.name);
                    let count = self.constant(expr, &what)?;
                    if count < 1 {
                        let told = format!("{what} is {count}: it must be at least 1");
                        return Err(Error::at(expr.at, told).into());
                    }
                    u32::try_from(count).unwrap_or(u32::MAX)
                }
            };
            ty = Type::Array(Box::new(ty), count);
        }
        if ty.bytes() > LARGEST {
            let told = format!(
                "`{}` takes {} bytes, and an array may have {LARGEST}",
                one.name,
                ty.bytes()
            );
            return Err(Error::at(one.at, told).into());
        }
        if ty.bytes() == 0
            && !one.sides.is_empty()
            && !(one.storage.external && one.storage.owner == Owner::Block)
        {
            let told = format!("the size of `{}` is missing", one.name);
            let hint = "only `extern __shared__` arrays get their size from the launch";
            return Err(Error::at(one.at, told).hint(hint).into());
        }
        Ok(ty)
    }

    fn shared(&mut self, one: &'a Declaration, ty: Type) -> Result<()> {
        if one.init.is_some() {
            let told = "shared memory has no first value";
            return Err(Error::at(one.at, told)
                .hint("let the threads store it, then a barrier")
                .into());
        }
        let taken = |name: &str| self.shared.iter().any(|array| array.symbol == name);
        // Dynamic shared memory is one, whatever it is called.
        let is_another = !one.storage.external && taken(&one.name);
        let symbol =
            if is_another { format!("{}_{}", one.name, one.id) } else { one.name.to_string() };
        let (shape, element) = ty.shape();
        let (name, line) = (one.name.to_string(), one.at.line);
        let element = element.bytes() as u32;
        // A loop that is written out declares its array again: it is the same.
        if !taken(&symbol) {
            let array = SharedArray { name, symbol: symbol.clone(), element, shape, line };
            self.shared.push(array);
            let bytes = |array: &SharedArray| {
                let sides = array.shape.iter().map(|side| u64::from(*side));
                (u64::from(array.element) * sides.product::<u64>()).next_multiple_of(16)
            };
            let needed = self.shared.iter().map(bytes).sum();
            fits((&one.name, one.at), needed, MOST_SHARED, "shared memory", "a block")?;
        }
        if one.storage.external && !self.external.contains(&symbol) {
            self.external.push(symbol.clone());
        }
        let place = self.in_memory(one, ty, Space::Shared, &symbol)?;
        self.bind(&one.name, Binding::Place(place), one.at)
    }

    /// The place of a variable outside functions or of the block.
    fn in_memory(
        &mut self,
        one: &Declaration,
        ty: Type,
        space: Space,
        symbol: &str,
    ) -> Result<Lvalue> {
        let qualifiers =
            Qualifiers { constant: space == Space::Constant, ..one.storage.qualifiers };
        self.at_symbol(one.at, (ty, qualifiers), space, symbol)
    }

    /// A place in memory by its symbol.
    fn at_symbol(
        &mut self,
        at: Pos,
        (ty, qualifiers): (Type, Qualifiers),
        space: Space,
        symbol: &str,
    ) -> Result<Lvalue> {
        // In 32 bits, as nvcc does in shared memory: ptxas joins the loads of neighbouring elements only
        // if their indices were not widened, each by itself.
        let (class, bits) =
            if space == Space::Shared { (RegClass::Word, 32) } else { (RegClass::Long, 64) };
        let base = self.code.register_of(class);
        self.code.emit(Some(at), format!("mov.u{bits} {base}, {symbol}"))?;
        Ok(Lvalue::Memory(MemoryOperand { ty, space, base, offset: 0, qualifiers }))
    }

    /// A variable in local memory.
    pub(super) fn local(&mut self, at: Pos, (name, id): (&str, u32), ty: Type) -> Result<Lvalue> {
        let symbol = format!("local_{name}_{id}");
        if !self.local.iter().any(|(name, _)| *name == symbol) {
            self.local.push((symbol.clone(), ty.bytes()));
            let needed = self.local.iter().map(|(_, bytes)| bytes.next_multiple_of(16)).sum();
            fits((name, at), needed, MOST_LOCAL, "local memory", "a thread")?;
        }
        self.at_symbol(at, (ty, Qualifiers::default()), Space::Local, &symbol)
    }

    /// A local array: in registers, unless an index is not constant.
    fn array(&mut self, one: &'a Declaration, ty: Type) -> Result<()> {
        let (_, element) = ty.shape();
        let scalar = match element {
            Type::Scalar(scalar) | Type::Vector(scalar, _) => Some(*scalar),
            Type::Struct(_) | Type::Pointer(_) | Type::Function(_) => None,
            other => return Err(Error::outside(one.at, &format!("an array of `{other}`")).into()),
        };
        let scalar = scalar.filter(|_| {
            !self.decisions.in_memory.contains(&one.id) && ty.numbers() <= MOST_REGISTERS
        });
        let place = if let Some(scalar) = scalar {
            let index = self.arrays.len();
            self.arrays.push(RegisterArray { id: one.id, scalar, registers: HashMap::new() });
            Lvalue::InArray(ty, index, 0)
        } else {
            self.local(one.at, (&one.name, one.id), ty)?
        };
        self.bind(&one.name, Binding::Place(place.clone()), one.at)?;
        match &one.init {
            None => Ok(()),
            Some(Init::List(all)) => self.fill(one, place, all),
            Some(Init::Value(expr)) => {
                Err(Error::at(expr.at, "the first values of an array stand in braces").into())
            }
        }
    }

    /// Stores the values in braces, and zeros after them.
    pub(super) fn fill(
        &mut self,
        one: &'a Declaration,
        place: Lvalue,
        all: &'a [Init],
    ) -> Result<()> {
        let Type::Array(inner, count) = place.ty() else {
            return self.fill_one(one, place, all.first());
        };
        let inside = |init: &Init| matches!(init, Init::Value(_));
        // `float sums[4][4] = {0.0f};` gives the first element; C++ puts the missing braces there.
        let is_elided =
            matches!(&*inner, Type::Array(..)) && all.len() == 1 && all.iter().all(inside);
        if is_elided {
            for index in 0..count {
                let given = if index == 0 { all } else { &[] };
                self.fill(one, part(&place, &inner, u64::from(index)), given)?;
            }
            return Ok(());
        }
        // `float4 sums[8] = {0};` gives the first number of the first vector.
        if let ([Init::Value(first)], Type::Vector(..)) = (all, &*inner)
            && matches!(self.type_of(first)?, Type::Scalar(_))
        {
            let value = self.in_braces(one, &inner, all)?;
            self.store(one.at, part(&place, &inner, 0), value)?;
            for index in 1..count {
                self.fill_one(one, part(&place, &inner, u64::from(index)), None)?;
            }
            return Ok(());
        }
        let mut given = all.iter();
        for index in 0..count {
            let part = part(&place, &inner, u64::from(index));
            let init = given.next();
            match (init, &*inner) {
                (Some(Init::List(all)), Type::Struct(of)) => {
                    self.fill_structure(one, &part, of, all)?;
                }
                (Some(Init::List(all)), Type::Vector(..)) => {
                    let value = self.in_braces(one, &inner, all)?;
                    self.store(one.at, part, value)?;
                }
                (Some(Init::List(all)), _) => self.fill(one, part, all)?,
                (None, Type::Struct(of)) => self.fill_structure(one, &part, of, &[])?,
                (None, Type::Array(..)) => self.fill(one, part, &[])?,
                (Some(Init::Value(expr)), Type::Array(..)) => {
                    return Err(Error::at(expr.at, "each row of values stands in braces").into());
                }
                (init, _) => self.fill_one(one, part, init)?,
            }
        }
        match given.next() {
            None => Ok(()),
            Some(_) => Err(Error::at(one.at, "there are more values than elements").into()),
        }
    }

    pub(super) fn fill_one(
        &mut self,
        one: &Declaration,
        place: Lvalue,
        init: Option<&'a Init>,
    ) -> Result<()> {
        let value = match init {
            Some(Init::Value(expr)) => self.value(expr)?,
            Some(Init::List(_)) => {
                return Err(Error::at(one.at, "these braces hold more than one value").into());
            }
            None => zero(&place.ty()),
        };
        self.store(one.at, place, value).map(drop)
    }
}

fn fits((name, at): (&str, Pos), needed: u64, most: u64, what: &str, whose: &str) -> Result<()> {
    if needed <= most {
        return Ok(());
    }
    let told = format!("with `{name}`, {whose} needs {needed} bytes of {what}, and has {most}");
    Err(Error::at(at, told).into())
}

pub(super) fn part(place: &Lvalue, inner: &Type, index: u64) -> Lvalue {
    match place {
        Lvalue::InArray(_, array, from) => {
            Lvalue::InArray(inner.clone(), *array, from + index * inner.numbers())
        }
        Lvalue::Memory(memory) => {
            let offset = memory.offset.wrapping_add((index * inner.bytes()) as i64);
            Lvalue::Memory(MemoryOperand { ty: inner.clone(), offset, ..memory.clone() })
        }
        Lvalue::Register(..) | Lvalue::Parts(..) | Lvalue::Fields(..) | Lvalue::Half(..) => {
            place.clone()
        }
    }
}

pub(super) fn zero(ty: &Type) -> Value {
    match ty {
        Type::Vector(scalar, count) => {
            let parts = vec![Value::int(0, *scalar); *count as usize];
            Value { ty: ty.clone(), held: Held::Parts(parts) }
        }
        Type::Scalar(scalar) => Value::int(0, *scalar),
        _ => Value::int(0, Scalar::I32),
    }
}
