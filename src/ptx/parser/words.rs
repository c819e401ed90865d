//! The words of an opcode: `ld.global.v4.f32` is consumed from the left.

use crate::error::{ParseError, Span};
use crate::op::{Float, Rounding};
use crate::types::Type;

/// The words of an opcode that have not been consumed.
pub(super) struct Words<'a> {
    whole: &'a str,
    rest: Vec<&'a str>,
    span: Span,
}

impl<'a> Words<'a> {
    pub(super) fn new(whole: &'a str, span: Span) -> Self {
        let mut rest: Vec<_> = whole.split('.').collect();
        rest.reverse();
        Self { whole, rest, span }
    }

    /// The next word, whatever it is.
    pub(super) fn next(&mut self) -> Option<&'a str> {
        self.rest.pop()
    }

    /// Whether `word` is among the remaining words.
    pub(super) fn hold(&self, word: &str) -> bool {
        self.rest.contains(&word)
    }

    /// Takes the next word if it is `word`.
    pub(super) fn take(&mut self, word: &str) -> bool {
        let there = self.rest.last() == Some(&word);
        if there {
            self.rest.pop();
        }
        there
    }

    /// Takes the next word if `read` recognises it.
    pub(super) fn take_as<T>(&mut self, read: impl FnOnce(&str) -> Option<T>) -> Option<T> {
        let value = self.rest.last().and_then(|word| read(word));
        if value.is_some() {
            self.rest.pop();
        }
        value
    }

    /// Whether `read` recognises the next word.
    pub(super) fn begin_with<T>(&self, read: impl FnOnce(&str) -> Option<T>) -> bool {
        self.rest.last().is_some_and(|word| read(word).is_some())
    }

    /// `{.ftz}{.sat}`
    pub(super) fn float(&mut self) -> Float {
        Float { ftz: self.take("ftz"), sat: self.take("sat"), ..Float::PLAIN }
    }

    /// `{.rounding}{.ftz}{.sat}`
    pub(super) fn rounded(&mut self) -> Float {
        let rounding = self.take_as(rounding).unwrap_or(Rounding::Unwritten);
        Float { rounding, ..self.float() }
    }

    /// Whether only a type remains for which `of` holds.
    pub(super) fn ends_in(&self, of: impl Fn(Type) -> bool) -> bool {
        let [word] = self.rest[..] else { return false };
        Type::from_word(word).is_some_and(of)
    }

    pub(super) fn ty(&mut self) -> Result<Type, ParseError> {
        self.take_as(Type::from_word).ok_or_else(|| self.unsupported())
    }

    /// The type of a matrix's elements.
    pub(super) fn element(&mut self) -> Result<Type, ParseError> {
        self.take_as(Type::of_element).ok_or_else(|| self.unsupported())
    }

    /// A type, which must be the last word.
    pub(super) fn last_type(&mut self) -> Result<Type, ParseError> {
        let ty = self.ty()?;
        self.end()?;
        Ok(ty)
    }

    /// Checks that no word remains.
    pub(super) fn end(&self) -> Result<(), ParseError> {
        if self.rest.is_empty() { Ok(()) } else { Err(self.unsupported()) }
    }

    /// The error for an opcode that ptxas refuses too.
    pub(super) fn refused(&self, why: &str) -> ParseError {
        ParseError::new(self.span, format!("there is no instruction `{}`: {why}", self.whole))
    }

    /// The error for an opcode that is unknown, or unknown with these modifiers.
    pub(super) fn unsupported(&self) -> ParseError {
        let detail = match self.rest.last() {
            Some(word) if self.rest.len() < self.whole.split('.').count() => {
                format!(" (at `.{word}`)")
            }
            Some(_) | None => String::new(),
        };
        let whole = self.whole;
        let begins = |(start, _): &&(&str, &str)| whole.starts_with(start);
        let instead = INSTEAD.iter().find(begins);
        let instead = instead.map_or_else(String::new, |(_, instead)| format!(": {instead}"));
        let message = format!("the instruction `{whole}` is not supported{detail}{instead}");
        ParseError::unsupported(self.span, message)
    }
}

/// Alternatives to unsupported instructions, by the opcode's prefix.
const INSTEAD: [(&str, &str); 2] = [
    ("cp.reduce.async.bulk.tensor", "`red` adds to memory lane by lane"),
    ("tcgen05", "`mma.sync` multiplies warp by warp"),
];

/// `rn`, `rz`, `rm` or `rp`.
pub(super) fn rounding(word: &str) -> Option<Rounding> {
    Some(match word {
        "rn" => Rounding::Nearest,
        "rz" => Rounding::Zero,
        "rm" => Rounding::Down,
        "rp" => Rounding::Up,
        _ => return None,
    })
}
