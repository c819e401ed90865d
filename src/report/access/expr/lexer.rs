//! Splits the text of an expression into tokens.

use super::error::{ExprError, Wrong};

/// A token; `at` is its start, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub(super) at: usize,
    pub(super) kind: TokenKind<'a>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind<'a> {
    Number(i64),
    Name(&'a str),
    Symbol(&'static str),
    End,
}

/// Every symbol; where two match, the longer comes first.
const SYMBOLS: [&str; 25] = [
    "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "<", ">", "+", "-", "*", "/", "%", "&", "|",
    "^", "~", "!", "?", ":", "(", ")", "=",
];

/// Returns all tokens of the text, the last one `End`.
pub(super) fn tokens(text: &str) -> Result<Vec<Token<'_>>, ExprError> {
    let mut tokens = Vec::new();
    let mut at = 0;
    loop {
        at += text[at..].len() - text[at..].trim_start().len();
        let (kind, length) = token(text, at)?;
        tokens.push(Token { at, kind });
        if kind == TokenKind::End {
            return Ok(tokens);
        }
        at += length;
    }
}

/// Returns the token that starts at `at`, and its length.
fn token(text: &str, at: usize) -> Result<(TokenKind<'_>, usize), ExprError> {
    let rest = &text[at..];
    let Some(first) = rest.chars().next() else { return Ok((TokenKind::End, 0)) };
    if first.is_ascii_digit() {
        let word = word(rest);
        return Ok((TokenKind::Number(number(word, at)?), word.len()));
    }
    if first.is_ascii_alphabetic() || first == '_' {
        let word = word(rest);
        return Ok((TokenKind::Name(word), word.len()));
    }
    let symbol = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol));
    symbol.map(|symbol| (TokenKind::Symbol(symbol), symbol.len())).ok_or_else(|| {
        let found = format!("`{}`", first.escape_debug());
        ExprError { what: Wrong::Unexpected { expected: "an expression", found }, at, thread: None }
    })
}

/// Returns the letters, digits, underscores and dots (`threadIdx.x`) at the start of `text`.
fn word(text: &str) -> &str {
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || "_.".contains(c)));
    &text[..end.unwrap_or(text.len())]
}

/// Parses `12` or `0x1f`, with C's suffixes (`32u`, `1LL`). A leading zero means octal in C: it is
/// refused rather than guessed.
fn number(word: &str, at: usize) -> Result<i64, ExprError> {
    let hex = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X"));
    let digits = hex.unwrap_or(word).trim_end_matches(['u', 'U', 'l', 'L']);
    let octal = hex.is_none() && digits.len() > 1 && digits.starts_with('0');
    let value = i64::from_str_radix(digits, if hex.is_some() { 16 } else { 10 }).ok();
    let wrong = || ExprError { what: Wrong::Number(word.to_owned()), at, thread: None };
    value.filter(|_| !octal).ok_or_else(wrong)
}
