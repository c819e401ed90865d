//! The elements of c and d in the registers of a warp.

use crate::sim::format::Format;
use crate::sim::program::Reg;
use crate::sim::regs::Regs;
use ptx::{Mma, Rounding, Type};

/// The bits of float16 and float32 numbers in the other format, rounded to nearest.
pub(super) fn converted(bits: u64, from: Type, to: Type) -> u64 {
    Format::of(to).narrow(Format::of(from).widen(bits), Rounding::Nearest)
}

/// The elements of c and d in the registers of a lane.
pub(in crate::sim::exec) struct Sums<'a> {
    pub(in crate::sim::exec) sum: Type,
    pub(in crate::sim::exec) addend: Type,
    pub(in crate::sim::exec) c: &'a [Reg],
}

impl<'a> Sums<'a> {
    pub(super) fn of(product: &'a Mma<Reg>) -> Self {
        Self { sum: product.sum, addend: product.addend, c: &product.c }
    }
}

/// Number of elements of a sum in a register.
fn packed(ty: Type) -> usize {
    if ty == Type::F16 { 2 } else { 1 }
}

/// The registers of d, assembled from its elements: `of` receives row, column and c. Lane l holds
/// columns 2 (l mod 4) and the next of row l / 4, then those of the row eight further down; `wgmma`
/// continues with the next eight columns.
pub(in crate::sim::exec) fn each(
    regs: &Regs,
    sums: &Sums<'_>,
    of: impl Fn(usize, usize, u64) -> u64,
) -> Vec<[u64; 32]> {
    let (packed, of_c) = (packed(sums.sum), packed(sums.addend));
    let before: Vec<_> = sums.c.iter().map(|reg| regs.wide(*reg)).collect();
    let c = |lane: usize, element: usize| match of_c {
        2 => before[element / 2][lane] >> (16 * (element % 2)) & 0xffff,
        _ => before[element][lane],
    };
    let value = |lane: usize, element: usize| {
        let row = lane / 4 + 8 * (element / 2 % 2);
        let column = 8 * (element / 4) + 2 * (lane % 4) + element % 2;
        of(row, column, c(lane, element))
    };
    let register = |number: usize| {
        std::array::from_fn(|lane| {
            (0..packed)
                .fold(0, |bits, part| bits | value(lane, number * packed + part) << (16 * part))
        })
    };
    (0..sums.c.len() * of_c / packed).map(register).collect()
}
