//! The tree of an expression, and its value for one thread.

use super::error::{ExprError, Wrong};
use super::variable::{Thread, Var};

/// A part of an expression, with the position of its operator in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Node {
    pub(super) at: usize,
    pub(super) kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Constant(i64),
    Var(Var),
    Unary(Unary, Box<Node>),
    Binary(Binary, Box<[Node; 2]>),
    /// `condition ? yes : no`
    Choice(Box<[Node; 3]>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unary {
    Plus,
    Minus,
    Complement,
    Not,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Binary {
    Or,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Equal,
    Unequal,
    Less,
    AtMost,
    Greater,
    AtLeast,
    ShiftLeft,
    ShiftRight,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

impl Node {
    pub(super) fn value(&self, thread: &Thread) -> Result<i64, ExprError> {
        match &self.kind {
            Kind::Constant(value) => Ok(*value),
            Kind::Var(var) => Ok(thread.value(*var)),
            Kind::Unary(op, operand) => {
                let value = operand.value(thread)?;
                unary(*op, value).map_err(|what| self.error(what, thread))
            }
            Kind::Binary(Binary::And, sides) => {
                Ok((sides[0].value(thread)? != 0 && sides[1].value(thread)? != 0).into())
            }
            Kind::Binary(Binary::Or, sides) => {
                Ok((sides[0].value(thread)? != 0 || sides[1].value(thread)? != 0).into())
            }
            Kind::Binary(op, sides) => {
                let (a, b) = (sides[0].value(thread)?, sides[1].value(thread)?);
                binary(*op, a, b).map_err(|what| self.error(what, thread))
            }
            Kind::Choice(parts) => {
                let [condition, yes, no] = &**parts;
                if condition.value(thread)? != 0 { yes.value(thread) } else { no.value(thread) }
            }
        }
    }

    pub(super) fn error(&self, what: Wrong, thread: &Thread) -> ExprError {
        ExprError { what, at: self.at, thread: Some(thread.place()) }
    }
}

fn unary(op: Unary, value: i64) -> Result<i64, Wrong> {
    match op {
        Unary::Plus => Ok(value),
        Unary::Minus => value.checked_neg().ok_or(Wrong::Overflow),
        Unary::Complement => Ok(!value),
        Unary::Not => Ok((value == 0).into()),
    }
}

fn binary(op: Binary, a: i64, b: i64) -> Result<i64, Wrong> {
    match op {
        Binary::Or => Ok((a != 0 || b != 0).into()),
        Binary::And => Ok((a != 0 && b != 0).into()),
        Binary::BitOr => Ok(a | b),
        Binary::BitXor => Ok(a ^ b),
        Binary::BitAnd => Ok(a & b),
        Binary::Equal => Ok((a == b).into()),
        Binary::Unequal => Ok((a != b).into()),
        Binary::Less => Ok((a < b).into()),
        Binary::AtMost => Ok((a <= b).into()),
        Binary::Greater => Ok((a > b).into()),
        Binary::AtLeast => Ok((a >= b).into()),
        Binary::ShiftLeft => shift_left(a, b),
        Binary::ShiftRight => Ok(a >> distance(b)?),
        Binary::Add => a.checked_add(b).ok_or(Wrong::Overflow),
        Binary::Subtract => a.checked_sub(b).ok_or(Wrong::Overflow),
        Binary::Multiply => a.checked_mul(b).ok_or(Wrong::Overflow),
        Binary::Divide | Binary::Remainder if b == 0 => Err(Wrong::DivisionByZero),
        Binary::Divide => a.checked_div(b).ok_or(Wrong::Overflow),
        Binary::Remainder => a.checked_rem(b).ok_or(Wrong::Overflow),
    }
}

/// Shifts left, unless bits are lost.
fn shift_left(a: i64, b: i64) -> Result<i64, Wrong> {
    let bits = distance(b)?;
    if a << bits >> bits == a { Ok(a << bits) } else { Err(Wrong::Overflow) }
}

fn distance(bits: i64) -> Result<u32, Wrong> {
    u32::try_from(bits).ok().filter(|bits| *bits < 64).ok_or(Wrong::Shift(bits))
}
