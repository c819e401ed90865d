//! `mma` on 8-bit floating-point numbers, which Hopper's tensor cores multiply for `wgmma` only.
//!
//! ptxas (12.9, compute capability 9.0) converts the factors to float16, which represents each of their
//! numbers exactly, and multiplies twice: first the lower two bytes of every word along k, then the upper
//! two. It adds c to the sum at the end, rounded to nearest.

use super::integer::lines;
use crate::ptx::{Float, Mma, Rounding, Type};
use crate::sim::alu::Real;
use crate::sim::exec::half::Half;
use crate::sim::format::Format;
use crate::sim::program::Reg;
use crate::sim::regs::Regs;
use crate::sim::tensor::{Core, HOPPER, Vector};

/// The factors of a product: the rows of a and the columns of b, each in two parts.
pub(super) struct Factors {
    core: Core,
    sum: Type,
    rows: Vec<[Vector; 2]>,
    columns: Vec<[Vector; 2]>,
}

impl Factors {
    pub(super) fn new(regs: &Regs, product: &Mma<Reg>) -> Self {
        let ([a, b], sum) = (product.factors, product.sum);
        let words = usize::from(product.shape[2]) / 4;
        Self {
            core: Core::new(HOPPER, Type::F16, 2 * words, sum),
            sum,
            rows: parts(&lines(regs, &product.a, true), a, words),
            columns: parts(&lines(regs, &product.b, false), b, words),
        }
    }

    /// Returns c + a x b for one row and one column, as bits.
    pub(super) fn sum(&self, row: usize, column: usize, c: u64) -> u64 {
        let both = self.rows[row].iter().zip(&self.columns[column]);
        let sum = both.fold(0, |sum, (a, b)| self.core.dot(a, b, sum));
        plus(self.sum, c as u32, sum).into()
    }
}

/// The two parts of each line, as float16.
fn parts(lines: &[[u32; 8]; 16], ty: Type, words: usize) -> Vec<[Vector; 2]> {
    let half =
        |byte: u8| Format::F16.narrow(Format::of(ty).widen(byte.into()), Rounding::Nearest) as u32;
    let part = |line: &[u32; 8], first: usize| {
        let bytes = line[..words]
            .iter()
            .flat_map(|word| word.to_le_bytes().into_iter().skip(first).take(2));
        Vector::new(Type::F16, bytes.map(half))
    };
    lines.iter().map(|line| [part(line, 0), part(line, 2)]).collect()
}

fn plus(ty: Type, a: u32, b: u32) -> u32 {
    if ty == Type::F16 {
        return Half::new(ty, Float::default()).sum(a, b);
    }
    Real::add(f32::from_bits(a), f32::from_bits(b)).result(Float::default()).to_bits()
}
