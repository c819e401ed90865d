//! Expressions of C: their tree, and their value.

use super::{Lexeme, LexemeKind, lexemes};

/// Binary operators by their precedence, the loosest first.
pub(crate) const PRECEDENCE: [&[&str]; 10] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<", ">", "<=", ">="],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

/// How deep the parts of an expression may stand in one another.
const DEEPEST: usize = 512;

/// An expression or a part of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expression<'t> {
    /// Its operator, `?` for `a ? b : c`, or else its number or its name.
    pub lexeme: Lexeme<'t>,
    /// What stands after the point of a name: `x` of `threadIdx.x`.
    pub member: Option<&'t str>,
    /// Its operands: one, two or three.
    pub operands: Vec<Self>,
}

/// What was wanted at a place among the lexemes, and is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Misread {
    pub at: usize,
    pub wanted: Wanted,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    Value,
    /// An operator, or the end.
    Operator,
    /// The `:` of the `?` at a place.
    Colon(usize),
    /// The bracket that closes the one at a place.
    Bracket(usize),
    /// An end of brackets in brackets.
    Shallower,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undefined {
    DivisionByZero,
    /// A shift by that many bits.
    Shift(i128),
    Overflow,
    Operator,
}

/// What an expression can come to.
pub trait FoldValue: Copy {
    fn of_truth(holds: bool) -> Self;

    /// Whether it is not 0, if that is known.
    fn holds(self) -> Option<bool>;
}

impl FoldValue for i128 {
    fn of_truth(holds: bool) -> Self {
        holds.into()
    }

    fn holds(self) -> Option<bool> {
        Some(self != 0)
    }
}

/// The value of a constant expression, whose names have the values that `names` gives, and whose
/// arithmetic is exact.
pub fn fold(text: &str, names: &dyn Fn(&str) -> Option<i128>) -> Option<i128> {
    fold_lexemes(&lexemes(text), names)
}

pub fn fold_lexemes(lexemes: &[Lexeme<'_>], names: &dyn Fn(&str) -> Option<i128>) -> Option<i128> {
    let leaf = |one: &Expression<'_>| match one.number() {
        None => names(&one.name()),
        Some(number) => number.map(i128::from),
    };
    Expression::parse(lexemes)
        .ok()?
        .fold(&leaf, &|operator, values| apply(operator.lexeme.text, values).ok())
}

impl<'t> Expression<'t> {
    /// Reads an expression that takes all of these lexemes.
    ///
    /// # Errors
    /// The first place that cannot be read.
    pub fn parse(lexemes: &[Lexeme<'t>]) -> Result<Self, Misread> {
        let mut reader = Reader { lexemes, next: 0 };
        let whole = reader.choice(0)?;
        if reader.next == lexemes.len() { Ok(whole) } else { Err(reader.misread(Wanted::Operator)) }
    }

    /// Its value: `leaf` gives that of a number or a name, `apply` that of an operator. What `&&`,
    /// `||` and `?:` do not need is not asked for.
    pub fn fold<V: FoldValue>(
        &self,
        leaf: &dyn Fn(&Self) -> Option<V>,
        apply: &dyn Fn(&Self, &[V]) -> Option<V>,
    ) -> Option<V> {
        let of = |operand: &Self| operand.fold(leaf, apply);
        match (self.lexeme.text, &self.operands[..]) {
            (_, []) => leaf(self),
            ("?", [condition, yes, no]) => of(if of(condition)?.holds()? { yes } else { no }),
            ("&&" | "||", [left, right]) => {
                let decides = self.lexeme.text == "||";
                let holds = match of(left)?.holds()? {
                    holds if holds == decides => holds,
                    _ => of(right)?.holds()?,
                };
                Some(V::of_truth(holds))
            }
            (_, [operand]) => apply(self, &[of(operand)?]),
            (_, [left, right]) => apply(self, &[of(left)?, of(right)?]),
            _ => None,
        }
    }

    /// The number that it is; `Some(None)` for one that is not whole, or too large.
    pub fn number(&self) -> Option<Option<u64>> {
        (self.lexeme.kind == LexemeKind::Number).then(|| integer(self.lexeme.text))
    }

    /// The name that it is: `threadIdx.x`.
    pub fn name(&self) -> String {
        let member = self.member.map(|member| format!(".{member}"));
        self.lexeme.text.to_owned() + &member.unwrap_or_default()
    }
}

/// A whole number as it is written, `64u`, `0x1F`, `0b11`, `017`, `1'000`.
pub fn integer(text: &str) -> Option<u64> {
    let text = text.to_ascii_lowercase().replace('\'', "");
    let digits = text.trim_end_matches(['u', 'l']);
    let (radix, digits) = match digits.as_bytes() {
        [b'0', b'x', ..] => (16, &digits[2..]),
        [b'0', b'b', ..] => (2, &digits[2..]),
        [b'0', _, ..] => (8, digits),
        _ => (10, digits),
    };
    u64::from_str_radix(digits, radix).ok()
}

/// The exact result of an operator of one or two numbers.
///
/// # Errors
/// It has none.
pub fn apply(operator: &str, values: &[i128]) -> Result<i128, Undefined> {
    let (a, b) = match *values {
        [a] => {
            return match operator {
                "+" => Ok(a),
                "-" => a.checked_neg().ok_or(Undefined::Overflow),
                "~" => Ok(!a),
                "!" => Ok((a == 0).into()),
                _ => Err(Undefined::Operator),
            };
        }
        [a, b] => (a, b),
        _ => return Err(Undefined::Operator),
    };
    let bits = || u32::try_from(b).ok().filter(|bits| *bits < 64).ok_or(Undefined::Shift(b));
    let exact = match operator {
        "+" => a.checked_add(b),
        "-" => a.checked_sub(b),
        "*" => a.checked_mul(b),
        "/" | "%" if b == 0 => return Err(Undefined::DivisionByZero),
        "/" => a.checked_div(b),
        "%" => a.checked_rem(b),
        "<<" => a.checked_mul(1 << bits()?),
        ">>" => Some(a >> bits()?),
        "&" => Some(a & b),
        "|" => Some(a | b),
        "^" => Some(a ^ b),
        "<" => Some((a < b).into()),
        ">" => Some((a > b).into()),
        "<=" => Some((a <= b).into()),
        ">=" => Some((a >= b).into()),
        "==" => Some((a == b).into()),
        "!=" => Some((a != b).into()),
        "&&" => Some((a != 0 && b != 0).into()),
        "||" => Some((a != 0 || b != 0).into()),
        _ => return Err(Undefined::Operator),
    };
    exact.ok_or(Undefined::Overflow)
}

/// The result in a machine's integers of so many bits: of what does not fit, the lower bits.
///
/// # Errors
/// A division by zero.
pub(crate) fn wrapped(
    operator: &str,
    [a, b]: [i64; 2],
    bits: u32,
    is_unsigned: bool,
) -> Result<i64, Undefined> {
    let wide = |of: i64| if is_unsigned { i128::from(of as u64) } else { of.into() };
    let shifts = matches!(operator, "<<" | ">>");
    let b = if shifts { (b as u32 & (bits - 1)).into() } else { wide(b) };
    apply(operator, &[wide(a), b]).map(|exact| exact as i64)
}

struct Reader<'l, 't> {
    lexemes: &'l [Lexeme<'t>],
    next: usize,
}

impl<'t> Reader<'_, 't> {
    /// choice = binary [ "?" choice ":" choice ]
    fn choice(&mut self, depth: usize) -> Result<Expression<'t>, Misread> {
        let condition = self.binary(0, depth)?;
        let at = self.next;
        let Some(lexeme) = self.take("?") else { return Ok(condition) };
        if depth > DEEPEST {
            return Err(Misread { at, wanted: Wanted::Shallower });
        }
        let yes = self.choice(depth + 1)?;
        self.take(":").ok_or(self.misread(Wanted::Colon(at)))?;
        let no = self.choice(depth + 1)?;
        Ok(Expression { lexeme, member: None, operands: vec![condition, yes, no] })
    }

    /// binary = unary { operator of this level or a tighter one, unary }
    fn binary(&mut self, loosest: usize, depth: usize) -> Result<Expression<'t>, Misread> {
        let mut left = self.unary(depth)?;
        while let Some((level, lexeme)) = self.operator().filter(|(level, _)| *level >= loosest) {
            self.next += 1;
            let right = self.binary(level + 1, depth)?;
            left = Expression { lexeme, member: None, operands: vec![left, right] };
        }
        Ok(left)
    }

    /// The next binary operator, with its level.
    fn operator(&self) -> Option<(usize, Lexeme<'t>)> {
        let next = self.lexemes.get(self.next)?;
        let level = PRECEDENCE.iter().position(|level| level.contains(&next.text))?;
        Some((level, *next))
    }

    /// unary = ( "+" | "-" | "~" | "!" ) unary | "(" choice ")" | number | name [ "." name ]
    fn unary(&mut self, depth: usize) -> Result<Expression<'t>, Misread> {
        let at = self.next;
        let Some(lexeme) = self.lexemes.get(at).copied() else {
            return Err(self.misread(Wanted::Value));
        };
        if depth > DEEPEST {
            return Err(Misread { at, wanted: Wanted::Shallower });
        }
        self.next += 1;
        let of = |member, operands| Expression { lexeme, member, operands };
        match (lexeme.kind, lexeme.text) {
            (LexemeKind::Punctuator, "+" | "-" | "~" | "!") => {
                Ok(of(None, vec![self.unary(depth + 1)?]))
            }
            (LexemeKind::Punctuator, "(") => {
                let inner = self.choice(depth + 1)?;
                self.take(")").ok_or(self.misread(Wanted::Bracket(at)))?;
                Ok(inner)
            }
            (LexemeKind::Number, _) => Ok(of(None, Vec::new())),
            (LexemeKind::Word, _) => {
                let member = match self.lexemes.get(self.next..self.next + 2) {
                    Some([point, member]) if point.text == "." && member.is_word() => {
                        self.next += 2;
                        Some(member.text)
                    }
                    _ => None,
                };
                Ok(of(member, Vec::new()))
            }
            _ => Err(Misread { at, wanted: Wanted::Value }),
        }
    }

    fn take(&mut self, text: &str) -> Option<Lexeme<'t>> {
        let found = *self.lexemes.get(self.next).filter(|next| next.text == text)?;
        self.next += 1;
        Some(found)
    }

    const fn misread(&self, wanted: Wanted) -> Misread {
        Misread { at: self.next, wanted }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expression_is_what_it_is_in_a_program() {
        let name = |name: &str| match name {
            "N" => Some(100),
            "threadIdx.x" => Some(3),
            _ => None,
        };
        let of = |text: &str| fold(text, &name);
        for (text, value) in [
            ("4096", 4096),
            (" 64 * 64 ", 4096),
            ("(N + 255) / 256 * 2 - 1", 1),
            ("-3+0x10", 13),
            ("1 + 2 << 3 == 24 && !0", 1),
            ("N > 3 ? 017 : x", 15),
            ("0 && 1 / 0 || 1'000u % 7 ^ 1", 1),
            ("threadIdx.x - ~0", 4),
        ] {
            assert_eq!(of(text), Some(value), "{text}");
        }
        for text in
            ["", "N+", "M", "1 2", "(1", "1)", "1/0", "1.5", "2**3", "9*x", "1 << 64", "f(1)"]
        {
            assert_eq!(of(text), None, "{text}");
        }
        assert_eq!(of(&format!("{}1", "- ".repeat(1000))), None, "too deep");
        assert_eq!(of(&["18446744073709551615"; 9].join("*")), None, "too large");
    }
}
