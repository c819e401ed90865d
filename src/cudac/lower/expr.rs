//! Expressions.

use super::convert::no_number;
use super::limits::limit;
use super::location::{self, Lvalue};
use super::lowering::{Binding, Lowering};
use super::stop::Result;
use super::value::{Held, RegClass, Value};
use crate::ast::{Expr, ExprKind, HostExpr};
use crate::at::Pos;
use crate::error::Error;
use crate::types::{Scalar, Struct, Type};
use std::rc::Rc;

/// The expressions of a kernel, also those that were computed to learn their type: some hundred
/// milliseconds.
const MOST_COMPUTED: usize = 1_000_000;

impl<'a> Lowering<'a> {
    pub(super) fn value(&mut self, expr: &'a Expr) -> Result<Value> {
        self.computed += 1;
        if self.computed > MOST_COMPUTED {
            return Err(
                Error::outside(expr.at, "an expression that takes this long to compile").into()
            );
        }
        self.deeper(expr.at, |lowering| lowering.any_value(expr))
    }

    fn any_value(&mut self, expr: &'a Expr) -> Result<Value> {
        let at = expr.at;
        match &expr.kind {
            ExprKind::Int(value, scalar) => Ok(Value::int(*value, *scalar)),
            ExprKind::Float(value, scalar) => Ok(Value::float(*value, *scalar)),
            ExprKind::List(_) => Err(Error::outside(at, "braces as a value here").into()),
            ExprKind::Text(_) => Err(Error::outside(at, "a text that is not printed").into()),
            ExprKind::Name(name) => self.named(at, name),
            ExprKind::Member(of, name) => self.member(at, of, name),
            ExprKind::Index(of, index)
                if matches!(self.type_if_structure(of)?, Type::Struct(_)) =>
            {
                self.method(at, of, "operator[]", std::slice::from_ref(&**index))
            }
            ExprKind::Index(..) => {
                let place = self.place(expr)?;
                self.load(at, place)
            }
            ExprKind::Call(name, arguments) => self.call(at, name, arguments),
            ExprKind::Method(of, name, arguments) => self.method(at, of, name, arguments),
            ExprKind::Construct(ty, arguments) => self.constructed(at, ty, arguments),
            ExprKind::Unary(operator, inner) => self.unary(expr, *operator, inner),
            ExprKind::Binary(operator, a, b) => self.binary(at, operator, a, b),
            ExprKind::Assign(operator, to, from) => self.assign(at, operator, to, from),
            ExprKind::Postfix(operator, of) => self.postfix(at, operator, of),
            ExprKind::Choice(condition, yes, no) => self.choice(at, [condition, yes, no]),
            ExprKind::Cast(ty, inner) => {
                let value = self.value(inner)?;
                if *ty == Type::Void {
                    return Ok(Value::NOTHING);
                }
                if let Some(value) = self.as_address(at, &value, ty)? {
                    return Ok(value);
                }
                self.converted(at, value, ty)
            }
            ExprKind::Comma(first, last) => {
                self.value(first)?;
                self.value(last)
            }
            ExprKind::Host(host) => match &**host {
                HostExpr::Apply(of, given) => {
                    let pointer = self.value(of)?;
                    self.through(at, &pointer, given)
                }
                HostExpr::SizeOf(of) => {
                    let ty = self.type_to_deduce(of)?;
                    Ok(Value::int(ty.bytes() as i64, Scalar::U64))
                }
                _ => Err(Error::outside(at, "such code of the host").into()),
            },
        }
    }

    fn named(&mut self, at: Pos, name: &str) -> Result<Value> {
        match self.find(name).cloned() {
            Some(Binding::Constant(value)) => Ok(value),
            Some(Binding::Place(place)) => self.load(at, place),
            None if name == "warpSize" => Ok(Value::int(32, Scalar::I32)),
            None if special(name).is_some() => {
                let told = format!("`{name}` has three members");
                Err(Error::at(at, told)
                    .hint(format!("write {name}.x, {name}.y or {name}.z"))
                    .into())
            }
            None => {
                let known = limit(name).or_else(|| self.function_called(name));
                known.ok_or_else(|| self.unknown(name, at))
            }
        }
    }

    fn member(&mut self, at: Pos, of: &'a Expr, name: &str) -> Result<Value> {
        if let ExprKind::Name(whose) = &of.kind
            && self.find(whose).is_none()
            && let Some(register) = special(whose)
        {
            if !["x", "y", "z"].contains(&name) {
                let told = format!("`{whose}` has no member `{name}`");
                return Err(Error::at(at, told).hint("its members are .x, .y and .z").into());
            }
            let ty = Type::Scalar(Scalar::U32);
            let word = self.code.register(&ty);
            self.code.emit(Some(at), format!("mov.u32 {word}, %{register}.{name}"))?;
            return Ok(Value::in_register(ty, word));
        }
        let is_place = matches!(
            of.kind,
            ExprKind::Name(_)
                | ExprKind::Index(..)
                | ExprKind::Member(..)
                | ExprKind::Unary('*', _)
        );
        if !is_place {
            let value = self.value(of)?;
            if let (Type::Struct(own), Held::Parts(parts)) = (&value.ty, &value.held) {
                let told = || Error::at(at, format!("`{}` has no member `{name}`", own.name));
                return Ok(value_of_member(own, parts, name).ok_or_else(told)?.clone());
            }
            if value.scalar().and_then(Scalar::half).is_some() {
                let index = location::index(name, 2, at)?;
                return Ok(self.halves(at, value)?[index].clone());
            }
            let (Type::Vector(_, count), Held::Parts(mut parts)) = (value.ty.clone(), value.held)
            else {
                return Err(Error::at(at, format!("a `{}` has no members", value.ty)).into());
            };
            let index = location::index(name, count, at)?;
            return Ok(parts.swap_remove(index));
        }
        let place = self.place(of)?;
        let is_pair = matches!(place.ty(), Type::Scalar(scalar) if scalar.half().is_some());
        if is_pair || matches!(place.ty(), Type::Struct(_)) {
            let place = location::member(place, name, at)?;
            return self.load(at, place);
        }
        let Type::Vector(_, count) = place.ty() else {
            let told = format!("a `{}` has no member `{name}`", place.ty());
            return Err(Error::at(at, told).into());
        };
        let index = location::index(name, count, at)?;
        if let Lvalue::Parts(scalar, parts) = place {
            return Ok(Value::in_register(Type::Scalar(scalar), parts[index]));
        }
        let value = self.load(at, place)?;
        match value.held {
            Held::Parts(mut parts) => Ok(parts.swap_remove(index)),
            _ => Ok(Value::NOTHING),
        }
    }

    fn unary(&mut self, expr: &'a Expr, operator: char, inner: &'a Expr) -> Result<Value> {
        let at = expr.at;
        match operator {
            '*' => {
                let is_function = matches!(inner.kind, ExprKind::Name(_))
                    && matches!(self.type_of(inner), Ok(Type::Function(_)));
                if is_function {
                    return self.value(inner);
                }
                let place = self.place(expr)?;
                return self.load(at, place);
            }
            '&' => {
                if let ExprKind::Name(name) = &inner.kind
                    && self.find(name).is_none()
                    && let Some(function) = self.function_called(name)
                {
                    return Ok(function);
                }
                let place = self.place(inner)?;
                return self.address_of(at, place);
            }
            _ => {}
        }
        let own = format!("operator{operator}");
        if let Type::Struct(of) = self.type_if_structure(inner)?
            && self.member_function(&of, &own, 0).is_some()
        {
            return self.method(at, inner, &own, &[]);
        }
        let value = self.value(inner)?;
        if let Some(value) = self.own_operator(at, &operator.to_string(), &[&value])? {
            return Ok(value);
        }
        let value = match value.ty {
            Type::Pointer(_) | Type::Function(_) if operator == '!' => {
                self.converted(at, value, &Type::BOOL)?
            }
            _ => value,
        };
        let Some(scalar) = value.scalar() else { return Err(no_number(at, &value)) };
        match operator {
            '+' => self.number(at, value, scalar.promoted()),
            '-' => self.negated(at, value),
            '~' => {
                let ones = Value::int(-1, scalar.promoted());
                self.combined(at, "^", value, ones)
            }
            _ => {
                let truth = self.converted(at, value, &Type::BOOL)?;
                if let Some(known) = truth.whole() {
                    return Ok(Value::int(i64::from(known == 0), Scalar::Bool));
                }
                let register = self.code.register(&Type::BOOL);
                self.code.emit(Some(at), format!("not.pred {register}, {truth}"))?;
                Ok(Value::in_register(Type::BOOL, register))
            }
        }
    }

    fn address_of(&mut self, at: Pos, place: Lvalue) -> Result<Value> {
        match place {
            Lvalue::Memory(memory) => {
                let ty = memory.ty.pointer(Some(memory.space), memory.qualifiers);
                let base = self.pointer_to(at, ty.clone(), memory.base)?;
                if memory.offset == 0 {
                    return Ok(base);
                }
                let register = self.code.register(&ty);
                self.code
                    .emit(Some(at), format!("add.s64 {register}, {base}, {}", memory.offset))?;
                Ok(Value::in_register(ty, register))
            }
            Lvalue::InArray(_, array, _) => Err(self.to_memory(array)),
            Lvalue::Half(of, ..) if matches!(*of, Lvalue::InArray(..)) => self.address_of(at, *of),
            place => Err(self.needs_address(at, &place)),
        }
    }

    fn binary(&mut self, at: Pos, operator: &str, a: &'a Expr, b: &'a Expr) -> Result<Value> {
        if matches!(operator, "&&" | "||") {
            return self.logic(at, operator == "&&", a, b);
        }
        if let Type::Struct(of) = self.type_if_structure(a)?
            && self.member_function(&of, &format!("operator{operator}"), 1).is_some()
        {
            return self.method(at, a, &format!("operator{operator}"), std::slice::from_ref(b));
        }
        let a = self.value(a)?;
        let b = self.value(b)?;
        self.combined(at, operator, a, b)
    }

    /// The type of an operand where the source has structures, which may have operators.
    pub(super) fn type_if_structure(&mut self, expr: &'a Expr) -> Result<Type> {
        let has_some = self.module.functions.iter().any(|function| function.owner.is_some());
        if has_some { self.type_of(expr) } else { Ok(Type::Void) }
    }

    fn logic(&mut self, at: Pos, and: bool, a: &'a Expr, b: &'a Expr) -> Result<Value> {
        let decides = |known: i64| (known == 0) == and;
        let a = self.value(a)?;
        let a = self.converted(at, a, &Type::BOOL)?;
        if let Some(known) = a.whole() {
            if decides(known) {
                return Ok(a);
            }
            let b = self.value(b)?;
            return self.converted(at, b, &Type::BOOL);
        }
        let register = self.code.register(&Type::BOOL);
        if b.is_plain() {
            let b = self.value(b)?;
            let b = self.converted(at, b, &Type::BOOL)?;
            if let Some(known) = b.whole() {
                return Ok(if decides(known) { b } else { a });
            }
            let name = if and { "and" } else { "or" };
            self.code.emit(Some(at), format!("{name}.pred {register}, {a}, {b}"))?;
            return Ok(Value::in_register(Type::BOOL, register));
        }
        // The right side is computed only by lanes for which the left one does not decide.
        let end = self.code.label();
        self.code.emit(Some(at), format!("mov.pred {register}, {a}"))?;
        let guard = if and { "!" } else { "" };
        self.code.emit(Some(at), format!("@{guard}{register} bra {end}"))?;
        let b = self.value(b)?;
        let b = self.predicate(at, b)?;
        self.code.emit(Some(at), format!("mov.pred {register}, {b}"))?;
        self.code.place(end);
        Ok(Value::in_register(Type::BOOL, register))
    }

    fn choice(&mut self, at: Pos, [condition, yes, no]: [&'a Expr; 3]) -> Result<Value> {
        let asked = self.value(condition)?;
        let asked = self.converted(at, asked, &Type::BOOL)?;
        if let Some(known) = asked.whole() {
            let ty = self.type_of_both(yes, no)?;
            let value = self.value(if known == 0 { no } else { yes })?;
            return self.converted(at, value, &ty);
        }
        let plain = yes.is_plain() && no.is_plain();
        if plain {
            let (yes, no) = (self.value(yes)?, self.value(no)?);
            if let Some(scalar) = yes.scalar().zip(no.scalar()).map(|(yes, no)| yes.common(no)) {
                let (yes, no) = (self.number(at, yes, scalar)?, self.number(at, no, scalar)?);
                let ty = Type::Scalar(scalar);
                let register = self.code.register(&ty);
                let name = if scalar.is_contracted() {
                    scalar.computed().to_owned()
                } else {
                    format!("b{}", 8 * scalar.bytes())
                };
                self.code
                    .emit(Some(at), format!("selp.{name} {register}, {yes}, {no}, {asked}"))?;
                return Ok(Value::in_register(ty, register));
            }
            let ty = self.roaming(if yes.is_constant() { no.ty.clone() } else { yes.ty.clone() });
            let place = self.variable(&ty);
            return self.chosen(at, &asked, place, |_| Ok(yes), |_| Ok(no));
        }
        let ty = self.type_of_both(yes, no)?;
        let ty = self.roaming(ty);
        let place = self.variable(&ty);
        self.chosen(
            at,
            &asked,
            place,
            |lowering| lowering.value(yes),
            |lowering| lowering.value(no),
        )
    }

    /// Lanes go one way or the other, and both put their value in a place.
    fn chosen(
        &mut self,
        at: Pos,
        asked: &Value,
        place: Lvalue,
        yes: impl FnOnce(&mut Self) -> Result<Value>,
        no: impl FnOnce(&mut Self) -> Result<Value>,
    ) -> Result<Value> {
        let (otherwise, end) = (self.code.label(), self.code.label());
        self.code.emit(Some(at), format!("@!{asked} bra {otherwise}"))?;
        let value = yes(self)?;
        self.store(at, place.clone(), value)?;
        self.code.emit(Some(at), format!("bra {end}"))?;
        self.code.place(otherwise);
        let value = no(self)?;
        self.store(at, place.clone(), value)?;
        self.code.place(end);
        self.load(at, place)
    }

    /// The type of two values of which one is taken.
    fn type_of_both(&mut self, yes: &'a Expr, no: &'a Expr) -> Result<Type> {
        Ok(match (self.type_of(yes)?, self.type_of(no)?) {
            (Type::Scalar(yes), Type::Scalar(no)) => Type::Scalar(yes.common(no)),
            // The other one points at nothing.
            (Type::Pointer(yes), no @ Type::Pointer(_)) if yes.to == Type::Void => no,
            (yes, _) => yes,
        })
    }

    /// New registers for a variable of a type.
    pub(super) fn variable(&mut self, ty: &Type) -> Lvalue {
        match ty {
            Type::Vector(scalar, count) => {
                let parts = (0..*count).map(|_| self.code.register(&Type::Scalar(*scalar)));
                Lvalue::Parts(*scalar, parts.collect())
            }
            Type::Struct(of) => {
                let members = of.members.iter().map(|member| {
                    let ty = self.roaming(self.complete(member.ty.clone()));
                    self.variable(&ty)
                });
                Lvalue::Fields(Rc::clone(of), members.collect())
            }
            _ => Lvalue::Register(ty.clone(), self.code.register(ty)),
        }
    }

    fn assign(&mut self, at: Pos, operator: &str, to: &'a Expr, from: &'a Expr) -> Result<Value> {
        if operator.is_empty() {
            if let ExprKind::List(all) = &from.kind {
                let place = self.place(to)?;
                let value = self.listed(at, &place.ty(), all)?;
                return self.store(at, place, value);
            }
            let value = self.value(from)?;
            let value = self.settled(at, value, to)?;
            self.points(to, &value);
            let place = self.place(to)?;
            return self.store(at, place, value);
        }
        // The right side is first where one side may change what the other reads (C++17).
        let first = if to.changes() || from.changes() && !to.is_plain() {
            let value = self.value(from)?;
            Some(self.settled(at, value, to)?)
        } else {
            None
        };
        let place = self.place(to)?;
        let mut value = match first {
            Some(value) => value,
            None => self.value(from)?,
        };
        let own = format!("operator{operator}=");
        if self.method_on(&place, &own, 1).is_some() {
            return self.method_of(at, &place, &own, std::slice::from_ref(from));
        }
        if self.own_assignment(at, operator, &place, &value)? {
            return self.load(at, place);
        }
        let old = self.load(at, place.clone())?;
        if let Some(scalar) = old.scalar().filter(|scalar| scalar.is_half()) {
            value = self.number(at, value, scalar)?;
        }
        let value = self.combined(at, operator, old, value)?;
        self.store(at, place, value)
    }

    /// The value in registers of its own, if what is evaluated next may change those of a variable.
    fn settled(&mut self, at: Pos, value: Value, next: &'a Expr) -> Result<Value> {
        if !next.changes() || value.is_constant() || value.ty == Type::Void {
            return Ok(value);
        }
        let kept = self.variable(&value.ty);
        self.store(at, kept.clone(), value)?;
        self.load(at, kept)
    }

    /// A pointer that was declared without a value points, from its first one on, into that memory.
    fn points(&mut self, to: &Expr, value: &Value) {
        let (ExprKind::Name(name), Type::Pointer(new)) = (&to.kind, &value.ty) else { return };
        let found = self.scopes.iter_mut().rev().find_map(|scope| scope.get_mut(name));
        let Some(Binding::Place(Lvalue::Register(Type::Pointer(old), _))) = found else { return };
        if old.space.is_none() {
            old.space = new.space;
        }
    }

    fn postfix(&mut self, at: Pos, operator: &str, of: &'a Expr) -> Result<Value> {
        let place = self.place(of)?;
        let old = self.load(at, place.clone())?;
        // What it was before, for whoever uses it: the register itself changes.
        let kept = self.variable(&old.ty);
        self.store(at, kept.clone(), old.clone())?;
        let changed = self.combined(at, operator, old, Value::int(1, Scalar::I32))?;
        self.store(at, place, changed)?;
        self.load(at, kept)
    }

    /// The words of a value, for an instruction on bits.
    pub(super) fn word(&mut self, at: Pos, value: Value) -> Result<Value> {
        let value = self.in_register(at, value)?;
        if RegClass::of(&value.ty) != RegClass::Float {
            return Ok(value);
        }
        let word = self.code.register_of(RegClass::Word);
        self.code.emit(Some(at), format!("mov.b32 {word}, {value}"))?;
        Ok(Value::in_register(Type::Scalar(Scalar::U32), word))
    }

    /// The other way round: bits in a word, as a type of 32 bits.
    pub(super) fn out_of_word(
        &mut self,
        at: Pos,
        word: super::value::Reg,
        ty: &Type,
    ) -> Result<Value> {
        if RegClass::of(ty) != RegClass::Float {
            return Ok(Value::in_register(ty.clone(), word));
        }
        let register = self.code.register(ty);
        self.code.emit(Some(at), format!("mov.b32 {register}, {word}"))?;
        Ok(Value::in_register(ty.clone(), register))
    }
}

/// A member of a structure among the values of all.
fn value_of_member<'v>(of: &Struct, parts: &'v [Value], name: &str) -> Option<&'v Value> {
    let path = of.path_to(name)?;
    let (last, outer) = path.split_last()?;
    let inside = outer.iter().try_fold(parts, |parts, place| match &parts.get(*place)?.held {
        Held::Parts(inner) => Some(&**inner),
        _ => None,
    });
    inside?.get(*last)
}

fn special(name: &str) -> Option<&'static str> {
    Some(match name {
        "threadIdx" => "tid",
        "blockIdx" => "ctaid",
        "blockDim" => "ntid",
        "gridDim" => "nctaid",
        _ => return None,
    })
}
