//! The reason why the driver refuses a module.

use super::failed::words;
use super::version::{cuda_version, release};
use crate::gpu::isa;
use crate::timing::GpuError;
use crate::timing::Limits;
use crate::timing::excess::Excess;
use cudarc::driver::DriverError;
use cudarc::driver::sys::{self, CUjit_option_enum, cudaError_enum};
use std::ffi::CString;

/// Bytes for the log of the driver's compiler for one module.
const LOG_BYTES: usize = 8192;

/// The driver's refusal of a module on a GPU of this compute capability.
pub(super) fn refused(
    ptx: &str,
    error: DriverError,
    capability: (u32, u32),
    limits: &Limits,
) -> GpuError {
    if error.0 == cudaError_enum::CUDA_ERROR_UNSUPPORTED_PTX_VERSION {
        return too_old(ptx);
    }
    if let Err(error) = isa::runs_on(ptx, capability) {
        return error;
    }
    let log = compilers_log(ptx);
    if let Some(excess) = Excess::of_log(&log, limits) {
        return GpuError::Excess(excess);
    }
    let said = log.lines().find(|line| line.contains("error") || line.contains("fatal"));
    let said = said.map(|line| format!("; its compiler says: {}", line.trim())).unwrap_or_default();
    GpuError::Driver { doing: "loading the PTX".to_owned(), reason: words(error) + &said }
}

fn too_old(ptx: &str) -> GpuError {
    let version = isa::version(ptx).map(|(major, minor)| format!("{major}.{minor}"));
    let cuda = cuda_version().unwrap_or_else(|_| "unknown".to_owned());
    let driver =
        release().map_or(format!("CUDA {cuda}"), |release| format!("{release}, CUDA {cuda}"));
    GpuError::DriverTooOld { ptx: version.unwrap_or_default(), driver }
}

/// The log of the driver's compiler for a module that it refuses. cudarc asks for no log, so the
/// module is loaded once more.
fn compilers_log(ptx: &str) -> String {
    let Ok(source) = CString::new(ptx) else { return String::new() };
    let (mut module, mut log) = (std::ptr::null_mut(), vec![0_u8; LOG_BYTES]);
    let mut options = [
        CUjit_option_enum::CU_JIT_ERROR_LOG_BUFFER,
        CUjit_option_enum::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
    ];
    // The driver wants the second value as a number in place of a pointer.
    let mut values = [log.as_mut_ptr().cast(), std::ptr::without_provenance_mut(LOG_BYTES)];
    // SAFETY: two options with their two values, a string that ends in NUL, a log of the size
    // passed.
    let status = unsafe {
        sys::cuModuleLoadDataEx(
            &raw mut module,
            source.as_ptr().cast(),
            options.len() as u32,
            options.as_mut_ptr(),
            values.as_mut_ptr(),
        )
    };
    if status.result().is_ok() {
        // SAFETY: the module has just been loaded, and nothing of it is in use.
        let _ = unsafe { sys::cuModuleUnload(module) };
    }
    let end = log.iter().position(|byte| *byte == 0).unwrap_or(log.len());
    String::from_utf8_lossy(&log[..end]).into_owned()
}
