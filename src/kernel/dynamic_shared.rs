//! Shared memory whose size the launch gives: `extern __shared__`.

use crate::sim;
use ptx::Module;

/// Whether a kernel of a module has an array of such memory; `None` if the kernel cannot be run.
pub fn has_dynamic_shared(module: &Module, kernel: &str) -> Option<bool> {
    let program = sim::lower(module, kernel).ok()?;
    Some(program.shared.iter().any(|array| array.bytes == 0))
}

/// Whether nothing in a kernel of this PTX depends on how much of it the launch gives.
pub fn ignores_dynamic_shared(module: &Module, ptx: &str, kernel: &str) -> bool {
    // %dynamic_smem_size, %total_smem_size and %aggr_smem_size.
    has_dynamic_shared(module, kernel) == Some(false) && !ptx.contains("_smem_size")
}
