//! The preprocessor: comments, macros, conditions and `#pragma unroll`; the rest become tokens.

mod condition;
mod macros;

use super::at::{Pos, SourceLine};
use super::compiled::CompileOptions;
use super::error::Error;
use super::file::is_foreign;
use super::hint;
use super::library;
use super::source::{Lexeme, LexemeKind, lexemes};
use super::token::{Token, TokenClass, tokens};
use condition::Conditions;
use macros::{Macro, Macros};

/// How deep headers may stand in one another.
const DEEPEST: usize = 16;

/// How many headers may be read, the same one again and again included.
const MOST_HEADERS: usize = 256;

/// Turns a source and the headers that it includes into tokens, with the macros of the options
/// defined beforehand.
///
/// # Errors
/// A directive that is wrong or not known, a character without a meaning, macros or headers that
/// grow without bounds.
pub(super) fn preprocess(source: &str, options: &CompileOptions) -> Result<Vec<Token>, Error> {
    let mut reader = Preprocessor::new(defined(options.defines)?, options.headers);
    reader.file(source, 0, 0)?;
    // Another header may have included that of the groups.
    let groups = library::declared(library::GROUPS);
    let groups = groups.filter(|groups| !reader.headers.declared.contains(groups));
    let all = reader.conditions.finish(end(source.trim_end(), 0))?;
    let has = |word: &str| all.iter().any(|token| token.is(word));
    let Some(groups) = groups.filter(|_| has("cooperative_groups")) else { return Ok(all) };
    let declared = of_library(groups)?.into_iter();
    Ok(declared.filter(|token| token.kind != TokenClass::End).chain(all).collect())
}

/// The tokens of a source of the library, all in its file.
pub(super) fn of_library(source: &str) -> Result<Vec<Token>, Error> {
    let mut reader = Preprocessor::new(Macros::default(), &[]);
    reader.file(source, 0, 0)?;
    let tokens = reader.conditions.finish(end(source.trim_end(), 0))?;
    let here = |mut token: Token| {
        token.at.file = library::FILE;
        token
    };
    Ok(tokens.into_iter().map(here).collect())
}

/// The macros of the command line, as `NAME=VALUE` or `NAME`.
fn defined(defines: &[String]) -> Result<Macros, Error> {
    let mut macros = Macros::default();
    for define in defines {
        let (name, value) = define.split_once('=').unwrap_or((define, "1"));
        let body = tokens(value, SourceLine::FIRST)?;
        macros.define(name, Macro { parameters: None, body });
    }
    Ok(macros)
}

struct Preprocessor<'a> {
    macros: Macros,
    conditions: Conditions,
    headers: Headers<'a>,
}

struct Headers<'a> {
    known: &'a [(String, String)],
    /// Those that are not to be read again.
    once: Vec<u32>,
    /// What headers of CUDA have declared.
    declared: Vec<&'static str>,
    read: usize,
}

impl<'a> Preprocessor<'a> {
    fn new(macros: Macros, known: &'a [(String, String)]) -> Self {
        let headers = Headers { known, once: Vec::new(), declared: Vec::new(), read: 0 };
        Self { macros, conditions: Conditions::default(), headers }
    }

    /// Reads a file that stands in `depth` others.
    fn file(&mut self, source: &str, file: u32, depth: usize) -> Result<(), Error> {
        let lexemes = without_comments(source, file)?;
        let token =
            |lexeme: &Lexeme<'_>| Token::read(lexeme, SourceLine { file, number: lexeme.line });
        let mut plain = Vec::new();
        for part in lexemes.chunk_by(|one, two| one.directive == two.directive) {
            if part.first().is_some_and(|first| first.directive.is_some()) {
                self.macros.expand(&std::mem::take(&mut plain), self.conditions.output())?;
                self.directive(&directive_tokens(source, part, token)?, depth)?;
            } else {
                let tokens = part.iter().map(token).collect::<Result<Vec<_>, _>>()?;
                plain.extend(tokens.into_iter().filter(|_| self.conditions.taken()));
            }
        }
        self.macros.expand(&plain, self.conditions.output())
    }

    fn directive(&mut self, line: &[Token], depth: usize) -> Result<(), Error> {
        let Some(word) = line.get(1) else { return Ok(()) };
        let taken = self.conditions.taken();
        match &*word.text {
            "include" if taken => self.include(&line[2..], word.at, depth),
            "pragma" if taken && line.get(2).is_some_and(|word| word.is("once")) => {
                self.headers.once.push(word.at.file);
                Ok(())
            }
            _ => directive(line, &mut self.macros, &mut self.conditions),
        }
    }

    /// Reads a header of the source's own. What another declares is known here anyway, or is named
    /// where it is used.
    fn include(&mut self, rest: &[Token], at: Pos, depth: usize) -> Result<(), Error> {
        let name: String = rest.iter().map(|token| &*token.text).collect();
        let is_foreign = name.starts_with('<') || is_foreign(name.trim_matches('"'));
        let name = name.trim_matches(['<', '>', '"']);
        let known = self.headers.known;
        let Some((header, number)) = known.iter().zip(1..).find(|((own, _), _)| own == name) else {
            let outside = || Error::outside(at, &format!("`#include \"{name}\"`"));
            if let Some(text) = library::declared(name)
                && !self.headers.declared.contains(&text)
            {
                self.headers.declared.push(text);
                let declared = of_library(text)?.into_iter();
                let declared = declared.filter(|token| token.kind != TokenClass::End);
                self.conditions.output().extend(declared);
            }
            return if is_foreign { Ok(()) } else { Err(outside()) };
        };
        if self.headers.once.contains(&number) {
            return Ok(());
        }
        self.headers.read += 1;
        if depth >= DEEPEST || self.headers.read > MOST_HEADERS {
            return Err(Error::at(at, format!("`{name}` includes itself again and again")));
        }
        self.file(&header.1, number, depth + 1)
    }
}

/// The tokens of a directive in a source: what follows `#error` is prose.
fn directive_tokens(
    source: &str,
    line: &[Lexeme<'_>],
    token: impl Fn(&Lexeme<'_>) -> Result<Token, Error>,
) -> Result<Vec<Token>, Error> {
    let [hash, word, prose @ ..] = line else { return line.iter().map(token).collect() };
    if word.text != "error" {
        return line.iter().map(token).collect();
    }
    let text = prose.first().zip(prose.last());
    let text = text.map_or("", |(first, last)| &source[first.start..last.end()]).into();
    let hash = token(hash)?;
    let at = hash.at;
    let word = Token { kind: TokenClass::Name, text: "error".into(), at };
    Ok(vec![hash, word, Token { kind: TokenClass::Text, text, at }])
}

const DIRECTIVES: &[&str] = &[
    "define", "undef", "if", "ifdef", "ifndef", "elif", "else", "endif", "include", "pragma",
    "error",
];

fn directive(
    line: &[Token],
    macros: &mut Macros,
    conditions: &mut Conditions,
) -> Result<(), Error> {
    let Some(word) = line.get(1) else { return Ok(()) };
    let rest = &line[2..];
    let name = || {
        let name = rest.first().filter(|name| name.kind == TokenClass::Name);
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
fn pragma(rest: &[Token], at: Pos, output: &mut Vec<Token>) {
    if rest.first().is_some_and(|word| word.is("unroll")) {
        let factor = rest.iter().find(|token| token.kind == TokenClass::Number);
        let text = factor.map_or_else(|| "".into(), |factor| factor.text.clone());
        output.push(Token { kind: TokenClass::Unroll, text, at });
    }
}

/// The place after the last character.
fn end(source: &str, file: u32) -> Pos {
    let last = source.rsplit('\n').next().unwrap_or(source);
    let number = source.matches('\n').count() as u32 + 1;
    SourceLine { file, number }.at(last.chars().count() as u32 + 1, 1)
}

/// The lexemes of a source but its comments, which must end.
fn without_comments(source: &str, file: u32) -> Result<Vec<Lexeme<'_>>, Error> {
    let mut all = lexemes(source);
    let is_open = |one: &&Lexeme<'_>| {
        one.text.starts_with("/*") && !(one.text.len() > 3 && one.text.ends_with("*/"))
    };
    if let Some(open) = all.iter().find(is_open) {
        let at = SourceLine { file, number: open.line }.at(open.column + 1, 2);
        return Err(Error::at(at, "this comment does not end"));
    }
    all.retain(|one| one.kind != LexemeKind::Comment);
    Ok(all)
}
