//! Writes files either completely or not at all, and reads them up to a limit.
//!
//! A text is first written to a temporary file next to its target and synchronised to disk, and
//! only then renamed to the target: neither a full disk nor a crash can leave half of it, or
//! destroy the previous contents.

pub mod lock;
pub mod watch;

use etcetera::BaseStrategy;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf, is_separator};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;
use tempfile::{Builder, NamedTempFile, TempPath};

/// The destination of a path.
enum Destination {
    /// A file, after following all links, which is replaced or created.
    File {
        path: PathBuf,
        /// The permissions of the existing file.
        permissions: Option<Permissions>,
    },
    /// A device or a pipe, which holds nothing that could be lost.
    Stream,
}

/// The beginning of the names of files that are being written.
const UNFINISHED: &str = ".matviz-";

/// Writes `text` to `path`, replacing what is there. A file keeps its permissions, and a symbolic
/// link remains: its destination is replaced. Devices and pipes are written directly.
///
/// # Errors
/// The path is a folder or in a folder that does not exist, a lack of permission, a full disk. The
/// previous contents are then unchanged.
pub fn write(path: &Path, text: &str) -> io::Result<()> {
    match Destination::of(path)? {
        Destination::Stream => fs::write(path, text),
        Destination::File { path, permissions } => {
            let mut file = beside(&path)?;
            if let Some(permissions) = permissions {
                file.as_file().set_permissions(permissions)?;
            }
            fill(&mut file, text)?;
            file.persist(path).map(drop).map_err(|error| unwritten(&error.error))
        }
    }
}

/// How long to wait for a writer of a named pipe.
const PATIENCE: Duration = Duration::from_secs(5);

/// Opens a file to read it. Opening a named pipe waits until somebody writes into it, here for some
/// seconds.
///
/// # Errors
/// It cannot be opened, or is a pipe without a writer.
pub fn open(path: &Path) -> io::Result<File> {
    if !is_pipe(path) {
        return File::open(path);
    }
    let (opened, heard) = channel();
    let pipe = path.to_owned();
    // It may wait for ever, which the program does not.
    thread::spawn(move || opened.send(File::open(pipe)));
    heard.recv_timeout(PATIENCE).unwrap_or_else(|_| {
        let why = "it is a pipe, and nobody writes into it";
        Err(io::Error::new(ErrorKind::TimedOut, why))
    })
}

#[cfg(unix)]
fn is_pipe(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt;
    fs::metadata(path).is_ok_and(|found| found.file_type().is_fifo())
}

#[cfg(not(unix))]
fn is_pipe(_: &Path) -> bool {
    false
}

/// Reads a whole file of at most `most` bytes. A device may never end: no more is read of it.
///
/// # Errors
/// Those of [`open()`], or it is larger.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    read_from(open(path)?, most)
}

/// Reads all of `from`, at most `most` bytes.
///
/// # Errors
/// It cannot be read, or there are more.
pub fn read_from(from: impl Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        let why = format!("it has more than {}, and is not read", in_units(most));
        return Err(io::Error::new(ErrorKind::FileTooLarge, why));
    }
    Ok(bytes)
}

/// A limit in words: `16 MiB`.
fn in_units(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} bytes"),
        1024..0x10_0000 => format!("{} KiB", bytes >> 10),
        _ => format!("{} MiB", bytes >> 20),
    }
}

/// Checks whether [`write()`] could write to `path` now, without changing anything.
///
/// # Errors
/// Those of [`write()`], except for a full disk.
pub fn check(path: &Path) -> io::Result<()> {
    match Destination::of(path)? {
        Destination::Stream => Ok(()),
        Destination::File { path, .. } => beside(&path).map(drop),
    }
}

/// Creates new files with these paths and texts, either all or none. It replaces nothing and
/// follows no links.
///
/// # Errors
/// [`ErrorKind::AlreadyExists`] if one of the paths exists, otherwise those of [`write()`].
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
    // They are removed again unless all of them can be created.
    let mut made = Vec::new();
    for (file, path) in filled {
        file.persist_noclobber(path).map_err(|error| error.error)?;
        made.push(TempPath::try_from_path(path)?);
    }
    made.into_iter().try_for_each(|path| Ok(path.keep().map(drop)?))
}

/// Writes a file whose folder need not exist yet.
///
/// # Errors
/// The folder cannot be made, and those of [`write()`].
pub fn write_in_folder(path: &Path, text: &str) -> io::Result<()> {
    path.parent().map_or(Ok(()), fs::create_dir_all)?;
    write(path, text)
}

/// Renames a broken file to `NAME.bad`, or to `NAME.bad.2` if there is one already, and so on; returns
/// its new path.
///
/// # Errors
/// A lack of permission.
pub fn set_aside(path: &Path) -> io::Result<PathBuf> {
    let named = |end: String| {
        let mut name = path.as_os_str().to_owned();
        name.push(end);
        PathBuf::from(name)
    };
    let all = (2..100).map(|number| named(format!(".bad.{number}")));
    let first = named(".bad".to_owned());
    let free = [first.clone()].into_iter().chain(all).find(|path| !path.exists());
    let aside = free.unwrap_or(first);
    fs::rename(path, &aside).map(|()| aside)
}

/// The names of what is in a folder, in the alphabet's order.
///
/// # Errors
/// It cannot be read.
pub fn names(folder: &Path) -> io::Result<Vec<String>> {
    let entries = fs::read_dir(folder)?;
    let mut names: Vec<_> =
        entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    names.sort_unstable();
    Ok(names)
}

pub fn is_folder(path: &Path) -> bool {
    path.is_dir()
}

/// Whether it is a file that can be read without waiting, and ends.
///
/// # Errors
/// There is nothing, or it cannot be looked at.
pub fn is_ordinary(path: &Path) -> io::Result<bool> {
    fs::metadata(path).map(|found| found.is_file())
}

/// Saves a text that cannot be written to its destination: writes it to a new file in the system's
/// temporary folder and returns the path, which ends in `suffix`.
///
/// # Errors
/// The folder does not exist, or its disk is full as well.
pub fn rescue(text: &str, suffix: &str) -> io::Result<PathBuf> {
    let mut file = Builder::new().prefix("matviz-").suffix(suffix).tempfile()?;
    fill(&mut file, text)?;
    Ok(file.into_temp_path().keep()?)
}

impl Destination {
    fn of(path: &Path) -> io::Result<Self> {
        let found = match fs::metadata(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            found => Some(found?),
        };
        let end = destination(path);
        match found {
            None if !names_folder(path) => Ok(Self::File { path: end, permissions: None }),
            Some(found) if found.is_file() && end.exists() => {
                // A file without write permission must not be replaced either.
                OpenOptions::new().append(true).open(path)?;
                Ok(Self::File { path: end, permissions: Some(found.permissions()) })
            }
            // A file that has lost its name, for example one that /dev/stdout leads to, is written
            // directly as well.
            Some(found) if !found.is_dir() => Ok(Self::Stream),
            None | Some(_) => {
                let why = "this is a folder: add a file's name";
                Err(io::Error::new(ErrorKind::IsADirectory, why))
            }
        }
    }
}

/// Whether the path can only be that of a folder.
fn names_folder(path: &Path) -> bool {
    path.file_name().is_none() || path.to_string_lossy().ends_with(is_separator)
}

/// The destination of a path after following symbolic links. It need not exist, but the links must
/// not form a cycle.
fn destination(path: &Path) -> PathBuf {
    match fs::read_link(path) {
        Ok(link) => destination(&folder(path).join(link)),
        Err(_) => path.to_owned(),
    }
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."))
}

/// An empty temporary file in the folder of `path`, with the permissions of any new file.
fn beside(path: &Path) -> io::Result<NamedTempFile> {
    let mut builder = Builder::new();
    builder.prefix(UNFINISHED);
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

/// Writes the text into the file, and synchronises it to disk.
fn fill(file: &mut NamedTempFile, text: &str) -> io::Result<()> {
    let file = file.as_file_mut();
    let filled = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
    filled.map_err(|error| unwritten(&error))
}

fn unwritten(error: &io::Error) -> io::Error {
    let text = format!("{error}; nothing there was changed: make room, or name another folder");
    io::Error::new(error.kind(), text)
}

/// Where the user's settings are, or `None` without a home directory.
pub fn settings_folder() -> Option<PathBuf> {
    Some(etcetera::choose_base_strategy().ok()?.config_dir().join("matviz"))
}

/// Where matviz keeps what it does for the user, or `None` without a home directory.
pub fn state_folder() -> Option<PathBuf> {
    let folders = etcetera::choose_base_strategy().ok()?;
    // Windows has no folder for what is kept apart from the settings.
    let kept = folders.state_dir().unwrap_or_else(|| folders.config_dir());
    Some(kept.join("matviz"))
}
