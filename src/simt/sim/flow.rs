//! The flow of control: basic blocks, which of them dominate which, loops, and one solver for
//! every question about what holds on all ways to a place.

mod blocks;
mod dominators;
mod graph;
mod relevant;
mod solve;

pub use blocks::{Flow, Loop, basic_blocks, successors};
pub use dominators::Dominators;
pub use graph::Graph;
pub use relevant::relevant;
pub use solve::{Solution, solve};
