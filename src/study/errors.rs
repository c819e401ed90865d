//! The errors of a simulated C against the expected result in float64.

use crate::kernel::Problem;
use crate::matrix::Operand;
use crate::matrix::judge::{Errors, Expected, SLACK};
use crate::sim::Buffer;
use std::ops::Range;

/// Returns the errors in these rows and columns of `c`, the whole C; a relative error of at most
/// `tolerance`, or of what rounding explains if that is more, is right.
pub fn errors(
    problem: &Problem,
    c: &Buffer,
    (rows, columns): (Range<u32>, Range<u32>),
    tolerance: f64,
) -> Errors {
    let rounding = SLACK * problem.precision(Operand::A).tolerance(problem.size.k);
    let before = |operand, index| problem.before(operand, index);
    let expected = Expected { size: problem.size, gemm: problem.gemm(), before };
    let element = |index| f32::from_bits(c.load(index));
    expected.errors(element, &rows.collect::<Vec<_>>(), &columns, tolerance.max(rounding))
}
