//! Video instructions (PTX ISA, "Video Instructions").

use crate::sim::alu;
use ptx::{Picked, Then, Video, VideoOp, Written};

/// Returns d.
pub(super) fn value(of: Video, a: u32, b: u32, c: u32) -> u32 {
    let both = u64::from(b) << 32 | u64::from(a);
    let [signed, of_a, of_b] = of.signed;
    let element = |number: usize| {
        let (x, y) =
            (picked(of.from[0], both, number, of_a), picked(of.from[1], both, number, of_b));
        let result = result(of, x, y, c);
        if of.sat { clamped(result, of.to.bits, signed) } else { result }
    };
    let Written { bits, mask } = of.to;
    let written = |number: &usize| mask >> number & 1 == 1;
    let numbers = 0..32 / usize::from(bits);
    let extended = |bits: u32| if signed { i64::from(bits as i32) } else { bits.into() };
    match of.then {
        Some(Then::Add) => {
            numbers.filter(written).fold(c, |sum, number| sum.wrapping_add(element(number) as u32))
        }
        Some(Then::Minimum) => extended(element(0) as u32).min(extended(c)) as u32,
        Some(Then::Maximum) => extended(element(0) as u32).max(extended(c)) as u32,
        None => {
            let ones = u32::MAX >> (32 - bits);
            numbers.filter(written).fold(c, |merged, number| {
                let shift = u32::from(bits) * number as u32;
                merged & !(ones << shift) | (element(number) as u32 & ones) << shift
            })
        }
    }
}

/// The element that is taken for result `number`, extended by its sign if it has one.
fn picked(from: Picked, both: u64, number: usize, signed: bool) -> i64 {
    let bits = u32::from(from.bits);
    let raised = both >> (bits * u32::from(from.elements[number])) << (64 - bits);
    if signed { raised as i64 >> (64 - bits) } else { (raised >> (64 - bits)) as i64 }
}

fn result(of: Video, a: i64, b: i64, c: u32) -> i64 {
    let by = |wrap: bool| if wrap { b & 31 } else { b.clamp(0, 32) };
    match of.op {
        VideoOp::Add => a + b,
        VideoOp::Subtract => a - b,
        VideoOp::Average => (a + b + i64::from(a + b >= 0)) >> 1,
        VideoOp::AbsoluteDifference => (a - b).abs(),
        VideoOp::Minimum => a.min(b),
        VideoOp::Maximum => a.max(b),
        // The intermediate result has 34 bits.
        VideoOp::ShiftLeft { wrap } => a << by(wrap) << 30 >> 30,
        VideoOp::ShiftRight { wrap } => a >> by(wrap),
        VideoOp::Compare(how) => alu::compare(how, &a, &b).into(),
        VideoOp::MultiplyAdd { .. } => multiply_add(of, a, b, c),
    }
}

fn multiply_add(of: Video, a: i64, b: i64, c: u32) -> i64 {
    let VideoOp::MultiplyAdd { negates_product, negates_c, plus_one, shift } = of.op else {
        return 0;
    };
    let signed = of.signed[1] || of.signed[2] || negates_product || negates_c;
    let c = if signed { i128::from(c as i32) } else { c.into() };
    let product = i128::from(a) * i128::from(b);
    let product = if negates_product { -product } else { product };
    let c = if negates_c { -c } else { c };
    let sum = (product + c + i128::from(plus_one)) >> shift;
    if !of.sat {
        return sum as i64;
    }
    let (least, most) =
        if signed { (i32::MIN.into(), i32::MAX.into()) } else { (0, u32::MAX.into()) };
    sum.clamp(least, most) as i64
}

fn clamped(value: i64, bits: u8, signed: bool) -> i64 {
    let (least, most) =
        if signed { (-1 << (bits - 1), (1 << (bits - 1)) - 1) } else { (0, (1_i64 << bits) - 1) };
    value.clamp(least, most)
}
