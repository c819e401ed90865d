//! The outcome of an order.

use crate::sim::Order;

/// A word of C: row, column, what was stored there.
pub(super) type Word = (u32, u32, u32);

/// What came of an order.
#[derive(Debug)]
pub(super) struct Played {
    pub(super) order: Order,
    /// How often a warp was left that could have gone on and had not come to a barrier: a
    /// preemption (Musuvathi and Qadeer, "Iterative Context Bounding", 2007, section 2; there
    /// as here, giving way at a synchronisation is none).
    pub(super) preemptions: u64,
    /// Instructions that were issued.
    pub(super) steps: u64,
    /// Whether the block came to its end.
    pub(super) ended: bool,
    /// The words of C that it wrote, by ascending place.
    pub(super) c: Vec<Word>,
}
