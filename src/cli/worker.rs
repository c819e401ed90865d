//! `matviz worker`: the measuring process, started by the program itself.

use std::process::ExitCode;

/// Serves until the program that started it goes away.
///
/// # Errors
/// The CUDA error that ended it; the program has been told already.
pub fn run() -> anyhow::Result<ExitCode> {
    crate::gpu::worker::serve()?;
    Ok(ExitCode::SUCCESS)
}
