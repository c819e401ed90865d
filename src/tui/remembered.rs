//! What the screen remembers from one start to the next: `screen.json` in the user's state directory.

use super::layout::ScreenView;
use crate::file;
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};

/// What is remembered. A file that cannot be read counts as none: it holds nothing that could be lost.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
#[serde(default)]
pub struct Remembered {
    /// The view that the user chose last.
    pub view: Option<ScreenView>,
}

/// The most bytes of the file.
const MOST: u64 = 1 << 16;

/// The file of this user, or `None` if there is no home directory.
pub fn path() -> Option<PathBuf> {
    Some(file::state_folder()?.join("screen.json"))
}

impl Remembered {
    /// What this user's file says.
    pub fn of_user() -> Self {
        path().map_or_else(Self::default, |path| Self::read(&path))
    }

    pub fn read(path: &Path) -> Self {
        let text = file::read(path, MOST).unwrap_or_default();
        serde_json::from_slice(&text).unwrap_or_default()
    }

    /// Writes it to a file, whose folder need not exist.
    ///
    /// # Errors
    /// Those of [`file::write_in_folder`].
    pub fn write(self, path: &Path) -> io::Result<()> {
        file::write_in_folder(path, &(serde_json::to_string(&self)? + "\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_is_read_as_it_was_written_and_a_broken_file_counts_as_none() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("matviz").join("screen.json");
        assert_eq!(Remembered::read(&path), Remembered::default());
        let chosen = Remembered { view: Some(ScreenView::Workbench) };
        chosen.write(&path).expect("it is written");
        assert_eq!(Remembered::read(&path), chosen);
        std::fs::write(&path, "{\"view\": 3").expect("it is written");
        assert_eq!(Remembered::read(&path), Remembered::default());
    }
}
