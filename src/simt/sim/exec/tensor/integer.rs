//! `mma` on integers of 8 and 4 bits and on single bits: exact sums of products.

use crate::sim::program::Reg;
use crate::sim::regs::Regs;
use ptx::{Boolean, Mma, Type};

/// The rows of a or the columns of b, each as words along k: at most 256 bits.
type Lines = [[u32; 8]; 16];

/// The factors of a product.
pub(super) struct Factors<'a> {
    product: &'a Mma<Reg>,
    a: Lines,
    b: Lines,
}

impl<'a> Factors<'a> {
    pub(super) fn new(regs: &Regs, product: &'a Mma<Reg>) -> Self {
        let a = lines(regs, &product.a, product.shape[0] == 16);
        Self { product, a, b: lines(regs, &product.b, false) }
    }

    /// Returns c + a x b for one row and one column, as bits.
    pub(super) fn sum(&self, row: usize, column: usize, c: u64) -> u64 {
        let words = self.a[row].iter().zip(&self.b[column]);
        let products = words.map(|(a, b)| dot(self.product, *a, *b));
        added(products.sum(), c, self.product.arithmetic.satfinite)
    }
}

fn added(products: i64, c: u64, saturates: bool) -> u64 {
    let sum = i64::from(c as i32) + products;
    let (least, most) = (i64::from(i32::MIN), i64::from(i32::MAX));
    let sum = if saturates { sum.clamp(least, most) } else { sum };
    u64::from(sum as u32)
}

/// The words of a factor, collected from the lanes (PTX ISA, "Matrix Fragments for mma.m8n8k16",
/// "mma.m16n8k32" and so on up to "mma.m16n8k256"). Whatever the width of the elements, lane l holds
/// word l mod 4 of row (for b: column) l / 4. In a factor of 16 rows, the next register holds that of
/// the row eight further down, and the one after that word 4 + l mod 4; otherwise the next register
/// already does.
pub(in crate::sim::exec) fn lines(regs: &Regs, from: &[Reg], tall: bool) -> Lines {
    let mut lines = [[0; 8]; 16];
    for (number, reg) in from.iter().enumerate() {
        let (down, along) = if tall { (number % 2, number / 2) } else { (0, number) };
        for (lane, word) in regs.wide(*reg).into_iter().enumerate() {
            lines[8 * down + lane / 4][4 * along + lane % 4] = word as u32;
        }
    }
    lines
}

/// The elements in the words of a line, in the lowest bits.
pub(in crate::sim::exec) fn elements(words: &[u32], ty: Type) -> impl Iterator<Item = u32> + '_ {
    let (bits, ones) = (ty.bits(), u32::MAX >> (32 - ty.bits()));
    words
        .iter()
        .flat_map(move |word| (0..32).step_by(bits as usize).map(move |shift| word >> shift & ones))
}

/// The sum of the products of the elements in two words.
fn dot(product: &Mma<Reg>, a: u32, b: u32) -> i64 {
    let [of_a, of_b] = product.factors;
    match product.arithmetic.bits {
        Some(Boolean::And) => (a & b).count_ones().into(),
        Some(_) => (a ^ b).count_ones().into(),
        None => {
            let bits = of_a.bits();
            let products = (0..32)
                .step_by(bits as usize)
                .map(|shift| element(a >> shift, of_a) * element(b >> shift, of_b));
            products.sum()
        }
    }
}

/// The element in the lowest bits.
fn element(word: u32, ty: Type) -> i64 {
    let above = 32 - ty.bits();
    let raised = word << above;
    if ty.is_signed() { i64::from(raised as i32 >> above) } else { i64::from(raised >> above) }
}
