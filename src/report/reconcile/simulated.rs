//! The simulated counts of a launch.

use crate::analysis::Counters;

/// The simulated counts of a launch.
#[derive(Clone, Copy, Debug)]
pub struct Simulated {
    /// The counts for the PTX.
    pub written: Counters,
    /// The predicted counts for SASS; `None` if they are not known.
    pub executed: Option<Counters>,
}
