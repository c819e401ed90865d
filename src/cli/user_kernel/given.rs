//! What is given of a kernel: its file, and whether a macro, a folder, a cluster can be meant at all.

use super::BadUse;
use crate::cli::output::{is_stdin, named, read_bytes};
use crate::kernel::Source;
use crate::launch::Dim3;
use crate::lesson::edit::launch::{TILE, USUAL_BLOCK, leaves_open};
use crate::sim::MAX_TOGETHER;
use std::path::{Path, PathBuf};

/// Reads a macro, `NAME` or `NAME=VALUE`.
///
/// # Errors
/// Its name is none.
pub(in crate::cli) fn define(text: &str) -> Result<String, String> {
    let name = text.split(['=', '(']).next().unwrap_or_default();
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let is_name =
        name.chars().all(is_letter) && !name.starts_with(|first: char| first.is_ascii_digit());
    if is_name && !name.is_empty() {
        return Ok(text.to_owned());
    }
    Err(format!("`{name}` is no name of a macro: give NAME=VALUE, for example -D TILE=16"))
}

/// Reads the path of a folder.
///
/// # Errors
/// There is none.
pub(super) fn folder(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    if path.is_dir() { Ok(path) } else { Err("there is no such folder".to_owned()) }
}

/// Checks whether any GPU runs clusters of this shape.
///
/// # Errors
/// They have too many blocks.
pub(super) fn of_cluster(shape: Dim3) -> Result<(), BadUse> {
    let blocks = shape.volume();
    if blocks <= MAX_TOGETHER {
        return Ok(());
    }
    Err(BadUse(format!(
        "--cluster: a cluster has at most {MAX_TOGETHER} blocks, and this one {blocks}"
    )))
}

/// Checks whether a file for `--cuda` may be CUDA C at all.
///
/// # Errors
/// It is PTX, or a Markdown text without code.
pub(super) fn is_cuda(file: &Path, text: &str) -> Result<(), BadUse> {
    let code = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with("//");
    let first = text.lines().find(code).unwrap_or_default().trim_start();
    let name = named(file);
    if first.starts_with(".version") || first.starts_with(".target") {
        return Err(BadUse(format!("{name} is PTX: give it with --ptx {name}")));
    }
    let is_markdown = file.extension().is_some_and(|ending| ending == "md");
    if is_markdown && !text.contains("__global__") {
        let told = format!("{name} has no code of CUDA: no fence of it is marked `cuda`");
        return Err(BadUse(told));
    }
    Ok(())
}

/// The side of a square tile that the course's kernels leave to the compiler, as wide as the block,
/// if neither the command line nor a header may define it.
pub(super) fn usual_tile(source: &Source, block: Option<Dim3>) -> Option<String> {
    let Source { text, defines, .. } = source;
    let is_defined = |define: &String| define.split('=').next() == Some(TILE);
    let has_header = text.contains("#include \"");
    let is_open = leaves_open(text, TILE) && !has_header && !defines.iter().any(is_defined);
    is_open.then(|| format!("{TILE}={}", block.unwrap_or(USUAL_BLOCK).x))
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
    Ok(Source { file: name, text, defines: Vec::new() })
}
