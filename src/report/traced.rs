//! What is traced, at the head of its JSON.

use crate::kernel::{Problem, Tile, compiled_by};
use crate::launch::Dim3;
use crate::matrix::Size;
use serde::Serialize;

/// A kernel, and how it is launched.
#[derive(Debug, Serialize)]
pub(super) struct TracedKernel {
    pub(super) kernel: String,
    ptx_sha256: String,
    compiled_by: Option<String>,
    pub(super) size: Size,
    /// The tile of a catalogue kernel.
    #[serde(skip_serializing_if = "Option::is_none")]
    tile: Option<Tile>,
    grid: Dim3,
    /// The threads of a block.
    block: Dim3,
}

impl TracedKernel {
    pub(super) fn of(problem: &Problem) -> Self {
        Self {
            kernel: problem.name().to_owned(),
            ptx_sha256: problem.ptx_sha256(),
            compiled_by: compiled_by(&problem.ptx),
            size: problem.size,
            tile: problem.tile(),
            grid: problem.launch.grid,
            block: problem.launch.block,
        }
    }
}
