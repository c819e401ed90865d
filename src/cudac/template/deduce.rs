//! Arguments of a template that follow from the arguments of a call.

use super::{Arguments, Template, Templates};
use crate::at::{Pos, SourceLine};
use crate::error::Error;
use crate::token::{Token, TokenClass, tokens};
use crate::types::{Qualifiers, Type};
use std::rc::Rc;

impl Template {
    /// The instance that a call means: `twice<float>` for `twice(x)`, where `given` are the types of
    /// the arguments, and `explicit` is what stands in `<>`.
    ///
    /// # Errors
    /// Something does not follow, or follows in two ways.
    pub(crate) fn deduced(
        &self,
        explicit: Option<&str>,
        given: &[Type],
        at: Pos,
    ) -> Result<String, Error> {
        let name = &self.tokens[self.name].text;
        let unknown =
            || Error::outside(at, &format!("`{name}` without all of its arguments in <>"));
        let mut known: Arguments = explicit.map_or(Ok(Vec::new()), read)?;
        let (fixed, wanted) = (known.len(), self.parameters.len());
        let parameters = self.signature();
        if fixed > wanted || parameters.len() != given.len() {
            return Err(unknown());
        }
        known.resize(wanted, Vec::new());
        for (parameter, ty) in parameters.iter().zip(given) {
            for (place, text) in self.follows(parameter, ty) {
                let text = tokens(&text, SourceLine::FIRST)?;
                if place < fixed {
                    continue;
                }
                if !(known[place].is_empty() || is_same(&known[place], &text)) {
                    return Err(unknown());
                }
                known[place] = text;
            }
        }
        for (one, parameter) in known.iter_mut().zip(&self.parameters) {
            if one.is_empty() {
                one.clone_from(&parameter.default);
            }
        }
        if known.iter().any(Vec::is_empty) {
            return Err(unknown());
        }
        Ok(super::named(name, &known))
    }

    /// The tokens of each of the function's parameters.
    fn signature(&self) -> Vec<Vec<Token>> {
        let (mut all, mut depth) = (vec![Vec::new()], 1_usize);
        for token in self.tokens.iter().skip(self.name + 2) {
            match &*token.text {
                "(" | "[" => depth += 1,
                ")" | "]" => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                break;
            }
            match all.last_mut() {
                _ if depth == 1 && token.is(",") => all.push(Vec::new()),
                Some(last) => last.push(token.clone()),
                None => {}
            }
        }
        all.retain(|one| !one.is_empty());
        all
    }

    /// What a parameter of the function says of the template's, by their places, if an argument has
    /// this type.
    fn follows(&self, parameter: &[Token], ty: &Type) -> Vec<(usize, String)> {
        let passed = ["const", "__restrict__", "__restrict"];
        let is_passed = |token: &&Token| !passed.iter().any(|word| token.is(word));
        let words: Vec<_> = parameter.iter().filter(is_passed).collect();
        let is_fixed = parameter.iter().take(2).any(|token| token.is("const"));
        let texts: Vec<_> = words.iter().map(|token| &*token.text).collect();
        let place = |word: &str| self.parameters.iter().position(|one| &*one.name == word);
        let Some(of) = texts.first().and_then(|word| place(word)) else { return Vec::new() };
        let one = |text: Option<String>| text.map(|text| (of, text)).into_iter().collect();
        let is_name = |at: usize| words.get(at).is_some_and(|token| token.kind == TokenClass::Name);
        match &texts[1..] {
            [_] if is_name(1) => one(type_text(&decayed(ty), false)),
            ["&", _] if is_name(2) && !matches!(ty, Type::Array(..) | Type::Pointer(_)) => {
                one(type_text(ty, false))
            }
            ["*", _] if is_name(2) => one(pointee(ty, is_fixed)),
            [_, "[", ..] if is_name(1) => one(pointee(ty, is_fixed)),
            ["(", "&", _, ")", sides @ ..] => {
                let (shape, element) = ty.shape();
                // `[ N ] [ M ]`: three tokens for each side.
                if shape.is_empty() || sides.len() != 3 * shape.len() {
                    return Vec::new();
                }
                let mut all: Vec<_> = one(type_text(element, false));
                for (side, length) in sides.chunks(3).zip(shape) {
                    all.extend(place(side[1]).map(|place| (place, length.to_string())));
                }
                all
            }
            _ => Vec::new(),
        }
    }
}

fn is_same(one: &[Token], other: &[Token]) -> bool {
    one.iter().map(|token| &token.text).eq(other.iter().map(|token| &token.text))
}

fn read(list: &str) -> Result<Arguments, Error> {
    let all = tokens(&format!("<{list}>"), SourceLine::FIRST)?;
    let given = super::arguments(&all, 0).map(|(given, _)| given);
    given.ok_or_else(|| Error::outside(Pos::START, "such arguments of a template"))
}

/// An array as an argument: the address of its first element.
fn decayed(ty: &Type) -> Type {
    match ty {
        Type::Array(inner, _) => (**inner).clone().pointer(None, Qualifiers::default()),
        other => other.clone(),
    }
}

/// What a pointer or an array points at, as it is written for `T` in `T*` or `const T*`.
fn pointee(ty: &Type, is_fixed: bool) -> Option<String> {
    match decayed(ty) {
        Type::Pointer(pointer) if !pointer.qualifiers.volatile => {
            type_text(&pointer.to, pointer.qualifiers.constant && !is_fixed)
        }
        _ => None,
    }
}

/// A type as a source has it.
fn type_text(ty: &Type, is_fixed: bool) -> Option<String> {
    let constant = if is_fixed { "const " } else { "" };
    match ty {
        Type::Scalar(_) | Type::Vector(..) | Type::Struct(_) => Some(format!("{constant}{ty}")),
        Type::Pointer(pointer) if !pointer.qualifiers.volatile && !is_fixed => {
            Some(type_text(&pointer.to, pointer.qualifiers.constant)? + " *")
        }
        Type::Pointer(_) | Type::Array(..) | Type::Void | Type::Function(_) => None,
    }
}

/// The name of a template and the arguments that a call gives: of `f<8>`, `f` and `8`.
pub(crate) fn called(name: &str) -> (&str, Option<&str>) {
    let split = name.split_once('<').and_then(|(name, list)| Some((name, list.strip_suffix('>')?)));
    split.map_or((name, None), |(name, list)| (name, Some(list)))
}

/// The template of a function that a call of this name means.
pub(crate) fn find<'t>(templates: &'t Templates, name: &str) -> Option<&'t Template> {
    let key: Rc<str> = called(name).0.into();
    templates.get(&key).filter(|template| !template.is_kernel && !template.is_structure)
}
