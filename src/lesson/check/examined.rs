//! A page that is being checked, with what the checks share.

use super::scenes::SceneChecks;
use crate::lesson::diagnostic::Diagnostic;
use crate::lesson::document::{Course, Lesson, Page};
use crate::lesson::setting_runs::SettingCache;
use crate::work::WorkToken;
use std::sync::Arc;

/// How a course is checked.
#[derive(Clone, Copy)]
pub struct CheckOptions<'k> {
    /// Whether only the first variant of each scene is tried.
    pub quick: bool,
    /// The runs of each lesson, for all who ask about them.
    pub caches: &'k [SettingCache],
    /// Whether something has this key, or is a command of this name.
    pub is_key: &'k (dyn Fn(&str) -> bool + Sync),
    /// Is told how many pages are checked.
    pub token: &'k WorkToken,
}

/// A page that is being checked.
pub(super) struct ExaminedPage<'c> {
    pub course: &'c Arc<Course>,
    pub lesson: &'c Lesson,
    pub page: &'c Page,
    pub index: usize,
    pub wanted: CheckOptions<'c>,
    pub cache: SettingCache,
    pub scenes: SceneChecks<'c>,
}

/// What was found wrong in the page's scenes.
pub(super) fn scenes(examined: &ExaminedPage<'_>) -> Vec<Diagnostic> {
    examined.scenes.complaints(examined.lesson)
}
