//! Compares a C with its expected value in float64, part by part on all cores.

use super::{Distance, ElementType, Gemm, Operand, Size};
use multiversion::multiversion;
use rayon::prelude::*;
use serde::{Serialize, Serializer};
use std::ops::Range;

/// Rows and columns of C compared at a time. A and B are generated anew for each part, so that no
/// second copy of them is needed; this takes little time compared with the multiply-adds.
const ROWS: usize = 64;
const COLUMNS: usize = 256;

/// Steps along k at a time: few enough that these rows of B, over the columns of a part, stay in
/// the cache.
const DEEP: usize = 64;

/// The largest error of a single element, as a multiple of the overall relative error that rounding
/// explains.
pub const SLACK: f64 = 64.0;

/// The data from which the expected C is computed.
#[derive(Clone, Copy, Debug)]
pub struct Expected<F> {
    pub size: Size,
    /// The operation that computes C.
    pub gemm: Gemm,
    pub c: ElementType,
    /// Returns element number `index` (row-major) of a matrix before the launch.
    pub before: F,
}

/// Errors of some elements of C against their expected values.
#[derive(Clone, Copy, Debug, Default)]
pub struct Errors {
    /// The largest difference; NaN if any difference is NaN.
    worst: f64,
    /// The largest expected value.
    scale: f64,
    distance: Distance,
    wrong: Wrong,
}

/// Elements whose error rounding does not explain.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Wrong {
    /// Number of wrong elements.
    pub elements: u64,
    /// Number of elements compared.
    pub of: u64,
    /// The first wrong element in row-major order.
    pub first: Option<Mismatch>,
}

/// An element of C that differs from its expected value.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Mismatch {
    pub row: u32,
    pub column: u32,
    /// Its actual value.
    #[serde(serialize_with = "shortest")]
    pub is: f64,
    /// Its expected value.
    pub should: f64,
    #[serde(skip)]
    pub of: ElementType,
}

impl<F: Fn(Operand, u64) -> f64 + Sync> Expected<F> {
    /// Compares these rows and columns of C, where `c` returns an element by its index. An element
    /// is wrong if its error exceeds `tolerance` times the largest expected value of its part.
    pub fn errors(
        &self,
        c: impl Fn(u64) -> f64 + Sync,
        rows: &[u32],
        columns: &Range<u32>,
        tolerance: f64,
    ) -> Errors {
        let compare = |part: &(&[u32], Range<u32>)| {
            let elements = self.elements(&c, part);
            let pairs = || elements.iter().map(|element| (element.is, element.should));
            let mut wrong = Wrong { of: elements.len() as u64, ..Wrong::default() };
            for element in wrong_among(&elements, tolerance) {
                wrong.elements += 1;
                wrong.first = wrong.first.or(Some(element));
            }
            let worst = elements.iter().map(Mismatch::error).fold(0.0, worse);
            Errors { wrong, worst, scale: scale(&elements), distance: Distance::of(pairs()) }
        };
        // Fold in a fixed order, so that the sum does not depend on how the threads shared the
        // work.
        let errors: Vec<_> = parts(rows, columns).par_iter().map(compare).collect();
        errors.into_iter().fold(Errors::default(), Errors::and)
    }

    /// Returns the elements that [`Self::errors`] counts as wrong, part by part.
    pub fn wrong_elements(
        &self,
        c: impl Fn(u64) -> f64 + Sync,
        rows: &[u32],
        columns: &Range<u32>,
        tolerance: f64,
    ) -> Vec<Mismatch> {
        let wrong = |part: &(&[u32], Range<u32>)| {
            let elements = self.elements(&c, part);
            wrong_among(&elements, tolerance).collect::<Vec<_>>()
        };
        parts(rows, columns).par_iter().flat_map(wrong).collect()
    }

    /// The elements of a part, with their expected values.
    fn elements(
        &self,
        c: impl Fn(u64) -> f64,
        (rows, columns): &(&[u32], Range<u32>),
    ) -> Vec<Mismatch> {
        let products = self.product(rows, columns);
        let places = rows.iter().flat_map(|row| columns.clone().map(move |column| (*row, column)));
        let element = |((row, column), product): ((u32, u32), &f64)| {
            let index = u64::from(row) * u64::from(self.size.n) + u64::from(column);
            let before = (self.before)(Operand::C, index);
            let should = self.c.expected(self.gemm.element(*product, before));
            Mismatch { row, column, is: c(index), should, of: self.c }
        };
        places.zip(&products).map(element).collect()
    }

    /// Computes a part of A x B in float64, row-major; each element's terms are added in the order
    /// of k.
    fn product(&self, rows: &[u32], columns: &Range<u32>) -> Vec<f64> {
        let width = columns.len();
        let piece = |operand, row: u32, columns: Range<u32>| {
            let first = u64::from(row) * u64::from(self.size.shape(operand).1);
            columns.map(move |column| (self.before)(operand, first + u64::from(column)))
        };
        let mut products = vec![0.0; rows.len() * width];
        for step in (0..self.size.k).step_by(DEEP) {
            let along = step..self.size.k.min(step + DEEP as u32);
            let b = along.clone().flat_map(|k| piece(Operand::B, k, columns.clone()));
            let b: Vec<_> = b.collect();
            for (row, sums) in rows.iter().zip(products.chunks_exact_mut(width)) {
                for (a, b) in piece(Operand::A, *row, along.clone()).zip(b.chunks_exact(width)) {
                    add_multiple(sums, a, b);
                }
            }
        }
        products
    }
}

/// Adds `factor` times each element of a row. Compiled here, and not with whoever gives the elements of A and B.
#[multiversion(targets("x86_64+avx2"))]
fn add_multiple(sums: &mut [f64], factor: f64, row: &[f64]) {
    sums.iter_mut().zip(row).for_each(|(sum, element)| *sum += factor * element);
}

/// Divides rows and columns into the parts that are compared at a time.
fn parts<'a>(rows: &'a [u32], columns: &Range<u32>) -> Vec<(&'a [u32], Range<u32>)> {
    let across = || columns.clone().step_by(COLUMNS);
    let end = |left: u32| columns.end.min(left + COLUMNS as u32);
    let parts =
        rows.chunks(ROWS).flat_map(|rows| across().map(move |left| (rows, left..end(left))));
    parts.collect()
}

/// The largest expected value of a part.
fn scale(elements: &[Mismatch]) -> f64 {
    elements.iter().fold(0.0, |scale: f64, element| scale.max(element.should.abs()))
}

/// The elements of a part whose error exceeds `tolerance` times its largest expected value, or is NaN.
fn wrong_among(elements: &[Mismatch], tolerance: f64) -> impl Iterator<Item = Mismatch> {
    let most = tolerance * scale(elements);
    let is_wrong = move |element: &&Mismatch| element.error() > most || element.error().is_nan();
    elements.iter().filter(is_wrong).copied()
}

/// Writes a float32 with no more digits than it needs.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn shortest<S: Serializer>(value: &f64, to: S) -> Result<S::Ok, S::Error> {
    let single = *value as f32;
    let is_single = f64::from(single).to_bits() == value.to_bits();
    if is_single { to.serialize_f32(single) } else { to.serialize_f64(*value) }
}

impl Mismatch {
    /// Both values with as many digits as their type needs.
    pub fn shown(&self) -> [String; 2] {
        let digits = match self.of {
            ElementType::F64 => 15,
            of if of.is_integer() => 0,
            _ => 6,
        };
        [self.is, self.should].map(|value| format!("{value:.digits$}"))
    }

    fn error(&self) -> f64 {
        (self.is - self.should).abs()
    }
}

impl Errors {
    /// The largest error, relative to the largest expected value.
    pub fn largest(self) -> f64 {
        if self.scale == 0.0 { self.worst } else { self.worst / self.scale }
    }

    /// The relative error in the Frobenius norm.
    pub fn relative(self) -> f64 {
        self.distance.relative()
    }

    /// Statistics of the wrong elements.
    pub const fn wrong(self) -> Wrong {
        self.wrong
    }

    fn and(self, other: Self) -> Self {
        Self {
            wrong: self.wrong.and(other.wrong),
            worst: worse(self.worst, other.worst),
            scale: self.scale.max(other.scale),
            distance: self.distance.and(other.distance),
        }
    }
}

/// Returns the larger error; `f64::max` would ignore a NaN.
fn worse(most: f64, error: f64) -> f64 {
    if error > most || error.is_nan() { error } else { most }
}

impl Wrong {
    fn and(self, other: Self) -> Self {
        let place = |element: &Mismatch| (element.row, element.column);
        Self {
            elements: self.elements + other.elements,
            of: self.of + other.of,
            first: self.first.into_iter().chain(other.first).min_by_key(place),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix;

    #[test]
    fn the_product_is_without_errors_and_a_wrong_element_is_found() {
        let (size, gemm) = (Size { m: 70, n: 300, k: 65 }, Gemm { alpha: 2.0, beta: 0.5 });
        let [a, b, before] = Operand::ALL.map(|operand| matrix::fill(1, operand, size));
        let product = matrix::product(&a, &b, size, 0..size.m);
        let pairs = product.iter().zip(&before);
        let mut c: Vec<_> =
            pairs.map(|(ab, before)| gemm.element(*ab, f64::from(*before)) as f32).collect();
        let element = |operand, index| match operand {
            Operand::A => f64::from(a[index as usize]),
            Operand::B => f64::from(b[index as usize]),
            Operand::C => f64::from(before[index as usize]),
        };
        let expected = Expected { size, gemm, c: ElementType::F32, before: element };
        let rows: Vec<_> = (0..size.m).collect();
        let errors = |c: &[f32], rows: &[u32]| {
            expected.errors(|index| c[index as usize].into(), rows, &(0..size.n), 1e-6)
        };
        let right = errors(&c, &rows);
        assert!(right.relative() < 1e-7 && right.largest() < 1e-7, "{right:?}");
        assert_eq!((right.wrong().elements, right.wrong().of), (0, 70 * 300));
        let at = 69 * 300 + 299;
        c[at] = before[at];
        let wrong = errors(&c, &rows).wrong();
        assert_eq!(wrong.elements, 1);
        let all =
            expected.wrong_elements(|index| c[index as usize].into(), &rows, &(0..size.n), 1e-6);
        assert_eq!(all.iter().map(|off| (off.row, off.column)).collect::<Vec<_>>(), [(69, 299)]);
        assert_eq!(wrong.first.map(|off| (off.row, off.column)), Some((69, 299)));
        assert_eq!(errors(&c, &[0, 68]).wrong().elements, 0, "other rows are right");
        c[at] = f32::NAN;
        assert!(errors(&c, &[69]).relative().is_nan() && errors(&c, &[69]).largest().is_nan());
    }
}
