//! `switch`: a comparison for each label, then the statements one after another.

use super::code::Label;
use super::lowering::{Exits, Lowering};
use super::stop::Result;
use crate::ast::{Case, Expr, Stmt, StmtKind};
use crate::error::Error;
use crate::types::Type;
use std::collections::HashMap;

impl<'a> Lowering<'a> {
    pub(super) fn switch(&mut self, of: &'a Expr, all: &'a [Case]) -> Result<()> {
        let value = self.value(of)?;
        let scalar = value.scalar().filter(|scalar| !scalar.is_float());
        let scalar = scalar.ok_or_else(|| {
            Error::at(of.at, format!("a `switch` is of a whole number, not of a `{}`", value.ty))
        })?;
        let value = self.number(of.at, value, scalar.promoted())?;
        let leave = self.code.label();
        let next = self.exits.last().and_then(|around| around.next);
        self.exits.push(Exits { leave, next });
        self.scopes.push(HashMap::new());
        if let Some(known) = value.whole() {
            let taken = self.taken(all, known)?;
            self.known(&all[taken..])?;
        } else {
            let mut otherwise = leave;
            let mut places = Vec::new();
            for case in all {
                let place = self.code.label();
                for label in &case.labels {
                    let Some(label) = label else {
                        otherwise = place;
                        continue;
                    };
                    let wanted = self.value(label)?;
                    let equal = self.combined(label.at, "==", value.clone(), wanted)?;
                    let equal = self.predicate(label.at, equal)?;
                    self.code.emit(Some(label.at), format!("@{equal} bra {place}"))?;
                }
                places.push(place);
            }
            self.code.emit(Some(of.at), format!("bra {otherwise}"))?;
            self.compared_cases(all, &places)?;
        }
        self.scopes.pop();
        self.exits.pop();
        self.code.place_if_used(leave);
        Ok(())
    }

    fn compared_cases(&mut self, all: &'a [Case], places: &[Label]) -> Result<()> {
        for (case, place) in all.iter().zip(places) {
            self.code.place(*place);
            case.body.iter().try_for_each(|one| self.statement(one))?;
        }
        Ok(())
    }

    /// The case of a number that is known now, by its place; behind the last one if there is none.
    fn taken(&mut self, all: &'a [Case], known: i64) -> Result<usize> {
        let mut otherwise = all.len();
        for (index, case) in all.iter().enumerate() {
            for label in &case.labels {
                match label {
                    None => otherwise = index,
                    Some(label) if self.constant(label, "a `case`")? == known => return Ok(index),
                    Some(_) => {}
                }
            }
        }
        Ok(otherwise)
    }

    /// The statements from the case that is taken on, up to a `break` that always comes.
    fn known(&mut self, all: &'a [Case]) -> Result<()> {
        for stmt in all.iter().flat_map(|case| &case.body) {
            if matches!(stmt.kind, StmtKind::Break) {
                break;
            }
            self.statement(stmt)?;
            if ends(stmt) {
                break;
            }
        }
        Ok(())
    }

    pub(super) fn assert(&mut self, holds: &'a Expr) -> Result<()> {
        let mark = self.mark();
        let value = self.value(holds)?;
        let value = self.converted(holds.at, value, &Type::BOOL)?;
        self.back(mark);
        match value.whole() {
            Some(0) => Err(Error::at(holds.at, "this `static_assert` does not hold").into()),
            Some(_) => Ok(()),
            None => Err(Error::at(holds.at, "what is asserted must be constant").into()),
        }
    }
}

/// Whether nothing is done after a statement.
fn ends(stmt: &Stmt) -> bool {
    match &stmt.kind {
        StmtKind::Return(_) | StmtKind::Continue | StmtKind::Break => true,
        StmtKind::Block(all) => all.last().is_some_and(ends),
        _ => false,
    }
}
