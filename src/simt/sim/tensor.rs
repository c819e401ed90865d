//! The arithmetic of tensor cores: sums of products in one step, which do not follow IEEE 754.
//!
//! NVIDIA does not document this arithmetic. This is the model of Xie and others, "MMA-Sim:
//! Bit-Accurate Reference Model of Tensor Cores and Matrix Cores" (arXiv 2511.10909, 2025), who
//! derived it from experiments (as did Fasi and others, "Numerical behavior of NVIDIA tensor
//! cores", 2021). The exact products of a block and c are aligned to the largest exponent among
//! them; bits more than `fraction` places after the binary point of the largest are truncated; and
//! the sum, which is exact again, is truncated to float32 or rounded to the nearest float16. The
//! next block continues with that value as c.
//!
//! An H200 (driver 580.159) returned the same bits for 8 forms of `mma` (and for 37 of `wgmma`,
//! from shared memory in every layout; some of them are in tests/data/sim/cases) on random numbers of 8 kinds
//! each: close together and far apart, cancelling, overflowing, subnormal, infinite and NaN. The
//! only difference was the sign of zeros in float16 sums, which follows the H200 here.

mod bytes;

pub(super) use bytes::ByteVector;

use super::format::{Finite, Format};
use multiversion::multiversion;
use ptx::{Rounding, Type};
use std::ops::Range;

/// The tensor cores of a GPU generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Generation {
    pub name: &'static str,
    /// Its first compute capability, times ten.
    pub capability: u32,
    /// Number of bits kept after the binary point of the largest term.
    pub fraction: u32,
    /// Size of a block in bytes along a row of a.
    pub block: u32,
}

/// All known generations, oldest first.
pub const GENERATIONS: [Generation; 6] = [
    Generation { name: "Volta", capability: 70, fraction: 23, block: 8 },
    Generation { name: "Turing", capability: 75, fraction: 24, block: 16 },
    Generation { name: "Ampere", capability: 80, fraction: 24, block: 16 },
    Generation { name: "Ada Lovelace", capability: 89, fraction: 24, block: 16 },
    Generation { name: "Hopper", capability: 90, fraction: 25, block: 32 },
    Generation { name: "Blackwell", capability: 100, fraction: 25, block: 32 },
];

/// The generation that is simulated, whatever the PTX file's target: PTX runs on any newer GPU,
/// with that GPU's arithmetic.
pub const HOPPER: Generation = GENERATIONS[4];

/// Maximum number of elements in a row: the k of `m16n8k16`.
const MOST: usize = 16;

/// The exponent of a zero for the purpose of alignment.
const OF_ZERO: i32 = -126;

/// A row of a or a column of b.
#[derive(Clone, Debug)]
pub(super) struct Vector {
    /// The significands as signed integers.
    significands: [i32; MOST],
    /// The exponents of the leading bits; for subnormals, the smallest exponent.
    exponents: [i32; MOST],
    /// The elements themselves, used if any of them is infinite or NaN.
    bits: [u32; MOST],
    finite: bool,
}

impl Vector {
    /// Creates a vector of float16, bfloat16 or tf32 elements; tf32 is a float32 whose low 13 bits
    /// are ignored.
    pub(super) fn new(ty: Type, elements: impl Iterator<Item = u32>) -> Self {
        let mut vector = Self {
            significands: [0; MOST],
            exponents: [OF_ZERO; MOST],
            bits: [0; MOST],
            finite: true,
        };
        let format = Format::of(ty);
        for (index, bits) in elements.enumerate() {
            let bits = u64::from(if ty == Type::Tf32 { bits >> 13 } else { bits });
            vector.set(index, format, bits);
        }
        vector
    }

    /// These elements; the others are zero.
    fn part(&self, of: Range<usize>) -> Self {
        let mut part = Self { bits: [0; MOST], significands: [0; MOST], ..self.clone() };
        part.bits[of.clone()].copy_from_slice(&self.bits[of.clone()]);
        part.significands[of.clone()].copy_from_slice(&self.significands[of]);
        part
    }

    fn set(&mut self, index: usize, format: Format, bits: u64) {
        let Finite { negative, significand, exponent } = format.parts(bits);
        let magnitude = significand as i32;
        self.significands[index] = if negative { -magnitude } else { magnitude };
        self.exponents[index] = exponent + format.precision() as i32 - 1;
        self.finite &= format.is_finite(bits);
        self.bits[index] = bits as u32;
    }
}

/// The arithmetic of one instruction: the element types and the type of the sum.
#[derive(Clone, Copy, Debug)]
pub(super) struct Core {
    generation: Generation,
    factor: Type,
    /// Number of elements in a row.
    k: usize,
    /// Number of elements in a block.
    block: usize,
    sum: Format,
}

impl Core {
    pub(super) fn new(generation: Generation, factor: Type, k: usize, sum: Type) -> Self {
        let block = (generation.block * 8 / factor.bits()) as usize;
        Self { generation, factor, k, block, sum: Format::of(sum) }
    }

    /// This arithmetic in instructions that sum at most `count` elements.
    pub(super) fn at_once(self, count: u16) -> Self {
        Self { block: self.block.min(count.into()), ..self }
    }

    /// Returns c + a x b for one row and one column; c and the result are given by their bits.
    pub(super) fn dot(self, a: &Vector, b: &Vector, c: u32) -> u32 {
        if self.k <= self.block {
            return self.sum_of_block(a, b, c);
        }
        let starts = (0..self.k).step_by(self.block);
        starts.fold(c, |c, start| {
            let block = start..self.k.min(start + self.block);
            self.sum_of_block(&a.part(block.clone()), &b.part(block), c)
        })
    }

    /// The same of the elements of a block; the others are zero.
    fn sum_of_block(self, a: &Vector, b: &Vector, c: u32) -> u32 {
        if a.finite && b.finite && self.sum.is_finite(c.into()) {
            self.finite(a, b, c)
        } else {
            self.special(a, b, c)
        }
    }

    /// A block in which every number is finite.
    fn finite(self, a: &Vector, b: &Vector, c: u32) -> u32 {
        let (addend, of_addend) = self.addend(c);
        let fraction = self.generation.fraction;
        // A product has twice as many bits after its binary point as a factor.
        let up = fraction - 2 * (Format::of(self.factor).precision() - 1);
        let (products, top) = products(a, b, (up, of_addend));
        let up = fraction - (self.sum.precision() - 1);
        let sum = i64::from(products) + aligned(addend, up, top - of_addend);
        self.rounded(sum, top - fraction as i32)
    }

    /// The signed significand of c, and the exponent of its leading bit.
    fn addend(self, c: u32) -> (i32, i32) {
        let Finite { negative, significand, exponent } = self.sum.parts(c.into());
        let significand = if negative { -(significand as i32) } else { significand as i32 };
        let exponent = exponent + self.sum.precision() as i32 - 1;
        (significand, if significand == 0 { OF_ZERO } else { exponent })
    }

    /// Rounds float16 to nearest, with a positive zero; truncates float32, with overflow to
    /// infinity. (The model leaves the sign of a zero open; this is the H200's.)
    fn rounded(self, sum: i64, exponent: i32) -> u32 {
        let exact = Finite { negative: sum < 0, significand: sum.unsigned_abs(), exponent };
        let rounding = if self.sum == Format::F16 { Rounding::Nearest } else { Rounding::Zero };
        if self.sum.overflows(exact) {
            return self.sum.infinite(exact.negative) as u32;
        }
        let bits = self.sum.round(exact, rounding);
        if self.sum == Format::F16 && self.sum.magnitude(bits) == 0 { 0 } else { bits as u32 }
    }

    /// A block with an infinity or a NaN: the result follows IEEE 754.
    fn special(self, a: &Vector, b: &Vector, c: u32) -> u32 {
        let value = |bits: &u32| Format::of(self.factor).widen((*bits).into());
        let products: f64 = a.bits.iter().zip(&b.bits).map(|(a, b)| value(a) * value(b)).sum();
        self.sum.narrow(products + self.sum.widen(c.into()), Rounding::Nearest) as u32
    }
}

/// The products of a block, each times 2^up and truncated after alignment to the largest exponent
/// among them and `least`; returns their sum and that exponent.
///
/// A factor has at most 11 bits and a product times 2^up at most 27, so a sum of 16 products has at
/// most 31.
#[multiversion(targets("x86_64+avx2"))]
fn products(a: &Vector, b: &Vector, (up, least): (u32, i32)) -> (i32, i32) {
    let (mut products, mut exponents) = ([0_i32; MOST], [OF_ZERO; MOST]);
    for index in 0..MOST {
        products[index] = a.significands[index] * b.significands[index];
        let exponent = a.exponents[index] + b.exponents[index];
        exponents[index] = if products[index] == 0 { OF_ZERO } else { exponent };
    }
    // The exponent of c is at least that of zero, so zeros have no effect.
    let top = exponents.iter().fold(least, |top, exponent| top.max(*exponent));
    let cut = products.iter().zip(&exponents).map(|(product, exponent)| {
        let magnitude = product.unsigned_abs() << up >> (top - exponent).min(31);
        if *product < 0 { -(magnitude as i32) } else { magnitude as i32 }
    });
    (cut.sum(), top)
}

/// Returns `significand` x 2^up / 2^down, truncated towards zero.
#[inline]
fn aligned(significand: i32, up: u32, down: i32) -> i64 {
    let magnitude = u64::from(significand.unsigned_abs()) << up >> down.min(63);
    if significand < 0 { -(magnitude as i64) } else { magnitude as i64 }
}
