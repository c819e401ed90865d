//! The barrier of a cluster: each thread arrives, and later waits until all have arrived.

use super::fault::AsyncFault;
use crate::sim::mask::LaneMask;

/// `barrier.cluster` (PTX ISA): a phase is complete when all threads of the cluster have arrived that
/// have not exited.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::sim) struct ClusterBarrier {
    /// The number of complete phases.
    phase: u32,
    /// For each warp: the lanes that have arrived in the current phase.
    arrived: Vec<LaneMask>,
    /// For each warp: the lanes that have arrived and not yet waited.
    open: Vec<LaneMask>,
    /// Whether any lane has arrived in the current phase.
    begun: bool,
}

impl ClusterBarrier {
    pub(in crate::sim) fn new(warps: usize) -> Self {
        let none = vec![LaneMask::NONE; warps];
        Self { phase: 0, arrived: none.clone(), open: none, begun: false }
    }

    /// Lanes arrive; returns the number of the phase.
    pub(in crate::sim) fn arrive(
        &mut self,
        warp: usize,
        lanes: LaneMask,
    ) -> Result<u32, AsyncFault> {
        if !self.open[warp].and(lanes).is_empty() {
            return Err(AsyncFault::ClusterArrival);
        }
        self.open[warp] = self.open[warp].or(lanes);
        self.arrived[warp] = self.arrived[warp].or(lanes);
        self.begun |= !lanes.is_empty();
        Ok(self.phase)
    }

    /// Lanes continue after their wait; returns the number of the phase, which is complete.
    pub(in crate::sim) fn pass(&mut self, warp: usize, lanes: LaneMask) -> Result<u32, AsyncFault> {
        if !lanes.without(self.open[warp]).is_empty() {
            return Err(AsyncFault::ClusterWait);
        }
        self.open[warp] = self.open[warp].without(lanes);
        Ok(self.phase.wrapping_sub(1))
    }

    /// Whether lanes that wait now would have to wait.
    pub(in crate::sim) fn holds(&self, warp: usize, lanes: LaneMask) -> bool {
        !self.arrived[warp].and(lanes).is_empty()
    }

    /// Completes the phase if no thread is missing: `live` is the lanes of each warp that have not exited.
    /// Returns whether it did.
    pub(in crate::sim) fn complete(&mut self, live: impl Iterator<Item = LaneMask>) -> bool {
        let missing = |(live, arrived): (LaneMask, &LaneMask)| !live.without(*arrived).is_empty();
        if !self.begun || live.zip(&self.arrived).any(missing) {
            return false;
        }
        self.phase = self.phase.wrapping_add(1);
        self.arrived.fill(LaneMask::NONE);
        self.begun = false;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phase_is_complete_when_all_that_have_not_exited_have_arrived() {
        let mut barrier = ClusterBarrier::new(2);
        let live = || [LaneMask::ALL, LaneMask(1)].into_iter();
        assert_eq!(barrier.arrive(0, LaneMask::ALL), Ok(0));
        assert!(!barrier.complete(live()) && barrier.holds(0, LaneMask(1)));
        assert_eq!(barrier.arrive(1, LaneMask(1)), Ok(0));
        assert!(barrier.complete(live()) && !barrier.holds(0, LaneMask(1)));
        assert_eq!(barrier.pass(0, LaneMask::ALL), Ok(0));
        assert!(!barrier.complete(live()), "nobody has arrived");
    }

    #[test]
    fn arrivals_and_waits_alternate() {
        let mut barrier = ClusterBarrier::new(1);
        assert_eq!(barrier.pass(0, LaneMask(1)), Err(AsyncFault::ClusterWait));
        assert_eq!(barrier.arrive(0, LaneMask(1)), Ok(0));
        assert_eq!(barrier.arrive(0, LaneMask(3)), Err(AsyncFault::ClusterArrival));
    }
}
