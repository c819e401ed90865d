//! The checks of a run, and their limits.

use crate::launch::{Dim3, Launch};
use crate::work::WorkToken;

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
    /// Asked after each block, and now and then within one.
    pub token: &'a WorkToken,
}
