//! `#if` and its kin: which lines are compiled.

use super::macros::Macros;
use crate::ast::ExprKind;
use crate::at::Pos;
use crate::error::Error;
use crate::parse::number;
use crate::source::expression::{Expression, FoldValue, Misread, Wanted, apply, wrapped};
use crate::source::{Lexeme, LexemeKind};
use crate::token::{Token, TokenClass};
use crate::types::Scalar;
use std::cell::Cell;

/// The conditions that are open, and the tokens that were compiled.
#[derive(Debug, Default)]
pub(super) struct Conditions {
    open: Vec<OpenCondition>,
    output: Vec<Token>,
}

#[derive(Debug)]
struct OpenCondition {
    at: Pos,
    taken: bool,
    /// Whether a branch before was.
    had: bool,
    /// Whether the condition itself stands where lines are compiled.
    around: bool,
}

impl Conditions {
    pub(super) fn taken(&self) -> bool {
        self.open.last().is_none_or(|open| open.taken)
    }

    /// Whether an `#elif` here may still be taken.
    pub(super) fn may_turn(&self) -> bool {
        self.open.last().is_some_and(|open| open.around && !open.had)
    }

    pub(super) fn output(&mut self) -> &mut Vec<Token> {
        &mut self.output
    }

    pub(super) fn open(&mut self, holds: bool, at: Pos) {
        let around = self.taken();
        let taken = around && holds;
        self.open.push(OpenCondition { at, taken, had: taken, around });
    }

    pub(super) fn turn(&mut self, holds: bool, at: Pos) -> Result<(), Error> {
        let open =
            self.open.last_mut().ok_or_else(|| Error::at(at, "there is no #if before it"))?;
        open.taken = open.around && !open.had && holds;
        open.had |= open.taken;
        Ok(())
    }

    pub(super) fn close(&mut self, at: Pos) -> Result<(), Error> {
        self.open.pop().map(drop).ok_or_else(|| Error::at(at, "there is no #if before it"))
    }

    /// The tokens, with the end after them.
    pub(super) fn finish(mut self, end: Pos) -> Result<Vec<Token>, Error> {
        if let Some(open) = self.open.pop() {
            return Err(Error::at(open.at, "this condition has no #endif"));
        }
        self.output.push(Token { kind: TokenClass::End, text: "".into(), at: end });
        Ok(self.output)
    }
}

pub(super) fn holds(given: &[Token], macros: &mut Macros, at: Pos) -> Result<bool, Error> {
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
            known.push(Token { kind: TokenClass::Number, text: text.into(), at: token.at });
        } else {
            known.push(token.clone());
        }
    }
    let mut expanded = Vec::new();
    macros.expand(&known, &mut expanded)?;
    value(&expanded, at).map(|value| value.bits != 0)
}

/// A number of a condition: of 64 bits, with or without a sign (C++, "Conditional inclusion").
#[derive(Clone, Copy)]
struct ConditionInt {
    bits: i64,
    unsigned: bool,
}

impl FoldValue for ConditionInt {
    fn of_truth(holds: bool) -> Self {
        Self { bits: holds.into(), unsigned: false }
    }

    fn holds(self) -> Option<bool> {
        Some(self.bits != 0)
    }
}

/// The value of a condition after the word at `at`.
fn value(tokens: &[Token], at: Pos) -> Result<ConditionInt, Error> {
    let expression =
        Expression::parse(&as_lexemes(tokens)).map_err(|wrong| misread(wrong, tokens, at))?;
    let error = Cell::new(None);
    let noted = |why| {
        error.set(Some(why));
        None
    };
    let leaf = |one: &Expression<'_>| {
        let token = &tokens[one.lexeme.start];
        // A name that is no macro is 0.
        if token.kind == TokenClass::Name {
            return Some(ConditionInt::of_truth(token.is("true")));
        }
        match number(token).map(|number| number.kind) {
            // All have 64 bits here: only a `u`, or a value that fits no other, makes one unsigned.
            Ok(ExprKind::Int(bits, scalar)) => {
                let marked = scalar != Scalar::I8 && token.text.contains(['u', 'U']);
                Some(ConditionInt { bits, unsigned: marked || scalar == Scalar::U64 })
            }
            Ok(_) => noted(Error::at(token.at, "a condition takes whole numbers")),
            Err(why) => noted(why),
        }
    };
    let apply = |one: &Expression<'_>, values: &[ConditionInt]| {
        let operator = one.lexeme.text;
        combined(operator, values)
            .or_else(|| noted(Error::at(tokens[one.lexeme.start].at, "a division by zero")))
    };
    let value = expression.fold(&leaf, &apply);
    value.ok_or_else(|| error.take().unwrap_or_else(|| Error::at(at, "this has no value")))
}

/// The tokens as lexemes, of which each starts at the token's place in the list.
fn as_lexemes(tokens: &[Token]) -> Vec<Lexeme<'_>> {
    let kind = |kind| match kind {
        TokenClass::Name => LexemeKind::Word,
        TokenClass::Number => LexemeKind::Number,
        TokenClass::Punctuator => LexemeKind::Punctuator,
        TokenClass::Text | TokenClass::Unroll | TokenClass::End => LexemeKind::Quoted,
    };
    let all = tokens.iter().enumerate().map(|(start, token)| {
        let Pos { line, column, .. } = token.at;
        let (text, kind) = (&*token.text, kind(token.kind));
        Lexeme { text, kind, start, line, at: 0, column, directive: None }
    });
    all.collect()
}

fn misread(Misread { at, wanted }: Misread, tokens: &[Token], directive: Pos) -> Error {
    let found = tokens.get(at);
    let place = found.map_or_else(|| directive.after(), |found| found.at);
    let shown = found.map(Token::shown).unwrap_or_default();
    let (at, told) = match wanted {
        Wanted::Colon(at) => (tokens[at].at, "a `:` is missing after this `?`".to_owned()),
        Wanted::Bracket(at) => (tokens[at].at, "this bracket is not closed".to_owned()),
        Wanted::Shallower => (place, "this condition is nested too deep".to_owned()),
        Wanted::Value if found.is_none() => (place, "the condition ends too early".to_owned()),
        Wanted::Value => (place, format!("{shown} has no value")),
        Wanted::Operator => (place, format!("expected an operator, found {shown}")),
    };
    Error::at(at, told)
}

/// The result of an operator; `None` for a division by zero.
fn combined(operator: &str, values: &[ConditionInt]) -> Option<ConditionInt> {
    let (a, b) = match *values {
        [a] => {
            let bits = apply(operator, &[a.bits.into()]).ok()? as i64;
            return Some(ConditionInt { bits, unsigned: a.unsigned && operator != "!" });
        }
        [a, b] => (a, b),
        _ => return None,
    };
    let shifts = matches!(operator, "<<" | ">>");
    let unsigned = a.unsigned || b.unsigned && !shifts;
    let bits = wrapped(operator, [a.bits, b.bits], u64::BITS, unsigned).ok()?;
    let compares = matches!(operator, "==" | "!=" | "<" | ">" | "<=" | ">=");
    Some(ConditionInt { bits, unsigned: unsigned && !compares })
}
