//! How far a count by classes is, and whether it is still wanted.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// How far it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Blocks of which it is known what they do.
    pub known: u64,
    /// All blocks.
    pub blocks: u64,
    /// Instructions (of warps) followed so far.
    pub instructions: u64,
}

/// Somebody who waits for it, on all cores.
pub(super) struct Watch<'a> {
    blocks: u64,
    known: AtomicU64,
    instructions: AtomicU64,
    go_on: &'a (dyn Fn(Progress) -> bool + Sync),
}

/// Instructions after which it looks whether it is still wanted: some milliseconds.
const LOOK: u64 = 1 << 16;

impl<'a> Watch<'a> {
    pub(super) fn new(blocks: u64, go_on: &'a (dyn Fn(Progress) -> bool + Sync)) -> Self {
        Self { blocks, known: AtomicU64::new(0), instructions: AtomicU64::new(0), go_on }
    }

    /// So many blocks more are known.
    pub(super) fn known(&self, blocks: u64) {
        self.known.fetch_add(blocks, Relaxed);
    }

    /// Whether to go on after so many instructions of a block.
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
