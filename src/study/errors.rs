//! The errors of a simulated C against the expected result in float64.

use crate::kernel::Problem;
use crate::matrix::judge::{Errors, Expected, Mismatch, SLACK};
use crate::matrix::{ElementType, Operand};
use crate::sim::Allocation;
use std::ops::Range;

/// Returns the errors in these rows and columns of `c`, the whole C; a relative error of at most
/// `tolerance`, or of what rounding explains if that is more, is right.
pub fn errors(
    problem: &Problem,
    c: &Allocation,
    (rows, columns): (Range<u32>, Range<u32>),
    tolerance: f64,
) -> Errors {
    let element = |index| problem.of_c(c, index);
    let tolerance = tolerance.max(of_types(problem, SLACK));
    expected(problem).errors(element, &rows.collect::<Vec<_>>(), &columns, tolerance)
}

/// Returns the elements that [`errors`] counts as wrong.
pub fn wrong_elements(
    problem: &Problem,
    c: &Allocation,
    (rows, columns): (Range<u32>, Range<u32>),
    tolerance: f64,
) -> Vec<Mismatch> {
    let element = |index| problem.of_c(c, index);
    let tolerance = tolerance.max(of_types(problem, SLACK));
    expected(problem).wrong_elements(element, &rows.collect::<Vec<_>>(), &columns, tolerance)
}

fn expected(problem: &Problem) -> Expected<impl Fn(Operand, u64) -> f64 + Sync + '_> {
    let before = |operand, index| problem.before(operand, index);
    let (size, gemm) = (problem.size, problem.gemm);
    Expected { size, gemm, c: problem.element_type(Operand::C), before }
}

/// The relative error that the types of A, B and C explain, that of the sums `slack` times.
pub(super) fn of_types(problem: &Problem, slack: f64) -> f64 {
    let types = Operand::ALL.map(|operand| problem.element_type(operand));
    ElementType::tolerance_of_product(types, problem.size.k, slack)
}
