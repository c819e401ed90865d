//! The limits of a GPU, and the resources of a loaded kernel.

use super::failed::failed;
use crate::timing::GpuError;
use crate::timing::excess::Excess;
use crate::timing::{Limits, Resources};
use cudarc::driver::sys::{self, CUdevice_attribute_enum as Of};
use cudarc::driver::{CudaFunction, LaunchConfig, result};

pub(super) fn limits(device: sys::CUdevice) -> Result<Limits, GpuError> {
    let doing = |error| failed("asking the GPU for its limits", error);
    let ask = |which| {
        // SAFETY: `device` is a handle that the driver has given out.
        let answer = unsafe { result::device::get_attribute(device, which) };
        answer.map(|value| value as u32).map_err(doing)
    };
    Ok(Limits {
        multiprocessors: ask(Of::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?,
        threads_per_block: ask(Of::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
        threads_per_sm: ask(Of::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR)?,
        blocks_per_sm: ask(Of::CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR)?,
        registers_per_block: ask(Of::CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK)?,
        registers_per_sm: ask(Of::CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR)?,
        shared_per_block: ask(Of::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?,
        shared_per_sm: ask(Of::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR)?,
        shared_reserved: ask(Of::CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK)?,
        l2_bytes: ask(Of::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE)?,
        sm_mhz: ask(Of::CU_DEVICE_ATTRIBUTE_CLOCK_RATE)? / 1000,
        memory_mhz: ask(Of::CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE)? / 1000,
    })
}

/// The resources of `function` in this launch. Sets the function's limit of dynamic shared memory,
/// since the driver counts blocks only for a launch that it would accept.
///
/// # Errors
/// The launch exceeds a limit. This is checked before the driver is asked, whose own error would
/// not name the limit.
pub(super) fn taken(
    function: &CudaFunction,
    launch: LaunchConfig,
    limits: &Limits,
) -> Result<Resources, GpuError> {
    let doing = |error| failed("asking the driver about the kernel", error);
    let (x, y, z) = launch.block_dim;
    let mut taken = Resources {
        threads: x * y * z,
        registers: function.num_regs().map_err(doing)? as u32,
        static_shared: function.shared_size_bytes().map_err(doing)? as u32,
        dynamic_shared: launch.shared_mem_bytes,
        local: function.local_size_bytes().map_err(doing)? as u32,
        blocks_per_sm: 0,
    };
    let compiled_for = function.max_threads_per_block().map_err(doing)? as u32;
    if let Some(excess) = Excess::of_kernel(&taken, compiled_for, limits) {
        return Err(GpuError::Excess(excess));
    }
    allow_shared(function, taken.dynamic_shared)?;
    let dynamic = taken.dynamic_shared as usize;
    let blocks =
        function.occupancy_max_active_blocks_per_multiprocessor(taken.threads, dynamic, None);
    taken.blocks_per_sm = blocks.map_err(doing)?;
    Ok(taken)
}

/// Raises the limit of dynamic shared memory above the default of 48 KiB that every GPU has (CUDA
/// Programming Guide, "Shared Memory").
fn allow_shared(function: &CudaFunction, bytes: u32) -> Result<(), GpuError> {
    use sys::CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    if bytes == 0 {
        return Ok(());
    }
    function
        .set_attribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes as i32)
        .map_err(|error| failed("asking for so much dynamic shared memory", error))
}
