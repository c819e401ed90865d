//! The values that a buffer other than A, B and C holds before the launch.

use super::{ElementType, SMALL, mixed};
use serde::{Deserialize, Serialize};

/// What the host has written to a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Values {
    /// Random floats from -1 to 1, or integers from 0 to 9; with the seed [`SMALL`] all are the
    /// latter.
    Random,
    /// The same number everywhere.
    Constant(f64),
    /// Random integers, the first and the last of which are given.
    Between(i64, i64),
    /// Each holds its index, as far as its type holds that: sorted, as what is searched or merged.
    Ascending,
}

/// The elements of a filled buffer: each is computed from its index alone, as those of A and B.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Elements {
    pub of: ElementType,
    pub values: Values,
    /// The seed of the random ones.
    pub seed: u64,
    /// The buffer's number, by which buffers of the same seed differ.
    pub number: u64,
}

impl Elements {
    /// Element number `index`.
    pub fn element(&self, index: u64) -> f64 {
        let digit = self.values == Values::Random && (self.of.is_integer() || self.seed == SMALL);
        match self.values {
            Values::Constant(value) => value,
            Values::Ascending => self.of.ascending(index),
            Values::Between(first, last) => {
                let all = last.abs_diff(first).wrapping_add(1).max(1);
                first.wrapping_add_unsigned((self.bits(index) >> 8) % all) as f64
            }
            Values::Random if digit => ((self.bits(index) >> 40) % 10) as f64,
            Values::Random => (self.bits(index) >> 40) as f64 / f64::from(1 << 23) - 1.0,
        }
    }

    /// 4-byte word number `index`.
    pub fn word(&self, index: u64) -> u32 {
        self.of.packed(index, |index| self.element(index))
    }

    /// Random bits, apart from those of A, B and C.
    fn bits(&self, index: u64) -> u64 {
        let stream = self.seed.wrapping_mul(0x1000).wrapping_add(0x100 + self.number);
        let place = stream.wrapping_shl(32) ^ index;
        mixed(place.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::SEED;

    fn filled(of: ElementType, values: Values, number: u64) -> Vec<f64> {
        let elements = Elements { of, values, seed: SEED, number };
        (0..1000).map(|index| of.read(index, |word| elements.word(word))).collect()
    }

    #[test]
    fn a_buffer_of_any_type_holds_what_was_asked_for() {
        for of in ElementType::ALL {
            assert!(
                filled(of, Values::Constant(7.0), 0)
                    .iter()
                    .all(|value| value.to_bits() == 7.0_f64.to_bits()),
                "{of}"
            );
            let between = filled(of, Values::Between(3, 12), 0);
            let (least, most) = (3.0, 12.0);
            assert!(between.iter().all(|value| (least..=most).contains(value)), "{of}");
            assert!(between.contains(&least) && between.contains(&most), "{of}");
            let random = filled(of, Values::Random, 0);
            let range = if of.is_integer() { 0.0..=9.0 } else { -1.0..=1.0 };
            assert!(random.iter().all(|value| range.contains(value)), "{of}");
            assert_ne!(random, filled(of, Values::Random, 1), "{of}: buffers differ");
        }
        for of in ElementType::ALL {
            let ascending = filled(of, Values::Ascending, 0);
            assert!(
                ascending.is_sorted()
                    && ascending[..100] == (0..100).map(f64::from).collect::<Vec<_>>(),
                "{of}"
            );
        }
        let negative = filled(ElementType::I8, Values::Between(-3, -1), 0);
        assert!(negative.iter().all(|value| (-3.0..=-1.0).contains(value)));
    }
}
