//! Multiply-adds that ptxas makes of products and sums.

use super::{Accumulate, ContractedCounts, Counts, MultiplyAdds};

impl ContractedCounts {
    /// Adds a sum in so many lanes.
    pub(super) fn add(&mut self, lanes: u64, of_halves: bool, (fused, certain): (bool, bool)) {
        let lanes = if of_halves {
            MultiplyAdds { single: 0, half: lanes }
        } else {
            MultiplyAdds { single: lanes, half: 0 }
        };
        self.fused.add_times(&lanes, fused.into());
        self.maybe_not.add_times(&lanes, (fused && !certain).into());
        self.maybe.add_times(&lanes, (!fused && !certain).into());
    }

    /// The multiply-adds by which there may be fewer, and by which there may be more.
    pub(super) fn uncertain(&self) -> [Counts; 2] {
        [self.maybe_not, self.maybe].map(|MultiplyAdds { single, half }| Counts {
            thread_fma: single,
            thread_half_fma: half,
            ..Counts::default()
        })
    }
}
