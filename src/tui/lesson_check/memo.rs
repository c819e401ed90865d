//! The runs of a lesson, recorded, checked and counted once for all who take it.

use crate::kernel::Source;
use crate::lesson::error::RunError;
use crate::lesson::setting::Setting;
use crate::lesson::setting_runs::SettingCache;
use crate::matrix::Size;
use crate::study::counts::{CountError, LaunchCounts, SizedSubject};
use crate::trace::Chunk;
use crate::tui::app::App;
use crate::tui::headless::done;
use crate::tui::lesson::{self, DialsTask, Effects};
use crate::tui::task::{CheckedRun, Event, RunId, Task};
use crate::work::WorkToken;
use std::sync::{Arc, Mutex, PoisonError};

/// Cached runs of a lesson, shared by several threads.
#[derive(Default)]
pub(super) struct RunMemo {
    /// The runs that questions ask.
    pub cache: SettingCache,
    recorded: Known<Setting, Vec<Chunk>>,
    checked: Known<Setting, CheckedRun>,
    counted: Known<SizedSubject, Result<LaunchCounts, CountError>>,
    dialled: Known<Dialled, Result<Effects, RunError>>,
}

type Known<K, T> = Mutex<Vec<(K, Arc<T>)>>;

/// A setting of dials: the source with its macros, and the sizes.
type Dialled = ((String, Vec<String>), Vec<Size>);

impl RunMemo {
    pub(super) fn new(cache: SettingCache) -> Self {
        Self { cache, ..Self::default() }
    }

    /// Runs a task, or returns the events of an earlier run of the same task.
    pub(super) fn done(&self, app: &App, task: Task) -> Vec<Event> {
        match task {
            Task::Record(recording) => match of_lesson(app, recording.id) {
                Some(setting) if !recording.beside => {
                    let id = recording.id;
                    let record = || chunks(done(Task::Record(recording)));
                    let chunks = known(&self.recorded, setting, record);
                    chunks.iter().map(|chunk| Event::Recorded(id, chunk.clone())).collect()
                }
                _ => done(Task::Record(recording)),
            },
            Task::Check(checking) => match of_lesson(app, checking.id) {
                Some(setting) => {
                    let id = checking.id;
                    let check = || findings(done(Task::Check(checking)));
                    let found = known(&self.checked, setting, check);
                    vec![Event::Checked(id, (*found).clone())]
                }
                None => done(Task::Check(checking)),
            },
            Task::Count(counting) => {
                let subject = counting.subject;
                let counted =
                    known(&self.counted, subject, || subject.count(&WorkToken::default()));
                vec![Event::Counted(subject, Box::new((*counted).clone()))]
            }
            Task::Dial(work) if work.at.is_some() => {
                let DialsTask { open_dials: turning, cache, at, token } = *work;
                let at = at.unwrap_or_default();
                let Source { text, defines, .. } = turning.dials.trial(&at).source;
                let key = ((text, defines), turning.sizes.clone());
                let effects = || Effects::of(&turning, &cache, &at);
                let known = known(&self.dialled, key, effects);
                let news = lesson::DialEvent::One(at, (*known).clone());
                vec![Event::Dialled(Box::new(news), token)]
            }
            task => done(task),
        }
    }
}

/// The setting of a run, if it is that which the lesson shows.
fn of_lesson(app: &App, id: RunId) -> Option<Setting> {
    let lesson = app.mode.lesson().filter(|lesson| lesson.run.id == Some(id))?;
    let (setting, _) = lesson.run.loaded.as_ref()?;
    let Setting { block, order, .. } = lesson.now().setting.clone();
    Some(Setting { block, order, warp: None, ..setting.clone() })
}

fn known<K: PartialEq, T>(all: &Known<K, T>, key: K, make: impl FnOnce() -> T) -> Arc<T> {
    let lock = || all.lock().unwrap_or_else(PoisonError::into_inner);
    let found = lock().iter().find(|(of, _)| *of == key).map(|(_, known)| Arc::clone(known));
    found.unwrap_or_else(|| {
        let made = Arc::new(make());
        lock().push((key, Arc::clone(&made)));
        made
    })
}

fn chunks(told: Vec<Event>) -> Vec<Chunk> {
    let chunk = |event| match event {
        Event::Recorded(_, chunk) => Some(chunk),
        _ => None,
    };
    told.into_iter().filter_map(chunk).collect()
}

/// What was told last.
fn findings(told: Vec<Event>) -> CheckedRun {
    let found = told.into_iter().rev().find_map(|event| match event {
        Event::Checked(_, checked) => Some(checked),
        _ => None,
    });
    found.unwrap_or_default()
}
