//! References: names for variables that are elsewhere.

use super::location::{Lvalue, MemoryOperand};
use super::lowering::{Binding, Lowering};
use super::stop::Result;
use super::value::RegClass;
use crate::ast::{Declaration, Expr, ExprKind, Init, Storage};
use crate::at::Pos;
use crate::error::Error;
use crate::types::{Scalar, Type};

impl<'a> Lowering<'a> {
    /// `float& x = s[i];`
    pub(super) fn reference(&mut self, one: &'a Declaration) -> Result<()> {
        let Some(Init::Value(expr)) = &one.init else {
            let told = format!("`{}` is a reference: to which variable is missing", one.name);
            return Err(Error::at(one.at, told).into());
        };
        let binding = self.referred(expr, &one.ty, one.storage)?;
        self.bind(&one.name, binding, one.at)
    }

    /// What a reference of this type stands for.
    pub(super) fn referred(
        &mut self,
        expr: &'a Expr,
        ty: &Type,
        storage: Storage,
    ) -> Result<Binding> {
        let at = expr.at;
        let is_fixed = storage.qualifiers.constant;
        let Some(place) = self.variable_at(expr)? else {
            if !is_fixed {
                let told = "a reference stands for a variable, and this is a value";
                return Err(Error::outside(at, told).hint("`const float&` takes a value").into());
            }
            let value = self.value(expr)?;
            let value = if storage.deduced { value } else { self.converted(at, value, ty)? };
            if value.is_constant() {
                return Ok(Binding::Constant(value));
            }
            let place = self.variable(&value.ty);
            self.store(at, place.clone(), value)?;
            return Ok(Binding::Place(place));
        };
        let own = place.ty();
        let (_, element) = own.shape();
        if matches!(element, Type::Pointer(_)) {
            return Err(Error::outside(at, "a reference to a pointer").into());
        }
        if storage.deduced || element == ty {
            return self.kept(at, place, is_fixed).map(Binding::Place);
        }
        if !is_fixed || matches!(own, Type::Array(..)) {
            let told = format!("a reference to a `{ty}` that stands for a `{own}`");
            return Err(Error::outside(at, &told).into());
        }
        // It stands for the value as the other type.
        let value = self.load(at, place)?;
        let value = self.converted(at, value, ty)?;
        let place = self.variable(&value.ty);
        self.store(at, place.clone(), value)?;
        Ok(Binding::Place(place))
    }

    /// The place of an expression that names a variable; `None` for a value.
    pub(super) fn variable_at(&mut self, expr: &'a Expr) -> Result<Option<Lvalue>> {
        let mut root = expr;
        while let ExprKind::Member(of, _) = &root.kind {
            root = of;
        }
        let is_variable = match &root.kind {
            ExprKind::Name(name) => matches!(self.find(name), Some(Binding::Place(_))),
            ExprKind::Index(..) | ExprKind::Unary('*', _) => true,
            _ => false,
        };
        if is_variable { self.place(expr).map(Some) } else { Ok(None) }
    }

    /// The same place, whatever becomes of the pointer by which it was found.
    fn kept(&mut self, at: Pos, place: Lvalue, is_fixed: bool) -> Result<Lvalue> {
        let Lvalue::Memory(memory) = place else { return Ok(place) };
        let moves = |binding: &Binding| matches!(binding, Binding::Place(Lvalue::Register(_, own)) if *own == memory.base);
        let base = if self.scopes.iter().flat_map(|scope| scope.values()).any(moves) {
            let copy = self.code.register_of(memory.base.class);
            let bits = if memory.base.class == RegClass::Word { 32 } else { 64 };
            self.code.emit(Some(at), format!("mov.u{bits} {copy}, {}", memory.base))?;
            copy
        } else {
            memory.base
        };
        let mut qualifiers = memory.qualifiers;
        qualifiers.constant |= is_fixed;
        Ok(Lvalue::Memory(MemoryOperand { base, qualifiers, ..memory }))
    }

    /// The type of an argument from which a template's is deduced: an array is not yet a pointer.
    pub(super) fn type_to_deduce(&mut self, expr: &'a Expr) -> Result<Type> {
        let mark = self.mark();
        if let Some(place) = self.variable_at(expr)? {
            self.back(mark);
            return Ok(place.ty());
        }
        let ty = self.type_of(expr)?;
        self.exact(expr, &ty)?;
        Ok(ty)
    }

    /// Refuses a choice between two small numbers: it is one here only after it became an `int`.
    pub(super) fn exact(&mut self, expr: &'a Expr, ty: &Type) -> Result<()> {
        let ExprKind::Choice(_, yes, no) = &expr.kind else { return Ok(()) };
        let (yes, no) = (self.type_of(yes)?, self.type_of(no)?);
        let is_small = matches!(yes, Type::Scalar(scalar) if scalar < Scalar::I32);
        if *ty == Type::INT && is_small && yes == no {
            return Err(Error::outside(expr.at, "a type that follows from this choice").into());
        }
        Ok(())
    }
}
