//! Looks at a file again and again, and tells when a new text has been saved.
//!
//! Nothing of the system is asked to notify: that hears nothing on network drives and in some
//! containers, and an editor that saves by renaming ends it. Instead, the file's time, length and
//! number are compared, and its bytes where these leave doubt.

use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// The time between two looks.
pub const EVERY: Duration = Duration::from_millis(200);

/// The time after which a file that has just changed is looked at again: a program that first
/// empties a file and then writes it needs less.
const AGAIN: Duration = Duration::from_millis(20);

/// Looks after which a file that is missing has been deleted: an editor that renames the old file
/// before it writes the new one needs fewer. Likewise for a file that is empty.
const PATIENCE: u32 = 4;

/// The age from which a file's time is trusted to differ if it is written again: the coarsest
/// clocks of file systems tick every two seconds.
const TRUSTED: Duration = Duration::from_secs(3);

/// A file that is looked at.
#[derive(Debug)]
pub struct FileWatch {
    path: PathBuf,
    /// The most bytes that are read, and one more to see that there are more.
    most: u64,
    /// What the file was like when its text was read.
    read: Option<Stamp>,
    /// Whether the file was so new then that another text may have the same stamp.
    doubted: bool,
    /// What the file was like when it was looked at last.
    seen: Option<Stamp>,
    /// The text that was told last.
    told: Option<Vec<u8>>,
    /// The looks at which the file has been missing or empty, one after the other.
    missing: u32,
    /// What was told last of a file that has no text.
    lost: Option<FileEvent>,
}

/// What happened to the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileEvent {
    /// It has another text.
    Saved(String),
    /// It has been deleted.
    Deleted,
    /// It is back, with the text that was told last.
    Back,
    /// It cannot be read, for this reason.
    Unreadable(String),
}

/// What tells two saves apart without reading the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    time: Option<SystemTime>,
    length: u64,
    /// The number of the file in its file system: another one after saving by renaming.
    number: u64,
}

impl Stamp {
    fn of(found: &Metadata) -> Self {
        #[cfg(unix)]
        let number = std::os::unix::fs::MetadataExt::ino(found);
        #[cfg(not(unix))]
        let number = 0;
        Self { time: found.modified().ok(), length: found.len(), number }
    }

    /// Whether the file was written so recently that another save may leave the same stamp.
    fn is_new(self, now: SystemTime) -> bool {
        let age = self.time.and_then(|time| now.duration_since(time).ok());
        age.is_none_or(|age| age < TRUSTED)
    }
}

impl FileWatch {
    /// A file that has not been looked at.
    pub const fn new(path: PathBuf, most: u64) -> Self {
        let (read, seen, told, lost) = (None, None, None, None);
        Self { path, most, read, doubted: false, seen, told, missing: 0, lost }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads the file now, whether or not it has changed.
    ///
    /// # Errors
    /// It cannot be read, for this reason.
    pub fn read(&mut self) -> io::Result<String> {
        let found = fs::metadata(&self.path)?;
        is_file(&found)?;
        let (stamp, bytes) = (Stamp::of(&found), self.bytes()?);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        self.doubted = stamp.is_new(SystemTime::now());
        (self.read, self.seen, self.told, self.lost) =
            (Some(stamp), Some(stamp), Some(bytes), None);
        Ok(text)
    }

    /// Looks once; returns what has happened, and when to look next.
    pub fn look(&mut self) -> (Option<FileEvent>, Duration) {
        match fs::metadata(&self.path) {
            Err(error) if error.kind() == ErrorKind::NotFound => self.miss(FileEvent::Deleted),
            Err(error) => (self.lose(FileEvent::Unreadable(error.to_string())), EVERY),
            Ok(found) => match is_file(&found) {
                Err(why) => (self.lose(FileEvent::Unreadable(why.to_string())), EVERY),
                Ok(()) => self.compare(Stamp::of(&found)),
            },
        }
    }

    /// The file has a text if it stays missing or empty for some looks.
    fn miss(&mut self, news: FileEvent) -> (Option<FileEvent>, Duration) {
        self.missing += 1;
        let lost = self.missing >= PATIENCE;
        (if lost { self.lose(news) } else { None }, EVERY)
    }

    /// Tells once that there is no text.
    fn lose(&mut self, news: FileEvent) -> Option<FileEvent> {
        self.read = None;
        let new = self.lost.as_ref() != Some(&news);
        new.then(|| self.lost.insert(news).clone())
    }

    fn compare(&mut self, stamp: Stamp) -> (Option<FileEvent>, Duration) {
        if self.read == Some(stamp) && !self.doubted {
            self.missing = 0;
            return (None, EVERY);
        }
        if self.seen.replace(stamp) != Some(stamp) {
            // Whoever writes it may not have finished.
            return (None, AGAIN);
        }
        let bytes = match self.bytes() {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return (None, AGAIN),
            Err(error) => return (self.lose(FileEvent::Unreadable(error.to_string())), EVERY),
        };
        let after = fs::metadata(&self.path).map(|found| Stamp::of(&found));
        if after.ok() != Some(stamp) {
            return (None, AGAIN);
        }
        if bytes.is_empty() && self.missing < PATIENCE {
            self.missing += 1;
            return (None, EVERY);
        }
        self.missing = 0;
        self.doubted = stamp.is_new(SystemTime::now());
        self.read = Some(stamp);
        (self.tell(bytes), EVERY)
    }

    fn bytes(&self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        File::open(&self.path)?.take(self.most + 1).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// Tells a text that differs from the one before.
    fn tell(&mut self, bytes: Vec<u8>) -> Option<FileEvent> {
        let was_lost = self.lost.take().is_some();
        if self.told.as_ref() == Some(&bytes) {
            return was_lost.then_some(FileEvent::Back);
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        self.told = Some(bytes);
        Some(FileEvent::Saved(text))
    }
}

/// Whether it can be read without waiting: a pipe may never end.
fn is_file(found: &Metadata) -> io::Result<()> {
    match () {
        () if found.is_file() => Ok(()),
        () if found.is_dir() => Err(io::Error::other("it is a folder")),
        () => Err(io::Error::other("it is not a file")),
    }
}

#[cfg(test)]
mod tests;
