//! The tokens that are compiled.

use super::at::{Pos, SourceLine};
use super::error::Error;
use super::source::{Lexeme, LexemeKind, lexemes};
use std::rc::Rc;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenClass {
    /// A name or a keyword.
    Name,
    Number,
    Text,
    /// An operator, a bracket, a comma or a semicolon.
    Punctuator,
    /// `#pragma unroll`: its text is the factor, or empty for the whole loop.
    Unroll,
    End,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub kind: TokenClass,
    pub text: Rc<str>,
    pub at: Pos,
}

impl Token {
    /// Whether it is this operator, bracket or word.
    pub(super) fn is(&self, text: &str) -> bool {
        matches!(self.kind, TokenClass::Name | TokenClass::Punctuator) && &*self.text == text
    }

    /// As it is named in a message.
    pub(super) fn shown(&self) -> String {
        match self.kind {
            TokenClass::End => "the end of the source".to_owned(),
            TokenClass::Unroll => "`#pragma unroll`".to_owned(),
            TokenClass::Name | TokenClass::Number | TokenClass::Text | TokenClass::Punctuator => {
                format!("`{}`", self.text)
            }
        }
    }
}

const SPELLED: [(&str, &str); 4] = [("and", "&&"), ("or", "||"), ("not", "!"), ("xor", "^")];

/// The tokens of a text that stands on one line.
pub(super) fn tokens(text: &str, line: SourceLine) -> Result<Vec<Token>, Error> {
    lexemes(text).iter().map(|lexeme| Token::read(lexeme, line)).collect()
}

impl Token {
    pub(super) fn read(lexeme: &Lexeme<'_>, line: SourceLine) -> Result<Self, Error> {
        let length = lexeme.text.chars().count() as u32;
        let at = line.at(lexeme.column + 1, length);
        let first = line.at(lexeme.column + 1, 1);
        let spelled = SPELLED.iter().find(|(word, _)| *word == lexeme.text);
        let of_character = if lexeme.text.starts_with("'\\") { 4 } else { 3 };
        let kind = match (lexeme.kind, lexeme.text.as_bytes()) {
            _ if spelled.is_some() => TokenClass::Punctuator,
            (LexemeKind::Word, _) => TokenClass::Name,
            (LexemeKind::Number, _) => TokenClass::Number,
            (LexemeKind::Punctuator, _) => TokenClass::Punctuator,
            (LexemeKind::Quoted, [b'"', ..]) => TokenClass::Text,
            (LexemeKind::Quoted, [b'\'', ..]) if length == of_character => TokenClass::Number,
            (LexemeKind::Stray, [b'"']) => {
                return Err(Error::at(first, "this text in quotes does not end on its line"));
            }
            (LexemeKind::Quoted | LexemeKind::Stray, [b'\'', ..]) => {
                return Err(Error::outside(first, "such a character in quotes"));
            }
            _ => return Err(Error::outside(first, &format!("`{}`", lexeme.text))),
        };
        let text = spelled.map_or(lexeme.text, |(_, operator)| operator);
        Ok(Self { kind, text: text.into(), at })
    }
}
