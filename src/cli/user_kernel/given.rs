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
    Err(BadUse(format!(
        "--cluster: a cluster has at most {MAX_CLUSTER} blocks, and this one {blocks}"
    )))
}

/// The maximum size in bytes of a source or PTX file.
const MOST_TEXT: u64 = 64 << 20;

/// Reads a whole file, up to the limit: a special file may never end.
fn bytes(file: &Path) -> Result<Vec<u8>, BadUse> {
    read_bytes(file, MOST_TEXT).map_err(|error| BadUse(format!("{}: {error}", named(file))))
}

pub(super) fn read(file: &Path) -> Result<String, BadUse> {
    let text = bytes(file)?;
    let no_text = |_| BadUse(format!("{} is not PTX: it is not even text", named(file)));
    let text = String::from_utf8(text).map_err(no_text)?;
    // Some editors begin a file with a byte order mark, which ptxas and the driver refuse.
    let rest = text.strip_prefix('\u{feff}').map(str::to_owned);
    Ok(rest.unwrap_or(text))
}

/// Reads a source, without macros.
///
/// # Errors
/// A file that cannot be read, or that is too large.
pub(in crate::cli) fn source(file: &Path) -> Result<Source, BadUse> {
    let text = bytes(file)?;
    let name = if is_stdin(file) { Path::new("stdin.cu") } else { file };
    let name = name.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let text = String::from_utf8_lossy(&text).into_owned();
    let text = cudac::fenced(&text).unwrap_or(text);
    Ok(Source { file: name, text, ..Source::default() })
}
