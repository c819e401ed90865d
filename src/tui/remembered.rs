//! What the screen remembers from one start to the next: `screen.json` in the user's state directory.

use super::layout::ScreenView;
use crate::file;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// What is remembered. A file that cannot be read counts as none: it holds nothing that could be lost.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Eq, Serialize)]
#[serde(default)]
pub struct Remembered {
    /// The view that the user chose last for each kernel: of another one, nothing is known by it.
    views: BTreeMap<String, ScreenView>,
    /// Whether a run has been told to its end on the stage.
    pub told: bool,
}

/// What is to be remembered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToRemember {
    /// The view that the user has chosen for a kernel.
    View(String, ScreenView),
    /// A run has been told to its end on the stage.
    Told,
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

    pub fn view_of(&self, kernel: &str) -> Option<ScreenView> {
        self.views.get(kernel).copied()
    }

    /// Adds something to a file, whose folder need not exist.
    ///
    /// # Errors
    /// Those of [`file::write_in_folder`].
    pub fn keep(path: &Path, what: ToRemember) -> io::Result<()> {
        let mut all = Self::read(path);
        match what {
            ToRemember::View(kernel, view) => _ = all.views.insert(kernel, view),
            ToRemember::Told if all.told => return Ok(()),
            ToRemember::Told => all.told = true,
        }
        file::write_in_folder(path, &(serde_json::to_string(&all)? + "\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_choice_is_that_of_its_kernel_and_a_broken_file_counts_as_none() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("matviz").join("screen.json");
        assert_eq!(Remembered::read(&path), Remembered::default());
        for what in [
            ToRemember::View("tiled".to_owned(), ScreenView::Workbench),
            ToRemember::Told,
            ToRemember::View("naive".to_owned(), ScreenView::Stage),
        ] {
            Remembered::keep(&path, what).expect("it is written");
        }
        let known = Remembered::read(&path);
        let views = ["tiled", "naive", "sgemm"].map(|kernel| known.view_of(kernel));
        assert_eq!(views, [Some(ScreenView::Workbench), Some(ScreenView::Stage), None]);
        assert!(known.told);
        std::fs::write(&path, "{\"views\": 3").expect("it is written");
        assert_eq!(Remembered::read(&path), Remembered::default());
    }
}
