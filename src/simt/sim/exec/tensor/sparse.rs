//! `mma.sp`: each row of a stores half of its elements, and metadata say which of b they meet.

use super::eight_bits::{self, parts};
use super::integer::{self, elements, lines};
use super::sums::{Sums, each};
use crate::sim::program::Reg;
use crate::sim::regs::Regs;
use crate::sim::tensor::{Core, HOPPER, Vector};
use ptx::{Mma, Sparse, Type};

/// The rows of a that are stored, by the metadata of each.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::sim) struct Stored {
    ty: Type,
    metadata: [u64; 16],
}

impl Stored {
    /// Collects the metadata of 16 rows of `k` elements from the lanes (PTX ISA, "Sparse matrix
    /// storage"). Of elements of 16 bits and more a lane holds 16 bits of row l / 4 and 16 of the row
    /// eight further down, of shorter ones 32 of one of these rows; the next lane continues.
    pub(in crate::sim::exec) fn new(regs: &Regs, of: &Sparse<Reg>, (ty, k): (Type, u32)) -> Self {
        let words = regs.wide(of.metadata);
        let count = Sparse::<Reg>::lanes(ty, k) as usize;
        let mut metadata = [0; 16];
        for (group, lanes) in words.chunks(4).enumerate() {
            for (index, word) in
                lanes.iter().skip(count * usize::from(of.selector)).take(count).enumerate()
            {
                if ty.bits() >= 16 {
                    metadata[group] |= (word & 0xffff) << (16 * index);
                    metadata[group + 8] |= (word >> 16 & 0xffff) << (16 * index);
                } else {
                    metadata[group + 8 * (index % 2)] |= (word & 0xffff_ffff) << (32 * (index / 2));
                }
            }
        }
        Self { ty, metadata }
    }

    /// The elements of a column of b that those stored of a row meet.
    pub(in crate::sim::exec) fn met<'a>(
        &'a self,
        row: usize,
        column: &'a [u32],
    ) -> impl Iterator<Item = u32> + 'a {
        let index =
            move |number| Sparse::<Reg>::index(self.ty, self.metadata[row], number) as usize;
        (0..column.len() as u32 / 2).map(move |number| column[index(number)])
    }
}

/// The registers of d: the same arithmetic as that of a dense a with half as many terms.
pub(super) fn sums(regs: &Regs, product: &Mma<Reg>, sparse: &Sparse<Reg>) -> Vec<[u64; 32]> {
    let ([a, b], k) = (product.factors, product.shape[2]);
    let stored = Stored::new(regs, sparse, (a, k.into()));
    let (rows, columns) =
        (lines::<8>(regs, &product.a, true), lines::<16>(regs, &product.b, false));
    let rows = rows.map(|row| first(&row, a, product.terms()));
    let columns: [_; 8] = std::array::from_fn(|column| first(&columns[column], b, k));
    let of = Sums::of(product);
    if product.sum == Type::S32 {
        let saturates = product.arithmetic.satfinite;
        return each(regs, &of, |row, column, c| {
            let met = stored.met(row, &columns[column]);
            integer::sum(rows[row].iter().copied().zip(met), [a, b], c, saturates)
        });
    }
    if a.is_of_bytes() {
        let core = Core::new(HOPPER, Type::F16, usize::from(product.terms()) / 2, product.sum);
        let rows = rows.map(|row| parts(row.into_iter(), a));
        return each(regs, &of, |row, column, c| {
            let column = parts(stored.met(row, &columns[column]), b);
            eight_bits::sum(core, product.sum, [&rows[row], &column], c)
        });
    }
    let core = Core::new(HOPPER, a, product.terms().into(), product.sum);
    let rows = rows.map(|row| Vector::new(a, row.into_iter()));
    each(regs, &of, |row, column, c| {
        let column = Vector::new(b, stored.met(row, &columns[column]));
        core.dot(&rows[row], &column, c as u32).into()
    })
}

/// The first elements of a line.
fn first(words: &[u32], ty: Type, count: u16) -> Vec<u32> {
    elements(words, ty).take(count.into()).collect()
}
