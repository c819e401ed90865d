//! Several products of one launch, which lie one after another in its buffers: each is judged.

use crate::kernel::{Batch, Problem};
use crate::matrix::judge::SLACK;
use crate::matrix::{ElementType, Size};
use crate::sim::Memory;

/// What was found of the products.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JudgedBatch {
    pub count: u32,
    pub size: Size,
    /// The elements of all C that are wrong.
    pub wrong: u64,
    pub first: Option<WrongOfBatch>,
}

/// A wrong element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WrongOfBatch {
    /// The product, from 0.
    pub product: u32,
    pub row: u32,
    pub column: u32,
    pub is: f64,
    pub expected: f64,
}

/// The most multiply-adds that are computed to judge a launch.
const MOST: u64 = 1 << 28;

/// Compares each product with its own in float64; `None` if the launch computes no such batch.
pub fn judge(problem: &Problem, memory: &Memory) -> Option<JudgedBatch> {
    let Batch { count, size, buffers, strides } = problem.batch?;
    let Size { m, n, k } = size;
    let each = u64::from(m) * u64::from(n) * u64::from(k);
    if u64::from(count).saturating_mul(each) > MOST {
        return None;
    }
    let [a, b, c] = buffers;
    let types = buffers.map(|number| problem.buffers.get(number).map(|buffer| buffer.of));
    let [Some(of_a), Some(of_b), Some(of_c)] = types else { return None };
    let after = memory.buffers().get(c)?;
    let tolerance = ElementType::tolerance_of_product([of_a, of_b, of_c], k, SLACK);
    let values = |number: usize, of: ElementType, first: u64, length: u64| -> Vec<f64> {
        let element = |index| of.read(index, |word| problem.word_before(number, word));
        (first..first + length).map(element).collect()
    };
    let mut judged = JudgedBatch { count, size, wrong: 0, first: None };
    for product in 0..count {
        let at = u64::from(product);
        let (of_left, of_right) = (u64::from(m) * u64::from(k), u64::from(k) * u64::from(n));
        let left = values(a, of_a, at * strides[0], of_left);
        let right = values(b, of_b, at * strides[1], of_right);
        for row in 0..m {
            for column in 0..n {
                let (mut sum, mut size) = (0.0, 0.0);
                for step in 0..k {
                    let one = left[(row * k + step) as usize];
                    let other = right[(step * n + column) as usize];
                    sum += one * other;
                    size += (one * other).abs();
                }
                let index = at * strides[2] + u64::from(row * n + column);
                let is = after.element(of_c, index);
                let off = (is - sum).abs();
                let is_off = off.is_nan() || off > tolerance * size.max(f64::MIN_POSITIVE);
                if is_off {
                    judged.wrong += 1;
                    let wrong = WrongOfBatch { product, row, column, is, expected: sum };
                    judged.first = judged.first.or(Some(wrong));
                }
            }
        }
    }
    Some(judged)
}
