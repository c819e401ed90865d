//! The preprocessor: comments, macros, conditions and `#pragma unroll`; the rest become tokens.

mod condition;
mod macros;

use super::at::At;
use super::error::Error;
use super::hint;
use super::token::{Kind, Token, tokens};
use condition::Conditions;
use macros::{Macro, Macros};

/// Turns a source into tokens, with these macros defined beforehand (`NAME=VALUE`).
///
/// # Errors
/// A directive that is wrong or not known, a character without a meaning, macros that grow without
/// bounds.
pub(super) fn preprocess(source: &str, defines: &[String]) -> Result<Vec<Token>, Error> {
    let mut macros = Macros::default();
    for define in defines {
        let (name, value) = define.split_once('=').unwrap_or((define, "1"));
        macros.define(name, Macro { parameters: None, body: tokens(value, 1)?, given: true });
    }
    let text = without_comments(source)?;
    let mut conditions = Conditions::default();
    let mut plain = Vec::new();
    let mut lines = text.lines().zip(1..).peekable();
    while let Some((line, number)) = lines.next() {
        let mut all = Vec::new();
        let (mut line, mut at_line) = (line, number);
        while let Some(before) = line.trim_end().strip_suffix('\\') {
            all.extend(cut(before, at_line)?);
            let Some(next) = lines.next() else { break };
            (line, at_line) = next;
        }
        if !line.trim_end().ends_with('\\') {
            all.extend(cut(line, at_line)?);
        }
        if all.first().is_some_and(|first| first.is("#")) {
            macros.expand(&std::mem::take(&mut plain), conditions.output())?;
            directive(&all, &mut macros, &mut conditions)?;
            continue;
        }
        if conditions.taken() {
            plain.extend(all);
        }
    }
    macros.expand(&plain, conditions.output())?;
    conditions.finish(end(source.trim_end()))
}

/// The tokens of an expression, with the macros of those of `directives` that define any.
///
/// # Errors
/// A character without a meaning, macros that grow without bounds.
pub(super) fn expression<'d>(
    text: &str,
    directives: impl Iterator<Item = &'d str>,
) -> Result<Vec<Token>, Error> {
    let mut macros = Macros::default();
    for directive in directives {
        let line = cut(&directive.replace("\\\n", " "), 1).unwrap_or_default();
        if let [_, word, name, rest @ ..] = &line[..]
            && word.is("define")
        {
            // What cannot be read here is no number.
            let _ = macros.read(name, rest);
        }
    }
    let mut output = Vec::new();
    macros.expand(&tokens(&text.replace('\n', " "), 1)?, &mut output)?;
    output.push(Token { kind: Kind::End, text: "".into(), at: At::START });
    Ok(output)
}

/// The tokens of a line, of which `#` may begin one.
fn cut(line: &str, number: u32) -> Result<Vec<Token>, Error> {
    let trimmed = line.trim_start();
    let Some(rest) = trimmed.strip_prefix('#') else { return tokens(line, number) };
    let before = line.chars().count() - trimmed.chars().count();
    let at = At { line: number, column: before as u32 + 1, length: 1 };
    let hash = Token { kind: Kind::Punctuator, text: "#".into(), at };
    let blank = " ".repeat(before + 1);
    // What follows `#error` is prose.
    if rest.trim_start().starts_with("error") {
        let text = rest.trim_start().trim_start_matches("error").trim().into();
        let word = Token { kind: Kind::Name, text: "error".into(), at };
        return Ok(vec![hash, word, Token { kind: Kind::Text, text, at }]);
    }
    Ok([hash].into_iter().chain(tokens(&format!("{blank}{rest}"), number)?).collect())
}

/// The words that can follow `#`.
const DIRECTIVES: &[&str] = &[
    "define", "undef", "if", "ifdef", "ifndef", "elif", "else", "endif", "include", "pragma",
    "error",
];

/// Obeys a line that begins with `#`.
fn directive(
    line: &[Token],
    macros: &mut Macros,
    conditions: &mut Conditions,
) -> Result<(), Error> {
    let Some(word) = line.get(1) else { return Ok(()) };
    let rest = &line[2..];
    let name = || {
        let name = rest.first().filter(|name| name.kind == Kind::Name);
        name.ok_or_else(|| Error::at(word.at.after(), format!("#{} needs a name", word.text)))
    };
    match &*word.text {
        "ifdef" => conditions.open(macros.has(&name()?.text), word.at),
        "ifndef" => conditions.open(!macros.has(&name()?.text), word.at),
        "if" => {
            let holds = !conditions.taken() || condition::holds(rest, macros, word.at)?;
            conditions.open(holds, word.at);
        }
        "elif" => {
            let holds = conditions.may_turn() && condition::holds(rest, macros, word.at)?;
            conditions.turn(holds, word.at)?;
        }
        "else" => conditions.turn(true, word.at)?,
        "endif" => conditions.close(word.at)?,
        _ if !conditions.taken() => {}
        "define" => macros.read(name()?, &rest[1..])?,
        "undef" => macros.forget(&name()?.text),
        "pragma" => pragma(rest, word.at, conditions.output()),
        "include" => include(rest, word.at)?,
        "error" => {
            let told = rest.first().map_or("", |text| &*text.text);
            return Err(Error::at(word.at, format!("#error {told}")));
        }
        other => {
            let error = Error::outside(word.at, &format!("`#{other}`"));
            return Err(hint::similar(error, other, DIRECTIVES));
        }
    }
    Ok(())
}

/// `#pragma unroll` becomes a token; other pragmas change no meaning.
fn pragma(rest: &[Token], at: At, output: &mut Vec<Token>) {
    if rest.first().is_some_and(|word| word.is("unroll")) {
        let factor = rest.iter().find(|token| token.kind == Kind::Number);
        let text = factor.map_or_else(|| "".into(), |factor| factor.text.clone());
        output.push(Token { kind: Kind::Unroll, text, at });
    }
}

/// NVIDIA's own header declares what is known here anyway; no other is read.
fn include(rest: &[Token], at: At) -> Result<(), Error> {
    let name: String = rest.iter().map(|token| &*token.text).collect();
    let name = name.trim_matches(['<', '>', '"']);
    if ["cuda_runtime.h", "cuda.h", "device_launch_parameters.h"].contains(&name) {
        return Ok(());
    }
    Err(Error::outside(at, &format!("`#include <{name}>`")))
}

/// The place after the last character.
fn end(source: &str) -> At {
    let last = source.rsplit('\n').next().unwrap_or(source);
    let line = source.matches('\n').count() as u32 + 1;
    At { line, column: last.chars().count() as u32 + 1, length: 1 }
}

/// The source with a space for each character of a comment, so that every token keeps its place.
fn without_comments(source: &str) -> Result<String, Error> {
    let mut text = String::with_capacity(source.len());
    let mut chars = source.chars().peekable();
    let mut quoted = false;
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('"', _) => {
                quoted = !quoted;
                text.push(c);
            }
            ('/', Some('/')) if !quoted => while chars.next_if(|c| *c != '\n').is_some() {},
            ('/', Some('*')) if !quoted => {
                let begins = text.len();
                text.push_str("  ");
                chars.next();
                let mut last = ' ';
                loop {
                    let Some(c) = chars.next() else {
                        let at = At { length: 2, ..end(&text[..begins]) };
                        return Err(Error::at(at, "this comment does not end"));
                    };
                    text.push(if c == '\n' { '\n' } else { ' ' });
                    if last == '*' && c == '/' {
                        break;
                    }
                    last = c;
                }
            }
            ('\n', _) => {
                quoted = false;
                text.push(c);
            }
            _ => text.push(c),
        }
    }
    Ok(text)
}
