//! One kernel's measured time and its origin.

use crate::kernel::Tile;
use crate::timing::Measurement;
use crate::timing::pack::Freshness;
use crate::tui::measurements::MeasuredWhen;

/// One kernel's measured time.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// The name shown, for example "tiled 16".
    pub name: &'a str,
    pub measurement: &'a Measurement,
    /// The origin of the figure.
    pub origin: &'a MeasuredWhen,
    /// Whether it is the kernel on the screen.
    pub current: bool,
    /// The tile with which that kernel runs there, if it was measured with another one.
    pub runs: Option<Tile>,
    /// Whether it is always shown with the kernel on the screen.
    pub landmark: bool,
}

impl Row<'_> {
    /// Says where the figure comes from, as is shown with every one.
    pub(super) fn origin(&self) -> String {
        match self.origin {
            MeasuredWhen::Now => format!("measured now on {}", self.measurement.device),
            MeasuredWhen::Recorded(label, Freshness::Fresh) => label.clone(),
            MeasuredWhen::Recorded(label, Freshness::Stale) => {
                format!("{label}, of an older kernel")
            }
        }
    }
}
