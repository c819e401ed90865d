//! Names for types, and references: `typedef`, `using`, `float& x`, `float (&rows)[4][8]`.

use super::{Declarator, Parser, is_type};
use crate::error::Error;
use crate::token::{Token, TokenClass};
use crate::types::{Qualifiers, Type};

impl<'a> Parser<'a> {
    pub(super) fn alias(&self, name: &str) -> Option<&Type> {
        self.aliases.iter().rev().find_map(|scope| scope.get(name))
    }

    pub(super) fn begins_type(&self, word: &str) -> bool {
        is_type(word) || word == "signed" || self.alias(word).is_some()
    }

    pub(super) fn names_a_type(&self) -> bool {
        self.is("typedef") || self.is("using")
    }

    /// `typedef float* Row, Real;` or `using Row = float*;`
    pub(super) fn named_type(&mut self) -> Result<(), Error> {
        let begins = self.next();
        if begins.is("using") {
            let name = self.next();
            if name.is("namespace") || !self.accept("=") {
                return Err(Error::outside(begins.at, "a namespace"));
            }
            let (base, qualifiers) = self.nameable(begins)?;
            let ty = self.pointers_of(base, qualifiers);
            let pointer = self.rows(&ty, qualifiers, false)?;
            self.name_type(name, pointer.map_or(ty, |(_, pointer)| pointer));
        } else {
            let (base, qualifiers) = if self.is("enum") && self.defines_an_enumeration() {
                let constants = self.enumeration()?;
                self.statics.extend(constants);
                (Type::INT, Qualifiers::default())
            } else if self.defines_a_structure() {
                (self.structure()?, Qualifiers::default())
            } else {
                self.nameable(begins)?
            };
            loop {
                let ty = self.pointers_of(base.clone(), qualifiers);
                let (name, ty) = match self.rows(&ty, qualifiers, true)? {
                    Some((Some(name), pointer)) => (name, pointer),
                    _ => (self.name("the name of a type")?, ty),
                };
                let sides = self.sides()?;
                let array = |of, side: &u32| Type::Array(Box::new(of), *side);
                self.name_type(name, sides.iter().rev().fold(ty, array));
                if !self.accept(",") {
                    break;
                }
            }
        }
        if self.token().kind == TokenClass::Punctuator && !self.is(";") {
            return Err(Error::outside(self.at(), "a name for such a type"));
        }
        self.expect(";")?;
        Ok(())
    }

    /// The words of a type that can get a name, and what they say of what it points at.
    fn nameable(&mut self, begins: &Token) -> Result<(Type, Qualifiers), Error> {
        let base = self.base()?;
        let qualifiers = base.storage.qualifiers;
        if qualifiers.volatile || base.storage.deduced {
            return Err(Error::outside(begins.at, "a name for such a type"));
        }
        Ok((base.ty, qualifiers))
    }

    fn name_type(&mut self, name: &Token, ty: Type) {
        if let Some(scope) = self.aliases.last_mut() {
            scope.insert(name.text.clone(), ty);
        }
    }

    /// A name with its type, after the words and stars before it.
    pub(super) fn declared(
        &mut self,
        ty: Type,
        qualifiers: Qualifiers,
        what: &str,
    ) -> Result<Declarator<'a>, Error> {
        if self.is("&&") {
            return Err(Error::outside(self.at(), "an rvalue reference"));
        }
        if self.is("(") && self.ahead(1).is("&") {
            self.index += 2;
            let name = self.name(what)?;
            self.expect(")")?;
            // The array itself says how long it is.
            while self.accept("[") {
                self.expression()?;
                self.expect("]")?;
            }
            return Ok(Declarator { name, ty, by_reference: true });
        }
        if self.accept("&") {
            let name = self.name(what)?;
            return Ok(Declarator { name, ty, by_reference: true });
        }
        if self.is_host && self.points_to_function() {
            self.index += 2;
            let name = self.name(what)?;
            self.expect(")")?;
            self.closing_bracket();
            let ty = Type::Void.pointer(None, Qualifiers::default());
            return Ok(Declarator { name, ty, by_reference: false });
        }
        match self.rows(&ty, qualifiers, true)? {
            Some((Some(name), ty)) => Ok(Declarator { name, ty, by_reference: false }),
            _ => Ok(Declarator { name: self.name(what)?, ty, by_reference: false }),
        }
    }
}
