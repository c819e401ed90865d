//! What is told of one order of a block's warps.

use super::same::Changed;
use serde::Serialize;

/// An element of C: row, column, actual and expected value.
pub(super) type Element = (u32, u32, f32, f64);

/// One order of the block's warps.
#[derive(Clone, Debug, Serialize)]
pub struct Run {
    /// In the format of `--order`.
    pub order: String,
    /// How often a warp was left that could have continued and had not reached a barrier.
    pub preemptions: u64,
    /// The number of elements of C that the block writes.
    pub elements: usize,
    /// The number of wrong elements.
    pub wrong: usize,
    /// The first wrong element: row, column, actual and expected value.
    pub first: Option<Element>,
    /// Of a kernel that computes no product: the first element that is not as in the usual order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed: Option<Changed>,
    /// Whether the block completed.
    pub ended: bool,
}
