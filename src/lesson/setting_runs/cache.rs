//! The runs of the settings that were asked about, so that each run is made once.

use super::{SettingRuns, block_of};
use crate::lesson::clock::Clock;
use crate::lesson::error::RunError;
use crate::lesson::query_error::QueryError;
use crate::lesson::setting::{BlockChoice, Setting};
use crate::report::charts::counts::ChartCounts;
use crate::study::counts::SizedSubject;
use crate::timing::Measurement;
use crate::work::{WorkProgress, WorkToken};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The settings whose runs are kept; a page asks a few.
const KEPT: usize = 48;

/// The runs of settings, the last one asked about at the end. Copies share it, also between threads:
/// what one of them has run, the others need not.
#[derive(Clone, Debug, Default)]
pub struct SettingCache {
    all: Arc<Mutex<Vec<Arc<SettingRuns>>>>,
    /// The counts of measured launches, which are as large as those.
    counted: Arc<Mutex<ChartCounts>>,
    /// Hears how far what takes long is; nobody cancels it.
    token: WorkToken,
    clock: Option<Arc<dyn Clock>>,
    /// Whether its times are taken; each copy decides for itself.
    is_timed: bool,
}

impl SettingCache {
    pub fn new() -> Self {
        Self::default()
    }

    /// One that has these runs already.
    pub(in crate::lesson) fn with(runs: SettingRuns) -> Self {
        Self { all: Arc::new(Mutex::new(vec![Arc::new(runs)])), ..Self::default() }
    }

    /// How far that is which is being computed for them.
    pub fn progress(&self) -> WorkProgress {
        self.token.progress()
    }

    /// An empty one whose times are measured, where that can be done.
    pub fn timed_by(clock: Option<Arc<dyn Clock>>) -> Self {
        Self { clock, ..Self::default() }
    }

    /// Who measures times, if somebody does.
    pub fn clock(&self) -> Option<&Arc<dyn Clock>> {
        self.clock.as_ref()
    }

    /// From here on times are measured ones if all that were asked for are known by now, else
    /// recorded ones.
    pub fn look_at_clock(&mut self) {
        self.is_timed = self.is_clock_ready();
    }

    /// Whether all times that were asked for have been measured.
    pub fn is_clock_ready(&self) -> bool {
        self.clock.as_ref().is_some_and(|clock| clock.is_ready())
    }

    /// Whether measured times are taken.
    pub const fn is_timed(&self) -> bool {
        self.is_timed
    }

    /// The setting of a setting.
    ///
    /// # Errors
    /// The setting cannot be run: see [`SettingRuns::of`].
    pub fn runs(&self, setting: &Setting) -> Result<Arc<SettingRuns>, QueryError> {
        if let Some(runs) = known(&mut self.lock(), setting) {
            return Ok(runs);
        }
        // Others are not to wait while it is compiled.
        let all = self.lock().clone();
        let like = all.iter().rfind(|runs| alike(&runs.setting, setting));
        let runs = like.map_or_else(
            || SettingRuns::with_progress(setting, self.token.clone()),
            |like| beside(&all, like, setting),
        );
        let runs = Arc::new(runs?);
        let mut all = self.lock();
        // Another thread may have been faster.
        if let Some(runs) = known(&mut all, setting) {
            return Ok(runs);
        }
        if all.len() == KEPT {
            all.remove(0);
        }
        all.push(Arc::clone(&runs));
        Ok(runs)
    }

    /// The counts of measured launches so far, that of a row among them if it can be counted.
    pub(in crate::lesson) fn counted(&self, row: &Measurement) -> ChartCounts {
        let mut all = self.counted.lock().unwrap_or_else(PoisonError::into_inner);
        let subject = SizedSubject::of(row).filter(|subject| all.known(subject).is_none());
        if let Some(subject) = subject {
            all.put(subject, subject.count(&WorkToken::default()));
        }
        all.clone()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<SettingRuns>>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The setting of a setting, if there is one; it comes last then.
fn known(all: &mut Vec<Arc<SettingRuns>>, setting: &Setting) -> Option<Arc<SettingRuns>> {
    let at = all.iter().position(|runs| runs.setting == *setting)?;
    let runs = all.remove(at);
    all.push(Arc::clone(&runs));
    Some(runs)
}

/// The setting of a setting whose grid is that of another.
fn beside(
    all: &[Arc<SettingRuns>],
    like: &SettingRuns,
    setting: &Setting,
) -> Result<SettingRuns, RunError> {
    let block = block_of(setting, &like.grid)?;
    let same_run =
        |runs: &&Arc<SettingRuns>| Arc::ptr_eq(&runs.grid, &like.grid) && runs.block() == block;
    let grid = Arc::clone(&like.grid);
    match all.iter().find(same_run) {
        Some(runs) => SettingRuns::with_run(setting, grid, Arc::clone(&runs.run)),
        None => SettingRuns::with_grid(setting, grid),
    }
}

/// Whether two settings differ in nothing but what is watched.
fn alike(one: &Setting, other: &Setting) -> bool {
    let unwatched =
        |setting: &Setting| Setting { block: BlockChoice::Middle, warp: None, ..setting.clone() };
    unwatched(one) == unwatched(other)
}
