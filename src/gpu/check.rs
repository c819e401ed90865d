//! Checks C: against float64 where that is quick, otherwise some rows against float64 and all of C
//! against cuBLAS.

use super::device::Device;
use super::once::{InitialC, run_once};
use crate::matrix::{Distance, Gemm, Layout, Operand, Precision, Size, judge};
use crate::timing::GpuError;
use crate::timing::{Reference, Subject};
use rayon::prelude::*;

/// Up to this number of multiply-adds, the whole product is computed on the host.
const HOST_TERMS: u64 = 512 * 512 * 512;

/// The number of rows that are compared if there is no time for all.
const SAMPLED_ROWS: u32 = 16;

/// The number of elements compared at a time.
const PART: usize = 1 << 16;

/// The error of C, and the reference that it was compared with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ReferenceVerdict {
    pub(super) reference: Reference,
    /// The relative error, or `None` if it is not finite.
    pub(super) error: Option<f64>,
}

/// The inputs of the reference computation.
pub(super) struct ReferenceInputs<'a> {
    pub(super) size: Size,
    pub(super) gemm: Gemm,
    /// How A, B and C lie in memory.
    pub(super) layouts: [Layout; 3],
    pub(super) ab: [&'a [f32]; 2],
    /// C before the run; empty if it does not enter the result.
    pub(super) before: &'a [f32],
}

/// Checks the C that `device` has computed. May load and run cuBLAS on it.
pub(super) fn check(
    device: &mut dyn Device,
    expected: &ReferenceInputs<'_>,
    c: &[f32],
) -> Result<ReferenceVerdict, GpuError> {
    let size = expected.size;
    let verdict = |reference, error: f64| ReferenceVerdict { reference, error: finite(error) };
    if size.elements(Operand::C) * u64::from(size.k) <= HOST_TERMS {
        let whole: Vec<_> = (0..size.m).collect();
        return Ok(verdict(Reference::Float64, expected.error(c, &whole)));
    }
    let in_rows = verdict(Reference::SampledRows, expected.error(c, &sampled(size.m)));
    let Some(precision) = expected.precision().filter(|_| device.has_cublas()) else {
        return Ok(in_rows);
    };
    let library = Subject::Cublas { precision };
    device.load(&library)?;
    let (product, _) = run_once(device, &InitialC::Blank(library.blank()))?;
    let reference = match precision {
        Precision::Single => Reference::Cublas,
        Precision::Half => Reference::CublasHalf,
    };
    Ok(worse(in_rows, verdict(reference, expected.distance(c, &product))))
}

/// Returns the verdict with the larger error. cuBLAS covers every element but rounds as C does (and
/// mostly sums in the same order, so that every bit agrees); float64 does not round.
fn worse(a: ReferenceVerdict, b: ReferenceVerdict) -> ReferenceVerdict {
    let badness = |verdict: &ReferenceVerdict| verdict.error.unwrap_or(f64::INFINITY);
    if badness(&b) > badness(&a) { b } else { a }
}

fn finite(error: f64) -> Option<f64> {
    error.is_finite().then_some(error)
}

/// Evenly spaced rows, including the first and the last.
fn sampled(m: u32) -> Vec<u32> {
    let count = SAMPLED_ROWS.min(m);
    let row = |i: u32| (u64::from(m - 1) * u64::from(i) / u64::from((count - 1).max(1))) as u32;
    (0..count).map(row).collect()
}

impl ReferenceInputs<'_> {
    /// The precision in which cuBLAS computes this C, if it lies as cuBLAS gives it.
    fn precision(&self) -> Option<Precision> {
        let is = |precision: &Precision| self.layouts == precision.layouts();
        [Precision::Single, Precision::Half].into_iter().find(is)
    }

    /// Element `index` (row-major) of a matrix in these words; words that are missing are `blank`.
    fn element(&self, operand: Operand, words: &[f32], index: u64, blank: f32) -> f64 {
        let layout = self.layouts[operand as usize];
        let place = layout.place_of(self.size.shape(operand), index);
        let word = |at: u64| words.get(at as usize).copied().unwrap_or(blank).to_bits();
        layout.of.read(place, word)
    }

    /// The relative error of these rows of C, against float64.
    fn error(&self, c: &[f32], rows: &[u32]) -> f64 {
        let (size, gemm, [a, b]) = (self.size, self.gemm, self.ab);
        let before = |operand, index: u64| match operand {
            Operand::A => self.element(operand, a, index, 0.0),
            Operand::B => self.element(operand, b, index, 0.0),
            Operand::C => self.element(operand, self.before, index, 0.0),
        };
        let of_c = self.layouts[Operand::C as usize].of;
        let expected = judge::Expected { size, gemm, c: of_c, before };
        let element = |index| self.element(Operand::C, c, index, f32::NAN);
        expected.errors(element, rows, &(0..size.n), 0.0).relative()
    }

    /// The relative error of all of C, given the whole product.
    fn distance(&self, c: &[f32], product: &[f32]) -> f64 {
        let part = |(number, (c, products)): (usize, (&[f32], &[f32]))| {
            let should = products.iter().enumerate().map(|(at, ab)| {
                let before = self.before.get(number * PART + at).copied().unwrap_or(0.0);
                self.gemm.element(f64::from(*ab), before.into())
            });
            Distance::of(c.iter().copied().map(f64::from).zip(should))
        };
        let parts = c.par_chunks(PART).zip(product.par_chunks(PART)).enumerate();
        let parts: Vec<_> = parts.map(part).collect();
        parts.into_iter().fold(Distance::default(), Distance::and).relative()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix;

    #[test]
    fn the_error_of_rows_is_that_of_the_product() {
        let size = Size { m: 37, n: 5, k: 6 };
        let [a, b] = [Operand::A, Operand::B].map(|operand| matrix::fill(1, operand, size));
        let (gemm, layouts) = (Gemm::default(), Precision::Single.layouts());
        let expected = ReferenceInputs { size, gemm, layouts, ab: [&a, &b], before: &[] };
        let product = matrix::product(&a, &b, size, 0..37);
        let mut c: Vec<_> = product.iter().map(|element| *element as f32).collect();
        let whole: Vec<_> = (0..37).collect();
        let error = matrix::relative_error(&c, &product);
        assert!((expected.error(&c, &whole) / error - 1.0).abs() < 1e-12);
        c[36 * 5 + 4] += 1.0;
        assert!(expected.error(&c, &whole[..36]) < 1e-7);
        let error = matrix::relative_error(&c[36 * 5..], &product[36 * 5..]);
        assert!((expected.error(&c, &[36]) / error - 1.0).abs() < 1e-12);
    }

    #[test]
    fn the_c_from_before_has_its_part() {
        let (size, gemm) = (Size { m: 2, n: 2, k: 1 }, Gemm { alpha: 2.0, beta: 0.5 });
        let expected = ReferenceInputs {
            size,
            gemm,
            layouts: Precision::Single.layouts(),
            ab: [&[1., 3.], &[5., 7.]],
            before: &[2., 4., 6., 8.],
        };
        let c = [11., 16., 33., 46.];
        assert_eq!(expected.error(&c, &[0, 1]).to_bits(), 0.0_f64.to_bits());
        assert!(expected.error(&[11., 16., 33., 45.], &[1]) > 0.01);
    }

    #[test]
    fn the_error_of_all_of_c_is_the_same_on_all_cores() {
        let (size, gemm) = (Size { m: 3, n: 37, k: 1 }, Gemm { alpha: 2.0, beta: 0.5 });
        let before = matrix::fill(1, Operand::C, size);
        let [c, product] = [2, 3].map(|seed| matrix::fill(seed, Operand::C, size));
        let layouts = Precision::Single.layouts();
        let expected = ReferenceInputs { size, gemm, layouts, ab: [&[], &[]], before: &before };
        let of =
            |(product, before): (&f32, &f32)| gemm.element(f64::from(*product), f64::from(*before));
        let whole: Vec<_> = product.iter().zip(&before).map(of).collect();
        let error = matrix::relative_error(&c, &whole);
        assert!((expected.distance(&c, &product) / error - 1.0).abs() < 1e-12);
        let mut unwritten = c;
        unwritten[110] = f32::NAN;
        assert!(expected.distance(&unwritten, &product).is_nan());
    }

    #[test]
    fn sampled_rows_reach_from_the_first_to_the_last() {
        assert_eq!(sampled(1), [0]);
        assert_eq!(sampled(3), [0, 1, 2]);
        let rows = sampled(8192);
        assert_eq!((rows.len(), rows[0], rows[15]), (16, 0, 8191));
    }

    #[test]
    fn the_worse_of_two_verdicts_counts_and_nan_is_the_worst() {
        let [rows, whole] = [(Reference::SampledRows, Some(1e-7)), (Reference::Cublas, Some(0.0))]
            .map(|(reference, error)| ReferenceVerdict { reference, error });
        assert_eq!(worse(rows, whole), rows);
        let nan = ReferenceVerdict { error: None, ..whole };
        assert_eq!(worse(rows, nan), nan);
    }

    #[test]
    fn an_element_never_written_is_no_small_error() {
        assert_eq!(finite(matrix::relative_error(&[1.0, f32::NAN], &[1.0, 2.0])), None);
    }
}
