//! Where a course's files are: in the program, or in a folder of which nothing outside is read.

use super::super::diagnostic::{Diagnostic, UNREADABLE};
use crate::file;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// The most bytes of a file with text.
pub(super) const MOST_TEXT: u64 = 256 << 10;

/// The most bytes of a kernel's file.
pub(super) const MOST_KERNEL: u64 = 1 << 20;

/// What is wrong with a file, in words that follow its name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum FileError {
    #[error("is not there")]
    NotThere,
    #[error("is not a path below the lesson's folder")]
    NotBelow,
    #[error("is a link that leaves the lesson's folder")]
    Leaves,
    #[error("is not an ordinary file")]
    NotOrdinary,
    #[error("is not text")]
    NotText,
    #[error("is larger than {0} KiB")]
    TooLarge(u64),
    #[error("cannot be read: {0}")]
    Unreadable(String),
}

/// The folder of a course.
#[derive(Clone, Debug)]
pub(super) enum Folder {
    /// In the program: each file's name and text.
    Embedded(&'static [(&'static str, &'static str)]),
    Disk(PathBuf),
}

impl Folder {
    /// The names of the files directly in it, in the alphabet's order.
    pub(super) fn names(&self) -> Result<Vec<String>, Box<Diagnostic>> {
        match self {
            Self::Embedded(files) => Ok(files.iter().map(|(name, _)| (*name).to_owned()).collect()),
            Self::Disk(folder) => {
                let failed = |error| {
                    let told = format!("this folder cannot be read: {error}");
                    Box::new(Diagnostic::of_file(UNREADABLE, &folder.display().to_string(), told))
                };
                file::names(folder).map_err(failed)
            }
        }
    }

    /// The file's name for messages.
    pub(super) fn shown(&self, name: &str) -> String {
        match self {
            Self::Embedded(_) => format!("lessons/{name}"),
            Self::Disk(folder) => folder.join(name).display().to_string(),
        }
    }

    /// The text of a file directly in the folder.
    ///
    /// # Errors
    /// It is not there, not a file, not UTF-8, or larger than [`MOST_TEXT`].
    pub(super) fn text(&self, name: &str) -> Result<String, Box<Diagnostic>> {
        match self {
            Self::Embedded(_) => self.embedded(name).map_err(|told| {
                let told = format!("this file {told}");
                Box::new(Diagnostic::of_file(UNREADABLE, &self.shown(name), told))
            }),
            Self::Disk(folder) => text(&folder.join(name)),
        }
    }

    /// The text of a kernel in the folder or below it.
    ///
    /// # Errors
    /// What is wrong with the name or the file, in a few words: `is not there`.
    pub(super) fn kernel(&self, name: &str) -> Result<String, FileError> {
        let Self::Disk(folder) = self else { return self.embedded(name) };
        let path = inside(folder, name)?;
        let bytes = bytes(&path, MOST_KERNEL)?;
        let text = String::from_utf8(bytes).ok().filter(|text| !text.contains('\0'));
        text.ok_or(FileError::NotText)
    }

    /// Whether a link to this file leads somewhere.
    ///
    /// # Errors
    /// What is wrong, in a few words.
    pub(super) fn has(&self, name: &str) -> Result<(), FileError> {
        match self {
            Self::Embedded(_) => self.embedded(name).map(drop),
            Self::Disk(folder) => inside(folder, name).map(drop),
        }
    }

    fn embedded(&self, name: &str) -> Result<String, FileError> {
        let Self::Embedded(files) = self else { return Err(FileError::NotThere) };
        let found = files.iter().find(|(file, _)| *file == name);
        found.map(|(_, text)| (*text).to_owned()).ok_or(FileError::NotThere)
    }
}

/// The path of a file in a folder or below it.
fn inside(folder: &Path, name: &str) -> Result<PathBuf, FileError> {
    let plain = |part: &str| !["", ".", ".."].contains(&part) && !part.contains(['\\', ':', '\0']);
    if !name.split('/').all(plain) {
        return Err(FileError::NotBelow);
    }
    let real = |path: &Path| path.canonicalize().ok().ok_or(FileError::NotThere);
    let path = real(&folder.join(name))?;
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    if path.starts_with(real(folder)?) { Ok(path) } else { Err(FileError::Leaves) }
}

/// The text of a file that a user has named.
///
/// # Errors
/// It is not there, not a file, not UTF-8, or larger than [`MOST_TEXT`].
pub(super) fn text(path: &Path) -> Result<String, Box<Diagnostic>> {
    let shown = path.display().to_string();
    let whole = |told: FileError| {
        Box::new(Diagnostic::of_file(UNREADABLE, &shown, format!("this file {told}")))
    };
    let bytes = bytes(path, MOST_TEXT).map_err(whole)?;
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let lossy = String::from_utf8_lossy(error.as_bytes());
        let told = "this is not UTF-8 text";
        Box::new(Diagnostic::at(UNREADABLE, &shown, &lossy, valid..valid + 1, told))
    })
}

/// The bytes of an ordinary file; a pipe or a device would block, or never end.
fn bytes(path: &Path, most: u64) -> Result<Vec<u8>, FileError> {
    let failed = |error: io::Error| match error.kind() {
        ErrorKind::FileTooLarge => FileError::TooLarge(most >> 10),
        _ => FileError::Unreadable(error.to_string()),
    };
    if !file::is_ordinary(path).map_err(failed)? {
        return Err(FileError::NotOrdinary);
    }
    file::read(path, most).map_err(failed)
}
