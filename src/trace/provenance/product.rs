//! `wgmma`: where in shared memory, or in which lane's register, which element of a factor is.

use super::multiply::{Piece, factor};
use crate::ptx::{Source, Wgmma};
use crate::sim::{Access, Effect, Factor, Reg, Step};

/// Where an element of a factor is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spot {
    /// In a register.
    Held(Piece),
    /// In shared memory, at this address.
    Shared(u64),
}

/// The factors of a product that begins with a step.
pub(super) struct Factors<'a> {
    product: &'a Wgmma<Reg>,
    /// What it reads of shared memory, of a, if that is there, and of b.
    a: &'a [Access],
    b: &'a [Access],
}

impl<'a> Factors<'a> {
    /// None if the step began no product: no lane took part.
    pub(super) fn new(product: &'a Wgmma<Reg>, step: &'a Step) -> Option<Self> {
        let Effect::Wgmma { reads, of_a, .. } = &step.effect else { return None };
        let (a, b) = reads.split_at((*of_a).into());
        Some(Self { product, a, b })
    }

    /// Bytes of an element.
    pub(super) fn size(&self) -> u8 {
        self.product.factor.bytes() as u8
    }

    /// The elements of a row of the warp's part of a.
    pub(super) fn row(&self, row: usize) -> Vec<Spot> {
        let ks = 0..self.product.k();
        match &self.product.a {
            Source::Registers(regs) => {
                let piece = |k| factor(regs, self.product.factor, true, row, k as usize);
                ks.filter_map(piece).map(Spot::Held).collect()
            }
            Source::Shared(_) => line(Factor::a(self.product, 0, 0), self.a, row, ks),
        }
    }

    /// The elements of a column of b.
    pub(super) fn column(&self, column: usize) -> Vec<Spot> {
        line(Factor::b(self.product, 0), self.b, column, 0..self.product.k())
    }
}

/// The elements of a line of a factor whose pieces were read so: the order of the pieces is the
/// same for every descriptor.
fn line(of: Factor, reads: &[Access], line: usize, ks: std::ops::Range<u32>) -> Vec<Spot> {
    let spot = |k| {
        let (piece, bit) = of.element(line as u32, k);
        let first = reads.get(piece / 32)?.addrs[piece % 32];
        Some(Spot::Shared(first + u64::from(bit / 8)))
    };
    ks.filter_map(spot).collect()
}
