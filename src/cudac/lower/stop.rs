//! Why lowering stops.

use crate::error::Error;

pub(super) enum Stop {
    Error(Box<Error>),
    /// To begin again: this array has an index that is not constant, or this variable an address that
    /// is used. These loops make the index so; if there are none, it must lie in memory.
    Again {
        array: u32,
        loops: Vec<u32>,
    },
    /// To begin again: a pointer points into several memories, so that its address must say which.
    Generic,
    /// To begin again with this instance of a template, which a call means.
    Instance(String),
}

pub(super) type Result<T> = std::result::Result<T, Stop>;

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Error(Box::new(error))
    }
}
