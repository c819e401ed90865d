//! Prints text, where a reader that closes the pipe is not an error, and writes files.

use super::BadUse;
use crate::file;
use std::io::{self, Write};
use std::path::Path;

/// Whether stdout still has a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reader {
    /// The text was written.
    Listens,
    /// The pipe is closed: there is nothing more to do.
    Gone,
}

/// Prints `text` on stdout.
///
/// # Errors
/// Any error but a closed pipe, for example a full disk.
pub(super) fn print(text: &str) -> io::Result<Reader> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(Reader::Listens),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(Reader::Gone),
        Err(error) => Err(error),
    }
}

/// Writes a file, either completely or not at all.
///
/// # Errors
/// It cannot be written, or the disk is full; the previous contents are unchanged.
pub(super) fn write(path: &Path, text: &str) -> Result<(), BadUse> {
    file::write(path, text).map_err(|error| BadUse(format!("writing {}: {error}", path.display())))
}
