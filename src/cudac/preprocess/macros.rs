//! Macros, and their expansion.

use crate::at::Pos;
use crate::error::Error;
use crate::token::{Token, TokenClass, tokens};
use std::collections::HashMap;
use std::rc::Rc;

/// The largest number of tokens that expansion may produce.
const MOST_TOKENS: usize = 200_000;

/// How deep macros may stand in one another.
const DEEPEST: usize = 32;

#[derive(Clone, Debug)]
pub(super) struct Macro {
    /// The names of its parameters, or `None` for one without brackets.
    pub parameters: Option<Vec<Rc<str>>>,
    pub body: Vec<Token>,
}

/// The name of what is given for `...`.
const REST: &str = "__VA_ARGS__";

#[derive(Debug, Default)]
pub(super) struct Macros {
    known: HashMap<Rc<str>, Macro>,
    made: usize,
}

impl Macros {
    /// Defines a macro, perhaps again: what the source says last holds, also against the command
    /// line, as with nvcc.
    pub(super) fn define(&mut self, name: &str, made: Macro) {
        self.known.insert(name.into(), made);
    }

    pub(super) fn forget(&mut self, name: &str) {
        self.known.remove(name);
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.known.contains_key(name)
    }

    /// Reads what stands after `#define NAME`.
    pub(super) fn read(&mut self, name: &Token, rest: &[Token]) -> Result<(), Error> {
        // With parameters the bracket stands at the very name.
        let touching = |open: &&Token| {
            open.is("(")
                && open.at.line() == name.at.line()
                && open.at.column == name.at.column + name.at.length
        };
        let (parameters, body) = match rest.first().filter(touching) {
            None => (None, rest),
            Some(open) => {
                let close = rest.iter().position(|token| token.is(")"));
                let close =
                    close.ok_or_else(|| Error::at(open.at, "this bracket is not closed"))?;
                let names = rest[1..close].iter().filter(|token| !token.is(","));
                let is_rest = |token: &Token| token.is("...");
                let name =
                    |token: &Token| if is_rest(token) { REST.into() } else { token.text.clone() };
                (Some(names.map(name).collect()), &rest[close + 1..])
            }
        };
        self.define(&name.text, Macro { parameters, body: body.to_vec() });
        Ok(())
    }

    pub(super) fn expand(&mut self, given: &[Token], output: &mut Vec<Token>) -> Result<(), Error> {
        self.expand_in(given, &mut Vec::new(), None, output)
    }

    fn expand_in(
        &mut self,
        given: &[Token],
        within: &mut Vec<Rc<str>>,
        place: Option<Pos>,
        output: &mut Vec<Token>,
    ) -> Result<(), Error> {
        let mut index = 0;
        while let Some(token) = given.get(index) {
            index += 1;
            let at = place.unwrap_or(token.at);
            self.made += 1;
            if self.made > MOST_TOKENS || within.len() > DEEPEST {
                return Err(Error::at(at, "macros make this source too large"));
            }
            if token.is("_Pragma") {
                index += self.pragma(&given[index..], at, output);
                continue;
            }
            let is_name = token.kind == TokenClass::Name && !within.contains(&token.text);
            let found = self.known.get(&token.text).filter(|_| is_name).cloned();
            let Some(found) = found else {
                output.push(Token { at, ..token.clone() });
                continue;
            };
            let body = match &found.parameters {
                None => found.body,
                Some(_) if !given.get(index).is_some_and(|next| next.is("(")) => {
                    output.push(Token { at, ..token.clone() });
                    continue;
                }
                Some(names) => {
                    let (arguments, length) = arguments(&given[index..], at)?;
                    index += length;
                    filled(&found.body, names, &arguments, token, at)?
                }
            };
            self.made += body.len();
            within.push(token.text.clone());
            self.expand_in(&body, within, Some(at), output)?;
            within.pop();
        }
        Ok(())
    }

    /// `_Pragma("unroll 1")`; returns how many tokens belong to it.
    #[expect(clippy::unused_self, reason = "it stands beside the other expansions")]
    fn pragma(&self, rest: &[Token], at: Pos, output: &mut Vec<Token>) -> usize {
        let text = rest.get(1).filter(|text| text.kind == TokenClass::Text);
        let Some(text) = text else { return 0 };
        let words = tokens(text.text.trim_matches('"'), at.line()).unwrap_or_default();
        if words.first().is_some_and(|word| word.is("unroll")) {
            let factor = words.iter().find(|word| word.kind == TokenClass::Number);
            let text = factor.map_or_else(|| "".into(), |factor| factor.text.clone());
            output.push(Token { kind: TokenClass::Unroll, text, at });
        }
        3.min(rest.len())
    }
}

/// The arguments in brackets at the beginning of `rest`, and how many tokens they take.
fn arguments(rest: &[Token], at: Pos) -> Result<(Vec<Vec<Token>>, usize), Error> {
    let mut all = vec![Vec::new()];
    let mut depth = 0;
    for (index, token) in rest.iter().enumerate() {
        let opens = token.is("(");
        let closes = token.is(")");
        depth += i32::from(opens);
        depth -= i32::from(closes);
        if closes && depth == 0 {
            return Ok((all, index + 1));
        }
        let outermost = depth == 1;
        match all.last_mut() {
            _ if token.is(",") && outermost => all.push(Vec::new()),
            Some(last) if !(opens && outermost) => last.push(token.clone()),
            _ => {}
        }
    }
    Err(Error::at(at, "the brackets of this macro are not closed"))
}

fn filled(
    body: &[Token],
    names: &[Rc<str>],
    arguments: &[Vec<Token>],
    token: &Token,
    at: Pos,
) -> Result<Vec<Token>, Error> {
    let none = names.is_empty() && arguments.iter().all(Vec::is_empty);
    let arguments = &with_rest(names, arguments);
    if !none && names.len() != arguments.len() {
        let (name, wanted, given) = (&token.text, names.len(), arguments.len());
        return Err(Error::at(
            at,
            format!("`{name}` takes {wanted} arguments, and {given} are given"),
        ));
    }
    let mut filled: Vec<Token> = Vec::new();
    let given = |token: &Token| {
        let at =
            names.iter().position(|name| token.kind == TokenClass::Name && *name == token.text);
        at.map(|index| &*arguments[index])
    };
    let mut body = body.iter();
    while let Some(token) = body.next() {
        let is_text = token.is("#");
        if is_text || token.is("##") {
            let next = body.next();
            let next = next.ok_or_else(|| Error::at(token.at, "a name is missing after this"))?;
            let parts = given(next).unwrap_or(std::slice::from_ref(next));
            if is_text {
                filled.push(quoted(parts, next.at));
            } else {
                joined(&mut filled, parts, next.at)?;
            }
            continue;
        }
        match given(token) {
            Some(argument) => filled.extend(argument.iter().cloned()),
            None => filled.push(token.clone()),
        }
        if filled.len() > MOST_TOKENS {
            return Err(Error::at(token.at, "macros make this source too large"));
        }
    }
    Ok(filled)
}

/// The arguments, of which the last ones are together that for `...`.
fn with_rest(names: &[Rc<str>], arguments: &[Vec<Token>]) -> Vec<Vec<Token>> {
    let mut all = arguments.to_vec();
    if names.last().is_none_or(|last| &**last != REST) {
        return all;
    }
    let fixed = names.len() - 1;
    let rest = all.split_off(fixed.min(all.len()));
    let mut joined = Vec::new();
    for (index, one) in rest.into_iter().enumerate() {
        if let Some(first) = one.first().filter(|_| index > 0) {
            joined.push(Token { kind: TokenClass::Punctuator, text: ",".into(), at: first.at });
        }
        joined.extend(one);
    }
    all.push(joined);
    all
}

/// `#x`: the text of an argument in quotes.
fn quoted(parts: &[Token], at: Pos) -> Token {
    let words: Vec<_> = parts.iter().map(|token| &*token.text).collect();
    let text = words.join(" ").replace('\\', "\\\\").replace('"', "\\\"");
    Token { kind: TokenClass::Text, text: format!("\"{text}\"").into(), at }
}

/// `a ## b`: the last token of the one and the first of the other are one.
fn joined(filled: &mut Vec<Token>, parts: &[Token], at: Pos) -> Result<(), Error> {
    let (left, right) = (filled.pop(), parts.first());
    let text: String = left.iter().chain(right).map(|token| &*token.text).collect();
    let made = tokens(&text, at.line())?;
    filled.extend(made.into_iter().map(|token| Token { at, ..token }));
    filled.extend(parts.iter().skip(1).cloned());
    Ok(())
}
