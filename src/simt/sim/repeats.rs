//! Proofs that a block never ends.

use std::sync::Arc;

/// Why a block never ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Repeats {
    /// Its control state equals an earlier one.
    Always,
    /// Each round changes its control state by the same amount, and no comparison ever flips.
    Evenly,
    /// The same for at least so many instructions: more than the block may issue.
    AtLeast(u64),
    /// It repeats an earlier state unless another block writes to these words of global memory (address
    /// and value).
    UnlessWritten(Arc<[(u64, u32)]>),
}
