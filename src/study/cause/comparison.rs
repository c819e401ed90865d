//! Compares a C with what known mistakes would make of A and B.

use super::kind::{Cause, Factors};
use super::stored::Stored;
use crate::kernel::Problem;
use crate::matrix::judge::{Expected, Off, SLACK, Wrong};
use crate::matrix::{Gemm, Major, Operand, Size};
use crate::sim::Buffer;
use crate::study::errors::of_types;
use std::ops::Range;

/// The most elements that are compared before all of them are.
const SAMPLE: usize = 24;

/// A C, or a part of it, to be compared.
pub(super) struct Comparison<'a> {
    problem: &'a Problem,
    c: &'a Buffer,
    rows: Vec<u32>,
    columns: Range<u32>,
    tolerance: f64,
}

/// What a mistake would make of A and B.
#[derive(Clone, Debug)]
struct Alternative {
    cause: Cause,
    /// Which matrices lie column by column: A, B, C.
    column_major: [bool; 3],
    /// The number of products in a sum.
    k: u32,
    gemm: Gemm,
}

impl<'a> Comparison<'a> {
    pub(super) fn new(
        problem: &'a Problem,
        c: &'a Buffer,
        (rows, columns): (Range<u32>, Range<u32>),
        tolerance: f64,
    ) -> Self {
        let rounding = of_types(problem, SLACK);
        let tolerance = tolerance.max(rounding);
        Self { problem, c, rows: rows.collect(), columns, tolerance }
    }

    /// The mistake that makes all of this C; `first` is its first wrong element.
    pub(super) fn cause(&self, first: Off) -> Option<Cause> {
        let mut alternatives = self.layouts().into_iter().chain(self.factors());
        let explains = |alternative: &Alternative| self.is_made_by(alternative);
        let found = alternatives.find(explains).or_else(|| self.cut_short(first).find(explains));
        found.map(|alternative| alternative.cause)
    }

    /// How many wrong elements no thread has stored.
    pub(super) fn never_stored(&self, stored: &Stored, wrong: Wrong) -> u64 {
        let as_nan = |index| if stored.holds(index) { self.is(index) } else { f64::NAN };
        let either = self.wrong(&self.as_asked(), as_nan);
        (wrong.elements + stored.missing()).saturating_sub(either)
    }

    /// Whether every element that was stored is right.
    pub(super) fn is_right_where(&self, places: &[(u32, u32)]) -> bool {
        self.fits(&self.as_asked(), places)
    }

    fn as_asked(&self) -> Alternative {
        let (k, gemm) = (self.problem.size.k, self.problem.gemm());
        // The cause is never told.
        Alternative { cause: Cause::KCutShort(k), column_major: [false; 3], k, gemm }
    }

    fn layouts(&self) -> Vec<Alternative> {
        let flags = (1..8_u8).map(|bits| [bits & 1 > 0, bits & 2 > 0, bits & 4 > 0]);
        let mut all: Vec<_> = flags.collect();
        all.sort_by_key(|flags| flags.iter().filter(|flag| **flag).count());
        let made = |flags| Alternative {
            cause: Cause::ColumnMajor(flags),
            column_major: flags,
            ..self.as_asked()
        };
        // What lies otherwise than in whole rows is as it was asked for.
        let in_rows = |operand| {
            let layout = self.problem.layout(operand);
            layout.major == Major::Row && layout.lead.is_none()
        };
        let known = Operand::ALL.map(in_rows);
        all.retain(|flags| flags.iter().zip(known).all(|(flag, known)| known || !flag));
        all.into_iter().map(made).collect()
    }

    fn factors(&self) -> Vec<Alternative> {
        let asked @ Gemm { alpha, beta } = self.problem.gemm();
        let of = |alpha, beta| Gemm { alpha, beta };
        let all = [
            (Factors::NoBeta, of(alpha, 0.0)),
            (Factors::BetaIsOne, of(alpha, 1.0)),
            (Factors::BetaTwice, of(alpha, 2.0 * beta)),
            (Factors::AlphaIsOne, of(1.0, beta)),
            (Factors::AlphaTwice, of(2.0 * alpha, beta)),
            (Factors::Neither, of(1.0, 0.0)),
        ];
        // Without a factor the old C holds zeros: adding them changes nothing.
        let differs = |gemm: &Gemm| *gemm != asked && (asked.reads_c() || !gemm.reads_c());
        let made = |(factors, gemm)| Alternative {
            cause: Cause::Factors(factors),
            gemm,
            ..self.as_asked()
        };
        all.into_iter().filter(|(_, gemm)| differs(gemm)).map(made).collect()
    }

    /// The numbers of products that explain the first wrong element, the largest first.
    fn cut_short(&self, first: Off) -> impl Iterator<Item = Alternative> {
        let asked = self.as_asked();
        let (mut sum, mut prefixes, mut scale) = (0.0, Vec::new(), first.should.abs());
        for k in 0..asked.k {
            prefixes.push((k, self.should(&asked, first, sum)));
            sum += self.product(&asked, (first.row, first.column), k);
            scale = scale.max(sum.abs());
        }
        let most = SLACK * self.tolerance * scale;
        let near = move |(_, should): &(u32, f64)| (first.is - should).abs() <= most;
        let made = move |(k, _)| Alternative { cause: Cause::KCutShort(k), k, ..asked.clone() };
        prefixes.into_iter().rev().filter(|(k, _)| *k > 0).filter(near).map(made)
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
        let pair = |(row, column): &(u32, u32)| {
            let place = (*row, *column);
            let sum = (0..alternative.k).map(|k| self.product(alternative, place, k)).sum();
            let index = self.index(alternative, Operand::C, place);
            let of = self.problem.element_type(Operand::C);
            let off = Off { row: *row, column: *column, is: 0.0, should: 0.0, of };
            (self.is(index), self.should(alternative, off, sum))
        };
        let pairs: Vec<_> = places.iter().map(pair).collect();
        let scale = pairs.iter().fold(0.0, |scale: f64, (_, should)| scale.max(should.abs()));
        // The largest element of all may be larger than that of a few.
        pairs.iter().all(|(is, should)| (is - should).abs() <= 4.0 * self.tolerance * scale)
    }

    /// The number of elements that differ from the alternative.
    fn wrong(&self, of: &Alternative, c: impl Fn(u64) -> f64 + Sync) -> u64 {
        let size = Size { k: of.k, ..self.problem.size };
        let place = |operand, index: u64| {
            let columns = u64::from(size.shape(operand).1);
            self.index(of, operand, ((index / columns) as u32, (index % columns) as u32))
        };
        let before = |operand, index| self.problem.before(operand, place(operand, index));
        let c_of = self.problem.element_type(Operand::C);
        let expected = Expected { size, gemm: of.gemm, c: c_of, before };
        let element = |index| c(place(Operand::C, index));
        expected.errors(element, &self.rows, &self.columns, self.tolerance).wrong().elements
    }

    /// Where an element lies for the kernel.
    fn index(&self, of: &Alternative, operand: Operand, (row, column): (u32, u32)) -> u64 {
        let (rows, columns) = self.problem.size.shape(operand);
        let [row, column, rows, columns] = [row, column, rows, columns].map(u64::from);
        if of.column_major[operand as usize] { column * rows + row } else { row * columns + column }
    }

    fn product(&self, of: &Alternative, (row, column): (u32, u32), k: u32) -> f64 {
        let value = |operand, place| self.problem.before(operand, self.index(of, operand, place));
        value(Operand::A, (row, k)) * value(Operand::B, (k, column))
    }

    fn should(&self, of: &Alternative, Off { row, column, .. }: Off, sum: f64) -> f64 {
        let index = self.index(of, Operand::C, (row, column));
        of.gemm.element(sum, self.problem.before(Operand::C, index))
    }

    fn is(&self, index: u64) -> f64 {
        self.problem.of_c(self.c, index)
    }
}
