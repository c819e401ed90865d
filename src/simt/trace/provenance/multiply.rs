//! `mma`: the lane and register of each element of the factors and of the sum.

use crate::sim::Reg;
use ptx::{Mma, Type};

/// An element: its register, its lane and its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FragmentElement {
    pub(super) reg: Reg,
    pub(super) lane: u8,
    /// Its bytes in the register, as a bit mask.
    pub(super) mask: u8,
}

/// An element of the sum, with its row and column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AccumulatorElement {
    pub(super) row: usize,
    pub(super) column: usize,
    /// Before and after the instruction.
    pub(super) c: FragmentElement,
    pub(super) d: FragmentElement,
}

/// The elements of `c` and `d` (PTX ISA, "Matrix Fragments for mma"): lane l has columns
/// 2 (l mod 4) and the next of row l / 4, then those of the row eight further down; `wgmma`
/// continues with the next eight columns.
pub(super) fn sums(c: (&[Reg], Type), d: (&[Reg], Type)) -> Vec<AccumulatorElement> {
    let sum = |lane: usize, element| {
        Some(AccumulatorElement {
            row: lane / 4 + 8 * (element / 2 % 2),
            column: 8 * (element / 4) + 2 * (lane % 4) + element % 2,
            c: piece(c, lane, element)?,
            d: piece(d, lane, element)?,
        })
    };
    elements(d).filter_map(|(lane, element)| sum(lane, element)).collect()
}

/// Every lane with the number of every element that it holds in these registers.
fn elements((regs, ty): (&[Reg], Type)) -> impl Iterator<Item = (usize, usize)> {
    let count = regs.len() * packed(ty);
    (0..32).flat_map(move |lane| (0..count).map(move |element| (lane, element)))
}

fn piece((regs, ty): (&[Reg], Type), lane: usize, element: usize) -> Option<FragmentElement> {
    let (reg, part) = (*regs.get(element / packed(ty))?, element % packed(ty));
    Some(FragmentElement { reg, lane: lane as u8, mask: bytes(ty.bits()) << (2 * part) })
}

/// Number of elements of a sum in a register.
fn packed(ty: Type) -> usize {
    if ty == Type::F16 { 2 } else { 1 }
}

/// Element k of row `line` of a.
pub(super) fn of_a(product: &Mma<Reg>, line: usize, k: usize) -> Option<FragmentElement> {
    factor(&product.a, product.factors[0], product.shape[0] == 16, line, k)
}

/// Element k of column `line` of b.
pub(super) fn of_b(product: &Mma<Reg>, line: usize, k: usize) -> Option<FragmentElement> {
    factor(&product.b, product.factors[1], false, line, k)
}

/// Lane l has elements of line l / 4, as many neighbours along k as fit into 32 bits. If `tall`,
/// the next register has those of the line eight further down. The register after these continues
/// along k, after the four lanes' neighbours.
pub(super) fn factor(
    regs: &[Reg],
    ty: Type,
    tall: bool,
    line: usize,
    k: usize,
) -> Option<FragmentElement> {
    let bits = if ty == Type::Tf32 { 32 } else { ty.bits() };
    let count = (32 / bits as usize).max(1);
    let (group, index) = (k / count, k % count);
    let (along, lane) = (group / 4, 4 * (line % 8) + group % 4);
    let number = if tall { 2 * along + line / 8 } else { along };
    let mask = bytes(bits) << (index as u32 * bits / 8);
    Some(FragmentElement { reg: *regs.get(number)?, lane: lane as u8, mask })
}

/// A mask of every byte of `bits` bits: elements of fewer than 8 share a byte.
const fn bytes(bits: u32) -> u8 {
    super::low(bits.div_ceil(8) as u64)
}
