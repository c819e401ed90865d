//! The reasons for which blocks have no classes.

use crate::sim::Pc;

/// Why there are no classes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotClassifiable {
    /// What the blocks do depends on data.
    #[error("{0}")]
    Unclassed(Unclassed),
    /// Nobody wanted to know any more.
    #[error("given up")]
    GivenUp,
}

/// Why a kernel's blocks have no classes: what they do depends on the values in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{what}", line.map(|line| format!("line {line}: ")).unwrap_or_default())]
pub struct Unclassed {
    /// What depends on them.
    pub what: Dependent,
    /// The instruction.
    pub pc: Pc,
    /// Its line in the CUDA source.
    pub line: Option<u32>,
}

/// What can depend on values in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Dependent {
    /// The guard of an instruction.
    #[error("loaded data decide which threads execute this")]
    Lanes,
    /// The address of an access.
    #[error("loaded data decide on this address")]
    Address,
    /// The number of a barrier, or of the threads that it waits for.
    #[error("loaded data decide on this barrier")]
    Barrier,
    /// The result of an instruction that is not followed.
    #[error("how the result of this instruction changes from block to block is not known")]
    Unknown,
}
