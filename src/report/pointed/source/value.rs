//! The value of an integer expression for one thread, as far as it is certain.

use super::{Meaning, Source, Token, scan};
use crate::launch::Dim3;
use std::cell::RefCell;
use std::collections::BTreeSet;

/// Levels of names that are defined by other names.
const DEPTH: u32 = 12;
/// Operators of two operands: those of a row bind as tightly, and tighter than the rows above.
const LEVELS: [&[&str]; 8] = [
    &["||"],
    &["&&"],
    &["&"],
    &["==", "!="],
    &["<", "<=", ">", ">="],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

/// The built-in triples.
const DIMENSIONS: [&str; 4] = ["threadIdx", "blockIdx", "blockDim", "gridDim"];

/// Which thread of which block: what is left out is not known.
#[derive(Clone, Copy, Debug)]
pub(in crate::report::pointed) struct Place {
    /// The block's index.
    pub(in crate::report::pointed) block: Option<Dim3>,
    /// The thread's index in the block.
    pub(in crate::report::pointed) thread: Option<Dim3>,
    /// The blocks and the threads of a block.
    pub(in crate::report::pointed) shape: (Dim3, Dim3),
}

/// The value of a name that follows from that of an index.
pub(in crate::report::pointed) type Solved = (String, i64);

/// A sum of a constant and of a multiple of the one unknown name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Affine {
    constant: i64,
    slope: i64,
}

/// Evaluates expressions.
struct Evaluator<'s, 't> {
    source: &'s Source<'t>,
    place: Place,
    unknown: Option<&'s str>,
    /// The names that stand in the way.
    missing: RefCell<BTreeSet<String>>,
}

impl<'t> Source<'t> {
    /// Returns the value of a name for a thread; `solved` is a name whose value is known.
    pub(in crate::report::pointed) fn value(
        &self,
        name: &str,
        place: Place,
        solved: Option<&Solved>,
    ) -> Option<i64> {
        if let Some((_, value)) = solved.filter(|(of, _)| of == name) {
            return Some(*value);
        }
        let unknown = solved.map(|(of, _)| of.as_str());
        let found = self.evaluator(place, unknown).name(name, DEPTH)?;
        let value = solved.map_or(0, |(_, value)| *value);
        let value = found.constant.checked_add(found.slope.checked_mul(value)?)?;
        (0..=i64::from(i32::MAX)).contains(&value).then_some(value)
    }

    /// Returns the value of an expression for a thread.
    pub(in crate::report::pointed) fn evaluate(
        &self,
        expression: &[Token<'t>],
        place: Place,
    ) -> Option<i64> {
        let value = self.evaluator(place, None).all(expression, DEPTH)?.known()?;
        (0..=i64::from(i32::MAX)).contains(&value).then_some(value)
    }

    /// Returns the name, and its value, with which an index has this value.
    pub(in crate::report::pointed) fn solve(
        &self,
        index: &[Token<'t>],
        is: i64,
        place: Place,
    ) -> Option<Solved> {
        let first = self.evaluator(place, None);
        if first.all(index, DEPTH).is_some() {
            return None;
        }
        let mut missing = first.missing.into_inner().into_iter();
        let name = missing.next().filter(|_| missing.next().is_none())?;
        let Affine { constant, slope } =
            self.evaluator(place, Some(&name)).all(index, DEPTH).filter(|sum| sum.slope != 0)?;
        let rest = is.checked_sub(constant)?;
        (rest % slope == 0 && rest / slope >= 0).then(|| (name, rest / slope))
    }

    fn evaluator<'s>(&'s self, place: Place, unknown: Option<&'s str>) -> Evaluator<'s, 't> {
        Evaluator { source: self, place, unknown, missing: RefCell::default() }
    }
}

impl Evaluator<'_, '_> {
    /// Evaluates an expression that takes all of these tokens.
    fn all(&self, tokens: &[Token<'_>], depth: u32) -> Option<Affine> {
        let (value, rest) = self.choice(tokens, depth)?;
        rest.is_empty().then_some(value)
    }

    fn choice<'a, 'b>(
        &self,
        tokens: &'a [Token<'b>],
        depth: u32,
    ) -> Option<(Affine, &'a [Token<'b>])> {
        let (condition, rest) = self.level(tokens, 0, depth)?;
        let Some(rest) = after(rest, "?") else { return Some((condition, rest)) };
        let (yes, rest) = self.choice(rest, depth)?;
        let (no, rest) = self.choice(after(rest, ":")?, depth)?;
        Some((if condition.known()? == 0 { no } else { yes }, rest))
    }

    fn level<'a, 'b>(
        &self,
        tokens: &'a [Token<'b>],
        level: usize,
        depth: u32,
    ) -> Option<(Affine, &'a [Token<'b>])> {
        let Some(operators) = LEVELS.get(level) else { return self.primary(tokens, depth) };
        let (mut left, mut rest) = self.level(tokens, level + 1, depth)?;
        while let Some(operator) = rest.first().filter(|token| operators.contains(&token.text)) {
            let (right, after) = self.level(&rest[1..], level + 1, depth)?;
            left = joined(left, operator.text, right)?;
            rest = after;
        }
        Some((left, rest))
    }

    fn primary<'a, 'b>(
        &self,
        tokens: &'a [Token<'b>],
        depth: u32,
    ) -> Option<(Affine, &'a [Token<'b>])> {
        let (first, rest) = tokens.split_first()?;
        if first.text == "(" {
            let end = scan::closing(tokens)?;
            return Some((self.all(&tokens[1..end], depth)?, &tokens[end + 1..]));
        }
        if DIMENSIONS.contains(&first.text) {
            let axis = after(rest, ".")?.first()?.text;
            let Dim3 { x, y, z } = self.dimension(first.text)?;
            let value = match axis {
                "x" => x,
                "y" => y,
                "z" => z,
                _ => return None,
            };
            return Some((Affine::of(value.into()), &rest[2..]));
        }
        if first.text.starts_with(|digit: char| digit.is_ascii_digit()) {
            return Some((Affine::of(number(first.text)?), rest));
        }
        let called = rest.first().is_some_and(|next| matches!(next.text, "(" | "[" | "." | "->"));
        if !first.is_name() || called {
            // Nothing else may be solved for then.
            self.missing.borrow_mut().extend(["", first.text].map(str::to_owned));
            return None;
        }
        Some((self.name(first.text, depth)?, rest))
    }

    /// Returns one of the built-in triples, if its value is known.
    fn dimension(&self, name: &str) -> Option<Dim3> {
        let (grid, block) = self.place.shape;
        match name {
            "threadIdx" => self.place.thread,
            "blockIdx" => self.place.block,
            "blockDim" => Some(block),
            _ => Some(grid),
        }
    }

    fn name(&self, name: &str, depth: u32) -> Option<Affine> {
        if self.unknown == Some(name) {
            return Some(Affine { constant: 0, slope: 1 });
        }
        let depth = depth.checked_sub(1)?;
        let found = match self.source.meaning(name) {
            Meaning::Defined(tokens) => return self.all(&tokens, depth),
            Meaning::Macro(text) => return self.all(&scan(&text), depth),
            Meaning::Parameter(number, _) => self.source.argument(number)?.parse().ok(),
            Meaning::Float | Meaning::Varies(_) | Meaning::Unknown => None,
        };
        if found.is_none() {
            self.missing.borrow_mut().insert(name.to_owned());
        }
        found.map(Affine::of)
    }
}

impl Affine {
    const fn of(constant: i64) -> Self {
        Self { constant, slope: 0 }
    }

    /// Its value if it contains no unknown.
    fn known(self) -> Option<i64> {
        (self.slope == 0).then_some(self.constant)
    }
}

/// Applies an operator. Where C distinguishes signed from unsigned numbers, negative ones have no
/// value here.
fn joined(left: Affine, operator: &str, right: Affine) -> Option<Affine> {
    let each = |of: fn(i64, i64) -> Option<i64>| {
        let constant = of(left.constant, right.constant)?;
        Some(Affine { constant, slope: of(left.slope, right.slope)? })
    };
    match operator {
        "+" => return each(i64::checked_add),
        "-" => return each(i64::checked_sub),
        "*" => {
            let (factor, sum) =
                left.known().map(|factor| (factor, right)).or(right.known().map(|f| (f, left)))?;
            let times = |of: i64| of.checked_mul(factor);
            return Some(Affine { constant: times(sum.constant)?, slope: times(sum.slope)? });
        }
        _ => {}
    }
    let plain = |side: Affine| side.known().filter(|of| (0..=i64::from(i32::MAX)).contains(of));
    let (a, b) = (plain(left)?, plain(right)?);
    let shift = u32::try_from(b).ok().filter(|by| *by < 31);
    let value = match operator {
        "/" => a.checked_div(b)?,
        "%" => a.checked_rem(b)?,
        "&" => a & b,
        "<<" => a.checked_mul(1 << shift?)?,
        ">>" => a >> shift?,
        "<" => (a < b).into(),
        "<=" => (a <= b).into(),
        ">" => (a > b).into(),
        ">=" => (a >= b).into(),
        "==" => (a == b).into(),
        "!=" => (a != b).into(),
        "&&" => (a != 0 && b != 0).into(),
        "||" => (a != 0 || b != 0).into(),
        _ => return None,
    };
    Some(Affine::of(value))
}

/// The rest of the tokens if they begin with this one.
fn after<'a, 'b>(tokens: &'a [Token<'b>], text: &str) -> Option<&'a [Token<'b>]> {
    let (first, rest) = tokens.split_first()?;
    (first.text == text).then_some(rest)
}

/// A whole number.
fn number(text: &str) -> Option<i64> {
    let plain = text.trim_end_matches(['u', 'U', 'l', 'L']);
    match plain.strip_prefix("0x") {
        Some(hex) => i64::from_str_radix(hex, 16).ok(),
        // A leading 0 would make it octal.
        None => plain.parse().ok().filter(|_| plain == "0" || !plain.starts_with('0')),
    }
}
