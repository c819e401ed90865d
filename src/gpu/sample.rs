//! Samples a time until its median is known precisely enough.

use crate::stats::Quartiles;
use crate::timing::GpuError;

/// The number of samples always taken if [`StopRule::insists`] is set, however long they take: fewer
/// have no quartiles.
const FEWEST: usize = 3;

/// Rules for when to stop sampling.
#[derive(Clone, Copy, Debug)]
pub(super) struct StopRule {
    /// The minimum number of samples, if the budget allows.
    pub(super) least: usize,
    /// Stop when the interquartile range is below this fraction of the median.
    pub(super) spread: f64,
    /// Stop when the samples have taken this long in total, in milliseconds.
    pub(super) budget_ms: f64,
    /// The maximum number of samples.
    pub(super) most: usize,
    /// Whether to take three samples whatever they cost.
    pub(super) insists: bool,
}

/// Takes samples, each a pair of its value and its cost in milliseconds. Calls `seen` to report
/// progress.
pub(super) fn sample(
    enough: StopRule,
    mut next: impl FnMut() -> Result<(f64, f64), GpuError>,
    mut seen: impl FnMut(&Quartiles),
) -> Result<Quartiles, GpuError> {
    let StopRule { least, spread, budget_ms, most, insists } = enough;
    let (mut samples, mut spent, mut look) = (Vec::new(), 0.0, 10);
    loop {
        let (value, cost) = next()?;
        samples.push(value);
        spent += cost;
        let out_of_time = spent >= budget_ms || samples.len() >= most;
        // Sorts rarely while samples are short, and reports each sample when they are long.
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

    /// The number of samples taken if the values never settle and each costs `cost` milliseconds.
    fn taken(enough: StopRule, cost: f64) -> usize {
        let mut number = 0;
        let restless = || {
            number += 1;
            Ok((f64::from(number % 2 + 1), cost))
        };
        sample(enough, restless, |_| ()).expect("it always answers").samples
    }

    #[test]
    fn restless_samples_end_with_the_time_or_with_their_number() {
        let enough =
            StopRule { least: 10, spread: 0.01, budget_ms: 100.0, most: 200, insists: true };
        assert_eq!(taken(enough, 1.0), 100);
        assert_eq!(taken(enough, 1e-6), 200);
        assert_eq!(taken(enough, 1000.0), 3, "it insists on quartiles");
        assert_eq!(taken(StopRule { insists: false, ..enough }, 1000.0), 1);
    }
}
