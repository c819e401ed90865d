//! The checks of a run, and their limits.

use crate::launch::{Dim3, Launch};

/// What is to be checked.
pub struct Checks<'a> {
    /// The grid.
    pub launch: Launch,
    /// The blocks of it that are run: all, or one.
    pub only: Option<Dim3>,
    /// Instructions after which a block is given up.
    pub budget: u64,
    /// The buffers that the host has not written.
    pub unfilled: &'a [&'a str],
}
