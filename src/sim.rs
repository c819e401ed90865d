//! The machine: executes a lowered PTX program warp by warp, and says what each step did.

mod mask;
mod step;

pub use mask::LaneMask;
pub use step::{Access, Direction, Effect, Pc, Step};
