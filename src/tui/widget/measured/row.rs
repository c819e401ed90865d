//! One kernel's time, and where it comes from.

use crate::gpu::protocol::Measurement;

/// One kernel's time.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// What it is called here: "tiled 16".
    pub name: &'a str,
    /// What was measured.
    pub measurement: &'a Measurement,
    /// Where the figure comes from.
    pub origin: Origin<'a>,
    /// Whether it is the kernel on the screen.
    pub current: bool,
    /// Whether it always stands beside the one on the screen.
    pub landmark: bool,
}

/// Where a figure comes from: it stands beside every one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin<'a> {
    /// Measured by this program on this machine, since it started.
    Now,
    /// Taken from a pack; its label, "recorded on NVIDIA H200, 2026-11-21".
    Recorded(&'a str),
    /// The same, but the kernel has changed since.
    Stale(&'a str),
}

impl Origin<'_> {
    pub(super) fn text(self, device: &str) -> String {
        match self {
            Self::Now => format!("measured now on {device}"),
            Self::Recorded(label) => label.to_owned(),
            Self::Stale(label) => format!("{label}, of an older kernel"),
        }
    }
}
