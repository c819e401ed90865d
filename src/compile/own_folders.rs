//! The files that a source may include: those of its own folders, and C elsewhere.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};

/// How many folders above the source's own are looked at.
pub(super) const ABOVE: usize = 4;

/// The folders of a source: those given, and that of its repository.
pub(super) struct SourceFolders(Vec<PathBuf>);

impl SourceFolders {
    /// The given folders, of which the first is the source's, with that of its repository.
    pub(super) fn of(given: &[PathBuf]) -> Self {
        let real: Vec<_> = given.iter().filter_map(|folder| real(folder)).collect();
        let repository = real.first().and_then(|own| {
            own.ancestors().take(ABOVE + 1).find(|folder| folder.join(".git").exists())
        });
        let repository = repository.map(Path::to_owned);
        Self(real.into_iter().chain(repository).collect())
    }

    /// Whether a file may be read because a source includes it. Whoever wrote the source chose the
    /// name: so that no message of a compiler shows a key or a password, files outside these folders
    /// must be C, and not be hidden.
    pub(super) fn has(&self, path: &Path) -> bool {
        let Ok(real) = path.canonicalize() else { return false };
        let extension = real.extension().and_then(OsStr::to_str).unwrap_or_default();
        let is_hidden = |part: Component<'_>| part.as_os_str().as_encoded_bytes().starts_with(b".");
        // The source itself may lie below a hidden folder.
        let below = self
            .0
            .first()
            .and_then(|own| own.ancestors().find_map(|folder| real.strip_prefix(folder).ok()));
        let is_c = HEADERS.contains(&extension);
        self.0.iter().any(|folder| real.starts_with(folder))
            || is_c && below.is_some_and(|below| !below.components().any(is_hidden))
    }
}

/// How the names of headers end.
const HEADERS: [&str; 12] =
    ["h", "hh", "hpp", "hxx", "cuh", "cu", "c", "cc", "cpp", "inc", "inl", "ipp"];

/// A folder, with all links followed.
pub(super) fn real(folder: &Path) -> Option<PathBuf> {
    let folder = if folder == Path::new("") { Path::new(".") } else { folder };
    folder.canonicalize().ok()
}
