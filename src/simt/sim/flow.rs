//! Control-flow analysis: basic blocks, dominators, loops, and a solver for dataflow problems.

mod blocks;
mod dominators;
mod graph;
mod relevant;
mod set;
mod solve;

pub use blocks::{FlowGraph, NaturalLoop, basic_blocks, successors};
pub use dominators::Dominators;
pub use graph::Graph;
pub use relevant::relevant;
pub use set::Set;
pub use solve::{Solution, solve};
