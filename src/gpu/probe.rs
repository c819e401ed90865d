//! Finds the libraries on this machine without measuring anything.

use super::{Nvrtc, cublas};
use crate::timing::GpuError;
use crate::timing::protocol::{Libraries, Library};
use std::path::Path;

/// Looks for NVRTC and cuBLAS and reads their versions.
pub(super) fn libraries() -> Libraries {
    Libraries { nvrtc: nvrtc(), cublas: cublas() }
}

fn nvrtc() -> Result<Option<Library>, GpuError> {
    let Some(nvrtc) = Nvrtc::find()? else { return Ok(None) };
    let (major, minor) = nvrtc.version()?;
    Ok(Some(library(nvrtc.path(), format!("{major}.{minor}"))))
}

fn cublas() -> Result<Option<Library>, GpuError> {
    let Some(found) = cublas::find()? else { return Ok(None) };
    let dotted = |(major, minor, patch)| format!("{major}.{minor}.{patch}");
    let version = cublas::version(&found).map_or("of unknown version".to_owned(), dotted);
    Ok(Some(library(&found.path, version)))
}

fn library(path: &Path, version: String) -> Library {
    Library { path: path.display().to_string(), version }
}
