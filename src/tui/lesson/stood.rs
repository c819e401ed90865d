//! The run that stood before a lesson, which is brought back when the lessons are left.

use crate::launch::Dim3;
use crate::sim::Order;
use crate::tui::kernel_cache::Kernels;
use crate::tui::layout::Wanted;
use crate::tui::playback::{Playback, Watch};

/// A run, with its kernels and the way it was looked at.
#[derive(Debug)]
pub struct Stood {
    pub kernels: Kernels,
    /// The block that was watched.
    pub block: Dim3,
    /// The order of its warps.
    pub order: Order,
    /// The steps that were done.
    pub step: usize,
    /// The warp that was shown, and how it was chosen.
    pub warp: (usize, Watch),
    pub playback: Playback,
    /// How the screen was arranged.
    pub wanted: Wanted,
}
