//! The syntax of constant expressions (PTX ISA, "Constant Expressions").

use super::Parser;
use crate::ast::Operand;
use crate::constant::Constant::{self, Float, Signed, Unsigned};
use crate::constant::{Wrong, usual};
use crate::error::{ParseError, Span};
use crate::lexer::TokenKind;

/// Maximum nesting depth of a constant expression: more than any real program needs.
const MAX_DEPTH: u32 = 64;

/// The only constant with a name: the warp size (PTX ISA, "Predefined Constants").
const WARP_SIZE: &str = "WARP_SZ";

/// The binary operators with their precedence, longer spellings first (PTX ISA, "Constant
/// Expressions", the table of precedence).
const OPERATORS: [(&str, u32); 18] = [
    ("||", 1),
    ("&&", 2),
    ("==", 6),
    ("!=", 6),
    ("<=", 7),
    (">=", 7),
    ("<<", 8),
    (">>", 8),
    ("|", 3),
    ("^", 4),
    ("&", 5),
    ("<", 7),
    (">", 7),
    ("+", 9),
    ("-", 9),
    ("*", 10),
    ("/", 10),
    ("%", 10),
];

impl Parser<'_> {
    /// Whether a constant expression begins here.
    pub(super) fn begins_constant(&self) -> bool {
        matches!(
            self.kind(),
            Some(
                TokenKind::Integer(_)
                    | TokenKind::Unsigned(_)
                    | TokenKind::Decimal(_)
                    | TokenKind::Word(WARP_SIZE)
                    | TokenKind::Sign('+' | '-' | '~' | '!' | '(')
            )
        )
    }

    /// A constant expression as an operand; a floating-point result is a float64, for the
    /// instruction to convert.
    pub(super) fn constant(&mut self) -> Result<Operand, ParseError> {
        Ok(match self.conditional(0)? {
            Signed(value) => Operand::Integer(value as u64),
            Unsigned(value) => Operand::Integer(value),
            Float(value) => Operand::Float64(value.to_bits()),
        })
    }

    /// A constant expression whose value is a count of at most 32 bits.
    pub(super) fn small_constant(&mut self) -> Result<u32, ParseError> {
        let start = self.span();
        let value = match self.constant()? {
            Operand::Integer(value) => u32::try_from(value).ok(),
            _ => None,
        };
        value.ok_or_else(|| self.wrong(start, "expected a whole number of at most 32 bits"))
    }

    /// `a`, or `a ? b : c`
    fn conditional(&mut self, depth: u32) -> Result<Constant, ParseError> {
        let start = self.span();
        let condition = self.constant_binary(0, depth)?;
        if !self.take('?') {
            return Ok(condition);
        }
        let then = self.conditional(depth + 1)?;
        self.sign(':')?;
        let other = self.conditional(depth + 1)?;
        let is_true = condition.truth().map_err(|wrong| self.wrong(start, wrong))?;
        let (then, other) = usual(then, other).map_err(|wrong| self.wrong(start, wrong))?;
        Ok(if is_true { then } else { other })
    }

    /// A chain of binary operators of higher precedence than `least`, left-associative.
    fn constant_binary(&mut self, least: u32, depth: u32) -> Result<Constant, ParseError> {
        let start = self.span();
        let mut value = self.constant_unary(depth)?;
        while let Some((operator, binds)) = self.operator().filter(|(_, binds)| *binds > least) {
            self.at += operator.len();
            let right = self.constant_binary(binds, depth + 1)?;
            value = value.with(operator, right).map_err(|wrong| self.wrong(start, wrong))?;
        }
        Ok(value)
    }

    /// The binary operator at the current position, if its characters are adjacent.
    fn operator(&self) -> Option<(&'static str, u32)> {
        let stands = |(spelling, _): &(&str, u32)| {
            let first = self.span().start;
            spelling.chars().zip(0..).all(|(sign, index)| {
                self.tokens.get(self.at + index as usize).is_some_and(|token| {
                    token.kind == TokenKind::Sign(sign) && token.span.start == first + index
                })
            })
        };
        OPERATORS.into_iter().find(stands)
    }

    fn constant_unary(&mut self, depth: u32) -> Result<Constant, ParseError> {
        let start = self.span();
        if depth >= MAX_DEPTH {
            let message =
                format!("more than {MAX_DEPTH} levels of an expression are not supported");
            return Err(ParseError::unsupported(start, message));
        }
        let Some(TokenKind::Sign(sign @ ('+' | '-' | '~' | '!'))) = self.kind() else {
            return self.constant_primary(depth);
        };
        self.at += 1;
        let value = self.constant_unary(depth + 1)?;
        value.prefixed(sign).map_err(|wrong| self.wrong(start, wrong))
    }

    /// A number, an expression in parentheses, or a cast `(.s64)` or `(.u64)` of a number.
    fn constant_primary(&mut self, depth: u32) -> Result<Constant, ParseError> {
        let token = self.next("a number")?;
        let value = match token.kind {
            TokenKind::Integer(value) => Signed(value as i64),
            TokenKind::Unsigned(value) => Unsigned(value),
            TokenKind::Decimal(text) => decimal(text, token.span)?,
            TokenKind::Word(WARP_SIZE) => Signed(32),
            TokenKind::Sign('(') => return self.in_parentheses(depth),
            _ => return Err(ParseError::new(token.span, "expected a number")),
        };
        Ok(value)
    }

    fn in_parentheses(&mut self, depth: u32) -> Result<Constant, ParseError> {
        let start = self.span();
        let Some(TokenKind::Word(cast @ (".s64" | ".u64"))) = self.kind() else {
            let value = self.conditional(depth + 1)?;
            self.sign(')')?;
            return Ok(value);
        };
        self.at += 1;
        self.sign(')')?;
        let bits =
            self.constant_unary(depth + 1)?.integer().map_err(|wrong| self.wrong(start, wrong))?;
        Ok(if cast == ".s64" { Signed(bits as i64) } else { Unsigned(bits) })
    }

    fn wrong(&self, start: Span, wrong: Wrong) -> ParseError {
        ParseError::new(start.to(self.previous()), wrong)
    }

    /// The span of the previous token.
    fn previous(&self) -> Span {
        self.at.checked_sub(1).and_then(|at| self.tokens.get(at)).map_or(self.end, |t| t.span)
    }
}

/// `1.0`, `1e-3`: always 64 bits wide (PTX ISA, "Floating-Point Constants").
fn decimal(text: &str, span: Span) -> Result<Constant, ParseError> {
    let value: Option<f64> = text.parse().ok();
    let value = value.ok_or_else(|| ParseError::new(span, format!("`{text}` is not a number")))?;
    let too_large = || ParseError::new(span, "this number is too large");
    value.is_finite().then_some(Float(value)).ok_or_else(too_large)
}
