//! Printing: a reader that has seen enough and closed the pipe is no error.

use std::io::{self, Write};

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
