//! Sampling a time until its middle is known well enough.

use super::GpuError;
use crate::stats::Quartiles;

/// Fewest samples of what insists on some, however long they take: with fewer there are no quartiles.
const FEWEST: usize = 3;

/// When there are samples enough.
#[derive(Clone, Copy, Debug)]
pub(super) struct Enough {
    /// Fewest samples, as long as there is time.
    pub(super) least: usize,
    /// Enough when the interquartile range is below this part of the median.
    pub(super) spread: f64,
    /// Enough when the samples took this together, in milliseconds.
    pub(super) budget_ms: f64,
    /// Most samples.
    pub(super) most: usize,
    /// Whether three samples are taken whatever they cost.
    pub(super) insists: bool,
}

/// Takes samples: each is (the value, what it cost in milliseconds). `seen` is told how far it is.
pub(super) fn sample(
    enough: Enough,
    mut next: impl FnMut() -> Result<(f64, f64), GpuError>,
    mut seen: impl FnMut(&Quartiles),
) -> Result<Quartiles, GpuError> {
    let Enough { least, spread, budget_ms, most, insists } = enough;
    let (mut samples, mut spent, mut look) = (Vec::new(), 0.0, 10);
    loop {
        let (value, cost) = next()?;
        samples.push(value);
        spent += cost;
        let out_of_time = spent >= budget_ms || samples.len() >= most;
        // Sorting is kept out of the way of short samples, and long ones are reported singly.
        if samples.len() < look && cost < 50.0 && !out_of_time {
            continue;
        }
        look = samples.len() + (samples.len() / 10).max(10);
        let Some(quartiles) = Quartiles::of(&samples) else { continue };
        seen(&quartiles);
        let steady = samples.len() >= least && quartiles.relative_iqr() < spread;
        let given_up = out_of_time && (!insists || samples.len() >= FEWEST);
        if steady || given_up {
            return Ok(quartiles);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many samples are taken of times that never settle, each of this cost in milliseconds.
    fn taken(enough: Enough, cost: f64) -> usize {
        let mut number = 0;
        let restless = || {
            number += 1;
            Ok((f64::from(number % 2 + 1), cost))
        };
        sample(enough, restless, |_| ()).expect("it always answers").samples
    }

    #[test]
    fn restless_samples_end_with_the_time_or_with_their_number() {
        let enough = Enough { least: 10, spread: 0.01, budget_ms: 100.0, most: 200, insists: true };
        assert_eq!(taken(enough, 1.0), 100);
        assert_eq!(taken(enough, 1e-6), 200);
        assert_eq!(taken(enough, 1000.0), 3, "it insists on quartiles");
        assert_eq!(taken(Enough { insists: false, ..enough }, 1000.0), 1);
    }
}
