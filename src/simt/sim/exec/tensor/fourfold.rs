//! `mma.m8n8k4` of float16: four products at once, which Hopper computes without tensor cores.
//!
//! ptxas (12.9, compute capability 9.0) exchanges the factors between lanes and multiplies them as
//! float32. For sums d of float32 it adds the four products in order and then c, for float16 two and two
//! products to c; d is rounded to float16 at the end.

use super::sums::{Sums, converted, packed};
use crate::sim::format::Format;
use crate::sim::program::Reg;
use crate::sim::regs::Regs;
use ptx::{Layout, Mma, Type};

/// The registers of d.
pub(super) fn sums(regs: &Regs, product: &Mma<Reg>) -> Vec<[u64; 32]> {
    let [of_a, of_b] = product.layouts;
    let rows = lines(regs, &product.a, of_a == Layout::Row);
    let columns = lines(regs, &product.b, of_b == Layout::Column);
    let (of, before) = (Sums::of(product), before(regs, product));
    of.assembled(regs, |lane, element, _| {
        let (quad, [row, column]) = (quad(lane), Mma::<Reg>::place(product.sum, lane, element));
        let c = before[quad][row][column];
        let sum = sum(rows[quad][row], columns[quad][column], c, product.sum == Type::F16);
        converted(sum.to_bits().into(), Type::F32, product.sum)
    })
}

/// The product to which a lane belongs.
const fn quad(lane: usize) -> usize {
    lane / 4 % 4
}

/// The elements of c, which are in other lanes than those of d if its type is another.
fn before(regs: &Regs, product: &Mma<Reg>) -> [[[f32; 8]; 8]; 4] {
    let mut before = [[[0.0; 8]; 8]; 4];
    let packed = packed(product.addend);
    for (number, reg) in product.c.iter().enumerate() {
        for (lane, value) in regs.wide(*reg).into_iter().enumerate() {
            for part in 0..packed {
                let [row, column] = Mma::<Reg>::place(product.addend, lane, packed * number + part);
                let bits = if packed == 2 { value >> (16 * part) & 0xffff } else { value };
                let c = converted(bits, product.addend, Type::F32);
                before[quad(lane)][row][column] = f32::from_bits(c as u32);
            }
        }
    }
    before
}

/// The rows of a, or the columns of b, of each product. Lane l holds four neighbours: along the line if
/// `along`, of line l modulo 4, or else across the lines at index l modulo 4; of the lines from 4 in lanes
/// from 16.
fn lines(regs: &Regs, from: &[Reg], along: bool) -> [[[f32; 4]; 8]; 4] {
    let mut lines = [[[0.0; 4]; 8]; 4];
    for (number, reg) in from.iter().enumerate() {
        for (lane, value) in regs.wide(*reg).into_iter().enumerate() {
            for part in 0..2 {
                let (own, index) = (lane % 4, 2 * number + part);
                let (line, k) = if along { (own, index) } else { (index, own) };
                let half = Format::F16.widen(value >> (16 * part) & 0xffff);
                lines[quad(lane)][line + lane / 16 * 4][k] = half as f32;
            }
        }
    }
    lines
}

fn sum(a: [f32; 4], b: [f32; 4], c: f32, short: bool) -> f32 {
    if !short {
        let products = a.iter().zip(b).fold(0.0, |sum, (a, b)| a.mul_add(b, sum));
        return c + products;
    }
    let two = |first: usize| a[first + 1].mul_add(b[first + 1], a[first] * b[first]);
    c + two(0) + two(2)
}
