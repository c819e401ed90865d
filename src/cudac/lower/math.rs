//! Functions of CUDA that are one instruction, and which function the name of an overloaded one means.

use super::lowering::Lowering;
use super::stop::Result;
use super::value::{Held, Reg, RegClass, Value};
use crate::ast::Expr;
use crate::at::Pos;
use crate::error::Error;
use crate::functions::{DIRECT, Direct, OVERLOADED, rounded};
use crate::types::Scalar::{F32, F64, I32, U16, U32, U64};
use crate::types::{Scalar, Space, Type};

impl<'a> Lowering<'a> {
    /// The name of the function that a call of an overloaded one means: that of `float` where no
    /// argument is a `double` or a whole number (C++, `<cmath>`).
    pub(super) fn overload(&mut self, name: &str, given: &'a [Expr]) -> Result<Option<String>> {
        let is_overloaded = OVERLOADED.contains(&name) || name == "abs";
        if !is_overloaded || given.is_empty() {
            return Ok(None);
        }
        let mut types = Vec::new();
        for one in given {
            types.push(self.type_of(one)?);
        }
        let is = |ty: &Type, wanted: Scalar| *ty == Type::Scalar(wanted);
        let is_float = types.iter().all(|ty| is(ty, F32));
        let is_double = types.iter().any(|ty| is(ty, F64));
        Ok(match name {
            "abs" => {
                (is_float || is_double).then(|| if is_float { "fabsf" } else { "fabs" }.to_owned())
            }
            "pow" if is(&types[0], F32) && types.get(1).is_some_and(|ty| is(ty, I32)) => {
                Some("__powif".to_owned())
            }
            _ => is_float.then(|| format!("{name}f")),
        })
    }

    /// A function of one instruction; `None` for another name.
    pub(super) fn direct(
        &mut self,
        at: Pos,
        name: &str,
        given: &'a [Expr],
    ) -> Result<Option<Value>> {
        let all: Vec<_> = DIRECT.iter().filter(|(own, ..)| *own == name).collect();
        let Some(first) = all.first() else { return Ok(None) };
        let values = given.iter().map(|one| self.value(one)).collect::<Result<Vec<_>>>()?;
        // Of several, the one of the type that is given.
        let takes = |one: &Scalar| all.iter().any(|(_, _, takes, _)| takes.first() == Some(one));
        let of = values.iter().find_map(|value| value.scalar().filter(takes));
        let fits = |(_, _, takes, _): &&&Direct| of == takes.first().copied();
        let (_, text, takes, gives) = match (all.iter().find(fits), of) {
            (Some(one), _) => one,
            // Several of one name are mostly those of the kinds of halves.
            (None, _) if all.len() > 1 && first.2[0].is_half() => {
                let ty = values.first().map_or(Type::Void, |one| one.ty.clone());
                let told = format!("`{name}` takes halves of one kind, and a `{ty}` is given");
                let hint = "convert it by __float2half(x) or __float2bfloat16(x)";
                return Err(Error::at(at, told).hint(hint).into());
            }
            (None, _) => first,
        };
        self.applied(at, name, (text, takes, *gives), values).map(Some)
    }

    /// A function whose name ends with a rounding; `None` for another name.
    pub(super) fn with_rounding(
        &mut self,
        at: Pos,
        name: &str,
        given: &'a [Expr],
    ) -> Result<Option<Value>> {
        let Some((text, takes, gives)) = rounded(name) else { return Ok(None) };
        let values = given.iter().map(|one| self.value(one)).collect::<Result<Vec<_>>>()?;
        self.applied(at, name, (&text, &takes, gives), values).map(Some)
    }

    /// An instruction of these values, which a function of this name takes as numbers of these types.
    fn applied(
        &mut self,
        at: Pos,
        name: &str,
        (text, takes, gives): (&str, &[Scalar], Scalar),
        mut values: Vec<Value>,
    ) -> Result<Value> {
        if values.len() != takes.len() {
            let (wanted, count) = (takes.len(), values.len());
            let told = format!("`{name}` takes {wanted} arguments, and {count} are given");
            return Err(Error::at(at, told).into());
        }
        for (value, scalar) in values.iter_mut().zip(takes) {
            *value = self.taken_as(at, name, value.clone(), *scalar)?;
        }
        if let (Some(known), [value]) = (known(name, &values), &*values)
            && value.is_constant()
        {
            return Ok(known);
        }
        // The first operand is in a register, and the second of a minimum may be a constant.
        let is_short = values.iter().any(|value| value.scalar().is_some_and(|one| one.bytes() < 4));
        let all_in_registers = is_short || text.starts_with("mov") || takes.len() == 1;
        for (index, value) in values.iter_mut().enumerate() {
            if index == 0 || all_in_registers {
                *value = self.in_register(at, value.clone())?;
            }
        }
        self.instruction(at, text, &values, gives)
    }

    pub(super) fn instruction(
        &mut self,
        at: Pos,
        text: &str,
        values: &[Value],
        gives: Scalar,
    ) -> Result<Value> {
        let ty = Type::Scalar(gives);
        let register = self.code.register(&ty);
        // A short whole number is in a word.
        let is_short = matches!(gives, U16) && text == "mov.b16";
        let mut operands = Vec::new();
        for value in values {
            operands.push(match value.scalar() {
                Some(U16) => self.short(at, value)?.to_string(),
                _ => value.to_string(),
            });
        }
        let operands = operands.join(", ");
        if is_short {
            let half = self.code.register_of(RegClass::Half);
            self.code.emit(Some(at), format!("{text} {half}, {operands}"))?;
            self.code.emit(Some(at), format!("cvt.u32.u16 {register}, {half}"))?;
        } else {
            self.code.emit(Some(at), format!("{text} {register}, {operands}"))?;
        }
        Ok(Value::in_register(ty, register))
    }

    /// A short whole number, which is in a word, in a register of 16 bits.
    pub(super) fn short(&mut self, at: Pos, value: &Value) -> Result<Reg> {
        let half = self.code.register_of(RegClass::Half);
        self.code.emit(Some(at), format!("cvt.u16.u32 {half}, {value}"))?;
        Ok(half)
    }

    /// Functions of some instructions on bits, and votes; `None` for another name.
    pub(super) fn of_bits(
        &mut self,
        at: Pos,
        name: &str,
        given: &'a [Expr],
    ) -> Result<Option<Value>> {
        Ok(Some(match name {
            "__float_as_int" | "__float_as_uint" | "__int_as_float" | "__uint_as_float" => {
                self.bits(at, name, given)?
            }
            "__double2loint" | "__double2hiint" => {
                let [value] = self.arguments(at, name, given)?;
                let value = self.number(at, value, F64)?;
                let value = self.in_register(at, value)?;
                let [low, high] = [(); 2].map(|()| self.code.register_of(RegClass::Word));
                self.code.emit(Some(at), format!("mov.b64 {{{low}, {high}}}, {value}"))?;
                Value::in_register(Type::INT, if name == "__double2loint" { low } else { high })
            }
            "__hiloint2double" => {
                let [high, low] = self.arguments(at, name, given)?;
                let (high, low) = (self.number(at, high, I32)?, self.number(at, low, I32)?);
                let (high, low) = (self.in_register(at, high)?, self.in_register(at, low)?);
                let ty = Type::Scalar(F64);
                let register = self.code.register(&ty);
                self.code.emit(Some(at), format!("mov.b64 {register}, {{{low}, {high}}}"))?;
                Value::in_register(ty, register)
            }
            "__ffs" | "__ffsll" => {
                // The place of the lowest bit, from 1; bfind of 0 is -1.
                let [value] = self.arguments(at, name, given)?;
                let (scalar, bits) = if name == "__ffs" { (U32, 32) } else { (U64, 64) };
                let value = self.number(at, value, scalar)?;
                let value = self.in_register(at, value)?;
                let negative = self.code.register(&Type::Scalar(scalar));
                self.code.emit(Some(at), format!("neg.s{bits} {negative}, {value}"))?;
                let lowest = self.code.register(&Type::Scalar(scalar));
                self.code.emit(Some(at), format!("and.b{bits} {lowest}, {value}, {negative}"))?;
                let place = self.instruction(
                    at,
                    &format!("bfind.u{bits}"),
                    &[Value::in_register(Type::Scalar(scalar), lowest)],
                    I32,
                )?;
                self.combined(at, "+", place, Value::int(1, I32))?
            }
            "__ballot_sync" | "__any_sync" | "__all_sync" => {
                let [mask, asked] = self.arguments(at, name, given)?;
                self.vote(at, name, mask, asked)?
            }
            "__reduce_add_sync" | "__reduce_min_sync" | "__reduce_max_sync"
            | "__reduce_and_sync" | "__reduce_or_sync" | "__reduce_xor_sync" => {
                let [mask, value] = self.arguments(at, name, given)?;
                self.reduced(at, name, mask, value)?
            }
            "__syncthreads_and" | "__syncthreads_or" | "__syncthreads_count" => {
                let [asked] = self.arguments(at, name, given)?;
                self.barrier_vote(at, name, asked)?
            }
            "__activemask" => {
                let [] = self.arguments(at, name, given)?;
                let register = self.code.register_of(RegClass::Word);
                self.code.emit(Some(at), format!("activemask.b32 {register}"))?;
                Value::in_register(Type::Scalar(U32), register)
            }
            "__cvta_generic_to_shared" | "__cvta_generic_to_global" => {
                let [pointer] = self.arguments(at, name, given)?;
                let ty = Type::Scalar(U64);
                let space = if name.ends_with("shared") { Space::Shared } else { Space::Global };
                match &pointer.ty {
                    Type::Pointer(to) if to.space == Some(space) => {
                        Value { ty, held: pointer.held }
                    }
                    _ => {
                        let told = "the address in one memory of what may lie elsewhere";
                        return Err(Error::outside(at, told).into());
                    }
                }
            }
            "__trap" => self.plain(at, given, "trap")?,
            _ => return Ok(None),
        }))
    }

    /// The values of the lanes of a mask as one (PTX ISA, "redux.sync").
    fn reduced(&mut self, at: Pos, name: &str, mask: Value, value: Value) -> Result<Value> {
        let how = name.trim_start_matches("__reduce_").trim_end_matches("_sync");
        let is_of_bits = matches!(how, "and" | "or" | "xor");
        let is_signed = value.scalar().is_some_and(Scalar::is_signed) && !is_of_bits;
        let ty = if is_signed { I32 } else { U32 };
        let (value, mask) = (self.number(at, value, ty)?, self.number(at, mask, U32)?);
        let value = self.in_register(at, value)?;
        let suffix = if is_of_bits { "b32" } else { ty.computed() };
        self.instruction(at, &format!("redux.sync.{how}.{suffix}"), &[value, mask], ty)
    }

    /// A barrier of the block that counts those of its threads for which something holds (PTX ISA,
    /// "bar.red").
    fn barrier_vote(&mut self, at: Pos, name: &str, asked: Value) -> Result<Value> {
        let asked = self.predicate(at, asked)?;
        let (how, ty) = match name {
            "__syncthreads_count" => ("popc.u32", Type::INT),
            "__syncthreads_and" => ("and.pred", Type::BOOL),
            _ => ("or.pred", Type::BOOL),
        };
        let register = self.code.register(&ty);
        self.code.emit(Some(at), format!("bar.red.{how} {register}, 0, {asked}"))?;
        self.number(at, Value::in_register(ty, register), I32)
    }

    /// A vote of the lanes of a mask (PTX ISA, "vote.sync").
    pub(super) fn vote(&mut self, at: Pos, name: &str, mask: Value, asked: Value) -> Result<Value> {
        let mask = self.number(at, mask, U32)?;
        let asked = self.predicate(at, asked)?;
        let (how, ty) = match name {
            "__ballot_sync" => ("ballot.b32", Type::Scalar(U32)),
            "__any_sync" => ("any.pred", Type::BOOL),
            _ => ("all.pred", Type::BOOL),
        };
        let register = self.code.register(&ty);
        let text = format!("vote.sync.{how} {register}, {asked}, {mask}");
        self.code.emit(Some(at), text)?;
        let value = Value::in_register(ty.clone(), register);
        if ty == Type::BOOL { self.number(at, value, I32) } else { Ok(value) }
    }
}

/// The value of some functions of a number that is known now.
fn known(name: &str, values: &[Value]) -> Option<Value> {
    let value = values.first()?;
    match (name, &value.held) {
        ("__longlong_as_double", Held::Int(bits)) => {
            Some(Value::float(f64::from_bits(*bits as u64), F64))
        }
        ("fabsf", Held::Float(known)) => Some(Value::float(known.abs(), F32)),
        ("fabs", Held::Float(known)) => Some(Value::float(known.abs(), F64)),
        _ => None,
    }
}
