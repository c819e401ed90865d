//! Calls: the device's own functions, and functions of the source, which are inlined.

use super::convert::{both_numbers, no_number};
use super::inline::InlineArgument;
use super::location::{Lvalue, place_at};
use super::lowering::{Binding, Lowering};
use super::stop::{Result, Stop};
use super::value::{Held, Reg, RegClass, Value};
use crate::ast::{Expr, Function, Prototype};
use crate::at::Pos;
use crate::error::Error;
use crate::functions;
use crate::hint;
use crate::library;
use crate::skipped::passed_over;
use crate::subset;
use crate::template::deduce;
use crate::types::{Scalar, Space, Type};
use std::rc::Rc;

impl<'a> Lowering<'a> {
    /// The arguments of a template with the values of the constants that they name.
    fn with_constants(&self, list: &str) -> String {
        let known = |word: &str| match self.find(word) {
            Some(Binding::Constant(value)) => value.whole().map(|value| value.to_string()),
            _ => None,
        };
        let words = list.split(' ').map(|word| {
            let (name, comma) = word.strip_suffix(',').map_or((word, ""), |name| (name, ","));
            known(name).unwrap_or_else(|| name.to_owned()) + comma
        });
        words.collect::<Vec<_>>().join(" ")
    }

    pub(super) fn call(&mut self, at: Pos, name: &str, given: &'a [Expr]) -> Result<Value> {
        let meant = if self.is_own(name) { None } else { self.overload(name, given)? };
        let name = meant.as_deref().unwrap_or(name);
        let is_template = deduce::find(&self.module.templates, name).is_some();
        if self.module.functions.iter().any(|function| &*function.name == name) {
            // Which of them C++ takes depends on more than is known here.
            if is_template && deduce::called(name).1.is_none() {
                let told = format!("`{name}`, a function and a template,");
                return Err(Error::outside(at, &told).into());
            }
            return self.inlined(at, name, given);
        }
        if is_template {
            return self.instance(at, name, given);
        }
        // A function object, or a member function of the same structure.
        match self.find(name).cloned() {
            Some(Binding::Place(place)) if matches!(place.ty(), Type::Struct(_)) => {
                return self.method_of(at, &place, "operator()", given);
            }
            Some(Binding::Place(place)) if matches!(place.ty(), Type::Function(_)) => {
                let pointer = self.load(at, place)?;
                return self.through(at, &pointer, given);
            }
            Some(Binding::Constant(pointer)) if matches!(pointer.ty, Type::Function(_)) => {
                return self.through(at, &pointer, given);
            }
            _ => {}
        }
        if let Some(Binding::Place(this)) = self.find("this").cloned()
            && self.method_on(&this, name, given.len()).is_some()
        {
            return self.method_of(at, &this, name, given);
        }
        match name {
            "__syncthreads" => self.plain(at, given, "bar.sync 0"),
            "__threadfence_block" => self.plain(at, given, "membar.cta"),
            "__threadfence" => self.plain(at, given, "membar.gl"),
            "__threadfence_system" => self.plain(at, given, "membar.sys"),
            "__syncwarp" => self.sync_warp(at, given),
            // All blocks of the grid run as one cluster.
            "__grid_barrier" => {
                self.code.directive(".pragma \"barrier of the grid\";");
                self.code.emit(Some(at), "barrier.cluster.arrive.aligned")?;
                self.plain(at, given, "barrier.cluster.wait.aligned")
            }
            "__ldg" | "__ldca" | "__ldcg" | "__ldcs" => {
                let [pointer] = self.arguments(at, name, given)?;
                let place = place_at(at, &pointer)?;
                self.load(at, place)
            }
            "min" | "max" | "umin" | "umax" => {
                self.extreme(at, name.trim_start_matches('u'), given)
            }
            "abs" | "labs" | "llabs" => self.magnitude(at, name, given),
            "__shfl_sync" | "__shfl_up_sync" | "__shfl_down_sync" | "__shfl_xor_sync" => {
                self.shuffle(at, name, given)
            }
            "printf" => self.printed(at, given),
            "memcpy" | "memmove" | "__builtin_memcpy" => self.copied(at, name, given),
            "memset" | "__builtin_memset" => self.filled(at, name, given),
            _ if name.starts_with("atomic") => self.atomic(at, name, given),
            _ => {
                if let Some(ty) = name.strip_prefix("make_").and_then(Type::vector) {
                    return self.made(at, ty, given);
                }
                if let Some(value) = self.direct(at, name, given)? {
                    return Ok(value);
                }
                if let Some(value) = self.of_bits(at, name, given)? {
                    return Ok(value);
                }
                if let Some(value) = self.of_halves(at, name, given)? {
                    return Ok(value);
                }
                if let Some(value) = self.with_rounding(at, name, given)? {
                    return Ok(value);
                }
                let module = self.module;
                match module.declared.iter().find(|one| *one.name == *name) {
                    Some(own) => self.unlinked(at, own, given),
                    None => Err(self.no_function(at, name)),
                }
            }
        }
    }

    /// A call of a function whose code is nowhere: nothing is passed to it, since who comes to it stops
    /// there.
    fn unlinked(&mut self, at: Pos, own: &Prototype, given: &'a [Expr]) -> Result<Value> {
        given.iter().try_for_each(|one| self.value(one).map(drop))?;
        self.unlinked.insert(own.name.to_string());
        self.code.emit(Some(at), format!("call.uni {}", own.name))?;
        if own.returns == Type::Void {
            return Ok(Value::NOTHING);
        }
        let place = self.temporary(at, &own.returns)?;
        self.load(at, place)
    }

    /// A function of the library, of these values.
    pub(super) fn called(&mut self, at: Pos, name: &str, given: &[&Value]) -> Result<Value> {
        let module = self.module;
        let found = module.functions.iter().find(|function| &*function.name == name);
        let Some(function) = found else { return Err(self.no_function(at, name)) };
        let given = given.iter().map(|value| InlineArgument::Value((*value).clone())).collect();
        self.inline_given(at, function, None, given)
    }

    /// Whether the source defines a function or a template of this name.
    fn is_own(&self, name: &str) -> bool {
        let mut functions = self.module.functions.iter().filter(|one| &*one.name == name);
        functions.any(|one| one.at.file != library::FILE)
            || deduce::find(&self.module.templates, name).is_some()
    }

    /// A call of a template of which not all arguments stand in `<>`: the others follow from the
    /// types of the call's.
    fn instance(&mut self, at: Pos, name: &str, given: &'a [Expr]) -> Result<Value> {
        let (plain, explicit) = deduce::called(name);
        let Some(template) = deduce::find(&self.module.templates, name) else {
            return Err(self.no_function(at, name));
        };
        if hint::is_function(plain) {
            let told = format!("`{plain}`, a template called like a function of CUDA,");
            return Err(Error::outside(at, &told).into());
        }
        let types = given.iter().map(|one| self.type_to_deduce(one)).collect::<Result<Vec<_>>>()?;
        let explicit = explicit.map(|list| self.with_constants(list));
        let instance = template.deduced(explicit.as_deref(), &types, at)?;
        if self.module.functions.iter().any(|function| *function.name == *instance) {
            return self.inlined(at, &instance, given);
        }
        Err(Stop::Instance(instance))
    }

    fn no_function(&self, at: Pos, name: &str) -> Stop {
        if let Some(error) = passed_over(&self.module.skipped, name) {
            return error.into();
        }
        let error = Error::outside(at, &format!("the function `{name}`"));
        if functions::is_elsewhere(name) {
            return error.into();
        }
        let functions = self.module.functions.iter().map(|function| &*function.name);
        let near = hint::unknown(name, at, functions);
        if near.hint.as_ref().is_some_and(|hint| hint.starts_with("did you mean")) {
            let told = format!("there is no function `{name}`");
            return Error { message: told, ..near }.into();
        }
        let hint = format!("if CUDA has it, {}", subset::ELSEWHERE);
        error.hint(hint).into()
    }

    /// The arguments; an error unless their number is right.
    pub(super) fn arguments<const N: usize>(
        &mut self,
        at: Pos,
        name: &str,
        given: &'a [Expr],
    ) -> Result<[Value; N]> {
        let count = given.len();
        let values =
            given.iter().map(|argument| self.value(argument)).collect::<Result<Vec<_>>>()?;
        let told = || format!("`{name}` takes {N} arguments, and {count} are given");
        values.try_into().ok().ok_or_else(|| Error::at(at, told()).into())
    }

    /// A function without arguments or a value: one instruction.
    pub(super) fn plain(&mut self, at: Pos, given: &[Expr], text: &str) -> Result<Value> {
        if !given.is_empty() {
            return Err(Error::at(at, "this function takes no arguments").into());
        }
        self.code.emit(Some(at), text)?;
        Ok(Value::NOTHING)
    }

    fn sync_warp(&mut self, at: Pos, given: &'a [Expr]) -> Result<Value> {
        let mask = match given {
            [] => Value::int(-1, Scalar::U32),
            [mask] => self.value(mask)?,
            _ => return Err(Error::at(at, "`__syncwarp` takes at most a mask").into()),
        };
        let mask = self.number(at, mask, Scalar::U32)?;
        self.code.emit(Some(at), format!("bar.warp.sync {mask}"))?;
        Ok(Value::NOTHING)
    }

    fn extreme(&mut self, at: Pos, how: &str, given: &'a [Expr]) -> Result<Value> {
        let [a, b] = self.arguments(at, how, given)?;
        let (left, right) = both_numbers(at, &a, &b)?;
        let scalar = left.common(right);
        if scalar.is_half() {
            let told = format!("`{how}` of a `{}` and a `{}`", a.ty, b.ty);
            return Err(Error::at(at, told).hint(format!("write __h{how}")).into());
        }
        let (a, b) = (self.number(at, a, scalar)?, self.number(at, b, scalar)?);
        if let (Some(x), Some(y)) = (a.whole(), b.whole()) {
            let less = if scalar == Scalar::U64 { (x as u64) < y as u64 } else { x < y };
            return Ok(if less == (how == "min") { a } else { b });
        }
        let a = self.in_register(at, a)?;
        let ty = Type::Scalar(scalar);
        let register = self.code.register(&ty);
        self.code.emit(Some(at), format!("{how}.{} {register}, {a}, {b}", scalar.computed()))?;
        Ok(Value::in_register(ty, register))
    }

    /// `abs` of a whole number.
    fn magnitude(&mut self, at: Pos, name: &str, given: &'a [Expr]) -> Result<Value> {
        let [value] = self.arguments(at, name, given)?;
        let Some(own) = value.scalar() else { return Err(no_number(at, &value)) };
        let scalar = own.promoted();
        let value = self.number(at, value, scalar)?;
        let value = self.in_register(at, value)?;
        let ty = Type::Scalar(scalar);
        let register = self.code.register(&ty);
        let text = format!("abs.{} {register}, {value}", scalar.computed().replace('u', "s"));
        self.code.emit(Some(at), text)?;
        Ok(Value::in_register(ty, register))
    }

    pub(super) fn bits(&mut self, at: Pos, name: &str, given: &'a [Expr]) -> Result<Value> {
        let [value] = self.arguments(at, name, given)?;
        let (from, to) = match name {
            "__float_as_int" => (Scalar::F32, Scalar::I32),
            "__float_as_uint" => (Scalar::F32, Scalar::U32),
            "__int_as_float" => (Scalar::I32, Scalar::F32),
            _ => (Scalar::U32, Scalar::F32),
        };
        let value = self.number(at, value, from)?;
        match value.held {
            Held::Int(known) if to == Scalar::F32 => {
                return Ok(Value::float(f32::from_bits(known as u32).into(), to));
            }
            Held::Float(known) => return Ok(Value::int((known as f32).to_bits().into(), to)),
            _ => {}
        }
        let word = self.word(at, value)?;
        let Held::Reg(word) = word.held else { return Ok(word) };
        self.out_of_word(at, word, &Type::Scalar(to))
    }

    /// `__shfl_sync(mask, value, lane, width)` and its kin (PTX ISA, "shfl.sync").
    fn shuffle(&mut self, at: Pos, name: &str, given: &'a [Expr]) -> Result<Value> {
        let values = given.iter().map(|one| self.value(one)).collect::<Result<Vec<_>>>()?;
        self.shuffled(at, name, &values)
    }

    /// Likewise, of values.
    pub(super) fn shuffled(&mut self, at: Pos, name: &str, values: &[Value]) -> Result<Value> {
        let ([mask, value, lane] | [mask, value, lane, _]) = values else {
            return Err(Error::at(at, format!("`{name}` takes a mask, a value and a lane")).into());
        };
        let ty = value.ty.clone();
        if !matches!(&ty, Type::Scalar(scalar) if *scalar != Scalar::Bool && scalar.bytes() > 1) {
            return Err(Error::outside(at, &format!("a shuffle of a `{ty}`")).into());
        }
        let width = values.get(3).map_or(Some(32), Value::whole);
        let Some(width) = width.filter(|width| [1, 2, 4, 8, 16, 32].contains(width)) else {
            let told = "the width of a shuffle is a constant power of two, up to 32";
            return Err(Error::at(at, told).into());
        };
        let (how, clamp) = match name {
            "__shfl_up_sync" => ("up", 0),
            "__shfl_down_sync" => ("down", 31),
            "__shfl_xor_sync" => ("bfly", 31),
            _ => ("idx", 31),
        };
        let segment = ((32 - width) << 8) | clamp;
        let mask = self.number(at, mask.clone(), Scalar::U32)?;
        let lane = self.number(at, lane.clone(), Scalar::U32)?;
        let value = self.in_register(at, value.clone())?;
        let shuffled = |lowering: &mut Self, word: &dyn std::fmt::Display| -> Result<Reg> {
            let result = lowering.code.register_of(RegClass::Word);
            let text = format!("shfl.sync.{how}.b32 {result}, {word}, {lane}, {segment}, {mask}");
            lowering.code.emit(Some(at), text)?;
            Ok(result)
        };
        match RegClass::of(&ty) {
            // The two words of a number of 64 bits.
            RegClass::Long | RegClass::Double => {
                let [low, high] = [(); 2].map(|()| self.code.register_of(RegClass::Word));
                self.code.emit(Some(at), format!("mov.b64 {{{low}, {high}}}, {value}"))?;
                let (low, high) = (shuffled(self, &low)?, shuffled(self, &high)?);
                let register = self.code.register(&ty);
                self.code.emit(Some(at), format!("mov.b64 {register}, {{{low}, {high}}}"))?;
                Ok(Value::in_register(ty, register))
            }
            RegClass::Half => {
                let word = self.code.register_of(RegClass::Word);
                self.code.emit(Some(at), format!("mov.b32 {word}, {{{value}, {value}}}"))?;
                let result = shuffled(self, &word)?;
                let [low, high] = [(); 2].map(|()| self.code.register_of(RegClass::Half));
                self.code.emit(Some(at), format!("mov.b32 {{{low}, {high}}}, {result}"))?;
                Ok(Value::in_register(ty, low))
            }
            _ => {
                let word = self.word(at, value)?;
                let result = shuffled(self, &word)?;
                self.out_of_word(at, result, &ty)
            }
        }
    }

    /// An atomic operation (PTX ISA, "atom").
    fn atomic(&mut self, at: Pos, name: &str, given: &'a [Expr]) -> Result<Value> {
        let (plain, scope) = match name.rsplit_once('_') {
            Some((plain, "block")) => (plain, ".relaxed.cta"),
            Some((plain, "system")) => (plain, ".relaxed.sys"),
            _ => (name, ""),
        };
        let operation = match plain {
            "atomicAdd" | "atomicSub" => "add",
            "atomicExch" => "exch",
            "atomicCAS" => "cas",
            "atomicMin" => "min",
            "atomicMax" => "max",
            "atomicInc" => "inc",
            "atomicDec" => "dec",
            "atomicAnd" => "and",
            "atomicOr" => "or",
            "atomicXor" => "xor",
            _ => return Err(self.no_function(at, name)),
        };
        let values = given.iter().map(|one| self.value(one)).collect::<Result<Vec<_>>>()?;
        let wanted = if operation == "cas" { 3 } else { 2 };
        let count = values.len();
        let Some((pointer, operands)) = values.split_first().filter(|_| count == wanted) else {
            let told = format!("`{name}` takes {wanted} arguments, and {count} are given");
            return Err(Error::at(at, told).into());
        };
        let place = place_at(at, pointer);
        let place = place.ok().ok_or_else(|| {
            Error::at(at, format!("the first argument of `{name}` is an address"))
                .hint("write & before the variable")
        })?;
        let (ty, space) = match &place {
            Lvalue::Memory(memory) => (memory.ty.clone(), memory.space),
            _ => return Ok(Value::NOTHING),
        };
        let Type::Scalar(scalar) = ty else {
            return Err(Error::outside(at, &format!("an atomic operation on a `{ty}`")).into());
        };
        if scalar.bytes() < 4
            || space == Space::Local
            || scalar.is_float() && !matches!(operation, "add" | "exch")
        {
            return Err(Error::outside(at, &format!("`{name}` on a `{ty}`")).into());
        }
        let mut parts = Vec::new();
        for operand in operands {
            let operand = if plain == "atomicSub" {
                self.negated(at, operand.clone())?
            } else {
                operand.clone()
            };
            let operand = self.number(at, operand, scalar)?;
            let operand = self.in_register(at, operand)?;
            let is_bits = matches!(operation, "exch" | "cas");
            parts.push(if is_bits { self.word(at, operand)? } else { operand });
        }
        let bits = 8 * scalar.bytes();
        let suffix = match operation {
            "exch" | "cas" | "and" | "or" | "xor" => format!("b{bits}"),
            "add" if scalar == Scalar::I64 => "u64".to_owned(),
            _ => scalar.computed().to_owned(),
        };
        let is_word = matches!(operation, "exch" | "cas") && scalar == Scalar::F32;
        let result =
            if is_word { self.code.register_of(RegClass::Word) } else { self.code.register(&ty) };
        let operands: Vec<_> = parts.iter().map(Value::to_string).collect();
        let (space, operands) = (space.suffix(), operands.join(", "));
        self.code.emit(
            Some(at),
            format!("atom{scope}{space}.{operation}.{suffix} {result}, [{pointer}], {operands}"),
        )?;
        if is_word { self.out_of_word(at, result, &ty) } else { Ok(Value::in_register(ty, result)) }
    }

    /// `make_float4(x, y, z, w)`.
    fn made(&mut self, at: Pos, ty: Type, given: &'a [Expr]) -> Result<Value> {
        let Type::Vector(scalar, count) = ty else { return Ok(Value::NOTHING) };
        if given.len() != count as usize {
            let told = format!("a `{ty}` has {count} parts, and {} are given", given.len());
            return Err(Error::at(at, told).into());
        }
        let mut parts = Vec::new();
        for one in given {
            let value = self.value(one)?;
            parts.push(self.number(at, value, scalar)?);
        }
        Ok(Value { ty, held: Held::Parts(parts) })
    }

    /// A function of the source: its body in place of the call.
    fn inlined(&mut self, at: Pos, name: &str, given: &'a [Expr]) -> Result<Value> {
        let module = self.module;
        let all: Vec<_> = module.functions.iter().filter(|one| &*one.name == name).collect();
        let function = match &*all {
            [] => return Err(self.no_function(at, name)),
            [one] => one,
            several => self.meant(at, several, given)?,
        };
        self.inline(at, function, None, given)
    }

    /// Which of several functions of one name a call means: the one whose parameters have the types of
    /// what is given.
    fn meant(
        &mut self,
        at: Pos,
        all: &[&'a Rc<Function>],
        given: &'a [Expr],
    ) -> Result<&'a Rc<Function>> {
        let types = given.iter().map(|one| self.type_to_deduce(one)).collect::<Result<Vec<_>>>()?;
        let takes = |function: &&&'a Rc<Function>| {
            let needed = function.parameters.iter().filter(|one| one.default.is_none()).count();
            (needed..=function.parameters.len()).contains(&given.len())
        };
        let is_exact = |function: &&&'a Rc<Function>| {
            function.parameters.iter().zip(&types).all(|(one, ty)| alike(&one.ty, ty))
        };
        let possible: Vec<_> = all.iter().filter(takes).collect();
        let exact: Vec<_> = possible.iter().copied().filter(is_exact).collect();
        match (&*possible, &*exact) {
            (_, [one]) | ([one], _) => Ok(one),
            _ => {
                let name = all.first().map_or("", |one| &*one.name);
                let told = format!("this call of `{name}`, of which there are several,");
                let hint = "give it arguments of exactly the types of one of them";
                Err(Error::outside(at, &told).hint(hint).into())
            }
        }
    }
}

/// Whether a value of one type is passed as the other without a conversion.
fn alike(parameter: &Type, given: &Type) -> bool {
    match (parameter, given) {
        (Type::Pointer(to), Type::Pointer(from)) => alike(&to.to, &from.to),
        (Type::Pointer(to), Type::Array(of, _)) => alike(&to.to, of),
        (parameter, given) => parameter == given,
    }
}
