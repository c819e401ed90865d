//! What a learner has answered, kept in a file from one day to the next.
//!
//! The file is written at every answer, whole or not at all; nothing that goes wrong with it stops a
//! lesson: it is said once.

mod kept;
mod list;
mod places;
mod results;
mod table;

pub use kept::{Answered, FORMAT, Kept, Review, Taken};
pub use list::{Row, State, list};
pub use results::{Results, results};
pub use table::{csv, text, unknown};

use super::walk::Event;
use crate::file;
use etcetera::BaseStrategy;
use serde::Deserialize;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// A learner's progress.
#[derive(Debug)]
pub struct Progress {
    kept: Kept,
    home: Home,
    /// Whether the file holds all that is kept.
    is_written: bool,
    /// Whether it was said that it could not be written.
    is_said: bool,
    notices: Vec<String>,
}

/// Where the progress is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Home {
    /// In this file.
    File(PathBuf),
    /// Nowhere: it ends with the program.
    Nowhere,
}

/// A file that was read.
enum Found {
    /// It is of the format that is written.
    Known(Box<Kept>),
    /// It is of a newer one: what is known of it.
    Newer(Box<Kept>, u32),
    /// There is none.
    Nothing,
    /// It cannot be read: why.
    Unreadable(io::Error),
    /// It is not a progress file.
    Broken,
}

/// The file of this user: `matviz/progress.json` in `$XDG_STATE_HOME`, else in `~/.local/state`;
/// `None` if there is no home directory.
pub fn path() -> Option<PathBuf> {
    let base = etcetera::base_strategy::Xdg::new().ok()?;
    Some(base.state_dir()?.join("matviz").join("progress.json"))
}

impl Progress {
    /// The progress in a file, which need not exist yet. A newer format is read as far as it is
    /// known, and not written over; a broken file is set aside as `progress.json.bad`.
    pub fn open(path: &Path) -> Self {
        let name = path.display();
        let (kept, home, notice) = match read(path) {
            Found::Known(kept) => (*kept, Home::File(path.to_owned()), None),
            Found::Nothing => (Kept::new(), Home::File(path.to_owned()), None),
            Found::Newer(kept, format) => {
                let notice = format!(
                    "{name} is of a newer matviz (format {format}): it is read, and not written over."
                );
                (*kept, Home::Nowhere, Some(notice))
            }
            Found::Unreadable(error) => {
                let notice = format!("{name} cannot be read ({error}): nothing is kept.");
                (Kept::new(), Home::Nowhere, Some(notice))
            }
            Found::Broken => {
                let aside = aside(path);
                let (home, notice) = match fs::rename(path, &aside) {
                    Ok(()) => {
                        let notice =
                            format!("{name} was broken: it is set aside as {}.", aside.display());
                        (Home::File(path.to_owned()), notice)
                    }
                    Err(error) => {
                        (Home::Nowhere, format!("{name} is broken ({error}): nothing is kept."))
                    }
                };
                (Kept::new(), home, Some(notice))
            }
        };
        let notices = notice.into_iter().collect();
        Self { kept, home, is_written: true, is_said: false, notices }
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
        let (kept, notices) = (Kept::new(), Vec::new());
        Self { kept, home: Home::Nowhere, is_written: true, is_said: false, notices }
    }

    /// All that is kept.
    pub fn kept(&self) -> &Kept {
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
    pub fn add(&mut self, events: &[Event], day: &str) {
        if !events.is_empty() {
            self.change(|kept| events.iter().for_each(|event| kept.add(event, day)));
        }
    }

    /// Forgets a lesson by its name, or everything.
    pub fn reset(&mut self, lesson: Option<&str>) {
        self.change(|kept| match lesson {
            Some(lesson) => _ = kept.lessons.remove(lesson),
            None => *kept = Kept::new(),
        });
    }

    /// What is to be said about the file: each only once.
    pub fn notices(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notices)
    }

    fn change(&mut self, change: impl FnOnce(&mut Kept)) {
        self.refresh();
        change(&mut self.kept);
        self.write();
    }

    /// What the file holds now, unless it lacks something that could not be written.
    fn refresh(&mut self) {
        let Some(path) = self.file().filter(|_| self.is_written) else { return };
        match read(path) {
            Found::Known(kept) => self.kept = *kept,
            Found::Newer(..) => self.home = Home::Nowhere,
            Found::Nothing | Found::Unreadable(_) | Found::Broken => {}
        }
    }

    fn write(&mut self) {
        let Some(path) = self.file() else { return };
        let written = write(path, &self.kept);
        self.is_written = written.is_ok();
        if let (Err(error), false) = (written, self.is_said) {
            self.is_said = true;
            self.notices.push(format!("The progress is not kept: {error}."));
        }
    }
}

/// `progress.json.bad` beside `progress.json`.
fn aside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".bad");
    name.into()
}

fn read(path: &Path) -> Found {
    /// What every format has.
    #[derive(Deserialize)]
    struct Head {
        format: u32,
    }
    let text = match fs::read(path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Found::Nothing,
        Err(error) => return Found::Unreadable(error),
    };
    let Ok(Head { format }) = serde_json::from_slice(&text) else { return Found::Broken };
    let kept = serde_json::from_slice(&text).map(Box::new);
    match kept {
        Ok(kept) if format <= FORMAT => Found::Known(kept),
        Err(_) if format <= FORMAT => Found::Broken,
        kept => Found::Newer(kept.unwrap_or_else(|_| Box::new(Kept::new())), format),
    }
}

fn write(path: &Path, kept: &Kept) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut text = serde_json::to_string(kept)?;
    text.push('\n');
    file::write(path, &text)
}

#[cfg(test)]
mod tests;
