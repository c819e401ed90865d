//! One matviz at a time reads and writes the progress: two lessons at once keep each other's answers.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// The beginning of the names of files that are being written: see [`crate::file::write`].
const UNFINISHED: &str = ".matviz-";

/// The folder of the progress file, locked until this is dropped or the process ends in any way.
pub(super) struct Lock {
    folder: PathBuf,
    _held: File,
}

impl Lock {
    /// Locks the folder of `path`. `None` if that cannot be done, or another program holds it for
    /// long: then nobody waits any longer.
    pub(super) fn of(path: &Path) -> Option<Self> {
        let folder = path.parent()?.to_owned();
        fs::create_dir_all(&folder).ok()?;
        let held = hold(&folder)?;
        Some(Self { folder, _held: held })
    }

    /// Removes the files left by a process that was killed while it wrote: the lock rules out a writer.
    pub(super) fn sweep(&self) {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let is_left = |name: &str| name.starts_with(UNFINISHED);
        for entry in entries.filter(|entry| entry.file_name().to_str().is_some_and(is_left)) {
            _ = fs::remove_file(entry.path());
        }
    }
}

/// Tries for half a second: writing the file takes some milliseconds.
#[cfg(unix)]
fn hold(folder: &Path) -> Option<File> {
    use rustix::fs::{FlockOperation, flock};
    use std::thread::sleep;
    use std::time::Duration;

    let file = File::open(folder).ok()?;
    for _ in 0..100 {
        if flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok() {
            return Some(file);
        }
        sleep(Duration::from_millis(5));
    }
    None
}

#[cfg(not(unix))]
fn hold(_folder: &Path) -> Option<File> {
    None
}
