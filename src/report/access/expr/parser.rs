//! Parses tokens into a tree, by precedence.

use super::error::{ExprError, LONGEST, Wrong};
use super::lexer::{Token, TokenKind, tokens};
use super::node::{Binary, Kind, Node, Unary};
use super::variable::Var;

/// C's binary operators by precedence, the loosest first.
const LEVELS: [&[(&str, Binary)]; 10] = [
    &[("||", Binary::Or)],
    &[("&&", Binary::And)],
    &[("|", Binary::BitOr)],
    &[("^", Binary::BitXor)],
    &[("&", Binary::BitAnd)],
    &[("==", Binary::Equal), ("!=", Binary::Unequal)],
    &[("<", Binary::Less), ("<=", Binary::AtMost), (">", Binary::Greater), (">=", Binary::AtLeast)],
    &[("<<", Binary::ShiftLeft), (">>", Binary::ShiftRight)],
    &[("+", Binary::Add), ("-", Binary::Subtract)],
    &[("*", Binary::Multiply), ("/", Binary::Divide), ("%", Binary::Remainder)],
];

const UNARY: [(&str, Unary); 4] =
    [("+", Unary::Plus), ("-", Unary::Minus), ("~", Unary::Complement), ("!", Unary::Not)];

/// Parses the whole text as one expression.
pub(super) fn parse(text: &str) -> Result<Node, ExprError> {
    if text.len() > LONGEST {
        return Err(ExprError { what: Wrong::TooLong(text.len()), at: LONGEST, thread: None });
    }
    let mut parser = Parser { text, tokens: tokens(text)?, next: 0 };
    let root = parser.choice()?;
    match parser.peek().kind {
        TokenKind::End => Ok(root),
        TokenKind::Number(_) | TokenKind::Name(_) | TokenKind::Symbol(_) => {
            Err(parser.unexpected("an operator or the end"))
        }
    }
}

struct Parser<'a> {
    text: &'a str,
    /// Ends with `End`, which the parser never passes.
    tokens: Vec<Token<'a>>,
    next: usize,
}

impl<'a> Parser<'a> {
    /// choice = binary [ "?" choice ":" choice ]
    fn choice(&mut self) -> Result<Node, ExprError> {
        let condition = self.binary(0)?;
        let at = self.peek().at;
        if !self.take("?") {
            return Ok(condition);
        }
        let yes = self.choice()?;
        if !self.take(":") {
            return Err(self.unexpected("an operator or `:`"));
        }
        let no = self.choice()?;
        Ok(Node { at, kind: Kind::Choice(Box::new([condition, yes, no])) })
    }

    /// binary = unary { operator of this level or a tighter one, unary }
    fn binary(&mut self, loosest: usize) -> Result<Node, ExprError> {
        let mut left = self.unary()?;
        while let Some((level, op)) = self.operator().filter(|(level, _)| *level >= loosest) {
            let at = self.peek().at;
            self.next += 1;
            let right = self.binary(level + 1)?;
            left = Node { at, kind: Kind::Binary(op, Box::new([left, right])) };
        }
        Ok(left)
    }

    /// unary = ( "+" | "-" | "~" | "!" ) unary | primary
    fn unary(&mut self) -> Result<Node, ExprError> {
        let at = self.peek().at;
        match UNARY.iter().find(|(symbol, _)| self.is(symbol)) {
            None => self.primary(),
            Some((_, op)) => {
                self.next += 1;
                Ok(Node { at, kind: Kind::Unary(*op, Box::new(self.unary()?)) })
            }
        }
    }

    /// primary = number | name | "(" choice ")"
    fn primary(&mut self) -> Result<Node, ExprError> {
        let Token { at, kind } = self.peek();
        let kind = match kind {
            TokenKind::Number(value) => Kind::Constant(value),
            TokenKind::Name(name) => Kind::Var(Var::named(name).ok_or_else(|| ExprError {
                what: Wrong::UnknownName(name.to_owned()),
                at,
                thread: None,
            })?),
            TokenKind::Symbol("(") => {
                self.next += 1;
                let inner = self.choice()?;
                return if self.take(")") {
                    Ok(inner)
                } else {
                    Err(self.unexpected("an operator or `)`"))
                };
            }
            TokenKind::Symbol(_) | TokenKind::End => {
                return Err(self.unexpected("a number, a variable or `(`"));
            }
        };
        self.next += 1;
        Ok(Node { at, kind })
    }

    /// Returns the next binary operator and its level.
    fn operator(&self) -> Option<(usize, Binary)> {
        LEVELS.iter().enumerate().find_map(|(level, row)| {
            row.iter().find(|(symbol, _)| self.is(symbol)).map(|(_, op)| (level, *op))
        })
    }

    fn peek(&self) -> Token<'a> {
        self.tokens[self.next]
    }

    fn is(&self, symbol: &str) -> bool {
        matches!(self.peek().kind, TokenKind::Symbol(found) if found == symbol)
    }

    fn take(&mut self, symbol: &str) -> bool {
        let taken = self.is(symbol);
        self.next += usize::from(taken);
        taken
    }

    fn unexpected(&self, expected: &'static str) -> ExprError {
        let at = self.peek().at;
        let end = self.tokens.get(self.next + 1).map_or(self.text.len(), |token| token.at);
        let found = match self.text[at..end].trim_end() {
            "" => "the end".to_owned(),
            text => format!("`{text}`"),
        };
        ExprError { what: Wrong::Unexpected { expected, found }, at, thread: None }
    }
}
