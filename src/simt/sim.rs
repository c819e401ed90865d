//! The simulator: executes a lowered PTX program warp by warp and reports the effect of each step.
//!
//! ```text
//! ptx::Function -> lower -> Program -> Machine::new(program, launch, block, args, memory)
//!                                      machine.step() -> Option<&Step>, or a Fault
//! ```
//!
//! It neither draws, prints, sleeps nor reads a clock. One machine runs one block, or the blocks
//! that run together. Others share only global memory, so a grid is many machines, run one after
//! another or in parallel.

mod access;
mod alu;
mod barrier;
mod block_group;
mod common_words;
mod decides;
mod descriptor;
mod exact;
mod exec;
mod exec_context;
mod failed;
mod fault;
pub mod flow;
mod format;
mod hash;
pub mod in_flight;
mod induction;
mod lane_pattern;
mod local;
mod lower;
mod machine;
mod mask;
mod meeting;
mod memory;
mod order;
mod program;
mod reach;
mod reconvergence;
mod reconvergence_stack;
mod reduction;
mod regs;
mod repeats;
mod repetition;
mod scheduler;
mod script;
mod special;
mod spin;
mod step;
pub mod tensor;
mod tensor_map;
mod warp;
mod warp_set;

pub use access::{Access, Direction, Pc, Route};
pub use block_group::{BlockGroup, MAX_CLUSTER, MAX_WARPS, RefusedShape, UnfitBlocks};
pub use common_words::Meeting;
pub use descriptor::{Descriptor, Factor, PIECE};
pub use fault::{Deadlock, Fault, FaultKind, StalledLanes};
pub use hash::{Mixer, OfNumbers};
pub use in_flight::{
    AsyncEffect, AsyncFault, AsyncTransfer, Awaited, LandedTransfer, OtherEnd, TRANSFER_PIECE,
};
pub use lane_pattern::all_shifted;
pub use lower::{lower, lower_with};
pub use machine::Machine;
pub use mask::LaneMask;
pub use memory::{Allocation, FIRST, Fill, Memory, NearestBuffer, Poison, SHARED, SHARED_WINDOW};
pub use order::{Order, ParseOrderError, UnfitOrder};
pub use program::{
    CallSite, Contracted, GlobalVariable, Inst, LocalFrame, LocalVariable, Program, Reg, Register,
    RowInit, SharedArray, Transfer,
};
pub use repeats::Repeats;
pub use repetition::Repetition;
pub use script::{ParseScriptError, Script, ScriptPiece};
pub use special::Special;
pub use step::{Effect, Step};
pub use tensor_map::{Swizzle, TENSOR_MAP_BYTES, TensorMap};
pub use warp::WarpState;
