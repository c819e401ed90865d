//! Where a value came from, and where one went: the data flow of a block's run.
//!
//! ```text
//! Slice::of   backwards, from the store that wrote an element:
//!              register -> the fma that made it -> ld.shared -> st.shared -> ld.global
//! Reach::of    forwards, from an element: the lanes that loaded it, the words of shared memory
//!              that held it, the lanes that used it, the elements that it went into
//! ```
//!
//! Both follow only values. The address from which an element was loaded, and the condition under
//! which it was, are not part of the value: what they depend on is not followed.

mod backwards;
mod exchange;
mod flow;
mod moment;
mod moves;
mod multiply;
mod product;
mod reach;
mod slice;

pub use reach::{EventKind, ValueEvent, ValueHistory};

use crate::sim::Pc;
use ptx::Space;

/// The largest number of loads listed for one value.
pub const MOST: usize = 1 << 17;

/// One lane at one step of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LaneStep {
    /// Steps done after its execution.
    pub index: u32,
    pub pc: Pc,
    pub warp: u16,
    pub lane: u8,
}

/// A range of bytes in global memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ByteRange {
    pub addr: u64,
    pub count: u8,
}

/// A load from global memory that fed a value, and the path of the loaded value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GlobalLoad {
    /// Where it was first combined with another value, or `None` if it was stored unchanged.
    pub used: Option<LaneStep>,
    pub loaded: LaneStep,
    pub bytes: ByteRange,
    /// Barriers that the block had passed before the load.
    pub interval: u32,
    /// Its way through shared memory, if any.
    pub shared: Option<SharedSlot>,
}

/// A location in shared memory on the path of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SharedSlot {
    pub addr: u32,
    pub stored: LaneStep,
    pub read: LaneStep,
}

/// Where the value of one element came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slice {
    /// The store that gave the element its value.
    pub stored: LaneStep,
    /// Every load that fed it, in the order in which the values were used.
    pub loads: Vec<GlobalLoad>,
    /// Reads of shared memory that fed it although the block had never written there.
    pub unwritten: usize,
    /// Whether only the last [`MOST`] loads are listed.
    pub cut: bool,
    /// Whether the store was atomic and so added to what was there, perhaps by other blocks.
    pub atomic: bool,
}

/// Why a question remains without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProvenanceError {
    #[error("cancelled")]
    Cancelled,
    /// The block did not end within this many instructions.
    #[error(
        "the block has executed {0} instructions and has not ended: it runs alone here, and may wait \
         for other blocks; `matviz check` runs them all"
    )]
    NoEnd(usize),
    /// After this many instructions it was proved that the block does not end on its own.
    #[error(
        "the block does not end: after {0} instructions all that decides how it goes on is again as \
         it was; `matviz check` says where"
    )]
    Endless(usize),
}

/// A 4-byte word of memory, as one block sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum MemoryWord {
    Global(u64),
    Shared(u64),
    /// Of one thread, by warp and lane.
    Local(u16, u8, u64),
    /// In flight to that word of shared memory, copied asynchronously by that warp and lane.
    Copied(u16, u8, u64),
}

impl MemoryWord {
    /// Returns word number `index` of a space, as that lane sees it.
    const fn new(space: Space, index: u64, warp: u16, lane: usize) -> Self {
        match space {
            Space::Shared | Space::Distributed => Self::Shared(index),
            Space::Local => Self::Local(warp, lane as u8, index),
            Space::Global | Space::Generic | Space::Param | Space::Const => Self::Global(index),
        }
    }
}

/// Returns the words that contain the `count` bytes at `addr`: for each its number, the offset from
/// `addr` of its first byte in the range, and a mask of its bytes in the range.
fn words(addr: u64, count: u8) -> impl Iterator<Item = (u64, u8, u8)> {
    let end = addr + u64::from(count);
    (addr / 4..end.div_ceil(4)).map(move |index| {
        let (from, to) = (addr.max(4 * index), end.min(4 * index + 4));
        let bits = low(to - from) << (from - 4 * index);
        (index, (from - addr) as u8, bits)
    })
}

/// A mask of the lowest `count` bits of eight.
const fn low(count: u64) -> u8 {
    if count >= 8 { u8::MAX } else { (1 << count) - 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_fall_into_words() {
        let of = |addr, count| words(addr, count).collect::<Vec<_>>();
        assert_eq!(of(8, 4), [(2, 0, 0b1111)]);
        assert_eq!(of(10, 2), [(2, 0, 0b1100)]);
        assert_eq!(of(16, 8), [(4, 0, 0b1111), (5, 4, 0b1111)]);
        assert_eq!(of(7, 3), [(1, 0, 0b1000), (2, 1, 0b11)]);
    }
}
