//! What there is on this machine, without anything being measured.

use super::library::Found;
use super::protocol::{Libraries, Library};
use super::{GpuError, Nvrtc, cublas};
use std::path::Path;

/// Looks for NVRTC and cuBLAS and asks them their versions.
///
/// # Errors
/// The environment names a file that cannot be loaded.
pub(super) fn libraries() -> Result<Libraries, GpuError> {
    let nvrtc = Nvrtc::find()?.map(|nvrtc| {
        let version = nvrtc.version().map_or_else(|error| error.to_string(), dotted);
        library(nvrtc.path(), version)
    });
    let cublas = cublas::find()?.map(|found| library(&found.path, cublas_version(&found)));
    Ok(Libraries { nvrtc, cublas })
}

fn library(path: &Path, version: String) -> Library {
    Library { path: path.display().to_string(), version }
}

fn dotted((major, minor): (u32, u32)) -> String {
    format!("{major}.{minor}")
}

fn cublas_version(found: &Found) -> String {
    cublas::version(found).map_or_else(
        || "unknown version".to_owned(),
        |(major, minor, patch)| format!("{major}.{minor}.{patch}"),
    )
}
