//! Expressions: their values, and the places that they name.

use super::ByteState;
use super::interpreter::{Eval, Interpreter};
use super::memory::HostVariable;
use super::value::{HostObject, HostValue, TemplateArgument};
use crate::ast::{Expr, ExprKind, HostExpr};
use crate::types::{Qualifiers, Scalar, Type, narrowed};
use std::rc::Rc;

/// The addresses of functions, by their numbers from here on: above all of memory.
const OF_FUNCTIONS: u64 = 1 << 63;

/// Something in memory.
#[derive(Clone, Debug)]
pub(super) struct HostPlace {
    pub at: u64,
    pub ty: Type,
}

impl<'m> Interpreter<'m> {
    pub(super) fn eval(&mut self, expr: &'m Expr) -> Eval<HostValue> {
        self.step()?;
        Ok(match &expr.kind {
            ExprKind::Int(value, scalar) => HostValue::Int(*value, *scalar),
            ExprKind::Float(value, scalar) => HostValue::Float(*value, *scalar),
            ExprKind::Text(text) => HostValue::Text(text.clone()),
            ExprKind::Name(name) => self.named(name),
            ExprKind::Member(..) | ExprKind::Index(..) | ExprKind::Unary('*', _) => {
                return self.at_place(expr);
            }
            ExprKind::Unary('&', of) => match self.place(of)? {
                Some(place) => HostValue::Pointer(place.at, place.ty),
                None => match self.eval(of)? {
                    function @ HostValue::Function(..) => function,
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
                let after = self.operate(operator, before.clone(), HostValue::int(1));
                self.store(place.at, &place.ty, after);
                before
            }
            ExprKind::Choice(condition, yes, no) => {
                let value = self.eval(condition)?;
                match self.holds(&value) {
                    Some(holds) => return self.eval(if holds { yes } else { no }),
                    None if self.names.is_some() => match (self.eval(yes)?, self.eval(no)?) {
                        (yes @ HostValue::Function(..), no @ HostValue::Function(..)) => {
                            HostValue::Either(Box::new([yes, no]))
                        }
                        (yes, HostValue::Unknown(_)) => yes,
                        (_, no) => no,
                    },
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
                HostValue::List(values)
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

    fn of_host(&mut self, host: &'m HostExpr) -> Eval<HostValue> {
        Ok(match host {
            HostExpr::Type(_) => HostValue::Nothing,
            HostExpr::Instance(name, list) => {
                let list = self.list(list)?;
                HostValue::Function(name.clone(), list)
            }
            HostExpr::Apply(of, given) => match &of.kind {
                ExprKind::Host(of) if matches!(**of, HostExpr::Instance(..)) => {
                    let HostExpr::Instance(name, list) = &**of else {
                        return Ok(HostValue::Nothing);
                    };
                    let list = self.list(list)?;
                    return self.called(name, list, given);
                }
                _ => {
                    let of = self.eval(of)?;
                    if let HostValue::Function(name, list) = of {
                        return self.called(&name, list, given);
                    }
                    if self.encodes(given)? {
                        return Ok(HostValue::int(0));
                    }
                    self.values(given)?;
                    self.unknown("what is called here is not known")
                }
            },
            HostExpr::Launch(kernel, shape, given) => return self.launched(kernel, shape, given),
            HostExpr::New(ty, count, given) => {
                let ty = self.resolved(ty);
                if count.is_none() {
                    let values = self.values(given)?;
                    let value = self.constructed(ty.clone(), values)?;
                    let at = self.memory.add(super::memory::MemorySide::Host, ty.bytes());
                    self.store(at, &ty, value);
                    return Ok(HostValue::Pointer(at, ty));
                }
                let count =
                    count.as_ref().map_or(Ok(None), |count| Ok(self.eval(count)?.whole()))?;
                match count.and_then(|count| u64::try_from(count).ok()) {
                    Some(count) => {
                        let bytes = count.saturating_mul(ty.bytes());
                        let at = self.memory.add(super::memory::MemorySide::Host, bytes);
                        HostValue::Pointer(at, ty)
                    }
                    None => self.unknown("how many elements `new` makes is not known"),
                }
            }
            HostExpr::SizeOf(of) => {
                let ty = match &of.kind {
                    ExprKind::Host(host) => match &**host {
                        HostExpr::Type(ty) => Some(self.resolved(ty)),
                        HostExpr::Instance(name, list) => self.structure_of(name, list)?,
                        _ => None,
                    },
                    // It is not evaluated: `sizeof *p` has its size before `p` points anywhere.
                    _ => match (self.type_at(of), &of.kind) {
                        (Some(ty), _) => Some(ty),
                        (None, kind) => match (self.place(of)?, kind) {
                            (Some(place), _) => Some(place.ty),
                            (None, ExprKind::Name(name)) => self.type_of(name),
                            (None, _) => self.eval(of)?.ty(),
                        },
                    },
                };
                match ty.map(|ty| ty.bytes()).filter(|bytes| *bytes > 0) {
                    Some(bytes) => HostValue::Int(bytes as i64, Scalar::U64),
                    None => self.unknown("the size of this type is not known"),
                }
            }
            HostExpr::Lambda(function) => {
                let name: Rc<str> = format!("lambda {:p}", Rc::as_ptr(function)).into();
                self.lambdas.insert(name.clone(), function);
                HostValue::Function(name, Vec::new())
            }
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
                        && let Some(HostValue::Int(number, _)) = self.template_value(&of.name)
                    {
                        return Ok(TemplateArgument::Number(number));
                    }
                    return Ok(if self.is_open(&ty) {
                        TemplateArgument::Unknown
                    } else {
                        TemplateArgument::Type(ty)
                    });
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

    /// Whether a type is a name of a template for which nothing is known.
    pub(super) fn is_open(&self, ty: &Type) -> bool {
        let Type::Struct(of) = ty else { return false };
        let mut list = self.frames.last().into_iter().flat_map(|frame| &frame.list);
        list.any(|(name, of_it)| *name == of.name && *of_it == TemplateArgument::Unknown)
    }

    fn template_value(&self, name: &str) -> Option<HostValue> {
        let list = self.frames.last().map_or(&[][..], |frame| &frame.list);
        list.iter().find(|(own, _)| &**own == name).and_then(|(_, of)| match of {
            TemplateArgument::Number(number) => Some(HostValue::int(*number)),
            _ => None,
        })
    }

    fn named(&mut self, name: &Rc<str>) -> HostValue {
        if let Some(variable) = self.variable(name) {
            let place = HostPlace { at: variable.at, ty: variable.ty.clone() };
            if let Some(given) = self.given(name, &place.ty) {
                return given;
            }
            let value = self.load(&place);
            return self.or_named(value, name, &place.ty);
        }
        if let Some(value) = self.template_value(name) {
            return value;
        }
        match &**name {
            "nullptr" | "NULL" | "__null" => return HostValue::Pointer(0, Type::Void),
            "argc" => return HostValue::int(1),
            "FLT_EPSILON" => return HostValue::Float(f64::from(f32::EPSILON), Scalar::F32),
            "__LINE__" => return HostValue::int(self.line.into()),
            _ => {}
        }
        let is_function = self.module.kernels.iter().any(|one| one.name == *name)
            || self.module.functions.iter().any(|one| one.own.name == *name);
        if is_function {
            return HostValue::Function(name.clone(), Vec::new());
        }
        // A member of the structure whose function this is.
        if let Some(place) = self.of_this(name) {
            return self.load(&place);
        }
        let unknown = self.unknown(format!("`{name}` is not known"));
        self.or_named(unknown, name, &Type::INT)
    }

    /// The member of this name of the structure that `this` points to.
    fn of_this(&mut self, name: &str) -> Option<HostPlace> {
        let this = self.variable("this")?.clone();
        let HostValue::Pointer(at, ty) = self.load(&HostPlace { at: this.at, ty: this.ty }) else {
            return None;
        };
        member_of(&HostPlace { at, ty }, name)
    }

    /// Where the pointers lead that a structure has.
    pub(super) fn pointers_in(&mut self, variable: &HostVariable) -> Vec<u64> {
        match self.load(&HostPlace { at: variable.at, ty: variable.ty.clone() }) {
            HostValue::Object(object) => object.pointers().into_iter().map(|(_, at)| at).collect(),
            _ => Vec::new(),
        }
    }

    /// The pointer that a variable is, or to what it holds.
    pub(super) fn behind(&mut self, variable: &HostVariable) -> Option<HostValue> {
        match &variable.ty {
            Type::Pointer(_) => {
                Some(self.load(&HostPlace { at: variable.at, ty: variable.ty.clone() }))
            }
            Type::Array(of, _) => Some(HostValue::Pointer(variable.at, (**of).clone())),
            Type::Struct(of) if of.place_of("of").is_some() => {
                let of = of.members[0].ty.clone();
                let pointer = of.clone().pointer(None, Qualifiers::default());
                Some(self.load(&HostPlace { at: variable.at, ty: pointer }))
            }
            _ => None,
        }
    }

    fn at_place(&mut self, expr: &'m Expr) -> Eval<HostValue> {
        if let Some(place) = self.place(expr)? {
            return Ok(self.load(&place));
        }
        if let ExprKind::Member(of, name) = &expr.kind
            && let HostValue::Object(object) = self.eval(of)?
        {
            let at = self.memory.add(super::memory::MemorySide::Host, object.bytes.len() as u64);
            self.memory.store(at, &object.bytes, &object.states);
            let place = member_of(&HostPlace { at, ty: object.ty.clone() }, name);
            let value = place.map(|place| self.load(&place));
            self.memory.drop(at);
            if let Some(value) = value {
                return Ok(value);
            }
        }
        if let ExprKind::Unary('*', of) = &expr.kind
            && let function @ HostValue::Function(..) = self.eval(of)?
        {
            return Ok(function);
        }
        if let ExprKind::Index(of, index) = &expr.kind
            && let Some(place) = self.place(of)?
        {
            let index = self.eval(index)?;
            if let Some((value, false)) = self.member_function(&place, "operator[]", vec![index])? {
                return Ok(value);
            }
        }
        Ok(self.unknown("what stands here is not known"))
    }

    /// The place that an expression names, if that is known.
    pub(super) fn place(&mut self, expr: &'m Expr) -> Eval<Option<HostPlace>> {
        Ok(match &expr.kind {
            ExprKind::Name(name) => match self.variable(name) {
                Some(variable) => Some(HostPlace { at: variable.at, ty: variable.ty.clone() }),
                None => self.of_this(name),
            },
            ExprKind::Unary('*', of) => match self.eval(of)? {
                HostValue::Pointer(at, ty) if at != 0 => Some(HostPlace { at, ty }),
                _ => None,
            },
            ExprKind::Index(of, index) => {
                let base = match self.place(of)? {
                    Some(place) => {
                        let variable = HostVariable {
                            name: "".into(),
                            at: place.at,
                            ty: place.ty,
                            is_own: false,
                        };
                        self.behind(&variable)
                    }
                    None => Some(self.eval(of)?),
                };
                let index = self.eval(index)?.whole();
                match (base, index) {
                    (None, Some(index)) => return self.at_index(of, index),
                    (Some(HostValue::Pointer(at, ty)), Some(index)) if at != 0 => {
                        let bytes = ty.bytes() as i64;
                        let at = at.wrapping_add_signed(index.wrapping_mul(bytes));
                        Some(HostPlace { at, ty })
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

    /// `of[index]` of a structure with such an operator, if that gives a place.
    fn at_index(&mut self, of: &'m Expr, index: i64) -> Eval<Option<HostPlace>> {
        let Some(place) = self.place(of)? else { return Ok(None) };
        let index = HostValue::Int(index, Scalar::I64);
        let found = self.member_function(&place, "operator[]", vec![index])?;
        Ok(match found {
            Some((HostValue::Pointer(at, ty), true)) if at != 0 => Some(HostPlace { at, ty }),
            _ => None,
        })
    }

    pub(super) fn load(&mut self, place: &HostPlace) -> HostValue {
        let bytes = place.ty.bytes();
        if let Type::Array(of, _) = &place.ty {
            return HostValue::Pointer(place.at, (**of).clone());
        }
        let Some((bytes, states)) = self.memory.load(place.at, bytes) else {
            let is_device = self
                .memory
                .region(place.at)
                .is_some_and(|region| matches!(region.side, super::memory::MemorySide::Device(_)));
            let why = if is_device {
                "the host reads memory of the device"
            } else {
                "what it reads is not known"
            };
            return self.unknown(why);
        };
        if let Type::Struct(_) | Type::Vector(..) = &place.ty {
            let (bytes, states) = (bytes.to_vec(), states.to_vec());
            return HostValue::Object(Box::new(HostObject { ty: place.ty.clone(), bytes, states }));
        }
        if states.iter().any(|state| *state != ByteState::Known) {
            let of_device = states.contains(&ByteState::OfDevice);
            let never = states.contains(&ByteState::NeverWritten);
            let reason = self.memory.region(place.at).map_or(0, |region| region.reason);
            return match (of_device, never) {
                (true, _) => self.unknown("a kernel has computed it"),
                (_, true) => self.unknown("it has no value yet"),
                _ => HostValue::Unknown(reason),
            };
        }
        let mut word = [0; 8];
        let length = bytes.len().min(8);
        word[..length].copy_from_slice(&bytes[..length]);
        let word = u64::from_le_bytes(word);
        match &place.ty {
            Type::Pointer(pointer) => {
                let function = self.pointed.get((word ^ OF_FUNCTIONS) as usize).cloned();
                function.unwrap_or_else(|| HostValue::Pointer(word, pointer.to.clone()))
            }
            Type::Scalar(Scalar::F32) => {
                HostValue::Float(f64::from(f32::from_bits(word as u32)), Scalar::F32)
            }
            Type::Scalar(Scalar::F64) => HostValue::Float(f64::from_bits(word), Scalar::F64),
            Type::Scalar(scalar) if !scalar.is_half() => {
                HostValue::Int(narrowed(word as i64, *scalar), *scalar)
            }
            _ => self.unknown("numbers of this type are not followed"),
        }
    }

    pub(super) fn store(&mut self, at: u64, ty: &Type, value: HostValue) {
        let bytes = ty.bytes();
        let known = |count: usize| vec![ByteState::Known; count];
        let is_list = matches!(value, HostValue::List(_));
        let value = if is_list { value } else { self.converted(value, ty) };
        match (value, ty) {
            (HostValue::Int(value, _), Type::Scalar(scalar)) => {
                let word = value.to_le_bytes();
                self.memory.store(
                    at,
                    &word[..scalar.bytes() as usize],
                    &known(scalar.bytes() as usize),
                );
            }
            (HostValue::Float(value, Scalar::F32), _) => {
                self.memory.store(at, &(value as f32).to_le_bytes(), &known(4));
            }
            (HostValue::Float(value, _), _) => {
                self.memory.store(at, &value.to_le_bytes(), &known(8));
            }
            (HostValue::Pointer(value, _), _) => {
                self.memory.store(at, &value.to_le_bytes(), &known(8));
            }
            (HostValue::Object(object), _) => self.memory.store(at, &object.bytes, &object.states),
            (function @ (HostValue::Function(..) | HostValue::Either(_)), Type::Pointer(_)) => {
                let number = OF_FUNCTIONS | self.pointed.len() as u64;
                self.pointed.push(function);
                self.memory.store(at, &number.to_le_bytes(), &known(8));
            }
            (HostValue::List(values), Type::Struct(of)) => {
                if of.place_of("of").is_some() {
                    self.make_vector(at, ty, HostValue::List(values));
                    return;
                }
                let members: Vec<_> =
                    of.members.iter().map(|one| (one.offset, one.ty.clone())).collect();
                for (value, (offset, ty)) in values.into_iter().zip(members) {
                    self.store(at + offset, &ty, value);
                }
            }
            (HostValue::List(values), Type::Vector(of, _)) => {
                let of = Type::Scalar(*of);
                for (place, value) in (0..).zip(values) {
                    self.store(at + place * of.bytes(), &of, value);
                }
            }
            (HostValue::List(mut values), _) if values.len() == 1 => {
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
    pub(super) fn converted(&mut self, value: HostValue, ty: &Type) -> HostValue {
        match (value, ty) {
            (unknown @ HostValue::Unknown(_), _) => unknown,
            (HostValue::Int(0, _), Type::Pointer(pointer)) => {
                HostValue::Pointer(0, pointer.to.clone())
            }
            (HostValue::Int(value, _), Type::Pointer(pointer)) => {
                HostValue::Pointer(value as u64, pointer.to.clone())
            }
            (HostValue::Pointer(at, of), Type::Pointer(pointer)) => {
                let to = if pointer.to == Type::Void { of } else { pointer.to.clone() };
                HostValue::Pointer(at, to)
            }
            (HostValue::Pointer(at, _), Type::Scalar(Scalar::Bool)) => HostValue::truth(at != 0),
            (HostValue::Pointer(at, _), Type::Scalar(scalar)) => HostValue::Int(at as i64, *scalar),
            (value @ (HostValue::Int(..) | HostValue::Float(..)), Type::Scalar(scalar)) => {
                if matches!(scalar, Scalar::F32 | Scalar::F64) {
                    let value = value.float().unwrap_or(0.0);
                    let value =
                        if *scalar == Scalar::F32 { f64::from(value as f32) } else { value };
                    return HostValue::Float(value, *scalar);
                }
                if scalar.is_half() {
                    return self.unknown("numbers of half precision are not followed");
                }
                if *scalar == Scalar::Bool {
                    return HostValue::truth(value.holds() == Some(true));
                }
                HostValue::Int(narrowed(value.whole().unwrap_or(0), *scalar), *scalar)
            }
            (value @ HostValue::Int(..), Type::Struct(of)) if &*of.name == "dim3" => {
                let one = HostValue::Int(1, Scalar::U32);
                let values = vec![value, one.clone(), one];
                self.object(ty.clone(), HostValue::List(values))
            }
            (value @ HostValue::List(_), Type::Struct(of)) if of.place_of("of").is_none() => {
                self.object(ty.clone(), value)
            }
            (value, _) => value,
        }
    }
}

/// The member of a structure or a vector at a place.
pub(super) fn member_of(of: &HostPlace, name: &str) -> Option<HostPlace> {
    match &of.ty {
        Type::Struct(own) => {
            let member = &own.members[own.place_of(name).filter(|_| name != "of")?];
            Some(HostPlace { at: of.at + member.offset, ty: member.ty.clone() })
        }
        Type::Vector(scalar, count) => {
            let place = ["x", "y", "z", "w"].iter().position(|own| *own == name)? as u64;
            let at = of.at + place * u64::from(scalar.bytes());
            (place < u64::from(*count)).then_some(HostPlace { at, ty: Type::Scalar(*scalar) })
        }
        _ => None,
    }
}
