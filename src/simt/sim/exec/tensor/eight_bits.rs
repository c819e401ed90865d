//! `mma` on 8-bit floating-point numbers, which Hopper's tensor cores multiply for `wgmma` only.
//!
//! ptxas (12.9, compute capability 9.0) converts the factors to float16, which represents each of their
//! numbers exactly, and multiplies twice: first the lower two bytes of every word along k, then the upper
//! two. It adds c to the sum at the end, rounded to nearest.

use super::integer::{elements, lines};
use crate::sim::alu::Real;
use crate::sim::exec::half::Half;
use crate::sim::format::Format;
use crate::sim::program::Reg;
use crate::sim::regs::Regs;
use crate::sim::tensor::{Core, HOPPER, Vector};
use ptx::{Float, Mma, Rounding, Type};

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
            rows: halves(regs, (&product.a, true), a, words),
            columns: halves(regs, (&product.b, false), b, words),
        }
    }

    /// Returns c + a x b for one row and one column, as bits.
    pub(super) fn sum(&self, row: usize, column: usize, c: u64) -> u64 {
        sum(self.core, self.sum, [&self.rows[row], &self.columns[column]], c)
    }
}

/// Returns c + the products of both parts, as bits.
fn sum(core: Core, ty: Type, [a, b]: [&[Vector; 2]; 2], c: u64) -> u64 {
    let products = a.iter().zip(b).fold(0, |sum, (a, b)| core.dot(a, b, sum));
    plus(ty, c as u32, products).into()
}

/// The two parts of each line.
fn halves(regs: &Regs, (from, tall): (&[Reg], bool), ty: Type, words: usize) -> Vec<[Vector; 2]> {
    let lines = lines(regs, from, tall);
    lines.iter().map(|line| parts(elements(&line[..words], ty), ty)).collect()
}

/// The two parts of a line of these bytes, as float16.
fn parts(bytes: impl Iterator<Item = u32>, ty: Type) -> [Vector; 2] {
    let half =
        |byte: u32| Format::F16.narrow(Format::of(ty).widen(byte.into()), Rounding::Nearest) as u32;
    let bytes: Vec<_> = bytes.map(half).collect();
    let part = |first: usize| bytes.chunks(4).flat_map(move |word| word[first..first + 2].to_vec());
    [part(0), part(2)].map(|part| Vector::new(Type::F16, part))
}

fn plus(ty: Type, a: u32, b: u32) -> u32 {
    if ty == Type::F16 {
        return Half::new(ty, Float::default()).sum(a, b);
    }
    Real::add(f32::from_bits(a), f32::from_bits(b)).result(Float::default()).to_bits()
}
