//! An index expression in C's notation, evaluated for one thread of a block.

mod lexer;
mod parser;

use crate::launch::{Dim3, WARP_SIZE};

/// A parsed expression.
///
/// The operators are C's without assignment, with C's precedence; all arithmetic is in signed 64
/// bits, and what does not fit is an error. `&&`, `||` and `?:` evaluate only what they need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expr {
    root: Node,
}

/// What is wrong with an expression, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}{}", of_thread(*.thread))]
pub struct ExprError {
    /// What is wrong.
    pub what: Wrong,
    /// Where in the text, in bytes.
    pub at: usize,
    /// The thread whose value cannot be computed; none if the text itself is wrong.
    pub thread: Option<Dim3>,
}

/// What can be wrong with an expression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Wrong {
    /// The text cannot be read on.
    #[error("expected {expected}, found {found}")]
    Unexpected {
        /// What may stand here.
        expected: &'static str,
        /// What stands here.
        found: String,
    },
    /// A name that is no variable.
    #[error("there is no variable `{0}`: use {names}", names = Var::names())]
    UnknownName(String),
    /// A constant that is not decimal or hexadecimal, or too large.
    #[error("`{0}` is not a decimal or hexadecimal number below 2^63")]
    Number(String),
    /// More text than anyone types by hand; it also bounds how deep expressions nest.
    #[error("an expression has at most {most} bytes, this one {0}", most = parser::LONGEST)]
    TooLong(usize),
    /// `/` or `%` by zero.
    #[error("division by zero")]
    DivisionByZero,
    /// A shift by less than 0 or more than 63 bits.
    #[error("a shift by {0} bits, where 0 to 63 are possible,")]
    Shift(i64),
    /// A result beyond 64 bits.
    #[error("the result does not fit in 64 bits")]
    Overflow,
    /// An index below zero.
    #[error("the index {0} is negative")]
    Negative(i64),
    /// An index whose address no memory has.
    #[error("the index {0} is too large")]
    TooLarge(u64),
}

/// The thread for which an expression is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Thread {
    /// Its number in the block, x running fastest.
    pub number: u32,
    /// The block's size.
    pub block: Dim3,
    /// The block's place in the grid.
    pub at: Dim3,
}

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Var {
    ThreadX,
    ThreadY,
    ThreadZ,
    BlockX,
    BlockY,
    BlockZ,
    SizeX,
    SizeY,
    SizeZ,
    Number,
    Lane,
    Warp,
}

/// Every variable: its name here, and CUDA's own where it has one.
const VARS: [(Var, &str, &str); 12] = [
    (Var::ThreadX, "tx", "threadIdx.x"),
    (Var::ThreadY, "ty", "threadIdx.y"),
    (Var::ThreadZ, "tz", "threadIdx.z"),
    (Var::BlockX, "bx", "blockIdx.x"),
    (Var::BlockY, "by", "blockIdx.y"),
    (Var::BlockZ, "bz", "blockIdx.z"),
    (Var::SizeX, "bdx", "blockDim.x"),
    (Var::SizeY, "bdy", "blockDim.y"),
    (Var::SizeZ, "bdz", "blockDim.z"),
    (Var::Number, "tid", ""),
    (Var::Lane, "lane", ""),
    (Var::Warp, "warp", ""),
];

/// A part of an expression, with its place in the text: the operator's own.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Node {
    at: usize,
    kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Constant(i64),
    Var(Var),
    Unary(Unary, Box<Node>),
    Binary(Binary, Box<[Node; 2]>),
    /// `condition ? yes : no`
    Choice(Box<[Node; 3]>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unary {
    Plus,
    Minus,
    Complement,
    Not,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Binary {
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

impl Expr {
    /// Reads an expression.
    ///
    /// # Errors
    /// The first place that cannot be read, and what was expected there.
    pub fn parse(text: &str) -> Result<Self, ExprError> {
        parser::parse(text).map(|root| Self { root })
    }

    /// Its value for one thread.
    ///
    /// # Errors
    /// Division by zero, a shift by more than 63 bits, a result beyond 64 bits.
    pub fn value(&self, thread: &Thread) -> Result<i64, ExprError> {
        self.root.value(thread)
    }

    /// Its value as an index.
    ///
    /// # Errors
    /// As of [`value`](Self::value), and a value below zero.
    pub fn index(&self, thread: &Thread) -> Result<u64, ExprError> {
        let value = self.value(thread)?;
        u64::try_from(value).map_err(|_negative| self.error(Wrong::Negative(value), thread))
    }

    /// What is wrong with the value of the whole expression for one thread.
    pub fn error(&self, what: Wrong, thread: &Thread) -> ExprError {
        self.root.error(what, thread)
    }
}

impl ExprError {
    /// The message, the expression, and a caret under the place.
    pub fn render(&self, text: &str) -> String {
        let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let before = text.get(..self.at).unwrap_or(text).chars().count();
        format!("{self}\n  {line}\n  {:before$}^", "")
    }
}

impl Thread {
    /// Its place in the block: threadIdx.
    pub const fn place(&self) -> Dim3 {
        self.block.place(self.number as u64)
    }

    fn value(&self, var: Var) -> i64 {
        i64::from(match var {
            Var::ThreadX => self.place().x,
            Var::ThreadY => self.place().y,
            Var::ThreadZ => self.place().z,
            Var::BlockX => self.at.x,
            Var::BlockY => self.at.y,
            Var::BlockZ => self.at.z,
            Var::SizeX => self.block.x,
            Var::SizeY => self.block.y,
            Var::SizeZ => self.block.z,
            Var::Number => self.number,
            Var::Lane => self.number % WARP_SIZE,
            Var::Warp => self.number / WARP_SIZE,
        })
    }
}

impl Var {
    fn named(name: &str) -> Option<Self> {
        let row = VARS.iter().find(|(_, short, cuda)| [*short, *cuda].contains(&name));
        row.map(|(var, ..)| *var)
    }

    fn names() -> String {
        VARS.map(|(_, short, _)| short).join(" ")
    }
}

impl Node {
    fn value(&self, thread: &Thread) -> Result<i64, ExprError> {
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

    fn error(&self, what: Wrong, thread: &Thread) -> ExprError {
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

/// A shift that loses no bit.
fn shift_left(a: i64, b: i64) -> Result<i64, Wrong> {
    let bits = distance(b)?;
    if a << bits >> bits == a { Ok(a << bits) } else { Err(Wrong::Overflow) }
}

fn distance(bits: i64) -> Result<u32, Wrong> {
    u32::try_from(bits).ok().filter(|bits| *bits < 64).ok_or(Wrong::Shift(bits))
}

fn of_thread(thread: Option<Dim3>) -> String {
    match thread {
        None => String::new(),
        Some(Dim3 { x, y, z: 0 }) => format!(" for tx = {x}, ty = {y}"),
        Some(Dim3 { x, y, z }) => format!(" for tx = {x}, ty = {y}, tz = {z}"),
    }
}

#[cfg(test)]
mod tests;
