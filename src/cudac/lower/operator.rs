//! Operators that the source defines for its own values.

use super::inline::InlineArgument;
use super::location::Lvalue;
use super::lowering::{Binding, Lowering};
use super::stop::Result;
use super::value::Value;
use crate::ast::Function;
use crate::at::Pos;
use crate::types::Type;
use std::rc::Rc;

impl<'a> Lowering<'a> {
    /// `a op b`, or `op a`, by an operator that the source defines for such values; `None` if it has
    /// none.
    pub(super) fn own_operator(
        &mut self,
        at: Pos,
        operator: &str,
        given: &[&Value],
    ) -> Result<Option<Value>> {
        let is_object = |value: &&Value| matches!(value.ty, Type::Vector(..) | Type::Struct(_));
        if !given.iter().any(is_object) {
            return Ok(None);
        }
        let types: Vec<_> = given.iter().map(|value| value.ty.clone()).collect();
        let Some(function) = self.operator_of(operator, &types) else { return Ok(None) };
        let given = given.iter().map(|value| InlineArgument::Value((*value).clone())).collect();
        self.inline_given(at, function, None, given).map(Some)
    }

    /// `place op= value` by such an operator, which changes what it is given first.
    pub(super) fn own_assignment(
        &mut self,
        at: Pos,
        operator: &str,
        place: &Lvalue,
        value: &Value,
    ) -> Result<bool> {
        let types = [place.ty(), value.ty.clone()];
        let found = self.operator_of(&format!("{operator}="), &types);
        let is_object = matches!(types[0], Type::Vector(..) | Type::Struct(_));
        let Some(function) = found.filter(|_| is_object) else { return Ok(false) };
        let place = InlineArgument::Bound(Binding::Place(place.clone()));
        let given = vec![place, InlineArgument::Value(value.clone())];
        self.inline_given(at, function, None, given)?;
        Ok(true)
    }

    fn operator_of(&self, operator: &str, types: &[Type]) -> Option<&'a Rc<Function>> {
        let name = format!("operator{operator}");
        let module = self.module;
        let fits = |function: &&Rc<Function>, is_exact: bool| {
            let mut pairs = function.parameters.iter().zip(types);
            let is_number = |ty: &Type| matches!(ty, Type::Scalar(_));
            function.parameters.len() == types.len()
                && pairs.all(|(own, ty)| {
                    own.ty == *ty || !is_exact && is_number(&own.ty) && is_number(ty)
                })
        };
        let named = || module.functions.iter().filter(|one| *one.name == name);
        named().find(|one| fits(one, true)).or_else(|| named().find(|one| fits(one, false)))
    }
}
