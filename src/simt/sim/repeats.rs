//! What a proof that a block never ends says.

use std::sync::Arc;

/// Why a block never ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Repeats {
    /// All that decides how it goes on is again as it was before.
    Always,
    /// So it is, unless another block writes to these words of global memory: address and value.
    UnlessWritten(Arc<[(u64, u32)]>),
}
