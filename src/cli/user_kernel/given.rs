//! What is given of a kernel: its file, and whether a macro, a folder, a cluster can be meant at all.

use super::BadUse;
use crate::cli::output::{is_stdin, named, read_bytes};
use crate::kernel::Source;
use crate::launch::Dim3;
use crate::sim::MAX_CLUSTER;
use std::path::{Path, PathBuf};

/// Reads a macro, `NAME` or `NAME=VALUE`.
pub(in crate::cli) fn define(text: &str) -> Result<String, BadUse> {
    let name = text.split(['=', '(']).next().unwrap_or_default();
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let is_name =
        name.chars().all(is_letter) && !name.starts_with(|first: char| first.is_ascii_digit());
    if is_name && !name.is_empty() {
        return Ok(text.to_owned());
    }
    Err(BadUse(format!("`{name}` is no name of a macro: give NAME=VALUE, for example -D TILE=16")))
}

/// Reads the path of a folder.
pub(super) fn folder(text: &str) -> Result<PathBuf, BadUse> {
    let path = PathBuf::from(text);
    if path.is_dir() { Ok(path) } else { Err(BadUse("there is no such folder".to_owned())) }
}

/// Checks whether any GPU runs clusters of this shape.
pub(super) fn of_cluster(shape: Dim3) -> Result<(), BadUse> {
    let blocks = shape.volume();
    if blocks <= MAX_CLUSTER {
        return Ok(());
    }
    Err(BadUse(format!("a cluster has at most {MAX_CLUSTER} blocks, and this one {blocks}")))
}

/// The maximum size in bytes of a source or PTX file.
const MOST_TEXT: u64 = 64 << 20;

/// Reads a whole file, up to the limit: a special file may never end.
fn bytes(file: &Path) -> Result<Vec<u8>, BadUse> {
    read_bytes(file, MOST_TEXT).map_err(|error| BadUse(format!("{}: {error}", named(file))))
}

/// The text of a file, by what it is in.
pub(in crate::cli) enum SourceText {
    Cuda(Source),
    Ptx(String),
}

impl SourceText {
    /// Reads a file and tells by its text what it is; Python is told from C where it is compiled.
    ///
    /// # Errors
    /// A file that cannot be read, or of a kind that nothing here reads.
    pub(in crate::cli) fn read(file: &Path) -> Result<Self, BadUse> {
        let text = bytes(file)?;
        let name = named(file);
        let ending = file.extension().unwrap_or_default().to_string_lossy().into_owned();
        let lossy = String::from_utf8_lossy(&text);
        // Some editors begin a file with a byte order mark, which ptxas and the driver refuse.
        let start = lossy.strip_prefix('\u{feff}').unwrap_or(&lossy);
        if is_ptx(start) {
            return Ok(Self::Ptx(start.to_owned()));
        }
        if ending == "ptx" {
            let why =
                if text.contains(&0) { "it is not even text" } else { "no .version begins it" };
            return Err(BadUse(format!("{name} is not PTX: {why}")));
        }
        if text.starts_with(b"\x7fELF") || text.contains(&0) {
            return Err(BadUse(format!(
                "{name} is not text: give the source or the PTX of a kernel"
            )));
        }
        if ending == "csv" {
            let told = format!(
                "{name} is no kernel: a report of Nsight Compute is for `matviz check --against {name}`"
            );
            return Err(BadUse(told));
        }
        Ok(Self::Cuda(source_of(file, &lossy)))
    }
}

/// Whether a text is PTX: its first line that is no comment is a directive of it.
fn is_ptx(text: &str) -> bool {
    let code = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with("//");
    let first = text.lines().find(code).unwrap_or_default().trim_start();
    let within = || text.lines().take(100).any(|line| line.trim_start().starts_with(".version "));
    first.starts_with(".version")
        || first.starts_with(".target")
        || (first.starts_with("/*") && within())
}

/// Reads a source, without macros.
///
/// # Errors
/// A file that cannot be read, or that is too large.
pub(in crate::cli) fn source(file: &Path) -> Result<Source, BadUse> {
    Ok(source_of(file, &String::from_utf8_lossy(&bytes(file)?)))
}

fn source_of(file: &Path, text: &str) -> Source {
    let name = if is_stdin(file) { Path::new("stdin.cu") } else { file };
    let name = name.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let text = cudac::fenced(text).unwrap_or_else(|| text.to_owned());
    Source { file: name, text, ..Source::default() }
}
