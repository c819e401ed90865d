//! The parameters of a function.

use super::Parser;
use super::pointed::pointer_to;
use crate::ast::{Parameter, Storage};
use crate::error::Error;
use crate::types::{Qualifiers, Type};

impl Parser<'_> {
    /// The parameters of a function; `None` if it is only declared here.
    pub(super) fn parameters(&mut self, is_kernel: bool) -> Result<Option<Vec<Parameter>>, Error> {
        self.expect("(")?;
        let mut parameters = Vec::new();
        if self.is("void") && self.ahead(1).is(")") {
            self.index += 1;
        }
        while !self.accept(")") {
            let base = self.base()?;
            let qualifiers = base.storage.qualifiers;
            let ty = self.pointers_of(base.ty, qualifiers);
            let at = self.at();
            let (name, mut ty, by_reference) = if self.is_unnamed() {
                let by_reference = self.accept("&");
                (format!("unnamed_{}", parameters.len()).into(), ty, by_reference)
            } else {
                let one = self.declared(ty, qualifiers, "the name of a parameter")?;
                (one.name.text.clone(), one.ty, one.by_reference)
            };
            if by_reference && is_kernel || base.storage.deduced {
                let what =
                    if by_reference { "a reference to the host's" } else { "such a parameter" };
                return Err(Error::outside(at, what));
            }
            ty = self.decayed(ty, qualifiers)?;
            let storage = Storage { by_reference, ..base.storage };
            let default = if self.accept("=") { Some(self.assignment()?) } else { None };
            self.parameters += 1;
            let id = self.parameters;
            parameters.push(Parameter { id, ty, name, at, storage, default });
            if !self.is(")") {
                self.expect(",")?;
            }
        }
        Ok(if self.accept(";") { None } else { Some(parameters) })
    }

    /// Whether a parameter without a name ends here.
    fn is_unnamed(&self) -> bool {
        let end = self.ahead(usize::from(self.is("&")));
        [",", ")", "=", "["].iter().any(|word| end.is(word))
    }

    /// A parameter that is an array, `float rows[][16]`: a pointer to its first element.
    pub(super) fn decayed(&mut self, ty: Type, qualifiers: Qualifiers) -> Result<Type, Error> {
        if !self.is("[") {
            return Ok(ty);
        }
        let mut sides = Vec::new();
        while self.accept("[") {
            let side = if self.is("]") { None } else { Some(self.assignment()?) };
            self.expect("]")?;
            sides.push(side);
        }
        let mut row = ty;
        for side in sides.iter().skip(1).rev() {
            let at = self.at();
            let count = side.as_ref().and_then(|side| self.whole(side));
            let count = count.and_then(|count| u32::try_from(count).ok());
            let count = count.ok_or_else(|| Error::outside(at, "the length of these rows"))?;
            row = Type::Array(Box::new(row), count);
        }
        Ok(pointer_to(row, qualifiers))
    }
}
