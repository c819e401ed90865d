//! Precision of the elements of A and B: float32, or float16 with faster arithmetic on the GPU.

use half::f16;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The element type of A and B; C is always float32.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Precision {
    /// IEEE 754 binary32.
    #[default]
    Single,
    /// IEEE 754 binary16.
    Half,
}

impl Precision {
    /// Size of an element in bytes.
    pub const fn bytes(self) -> u8 {
        match self {
            Self::Single => 4,
            Self::Half => 2,
        }
    }

    /// Rounds to the nearest representable value.
    pub fn round(self, value: f32) -> f32 {
        match self {
            Self::Single => value,
            Self::Half => widened(half(value)),
        }
    }

    /// Upper bound on the relative error expected of sums of `k` such products: see
    /// [`super::tolerance`].
    ///
    /// Tensor cores truncate their sums towards zero, once for every 16 products, where a
    /// multiply-add would round; the loss therefore grows linearly with k. On an H200 it was 0.02 k
    /// units in the last place (2^-24) for k from 2048 to 8192, with cuBLAS and with our kernels.
    /// Three times that is allowed.
    pub fn tolerance(self, k: u32) -> f64 {
        let cut = match self {
            Self::Single => 0.0,
            Self::Half => f64::from(k) / 16.0 * 2.0_f64.powi(-24),
        };
        super::tolerance(k) + cut
    }

    /// These values as 4-byte words in memory; an odd number of halves is padded with a zero.
    pub fn words(self, values: &[f32]) -> Cow<'_, [f32]> {
        match self {
            Self::Single => Cow::Borrowed(values),
            Self::Half => {
                let pair = |two: &[f32]| {
                    two.iter().rev().fold(0, |word, value| word << 16 | u32::from(half(*value)))
                };
                Cow::Owned(values.chunks(2).map(|two| f32::from_bits(pair(two))).collect())
            }
        }
    }

    /// Returns the first `count` values stored in such words.
    pub fn values(self, words: &[f32], count: usize) -> Vec<f32> {
        match self {
            Self::Single => words.to_vec(),
            Self::Half => {
                let both = |word: &f32| [word.to_bits() as u16, (word.to_bits() >> 16) as u16];
                words.iter().flat_map(both).map(widened).take(count).collect()
            }
        }
    }
}

/// The bits of the float16 nearest to `value`, ties to even.
pub fn half(value: f32) -> u16 {
    f16::from_f32(value).to_bits()
}

/// The value of a float16 with these bits.
fn widened(half: u16) -> f32 {
    f16::from_bits(half).to_f32()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_half_comes_back_and_what_lies_between_goes_to_the_nearest() {
        for bits in (0..0x7c00).chain(0x8000..0xfc00) {
            assert_eq!(half(widened(bits)), bits);
        }
        for bits in 0..0x7bff_u16 {
            let (low, high) = (widened(bits), widened(bits + 1));
            let middle = f32::midpoint(low, high);
            let even = bits + (bits & 1);
            assert_eq!(half(middle), even, "{middle} lies between {low} and {high}");
            assert_eq!(half(middle.next_down()), bits);
            assert_eq!(half(middle.next_up()), bits + 1);
        }
    }

    #[test]
    fn what_tensor_cores_lost_on_an_h200_is_allowed_for_at_every_size() {
        // Measured at 2048 and 8192; extrapolated linearly to the largest size.
        for (k, error) in [(2048, 2.47e-6), (8192, 9.70e-6), (46340, 9.70e-6 * 46340.0 / 8192.0)] {
            let most = Precision::Half.tolerance(k);
            assert!((2.0 * error..8.0 * error).contains(&most), "{k}: {most}");
        }
    }

    #[test]
    fn halves_lie_two_in_a_word() {
        let values = [1.0, -2.0, 0.5];
        let words = Precision::Half.words(&values);
        assert_eq!(
            words.iter().map(|word| word.to_bits()).collect::<Vec<_>>(),
            [0xc000_3c00, 0x3800]
        );
        assert_eq!(Precision::Half.values(&words, 3), values);
        assert_eq!(Precision::Half.round(1.0 + 2.0_f32.powi(-12)).to_bits(), 1.0_f32.to_bits());
    }
}
