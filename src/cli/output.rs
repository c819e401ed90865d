//! The one way to stdout (or to `--output FILE`) and stderr: text of strangers is made harmless, and a
//! reader that closes the pipe is not an error. Writes and reads files.

use super::everywhere::{self, Colour};
use super::{BadUse, paint};
use crate::file;
use crate::report::harmless::{harmless, shortened};
use crate::tui::terminal;
use crate::tui::theme::Depth;
use serde::Serialize;
use std::env;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::sync::{Mutex, OnceLock, PoisonError};

/// The options of this run; before they are known, those of a run without any.
static OPTIONS: OnceLock<everywhere::Args> = OnceLock::new();

/// What is printed for `--output FILE`, which is written at the end.
static KEPT: Mutex<String> = Mutex::new(String::new());

fn options() -> &'static everywhere::Args {
    static NONE: everywhere::Args = everywhere::Args { output: None, quiet: false, color: None };
    OPTIONS.get().unwrap_or(&NONE)
}

/// Takes the options, before anything is printed.
///
/// # Errors
/// The file could not be written.
pub(super) fn begin(args: &everywhere::Args) -> Result<(), BadUse> {
    _ = OPTIONS.set(args.clone());
    let Some(path) = output() else { return Ok(()) };
    file::check(path).map_err(|error| unwritten(path, &error))
}

/// Writes what was printed to `--output FILE`, if that is given. A command that was ended before it had
/// anything to print leaves what was there.
///
/// # Errors
/// It cannot be written, or the disk is full; the previous contents are unchanged.
pub(super) fn finish() -> Result<(), BadUse> {
    let Some(path) = output() else { return Ok(()) };
    // It is harmless already, and may have colours.
    let text = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if text.is_empty() {
        return Ok(());
    }
    file::write(path, &text).map_err(|error| unwritten(path, &error))
}

/// The file of `--output FILE`; `-` is stdout.
pub(super) fn output() -> Option<&'static Path> {
    options().output.as_deref().filter(|path| !is_stdin(path))
}

/// Whether what is printed goes to a terminal.
pub(super) fn is_terminal() -> bool {
    output().is_none() && io::stdout().is_terminal()
}

/// Whether text is printed in colours.
pub(super) fn coloured() -> bool {
    in_colours(is_terminal())
}

fn in_colours(terminal: bool) -> bool {
    let set = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
    options().color.unwrap_or_default().in_text(set, terminal)
}

/// The colours of a screen on which `found` would be used.
pub(super) fn depth(found: Depth) -> Depth {
    options().color.unwrap_or(Colour::Auto).on_screen(found)
}

/// Checks whether a screen can be shown; `otherwise` is what to do where it cannot.
///
/// # Errors
/// There is no terminal, or `--output` is given, which takes text.
pub(super) fn screen(otherwise: &str) -> Result<(), BadUse> {
    if output().is_some() {
        let told = "--output is for a command that prints a result, and this one shows a screen";
        return Err(BadUse(told.to_owned()));
    }
    terminal::check().map_err(|error| BadUse(format!("{error}; {otherwise}")))
}

/// Whether stdout still has a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StdoutReader {
    /// The text was written.
    Listens,
    /// The pipe is closed: there is nothing more to do.
    Gone,
}

/// The format of what `--json` prints. It rises when a key is removed, or means something else; a key
/// that is added leaves it as it is.
pub(super) const FORMAT: u32 = 1;

/// The result of `command`, a structure, as JSON, which says so and has the number of its format, with
/// the line's end.
///
/// # Errors
/// It has no JSON: a map whose keys are not texts.
pub(super) fn json(command: &str, result: &impl Serialize) -> serde_json::Result<String> {
    json_until(command, false, result)
}

/// Like [`json`], of a work that Ctrl-C may have ended before all was done: then it says so.
pub(super) fn json_until(
    command: &str,
    interrupted: bool,
    result: &impl Serialize,
) -> serde_json::Result<String> {
    #[derive(Serialize)]
    struct VersionedOutput<'a, T: Serialize> {
        format: u32,
        #[serde(skip_serializing_if = "Option::is_none")]
        interrupted: Option<bool>,
        #[serde(flatten)]
        result: CommandOutput<'a, T>,
    }
    let (interrupted, result) = (interrupted.then_some(true), CommandOutput { command, result });
    let numbered = VersionedOutput { format: FORMAT, interrupted, result };
    Ok(serde_json::to_string_pretty(&numbered)? + "\n")
}

/// Like [`json`], of a result that is also a file, such as a timing pack, and has its own `format`.
pub(super) fn json_of_file(command: &str, result: &impl Serialize) -> serde_json::Result<String> {
    Ok(serde_json::to_string_pretty(&CommandOutput { command, result })? + "\n")
}

/// What a command found.
#[derive(Serialize)]
struct CommandOutput<'a, T: Serialize> {
    command: &'a str,
    #[serde(flatten)]
    result: &'a T,
}

/// Prints `text` on stdout.
///
/// # Errors
/// Any error but a closed pipe, for example a full disk.
pub(super) fn print(text: &str) -> io::Result<StdoutReader> {
    let text = harmless(text);
    if coloured() { print_coloured(&paint::painted(&text)) } else { print_coloured(&text) }
}

/// Prints `text`, which holds nothing that others wrote, with its colours.
pub(super) fn print_coloured(text: &str) -> io::Result<StdoutReader> {
    if output().is_some() {
        KEPT.lock().unwrap_or_else(PoisonError::into_inner).push_str(text);
        return Ok(StdoutReader::Listens);
    }
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(StdoutReader::Listens),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(StdoutReader::Gone),
        Err(error) => Err(error),
    }
}

/// Prints an error on stderr. Where nobody can read it, it is lost, which is not an error.
pub fn complain(text: &str) {
    let short = shortened(text);
    let text = harmless(&short);
    let is_coloured = in_colours(io::stderr().is_terminal());
    let text = if is_coloured { paint::painted(&text) } else { text.to_string() };
    _ = writeln!(io::stderr(), "{text}");
}

/// Prints a note on stderr, unless `--quiet` is given.
pub(super) fn tell(text: &str) {
    if !options().quiet {
        complain(text);
    }
}

/// Rewrites the line that shows how far a command is, on a terminal; an empty text erases it.
pub(super) fn show_progress(text: &str) {
    if terminal::erases(&io::stderr()) && !options().quiet {
        // A line that wraps could not be erased.
        let line: String = harmless(text).chars().take(terminal::columns() - 1).collect();
        _ = write!(io::stderr(), "\r\x1b[K{line}");
    }
}

/// Stdout for a text that is written piece by piece.
pub(super) fn stdout() -> impl Write {
    Stdout
}

struct Stdout;

impl Write for Stdout {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        match print(&String::from_utf8_lossy(text))? {
            StdoutReader::Listens => Ok(text.len()),
            StdoutReader::Gone => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The most bytes of a file of measurements, of a report, or of settings.
const MOST: u64 = 16 << 20;

/// Reads a text file that somebody else may have written. What is not UTF-8 is replaced.
///
/// # Errors
/// It cannot be read, or it is larger than 16 MiB.
pub(super) fn read(path: &Path) -> Result<String, BadUse> {
    let bytes = read_bytes(path, MOST);
    let bytes = bytes.map_err(|error| BadUse(format!("reading {}: {error}", named(path))))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Whether a path stands for standard input, or for stdout where something is written.
pub(super) fn is_stdin(path: &Path) -> bool {
    path == Path::new("-")
}

/// The path for messages.
pub(super) fn named(path: &Path) -> String {
    if is_stdin(path) { "<stdin>".to_owned() } else { path.display().to_string() }
}

/// Reads a file, or standard input, of at most `most` bytes.
///
/// # Errors
/// It cannot be read, or it is larger.
pub(super) fn read_bytes(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    if is_stdin(path) { file::read_from(io::stdin().lock(), most) } else { file::read(path, most) }
}

/// Writes a file, either completely or not at all.
///
/// # Errors
/// It cannot be written, or the disk is full; the previous contents are unchanged.
pub(super) fn write(path: &Path, text: &str) -> Result<(), BadUse> {
    file::write(path, &harmless(text)).map_err(|error| unwritten(path, &error))
}

fn unwritten(path: &Path, error: &io::Error) -> BadUse {
    BadUse(format!("writing {}: {error}", path.display()))
}
