//! Expressions: their values, and the places that they name.

use super::ByteState;
use super::interpreter::{Eval, Interpreter};
use super::memory::Variable;
use super::value::{Object, TemplateArgument, Value, binary, narrowed};
use crate::ast::{Expr, ExprKind, HostExpr};
use crate::types::{Scalar, Type};
use std::rc::Rc;

/// Something in memory.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub at: u64,
    pub ty: Type,
}

impl<'m> Interpreter<'m> {
    pub(super) fn eval(&mut self, expr: &'m Expr) -> Eval<Value> {
        self.step()?;
        Ok(match &expr.kind {
            ExprKind::Int(value, scalar) => Value::Int(*value, *scalar),
            ExprKind::Float(value, scalar) => Value::Float(*value, *scalar),
            ExprKind::Text(text) => Value::Text(text.clone()),
            ExprKind::Name(name) => self.named(name),
            ExprKind::Member(..) | ExprKind::Index(..) | ExprKind::Unary('*', _) => {
                return self.at_place(expr);
            }
            ExprKind::Unary('&', of) => match self.place(of)? {
                Some(place) => Value::Pointer(place.at, place.ty),
                None => match self.eval(of)? {
                    function @ Value::Function(..) => function,
                    _ => self.unknown("its address is not known"),
                },
            },
            ExprKind::Unary(operator, of) => {
                let value = self.eval(of)?;
                self.unary(*operator, value)
            }
            ExprKind::Binary(operator, left, right) => {
                return self.binary(operator, left, right);
            }
            ExprKind::Assign(operator, to, from) => {
                let value = self.eval(from)?;
                let Some(place) = self.place(to)? else { return Ok(value) };
                let value = if operator.is_empty() {
                    value
                } else {
                    let before = self.load(&place);
                    self.operate(operator, before, value)
                };
                self.store(place.at, &place.ty, value);
                self.load(&place)
            }
            ExprKind::Postfix(operator, of) => {
                let Some(place) = self.place(of)? else { return Ok(self.unknown("what it is")) };
                let before = self.load(&place);
                let after = self.operate(operator, before.clone(), Value::int(1));
                self.store(place.at, &place.ty, after);
                before
            }
            ExprKind::Choice(condition, yes, no) => {
                let value = self.eval(condition)?;
                match value.holds() {
                    Some(holds) => return self.eval(if holds { yes } else { no }),
                    None => value,
                }
            }
            ExprKind::Cast(ty, of) => {
                let value = self.eval(of)?;
                let ty = self.resolved(ty);
                self.converted(value, &ty)
            }
            ExprKind::Comma(first, last) => {
                self.eval(first)?;
                return self.eval(last);
            }
            ExprKind::List(all) => {
                let values = all.iter().map(|one| self.eval(one)).collect::<Eval<Vec<_>>>()?;
                Value::List(values)
            }
            ExprKind::Construct(ty, given) => {
                let values = given.iter().map(|one| self.eval(one)).collect::<Eval<Vec<_>>>()?;
                let ty = self.resolved(ty);
                return self.constructed(ty, values);
            }
            ExprKind::Call(name, given) => return self.called(name, Vec::new(), given),
            ExprKind::Method(of, name, given) => return self.method(of, name, given),
            ExprKind::Host(host) => return self.of_host(host),
        })
    }

    fn of_host(&mut self, host: &'m HostExpr) -> Eval<Value> {
        Ok(match host {
            HostExpr::Type(_) => Value::Nothing,
            HostExpr::Instance(name, list) => {
                let list = self.list(list)?;
                Value::Function(name.clone(), list)
            }
            HostExpr::Apply(of, given) => match &of.kind {
                ExprKind::Host(of) if matches!(**of, HostExpr::Instance(..)) => {
                    let HostExpr::Instance(name, list) = &**of else { return Ok(Value::Nothing) };
                    let list = self.list(list)?;
                    return self.called(name, list, given);
                }
                _ => {
                    let of = self.eval(of)?;
                    if let Value::Function(name, list) = of {
                        return self.called(&name, list, given);
                    }
                    for one in given {
                        self.eval(one)?;
                    }
                    self.unknown("what is called here is not known")
                }
            },
            HostExpr::Launch(kernel, shape, given) => return self.launched(kernel, shape, given),
            HostExpr::New(ty, count) => {
                let ty = self.resolved(ty);
                let count = match count {
                    Some(count) => self.eval(count)?.whole(),
                    None => Some(1),
                };
                match count.and_then(|count| u64::try_from(count).ok()) {
                    Some(count) => {
                        let bytes = count.saturating_mul(self.size(&ty));
                        let at = self.memory.add(super::memory::Side::Host, bytes);
                        Value::Pointer(at, ty)
                    }
                    None => self.unknown("how many elements `new` makes is not known"),
                }
            }
            HostExpr::SizeOf(of) => {
                let ty = match &of.kind {
                    ExprKind::Host(host) => match &**host {
                        HostExpr::Type(ty) => Some(self.resolved(ty)),
                        _ => None,
                    },
                    _ => match self.place(of)? {
                        Some(place) => Some(place.ty),
                        None => match &of.kind {
                            ExprKind::Name(name) => self.type_of(name),
                            _ => self.eval(of)?.ty(),
                        },
                    },
                };
                match ty.map(|ty| self.size(&ty)).filter(|bytes| *bytes > 0) {
                    Some(bytes) => Value::Int(bytes as i64, Scalar::U64),
                    None => self.unknown("the size of this type is not known"),
                }
            }
            HostExpr::Each(of) => {
                if let Some(place) = self.place(of)? {
                    let variable =
                        Variable { name: "".into(), at: place.at, ty: place.ty, is_own: false };
                    if let Some(Value::Pointer(at, _)) = self.behind(&variable) {
                        self.memory.forget_all(at, 0);
                    }
                }
                self.unknown("what this loop goes through is not followed")
            }
            HostExpr::Lambda(_) => self.unknown("a lambda that is not called by a name"),
            HostExpr::Unread => self.unknown("this cannot be read"),
        })
    }

    fn type_of(&self, name: &str) -> Option<Type> {
        let list = self.frames.last().map_or(&[][..], |frame| &frame.list);
        list.iter().find(|(own, _)| &**own == name).and_then(|(_, of)| match of {
            TemplateArgument::Type(ty) => Some(ty.clone()),
            _ => None,
        })
    }

    pub(super) fn list(&mut self, list: &'m [Expr]) -> Eval<Vec<TemplateArgument>> {
        list.iter()
            .map(|one| {
                if let ExprKind::Host(host) = &one.kind
                    && let HostExpr::Type(ty) = &**host
                {
                    let ty = self.resolved(ty);
                    if let Type::Struct(of) = &ty
                        && of.bytes == 0
                        && let Some(Value::Int(number, _)) = self.template_value(&of.name)
                    {
                        return Ok(TemplateArgument::Number(number));
                    }
                    return Ok(TemplateArgument::Type(ty));
                }
                if let ExprKind::Name(name) = &one.kind
                    && let Some(ty) = self.type_of(name)
                {
                    return Ok(TemplateArgument::Type(ty));
                }
                let value = self.eval(one)?.whole();
                Ok(value.map_or(TemplateArgument::Unknown, TemplateArgument::Number))
            })
            .collect()
    }

    fn template_value(&self, name: &str) -> Option<Value> {
        let list = self.frames.last().map_or(&[][..], |frame| &frame.list);
        list.iter().find(|(own, _)| &**own == name).and_then(|(_, of)| match of {
            TemplateArgument::Number(number) => Some(Value::int(*number)),
            _ => None,
        })
    }

    fn named(&mut self, name: &Rc<str>) -> Value {
        if let Some(variable) = self.variable(name) {
            let place = Place { at: variable.at, ty: variable.ty.clone() };
            return self.load(&place);
        }
        if let Some(value) = self.template_value(name) {
            return value;
        }
        match &**name {
            "nullptr" | "NULL" | "__null" => return Value::Pointer(0, Type::Void),
            "argc" => return Value::int(1),
            "FLT_EPSILON" => return Value::Float(f64::from(f32::EPSILON), Scalar::F32),
            "__LINE__" => return Value::int(self.line.into()),
            _ => {}
        }
        let is_function = self.module.kernels.iter().any(|one| one.name == *name)
            || self.module.functions.iter().any(|one| one.own.name == *name);
        if is_function {
            return Value::Function(name.clone(), Vec::new());
        }
        // A member of the structure whose function this is.
        if let Some(place) = self.of_this(name) {
            return self.load(&place);
        }
        self.unknown(format!("`{name}` is not known"))
    }

    /// The member of this name of the structure that `this` points to.
    fn of_this(&mut self, name: &str) -> Option<Place> {
        let this = self.variable("this")?.clone();
        let Value::Pointer(at, ty) = self.load(&Place { at: this.at, ty: this.ty }) else {
            return None;
        };
        member_of(&Place { at, ty }, name)
    }

    /// The pointer that a variable is, or to what it holds.
    pub(super) fn behind(&mut self, variable: &Variable) -> Option<Value> {
        match &variable.ty {
            Type::Pointer(_) => {
                Some(self.load(&Place { at: variable.at, ty: variable.ty.clone() }))
            }
            Type::Array(of, _) => Some(Value::Pointer(variable.at, (**of).clone())),
            Type::Struct(of) if of.place_of("of").is_some() => {
                let of = of.members[0].ty.clone();
                let pointer = of.clone().pointer(None, Default::default());
                Some(self.load(&Place { at: variable.at, ty: pointer }))
            }
            _ => None,
        }
    }

    fn at_place(&mut self, expr: &'m Expr) -> Eval<Value> {
        if let Some(place) = self.place(expr)? {
            return Ok(self.load(&place));
        }
        if let ExprKind::Member(of, name) = &expr.kind
            && let Value::Object(object) = self.eval(of)?
        {
            let at = self.memory.add(super::memory::Side::Host, object.bytes.len() as u64);
            self.memory.store(at, &object.bytes, &object.states);
            let place = member_of(&Place { at, ty: object.ty.clone() }, name);
            let value = place.map(|place| self.load(&place));
            self.memory.drop(at);
            if let Some(value) = value {
                return Ok(value);
            }
        }
        if let ExprKind::Unary('*', of) = &expr.kind
            && let function @ Value::Function(..) = self.eval(of)?
        {
            return Ok(function);
        }
        Ok(self.unknown("what stands here is not known"))
    }

    /// The place that an expression names, if that is known.
    pub(super) fn place(&mut self, expr: &'m Expr) -> Eval<Option<Place>> {
        Ok(match &expr.kind {
            ExprKind::Name(name) => match self.variable(name) {
                Some(variable) => Some(Place { at: variable.at, ty: variable.ty.clone() }),
                None => self.of_this(name),
            },
            ExprKind::Unary('*', of) => match self.eval(of)? {
                Value::Pointer(at, ty) if at != 0 => Some(Place { at, ty }),
                _ => None,
            },
            ExprKind::Index(of, index) => {
                let base = match self.place(of)? {
                    Some(place) => {
                        let variable =
                            Variable { name: "".into(), at: place.at, ty: place.ty, is_own: false };
                        self.behind(&variable)
                    }
                    None => Some(self.eval(of)?),
                };
                let index = self.eval(index)?.whole();
                match (base, index) {
                    (Some(Value::Pointer(at, ty)), Some(index)) if at != 0 => {
                        let bytes = self.size(&ty) as i64;
                        let at = at.wrapping_add_signed(index.wrapping_mul(bytes));
                        Some(Place { at, ty })
                    }
                    _ => None,
                }
            }
            ExprKind::Member(of, name) => self.place(of)?.and_then(|of| member_of(&of, name)),
            ExprKind::Assign(..) => {
                self.eval(expr)?;
                let ExprKind::Assign(_, to, _) = &expr.kind else { return Ok(None) };
                self.place(to)?
            }
            _ => None,
        })
    }

    pub(super) fn load(&mut self, place: &Place) -> Value {
        let bytes = self.size(&place.ty);
        if let Type::Array(of, _) = &place.ty {
            return Value::Pointer(place.at, (**of).clone());
        }
        let Some((bytes, states)) = self.memory.load(place.at, bytes) else {
            let is_device = self
                .memory
                .region(place.at)
                .is_some_and(|region| matches!(region.side, super::memory::Side::Device(_)));
            let why = if is_device {
                "the host reads memory of the device"
            } else {
                "what it reads is not known"
            };
            return self.unknown(why);
        };
        if let Type::Struct(_) | Type::Vector(..) = &place.ty {
            let (bytes, states) = (bytes.to_vec(), states.to_vec());
            return Value::Object(Box::new(Object { ty: place.ty.clone(), bytes, states }));
        }
        if states.iter().any(|state| *state != ByteState::Known) {
            let of_device = states.contains(&ByteState::OfDevice);
            let never = states.contains(&ByteState::NeverWritten);
            let reason = self.memory.region(place.at).map_or(0, |region| region.reason);
            return match (of_device, never) {
                (true, _) => self.unknown("a kernel has computed it"),
                (_, true) => self.unknown("it has no value yet"),
                _ => Value::Unknown(reason),
            };
        }
        let mut word = [0; 8];
        let length = bytes.len().min(8);
        word[..length].copy_from_slice(&bytes[..length]);
        let word = u64::from_le_bytes(word);
        match &place.ty {
            Type::Pointer(pointer) => Value::Pointer(word, pointer.to.clone()),
            Type::Scalar(Scalar::F32) => {
                Value::Float(f64::from(f32::from_bits(word as u32)), Scalar::F32)
            }
            Type::Scalar(Scalar::F64) => Value::Float(f64::from_bits(word), Scalar::F64),
            Type::Scalar(scalar) if !scalar.is_half() => {
                Value::Int(narrowed(word as i64, *scalar), *scalar)
            }
            _ => self.unknown("numbers of this type are not followed"),
        }
    }

    pub(super) fn store(&mut self, at: u64, ty: &Type, value: Value) {
        let bytes = self.size(ty);
        let known = |count: usize| vec![ByteState::Known; count];
        let is_list = matches!(value, Value::List(_));
        let value = if is_list { value } else { self.converted(value, ty) };
        match (value, ty) {
            (Value::Int(value, _), Type::Scalar(scalar)) => {
                let word = value.to_le_bytes();
                self.memory.store(
                    at,
                    &word[..scalar.bytes() as usize],
                    &known(scalar.bytes() as usize),
                );
            }
            (Value::Float(value, Scalar::F32), _) => {
                self.memory.store(at, &(value as f32).to_le_bytes(), &known(4));
            }
            (Value::Float(value, _), _) => self.memory.store(at, &value.to_le_bytes(), &known(8)),
            (Value::Pointer(value, _), _) => self.memory.store(at, &value.to_le_bytes(), &known(8)),
            (Value::Object(object), _) => self.memory.store(at, &object.bytes, &object.states),
            (Value::List(values), Type::Struct(of)) => {
                if of.place_of("of").is_some() {
                    self.make_vector(at, ty, Value::List(values));
                    return;
                }
                let members: Vec<_> =
                    of.members.iter().map(|one| (one.offset, one.ty.clone())).collect();
                for (value, (offset, ty)) in values.into_iter().zip(members) {
                    self.store(at + offset, &ty, value);
                }
            }
            (Value::List(values), Type::Vector(of, _)) => {
                let of = Type::Scalar(*of);
                for (place, value) in (0..).zip(values) {
                    self.store(at + place * of.bytes(), &of, value);
                }
            }
            (Value::List(mut values), _) if values.len() == 1 => {
                let value = values.remove(0);
                self.store(at, ty, value);
            }
            (value, _) => {
                let reason = value.reason().unwrap_or(0);
                self.memory.forget(at, bytes, reason);
            }
        }
    }

    /// A value as one of this type.
    pub(super) fn converted(&mut self, value: Value, ty: &Type) -> Value {
        match (value, ty) {
            (unknown @ Value::Unknown(_), _) => unknown,
            (Value::Int(0, _), Type::Pointer(pointer)) => Value::Pointer(0, pointer.to.clone()),
            (Value::Int(value, _), Type::Pointer(pointer)) => {
                Value::Pointer(value as u64, pointer.to.clone())
            }
            (Value::Pointer(at, of), Type::Pointer(pointer)) => {
                let to = if pointer.to == Type::Void { of } else { pointer.to.clone() };
                Value::Pointer(at, to)
            }
            (Value::Pointer(at, _), Type::Scalar(Scalar::Bool)) => Value::truth(at != 0),
            (Value::Pointer(at, _), Type::Scalar(scalar)) => Value::Int(at as i64, *scalar),
            (value @ (Value::Int(..) | Value::Float(..)), Type::Scalar(scalar)) => {
                if matches!(scalar, Scalar::F32 | Scalar::F64) {
                    let value = value.float().unwrap_or(0.0);
                    let value =
                        if *scalar == Scalar::F32 { f64::from(value as f32) } else { value };
                    return Value::Float(value, *scalar);
                }
                if scalar.is_half() {
                    return self.unknown("numbers of half precision are not followed");
                }
                if *scalar == Scalar::Bool {
                    return Value::truth(value.holds() == Some(true));
                }
                Value::Int(narrowed(value.whole().unwrap_or(0), *scalar), *scalar)
            }
            (value @ Value::Int(..), Type::Struct(of)) if &*of.name == "dim3" => {
                let one = Value::Int(1, Scalar::U32);
                let values = vec![value, one.clone(), one];
                self.object(ty.clone(), Value::List(values))
            }
            (value @ Value::List(_), Type::Struct(of)) if of.place_of("of").is_none() => {
                self.object(ty.clone(), value)
            }
            (value, _) => value,
        }
    }

    /// A structure of these values.
    fn object(&mut self, ty: Type, value: Value) -> Value {
        let at = self.memory.add(super::memory::Side::Host, self.size(&ty));
        let zeros = vec![0; self.size(&ty) as usize];
        self.memory.store(at, &zeros, &vec![ByteState::Known; zeros.len()]);
        if let (Type::Struct(of), Value::List(values)) = (&ty, &value)
            && &*of.name == "dim3"
        {
            let mut sides = values.clone();
            sides.resize(3, Value::Int(1, Scalar::U32));
            let sides = Value::List(sides);
            self.store(at, &ty, sides);
        } else {
            self.store(at, &ty, value);
        }
        let made = self.load(&Place { at, ty });
        self.memory.drop(at);
        made
    }

    fn constructed(&mut self, ty: Type, mut values: Vec<Value>) -> Eval<Value> {
        let Type::Struct(of) = &ty else {
            return Ok(match values.len() {
                1 => {
                    let value = values.remove(0);
                    self.converted(value, &ty)
                }
                _ => self.object(ty, Value::List(values)),
            });
        };
        if of.place_of("of").is_some() {
            let at = self.memory.add(super::memory::Side::Host, 24);
            let value = match (values.len(), values.pop()) {
                (1, Some(list @ Value::List(_))) => list,
                (1, Some(count)) => Value::List(vec![count, Value::Nothing]),
                (2, Some(value)) => {
                    let count = values.pop().unwrap_or(Value::Nothing);
                    Value::List(vec![count, value, Value::Nothing])
                }
                _ => Value::List(vec![Value::int(0), Value::Nothing]),
            };
            self.sized_vector(at, &ty, value);
            let made = self.load(&Place { at, ty });
            self.memory.drop(at);
            return Ok(made);
        }
        let name = format!("{0}::{0}", of.name);
        let given = values.len();
        let method = self
            .module
            .methods
            .iter()
            .find(|one| *one.name == name && one.parameters.len() == given);
        if let Some(method) = method {
            let at = self.memory.add(super::memory::Side::Host, self.size(&ty));
            self.call(method, Vec::new(), values, Some((at, ty.clone())))?;
            let made = self.load(&Place { at, ty });
            self.memory.drop(at);
            return Ok(made);
        }
        if given == 1 && matches!(&values[0], Value::Object(object) if object.ty == ty) {
            return Ok(values.remove(0));
        }
        if of.bytes == 0 {
            return Ok(self.unknown(format!("the type `{}` is not followed", of.name)));
        }
        Ok(self.object(ty, Value::List(values)))
    }

    fn unary(&mut self, operator: char, value: Value) -> Value {
        match (operator, &value) {
            ('!', _) => match value.holds() {
                Some(holds) => Value::truth(!holds),
                None => value,
            },
            ('-', Value::Int(of, scalar)) => {
                let scalar = scalar.promoted();
                Value::Int(narrowed(of.wrapping_neg(), scalar), scalar)
            }
            ('-', Value::Float(of, scalar)) => Value::Float(-of, *scalar),
            ('~', Value::Int(of, scalar)) => {
                let scalar = scalar.promoted();
                Value::Int(narrowed(!of, scalar), scalar)
            }
            ('+', _) | (_, Value::Unknown(_)) => value,
            _ => self.unknown("this operator is not followed here"),
        }
    }

    fn binary(&mut self, operator: &str, left: &'m Expr, right: &'m Expr) -> Eval<Value> {
        let a = self.eval(left)?;
        if matches!(operator, "&&" | "||") {
            let decides = operator == "||";
            return Ok(match a.holds() {
                Some(holds) if holds == decides => Value::truth(holds),
                Some(_) => {
                    let b = self.eval(right)?;
                    b.holds().map_or(b, Value::truth)
                }
                None => a,
            });
        }
        let b = self.eval(right)?;
        Ok(self.operate(operator, a, b))
    }

    pub(super) fn operate(&mut self, operator: &str, a: Value, b: Value) -> Value {
        if let Some(value) = binary(operator, &a, &b) {
            return value;
        }
        match (&a, &b) {
            (Value::Unknown(_), _) => a,
            (_, Value::Unknown(_)) => b,
            (Value::Pointer(at, ty), Value::Int(by, _)) if matches!(operator, "+" | "-") => {
                let by = by.wrapping_mul(self.size(ty) as i64);
                let by = if operator == "-" { by.wrapping_neg() } else { by };
                Value::Pointer(at.wrapping_add_signed(by), ty.clone())
            }
            (Value::Int(..), Value::Pointer(..)) if operator == "+" => self.operate("+", b, a),
            (Value::Pointer(one, ty), Value::Pointer(other, _)) => {
                let each = (self.size(ty) as i64).max(1);
                let apart = one.wrapping_sub(*other) as i64;
                match operator {
                    "-" => Value::Int(apart / each, Scalar::I64),
                    "==" => Value::truth(apart == 0),
                    "!=" => Value::truth(apart != 0),
                    "<" => Value::truth(one < other),
                    ">" => Value::truth(one > other),
                    _ => self.unknown("this operator is not followed for pointers"),
                }
            }
            (Value::Pointer(at, _), Value::Int(0, _)) if matches!(operator, "==" | "!=") => {
                Value::truth((*at == 0) == (operator == "=="))
            }
            _ => self.unknown(format!("`{operator}` is not followed here")),
        }
    }
}

/// The member of a structure or a vector at a place.
pub(super) fn member_of(of: &Place, name: &str) -> Option<Place> {
    match &of.ty {
        Type::Struct(own) => {
            let member = &own.members[own.place_of(name).filter(|_| name != "of")?];
            Some(Place { at: of.at + member.offset, ty: member.ty.clone() })
        }
        Type::Vector(scalar, count) => {
            let place = ["x", "y", "z", "w"].iter().position(|own| *own == name)? as u64;
            let at = of.at + place * u64::from(scalar.bytes());
            (place < u64::from(*count)).then_some(Place { at, ty: Type::Scalar(*scalar) })
        }
        _ => None,
    }
}
