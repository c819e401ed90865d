//! Memory accesses as the checks record them: by instruction, by lane and by page.

use super::epoch::{Epoch, ThreadId};
use crate::sim::{Access, Pc};
use std::collections::HashMap;

/// The number of units in a page.
pub(super) const PAGE: usize = 32;

/// The way in which an access touches memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Touch {
    Load,
    #[default]
    Store,
    /// An atomic read-modify-write: does not race with another one.
    Atomic,
    /// The asynchronous store of `cp.async`, which has been issued but not waited for.
    Copy,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct PastAccess {
    pub(super) thread: ThreadId,
    pub(super) epoch: Epoch,
    pub(super) pc: Pc,
    pub(super) touch: Touch,
}

/// What one lane's access to one unit of memory meets.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hit {
    pub(super) addr: u64,
    pub(super) lane: usize,
    pub(super) met: Met,
}

/// What an access meets.
#[derive(Clone, Copy, Debug)]
pub(super) enum Met {
    /// This block has not written what it reads.
    Unwritten,
    /// Another access, with which it races.
    Race(PastAccess),
    /// A write of the same value, with which it would race if that were another one.
    Same(PastAccess),
}

/// One warp's memory instruction.
pub(super) struct WarpAccess<'a> {
    pub(super) warp: usize,
    pub(super) pc: Pc,
    pub(super) touch: Touch,
    pub(super) access: &'a Access,
    /// Whether it is atomic for this block only.
    pub(super) within: bool,
    /// Whether the host has filled all the memory that it reads.
    pub(super) filled: bool,
    /// The value that each lane stores, folded, where known.
    pub(super) values: Option<&'a [u64; 32]>,
}

/// Units to examine: for each page of a shadow that has any, a bit for each unit.
pub(super) type SharedWords = HashMap<u64, u32>;

/// How the units of a page have been touched, a bit for each.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TouchedUnits {
    /// Only read.
    pub(super) read: u32,
    /// Changed by atomics, and not touched otherwise.
    pub(super) atomic: u32,
    pub(super) written: u32,
}
