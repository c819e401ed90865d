//! Judges the result of an order: whether C is right or, of another kernel, whether the result is that
//! of another order.

use super::played::{BufferElement, OrderResult};
use super::run::OrderRun;
use super::same::ReferenceResult;
use crate::kernel::Problem;
use crate::matrix::judge::{Mismatch, SLACK};
use crate::matrix::{ElementType, Operand};
use crate::sim::Program;
use crate::study::errors::of_types;
use crate::study::simulation;
use std::collections::BTreeMap;

/// What the result of an order is compared with.
#[derive(Debug)]
pub(super) enum Judge<'a> {
    /// The product, or another C.
    C(ExpectedBlock<'a>),
    /// The result of another order.
    Order(ReferenceResult<'a>),
}

/// The elements of C that a block writes under any order, and their expected values.
#[derive(Debug)]
pub(super) struct ExpectedBlock<'a> {
    problem: &'a Problem,
    should: BTreeMap<(u32, u32), f64>,
    /// The largest error that rounding explains.
    most: f64,
}

impl<'a> Judge<'a> {
    /// The judge of these runs of a problem, the first of which is in the usual order.
    pub(super) fn of(problem: &'a Problem, program: &Program, runs: &'a [OrderResult]) -> Self {
        match runs {
            [usual, ..] if !problem.is_product() => {
                Self::Order(ReferenceResult::new(problem, program, usual))
            }
            _ => Self::C(ExpectedBlock::product(problem, runs)),
        }
    }

    /// Whether the result is right, or that of the other order.
    pub(super) fn is_right(&self, run: &OrderResult) -> bool {
        match self {
            Self::C(expected) => expected.is_right(run),
            Self::Order(same) => same.is_same(run),
        }
    }

    /// Whether it is that of the other order but for the rounding of float atomics.
    pub(super) fn is_rounded(&self, run: &OrderResult) -> bool {
        match self {
            Self::C(_) => false,
            Self::Order(same) => same.is_rounded(run),
        }
    }

    /// What is told of a run.
    pub(super) fn run(&self, run: &OrderResult) -> OrderRun {
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
        OrderRun { order, preemptions, elements, wrong, first, changed, ended }
    }
}

impl<'a> ExpectedBlock<'a> {
    /// Expects the problem's result, at the elements that at least one of the runs writes.
    pub(super) fn product(problem: &'a Problem, runs: &[OrderResult]) -> Self {
        let [n, steps] = [problem.size.n, problem.size.k].map(u64::from);
        let sum = |row: u32, column: u32| {
            let (start, column) = (u64::from(row) * steps, u64::from(column));
            let of = |operand, index| problem.before(operand, index);
            let term = |k| of(Operand::A, start + k) * of(Operand::B, k * n + column);
            (0..steps).map(term).sum()
        };
        let mut should = BTreeMap::new();
        for (row, column) in runs.iter().flat_map(|run| written(problem, run)) {
            should
                .entry((row, column))
                .or_insert_with(|| problem.expected(sum(row, column), row, column));
        }
        Self::new(problem, should)
    }

    pub(super) fn c_of(problem: &'a Problem, run: &OrderResult) -> Self {
        let value = |(row, column)| ((row, column), element(problem, run, row, column));
        Self::new(problem, written(problem, run).map(value).collect())
    }

    fn new(problem: &'a Problem, should: BTreeMap<(u32, u32), f64>) -> Self {
        let scale = should.values().fold(0.0, |scale: f64, value| scale.max(value.abs()));
        let relative = simulation::tolerance(problem).max(of_types(problem, SLACK));
        Self { problem, should, most: relative * scale }
    }

    /// The number of elements expected.
    pub(super) fn elements(&self) -> usize {
        self.should.len()
    }

    /// Returns the wrong elements; one that was not written is as before the launch.
    pub(super) fn wrong(&self, run: &OrderResult) -> impl Iterator<Item = Mismatch> {
        let of = self.element_type();
        let off = move |row, column, should| Mismatch {
            row,
            column,
            is: element(self.problem, run, row, column),
            should,
            of,
        };
        let expected = self.should.iter();
        let inside = expected.map(move |((row, column), should)| off(*row, *column, *should));
        let inside = inside.filter(|off| !is_same(off.is, off.should));
        let is_stray = |place: &(u32, u32)| !self.should.contains_key(place);
        let stray = written(self.problem, run).filter(is_stray);
        let stray = stray.map(move |(row, column)| off(row, column, f64::NAN));
        inside.chain(stray).filter(|off| {
            let error = (off.is - off.should).abs();
            error > self.most || error.is_nan()
        })
    }

    /// Whether the block completed and all of its C is right.
    pub(super) fn is_right(&self, run: &OrderResult) -> bool {
        run.ended && self.wrong(run).next().is_none()
    }

    fn element_type(&self) -> ElementType {
        self.problem.element_type(Operand::C)
    }
}

/// The rows and columns of the elements of C that a run wrote. Of elements narrower than a word those
/// that it changed: it may have written others in the word.
fn written(problem: &Problem, run: &OrderResult) -> impl Iterator<Item = (u32, u32)> {
    let number = Operand::C as u32;
    let layout = problem.layout(Operand::C);
    let shape = problem.size.shape(Operand::C);
    let places = run.places(problem).into_iter().filter(move |place| place.number == number);
    let wrote = move |place: &BufferElement| layout.of.bytes() >= 4 || run.changed(problem, *place);
    places.filter(wrote).filter_map(move |place| layout.at(shape, place.index))
}

/// An element of C after a run.
fn element(problem: &Problem, run: &OrderResult, row: u32, column: u32) -> f64 {
    let (layout, shape) = (problem.layout(Operand::C), problem.size.shape(Operand::C));
    let index = layout.place(shape, row, column);
    layout.of.read(index, |word| run.word(problem, Operand::C as u32, word))
}

/// Whether both are NaN, or the same infinity: their difference is no number.
fn is_same(is: f64, should: f64) -> bool {
    is.is_nan() && should.is_nan() || is.to_bits() == should.to_bits()
}
