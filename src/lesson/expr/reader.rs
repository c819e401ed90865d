//! Walks through a query's text.

use crate::lesson::query_error::QueryError;
use std::ops::Range;

/// The longest text that is read, in bytes.
pub const LONGEST: usize = 4 << 10;

/// How deep expressions may be nested.
pub const DEEPEST: u32 = 32;

#[derive(Clone, Debug)]
pub(super) struct ExprReader<'t> {
    text: &'t str,
    at: usize,
    depth: u32,
}

impl<'t> ExprReader<'t> {
    /// Begins to read.
    pub(super) fn new(text: &'t str) -> Result<Self, QueryError> {
        if text.len() > LONGEST {
            return Err(QueryError::new(format!("a query has at most {LONGEST} bytes")));
        }
        Ok(Self { text, at: 0, depth: 0 })
    }

    /// The text that is left, without blanks before it.
    pub(super) fn rest(&mut self) -> &'t str {
        let rest = &self.text[self.at..];
        let trimmed = rest.trim_start();
        self.at += rest.len() - trimmed.len();
        trimmed
    }

    /// Where the next word begins, in bytes.
    pub(super) fn start(&mut self) -> usize {
        self.rest();
        self.at
    }

    /// What was read since `start`.
    pub(super) fn since(&self, start: usize) -> Range<usize> {
        start..self.at
    }

    /// Whether nothing is left.
    pub(super) fn is_at_end(&mut self) -> bool {
        self.rest().is_empty()
    }

    /// Takes a sign, if it is next.
    pub(super) fn takes(&mut self, sign: &str) -> bool {
        let is_next = self.rest().starts_with(sign);
        self.at += if is_next { sign.len() } else { 0 };
        is_next
    }

    /// Takes a sign.
    pub(super) fn expect(&mut self, sign: &str) -> Result<(), QueryError> {
        if self.takes(sign) { Ok(()) } else { Err(self.unexpected(&format!("`{sign}`"))) }
    }

    /// The next word, which is not taken: a letter, and letters, digits and `_`.
    pub(super) fn word(&mut self) -> &'t str {
        let rest = self.rest();
        let begins = rest.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
        let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let end = rest.find(|letter| !is_part(letter)).unwrap_or(rest.len());
        if begins { &rest[..end] } else { "" }
    }

    /// Takes the next word, if it is this one.
    pub(super) fn takes_word(&mut self, word: &str) -> bool {
        let is_next = self.word() == word;
        self.at += if is_next { word.len() } else { 0 };
        is_next
    }

    /// Takes the longest text of letters that `is_part` accepts; it may be empty.
    pub(super) fn run(&mut self, is_part: impl Fn(char) -> bool) -> &'t str {
        let rest = self.rest();
        let end = rest.find(|letter| !is_part(letter)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    /// Takes a whole number, if one is next.
    pub(super) fn whole(&mut self) -> Option<u32> {
        let before = self.at;
        let number = self.run(|letter| letter.is_ascii_digit()).parse().ok();
        if number.is_none() {
            self.at = before;
        }
        number
    }

    /// Takes a text in quotes, if one is next.
    pub(super) fn quoted(&mut self) -> Result<Option<&'t str>, QueryError> {
        let start = self.start();
        if !self.takes("\"") {
            return Ok(None);
        }
        let rest = &self.text[self.at..];
        let Some(end) = rest.find('"') else {
            let all = start..self.text.len();
            return Err(QueryError::at(all, "this text has no `\"` at its end"));
        };
        self.at += end + 1;
        Ok(Some(&rest[..end]))
    }

    /// What is next is not what was expected.
    pub(super) fn unexpected(&mut self, expected: &str) -> QueryError {
        let start = self.start();
        let word = self.word().len();
        let letter = self.rest().chars().next().map_or(0, char::len_utf8);
        let length = if word > 0 { word } else { letter };
        let found = &self.text[start..start + length];
        let found = if found.is_empty() { "the end".to_owned() } else { format!("`{found}`") };
        QueryError::at(start..start + length, format!("here is {found}; expected {expected}"))
    }

    /// Reads something that is nested one deeper.
    ///
    /// # Errors
    /// It is too deep, or what `read` finds.
    pub(super) fn deeper<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, QueryError>,
    ) -> Result<T, QueryError> {
        let start = self.start();
        if self.depth == DEEPEST {
            let told = format!("this is nested more than {DEEPEST} deep");
            return Err(QueryError::at(start..start + 1, told));
        }
        self.depth += 1;
        let found = read(self);
        self.depth -= 1;
        found
    }
}
