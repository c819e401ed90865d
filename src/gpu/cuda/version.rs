//! The driver's release and the CUDA version that it supports.

use super::failed::failed;
use crate::timing::GpuError;
use cudarc::driver::sys;
use std::fs;

/// The newest CUDA version that the driver supports, for example `13.0`.
pub(super) fn cuda_version() -> Result<String, GpuError> {
    let mut version = 0;
    // SAFETY: a valid place for an int.
    let status = unsafe { sys::cuDriverGetVersion(&raw mut version) };
    status.result().map_err(|error| failed("asking the driver its version", error))?;
    Ok(format!("{}.{}", version / 1000, version % 1000 / 10))
}

/// The driver's release. CUDA does not report it; the kernel module does, and so does the full name
/// of the file that libcuda.so.1 links to (`libcuda.so.580.159.03`).
pub(super) fn release() -> Option<String> {
    let module = fs::read_to_string("/proc/driver/nvidia/version").unwrap_or_default();
    let maps = fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let words = module.split_whitespace();
    words.chain(maps.split("libcuda.so.").skip(1)).find_map(dotted_release)
}

/// `580.159.03` at the start of `text`: digits and dots, with three digits before the first dot.
fn dotted_release(text: &str) -> Option<String> {
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (release, rest) = text.split_at(end);
    let (major, _) = release.split_once('.')?;
    let whole = rest.is_empty() || rest.starts_with(char::is_whitespace);
    (whole && major.len() == 3).then(|| release.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_release_is_told_from_the_other_numbers_beside_it() {
        assert_eq!(dotted_release("580.159.03"), Some("580.159.03".to_owned()));
        assert_eq!(dotted_release("535.104\n7f00-7f01 r-xp"), Some("535.104".to_owned()));
        for other in ["x86_64", "1", "8.8.0", "2025", "12.2.0)", "libcuda.so", ""] {
            assert_eq!(dotted_release(other), None, "{other}");
        }
    }
}
