//! The product of A and B as loops on one core: a baseline for the times of a GPU.

use super::Size;
use std::ops::Range;

/// The block size of the blocked loop in rows, columns and terms: three tiles of 64 x 64 floats are
/// 48 kB, about the size of a first-level cache.
pub const BLOCK: usize = 64;

/// The definition: for each element of C, a sum along a row of A and a column of B.
pub fn plain(a: &[f32], b: &[f32], c: &mut [f32], size: Size) {
    let (n, k) = (size.n as usize, size.k as usize);
    for (a, c) in a.chunks_exact(k).zip(c.chunks_exact_mut(n)).take(size.m as usize) {
        for (column, c) in c.iter_mut().enumerate() {
            let column_of_b = b[column..].iter().step_by(n);
            *c = a.iter().zip(column_of_b).fold(0.0, |sum, (a, b)| sum + a * b);
        }
    }
}

/// Loops over tiles that stay in the cache, innermost along the rows of B, which the compiler
/// vectorises.
pub fn blocked(a: &[f32], b: &[f32], c: &mut [f32], size: Size) {
    let (m, n, k) = (size.m as usize, size.n as usize, size.k as usize);
    c[..m * n].fill(0.0);
    for rows in blocks(m) {
        for terms in blocks(k) {
            for columns in blocks(n) {
                for row in rows.clone() {
                    let c = &mut c[row * n..][columns.clone()];
                    for term in terms.clone() {
                        let (a, b) = (a[row * k + term], &b[term * n..][columns.clone()]);
                        c.iter_mut().zip(b).for_each(|(c, b)| *c += a * b);
                    }
                }
            }
        }
    }
}

fn blocks(side: usize) -> impl Iterator<Item = Range<usize>> {
    (0..side).step_by(BLOCK).map(move |start| start..(start + BLOCK).min(side))
}
