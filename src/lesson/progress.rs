//! What a learner has answered, kept in a file from one day to the next.
//!
//! The file is written at every answer, whole or not at all; nothing that goes wrong with it stops a
//! lesson: it is said once.

mod kept;
mod list;
mod places;
mod report;
mod results;
mod table;

pub use kept::{Answered, FORMAT, LessonProgress, Review, SavedProgress, ShownIdea};
pub use list::{LessonStatus, Row, list};
pub use report::{class, class_csv, report};
pub use results::{Results, results};
pub use table::{csv, text, unknown};

use super::session::LessonEvent;
use crate::file;
use crate::file::lock::Lock;
use serde::Deserialize;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

#[derive(Debug)]
pub struct Progress {
    kept: SavedProgress,
    home: Home,
    /// What the file lacks, because it could not be written.
    missing: Vec<ProgressUpdate>,
    /// Whether it was said that it could not be written.
    is_said: bool,
    notices: Vec<String>,
}

/// Where the progress is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Home {
    File(PathBuf),
    /// Nowhere: it ends with the program.
    Nowhere,
}

/// Why a text tells no progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProgressTextError {
    #[error(
        "the progress is of a newer matviz (format {0}): load the page again, or update matviz"
    )]
    Newer(u32),
    #[error("this is no progress of matviz: give the file progress.json that it has written")]
    Broken,
}

/// Something to be done to what is kept.
#[derive(Clone, Debug)]
enum ProgressUpdate {
    /// Add what happened on a day.
    Add(Vec<LessonEvent>, String),
    /// Forget a lesson, or everything.
    Forget(Option<String>),
}

/// A file that was read.
enum ProgressFile {
    /// It is of the format that is written.
    Known(Box<SavedProgress>),
    /// It is of a newer one: what is known of it.
    Newer(Box<SavedProgress>, u32),
    /// There is none.
    Nothing,
    /// It cannot be read: why.
    Unreadable(io::Error),
    Broken,
}

/// The most bytes of a progress file: a course of a hundred lessons that were all taken has one.
const MOST: u64 = 16 << 20;

/// The file of this user: `matviz/progress.json` in `$XDG_STATE_HOME`, else in `~/.local/state`;
/// `None` if there is no home directory.
pub fn path() -> Option<PathBuf> {
    Some(file::state_folder()?.join("progress.json"))
}

impl Progress {
    /// The progress in a file, which need not exist yet. A newer format is read as far as it is
    /// known, and not written over; a broken file is set aside as `progress.json.bad`.
    pub fn open(path: &Path) -> Self {
        let name = path.display();
        let (kept, home, notice) = match read(path) {
            ProgressFile::Known(kept) => (*kept, Home::File(path.to_owned()), None),
            ProgressFile::Nothing => (SavedProgress::new(), Home::File(path.to_owned()), None),
            ProgressFile::Newer(kept, format) => (*kept, Home::Nowhere, Some(newer(path, format))),
            ProgressFile::Unreadable(error) => {
                let notice = format!("{name} cannot be read ({error}): nothing is kept.");
                (SavedProgress::new(), Home::Nowhere, Some(notice))
            }
            ProgressFile::Broken => {
                let (home, notice) = set_aside(path);
                (SavedProgress::new(), home, Some(notice))
            }
        };
        let notices = notice.into_iter().collect();
        Self { kept, home, missing: Vec::new(), is_said: false, notices }
    }

    /// The progress of this user, or one that is kept nowhere if there is no home directory.
    pub fn of_user() -> Self {
        path().map_or_else(
            || {
                let notice = "There is no home directory: the progress is not kept.".to_owned();
                Self { notices: vec![notice], ..Self::nowhere() }
            },
            |path| Self::open(&path),
        )
    }

    /// A progress that ends with the program.
    pub fn nowhere() -> Self {
        let (kept, missing, notices) = (SavedProgress::new(), Vec::new(), Vec::new());
        Self { kept, home: Home::Nowhere, missing, is_said: false, notices }
    }

    /// The progress that a text tells, as its file holds it, kept nowhere.
    ///
    /// # Errors
    /// It is no such text, or one of a newer format.
    pub fn of_text(text: &str) -> Result<Self, ProgressTextError> {
        match parsed(text.as_bytes()) {
            ProgressFile::Known(kept) => Ok(Self { kept: *kept, ..Self::nowhere() }),
            ProgressFile::Newer(_, format) => Err(ProgressTextError::Newer(format)),
            _ => Err(ProgressTextError::Broken),
        }
    }

    /// A new progress, kept nowhere, whose learner sees the numbers of a seed.
    pub fn seeded(seed: u64) -> Self {
        let mut this = Self::nowhere();
        this.kept.seed = seed;
        this
    }

    /// What its file would hold.
    pub fn to_text(&self) -> String {
        text_of(&self.kept).unwrap_or_default()
    }

    pub fn kept(&self) -> &SavedProgress {
        &self.kept
    }

    /// The file, if it is kept in one.
    pub fn file(&self) -> Option<&Path> {
        match &self.home {
            Home::File(path) => Some(path),
            Home::Nowhere => None,
        }
    }

    /// Adds what happened on a day (`2026-11-22`), and writes the file. Answers that another matviz
    /// wrote to it in the meantime are kept.
    pub fn add(&mut self, events: &[LessonEvent], day: &str) {
        if !events.is_empty() {
            self.change(ProgressUpdate::Add(events.to_vec(), day.to_owned()));
        }
    }

    /// Forgets a lesson by its name, or everything.
    pub fn reset(&mut self, lesson: Option<&str>) {
        self.change(ProgressUpdate::Forget(lesson.map(str::to_owned)));
    }

    /// What is to be said about the file: each only once.
    pub fn notices(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notices)
    }

    /// Changes what the file holds now, which another matviz may have written.
    fn change(&mut self, change: ProgressUpdate) {
        let Home::File(path) = self.home.clone() else { return change.apply(&mut self.kept) };
        let lock = Lock::of(&path);
        self.missing.push(change);
        match read(&path) {
            ProgressFile::Known(kept) => {
                self.kept = *kept;
                self.missing.iter().for_each(|change| change.apply(&mut self.kept));
            }
            found => {
                if let Some(change) = self.missing.last() {
                    change.apply(&mut self.kept);
                }
                match found {
                    ProgressFile::Newer(_, format) => {
                        self.home = Home::Nowhere;
                        self.notices.push(newer(&path, format));
                    }
                    ProgressFile::Broken => {
                        let (home, notice) = set_aside(&path);
                        self.home = home;
                        self.notices.push(notice);
                    }
                    // What it holds is not known, and not written over.
                    ProgressFile::Unreadable(error) => return self.say_unkept(&error),
                    ProgressFile::Known(_) | ProgressFile::Nothing => {}
                }
            }
        }
        self.write(lock.as_ref());
    }

    fn write(&mut self, lock: Option<&Lock>) {
        let Some(path) = self.file() else { return };
        match write(path, &self.kept) {
            Ok(()) => {
                self.missing.clear();
                self.is_said = false;
                if let Some(lock) = lock {
                    lock.sweep();
                }
            }
            Err(error) => self.say_unkept(&error),
        }
    }

    /// Says once that what happens is not kept.
    fn say_unkept(&mut self, error: &io::Error) {
        if !std::mem::replace(&mut self.is_said, true) {
            self.notices.push(format!("The progress is not kept: {error}."));
        }
    }
}

impl ProgressUpdate {
    fn apply(&self, kept: &mut SavedProgress) {
        match self {
            Self::Add(events, day) => events.iter().for_each(|event| kept.add(event, day)),
            Self::Forget(Some(lesson)) => _ = kept.lessons.remove(lesson),
            Self::Forget(None) => *kept = SavedProgress::new(),
        }
    }
}

/// What is said of a file of a newer format.
fn newer(path: &Path, format: u32) -> String {
    let name = path.display();
    format!("{name} is of a newer matviz (format {format}): it is read, and not written over.")
}

/// Renames a broken file, and says so; if that fails, nothing is kept.
fn set_aside(path: &Path) -> (Home, String) {
    let name = path.display();
    match file::set_aside(path) {
        Ok(aside) => {
            let beside = aside.file_name().unwrap_or_default().display();
            let notice = format!("{name} was broken: it is set aside as {beside}.");
            (Home::File(path.to_owned()), notice)
        }
        Err(error) => (Home::Nowhere, format!("{name} is broken ({error}): nothing is kept.")),
    }
}

fn read(path: &Path) -> ProgressFile {
    match file::read(path, MOST) {
        Ok(text) => parsed(&text),
        Err(error) if error.kind() == ErrorKind::NotFound => ProgressFile::Nothing,
        Err(error) => ProgressFile::Unreadable(error),
    }
}

fn parsed(text: &[u8]) -> ProgressFile {
    /// What every format has.
    #[derive(Deserialize)]
    struct ProgressHead {
        format: u32,
    }
    let Ok(ProgressHead { format }) = serde_json::from_slice(text) else {
        return ProgressFile::Broken;
    };
    let kept = serde_json::from_slice(text).map(Box::new);
    match kept {
        Ok(kept) if format <= FORMAT => ProgressFile::Known(kept),
        Err(_) if format <= FORMAT => ProgressFile::Broken,
        kept => {
            ProgressFile::Newer(kept.unwrap_or_else(|_| Box::new(SavedProgress::new())), format)
        }
    }
}

fn write(path: &Path, kept: &SavedProgress) -> io::Result<()> {
    file::write_in_folder(path, &text_of(kept)?)
}

fn text_of(kept: &SavedProgress) -> serde_json::Result<String> {
    Ok(serde_json::to_string(kept)? + "\n")
}

#[cfg(test)]
mod tests;
