//! What a proof that a block never ends says.

use std::sync::Arc;

/// Why a block never ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Repeats {
    /// All that decides how it goes on is again as it was before.
    Always,
    /// Each round changes what decides by the same amount, and no comparison ever comes out otherwise.
    Evenly,
    /// The same, for so many instructions at least: more than the block may issue.
    AtLeast(u64),
    /// All is again as it was before, unless another block writes to these words of global memory:
    /// address and value.
    UnlessWritten(Arc<[(u64, u32)]>),
}
