//! Operands: registers, literals, vectors in braces, addresses in brackets.

use super::Parser;
use crate::ast::Operand;
use crate::error::ParseError;
use crate::lexer::TokenKind;
use crate::operand::Address;

impl Parser<'_> {
    /// A name or a literal.
    pub(super) fn operand(&mut self) -> Result<Operand, ParseError> {
        if self.begins_constant() {
            return self.constant();
        }
        let token = self.next("an operand")?;
        Ok(match token.kind {
            TokenKind::Word(name) => Operand::Name(name.to_owned(), token.span),
            TokenKind::Float32(bits) => Operand::Float32(bits),
            TokenKind::Float64(bits) => Operand::Float64(bits),
            _ => return Err(ParseError::new(token.span, "expected an operand")),
        })
    }

    /// `N` operands separated by commas.
    pub(super) fn operands<const N: usize>(&mut self) -> Result<[Operand; N], ParseError> {
        let mut all = Vec::with_capacity(N);
        for index in 0..N {
            if index > 0 {
                self.sign(',')?;
            }
            all.push(self.operand()?);
        }
        Ok(all.try_into().expect("the loop above pushes N of them"))
    }

    /// `{a, b, ..}` as a list, or one operand.
    pub(super) fn vector(&mut self) -> Result<Vec<Operand>, ParseError> {
        if !self.take('{') {
            return Ok(vec![self.operand()?]);
        }
        let mut all = vec![self.operand()?];
        while self.take(',') {
            all.push(self.operand()?);
        }
        self.sign('}')?;
        Ok(all)
    }

    /// `[base{+-offset}]`
    pub(super) fn address(&mut self) -> Result<Address<Operand>, ParseError> {
        self.sign('[')?;
        let base = self.operand()?;
        let offset = self.displacement()?;
        self.sign(']')?;
        Ok(Address { base, offset })
    }

    /// `+ 4`, `- 4`, `+-4`, `+4*8`, or nothing: 0.
    pub(super) fn displacement(&mut self) -> Result<i64, ParseError> {
        if !matches!(self.kind(), Some(TokenKind::Sign('+' | '-'))) {
            return Ok(0);
        }
        let span = self.span();
        match self.constant()? {
            Operand::Integer(value) => Ok(value as i64),
            _ => Err(ParseError::new(span, "expected a number of bytes")),
        }
    }
}
