//! The run on the screen, as a lesson has asked for it.

use crate::lesson::setting::{BlockChoice, Setting};
use crate::tui::kernel_cache::Loaded;
use crate::tui::task::RunId;
use crate::work::WorkOwner;

/// The state of the run on the screen.
#[derive(Debug, Default)]
pub struct LessonRun {
    /// The setting whose kernel is loaded.
    pub loaded: Option<(Setting, Loaded)>,
    /// The run that was made of it.
    pub id: Option<RunId>,
    pub awaited: Option<WorkOwner>,
    /// Why the setting cannot be shown.
    pub failed: Option<String>,
}

/// Whether two settings have the same kernel, and differ at most in what is watched of it.
pub fn same_kernel(one: &Setting, other: &Setting) -> bool {
    let alike = |setting: &Setting| Setting {
        order: None,
        block: BlockChoice::default(),
        warp: None,
        ..setting.clone()
    };
    alike(one) == alike(other)
}
