//! What is remembered of a lesson that is being taken.

use super::event::LessonEvent;
use super::now::{ProofBy, SessionView};
use crate::lesson::answer::Value;
use crate::lesson::document::{Ask, Course, Para};
use crate::lesson::setting::Setting;
use crate::lesson::setting_runs::SettingCache;
use crate::matrix::Size;
use std::sync::Arc;

/// Questions that are skipped in a row before the lesson offers to be only watched.
pub(super) const TIRED: u32 = 3;

/// A lesson that is being taken. Copies share the runs that were recorded.
#[derive(Clone, Debug)]
pub struct LessonSession {
    pub(super) course: Arc<Course>,
    /// The lesson's index in the course.
    pub(super) lesson: usize,
    /// The page's index in the lesson.
    pub(super) page: usize,
    /// The index of the block that comes next.
    pub(super) block_index: usize,
    pub(super) seed: u64,
    /// How often the page was taken again, with other numbers.
    pub(super) again: u64,
    pub(super) cache: SettingCache,
    /// The run that queries ask; also one that cannot be shown.
    pub(super) setting: Setting,
    /// The steps done where the scene or the last run stands: queries search from there.
    pub(super) from: usize,
    pub(super) now: SessionView,
    /// The question that is open, or was answered last.
    pub(super) asked: Option<CurrentQuestion>,
    /// The text after the block that is done, which joins the page when the lesson goes on.
    pub(super) pending: Vec<Para>,
    /// The kernel that is broken at the moment.
    pub(super) broken: Option<BrokenKernel>,
    /// The changes of the kernel that the learner has undone for a while.
    pub(super) undone: Vec<String>,
    /// Questions skipped in a row.
    pub(super) skipped: u32,
    pub(super) events: Vec<LessonEvent>,
}

/// The question that is open, or was answered last.
#[derive(Clone, Debug)]
pub(super) struct CurrentQuestion {
    /// As it stands in the lesson.
    pub ask: Ask,
    /// The idea missed before that it comes back for.
    pub review: Option<String>,
    pub tried: u32,
    /// The wrong idea that an answer showed before, and what it says.
    pub idea: Option<(String, Value)>,
}

/// The kernel that is broken at the moment.
#[derive(Clone, Debug)]
pub(super) struct BrokenKernel {
    /// The change that was made.
    pub id: String,
    /// The setting without it.
    pub before: Setting,
    pub sizes: Vec<Size>,
    /// What is to prove it, until that is done.
    pub prove: Option<ProofBy>,
    /// Whether the kernel is mended at the end.
    pub undo: bool,
}
