//! Places that hold a value: registers, arrays in registers, memory.

use super::location::{Lvalue, MemoryOperand, member, place_at};
use super::lowering::{Binding, EnclosingLoop, Lowering};
use super::stop::{Result, Stop};
use super::value::{Held, Reg, RegClass, Value};
use crate::ast::{Expr, ExprKind};
use crate::at::Pos;
use crate::error::Error;
use crate::functions;
use crate::hint;
use crate::skipped::passed_over;
use crate::types::{Scalar, Type};

impl<'a> Lowering<'a> {
    pub(super) fn place(&mut self, expr: &'a Expr) -> Result<Lvalue> {
        self.deeper(expr.at, |lowering| lowering.any_place(expr))
    }

    fn any_place(&mut self, expr: &'a Expr) -> Result<Lvalue> {
        let at = expr.at;
        match &expr.kind {
            ExprKind::Name(name) => match self.find(name) {
                Some(Binding::Place(place)) => Ok(place.clone()),
                Some(Binding::Constant(_)) => {
                    Err(Error::at(at, format!("`{name}` is constant and cannot change")).into())
                }
                None => Err(self.unknown(name, at)),
            },
            ExprKind::Unary('*', inner) if matches!(&inner.kind, ExprKind::Name(name) if &**name == "this") => {
                self.place(inner)
            }
            ExprKind::Unary('*', inner) => self.pointed(at, inner),
            ExprKind::Index(of, index) => {
                let given = std::slice::from_ref(&**index);
                match self.place_by_method(at, of, "operator[]", given)? {
                    Some(place) => Ok(place),
                    None => self.element(at, of, index),
                }
            }
            ExprKind::Member(of, name) => {
                let place = self.place(of)?;
                member(place, name, at)
            }
            ExprKind::Method(of, name, given) => {
                let place = self.place_by_method(at, of, name, given)?;
                place.ok_or_else(|| self.no_place(expr))
            }
            ExprKind::Call(name, given) => {
                let place = self.place_by_call(at, name, given)?;
                place.ok_or_else(|| self.no_place(expr))
            }
            _ => Err(self.no_place(expr)),
        }
    }

    fn no_place(&self, expr: &Expr) -> Stop {
        let error = Error::at(expr.at, "nothing can be stored there")
            .hint("on the left of = stands a variable or an element of an array");
        let skipped = match &expr.kind {
            ExprKind::Call(name, _) => passed_over(&self.module.skipped, name),
            _ => None,
        };
        skipped.unwrap_or(error).into()
    }

    /// The error for a name that is not declared.
    pub(super) fn unknown(&self, name: &str, at: Pos) -> Stop {
        let declared = self.scopes.iter().flat_map(|scope| scope.keys().map(|name| &**name));
        let functions = self.module.functions.iter().map(|function| &*function.name);
        if let Some(error) = passed_over(&self.module.skipped, name) {
            return error.into();
        }
        if functions::is_elsewhere(name) {
            return Error::outside(at, &format!("the function `{name}`")).into();
        }
        if name.starts_with("__sync") || hint::is_function(name) {
            let told = format!("`{name}` is a function: it is not called here");
            return Error::at(at, told).hint(format!("write {name}()")).into();
        }
        hint::unknown(name, at, declared.chain(functions)).into()
    }

    /// `*inner`.
    fn pointed(&mut self, at: Pos, inner: &'a Expr) -> Result<Lvalue> {
        // `*(float4*)&x`: the place of x with another type.
        if let ExprKind::Cast(Type::Pointer(to), address) = &inner.kind
            && let ExprKind::Unary('&', whose) = &address.kind
        {
            let place = self.place(whose)?;
            return self.seen_as(at, place, &to.to);
        }
        let pointer = self.value(inner)?;
        let pointer = self.in_register(at, pointer)?;
        place_at(at, &pointer)
    }

    /// The same place, as another type.
    fn seen_as(&mut self, at: Pos, place: Lvalue, ty: &Type) -> Result<Lvalue> {
        match place {
            Lvalue::Memory(memory) => {
                Ok(Lvalue::Memory(MemoryOperand { ty: ty.clone(), ..memory }))
            }
            Lvalue::Half(of, ..) if matches!(*of, Lvalue::InArray(..)) => self.seen_as(at, *of, ty),
            Lvalue::InArray(_, array, from)
                if matches!(ty, Type::Vector(scalar, _) | Type::Scalar(scalar)
                            if *scalar == self.arrays[array].scalar) =>
            {
                Ok(Lvalue::InArray(ty.clone(), array, from))
            }
            Lvalue::InArray(_, array, _) => Err(self.to_memory(array)),
            place => Err(self.needs_address(at, &place)),
        }
    }

    /// Begins again with this array in memory.
    pub(super) fn to_memory(&self, array: usize) -> Stop {
        Stop::Again { array: self.arrays[array].id, loops: Vec::new() }
    }

    /// `of[index]`.
    fn element(&mut self, at: Pos, of: &'a Expr, index: &'a Expr) -> Result<Lvalue> {
        let names_place =
            matches!(of.kind, ExprKind::Name(_) | ExprKind::Index(..) | ExprKind::Member(..));
        let place = if names_place { Some(self.place(of)?) } else { None };
        match place {
            Some(Lvalue::InArray(Type::Array(inner, count), array, from)) => {
                let by = self.value(index)?;
                let Some(by) = by.whole() else { return Err(self.varying(array, index)) };
                if by < 0 || by >= i64::from(count) {
                    let told = format!("index {by} is outside an array of {count}");
                    return Err(Error::at(at, told).into());
                }
                let from = from + by as u64 * inner.numbers();
                Ok(Lvalue::InArray(*inner, array, from))
            }
            Some(Lvalue::Memory(MemoryOperand {
                ty: Type::Array(inner, count),
                space,
                base,
                offset,
                qualifiers,
            })) => {
                let (ty, part) = (*inner, part_of_array(of, count));
                let (base, offset) =
                    self.element_in_memory(at, (base, offset), &ty, index, part)?;
                Ok(Lvalue::Memory(MemoryOperand { ty, space, base, offset, qualifiers }))
            }
            other => {
                let pointer = match other {
                    Some(place) => self.load(at, place)?,
                    None => self.value(of)?,
                };
                if !matches!(pointer.ty, Type::Pointer(_)) {
                    return Err(no_elements(at, &pointer.ty, of));
                }
                let by = self.value(index)?;
                let pointer = self.moved(at, pointer, by)?;
                let pointer = self.in_register(at, pointer)?;
                place_at(at, &pointer)
            }
        }
    }

    /// The register and the bytes after it at which an element of an array lies: its constant index is
    /// part of the bytes, another one of the register.
    fn element_in_memory(
        &mut self,
        at: Pos,
        (base, offset): (Reg, i64),
        element: &Type,
        index: &'a Expr,
        part: Option<String>,
    ) -> Result<(Reg, i64)> {
        let bytes = element.bytes();
        let by = self.value(index)?;
        if let Some(by) = by.whole() {
            return Ok((base, offset.wrapping_add(by.wrapping_mul(bytes as i64))));
        }
        let moved = self.code.register_of(base.class);
        let text = if base.class == RegClass::Word {
            let by = self.scaled_in_a_word(at, by, bytes)?;
            format!("add.s32 {moved}, {base}, {by}")
        } else {
            let by = self.scaled(at, by, bytes)?;
            format!("add.s64 {moved}, {base}, {by}")
        };
        if let Some(part) = part {
            self.code.directive(&format!(".pragma \"index of {part}\";"));
        }
        self.code.emit(Some(at), text)?;
        Ok((moved, offset))
    }

    /// An index of an array in registers is not constant: the loops whose variables it names would
    /// make it so.
    fn varying(&self, array: usize, index: &Expr) -> Stop {
        let names = |around: &&EnclosingLoop| {
            around.variable.as_ref().is_some_and(|variable| index.names(variable))
        };
        let loops = self.around.iter().filter(names).map(|around| around.each.id).collect();
        Stop::Again { array: self.arrays[array].id, loops }
    }

    /// The register of a number of an array.
    fn array_register(&mut self, array: usize, index: u64) -> Reg {
        let scalar = Type::Scalar(self.arrays[array].scalar);
        if let Some(register) = self.arrays[array].registers.get(&index) {
            return *register;
        }
        let register = self.code.register(&scalar);
        self.arrays[array].registers.insert(index, register);
        self.given.push((array, index));
        register
    }

    /// The register of a variable that is one number.
    pub(super) fn own_register(&mut self, place: &Lvalue) -> Option<Reg> {
        match place {
            Lvalue::Register(_, register) => Some(*register),
            Lvalue::InArray(Type::Scalar(_), array, from) => {
                Some(self.array_register(*array, *from))
            }
            _ => None,
        }
    }

    /// The numbers of a place in registers.
    fn registers(&mut self, place: &Lvalue) -> Option<(Scalar, Vec<Reg>)> {
        match place {
            Lvalue::Parts(scalar, parts) => Some((*scalar, parts.clone())),
            Lvalue::InArray(Type::Vector(scalar, count), array, from) => {
                let each = |index| self.array_register(*array, from + u64::from(index));
                Some((*scalar, (0..*count).map(each).collect()))
            }
            Lvalue::Register(..)
            | Lvalue::InArray(..)
            | Lvalue::Fields(..)
            | Lvalue::Memory(_)
            | Lvalue::Half(..) => None,
        }
    }

    pub(super) fn load(&mut self, at: Pos, place: Lvalue) -> Result<Value> {
        if let Some((scalar, parts)) = self.registers(&place) {
            let ty = Type::Vector(scalar, parts.len() as u32);
            let value = |register| Value::in_register(Type::Scalar(scalar), register);
            return Ok(Value { ty, held: Held::Parts(parts.into_iter().map(value).collect()) });
        }
        if let Type::Struct(of) = place.ty() {
            return self.load_structure(at, &of, &place);
        }
        match place {
            Lvalue::Register(ty, register) => Ok(Value::in_register(ty, register)),
            Lvalue::InArray(ty @ Type::Scalar(_), array, from) => {
                Ok(Value::in_register(ty, self.array_register(array, from)))
            }
            Lvalue::InArray(_, array, _) => Err(self.to_memory(array)),
            Lvalue::Memory(memory) => self.load_memory(at, memory),
            Lvalue::Half(of, _, which) => self.part_of_pair(at, &of, which),
            Lvalue::Parts(..) | Lvalue::Fields(..) => Ok(Value::NOTHING),
        }
    }

    /// An address as a pointer, which has 64 bits.
    pub(super) fn pointer_to(&mut self, at: Pos, ty: Type, base: Reg) -> Result<Value> {
        if base.class != RegClass::Word {
            return Ok(Value::in_register(ty, base));
        }
        let register = self.code.register(&ty);
        self.code.emit(Some(at), format!("cvt.u64.u32 {register}, {base}"))?;
        Ok(Value::in_register(ty, register))
    }

    fn load_memory(&mut self, at: Pos, memory: MemoryOperand) -> Result<Value> {
        let (address, volatile, space) =
            (memory.address(), memory.volatile(), memory.space.suffix());
        match memory.ty {
            // An array is the address of its first element.
            Type::Array(inner, _) => {
                let ty = inner.pointer(Some(memory.space), memory.qualifiers);
                let base = self.pointer_to(at, ty, memory.base)?;
                if memory.offset == 0 {
                    return Ok(base);
                }
                let register = self.code.register(&base.ty);
                let text = format!("add.s64 {register}, {base}, {}", memory.offset);
                self.code.emit(Some(at), text)?;
                Ok(Value::in_register(base.ty, register))
            }
            Type::Scalar(Scalar::Bool) => {
                let word = self.code.register_of(RegClass::Word);
                self.code.emit(Some(at), format!("ld{volatile}{space}.u8 {word}, {address}"))?;
                self.number(at, Value::in_register(Type::INT, word), Scalar::Bool)
            }
            Type::Scalar(scalar) => {
                let register = self.code.register(&memory.ty);
                let name = scalar.stored();
                self.code
                    .emit(Some(at), format!("ld{volatile}{space}.{name} {register}, {address}"))?;
                Ok(Value::in_register(memory.ty, register))
            }
            Type::Vector(scalar, count @ (2 | 4)) => {
                let parts: Vec<_> = (0..count)
                    .map(|_| {
                        Value::in_register(
                            Type::Scalar(scalar),
                            self.code.register(&Type::Scalar(scalar)),
                        )
                    })
                    .collect();
                let value = Value { ty: memory.ty, held: Held::Parts(parts) };
                let name = scalar.stored();
                let text = format!("ld{volatile}{space}.v{count}.{name} {value}, {address}");
                self.code.emit(Some(at), text)?;
                Ok(value)
            }
            Type::Pointer(_) => self.load_pointer(at, &memory),
            Type::Function(_) => {
                let register = self.code.register(&memory.ty);
                self.code
                    .emit(Some(at), format!("ld{volatile}{space}.u64 {register}, {address}"))?;
                Ok(Value::in_register(memory.ty, register))
            }
            // Three numbers are no vector of PTX.
            Type::Vector(scalar, count) => {
                let part = |part: u32| {
                    let offset = memory.offset.wrapping_add(i64::from(part * scalar.bytes()));
                    let ty = Type::Scalar(scalar);
                    self.load_memory(at, MemoryOperand { ty, offset, ..memory.clone() })
                };
                let parts = (0..count).map(part).collect::<Result<_>>()?;
                Ok(Value { ty: memory.ty, held: Held::Parts(parts) })
            }
            Type::Struct(_) | Type::Void => {
                Err(Error::outside(at, &format!("a `{}` in memory", memory.ty)).into())
            }
        }
    }

    /// Writes a value to a place; returns it as the place holds it.
    pub(super) fn store(&mut self, at: Pos, place: Lvalue, value: Value) -> Result<Value> {
        let value = self.implicit(at, value, &place.ty())?;
        if let (Lvalue::Register(Type::Pointer(own), _), Type::Pointer(new)) = (&place, &value.ty) {
            match (own.space, new.space) {
                (Some(own), Some(new)) if own != new => return Err(Stop::Generic),
                // A member of a structure, from which it is taken as one into global memory.
                (None, _) => self.is_kept(&value)?,
                _ => {}
            }
        }
        if let Some((scalar, registers)) = self.registers(&place) {
            let Held::Parts(parts) = value.held else { return Ok(value) };
            return self.store_parts(at, scalar, &registers, parts);
        }
        if let Type::Struct(of) = place.ty() {
            return self.store_structure(at, &of, &place, value);
        }
        match place {
            Lvalue::Register(ty, register) => {
                self.set(at, class_name(&ty), register, &value)?;
                Ok(Value::in_register(ty, register))
            }
            Lvalue::InArray(ty @ Type::Scalar(_), array, from) => {
                let register = self.array_register(array, from);
                self.set(at, class_name(&ty), register, &value)?;
                Ok(Value::in_register(ty, register))
            }
            Lvalue::InArray(_, array, _) => Err(self.to_memory(array)),
            Lvalue::Memory(memory) => self.store_memory(at, &memory, value),
            Lvalue::Half(of, _, which) => self.store_half(at, &of, which, value),
            Lvalue::Parts(..) | Lvalue::Fields(..) => Ok(value),
        }
    }

    /// Copies the parts of a vector to its registers.
    fn store_parts(
        &mut self,
        at: Pos,
        scalar: Scalar,
        registers: &[Reg],
        mut parts: Vec<Value>,
    ) -> Result<Value> {
        let ty = Type::Scalar(scalar);
        // `v = make_float2(v.y, v.x)` reads the old `v.x` after the new one is written.
        for (index, part) in parts.iter_mut().enumerate() {
            if matches!(part.held, Held::Reg(old) if registers[..index].contains(&old)) {
                let copy = self.code.register(&ty);
                self.set(at, scalar.moved(), copy, part)?;
                *part = Value::in_register(ty.clone(), copy);
            }
        }
        for (register, part) in registers.iter().zip(&parts) {
            self.set(at, scalar.moved(), *register, part)?;
        }
        let held = registers.iter().map(|register| Value::in_register(ty.clone(), *register));
        let ty = Type::Vector(scalar, registers.len() as u32);
        Ok(Value { ty, held: Held::Parts(held.collect()) })
    }

    fn set(&mut self, at: Pos, name: &str, register: Reg, value: &Value) -> Result<()> {
        let text = match value.held {
            Held::Reg(same) if same == register => return Ok(()),
            Held::Int(_) if register.class == RegClass::Predicate => {
                format!("setp.ne.s32 {register}, {value}, 0")
            }
            _ => format!("mov.{name} {register}, {value}"),
        };
        self.code.emit(Some(at), text)
    }

    fn store_memory(&mut self, at: Pos, memory: &MemoryOperand, value: Value) -> Result<Value> {
        if memory.qualifiers.constant {
            return Err(Error::at(at, "this points at `const` memory, which is only read")
                .hint("store to another array, or leave out `const` where it is declared")
                .into());
        }
        let (address, volatile, space) =
            (memory.address(), memory.volatile(), memory.space.suffix());
        match &memory.ty {
            Type::Scalar(scalar) => {
                let stored = if *scalar == Scalar::Bool {
                    let word = self.number(at, value.clone(), Scalar::I32)?;
                    self.in_register(at, word)?
                } else {
                    self.in_register(at, value.clone())?
                };
                let text = format!("st{volatile}{space}.{} {address}, {stored}", scalar.stored());
                self.code.emit(Some(at), text)?;
                Ok(if *scalar == Scalar::Bool { value } else { stored })
            }
            Type::Vector(scalar, count @ (2 | 4)) => {
                let Held::Parts(parts) = value.held else { return Ok(value) };
                let parts = parts.into_iter().map(|part| self.in_register(at, part));
                let held = Held::Parts(parts.collect::<Result<_>>()?);
                let value = Value { ty: value.ty, held };
                let name = scalar.stored();
                let text = format!("st{volatile}{space}.v{count}.{name} {address}, {value}");
                self.code.emit(Some(at), text)?;
                Ok(value)
            }
            Type::Pointer(_) | Type::Function(_) => {
                self.is_kept(&value)?;
                let value =
                    if self.decisions.generic { self.generic_address(at, value)? } else { value };
                let value = self.in_register(at, value)?;
                let text = format!("st{volatile}{space}.u64 {address}, {value}");
                self.code.emit(Some(at), text)?;
                Ok(value)
            }
            Type::Vector(scalar, _) => {
                let Held::Parts(parts) = &value.held else { return Ok(value) };
                for (part, index) in parts.iter().zip(0..) {
                    let offset = memory.offset.wrapping_add(i64::from(scalar.bytes()) * index);
                    let ty = Type::Scalar(*scalar);
                    self.store_memory(
                        at,
                        &MemoryOperand { ty, offset, ..memory.clone() },
                        part.clone(),
                    )?;
                }
                Ok(value)
            }
            Type::Array(..) | Type::Struct(_) | Type::Void => {
                Err(Error::outside(at, &format!("a store of a `{}`", memory.ty)).into())
            }
        }
    }
}

/// The name of the type in a `mov`.
fn class_name(ty: &Type) -> &'static str {
    match ty {
        Type::Scalar(scalar) => scalar.moved(),
        Type::Pointer(_) | Type::Array(..) | Type::Function(_) => "u64",
        Type::Vector(..) | Type::Struct(_) | Type::Void => "b32",
    }
}

/// An array that is a row of another or a member of a structure: `row s[16]`. With it, who executes the
/// PTX can tell an index that leaves it from one that does not.
fn part_of_array(of: &Expr, count: u32) -> Option<String> {
    let kind = match of.kind {
        ExprKind::Index(..) => "row",
        ExprKind::Member(..) => "member",
        _ => return None,
    };
    let mut inner = of;
    while let ExprKind::Index(whole, _) = &inner.kind {
        inner = whole;
    }
    match &inner.kind {
        ExprKind::Name(name) | ExprKind::Member(_, name, ..) if count > 0 => {
            Some(format!("{kind} {name}[{count}]"))
        }
        _ => None,
    }
}

/// The error for an index of something that has no elements.
fn no_elements(at: Pos, ty: &Type, of: &Expr) -> Stop {
    let told = format!("a `{ty}` has no elements");
    let twice = matches!(of.kind, ExprKind::Index(..)) && matches!(ty, Type::Scalar(_));
    let error = Error::at(at, told);
    if twice {
        return error.hint("a pointer has one index: A[row * K + column]").into();
    }
    error.into()
}
