//! Statements and loops.

use super::changed::changed;
use super::code::Label;
use super::lowering::{Binding, EnclosingLoop, Exits, InlineFrame, Lowering, NamedLabel};
use super::stop::Result;
use super::value::Value;
use crate::ast::{Declaration, Expr, ExprKind, Init, Loop, Parameter, Stmt, StmtKind};
use crate::at::Pos;
use crate::error::Error;
use crate::hint;
use crate::types::{Scalar, Type};
use std::collections::HashMap;
use std::rc::Rc;

/// The most rounds of a loop that are written out.
const MOST_ROUNDS: u32 = 512;

impl<'a> Lowering<'a> {
    pub(super) fn statement(&mut self, stmt: &'a Stmt) -> Result<()> {
        self.deeper(stmt.at, |lowering| lowering.any_statement(stmt))
    }

    fn any_statement(&mut self, stmt: &'a Stmt) -> Result<()> {
        match &stmt.kind {
            StmtKind::Block(all) => {
                self.scopes.push(HashMap::new());
                all.iter().try_for_each(|one| self.statement(one))?;
                self.scopes.pop();
            }
            StmtKind::Declare(all) => all.iter().try_for_each(|one| self.declare(one))?,
            StmtKind::Value(expr) => {
                self.effect(expr)?;
            }
            StmtKind::If(condition, yes, no) => self.branch(condition, yes, no.as_deref())?,
            StmtKind::Loop(each) => self.repeated(stmt.at, each)?,
            StmtKind::Switch(of, all) => self.switch(of, all)?,
            StmtKind::Assembly(of) => self.assembly(stmt.at, of)?,
            StmtKind::Assert(holds) => self.assert(holds)?,
            StmtKind::Return(value) => self.leave(stmt.at, value.as_ref())?,
            StmtKind::Break | StmtKind::Continue => {
                let Some(exits) = self.exits.last().copied() else {
                    return Err(Error::at(stmt.at, "there is no loop here").into());
                };
                let is_break = matches!(stmt.kind, StmtKind::Break);
                let label = if is_break { Some(exits.leave) } else { exits.next };
                let label = label.ok_or_else(|| Error::at(stmt.at, "there is no loop here"))?;
                self.code.emit(Some(stmt.at), format!("bra {label}"))?;
            }
            StmtKind::Label(name) => {
                let label = self.label_called(name, stmt.at, true);
                self.code.place(label);
            }
            StmtKind::Goto(name) => {
                let label = self.label_called(name, stmt.at, false);
                self.code.emit(Some(stmt.at), format!("bra {label}"))?;
            }
            StmtKind::Empty => {}
        }
        Ok(())
    }

    /// The label of this name in the function that is lowered, to which a `goto` leads or which is here.
    fn label_called(&mut self, name: &Rc<str>, at: Pos, is_here: bool) -> Label {
        let label = self.code.label();
        let Some(labels) = self.labels.last_mut() else { return label };
        let new = NamedLabel { label, at, is_placed: false };
        let known = labels.entry(name.clone()).or_insert(new);
        known.is_placed |= is_here;
        known.label
    }

    /// An error if a `goto` leads nowhere.
    pub(super) fn all_placed(&self) -> Result<()> {
        let mut all = self.labels.last().into_iter().flatten();
        match all.find(|(_, one)| !one.is_placed) {
            Some((name, one)) => {
                Err(Error::at(one.at, format!("there is no label `{name}` here")).into())
            }
            None => Ok(()),
        }
    }

    fn effect(&mut self, expr: &'a Expr) -> Result<Value> {
        match &expr.kind {
            ExprKind::Postfix(operator, of) => {
                let place = self.place(of)?;
                let old = self.load(expr.at, place.clone())?;
                let changed = self.combined(expr.at, operator, old, Value::int(1, Scalar::I32))?;
                self.store(expr.at, place, changed)
            }
            ExprKind::Name(name) if hint::is_function(name) => Err(self.unknown(name, expr.at)),
            _ => self.value(expr),
        }
    }

    fn branch(&mut self, condition: &'a Expr, yes: &'a Stmt, no: Option<&'a Stmt>) -> Result<()> {
        let at = condition.at;
        let asked = self.value(condition)?;
        let asked = self.converted(at, asked, &Type::BOOL)?;
        if let Some(known) = asked.whole() {
            let taken = if known == 0 { no } else { Some(yes) };
            return taken.map_or(Ok(()), |taken| self.scoped(taken));
        }
        // `if (...) return;` is one instruction, on the line of the condition.
        if no.is_none() && self.frames.is_empty() && yes.only_returns() {
            return self.code.emit(Some(at), format!("@{asked} ret"));
        }
        let otherwise = self.code.label();
        self.code.emit(Some(at), format!("@!{asked} bra {otherwise}"))?;
        self.scoped(yes)?;
        let Some(no) = no else {
            self.code.place(otherwise);
            return Ok(());
        };
        let end = self.code.label();
        self.code.emit(None, format!("bra {end}"))?;
        self.code.place(otherwise);
        self.scoped(no)?;
        self.code.place(end);
        Ok(())
    }

    pub(super) fn scoped(&mut self, stmt: &'a Stmt) -> Result<()> {
        self.scopes.push(HashMap::new());
        self.statement(stmt)?;
        self.scopes.pop();
        Ok(())
    }

    fn leave(&mut self, at: Pos, value: Option<&'a Expr>) -> Result<()> {
        let Some(frame) = self.frames.last().cloned() else {
            if let Some(value) = value {
                return Err(Error::at(value.at, "a kernel returns nothing").into());
            }
            return self.code.emit(Some(at), "ret");
        };
        if let (Some(value), true) = (value, frame.by_reference) {
            return self.leave_by_reference(at, value, &frame);
        }
        if let (Some(value), None, true) = (value, &frame.result, frame.deduced) {
            return self.leave_deduced(at, value, &frame);
        }
        match (value, frame.result) {
            (Some(value), Some(place)) => {
                let value = match &value.kind {
                    ExprKind::List(all) => self.listed(value.at, &place.ty(), all)?,
                    _ => self.value(value)?,
                };
                self.store(at, place, value)?;
            }
            (None, None) => {}
            (Some(value), None) => {
                let told = format!("`{}` returns nothing", frame.function.name);
                return Err(Error::at(value.at, told).into());
            }
            (None, Some(_)) => {
                let told = format!("`{}` returns a value: it is missing here", frame.function.name);
                return Err(Error::at(at, told).into());
            }
        }
        self.code.emit(Some(at), format!("bra {}", frame.end))
    }

    fn leave_by_reference(&mut self, at: Pos, value: &'a Expr, frame: &InlineFrame) -> Result<()> {
        let place = self.place(value)?;
        match self.frames.last_mut() {
            Some(own) if own.result.is_none() => own.result = Some(place),
            _ => {
                let told = "a reference that one of several `return` gives";
                return Err(Error::outside(at, told).into());
            }
        }
        self.code.emit(Some(at), format!("bra {}", frame.end))
    }

    /// The first `return` of a function whose result's type follows from it.
    fn leave_deduced(&mut self, at: Pos, value: &'a Expr, frame: &InlineFrame) -> Result<()> {
        let value = self.value(value)?;
        let value = if frame.returns == Type::Void {
            value
        } else {
            self.implicit(at, value, &frame.returns)?
        };
        let ty = self.roaming(value.ty.clone());
        let place = self.temporary(at, &ty)?;
        if let Some(frame) = self.frames.last_mut() {
            frame.result = Some(place.clone());
        }
        self.store(at, place, value)?;
        self.code.emit(Some(at), format!("bra {}", frame.end))
    }

    fn repeated(&mut self, at: Pos, each: &'a Loop) -> Result<()> {
        let wanted = each.unroll == Some(true) || self.decisions.unrolled.contains(&each.id);
        if wanted && each.unroll != Some(false) && self.unrolled(at, each)? {
            return Ok(());
        }
        self.scopes.push(HashMap::new());
        if let Some(init) = &each.init {
            self.statement(init)?;
        }
        let variable = counted(each).map(|one| one.name.clone());
        self.around.push(EnclosingLoop { each, variable });
        let (top, next, leave) = (self.code.label(), self.code.label(), self.code.label());
        self.code.place(top);
        if self.options.rolled || each.unroll == Some(false) {
            self.code.directive(".pragma \"nounroll\";");
        }
        if let Some(condition) = each.condition.as_ref().filter(|_| !each.asks_after) {
            let asked = self.value(condition)?;
            let asked = self.converted(condition.at, asked, &Type::BOOL)?;
            match asked.whole() {
                None => self.code.emit(Some(condition.at), format!("@!{asked} bra {leave}"))?,
                Some(0) => self.code.emit(Some(condition.at), format!("bra {leave}"))?,
                Some(_) => {}
            }
        }
        self.exits.push(Exits { leave, next: Some(next) });
        self.scoped(&each.body)?;
        self.exits.pop();
        self.code.place(next);
        if let Some(step) = &each.step {
            self.effect(step)?;
        }
        match each.condition.as_ref().filter(|_| each.asks_after) {
            None => self.code.emit(Some(at), format!("bra {top}"))?,
            Some(condition) => {
                let asked = self.value(condition)?;
                let asked = self.converted(condition.at, asked, &Type::BOOL)?;
                match asked.whole() {
                    None => self.code.emit(Some(condition.at), format!("@{asked} bra {top}"))?,
                    Some(0) => {}
                    Some(_) => self.code.emit(Some(condition.at), format!("bra {top}"))?,
                }
            }
        }
        self.code.place(leave);
        self.around.pop();
        self.scopes.pop();
        Ok(())
    }

    /// Writes out every round of a loop, if their number is known.
    fn unrolled(&mut self, at: Pos, each: &'a Loop) -> Result<bool> {
        let (Some(one), Some(condition), Some(step)) = (counted(each), &each.condition, &each.step)
        else {
            return Ok(false);
        };
        let Some(Init::Value(first)) = &one.init else { return Ok(false) };
        let is_fixed = !changed(&each.body, self.module).contains(&one.name);
        if !is_fixed || one.storage.by_reference || each.body.has_label() {
            return Ok(false);
        }
        let mark = self.mark();
        let depth = self.scopes.len();
        let first = self.value(first)?;
        let scalar = match one.ty {
            Type::Scalar(scalar) => Some(scalar),
            _ => first.scalar().filter(|_| one.storage.deduced),
        };
        let Some(scalar) = scalar else {
            self.back(mark);
            return Ok(false);
        };
        let mut value = self.number(at, first, scalar)?;
        self.scopes.push(HashMap::new());
        self.around.push(EnclosingLoop { each, variable: Some(one.name.clone()) });
        let leave = self.code.label();
        let mut known = value.is_constant();
        let mut rounds = 0;
        while known {
            if let Some(scope) = self.scopes.get_mut(depth) {
                scope.insert(one.name.clone(), Binding::Constant(value.clone()));
            }
            let asked = self.value(condition)?;
            let asked = self.converted(condition.at, asked, &Type::BOOL)?;
            known = asked.is_constant() && rounds < MOST_ROUNDS;
            if !known || asked.whole() == Some(0) {
                break;
            }
            rounds += 1;
            let next = self.code.label();
            self.exits.push(Exits { leave, next: Some(next) });
            self.scoped(&each.body)?;
            self.exits.pop();
            self.code.place_if_used(next);
            let after = self.after(step, &one.name, value)?;
            let Some(after) = after else {
                known = false;
                break;
            };
            value = self.number(at, after, scalar)?;
        }
        self.around.pop();
        self.scopes.truncate(depth);
        if known {
            self.code.place_if_used(leave);
        } else {
            self.back(mark);
        }
        Ok(known)
    }

    /// The variable's value after a step, if the step changes it by what is known.
    fn after(&mut self, step: &'a Expr, variable: &str, value: Value) -> Result<Option<Value>> {
        let is = |expr: &Expr| matches!(&expr.kind, ExprKind::Name(name) if &**name == variable);
        let after = match &step.kind {
            ExprKind::Postfix(operator, of) if is(of) => {
                self.combined(step.at, operator, value, Value::int(1, Scalar::I32))?
            }
            ExprKind::Assign(operator, of, by) if is(of) && !operator.is_empty() => {
                let by = self.value(by)?;
                self.combined(step.at, operator, value, by)?
            }
            ExprKind::Assign(_, of, by) if is(of) => self.value(by)?,
            _ => return Ok(None),
        };
        Ok(Some(after).filter(Value::is_constant))
    }

    /// Declares a parameter of an inlined function.
    pub(super) fn argument(&mut self, parameter: &Parameter, value: Value) -> Result<()> {
        let (name, at) = (&parameter.name, parameter.at);
        let value = self.implicit(at, value, &parameter.ty)?;
        let changes = self.changed.last().is_some_and(|changed| changed.contains(name));
        if !changes && !matches!(value.ty, Type::Array(..)) {
            // It keeps its value: whoever called may change the variable that it came from.
            if value.is_constant() {
                return self.bind(name, Binding::Constant(value), at);
            }
        }
        let ty = if changes { self.roaming(value.ty.clone()) } else { value.ty.clone() };
        let place = match &ty {
            Type::Struct(of) if of.is_in_memory() => self.temporary(at, &ty)?,
            _ => self.own_variable(at, (name, parameter.id), &ty)?,
        };
        self.store(at, place.clone(), value)?;
        self.bind(name, Binding::Place(place), at)
    }
}

fn counted(each: &Loop) -> Option<&Declaration> {
    match each.init.as_ref().map(|init| &init.kind) {
        Some(StmtKind::Declare(all)) if all.len() == 1 && all[0].sides.is_empty() => all.first(),
        _ => None,
    }
}
