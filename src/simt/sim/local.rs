//! Local memory: what each thread of a warp keeps for itself, made when it is first written.

use std::sync::Arc;

/// Where local memory lies in the generic address space: above shared memory, and for every
/// thread at the same address.
pub(super) const LOCAL_WINDOW: u64 = 0x7f80_0000_0000;

/// Most bytes of local memory that a thread may have (CUDA C++ Programming Guide, "Features and
/// Technical Specifications").
pub(super) const MAX_LOCAL: u32 = 512 << 10;

/// 4-byte words of a page.
const PAGE: usize = 64;

/// A piece of the local memory of 32 lanes: words, and in each the lanes.
type Page = [[u32; 32]; PAGE];

/// The local memory of one warp. Copies share the pages that neither has written since.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Local {
    pages: Vec<Option<Arc<Page>>>,
}

impl Local {
    /// The word of `lane` in which its byte `addr` lies; 0 if nobody has written it.
    pub(super) fn load(&self, lane: usize, addr: u64) -> u32 {
        let word = (addr / 4) as usize;
        let page = self.pages.get(word / PAGE).and_then(Option::as_ref);
        page.map_or(0, |page| page[word % PAGE][lane])
    }

    /// The same, to be written.
    pub(super) fn word_mut(&mut self, lane: usize, addr: u64) -> &mut u32 {
        let word = (addr / 4) as usize;
        if self.pages.len() <= word / PAGE {
            self.pages.resize(word / PAGE + 1, None);
        }
        let page = self.pages[word / PAGE].get_or_insert_with(|| Arc::new([[0; 32]; PAGE]));
        &mut Arc::make_mut(page)[word % PAGE][lane]
    }

    /// Bytes that a copy takes at most.
    pub(super) fn bytes(&self) -> usize {
        size_of::<Page>() * self.pages.iter().flatten().count()
    }
}
