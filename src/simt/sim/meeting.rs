//! Whether the blocks of a grid meet in global memory.

use super::common_words::{CommonWords, Meeting};
use super::memory::{Allocation, Memory};

impl Memory {
    /// How blocks have interacted through it so far. If they have not, each did what it would have done
    /// alone, and their order is irrelevant.
    pub fn meeting(&self) -> Meeting {
        let all = self.buffers().iter().filter_map(Allocation::common).map(CommonWords::meeting);
        all.fold(Meeting::default(), |one, other| Meeting {
            meet: one.meet || other.meet,
            is_unknown: one.is_unknown || other.is_unknown,
        })
    }

    /// Takes back what blocks have written, but for block number `but`. From now on it is noted which
    /// words are read of a buffer of which that was unknown.
    pub(crate) fn rewind(&self, but: Option<u64>) {
        for words in self.buffers().iter().filter_map(Allocation::common) {
            words.note_reads();
            words.rewind(but.map(|number| number as u32 + 1));
        }
    }
}
