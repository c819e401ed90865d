//! What stands in brackets before a name: pointers to rows, `(*name)[16]`, and pointers to functions,
//! `(*name)(float, int)`.

use super::Parser;
use crate::ast::{Expr, ExprKind, Function};
use crate::at::Pos;
use crate::error::Error;
use crate::token::{Token, TokenClass};
use crate::types::{Qualifiers, Signature, Type};
use std::rc::Rc;

impl<'a> Parser<'a> {
    /// A pointer to rows or to a function in a declaration, or without a name in a cast, if it stands
    /// here: the name, and the type.
    pub(super) fn rows(
        &mut self,
        ty: &Type,
        qualifiers: Qualifiers,
        named: bool,
    ) -> Result<Option<(Option<&'a Token>, Type)>, Error> {
        if !self.is("(") || !self.ahead(1).is("*") {
            return Ok(None);
        }
        self.index += 2;
        self.accept("const");
        let name = if named && !self.is(")") { Some(self.name("a name")?) } else { None };
        let several = self.sides()?;
        self.expect(")")?;
        if self.is("(") {
            let of = Type::Function(Rc::new(self.signature(ty.clone())?));
            return Ok(Some((name, in_array(of, &several))));
        }
        let row = in_array(ty.clone(), &self.sides()?);
        Ok(Some((name, in_array(pointer_to(row, qualifiers), &several))))
    }

    /// `[4][16]`, of known lengths.
    pub(super) fn sides(&mut self) -> Result<Vec<u32>, Error> {
        let mut sides = Vec::new();
        while self.accept("[") {
            let side = self.expression()?;
            let count = self.whole(&side).and_then(|side| u32::try_from(side).ok());
            sides.push(count.ok_or_else(|| Error::outside(side.at, "the length of these rows"))?);
            self.expect("]")?;
        }
        Ok(sides)
    }

    /// The types between the brackets after a pointer to a function.
    fn signature(&mut self, returns: Type) -> Result<Signature, Error> {
        self.expect("(")?;
        if self.is("void") && self.ahead(1).is(")") {
            self.index += 1;
        }
        let mut parameters = Vec::new();
        while !self.accept(")") {
            let base = self.base()?;
            let qualifiers = base.storage.qualifiers;
            let ty = self.pointers_of(base.ty, qualifiers);
            if self.is("&") {
                let told = "a reference as a parameter of a pointer to a function";
                return Err(Error::outside(self.at(), told));
            }
            if self.token().kind == TokenClass::Name {
                self.index += 1;
            }
            parameters.push(self.decayed(ty, qualifiers)?);
            if !self.is(")") {
                self.expect(",")?;
            }
        }
        Ok(Signature { returns, parameters })
    }

    /// `[](float x) { ... }`: a function with a name of its own.
    pub(super) fn nameless(&mut self) -> Result<Expr, Error> {
        let at = self.expect("[")?;
        if !self.accept("]") {
            return Err(Error::outside(at, "a lambda that captures variables"));
        }
        let name: Rc<str> = format!("lambda_{}", self.number()).into();
        let function = self.lambda_called(name.clone(), at)?;
        self.methods.push(Rc::new(function));
        Ok(Expr::new(ExprKind::Name(name), at))
    }

    /// A lambda after what it captures.
    pub(super) fn lambda_called(&mut self, name: Rc<str>, at: Pos) -> Result<Function, Error> {
        let parameters =
            if self.is("(") { self.parameters(false)?.unwrap_or_default() } else { Vec::new() };
        while ["mutable", "constexpr", "noexcept", "__device__", "__host__"]
            .iter()
            .any(|word| self.accept(word))
        {}
        let returns = if self.accept("->") {
            let base = self.base()?;
            Some(self.pointers_of(base.ty, base.storage.qualifiers))
        } else {
            None
        };
        let body = self.block()?;
        let (deduced, returns) = (returns.is_none(), returns.unwrap_or(Type::Void));
        Ok(Function {
            name,
            at,
            is_kernel: false,
            owner: None,
            returns,
            deduced,
            by_reference: false,
            parameters,
            bounds: None,
            body,
            end: at,
        })
    }
}

fn in_array(of: Type, sides: &[u32]) -> Type {
    sides.iter().rev().fold(of, |of, side| Type::Array(Box::new(of), *side))
}

/// A pointer to elements or rows of a type, which `const` and `volatile` before it are about, unless
/// they are about what those point at.
pub(super) fn pointer_to(of: Type, qualifiers: Qualifiers) -> Type {
    let is_pointer = matches!(of.shape().1, Type::Pointer(_));
    of.pointer(None, if is_pointer { Qualifiers::default() } else { qualifiers })
}
