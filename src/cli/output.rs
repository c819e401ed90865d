//! The one way to stdout and stderr: text of strangers is made harmless, and a reader that closes the
//! pipe is not an error. Writes and reads files.

use super::BadUse;
use crate::file;
use crate::report::harmless::{harmless, shortened};
use crate::tui::terminal;
use serde::Serialize;
use std::io::{self, IsTerminal, StdoutLock, Write};
use std::path::Path;

/// Whether stdout still has a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reader {
    /// The text was written.
    Listens,
    /// The pipe is closed: there is nothing more to do.
    Gone,
}

/// A value as JSON, with the line's end.
///
/// # Errors
/// It has no JSON: a map whose keys are not texts.
pub(super) fn json(value: &impl Serialize) -> serde_json::Result<String> {
    Ok(serde_json::to_string_pretty(value)? + "\n")
}

/// Prints `text` on stdout.
///
/// # Errors
/// Any error but a closed pipe, for example a full disk.
pub(super) fn print(text: &str) -> io::Result<Reader> {
    print_coloured(&harmless(text))
}

/// Prints `text`, which holds nothing that others wrote, with its colours.
///
/// # Errors
/// As above.
pub(super) fn print_coloured(text: &str) -> io::Result<Reader> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(Reader::Listens),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(Reader::Gone),
        Err(error) => Err(error),
    }
}

/// Prints a line on stderr. Where nobody can read it, it is lost, which is not an error.
pub fn tell(text: &str) {
    _ = writeln!(io::stderr(), "{}", harmless(&shortened(text)));
}

/// Rewrites the line that shows how far a command is, on a terminal; an empty text erases it.
pub(super) fn show_progress(text: &str) {
    if io::stderr().is_terminal() {
        // A line that wraps could not be erased.
        let line: String = harmless(text).chars().take(terminal::columns() - 1).collect();
        _ = write!(io::stderr(), "\r\x1b[K{line}");
    }
}

/// Stdout for a text that is written piece by piece.
pub(super) fn stdout() -> impl Write {
    Stdout(io::stdout().lock())
}

struct Stdout(StdoutLock<'static>);

impl Write for Stdout {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        self.0.write_all(harmless(&String::from_utf8_lossy(text)).as_bytes())?;
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// The most bytes of a file of measurements, of a report, or of settings.
const MOST: u64 = 16 << 20;

/// Reads a text file that somebody else may have written. What is not UTF-8 is replaced.
///
/// # Errors
/// It cannot be read, or it is larger than 16 MiB.
pub(super) fn read(path: &Path) -> Result<String, BadUse> {
    let failed = |error| BadUse(format!("reading {}: {error}", path.display()));
    let bytes = file::read(path, MOST).map_err(failed)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Writes a file, either completely or not at all.
///
/// # Errors
/// It cannot be written, or the disk is full; the previous contents are unchanged.
pub(super) fn write(path: &Path, text: &str) -> Result<(), BadUse> {
    file::write(path, &harmless(text))
        .map_err(|error| BadUse(format!("writing {}: {error}", path.display())))
}
