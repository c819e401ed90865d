//! The host's part of the work, on all of its cores.

use crate::matrix::{self, Operand, Precision, Size};
use std::borrow::Cow;
use std::thread;

/// How many threads share the host's part of the work.
pub(super) fn cores() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Values as they lie in memory: [`Precision::words`] on all cores.
pub(super) fn words(values: &[f32], precision: Precision) -> Cow<'_, [f32]> {
    // An even number of them: two halves share a word.
    let each = values.len().div_ceil(cores()).next_multiple_of(2).max(2);
    if precision == Precision::Single {
        return Cow::Borrowed(values);
    }
    thread::scope(|scope| {
        let parts: Vec<_> = values
            .chunks(each)
            .map(|values| scope.spawn(move || precision.words(values).into_owned()))
            .collect();
        let parts = parts.into_iter().map(|part| part.join().unwrap_or_default());
        Cow::Owned(parts.collect::<Vec<_>>().concat())
    })
}

/// The same values as [`matrix::fill`], rounded: 128 million elements would keep one core for a
/// second.
pub(super) fn operand_on_all_cores(
    seed: u64,
    operand: Operand,
    size: Size,
    precision: Precision,
) -> Vec<f32> {
    let mut values = vec![0.0; size.elements(operand) as usize];
    let chunk = values.len().div_ceil(cores()).max(1);
    thread::scope(|scope| {
        for (number, values) in values.chunks_mut(chunk).enumerate() {
            scope.spawn(move || {
                for (index, value) in values.iter_mut().enumerate() {
                    let exact = matrix::element(seed, operand, (number * chunk + index) as u64);
                    *value = precision.round(exact);
                }
            });
        }
    });
    values
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
