//! The host's part of the work, on all of its cores.

use crate::matrix::{self, Operand, Precision, Size};
use rayon::prelude::*;
use std::borrow::Cow;
use std::thread;

/// The number of values per chunk; even, since two halves share a word.
const PART: usize = 1 << 16;

/// The number of threads that share the host's part of the work.
pub(super) fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Values as they are stored in memory: [`Precision::words`] on all cores.
pub(super) fn words(values: &[f32], precision: Precision) -> Cow<'_, [f32]> {
    match precision {
        Precision::Single => Cow::Borrowed(values),
        Precision::Half => {
            let parts = values.par_chunks(PART).map(|part| precision.words(part).into_owned());
            Cow::Owned(parts.collect::<Vec<_>>().concat())
        }
    }
}

/// Like [`matrix::fill`], but rounded, and on all cores: 128 million elements would take one core a
/// second.
pub(super) fn operand_on_all_cores(
    seed: u64,
    operand: Operand,
    size: Size,
    precision: Precision,
) -> Vec<f32> {
    let element = |index| precision.round(matrix::element(seed, operand, index as u64));
    (0..size.elements(operand) as usize).into_par_iter().map(element).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filling_on_all_cores_gives_the_same_values() {
        let size = Size { m: 7, n: 5, k: 11 };
        for operand in Operand::ALL {
            let values = operand_on_all_cores(3, operand, size, Precision::Single);
            assert_eq!(values, matrix::fill(3, operand, size));
            let halves = operand_on_all_cores(3, operand, size, Precision::Half);
            let rounded: Vec<_> = values.iter().map(|v| Precision::Half.round(*v)).collect();
            assert_eq!(halves, rounded);
            let packed = words(&halves, Precision::Half);
            let bits = |words: &[f32]| words.iter().map(|w| w.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&packed), bits(&Precision::Half.words(&halves)));
        }
    }
}
