//! The checks of a run, and their limits.

use crate::analysis::grid::GoOn;
use crate::launch::{Dim3, Launch};

/// The scope of the checks.
pub struct Checks<'a> {
    /// The grid.
    pub launch: Launch,
    /// The only block to run, or `None` to run all.
    pub only: Option<Dim3>,
    /// Instructions after which a block is aborted.
    pub budget: u64,
    /// The buffers that the host has not written.
    pub unfilled: &'a [&'a str],
    /// Whether to go on, asked after each block.
    pub go_on: GoOn<'a>,
}
