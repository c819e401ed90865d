//! Local memory: each thread's private memory, allocated when it is first written.

use std::sync::Arc;

/// Start of local memory in the generic address space: above shared memory, and equal for all
/// threads.
pub(super) const LOCAL_WINDOW: u64 = 0x7f80_0000_0000;

/// Maximum local memory per thread in bytes (CUDA C++ Programming Guide, "Features and Technical
/// Specifications").
pub(super) const MAX_LOCAL: u32 = 512 << 10;

/// Number of 4-byte words in a page.
const PAGE: usize = 64;

/// A page of the local memory of 32 lanes, indexed by word and lane.
type Page = [[u32; 32]; PAGE];

/// The local memory of one warp. Copies share the pages that have not been written since.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Local {
    pages: Vec<Option<Arc<Page>>>,
}

impl Local {
    /// The word of `lane` that contains its byte `addr`, or 0 if it was never written.
    pub(super) fn load(&self, lane: usize, addr: u64) -> u32 {
        let word = (addr / 4) as usize;
        let page = self.pages.get(word / PAGE).and_then(Option::as_ref);
        page.map_or(0, |page| page[word % PAGE][lane])
    }

    /// Like [`Self::load`], but mutable; allocates the page if necessary.
    pub(super) fn word_mut(&mut self, lane: usize, addr: u64) -> &mut u32 {
        let word = (addr / 4) as usize;
        if self.pages.len() <= word / PAGE {
            self.pages.resize(word / PAGE + 1, None);
        }
        let page = self.pages[word / PAGE].get_or_insert_with(|| Arc::new([[0; 32]; PAGE]));
        &mut Arc::make_mut(page)[word % PAGE][lane]
    }

    /// Maximum size of a copy in bytes.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Page>() * self.pages.iter().flatten().count()
    }
}
