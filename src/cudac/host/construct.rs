//! Structures and vectors that an expression makes.

use super::ByteState;
use super::expression::HostPlace;
use super::interpreter::{Eval, Interpreter};
use super::memory::MemorySide;
use super::value::HostValue;
use crate::ast::Function;
use crate::types::{Scalar, Struct, Type};
use std::rc::Rc;

impl<'m> Interpreter<'m> {
    /// A structure of these values.
    pub(super) fn object(&mut self, ty: Type, value: HostValue) -> HostValue {
        let at = self.memory.add(MemorySide::Host, ty.bytes());
        let zeros = vec![0; ty.bytes() as usize];
        self.memory.store(at, &zeros, &vec![ByteState::Known; zeros.len()]);
        if let (Type::Struct(of), HostValue::List(values)) = (&ty, &value)
            && &*of.name == "dim3"
        {
            let mut sides = values.clone();
            sides.resize(3, HostValue::Int(1, Scalar::U32));
            let sides = HostValue::List(sides);
            self.store(at, &ty, sides);
        } else {
            self.store(at, &ty, value);
        }
        let made = self.load(&HostPlace { at, ty });
        self.memory.drop(at);
        made
    }

    /// The constructor that takes these values: not the one that copies, unless it is given such a value.
    fn constructor(&self, of: &Struct, values: &[HostValue]) -> Option<&'m Function> {
        let name = format!("{0}::{0}", of.name);
        let takes = |one: &&Rc<Function>| {
            let needed = one.parameters.iter().filter(|one| one.default.is_none()).count();
            let first = one.parameters.first().map(|one| &one.ty).zip(values.first());
            let is_alike = first.is_none_or(|(ty, value)| {
                matches!(ty, Type::Struct(_))
                    == matches!(value, HostValue::Object(_) | HostValue::List(_))
            });
            *one.name == name && (needed..=one.parameters.len()).contains(&values.len()) && is_alike
        };
        let methods = &self.module.methods;
        methods.iter().filter(takes).min_by_key(|one| one.parameters.len()).map(|one| &**one)
    }

    pub(super) fn constructed(&mut self, ty: Type, mut values: Vec<HostValue>) -> Eval<HostValue> {
        let Type::Struct(of) = &ty else {
            return Ok(match values.len() {
                1 => {
                    let value = values.remove(0);
                    self.converted(value, &ty)
                }
                _ => self.object(ty, HostValue::List(values)),
            });
        };
        if of.place_of("of").is_some() {
            let at = self.memory.add(MemorySide::Host, 24);
            let value = match (values.len(), values.pop()) {
                (1, Some(list @ HostValue::List(_))) => list,
                (1, Some(count)) => HostValue::List(vec![count, HostValue::Nothing]),
                (2, Some(value)) => {
                    let count = values.pop().unwrap_or(HostValue::Nothing);
                    HostValue::List(vec![count, value, HostValue::Nothing])
                }
                _ => HostValue::List(vec![HostValue::int(0), HostValue::Nothing]),
            };
            self.sized_vector(at, &ty, value);
            let made = self.load(&HostPlace { at, ty });
            self.memory.drop(at);
            return Ok(made);
        }
        let given = values.len();
        if let Some(method) = self.constructor(of, &values) {
            let at = self.memory.add(MemorySide::Host, ty.bytes());
            self.call(method, Vec::new(), values, Some((at, ty.clone())))?;
            let made = self.load(&HostPlace { at, ty });
            self.memory.drop(at);
            return Ok(made);
        }
        if given == 1 && matches!(&values[0], HostValue::Object(object) if object.ty == ty) {
            return Ok(values.remove(0));
        }
        if of.bytes == 0 {
            return Ok(self.unknown(format!("the type `{}` is not followed", of.name)));
        }
        Ok(self.object(ty, HostValue::List(values)))
    }
}
