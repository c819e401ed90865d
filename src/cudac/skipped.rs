//! Declarations that no kernel need use: they are passed over, and told where something names them.

use super::error::Error;
use super::token::{Token, TokenClass};
use std::rc::Rc;

/// A skipped declaration; an error if a kernel uses it.
#[derive(Debug)]
pub(super) struct SkippedDeclaration {
    pub names: Vec<Rc<str>>,
    pub error: Error,
    pub is_kernel: bool,
}

pub(super) fn passed_over(skipped: &[SkippedDeclaration], name: &str) -> Option<Error> {
    let mut all = skipped.iter().filter(|one| one.names.iter().any(|own| &**own == name));
    all.next().map(|one| one.error.clone())
}

/// The names before the first bracket or value of a declaration, and after its last brace.
pub(super) fn names(tokens: &[Token]) -> Vec<Rc<str>> {
    let ends = |token: &Token| ["(", "{", "=", "[", ";"].iter().any(|end| token.is(end));
    let head = tokens.iter().take_while(|token| !ends(token));
    let tail = tokens.iter().rev().take_while(|token| !token.is("}"));
    let all = head.chain(tail).filter(|token| token.kind == TokenClass::Name);
    all.map(|token| token.text.clone()).collect()
}
