//! Templates of structures in the host's code, and their instances.

use super::Parser;
use super::host::opaque;
use crate::ast::{Expr, ExprKind, GenericParameter, HostExpr, StructureTemplate};
use crate::token::Token;
use crate::types::Type;
use std::collections::HashMap;
use std::rc::Rc;

impl StructureTemplate {
    /// The structure, where the parameters are these types and these numbers.
    pub(crate) fn with(
        &self,
        types: impl Iterator<Item = (Rc<str>, Type)>,
        numbers: impl Iterator<Item = (Rc<str>, i64)>,
    ) -> Option<Type> {
        let aliases = vec![self.types.clone().into_iter().chain(types).collect()];
        let known = self.numbers.clone().into_iter().chain(numbers).collect();
        let mut parser = Parser { is_host: true, aliases, known, ..Parser::new(&self.tokens) };
        parser.structure().ok()
    }
}

impl Parser<'_> {
    /// `struct Tile { T cells[SIDE][SIDE]; };`, after the parameters of its template.
    pub(super) fn structure_template(
        &self,
        generic: Vec<GenericParameter>,
    ) -> Option<StructureTemplate> {
        let words = &self.tokens[self.index..self.item_end(self.index)];
        let named = |pair: &[Token]| matches!(&*pair[1].text, "{" | ":" | "final");
        let name = words.windows(2).find(|pair| named(pair))?[0].text.clone();
        let end = self.tokens.last().cloned();
        let types = self.aliases.iter().flatten();
        Some(StructureTemplate {
            name,
            generic,
            tokens: words.iter().cloned().chain(end).collect(),
            types: types.map(|(name, ty)| (name.clone(), ty.clone())).collect(),
            numbers: self.known.clone(),
        })
    }

    /// The instance of a template of structures, with its member functions, if all of the list is known:
    /// it is called `Tile<float, 16>`.
    pub(super) fn structure_instance(&mut self, name: &str, list: &[Expr]) -> Option<Type> {
        let template = self.templates.iter().find(|one| &*one.name == name)?.clone();
        let (mut types, mut numbers, mut words) = (HashMap::new(), HashMap::new(), Vec::new());
        for (place, parameter) in template.generic.iter().enumerate() {
            let given = list.get(place).or(parameter.default.as_ref())?;
            if let ExprKind::Host(host) = &given.kind
                && let HostExpr::Type(ty) = &**host
            {
                if ty.bytes() == 0 {
                    return None;
                }
                words.push(ty.to_string());
                types.insert(parameter.name.clone(), ty.clone());
            } else {
                let number = self.whole(given)?;
                words.push(number.to_string());
                numbers.insert(parameter.name.clone(), number);
            }
        }
        let full: Rc<str> = format!("{name}<{}>", words.join(", ")).into();
        if let Some(known) = self.structures.get(&full) {
            return Some(known.clone());
        }
        if self.reading.contains(&full) {
            return Some(opaque(full, None));
        }
        // Its own name is that of the instance, so that its functions are the instance's.
        let named = |(at, token): (usize, &Token)| {
            let is_list = template.tokens.get(at + 1).is_some_and(|next| next.is("<"));
            let text = if token.is(name) && !is_list { full.clone() } else { token.text.clone() };
            Token { text, ..token.clone() }
        };
        let tokens: Vec<_> = template.tokens.iter().enumerate().map(named).collect();
        let around = template.types.into_iter().chain(types).collect();
        let mut parser = Parser {
            is_host: true,
            numbers: self.numbers,
            aliases: vec![around],
            known: template.numbers.into_iter().chain(numbers).collect(),
            structures: self.structures.clone(),
            templates: self.templates.clone(),
            reading: self.reading.iter().cloned().chain([full.clone()]).collect(),
            ..Parser::new(&tokens)
        };
        let ty = parser.structure().ok()?;
        self.numbers = parser.numbers;
        self.methods.append(&mut parser.methods);
        self.statics.append(&mut parser.statics);
        self.structures = parser.structures;
        Some(ty)
    }
}
