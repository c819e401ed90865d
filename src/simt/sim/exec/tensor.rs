//! `mma`: the distribution of elements over the lanes, and the products of rows and columns.

mod integer;
mod sums;

pub(super) use integer::{elements, lines};
pub(super) use sums::{Sums, each};

use crate::sim::exact::Exact;
use crate::sim::format::Format;
use crate::sim::mask::LaneMask;
use crate::sim::program::Reg;
use crate::sim::regs::Regs;
use crate::sim::step::Effect;
use crate::sim::tensor::{Core, HOPPER, Vector};
use ptx::{Mma, Rounding, Type};
use sums::converted;

/// The elements of a factor: a by rows, b by columns.
type Factor = [[u64; 16]; 16];

/// The effect under which a warp's products are counted.
pub(super) fn effect(products: &[Mma<Reg>]) -> Effect {
    Effect::Mma {
        instructions: products.iter().map(Mma::instructions).sum(),
        multiply_adds: products.iter().map(Mma::multiply_adds).sum(),
    }
}

/// Computes all products from the register values before any of them is written.
pub(super) fn multiply(regs: &mut Regs, products: &[Mma<Reg>]) {
    let sums: Vec<_> = products.iter().map(|product| sums(regs, product)).collect();
    for (product, sums) in products.iter().zip(&sums) {
        for (reg, row) in product.d.iter().zip(sums) {
            regs.set_wide(*reg, row, LaneMask::ALL);
        }
    }
}

/// Computes the registers of d.
fn sums(regs: &Regs, product: &Mma<Reg>) -> Vec<[u64; 32]> {
    // Zero is all bits clear in every type, and so is a sum of zero products. In runs that only
    // count, matrices hold no values and every product is of this kind.
    let nothing = |from: &[Reg]| from.iter().all(|reg| regs.wide(*reg) == [0; 32]);
    if nothing(&product.a) && nothing(&product.b) && nothing(&product.c) {
        return vec![[0; 32]; product.d.len()];
    }
    let of = Sums::of(product);
    let [m, n, k] = product.shape.map(usize::from);
    if product.sum == Type::S32 {
        let factors = integer::Factors::new(regs, product);
        return each(regs, &of, |row, column, c| factors.sum(row, column, c));
    }
    let a = factor(regs, &product.a, product.factors[0], m == 16);
    let b = factor(regs, &product.b, product.factors[1], false);
    match product.factors[0] {
        Type::F64 => each(regs, &of, |row, column, c| {
            let terms = a[row].iter().zip(&b[column]).take(k);
            terms.fold(c, |c, (a, b)| fused([*a, *b, c], product.arithmetic.rounding))
        }),
        ty => {
            // Mixed sums are taken in float32 (ptxas 12.9 converts c before and d after).
            let mixed = product.sum != product.addend;
            let sum = if mixed { Type::F32 } else { product.sum };
            let core = Core::new(HOPPER, ty, k, sum).at_once(product.arithmetic.at_once);
            let vector =
                |row: &[u64; 16]| Vector::new(ty, row[..k].iter().map(|bits| *bits as u32));
            let (rows, columns): (Vec<_>, Vec<_>) =
                (a[..m].iter().map(vector).collect(), b[..n].iter().map(vector).collect());
            each(regs, &of, |row, column, c| {
                let c = if mixed { converted(c, product.addend, sum) } else { c };
                let d = core.dot(&rows[row], &columns[column], c as u32).into();
                if mixed { converted(d, sum, product.sum) } else { d }
            })
        }
    }
}

/// The elements of a factor, collected from the lanes (PTX ISA, "Matrix Fragments for mma"). Lane l
/// holds elements of row (for b: column) l / 4: as many neighbours along k as fit into 32 bits. In
/// a factor of 16 rows, the next register holds those of the row eight further down, and the one
/// after that those further along k, past the four lanes' neighbours; otherwise the next register
/// already does.
pub(super) fn factor(regs: &Regs, from: &[Reg], ty: Type, tall: bool) -> Factor {
    let bits = if ty == Type::Tf32 { 32 } else { ty.bits() };
    let count = (32 / bits).max(1) as usize;
    let mut factor = [[0; 16]; 16];
    for (number, reg) in from.iter().enumerate() {
        let (down, along) = if tall { (number % 2, number / 2) } else { (0, number) };
        let values = regs.wide(*reg);
        for (lane, value) in values.into_iter().enumerate() {
            for index in 0..count {
                let k = (4 * along + lane % 4) * count + index;
                let element = value >> (index as u32 * bits) & (u64::MAX >> (64 - bits));
                factor[8 * down + lane / 4][k] = element;
            }
        }
    }
    factor
}

/// Returns a x b + c of float64, rounded once. The manual leaves the order along k open; it is taken
/// to be ascending in every rounding mode.
fn fused(abc: [u64; 3], rounding: Rounding) -> u64 {
    if rounding == Rounding::Nearest {
        let [a, b, c] = abc.map(f64::from_bits);
        return a.mul_add(b, c).to_bits();
    }
    let [a, b, c] = abc.map(|bits| Exact::of(Format::F64, bits));
    a.times(b).plus(c, rounding).round(Format::F64, rounding)
}
