//! The functions of the library that a source may call, beside its own.

use super::ast::{Function, Module};
use super::error::Error;
use super::library::{SOURCES, names};
use super::parse;
use super::preprocess::of_library;
use super::token::{Token, TokenClass};
use std::rc::Rc;

/// Whether a source may call one of them: by its name, by that of `expf` without its `f`, or by an
/// operator of half precision.
fn may_call(tokens: &[Token]) -> bool {
    let called = |name: &str| {
        let is_it = |own: &str| own == name || own.strip_suffix('f') == Some(name);
        name.contains("half") || name.contains("bfloat16") || names().any(is_it)
    };
    let mut names = tokens.iter().filter(|token| token.kind == TokenClass::Name);
    names.any(|token| called(&token.text))
}

/// Adds the functions of the library that a source of these tokens may call and does not define.
///
/// # Errors
/// None: the library compiles.
pub(super) fn added(module: Module, tokens: &[Token]) -> Result<Module, Error> {
    if !may_call(tokens) {
        return Ok(module);
    }
    let mut functions = module.functions;
    let own: Vec<Rc<str>> = functions.iter().map(|function| Rc::clone(&function.name)).collect();
    for source in SOURCES {
        let library = parse::library(&of_library(source)?)?;
        let is_new = |function: &Rc<Function>| {
            !own.contains(&function.name) && !module.templates.contains_key(&function.name)
        };
        functions.extend(library.functions.into_iter().filter(is_new));
    }
    Ok(Module { functions, ..module })
}
