//! One setting of the dials, judged at every size and in many orders of the warps.

use super::Dials;
use crate::lesson::error::RunError;
use crate::lesson::judged::{Judged, Spoilt};
use crate::lesson::proof::ORDERS;
use crate::matrix::Size;

/// What a setting does at a size.
#[derive(Clone, Debug)]
pub struct Tried {
    /// Whether C is right, what the checks find, and what it costs.
    pub judged: Judged,
    /// The random orders of the warps that spoil C.
    pub spoilt: Spoilt,
}

impl Dials {
    /// Compiles a setting and judges it at each size.
    ///
    /// # Errors
    /// What is wrong in the source, with its line; a launch that does not fit it.
    pub fn tried(&self, at: &[usize], sizes: &[Size]) -> Result<Vec<Tried>, RunError> {
        let trial = self.trial(at);
        let ready = trial.ready()?;
        let tried = |size: &Size| {
            let judged = ready.judge(*size)?;
            // Without a race, all orders give one C.
            let spoilt = if judged.kinds().contains("race") {
                Spoilt::of(&ready.problem(*size)?, ORDERS)?
            } else {
                Spoilt { wrong: 0, orders: 0 }
            };
            Ok(Tried { judged, spoilt })
        };
        sizes.iter().map(tried).collect()
    }
}
