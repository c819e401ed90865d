//! The value of an integer expression for one thread, as far as it is certain.

use super::{FunctionTokens, Meaning};
use crate::launch::Dim3;
use cudac::expression::{Expression, FoldValue, apply};
use cudac::{Lexeme, lexemes};
use std::cell::RefCell;
use std::collections::BTreeSet;

/// Levels of names that are defined by other names.
const DEPTH: u32 = 12;
/// The built-in triples.
const DIMENSIONS: [&str; 4] = ["threadIdx", "blockIdx", "blockDim", "gridDim"];

/// Which thread of which block: what is left out is not known.
#[derive(Clone, Copy, Debug)]
pub(in crate::report::pointed) struct ThreadCoordinates {
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
struct AffineSum {
    constant: i64,
    slope: i64,
}

/// Evaluates expressions.
struct Evaluator<'s, 't> {
    source: &'s FunctionTokens<'t>,
    place: ThreadCoordinates,
    unknown: Option<&'s str>,
    /// The names that stand in the way.
    missing: RefCell<BTreeSet<String>>,
}

impl<'t> FunctionTokens<'t> {
    /// Returns the value of a name for a thread; `solved` is a name whose value is known.
    pub(in crate::report::pointed) fn value(
        &self,
        name: &str,
        place: ThreadCoordinates,
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
        expression: &[Lexeme<'t>],
        place: ThreadCoordinates,
    ) -> Option<i64> {
        let value = self.evaluator(place, None).all(expression, DEPTH)?.known()?;
        (0..=i64::from(i32::MAX)).contains(&value).then_some(value)
    }

    /// Returns the name, and its value, with which an index has this value.
    pub(in crate::report::pointed) fn solve(
        &self,
        index: &[Lexeme<'t>],
        is: i64,
        place: ThreadCoordinates,
    ) -> Option<Solved> {
        let first = self.evaluator(place, None);
        if first.all(index, DEPTH).is_some() {
            return None;
        }
        let mut missing = first.missing.into_inner().into_iter();
        let name = missing.next().filter(|_| missing.next().is_none())?;
        let AffineSum { constant, slope } =
            self.evaluator(place, Some(&name)).all(index, DEPTH).filter(|sum| sum.slope != 0)?;
        let rest = is.checked_sub(constant)?;
        (rest % slope == 0 && rest / slope >= 0).then(|| (name, rest / slope))
    }

    fn evaluator<'s>(
        &'s self,
        place: ThreadCoordinates,
        unknown: Option<&'s str>,
    ) -> Evaluator<'s, 't> {
        Evaluator { source: self, place, unknown, missing: RefCell::default() }
    }
}

impl Evaluator<'_, '_> {
    /// Evaluates an expression that takes all of these tokens.
    fn all(&self, tokens: &[Lexeme<'_>], depth: u32) -> Option<AffineSum> {
        let expression = Expression::parse(tokens).ok()?;
        expression
            .fold(&|leaf| self.leaf(leaf, depth), &|one, values| joined(one.lexeme.text, values))
    }

    fn leaf(&self, leaf: &Expression<'_>, depth: u32) -> Option<AffineSum> {
        if let Some(number) = leaf.number() {
            return i64::try_from(number?).ok().map(AffineSum::of);
        }
        let name = leaf.lexeme.text;
        match leaf.member {
            None => self.name(name, depth),
            Some(axis) if DIMENSIONS.contains(&name) => {
                let Dim3 { x, y, z } = self.dimension(name)?;
                let sides = [("x", x), ("y", y), ("z", z)];
                let (_, side) = sides.into_iter().find(|(own, _)| *own == axis)?;
                Some(AffineSum::of(side.into()))
            }
            Some(_) => {
                // Nothing else may be solved for then.
                self.missing.borrow_mut().extend(["", name].map(str::to_owned));
                None
            }
        }
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

    fn name(&self, name: &str, depth: u32) -> Option<AffineSum> {
        if self.unknown == Some(name) {
            return Some(AffineSum { constant: 0, slope: 1 });
        }
        let depth = depth.checked_sub(1)?;
        let found = match self.source.meaning(name) {
            Meaning::Defined(tokens) => return self.all(&tokens, depth),
            Meaning::Macro(text) => return self.all(&lexemes(&text), depth),
            Meaning::Parameter(number, _) => self.source.argument(number)?.parse().ok(),
            Meaning::Float | Meaning::Varies(_) | Meaning::Unknown => None,
        };
        if found.is_none() {
            self.missing.borrow_mut().insert(name.to_owned());
        }
        found.map(AffineSum::of)
    }
}

impl AffineSum {
    const fn of(constant: i64) -> Self {
        Self { constant, slope: 0 }
    }

    /// Its value if it contains no unknown.
    fn known(self) -> Option<i64> {
        (self.slope == 0).then_some(self.constant)
    }
}

impl FoldValue for AffineSum {
    fn of_truth(holds: bool) -> Self {
        Self::of(holds.into())
    }

    fn holds(self) -> Option<bool> {
        self.known().map(|value| value != 0)
    }
}

/// Applies an operator. Where C distinguishes signed from unsigned numbers, negative ones have no
/// value here.
fn joined(operator: &str, values: &[AffineSum]) -> Option<AffineSum> {
    let each = |left: AffineSum, right: AffineSum, of: fn(i64, i64) -> Option<i64>| {
        let constant = of(left.constant, right.constant)?;
        Some(AffineSum { constant, slope: of(left.slope, right.slope)? })
    };
    match (operator, values) {
        ("-", [one]) => return each(AffineSum::of(0), *one, i64::checked_sub),
        ("+", [left, right]) => return each(*left, *right, i64::checked_add),
        ("-", [left, right]) => return each(*left, *right, i64::checked_sub),
        ("*", [left, right]) => {
            let factor = left.known().map(|factor| (factor, right));
            let (factor, sum) = factor.or(right.known().map(|factor| (factor, left)))?;
            let times = |of: i64| of.checked_mul(factor);
            return Some(AffineSum { constant: times(sum.constant)?, slope: times(sum.slope)? });
        }
        _ => {}
    }
    let plain = |side: &AffineSum| side.known().filter(|of| (0..=i64::from(i32::MAX)).contains(of));
    let known: Option<Vec<_>> = values.iter().map(|side| plain(side).map(i128::from)).collect();
    apply(operator, &known?).ok()?.try_into().ok().map(AffineSum::of)
}
