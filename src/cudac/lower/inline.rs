//! Functions of the source in place of their calls.

use super::changed::changed;
use super::location::{Lvalue, place_at};
use super::lowering::{Binding, InlineFrame, Lowering};
use super::stop::Result;
use super::value::Value;
use crate::ast::{Expr, ExprKind, Function};
use crate::at::Pos;
use crate::error::Error;
use crate::library;
use crate::types::Type;
use std::collections::HashMap;
use std::rc::Rc;

/// How deep functions may call one another.
const DEEPEST: usize = 40;

/// An argument of an inlined function.
pub(super) enum InlineArgument {
    /// Its value, which the parameter gets.
    Value(Value),
    /// What the parameter stands for.
    Bound(Binding),
}

impl<'a> Lowering<'a> {
    /// The body of a function in place of its call; of a member function on this structure.
    pub(super) fn inline(
        &mut self,
        at: Pos,
        function: &'a Rc<Function>,
        this: Option<&Lvalue>,
        given: &'a [Expr],
    ) -> Result<Value> {
        let place = self.inlined_place(at, function, this, given)?;
        place.map_or(Ok(Value::NOTHING), |place| self.load(at, place))
    }

    /// Likewise: the place of what it returns, which is a variable of somebody else if it returns it by
    /// reference.
    pub(super) fn inlined_place(
        &mut self,
        at: Pos,
        function: &'a Rc<Function>,
        this: Option<&Lvalue>,
        given: &'a [Expr],
    ) -> Result<Option<Lvalue>> {
        let name = &function.name;
        if function.is_kernel {
            return Err(Error::outside(at, "a call of a kernel from a kernel").into());
        }
        let calls_itself = self.frames.iter().any(|frame| Rc::ptr_eq(&frame.function, function));
        if calls_itself {
            return Err(Error::outside(at, &format!("`{name}`, which calls itself,")).into());
        }
        if self.frames.len() >= DEEPEST {
            let told = format!("`{name}`, the {}th function in one another,", DEEPEST + 1);
            return Err(Error::outside(at, &told).into());
        }
        let wanted = function.parameters.len();
        let defaults = function.parameters.iter().skip(given.len()).map(|one| one.default.as_ref());
        let defaults: Option<Vec<_>> = defaults.collect();
        let Some(defaults) = defaults.filter(|_| given.len() <= wanted) else {
            let told = format!("`{name}` takes {wanted} arguments, and {} are given", given.len());
            return Err(Error::at(at, told).into());
        };
        // What the library calls has references; a source gives CUDA's functions addresses of numbers.
        let is_of_cuda = function.at.file == library::FILE && at.file != library::FILE;
        let mut bindings = Vec::new();
        for (one, parameter) in given.iter().chain(defaults).zip(&function.parameters) {
            let is_result = is_of_cuda && matches!(parameter.ty, Type::Scalar(_));
            bindings.push(if parameter.storage.by_reference && is_result {
                InlineArgument::Bound(Binding::Place(self.pointed_at(one)?))
            } else if parameter.storage.by_reference {
                InlineArgument::Bound(self.referred(one, &parameter.ty, parameter.storage)?)
            } else {
                InlineArgument::Value(self.value(one)?)
            });
        }
        self.body(at, function, this, bindings)
    }

    /// The place that a function of CUDA is given by its address: `sincosf(x, &s, &c)`.
    fn pointed_at(&mut self, address: &'a Expr) -> Result<Lvalue> {
        if let ExprKind::Unary('&', variable) = &address.kind {
            return self.place(variable);
        }
        let pointer = self.value(address)?;
        place_at(address.at, &pointer)
    }

    /// The body of a function with what is given for its parameters.
    pub(super) fn inline_given(
        &mut self,
        at: Pos,
        function: &'a Rc<Function>,
        this: Option<&Lvalue>,
        bindings: Vec<InlineArgument>,
    ) -> Result<Value> {
        let place = self.body(at, function, this, bindings)?;
        place.map_or(Ok(Value::NOTHING), |place| self.load(at, place))
    }

    fn body(
        &mut self,
        at: Pos,
        function: &'a Rc<Function>,
        this: Option<&Lvalue>,
        bindings: Vec<InlineArgument>,
    ) -> Result<Option<Lvalue>> {
        let module = self.module;
        let is_of_library = function.at.file == library::FILE;
        let around = if is_of_library { self.code.pin(Some(at)) } else { None };
        // Inside, only its own variables and those outside functions have names.
        let outer = self.scopes.split_off(1);
        let exits = std::mem::take(&mut self.exits);
        self.scopes.push(HashMap::new());
        if let Some(this) = this {
            self.bind_members(at, this)?;
            self.scopes.push(HashMap::new());
        }
        self.changed.push(changed(&function.body, module));
        for (parameter, given) in function.parameters.iter().zip(bindings) {
            match given {
                InlineArgument::Value(value) => self.argument(parameter, value)?,
                InlineArgument::Bound(binding) => {
                    self.bind(&parameter.name, binding, parameter.at)?;
                }
            }
        }
        // Into which memory a pointer points that is returned, the first `return` says.
        let deduced = function.deduced || matches!(function.returns, Type::Pointer(_));
        let result = match &function.returns {
            Type::Void => None,
            _ if deduced || function.by_reference => None,
            returns => Some(self.temporary(at, returns)?),
        };
        let end = self.code.label();
        let returns = function.returns.clone();
        let frame = InlineFrame {
            function: Rc::clone(function),
            end,
            returns,
            result,
            deduced,
            by_reference: function.by_reference,
        };
        self.frames.push(frame);
        self.labels.push(HashMap::new());
        self.statement(&function.body)?;
        self.all_placed()?;
        self.labels.pop();
        let result = self.frames.pop().and_then(|frame| frame.result);
        self.code.place_if_used(end);
        self.changed.pop();
        self.scopes.truncate(1);
        self.scopes.extend(outer);
        self.exits = exits;
        if is_of_library {
            self.code.pin(around);
        }
        Ok(result)
    }

    /// The place that a function returns by reference; `None` if it returns a value.
    pub(super) fn place_by_call(
        &mut self,
        at: Pos,
        name: &str,
        given: &'a [Expr],
    ) -> Result<Option<Lvalue>> {
        let module = self.module;
        let mut all = module.functions.iter().filter(|one| *one.name == *name && one.by_reference);
        match all.next() {
            Some(function) => self.inlined_place(at, function, None, given),
            None => Ok(None),
        }
    }
}
