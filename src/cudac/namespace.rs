//! Namespaces: their braces go, and `outer::inner::name` is `name`, which only one of them may have.

use super::hint;
use super::parse::is_type;
use super::token::{Token, TokenClass};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Namespaces of libraries whose names are known here without them, as far as they are known.
const STANDARD: [&str; 2] = ["std", "cuda"];

/// The tokens of a source without namespaces.
pub(super) fn flattened(source: Vec<Token>) -> Vec<Token> {
    let has_some = source.iter().any(|token| token.is("namespace") || token.is("::"));
    if !has_some {
        return source;
    }
    let names = named(&source);
    let mut left: Vec<Token> = Vec::new();
    // For each brace that is open, whether it is a namespace's.
    let mut open = Vec::new();
    let mut at = 0;
    while let Some(token) = source.get(at) {
        let rest = &source[at..];
        if let Some(length) = opens(rest) {
            open.push(true);
            at += length;
            continue;
        }
        if let Some(length) = says_where(rest, &names) {
            at += length;
            continue;
        }
        if let Some(length) = prefix(rest, &names, left.last()) {
            at += length;
            continue;
        }
        at += 1;
        if token.is("{") {
            open.push(false);
        }
        if token.is("}") && open.pop() == Some(true) {
            continue;
        }
        left.push(token.clone());
    }
    left
}

/// The names of the source's namespaces, and the other names that it gives them.
fn named(source: &[Token]) -> BTreeSet<Rc<str>> {
    let mut names = BTreeSet::new();
    for (at, token) in source.iter().enumerate().filter(|(_, token)| token.is("namespace")) {
        let is_used = at > 0 && source[at - 1].is("using");
        let path =
            source[at + 1..].iter().take_while(|one| one.kind == TokenClass::Name || one.is("::"));
        let path: Vec<_> = path.filter(|one| one.kind == TokenClass::Name).collect();
        let ends = source[at + 1..].iter().find(|one| one.is("{") || one.is("=") || one.is(";"));
        let is_alias = ends.is_some_and(|end| end.is("="));
        let is_of_a_library = is_alias
            && source[at + 1..]
                .iter()
                .take_while(|one| !one.is(";"))
                .any(|one| LIBRARIES.contains(&&*one.text));
        if !is_used && token.kind == TokenClass::Name && !is_of_a_library {
            names.extend(path.iter().map(|name| name.text.clone()));
        }
    }
    names
}

/// Namespaces of NVIDIA's libraries: what they have is named where it is used.
const LIBRARIES: [&str; 2] = ["nvcuda", "wmma"];

/// The length of `namespace name {`, `namespace {` or `inline namespace name {`.
fn opens(rest: &[Token]) -> Option<usize> {
    let start = usize::from(rest.first()?.is("inline"));
    if !rest.get(start)?.is("namespace") {
        return None;
    }
    let is_path = |token: &&Token| token.kind == TokenClass::Name || token.is("::");
    let length = start + 1 + rest[start + 1..].iter().take_while(is_path).count();
    rest.get(length)?.is("{").then_some(length + 1)
}

/// The length of `using namespace x;`, of `using x::name;` or of `namespace x = y;`, where `x` is
/// known.
fn says_where(rest: &[Token], names: &BTreeSet<Rc<str>>) -> Option<usize> {
    let end = rest.iter().position(|token| token.is(";"))?;
    let (first, second) = (rest.first()?, rest.get(1)?);
    let is_known = |token: &Token| STANDARD.contains(&&*token.text) || names.contains(&token.text);
    let is_space = first.is("using") && second.is("namespace");
    let is_name = first.is("using") && is_known(second) && rest.get(2)?.is("::");
    let is_alias = first.is("namespace") && rest.get(2)?.is("=");
    (is_space || is_name || is_alias).then_some(end + 1)
}

/// The length of `space::` at the beginning, or of a `::` before which nothing stands.
fn prefix(rest: &[Token], names: &BTreeSet<Rc<str>>, before: Option<&Token>) -> Option<usize> {
    let first = rest.first()?;
    let follows_a_name =
        before.is_some_and(|token| token.kind == TokenClass::Name || token.is(">"));
    let is_name = rest.get(1).is_some_and(|next| next.kind == TokenClass::Name);
    if first.is("::") && is_name && !follows_a_name {
        return Some(1);
    }
    if first.kind != TokenClass::Name || !rest.get(1)?.is("::") {
        return None;
    }
    let name = &rest.get(2)?.text;
    let is_known = hint::is_function(name) || is_type(name);
    let is_standard = STANDARD.contains(&&*first.text) && is_known;
    (names.contains(&first.text) || is_standard).then_some(2)
}
