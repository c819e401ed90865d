//! A warp's asynchronous copies, in flight to shared memory until a wait.

use crate::sim::access::Access;
use crate::sim::mask::LaneMask;
use ptx::CopyGroup;

/// Maximum number of a warp's copies in flight: more would not fit into shared memory (at most 227
/// KiB), even at 4 bytes per lane.
pub(in crate::sim) const MAX_COPIES: usize = 227 * 1024 / (4 * 32);

/// The copies that a warp has started and not waited for, oldest first.
///
/// Hardware may complete a copy at any time before the wait. Here it completes at the wait, so that
/// a kernel without the wait reads the old contents; or, with `early`, when it starts.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::sim) struct AsyncCopies {
    /// Whether copies are written when they start. The wait reports them either way.
    early: bool,
    flying: Vec<AsyncCopy>,
    /// The number of groups that each lane has committed.
    committed: [u32; 32],
}

#[derive(Clone, Debug, PartialEq)]
struct AsyncCopy {
    /// Its store to shared memory; `active` holds the lanes whose part has not landed.
    into: Access,
    /// The words of each lane, the lowest address first.
    words: Vec<[u32; 32]>,
    /// For each lane, the number of the group that it belongs to or will belong to.
    group: [u32; 32],
}

impl AsyncCopies {
    /// Creates an empty set of copies, which are written when they start if `early`.
    pub(in crate::sim) fn new(early: bool) -> Self {
        Self { early, ..Self::default() }
    }

    /// Starts a copy; returns whether there was room for it.
    pub(in crate::sim) fn begin(
        &mut self,
        into: Access,
        words: Vec<[u32; 32]>,
        shared: &mut [u32],
    ) -> bool {
        let room = self.flying.len() < MAX_COPIES;
        if room {
            let mut copy = AsyncCopy { into, words, group: self.committed };
            if self.early {
                copy.write(&copy.into, shared);
                copy.words.clear();
            }
            self.flying.push(copy);
        }
        room
    }

    /// Executes a group operation for `lanes` and returns the stores that land.
    pub(in crate::sim) fn command(
        &mut self,
        command: CopyGroup,
        lanes: LaneMask,
        shared: &mut [u32],
    ) -> Vec<Access> {
        let committed = self.committed;
        match command {
            CopyGroup::Commit => {
                for lane in lanes.lanes() {
                    self.committed[lane] = self.committed[lane].saturating_add(1);
                }
                Vec::new()
            }
            CopyGroup::WaitAll => self.land(lanes, shared, |_, _| true),
            CopyGroup::WaitAllBut(left) => {
                self.land(lanes, shared, |lane, group| group < committed[lane].saturating_sub(left))
            }
        }
    }

    /// Lands the parts of copies for which `is_due` holds, given the lane and its group.
    fn land(
        &mut self,
        lanes: LaneMask,
        shared: &mut [u32],
        is_due: impl Fn(usize, u32) -> bool,
    ) -> Vec<Access> {
        let mut landed = Vec::new();
        for copy in &mut self.flying {
            let candidates = lanes.and(copy.into.active).lanes();
            let due = candidates.filter(|lane| is_due(*lane, copy.group[*lane]));
            let due: LaneMask = due.collect();
            if !due.is_empty() {
                landed.push(copy.land(due, shared));
            }
        }
        self.flying.retain(|copy| !copy.into.active.is_empty());
        landed
    }

    /// Approximate memory use in bytes.
    pub(in crate::sim) fn bytes(&self) -> usize {
        let of =
            |copy: &AsyncCopy| size_of::<AsyncCopy>() + size_of::<[u32; 32]>() * copy.words.len();
        self.flying.iter().map(of).sum()
    }
}

impl AsyncCopy {
    fn land(&mut self, lanes: LaneMask, shared: &mut [u32]) -> Access {
        let access = Access { active: lanes, ..self.into.clone() };
        self.write(&access, shared);
        self.into.active = self.into.active.without(lanes);
        access
    }

    /// Writes the words of `part` that have not been written yet.
    fn write(&self, part: &Access, shared: &mut [u32]) {
        for (lane, addr) in part.touched() {
            for (index, words) in self.words.iter().enumerate() {
                shared[addr as usize / 4 + index] = words[lane];
            }
        }
    }
}
