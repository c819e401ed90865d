//! A warp's asynchronous copies: on their way to shared memory until somebody waits for them.

use super::mask::LaneMask;
use super::step::Access;
use crate::ptx::CopyGroup;

/// Most copies of one warp that may be on their way: more would not fit into shared memory, of
/// 227 KiB at most, even with 4 bytes a lane.
pub(super) const MAX_COPIES: usize = 227 * 1024 / (4 * 32);

/// What a warp has begun to copy and has not waited for, the oldest first.
///
/// Hardware may complete a copy at any moment before the wait. Here it is the wait, so that a
/// kernel which forgets it reads what was there before; or, if that is asked for, the beginning.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Copies {
    /// Whether what is copied is written when the copy begins. Who waits is told all the same.
    early: bool,
    flying: Vec<Copy>,
    /// How many groups each lane has committed.
    committed: [u32; 32],
}

#[derive(Clone, Debug, PartialEq)]
struct Copy {
    /// What it will write, by the lanes for which it has not landed.
    into: Access,
    /// The words of each lane, the lowest first.
    words: Vec<[u32; 32]>,
    /// The number of the group to which it belongs, or will, for each lane.
    group: [u32; 32],
}

impl Copies {
    /// Such that land when they begin, if they are `early`.
    pub(super) fn new(early: bool) -> Self {
        Self { early, ..Self::default() }
    }

    /// A copy begins; whether there was room for it.
    pub(super) fn begin(
        &mut self,
        into: Access,
        words: Vec<[u32; 32]>,
        shared: &mut [u32],
    ) -> bool {
        let room = self.flying.len() < MAX_COPIES;
        if room {
            let mut copy = Copy { into, words, group: self.committed };
            if self.early {
                copy.write(&copy.into, shared);
                copy.words.clear();
            }
            self.flying.push(copy);
        }
        room
    }

    /// What `lanes` do with their copies; the stores that land by it.
    pub(super) fn command(
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

    /// Writes what `is_due`, told the lane and its group, says to shared memory.
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

    /// Bytes that a copy of this takes, about.
    pub(super) fn bytes(&self) -> usize {
        let of = |copy: &Copy| size_of::<Copy>() + size_of::<[u32; 32]>() * copy.words.len();
        self.flying.iter().map(of).sum()
    }
}

impl Copy {
    fn land(&mut self, lanes: LaneMask, shared: &mut [u32]) -> Access {
        let access = Access { active: lanes, ..self.into.clone() };
        self.write(&access, shared);
        self.into.active = self.into.active.without(lanes);
        access
    }

    /// Writes what is left to be written of a part of it.
    fn write(&self, part: &Access, shared: &mut [u32]) {
        for (lane, addr) in part.touched() {
            for (index, words) in self.words.iter().enumerate() {
                shared[addr as usize / 4 + index] = words[lane];
            }
        }
    }
}
