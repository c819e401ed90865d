//! A recorded run of one block: the order of its steps, with checkpoints to come back to.

mod place;

pub use place::{Kind, Last, Place, WarpNow, WarpState, Word};
