//! `matviz worker`: the worker, which the program itself starts.

use std::process::ExitCode;

/// Serves requests until the program that started it exits.
///
/// # Errors
/// The CUDA error that ended it, which has already been sent to the program.
pub fn run() -> anyhow::Result<ExitCode> {
    crate::gpu::worker::serve()?;
    Ok(ExitCode::SUCCESS)
}
