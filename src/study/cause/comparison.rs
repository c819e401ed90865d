//! Compares a C with what known mistakes would make of A and B.

mod alternative;

use super::stored::StoredElements;
use crate::kernel::Problem;
use crate::matrix::judge::{Expected, Mismatch, SLACK, Wrong};
use crate::matrix::{ElementType, Gemm, Operand, Size};
use crate::sim::Allocation;
use crate::study::cause::Cause;
use crate::study::errors::of_types;
use alternative::Alternative;
use rayon::prelude::*;
use std::ops::Range;

/// The most elements that are compared before all of them are.
const SAMPLE: usize = 24;

/// Elements that tell a mistake from chance.
const ENOUGH: u64 = 4;

/// A C, or a part of it, to be compared.
pub(super) struct Comparison<'a> {
    problem: &'a Problem,
    c: &'a Allocation,
    rows: Vec<u32>,
    columns: Range<u32>,
    tolerance: f64,
}

/// A difference of float32, with the digits that rounding leaves.
fn rounded(value: f64) -> f64 {
    format!("{value:.4e}").parse().unwrap_or(value)
}

impl<'a> Comparison<'a> {
    pub(super) fn new(
        problem: &'a Problem,
        c: &'a Allocation,
        (rows, columns): (Range<u32>, Range<u32>),
        tolerance: f64,
    ) -> Self {
        let rounding = of_types(problem, SLACK);
        let tolerance = tolerance.max(rounding);
        Self { problem, c, rows: rows.collect(), columns, tolerance }
    }

    /// The mistake that makes all of this C; `first` is its first wrong element.
    pub(super) fn cause(&self, first: Mismatch) -> Option<Cause> {
        let explains = |alternative: &Alternative| self.is_made_by(alternative);
        let found = Alternative::all(self.problem).into_iter().find(explains);
        let found = found.or_else(|| self.parts(first).into_iter().find(explains));
        let found = found.or_else(|| self.scaled().into_iter().find(explains));
        found.map(|alternative| alternative.cause)
    }

    /// How many wrong elements no thread has stored.
    pub(super) fn never_stored(&self, stored: &StoredElements, wrong: Wrong) -> u64 {
        let as_nan = |index| if stored.holds(index) { self.is(index) } else { f64::NAN };
        let either = self.wrong(&self.as_asked(), as_nan);
        (wrong.elements + stored.missing()).saturating_sub(either)
    }

    /// Whether every element that was stored is right.
    pub(super) fn is_right_where(&self, places: &[(u32, u32)]) -> bool {
        self.fits(&self.as_asked(), places)
    }

    fn as_asked(&self) -> Alternative {
        Alternative::as_asked(self.problem)
    }

    /// The parts of its sum that explain the first wrong element: the longest first ones, the longest
    /// last ones, and all of it with something added.
    fn parts(&self, first: Mismatch) -> Vec<Alternative> {
        let asked = self.as_asked();
        let (mut sum, mut prefixes, mut scale) = (0.0, Vec::new(), first.should.abs());
        for k in asked.ks.clone() {
            prefixes.push((k, sum));
            sum += self.product(&asked, (first.row, first.column), k);
            scale = scale.max(sum.abs());
        }
        let most = SLACK * self.tolerance * scale;
        let near = |sum: f64| (first.is - self.should(&asked, first, sum)).abs() <= most;
        let inner = || prefixes.iter().skip(1);
        let cut = inner().rev().filter(|(_, before)| near(*before));
        let late = inner().filter(|(_, before)| near(sum - before));
        let [cut, late] = [
            cut.map(|(k, _)| asked.only(0..*k, Cause::KCutShort(*k))).collect::<Vec<_>>(),
            late.map(|(k, _)| asked.only(*k..asked.ks.end, Cause::KBegunLate(*k))).collect(),
        ];
        let off = (first.is - first.should) / asked.gemm.alpha;
        let begins = off.is_finite().then(|| asked.begun_at(rounded(off)));
        cut.into_iter().chain(late).chain(begins).collect()
    }

    /// What a factor of every element makes, which the elements of the sample give: of the product, and
    /// of those of matrices that lie otherwise.
    fn scaled(&self) -> Vec<Alternative> {
        let asked = self.as_asked();
        if asked.gemm != Gemm::default() {
            return Vec::new();
        }
        let layouts = asked.layouts(self.problem);
        let scaled = |of: &Alternative| {
            let pairs = self.pairs(of, &self.sample());
            let both: f64 = pairs.iter().map(|(is, should)| is * should).sum();
            let by = both / pairs.iter().map(|(_, should)| should * should).sum::<f64>();
            (by.is_normal() && (by - 1.0).abs() > SLACK * self.tolerance).then(|| of.scaled(by))
        };
        std::iter::once(&asked).chain(&layouts).filter_map(scaled).collect()
    }

    /// Whether every element is the sum of its products cut off to a whole number after each of them.
    pub(super) fn is_cut_off(&self) -> bool {
        let (asked, k) = (self.as_asked(), self.problem.size.k);
        if asked.gemm != Gemm::default() {
            return false;
        }
        let value = |operand, place| asked.value(self.problem, operand, place);
        let is_whole = |(row, column): (u32, u32)| {
            self.is(asked.index(self.problem, Operand::C, (row, column))).fract() == 0.0
        };
        if !self.sample().into_iter().all(is_whole) {
            return false;
        }
        let column = |column: u32| (0..k).map(move |k| value(Operand::B, (k, column)));
        let columns: Vec<Vec<f64>> = self.columns.clone().map(|at| column(at).collect()).collect();
        self.rows.par_iter().all(|row| {
            let a: Vec<_> = (0..k).map(|k| value(Operand::A, (*row, k))).collect();
            self.columns.clone().zip(&columns).all(|(column, b)| {
                let sum = a.iter().zip(b).fold(0.0, |sum: f64, (a, b)| (sum + a * b).trunc());
                // A whole number is exact: an equal one has no difference.
                let is = self.is(asked.index(self.problem, Operand::C, (*row, column)));
                (is - sum).abs() <= 0.0
            })
        })
    }

    /// Whether every element is a number of this narrower type, and right to within its rounding.
    pub(super) fn is_rounded_to(&self, of: ElementType) -> bool {
        let types = Operand::ALL.map(|operand| self.problem.element_type(operand));
        if types != [ElementType::F32; 3] {
            return false;
        }
        let asked = self.as_asked();
        let element = |row, column| self.is(asked.index(self.problem, Operand::C, (row, column)));
        let holds = |value: f64| of.round(value).to_bits() == value.to_bits();
        let all = self
            .rows
            .par_iter()
            .all(|row| self.columns.clone().all(|column| holds(element(*row, column))));
        let tolerance = ElementType::tolerance_of_product([of; 3], asked.ks.end, SLACK);
        all && tolerance < 1.0 && self.wrong_beyond(&asked, |index| self.is(index), tolerance) == 0
    }

    /// Whether this C is what the alternative makes: a few elements first, then all.
    fn is_made_by(&self, alternative: &Alternative) -> bool {
        self.fits(alternative, &self.sample())
            && self.wrong(alternative, |index| self.is(index)) == 0
    }

    fn sample(&self) -> Vec<(u32, u32)> {
        let (height, width) = (self.rows.len(), self.columns.len());
        // A stride that is odd and near the golden section meets all rows and columns.
        let all = height * width;
        let stride = (all * 618 / 1000) | 1;
        let place = |number: usize| {
            let at = number * stride % all;
            (self.rows[at / width], self.columns.start + (at % width) as u32)
        };
        (0..SAMPLE.min(all)).map(place).collect()
    }

    fn fits(&self, alternative: &Alternative, places: &[(u32, u32)]) -> bool {
        let pairs = self.pairs(alternative, places);
        let scale = pairs.iter().fold(0.0, |scale: f64, (_, should)| scale.max(should.abs()));
        // The largest element of all may be larger than that of a few.
        pairs.iter().all(|(is, should)| (is - should).abs() <= 4.0 * self.tolerance * scale)
    }

    /// What these elements are, and what the alternative would make of them.
    fn pairs(&self, alternative: &Alternative, places: &[(u32, u32)]) -> Vec<(f64, f64)> {
        let pair = |(row, column): &(u32, u32)| {
            let place = (*row, *column);
            let sum = (0..alternative.depth()).map(|k| self.product(alternative, place, k)).sum();
            let index = alternative.index(self.problem, Operand::C, place);
            let of = self.problem.element_type(Operand::C);
            let off = Mismatch { row: *row, column: *column, is: 0.0, should: 0.0, of };
            (self.is(index), self.should(alternative, off, sum))
        };
        places.iter().map(pair).collect()
    }

    /// The number of elements that differ from the alternative.
    fn wrong(&self, of: &Alternative, c: impl Fn(u64) -> f64 + Sync) -> u64 {
        self.wrong_beyond(of, c, self.tolerance)
    }

    fn wrong_beyond(&self, of: &Alternative, c: impl Fn(u64) -> f64 + Sync, tolerance: f64) -> u64 {
        let (problem, size) = (self.problem, Size { k: of.depth(), ..self.problem.size });
        let place = |operand, index: u64| {
            let columns = u64::from(size.shape(operand).1);
            ((index / columns) as u32, (index % columns) as u32)
        };
        let of_c = |index| of.index(problem, Operand::C, place(Operand::C, index));
        let before = |operand, index| match operand {
            Operand::C => problem.before(Operand::C, of_c(index)),
            _ => of.value(problem, operand, place(operand, index)),
        };
        let c_of = problem.element_type(Operand::C);
        let expected = Expected { size, gemm: of.gemm, c: c_of, before };
        let element = |index| c(of_c(index));
        expected.errors(element, &self.rows, &self.columns, tolerance).wrong().elements
    }

    fn product(&self, of: &Alternative, (row, column): (u32, u32), k: u32) -> f64 {
        let value = |operand, place| of.value(self.problem, operand, place);
        value(Operand::A, (row, k)) * value(Operand::B, (k, column))
    }

    fn should(&self, of: &Alternative, Mismatch { row, column, .. }: Mismatch, sum: f64) -> f64 {
        let index = of.index(self.problem, Operand::C, (row, column));
        of.gemm.element(sum, self.problem.before(Operand::C, index))
    }

    /// The kernel and its launch.
    pub(super) const fn problem(&self) -> &'a Problem {
        self.problem
    }

    /// Whether every element of which `shown` returns what stands for it, by its index, is right, and
    /// there are enough of them.
    pub(super) fn shows(&self, shown: impl Fn(u64) -> Option<f64> + Sync) -> bool {
        let asked = self.as_asked();
        let index = |place| asked.index(self.problem, Operand::C, place);
        let is_right = |place: &(u32, u32)| {
            let Some(value) = shown(index(*place)) else { return true };
            let sum = (0..asked.depth()).map(|k| self.product(&asked, *place, k)).sum();
            let of = self.problem.element_type(Operand::C);
            let off = Mismatch { row: place.0, column: place.1, is: 0.0, should: 0.0, of };
            let should = self.should(&asked, off, sum);
            (value - should).abs() <= 4.0 * self.tolerance * should.abs().max(1.0)
        };
        // A few elements first.
        if !self.sample().iter().all(is_right) {
            return false;
        }
        let count = |row: &u32| {
            let all = self.columns.clone().filter(|column| shown(index((*row, *column))).is_none());
            all.count() as u64
        };
        let without: u64 = self.rows.par_iter().map(count).sum();
        let all = self.rows.len() as u64 * u64::from(self.columns.end - self.columns.start);
        let enough = all - without >= ENOUGH;
        enough && self.wrong(&asked, |index| shown(index).unwrap_or(f64::NAN)) == without
    }

    pub(super) fn is(&self, index: u64) -> f64 {
        self.problem.of_c(self.c, index)
    }
}
