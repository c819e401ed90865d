//! An exercise with its inputs: the sizes and the contents of the matrices at which a kernel is judged.

use super::Exercise;
use crate::kernel::sha256;
use crate::matrix::{SEED, SMALL, Size};
use std::sync::Arc;

/// The sides of hidden sizes: the least, and how many there are.
const SIDES: (u32, u32) = (33, 64);

/// An exercise with its inputs.
#[derive(Clone, Debug)]
pub struct Assignment {
    pub exercise: Arc<Exercise>,
    /// The sizes at which it is judged: the first ones are those of the exercise.
    pub sizes: Vec<Size>,
    /// The seed of A and B: never the one with which kernels are usually filled, which a submission could
    /// know.
    pub seed: u64,
}

impl Assignment {
    /// For a learner: at the sizes of the exercise.
    pub fn practice(exercise: Arc<Exercise>) -> Self {
        let (sizes, seed) = (exercise.rubric.sizes.clone(), seed_of(&exercise.name, ""));
        Self { exercise, sizes, seed }
    }

    /// For grading: also at sizes that the key decides.
    pub fn graded(exercise: Arc<Exercise>, key: &str) -> Self {
        let hidden = (0..exercise.rubric.hidden).map(|number| drawn(&exercise.name, key, number));
        let sizes = exercise.rubric.sizes.iter().copied().chain(hidden).collect();
        let seed = seed_of(&exercise.name, key);
        Self { exercise, sizes, seed }
    }

    /// Whether a size, by its number, is not to be told.
    pub fn is_hidden(&self, number: usize) -> bool {
        number >= self.exercise.rubric.sizes.len()
    }
}

/// A and B are drawn from this; the same on every machine.
fn seed_of(exercise: &str, key: &str) -> u64 {
    let digits = sha256(format!("{exercise}\n{key}\nA, B").as_bytes());
    let seed = u64::from_str_radix(&digits[..8], 16).unwrap_or_default();
    if [SEED, SMALL].contains(&seed) { seed ^ 2 } else { seed }
}

/// A hidden size: M, N and K all different.
fn drawn(exercise: &str, key: &str, number: usize) -> Size {
    let digits = sha256(format!("{exercise}\n{key}\nsize {number}").as_bytes());
    let byte = |at: usize| u32::from_str_radix(&digits[2 * at..2 * at + 2], 16).unwrap_or_default();
    let (least, count) = SIDES;
    let side = |at: usize| least + byte(at) % count;
    let others = |taken: [u32; 2], at: usize| {
        let free = |side: &u32| !taken.contains(side);
        (0..count).map(|more| least + (side(at) - least + more) % count).find(free)
    };
    let m = side(0);
    let n = others([m, m], 1).unwrap_or(m);
    let k = others([m, n], 2).unwrap_or(m);
    Size { m, n, k }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_sizes_follow_from_the_key_and_differ_in_their_sides() {
        let sizes = |key: &str| [0, 1, 2, 3].map(|number| drawn("E1-coalesce", key, number));
        assert_eq!(sizes("a"), sizes("a"));
        assert_ne!(sizes("a"), sizes("b"));
        for Size { m, n, k } in (0..200).map(|number| drawn("E2", "key", number)) {
            assert!(m != n && n != k && m != k, "{m} {n} {k}");
            assert!([m, n, k].iter().all(|side| (33..=96).contains(side)), "{m} {n} {k}");
        }
    }
}
