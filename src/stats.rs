//! The median and the quartiles of a sample of times.

use serde::{Deserialize, Serialize};

/// The quartiles of a sample, in the sample's own unit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quartiles {
    /// Half of the sample is at most this.
    pub median: f64,
    /// A quarter of the sample is at most this.
    pub q1: f64,
    /// Three quarters of the sample are at most this.
    pub q3: f64,
    /// The number of values in the sample.
    pub samples: usize,
}

impl Quartiles {
    /// The quartiles of a sample in any order, interpolated between adjacent values (R's type 7).
    ///
    /// `None` if the sample is empty or contains NaN.
    pub fn of(sample: &[f64]) -> Option<Self> {
        if sample.is_empty() || sample.iter().any(|value| value.is_nan()) {
            return None;
        }
        let mut sorted = sample.to_vec();
        sorted.sort_by(f64::total_cmp);
        let [q1, median, q3] = [0.25, 0.5, 0.75].map(|part| quantile(&sorted, part));
        Some(Self { median, q1, q3, samples: sample.len() })
    }

    /// The interquartile range, in the sample's unit.
    pub fn iqr(&self) -> f64 {
        self.q3 - self.q1
    }

    /// The interquartile range as a fraction of the median; 0 if all values between the quartiles
    /// are equal.
    pub fn relative_iqr(&self) -> f64 {
        if self.iqr() == 0.0 { 0.0 } else { self.iqr() / self.median }
    }
}

/// The quantile of a sorted, non-empty sample, where `part` is a fraction from 0 to 1.
fn quantile(sorted: &[f64], part: f64) -> f64 {
    let place = part * (sorted.len() - 1) as f64;
    let (below, above) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    below + (above - below) * place.fract()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::float_cmp, reason = "these quotients are exact")]
    fn quartiles_lie_between_neighbours() {
        let quartiles = Quartiles::of(&[4.0, 1.0, 3.0, 2.0]).expect("not empty");
        assert_eq!(quartiles, Quartiles { q1: 1.75, median: 2.5, q3: 3.25, samples: 4 });
        assert_eq!([quartiles.iqr(), quartiles.relative_iqr()], [1.5, 0.6]);
    }

    #[test]
    #[expect(clippy::float_cmp, reason = "nothing spreads by exactly 0")]
    fn one_value_is_its_own_quartiles_and_does_not_spread() {
        let quartiles = Quartiles::of(&[7.0]).expect("not empty");
        assert_eq!(quartiles, Quartiles { q1: 7.0, median: 7.0, q3: 7.0, samples: 1 });
        let zero = Quartiles::of(&[0.0, 0.0]).expect("not empty");
        assert_eq!([quartiles.relative_iqr(), zero.relative_iqr()], [0.0, 0.0]);
    }

    #[test]
    fn an_outlier_moves_neither_the_median_nor_the_quartiles_far() {
        let calm = Quartiles::of(&[1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 900.0]).expect("not empty");
        assert_eq!((calm.median, calm.iqr()), (1.0, 0.0));
    }

    #[test]
    fn nothing_and_not_a_number_have_no_quartiles() {
        assert_eq!(Quartiles::of(&[]), None);
        assert_eq!(Quartiles::of(&[1.0, f64::NAN]), None);
    }
}
