//! Files that are written whole or not at all.
//!
//! A text goes into a temporary file beside its target, then to the disk, and only then takes the
//! target's name: neither a full disk nor a crash can leave half of it, or cost what was there.

use std::fs::{self, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf, is_separator};
use tempfile::{Builder, NamedTempFile, TempPath};

/// Where a path leads.
enum Target {
    /// To a file, behind all links, which is replaced or made.
    File {
        path: PathBuf,
        /// Those of the file that is there.
        permissions: Option<Permissions>,
    },
    /// To a device or a pipe, which keeps nothing that could be lost.
    Stream,
}

/// Writes `text` to `path`, in place of what is there. A file keeps its permissions and a symbolic
/// link stays one: what it leads to is replaced. Devices and pipes are written straight.
///
/// # Errors
/// The path of a folder or into one that is not there, a lack of permission, a full disk. What was
/// there is then as it was.
pub fn write(path: &Path, text: &str) -> io::Result<()> {
    match Target::of(path)? {
        Target::Stream => fs::write(path, text),
        Target::File { path, permissions } => {
            let mut file = beside(&path)?;
            if let Some(permissions) = permissions {
                file.as_file().set_permissions(permissions)?;
            }
            fill(&mut file, text)?;
            file.persist(path).map(drop).map_err(|error| unwritten(&error.error))
        }
    }
}

/// Tells whether [`write()`] could write to `path` now, and changes nothing there.
///
/// # Errors
/// Those of [`write()`], but for a full disk.
pub fn check(path: &Path) -> io::Result<()> {
    match Target::of(path)? {
        Target::Stream => Ok(()),
        Target::File { path, .. } => beside(&path).map(drop),
    }
}

/// Makes new files of these paths and texts, either all or none. Nothing that is there is replaced,
/// and no link followed.
///
/// # Errors
/// [`ErrorKind::AlreadyExists`] if anything has one of the paths, else those of [`write()`].
pub fn create_new(files: &[(&Path, &str)]) -> io::Result<()> {
    if files.iter().any(|(path, _)| fs::symlink_metadata(path).is_ok()) {
        return Err(ErrorKind::AlreadyExists.into());
    }
    let mut filled = Vec::new();
    for (path, text) in files {
        let mut file = beside(path)?;
        fill(&mut file, text)?;
        filled.push((file, path));
    }
    // They are removed again unless the last of them can be made as well.
    let mut made = Vec::new();
    for (file, path) in filled {
        file.persist_noclobber(path).map_err(|error| error.error)?;
        made.push(TempPath::try_from_path(path)?);
    }
    made.into_iter().try_for_each(|path| Ok(path.keep().map(drop)?))
}

/// Rescues a text that cannot be written where it should go: its path is that of a new file in the
/// system's temporary folder, which ends in `suffix`.
///
/// # Errors
/// No such folder, or a full disk there as well.
pub fn rescue(text: &str, suffix: &str) -> io::Result<PathBuf> {
    let mut file = Builder::new().prefix("matviz-").suffix(suffix).tempfile()?;
    fill(&mut file, text)?;
    Ok(file.into_temp_path().keep()?)
}

impl Target {
    fn of(path: &Path) -> io::Result<Self> {
        let found = match fs::metadata(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            found => Some(found?),
        };
        let end = behind(path);
        match found {
            None if !names_folder(path) => Ok(Self::File { path: end, permissions: None }),
            Some(found) if found.is_file() && end.exists() => {
                // Whoever may not write to a file shall not replace it either.
                OpenOptions::new().append(true).open(path)?;
                Ok(Self::File { path: end, permissions: Some(found.permissions()) })
            }
            // A file that has lost its name, such as one behind /dev/stdout, is no better.
            Some(found) if !found.is_dir() => Ok(Self::Stream),
            None | Some(_) => {
                let why = "this is a folder: add a file's name";
                Err(io::Error::new(ErrorKind::IsADirectory, why))
            }
        }
    }
}

/// Whether only a folder can have this path.
fn names_folder(path: &Path) -> bool {
    path.file_name().is_none() || path.to_string_lossy().ends_with(is_separator)
}

/// Where a path leads by symbolic links, which may be to nothing yet, but must not lead in a circle.
fn behind(path: &Path) -> PathBuf {
    match fs::read_link(path) {
        Ok(link) => behind(&folder(path).join(link)),
        Err(_) => path.to_owned(),
    }
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."))
}

/// An empty temporary file in the folder of `path`, with the permissions of any new file.
fn beside(path: &Path) -> io::Result<NamedTempFile> {
    let mut builder = Builder::new();
    builder.prefix(".matviz-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let folder = folder(path);
    builder.tempfile_in(folder).map_err(|error| {
        let (kind, folder) = (error.kind(), folder.display());
        let why = match kind {
            ErrorKind::NotFound => format!("there is no folder {folder}: make it, or name another"),
            _ => format!("no file can be made in the folder {folder} ({kind}): name another"),
        };
        io::Error::new(kind, why)
    })
}

/// Puts the text into the file, and onto the disk.
fn fill(file: &mut NamedTempFile, text: &str) -> io::Result<()> {
    let file = file.as_file_mut();
    let filled = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
    filled.map_err(|error| unwritten(&error))
}

fn unwritten(error: &io::Error) -> io::Error {
    let text = format!("{error}; nothing there was changed: make room, or name another folder");
    io::Error::new(error.kind(), text)
}
