//! Judges the result of an order: whether C is right or, of another kernel, whether the result is that
//! of another order.

use super::played::{Played, Word};
use super::run::{Element, Run};
use super::same::Same;
use crate::kernel::Problem;
use crate::matrix::judge::SLACK;
use crate::matrix::{Operand, tolerance};
use crate::sim::Program;
use std::collections::BTreeMap;

/// What the result of an order is compared with.
#[derive(Debug)]
pub(super) enum Judge<'a> {
    /// The product, or another C.
    C(Expected),
    /// The result of another order.
    Order(Same<'a>),
}

/// The elements of C that a block writes under any order, and their expected values.
#[derive(Debug)]
pub(super) struct Expected {
    should: BTreeMap<(u32, u32), f64>,
    /// The largest error that rounding explains.
    most: f64,
}

impl<'a> Judge<'a> {
    /// The judge of these runs of a problem, the first of which is in the usual order.
    pub(super) fn of(problem: &'a Problem, program: &Program, runs: &'a [Played]) -> Self {
        match runs {
            [usual, ..] if !problem.is_product() => Self::Order(Same::new(problem, program, usual)),
            _ => Self::C(Expected::product(problem, runs)),
        }
    }

    /// Whether the result is right, or that of the other order.
    pub(super) fn is_right(&self, run: &Played) -> bool {
        match self {
            Self::C(expected) => expected.is_right(run),
            Self::Order(same) => same.is_same(run),
        }
    }

    /// Whether it is that of the other order but for the rounding of float atomics.
    pub(super) fn is_rounded(&self, run: &Played) -> bool {
        match self {
            Self::C(_) => false,
            Self::Order(same) => same.is_rounded(run),
        }
    }

    /// What is told of a run.
    pub(super) fn run(&self, run: &Played) -> Run {
        let (elements, wrong, first, changed) = match self {
            Self::C(expected) => {
                let mut wrong = expected.wrong(run);
                let first = wrong.next();
                let count = usize::from(first.is_some()) + wrong.count();
                (expected.elements(), count, first, None)
            }
            Self::Order(same) => {
                let mut changed = same.changed(run);
                let first = changed.next();
                let count = usize::from(first.is_some()) + changed.count();
                (same.words(), count, None, first)
            }
        };
        let (preemptions, ended) = (run.preemptions, run.ended);
        let order = run.order.to_string();
        Run { order, preemptions, elements, wrong, first, changed, ended }
    }
}

impl Expected {
    /// Expects the problem's result, at the elements that at least one of the runs writes.
    pub(super) fn product(problem: &Problem, runs: &[Played]) -> Self {
        let [n, steps] = [problem.size.n, problem.size.k].map(u64::from);
        let sum = |row: u32, column: u32| {
            let (start, column) = (u64::from(row) * steps, u64::from(column));
            let of = |operand, index| problem.before(operand, index);
            let term = |k| of(Operand::A, start + k) * of(Operand::B, k * n + column);
            (0..steps).map(term).sum()
        };
        let mut should = BTreeMap::new();
        for (row, column, _) in runs.iter().flat_map(|run| &run.c) {
            should
                .entry((*row, *column))
                .or_insert_with(|| problem.expected(sum(*row, *column), *row, *column));
        }
        Self::new(problem, should)
    }

    /// Expects the C of this run.
    pub(super) fn c_of(problem: &Problem, run: &Played) -> Self {
        let value = |(row, column, bits): &Word| ((*row, *column), f32::from_bits(*bits).into());
        Self::new(problem, run.c.iter().map(value).collect())
    }

    fn new(problem: &Problem, should: BTreeMap<(u32, u32), f64>) -> Self {
        let scale = should.values().fold(0.0, |scale: f64, value| scale.max(value.abs()));
        Self { should, most: SLACK * tolerance(problem.size.k) * scale }
    }

    /// The number of elements expected.
    pub(super) fn elements(&self) -> usize {
        self.should.len()
    }

    /// Returns the wrong elements; one that was not written still holds its initial 0.
    pub(super) fn wrong(&self, run: &Played) -> impl Iterator<Item = Element> {
        let written = |row, column| {
            let found = run.c.binary_search_by_key(&(row, column), |word| (word.0, word.1));
            found.map_or(0.0, |at| f32::from_bits(run.c[at].2))
        };
        let inside = self
            .should
            .iter()
            .map(move |((row, column), should)| (*row, *column, written(*row, *column), *should))
            .filter(|(.., is, should)| !is_same(*is, *should));
        let stray = run.c.iter().filter(|word| !self.should.contains_key(&(word.0, word.1)));
        let stray = stray.map(|word| (word.0, word.1, f32::from_bits(word.2), f64::NAN));
        inside.chain(stray).filter(|(.., is, should)| {
            let error = (f64::from(*is) - should).abs();
            error > self.most || error.is_nan()
        })
    }

    /// Whether the block completed and all of its C is right.
    pub(super) fn is_right(&self, run: &Played) -> bool {
        run.ended && self.wrong(run).next().is_none()
    }
}

/// Whether both are NaN, or the same infinity: their difference is no number.
fn is_same(is: f32, should: f64) -> bool {
    let is = f64::from(is);
    is.is_nan() && should.is_nan() || is.to_bits() == should.to_bits()
}
