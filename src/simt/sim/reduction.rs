//! What atomic operations on integers make of a word (PTX ISA, `atom`).

use super::alu::extend;
use ptx::{AtomicOp, Type};

/// The new value for an old one; both, and the operands, have type `ty`, an integer or bits.
pub(super) fn changed((op, ty): (AtomicOp, Type), old: u64, [b, c]: [u64; 2]) -> u64 {
    let b = extend(b, ty);
    let less = |a: u64, b: u64| if ty.is_signed() { (a as i64) < b as i64 } else { a < b };
    match op {
        AtomicOp::Add => extend(old.wrapping_add(b), ty),
        AtomicOp::Min => {
            if less(b, old) {
                b
            } else {
                old
            }
        }
        AtomicOp::Max => {
            if less(old, b) {
                b
            } else {
                old
            }
        }
        AtomicOp::And => old & b,
        AtomicOp::Or => old | b,
        AtomicOp::Xor => old ^ b,
        AtomicOp::Exchange => b,
        AtomicOp::CompareAndSwap => {
            if old == b {
                c
            } else {
                old
            }
        }
        AtomicOp::Increment => {
            if old >= b {
                0
            } else {
                old + 1
            }
        }
        AtomicOp::Decrement => {
            if old == 0 || old > b {
                b
            } else {
                old - 1
            }
        }
    }
}
