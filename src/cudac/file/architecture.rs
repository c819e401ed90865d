//! The architecture that the instructions in a device code's `asm`, and NVIDIA's names for them, need.

use super::DeviceCode;
use crate::source::CudaSource;

/// What needs an architecture, the most demanding first (PTX ISA, "Target ISA Notes").
const NEEDS: [(&str, &str); 9] = [
    ("wgmma.", "compute_90a"),
    ("setmaxnreg.", "compute_90a"),
    ("cp.async.bulk", "compute_90"),
    ("cp_async_bulk", "compute_90"),
    ("mbarrier.try_wait", "compute_90"),
    ("barrier.cluster", "compute_90"),
    ("__cluster_dims__", "compute_90"),
    ("barrier_arrive_tx", "compute_90"),
    ("mapa.", "compute_90"),
];

impl DeviceCode {
    /// The architecture that this code needs, with what needs it; `None` if any will do.
    pub fn architecture(&self) -> Option<(&'static str, &'static str)> {
        let texts = self.headers.iter().map(|(_, text)| &**text).chain([&*self.text]);
        let all: Vec<_> = texts.flat_map(|text| CudaSource::read(text).lexemes).collect();
        let has = |what: &str| all.iter().any(|one| one.text.contains(what));
        let found = NEEDS.into_iter().find(|(what, _)| has(what));
        found.map(|(what, arch)| (arch, what.trim_end_matches('.')))
    }
}
