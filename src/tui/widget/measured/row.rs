//! One kernel's measured time and its origin.

use crate::kernel::Tile;
use crate::timing::Measurement;

/// One kernel's measured time.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// The name shown, for example "tiled 16".
    pub name: &'a str,
    pub measurement: &'a Measurement,
    /// The origin of the figure.
    pub origin: TimeSource<'a>,
    /// Whether it is the kernel on the screen.
    pub current: bool,
    /// The tile with which that kernel runs there, if it was measured with another one.
    pub runs: Option<Tile>,
    /// Whether it is always shown with the kernel on the screen.
    pub landmark: bool,
}

/// The origin of a figure, shown with every one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeSource<'a> {
    /// Measured on this machine, since the program started.
    Now,
    /// Taken from a pack with this label: "recorded on NVIDIA H200, 2026-11-21".
    Recorded(&'a str),
    /// Taken from a pack with this label, but the kernel has changed since.
    Stale(&'a str),
}

impl TimeSource<'_> {
    pub(super) fn text(self, device: &str) -> String {
        match self {
            Self::Now => format!("measured now on {device}"),
            Self::Recorded(label) => label.to_owned(),
            Self::Stale(label) => format!("{label}, of an older kernel"),
        }
    }
}
