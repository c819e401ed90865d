//! The simulated counts of a launch.

use crate::analysis::Counters;

/// What a launch does, as simulated.
#[derive(Clone, Copy, Debug)]
pub struct Simulated {
    /// Counted as the PTX is written.
    pub written: Counters,
    /// Counted as the machine code executes it; none where that is not known.
    pub executed: Option<Counters>,
}
