//! The host's part of the work, on all of its cores.

use crate::matrix::{ElementType, Operand};
use rayon::prelude::*;
use std::ops::Range;
use std::thread;

/// The number of cores of this computer.
pub(super) fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// These elements of the buffer of an operand as 4-byte words in memory, on all cores: 128 million
/// of them would take one core a second.
pub(super) fn words(
    seed: u64,
    operand: Operand,
    of: ElementType,
    elements: &Range<u64>,
) -> Vec<f32> {
    let count = ((elements.end - elements.start) * u64::from(of.bytes())).div_ceil(4);
    let word = |index: usize| {
        let element = |at| of.element(seed, operand, elements.start + at);
        f32::from_bits(of.packed(index as u64, element))
    };
    (0..count as usize).into_par_iter().map(word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::{self, Size};

    #[test]
    fn filling_on_all_cores_gives_the_same_values() {
        let size = Size { m: 7, n: 5, k: 11 };
        for operand in Operand::ALL {
            let of = |of| words(3, operand, of, &(0..size.elements(operand)));
            assert_eq!(of(ElementType::F32), matrix::fill(3, operand, size));
            let bits: Vec<_> = of(ElementType::F16).iter().map(|word| word.to_bits()).collect();
            let word = |index| ElementType::F16.word(3, operand, index as u64);
            assert_eq!(bits, (0..bits.len()).map(word).collect::<Vec<_>>());
            assert_eq!(bits.len() as u64, size.elements(operand).div_ceil(2));
        }
    }

    #[test]
    fn rows_can_begin_within_a_word() {
        let of = ElementType::F16;
        let words = words(3, Operand::A, of, &(11..22));
        let value = |index| of.read(index, |word| words[word as usize].to_bits());
        for index in 0..11 {
            let filled = of.element(3, Operand::A, 11 + index);
            assert_eq!(value(index).to_bits(), filled.to_bits());
        }
    }
}
