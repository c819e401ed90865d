//! `#if` and its kin: which lines are compiled.

use super::macros::Macros;
use crate::cuda::at::At;
use crate::cuda::error::Error;
use crate::cuda::token::{Kind, PRECEDENCE, Token};

/// How deep conditions and their brackets may stand in one another.
const DEEPEST: usize = 64;

/// The conditions that are open, and the tokens that were compiled.
#[derive(Debug, Default)]
pub(super) struct Conditions {
    open: Vec<Open>,
    output: Vec<Token>,
}

#[derive(Debug)]
struct Open {
    at: At,
    /// Whether the lines here are compiled.
    taken: bool,
    /// Whether a branch before was.
    had: bool,
    /// Whether the condition itself stands where lines are compiled.
    around: bool,
}

impl Conditions {
    /// Whether lines are compiled here.
    pub(super) fn taken(&self) -> bool {
        self.open.last().is_none_or(|open| open.taken)
    }

    /// Whether an `#elif` here may still be taken.
    pub(super) fn may_turn(&self) -> bool {
        self.open.last().is_some_and(|open| open.around && !open.had)
    }

    /// Where the tokens go.
    pub(super) fn output(&mut self) -> &mut Vec<Token> {
        &mut self.output
    }

    pub(super) fn open(&mut self, holds: bool, at: At) {
        let around = self.taken();
        let taken = around && holds;
        self.open.push(Open { at, taken, had: taken, around });
    }

    pub(super) fn turn(&mut self, holds: bool, at: At) -> Result<(), Error> {
        let open =
            self.open.last_mut().ok_or_else(|| Error::at(at, "there is no #if before it"))?;
        open.taken = open.around && !open.had && holds;
        open.had |= open.taken;
        Ok(())
    }

    pub(super) fn close(&mut self, at: At) -> Result<(), Error> {
        self.open.pop().map(drop).ok_or_else(|| Error::at(at, "there is no #if before it"))
    }

    /// The tokens, with the end after them.
    pub(super) fn finish(mut self, end: At) -> Result<Vec<Token>, Error> {
        if let Some(open) = self.open.pop() {
            return Err(Error::at(open.at, "this condition has no #endif"));
        }
        self.output.push(Token { kind: Kind::End, text: "".into(), at: end });
        Ok(self.output)
    }
}

/// Whether the condition of an `#if` holds.
pub(super) fn holds(given: &[Token], macros: &mut Macros, at: At) -> Result<bool, Error> {
    let mut known = Vec::new();
    let mut rest = given.iter().peekable();
    // `defined X` and `defined(X)`, before macros are expanded.
    while let Some(token) = rest.next() {
        if token.is("defined") {
            let bracket = rest.next_if(|next| next.is("("));
            let name = rest.next().ok_or_else(|| Error::at(token.at, "`defined` needs a name"))?;
            if bracket.is_some() {
                rest.next_if(|next| next.is(")"));
            }
            let text = if macros.has(&name.text) { "1" } else { "0" };
            known.push(Token { kind: Kind::Number, text: text.into(), at: token.at });
        } else {
            known.push(token.clone());
        }
    }
    let mut expanded = Vec::new();
    macros.expand(&known, &mut expanded)?;
    let mut condition = Condition { tokens: &expanded, index: 0, at, unneeded: 0 };
    let value = condition.binary(0, 0)?;
    match expanded.get(condition.index) {
        Some(extra) => {
            Err(Error::at(extra.at, format!("expected an operator, found {}", extra.shown())))
        }
        None => Ok(value != 0),
    }
}

/// The tokens of a condition while its value is computed.
struct Condition<'a> {
    tokens: &'a [Token],
    index: usize,
    at: At,
    /// How many `&&` and `||` around this place are decided by their left side: the right side of
    /// `defined(T) && 16 % T == 0` may divide by zero where `T` is not defined.
    unneeded: u32,
}

impl Condition<'_> {
    fn binary(&mut self, level: usize, depth: usize) -> Result<i64, Error> {
        let Some(operators) = PRECEDENCE.get(level) else { return self.unary(depth) };
        let mut left = self.binary(level + 1, depth)?;
        while let Some(operator) = self.tokens.get(self.index).cloned()
            && operators.iter().any(|known| operator.is(known))
        {
            self.index += 1;
            let decided = operator.is("&&") && left == 0 || operator.is("||") && left != 0;
            self.unneeded += u32::from(decided);
            let right = self.binary(level + 1, depth)?;
            self.unneeded -= u32::from(decided);
            left = match combined(&operator.text, left, right) {
                Some(value) => value,
                None if self.unneeded > 0 => 0,
                None => return Err(Error::at(operator.at, "a division by zero")),
            };
        }
        Ok(left)
    }

    fn unary(&mut self, depth: usize) -> Result<i64, Error> {
        let Some(token) = self.tokens.get(self.index).cloned() else {
            return Err(Error::at(self.at.after(), "the condition ends too early"));
        };
        self.index += 1;
        if depth > DEEPEST {
            return Err(Error::at(token.at, "this condition is nested too deep"));
        }
        match (&token.kind, &*token.text) {
            (Kind::Number, text) => {
                let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
                let parsed = match digits.strip_prefix("0x") {
                    Some(hex) => i64::from_str_radix(hex, 16),
                    None => digits.parse(),
                };
                parsed.ok().ok_or_else(|| Error::at(token.at, "a condition takes whole numbers"))
            }
            (Kind::Punctuator, "(") => {
                let value = self.binary(0, depth + 1)?;
                let close = self.tokens.get(self.index).filter(|next| next.is(")"));
                close.ok_or_else(|| Error::at(token.at, "this bracket is not closed"))?;
                self.index += 1;
                Ok(value)
            }
            (Kind::Punctuator, "!") => Ok(i64::from(self.unary(depth + 1)? == 0)),
            (Kind::Punctuator, "-") => Ok(self.unary(depth + 1)?.wrapping_neg()),
            (Kind::Punctuator, "+") => self.unary(depth + 1),
            // A name that is no macro is 0.
            (Kind::Name, _) => Ok(0),
            _ => Err(Error::at(token.at, format!("{} has no value", token.shown()))),
        }
    }
}

fn combined(operator: &str, left: i64, right: i64) -> Option<i64> {
    Some(match operator {
        "||" => i64::from(left != 0 || right != 0),
        "&&" => i64::from(left != 0 && right != 0),
        "|" => left | right,
        "^" => left ^ right,
        "&" => left & right,
        "==" => i64::from(left == right),
        "!=" => i64::from(left != right),
        "<" => i64::from(left < right),
        ">" => i64::from(left > right),
        "<=" => i64::from(left <= right),
        ">=" => i64::from(left >= right),
        "<<" => left.wrapping_shl(right as u32),
        ">>" => left.wrapping_shr(right as u32),
        "+" => left.wrapping_add(right),
        "-" => left.wrapping_sub(right),
        "*" => left.wrapping_mul(right),
        "/" => left.checked_div(right)?,
        _ => left.checked_rem(right)?,
    })
}
