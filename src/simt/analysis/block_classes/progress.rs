//! Progress of a count by classes, and its cancellation.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Progress of a count by classes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Blocks whose counts are known.
    pub known: u64,
    pub blocks: u64,
    /// Instructions (of warps) followed so far.
    pub instructions: u64,
}

/// The caller who waits for the result, shared by all cores.
pub(super) struct Watch<'a> {
    blocks: u64,
    known: AtomicU64,
    instructions: AtomicU64,
    go_on: &'a (dyn Fn(Progress) -> bool + Sync),
}

/// Instructions of a block between two calls to `go_on`: some milliseconds.
const LOOK: u64 = 1 << 16;

impl<'a> Watch<'a> {
    pub(super) fn new(blocks: u64, go_on: &'a (dyn Fn(Progress) -> bool + Sync)) -> Self {
        Self { blocks, known: AtomicU64::new(0), instructions: AtomicU64::new(0), go_on }
    }

    /// Adds `blocks` to the known blocks.
    pub(super) fn known(&self, blocks: u64) {
        self.known.fetch_add(blocks, Relaxed);
    }

    /// Whether to go on after `instructions` instructions of a block.
    #[inline]
    pub(super) fn goes_on(&self, instructions: u64) -> bool {
        instructions % LOOK != LOOK - 1 || self.look()
    }

    #[cold]
    fn look(&self) -> bool {
        let instructions = self.instructions.fetch_add(LOOK, Relaxed) + LOOK;
        let (known, blocks) = (self.known.load(Relaxed), self.blocks);
        (self.go_on)(Progress { known, blocks, instructions })
    }
}
