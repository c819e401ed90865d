//! Cuts a line of source into tokens.

use super::at::{At, Line};
use super::error::Error;
use std::rc::Rc;

/// Binary operators by their precedence, the loosest first.
pub(super) const PRECEDENCE: [&[&str]; 10] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<", ">", "<=", ">="],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A name or a keyword.
    Name,
    Number,
    /// A text in quotes.
    Text,
    /// An operator, a bracket, a comma or a semicolon.
    Punctuator,
    /// `#pragma unroll`: its text is the factor, or empty for the whole loop.
    Unroll,
    /// The end of the source.
    End,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub kind: Kind,
    pub text: Rc<str>,
    /// Its place.
    pub at: At,
}

impl Token {
    /// Whether it is this operator, bracket or word.
    pub(super) fn is(&self, text: &str) -> bool {
        matches!(self.kind, Kind::Name | Kind::Punctuator) && &*self.text == text
    }

    /// As it is named in a message.
    pub(super) fn shown(&self) -> String {
        match self.kind {
            Kind::End => "the end of the source".to_owned(),
            Kind::Unroll => "`#pragma unroll`".to_owned(),
            Kind::Name | Kind::Number | Kind::Text | Kind::Punctuator => format!("`{}`", self.text),
        }
    }
}

/// Punctuators of more than one character, the longest first.
const PUNCTUATORS: [&str; 24] = [
    "##", "<<=", ">>=", "...", "++", "--", "&&", "||", "+=", "-=", "*=", "/=", "%=", "&=", "|=",
    "^=", "==", "!=", "<=", ">=", "<<", ">>", "->", "::",
];

/// The words of C++ for operators.
const SPELLED: [(&str, &str); 4] = [("and", "&&"), ("or", "||"), ("not", "!"), ("xor", "^")];

/// Cuts one line, which has no comments and no line break.
pub(super) fn tokens(text: &str, line: Line) -> Result<Vec<Token>, Error> {
    let chars: Vec<char> = text.chars().collect();
    let mut tokens = Vec::new();
    let mut from = 0;
    while from < chars.len() {
        let first = chars[from];
        let at = |length: usize| line.at(from as u32 + 1, length.max(1) as u32);
        if first.is_whitespace() {
            from += 1;
            continue;
        }
        let rest = &chars[from..];
        let (kind, length) = if first.is_ascii_alphabetic() || first == '_' {
            (Kind::Name, count(rest, |c| c.is_ascii_alphanumeric() || c == '_'))
        } else if first.is_ascii_digit()
            || first == '.' && rest.get(1).is_some_and(char::is_ascii_digit)
        {
            (Kind::Number, digits(rest))
        } else if first == '"' {
            let length = quoted(rest)
                .ok_or_else(|| Error::at(at(1), "this text in quotes does not end on its line"))?;
            (Kind::Text, length)
        } else if first == '\'' {
            let length = character(rest)
                .ok_or_else(|| Error::outside(at(1), "such a character in quotes"))?;
            (Kind::Number, length)
        } else if first.is_ascii_punctuation() && !"$@\\`".contains(first) {
            let has = |known: &&&str| known.chars().eq(rest.iter().copied().take(known.len()));
            (Kind::Punctuator, PUNCTUATORS.iter().find(has).map_or(1, |found| found.len()))
        } else {
            return Err(Error::outside(at(1), &format!("`{first}`")));
        };
        let text: String = rest[..length].iter().collect();
        let spelled = SPELLED.iter().find(|(word, _)| *word == text);
        let (kind, text) =
            spelled.map_or((kind, &*text), |(_, operator)| (Kind::Punctuator, operator));
        tokens.push(Token { kind, text: text.into(), at: at(length) });
        from += length;
    }
    Ok(tokens)
}

/// The length of a text with its quotes; a quote after `\` is part of it.
fn quoted(chars: &[char]) -> Option<usize> {
    let mut at = 1;
    loop {
        match chars.get(at)? {
            '"' => return Some(at + 1),
            '\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// The length of one character in quotes, `'a'` or `'\n'`.
fn character(chars: &[char]) -> Option<usize> {
    let length = if chars.get(1)? == &'\\' { 4 } else { 3 };
    (chars.get(length - 1)? == &'\'').then_some(length)
}

fn count(chars: &[char], is: impl Fn(char) -> bool) -> usize {
    chars.iter().take_while(|c| is(**c)).count()
}

/// The length of a number with its suffix: `0x1F`, `1.5e-3f`, `64u`.
fn digits(chars: &[char]) -> usize {
    let is_digit = |at: usize| chars.get(at).is_some_and(char::is_ascii_hexdigit);
    let is_hex = chars.len() > 1 && chars[0] == '0' && matches!(chars[1], 'x' | 'X');
    let mut length = 0;
    while let Some(c) = chars.get(length) {
        let signed = !is_hex && length > 0 && matches!(chars[length - 1], 'e' | 'E');
        // `1'000'000` is one number.
        let parts = *c == '\'' && is_digit(length + 1);
        let goes_on =
            c.is_ascii_alphanumeric() || *c == '.' || parts || signed && matches!(c, '+' | '-');
        if !goes_on {
            break;
        }
        length += 1;
    }
    length
}
