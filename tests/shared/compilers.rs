//! The compilers of CUDA C that this machine has.

use crate::need::not_tested;

/// Matviz's own, and NVRTC if it is here; otherwise it is reported that `what` is not tested.
pub(crate) fn compilers(what: &str) -> Vec<&'static str> {
    if std::env::var_os("MATVIZ_NVRTC").is_some() {
        return vec!["matviz", "nvrtc"];
    }
    not_tested("nvrtc", what);
    vec!["matviz"]
}
