//! `#if` and its kin: which lines are compiled.

use super::macros::Macros;
use crate::ast::ExprKind;
use crate::at::At;
use crate::error::Error;
use crate::parse::number;
use crate::token::{Kind, PRECEDENCE, Token};
use crate::types::Scalar;

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
    let value = condition.choice(0)?;
    match expanded.get(condition.index) {
        Some(extra) => {
            Err(Error::at(extra.at, format!("expected an operator, found {}", extra.shown())))
        }
        None => Ok(value.holds()),
    }
}

/// A number of a condition: of 64 bits, with or without a sign (C++, "Conditional inclusion").
#[derive(Clone, Copy)]
struct Whole {
    bits: i64,
    unsigned: bool,
}

impl Whole {
    const fn signed(bits: i64) -> Self {
        Self { bits, unsigned: false }
    }

    const fn holds(self) -> bool {
        self.bits != 0
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
    fn take(&mut self, wanted: &str) -> Option<At> {
        let token = self.tokens.get(self.index).filter(|token| token.is(wanted))?;
        self.index += 1;
        Some(token.at)
    }

    /// `a ? b : c`
    fn choice(&mut self, depth: usize) -> Result<Whole, Error> {
        let asked = self.binary(0, depth)?;
        let Some(at) = self.take("?") else { return Ok(asked) };
        if depth > DEEPEST {
            return Err(Error::at(at, "this condition is nested too deep"));
        }
        let yes = self.unless(!asked.holds(), |condition| condition.choice(depth + 1))?;
        self.take(":").ok_or_else(|| Error::at(at, "a `:` is missing after this `?`"))?;
        let no = self.unless(asked.holds(), |condition| condition.choice(depth + 1))?;
        let bits = if asked.holds() { yes.bits } else { no.bits };
        Ok(Whole { bits, unsigned: yes.unsigned || no.unsigned })
    }

    /// A part of the condition, of which the value may not be needed.
    fn unless(
        &mut self,
        unneeded: bool,
        part: impl FnOnce(&mut Self) -> Result<Whole, Error>,
    ) -> Result<Whole, Error> {
        self.unneeded += u32::from(unneeded);
        let value = part(self);
        self.unneeded -= u32::from(unneeded);
        value
    }

    fn binary(&mut self, level: usize, depth: usize) -> Result<Whole, Error> {
        let Some(operators) = PRECEDENCE.get(level) else { return self.unary(depth) };
        let mut left = self.binary(level + 1, depth)?;
        while let Some(operator) = self.tokens.get(self.index).cloned()
            && operators.iter().any(|known| operator.is(known))
        {
            self.index += 1;
            let decided = operator.is("&&") && !left.holds() || operator.is("||") && left.holds();
            let right = self.unless(decided, |condition| condition.binary(level + 1, depth))?;
            left = match combined(&operator.text, left, right) {
                Some(value) => value,
                None if self.unneeded > 0 => Whole::signed(0),
                None => return Err(Error::at(operator.at, "a division by zero")),
            };
        }
        Ok(left)
    }

    fn unary(&mut self, depth: usize) -> Result<Whole, Error> {
        let Some(token) = self.tokens.get(self.index).cloned() else {
            return Err(Error::at(self.at.after(), "the condition ends too early"));
        };
        self.index += 1;
        if depth > DEEPEST {
            return Err(Error::at(token.at, "this condition is nested too deep"));
        }
        match (&token.kind, &*token.text) {
            (Kind::Number, _) => {
                let ExprKind::Int(bits, scalar) = number(&token)?.kind else {
                    return Err(Error::at(token.at, "a condition takes whole numbers"));
                };
                // All have 64 bits here: only a `u`, or a value that fits no other, makes one unsigned.
                let marked = scalar != Scalar::I8 && token.text.contains(['u', 'U']);
                Ok(Whole { bits, unsigned: marked || scalar == Scalar::U64 })
            }
            (Kind::Punctuator, "(") => {
                let value = self.choice(depth + 1)?;
                self.take(")").ok_or_else(|| Error::at(token.at, "this bracket is not closed"))?;
                Ok(value)
            }
            (Kind::Punctuator, "!") => {
                Ok(Whole::signed(i64::from(!self.unary(depth + 1)?.holds())))
            }
            (Kind::Punctuator, "-") => {
                let value = self.unary(depth + 1)?;
                Ok(Whole { bits: value.bits.wrapping_neg(), ..value })
            }
            (Kind::Punctuator, "~") => {
                let value = self.unary(depth + 1)?;
                Ok(Whole { bits: !value.bits, ..value })
            }
            (Kind::Punctuator, "+") => self.unary(depth + 1),
            // A name that is no macro is 0.
            (Kind::Name, name) => Ok(Whole::signed(i64::from(name == "true"))),
            _ => Err(Error::at(token.at, format!("{} has no value", token.shown()))),
        }
    }
}

/// `left operator right`; `None` for a division by zero.
fn combined(operator: &str, left: Whole, right: Whole) -> Option<Whole> {
    let unsigned = left.unsigned || right.unsigned;
    let (a, b) = (left.bits, right.bits);
    let less = |a: i64, b: i64| if unsigned { (a as u64) < b as u64 } else { a < b };
    let truth = |holds: bool| Some(Whole::signed(i64::from(holds)));
    let shifted = |bits| Some(Whole { bits, unsigned: left.unsigned });
    let bits = match operator {
        "||" => return truth(a != 0 || b != 0),
        "&&" => return truth(a != 0 && b != 0),
        "==" => return truth(a == b),
        "!=" => return truth(a != b),
        "<" => return truth(less(a, b)),
        ">" => return truth(less(b, a)),
        "<=" => return truth(!less(b, a)),
        ">=" => return truth(!less(a, b)),
        "<<" => return shifted(a.wrapping_shl(b as u32)),
        ">>" if left.unsigned => return shifted((a as u64).wrapping_shr(b as u32) as i64),
        ">>" => return shifted(a.wrapping_shr(b as u32)),
        "|" => a | b,
        "^" => a ^ b,
        "&" => a & b,
        "+" => a.wrapping_add(b),
        "-" => a.wrapping_sub(b),
        "*" => a.wrapping_mul(b),
        "/" if unsigned => (a as u64).checked_div(b as u64)? as i64,
        "/" => a.checked_div(b)?,
        _ if unsigned => (a as u64).checked_rem(b as u64)? as i64,
        _ => a.checked_rem(b)?,
    };
    Some(Whole { bits, unsigned })
}
