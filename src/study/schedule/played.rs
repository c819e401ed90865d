//! The outcome of an order.

use crate::sim::Order;

/// A word of C: row, column, stored bits; of a kernel that computes no product: number of the buffer,
/// word, stored bits.
pub(super) type Word = (u32, u32, u32);

/// The outcome of an order.
#[derive(Debug)]
pub(super) struct Played {
    pub(super) order: Order,
    /// How often a warp was left that could have continued and had not reached a barrier: a
    /// preemption (Musuvathi and Qadeer, "Iterative Context Bounding", 2007, section 2; there as
    /// here, yielding at a synchronisation is not one).
    pub(super) preemptions: u64,
    /// The number of instructions issued.
    pub(super) steps: u64,
    /// Whether the block completed.
    pub(super) ended: bool,
    /// The words of C, or of all buffers, that it wrote, in ascending order.
    pub(super) c: Vec<Word>,
}
