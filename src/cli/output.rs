//! Printing, where a reader that has seen enough and closed the pipe is no error, and writing files.

use super::BadUse;
use crate::file;
use std::io::{self, Write};
use std::path::Path;

/// Whether anybody still reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reader {
    /// The text was taken.
    Listens,
    /// The pipe is closed: there is nothing more to do.
    Gone,
}

/// Prints `text` on stdout.
///
/// # Errors
/// Anything but a closed pipe: a full disk, say.
pub(super) fn print(text: &str) -> io::Result<Reader> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(Reader::Listens),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(Reader::Gone),
        Err(error) => Err(error),
    }
}

/// Writes a file, whole or not at all.
///
/// # Errors
/// It cannot be written, or the disk is full; what was there is as it was.
pub(super) fn write(path: &Path, text: &str) -> Result<(), BadUse> {
    file::write(path, text).map_err(|error| BadUse(format!("writing {}: {error}", path.display())))
}
