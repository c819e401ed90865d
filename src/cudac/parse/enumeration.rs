//! Enumerations: names for whole numbers, and a name for their type; and what is asserted of numbers.

use super::Parser;
use crate::ast::{Declaration, Expr, ExprKind, Init, Storage};
use crate::error::Error;
use crate::token::TokenClass;
use crate::types::{Qualifiers, Type};
use std::rc::Rc;

impl Parser<'_> {
    /// Whether an enumeration is defined here, after its word: `enum class Mode : int {`.
    pub(super) fn defines_an_enumeration(&self) -> bool {
        let mut ahead = (1..8).map(|count| self.ahead(count));
        ahead
            .find(|token| token.is("{") || token.is(";") || token.is("("))
            .is_some_and(|token| token.is("{"))
    }

    /// `enum Mode { Row, Column = 4 }`: gives the type its name, and returns the constants.
    pub(super) fn enumeration(&mut self) -> Result<Vec<Declaration>, Error> {
        self.index += 1;
        let is_scoped = self.accept("class") || self.accept("struct");
        let is_named = self.token().kind == TokenClass::Name;
        let name = if is_named { Some(self.name("a name")?.text.clone()) } else { None };
        let ty = if self.accept(":") { self.base()?.ty } else { Type::INT };
        let Type::Scalar(scalar) = ty else {
            return Err(Error::outside(self.at(), "such a type below an enumeration"));
        };
        self.expect("{")?;
        let mut all: Vec<Declaration> = Vec::new();
        let mut last: Option<Expr> = None;
        while !self.accept("}") {
            let own = self.name("a name")?;
            let value = match (self.accept("="), last) {
                (true, _) => self.assignment()?,
                (false, None) => Expr::new(ExprKind::Int(0, scalar), own.at),
                (false, Some(before)) => {
                    let one = Expr::new(ExprKind::Int(1, scalar), own.at);
                    let sum = ExprKind::Binary("+".into(), Box::new(before), Box::new(one));
                    Expr::new(sum, own.at)
                }
            };
            // The next one counts from here: a number if that is known, so that they do not grow.
            let known = self.whole(&value).map(|known| ExprKind::Int(known, scalar));
            let value = known.map_or(value, |known| Expr::new(known, own.at));
            let scoped = name.iter().map(|name| format!("{name}::{}", own.text).into());
            let plain = (!is_scoped).then(|| own.text.clone());
            let names: Vec<Rc<str>> = scoped.chain(plain).collect();
            for name in names {
                let qualifiers = Qualifiers { constant: true, ..Qualifiers::default() };
                all.push(Declaration {
                    id: self.number(),
                    at: own.at,
                    ty: Type::Scalar(scalar),
                    name,
                    sides: Vec::new(),
                    init: Some(Init::Value(value.clone())),
                    storage: Storage { qualifiers, ..Storage::default() },
                });
            }
            // A later constant may name this one.
            self.learn(&all);
            last = Some(value);
            if !self.is("}") {
                self.expect(",")?;
            }
        }
        if let (Some(name), Some(scope)) = (name, self.aliases.last_mut()) {
            scope.insert(name, Type::Scalar(scalar));
        }
        Ok(all)
    }

    /// `static_assert(...)` outside functions: what is known now must hold.
    pub(super) fn asserted(&mut self) -> Result<(), Error> {
        self.index += 1;
        let holds = self.assertion()?;
        match self.whole(&holds) {
            Some(0) => Err(Error::at(holds.at, "this `static_assert` does not hold")),
            _ => Ok(()),
        }
    }

    /// What stands in the brackets of a `static_assert`, up to its semicolon.
    pub(super) fn assertion(&mut self) -> Result<Expr, Error> {
        self.expect("(")?;
        let holds = self.assignment()?;
        if self.accept(",") {
            while self.token().kind == TokenClass::Text {
                self.index += 1;
            }
        }
        self.expect(")")?;
        self.expect(";")?;
        Ok(holds)
    }
}
