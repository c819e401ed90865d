//! Reasons why blocks cannot be classified.

use crate::sim::Pc;

/// Why there are no classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotClassifiable {
    /// The blocks' behaviour depends on data.
    #[error("{0}")]
    Unclassed(Unclassed),
    /// Cancelled by the caller.
    #[error("given up")]
    Cancelled,
}

/// Why a kernel's blocks have no classes: their behaviour depends on values in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{what}", line.map(|line| format!("line {line}: ")).unwrap_or_default())]
pub struct Unclassed {
    /// The part that depends on them.
    pub what: Dependent,
    /// The instruction.
    pub pc: Pc,
    /// Its line in the CUDA source.
    pub line: Option<u32>,
}

/// Something that can depend on values in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Dependent {
    /// The guard of an instruction.
    #[error("loaded data decide which threads execute this")]
    Lanes,
    /// The address of an access.
    #[error("loaded data decide on this address")]
    Address,
    /// The number of a barrier, or of the threads for which it waits.
    #[error("loaded data decide on this barrier")]
    Barrier,
    #[error("the blocks of a cluster act on each other")]
    OtherBlocks,
    /// The result of an instruction that the analysis does not follow.
    #[error("how the result of this instruction changes from block to block is not known")]
    Unknown,
}
