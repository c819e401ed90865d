//! Pointers to functions: each is the number of its function, and a call through one that is not known
//! yet chooses between those that a pointer may point at.

use super::lowering::Lowering;
use super::stop::Result;
use super::value::{Held, Value};
use crate::ast::{Expr, ExprKind, Function};
use crate::at::Pos;
use crate::error::Error;
use crate::library;
use crate::types::{Scalar, Signature, Type};
use std::collections::BTreeSet;
use std::rc::Rc;

impl<'a> Lowering<'a> {
    /// A function of the source as a value, by its name; `None` if there is none, or several.
    pub(super) fn function_called(&self, name: &str) -> Option<Value> {
        let module = self.module;
        let mut all = module.functions.iter().zip(1..).filter(|(one, _)| {
            *one.name == *name && !one.is_kernel && one.at.file != library::FILE
        });
        let (function, number) = all.next().filter(|_| all.next().is_none())?;
        let held = Held::Int(number);
        Some(Value { ty: Type::Function(Rc::new(signature(function))), held })
    }

    /// A call through a pointer.
    pub(super) fn through(&mut self, at: Pos, pointer: &Value, given: &'a [Expr]) -> Result<Value> {
        let Type::Function(wanted) = &pointer.ty else {
            let told = format!("a `{}` is no function", pointer.ty);
            return Err(Error::at(at, told).into());
        };
        let module = self.module;
        if let Some(number) = pointer.whole() {
            let place = usize::try_from(number - 1).ok();
            let known = place.and_then(|place| module.functions.get(place));
            let none = || Error::at(at, "this pointer points at no function");
            return self.inline(at, known.ok_or_else(none)?, None, given);
        }
        let kept = self.pointed_functions();
        let fits = |one: &Function| {
            kept.contains(&*one.name) && !one.deduced && signature(one) == **wanted
        };
        let all: Vec<_> =
            module.functions.iter().zip(1_i64..).filter(|(one, _)| fits(one)).collect();
        if all.is_empty() {
            let told = "a call of a function that only the host knows";
            return Err(Error::outside(at, told).into());
        }
        let result = (wanted.returns != Type::Void).then(|| self.variable(&wanted.returns));
        let end = self.code.label();
        for (function, number) in all {
            let next = self.code.label();
            let number = Value::int(number, Scalar::U64);
            let differs = self.code.register(&Type::BOOL);
            self.code.emit(Some(at), format!("setp.ne.u64 {differs}, {pointer}, {number}"))?;
            self.code.emit(Some(at), format!("@{differs} bra {next}"))?;
            let value = self.inline(at, function, None, given)?;
            if let Some(place) = &result {
                self.store(at, place.clone(), value)?;
            }
            self.code.emit(Some(at), format!("bra {end}"))?;
            self.code.place(next);
        }
        self.code.emit(Some(at), "trap")?;
        self.code.place(end);
        result.map_or(Ok(Value::NOTHING), |place| self.load(at, place))
    }

    /// The functions whose names are used as values.
    fn pointed_functions(&self) -> BTreeSet<&'a str> {
        let module = self.module;
        let mut names = BTreeSet::new();
        let mut see = |kind: &'a ExprKind| {
            if let ExprKind::Name(name) = kind {
                names.insert(&**name);
            }
        };
        module.functions.iter().for_each(|one| one.body.visit(&mut see));
        module.globals.iter().flat_map(|one| &one.init).for_each(|init| init.visit(&mut see));
        names
    }
}

fn signature(function: &Function) -> Signature {
    let parameters = function.parameters.iter().map(|one| one.ty.clone()).collect();
    Signature { returns: function.returns.clone(), parameters }
}
