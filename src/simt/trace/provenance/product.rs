//! Matrix products: where the elements of a row of a and of a column of b are, in which lane's
//! register or at which address of shared memory.

use super::flow::ValueFlow;
use super::moment::StepValues;
use super::multiply::{AccumulatorElement, FragmentElement, factor, of_a, of_b, sums};
use crate::sim::{Access, AsyncEffect, Effect, Factor, Reg};
use ptx::{Mma, Wgmma, WgmmaOperandA};
use std::ops::Range;

/// The location of an element of a factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FactorLocation {
    /// In a register.
    Held(FragmentElement),
    /// In shared memory, at this address.
    Shared(u64),
}

/// A warp's part of a matrix product: each sum depends on a row of a, a column of b, and the sum
/// before.
pub(super) enum MatrixProduct<'a> {
    /// Its factors are in registers.
    Mma(&'a Mma<Reg>),
    /// It reads b from shared memory, and a if that is there.
    Wgmma { product: &'a Wgmma<Reg>, a: &'a [Access], b: &'a [Access], adds: bool },
}

/// Returns the products of a step; empty if no lane takes part.
pub(super) fn products<'a>(flow: &'a ValueFlow, moment: &'a StepValues) -> Vec<MatrixProduct<'a>> {
    match (flow, &moment.step.effect) {
        (ValueFlow::Multiply(products), _) => products.iter().map(MatrixProduct::Mma).collect(),
        (ValueFlow::Product(product), Effect::Async(AsyncEffect::Wgmma { reads, of_a, .. })) => {
            let (a, b) = reads.split_at((*of_a).into());
            vec![MatrixProduct::Wgmma { product, a, b, adds: !moment.chosen.is_empty() }]
        }
        _ => Vec::new(),
    }
}

impl<'a> MatrixProduct<'a> {
    /// Returns the registers of the sums.
    pub(super) fn to(&self) -> &'a [Reg] {
        match self {
            Self::Mma(product) => &product.d,
            Self::Wgmma { product, .. } => &product.d,
        }
    }

    /// Returns the sums, each with its row and its column.
    pub(super) fn sums(&self) -> Vec<AccumulatorElement> {
        match self {
            Self::Mma(product) => sums((&product.c, product.addend), (&product.d, product.sum)),
            Self::Wgmma { product, .. } => {
                let d = (&product.d[..], product.sum);
                sums(d, d)
            }
        }
    }

    /// Whether the previous sum is added.
    pub(super) const fn adds(&self) -> bool {
        match self {
            Self::Mma(_) => true,
            Self::Wgmma { adds, .. } => *adds,
        }
    }

    /// Rows, columns.
    pub(super) fn shape(&self) -> [usize; 2] {
        match self {
            Self::Mma(product) => [product.shape[0].into(), product.shape[1].into()],
            Self::Wgmma { product, .. } => [16, product.n.into()],
        }
    }

    /// Bytes of an element in shared memory.
    pub(super) fn size(&self) -> u8 {
        match self {
            Self::Mma(_) => 0,
            Self::Wgmma { product, .. } => product.factors[0].bytes() as u8,
        }
    }

    /// Returns the elements of a row of the warp's part of a.
    pub(super) fn row(&self, row: usize) -> Vec<FactorLocation> {
        match self {
            Self::Mma(product) => held(product, |k| of_a(product, row, k)),
            Self::Wgmma { product, a, .. } => match &product.a {
                WgmmaOperandA::Registers(regs) => {
                    let piece = |k| factor(regs, product.factors[0], true, row, k as usize);
                    (0..product.k()).filter_map(piece).map(FactorLocation::Held).collect()
                }
                WgmmaOperandA::Shared(_) => line(Factor::a(product, 0, 0), a, row, 0..product.k()),
            },
        }
    }

    /// Returns the elements of a column of b.
    pub(super) fn column(&self, column: usize) -> Vec<FactorLocation> {
        match self {
            Self::Mma(product) => held(product, |k| of_b(product, column, k)),
            Self::Wgmma { product, b, .. } => {
                line(Factor::b(product, 0), b, column, 0..product.k())
            }
        }
    }
}

fn held(
    product: &Mma<Reg>,
    piece: impl Fn(usize) -> Option<FragmentElement>,
) -> Vec<FactorLocation> {
    (0..product.shape[2].into()).filter_map(piece).map(FactorLocation::Held).collect()
}

/// Returns the elements of a line of a factor that these accesses read: the order of the pieces is
/// the same for every descriptor.
fn line(of: Factor, reads: &[Access], line: usize, ks: Range<u32>) -> Vec<FactorLocation> {
    let spot = |k| {
        let (piece, bit) = of.element(line as u32, k);
        let first = reads.get(piece / 32)?.addrs[piece % 32];
        Some(FactorLocation::Shared(first + u64::from(bit / 8)))
    };
    ks.filter_map(spot).collect()
}
