//! `matviz course export`: the course's files, to begin one's own with.

use crate::cli::BadUse;
use crate::cli::output::{is_stdin, print};
use crate::file;
use crate::lesson::read;
use crate::report::number::Count;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{fs, io};

/// Arguments of `matviz course export`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The folder, which is made if it does not exist
    #[arg(value_name = "DIR", value_hint = clap::ValueHint::DirPath)]
    folder: PathBuf,
}

/// Writes the files.
pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let folder = &args.folder;
    if is_stdin(folder) {
        let told = "- is standard output, and these are many files: name a folder, which is made";
        return Err(BadUse(told.to_owned()).into());
    }
    if folder.exists() && !folder.is_dir() {
        let told = format!("{} is a file: name a folder, which is made", folder.display());
        return Err(BadUse(told).into());
    }
    let all: Vec<_> =
        read::files().map(|(name, text)| (name.to_owned(), text.to_owned())).collect();
    let files = all.len() as u64;
    written(folder, &all)?;
    print(&format!("Wrote {} into {}.\n", Count(files, "file"), folder.display()))?;
    Ok(ExitCode::SUCCESS)
}

/// Writes files, by their paths in a folder, which is made; nothing is replaced.
///
/// # Errors
/// One of them is there already, or cannot be written.
pub(super) fn written(folder: &Path, files: &[(String, String)]) -> Result<(), BadUse> {
    let failed = |error: io::Error| {
        let why = match error.kind() {
            io::ErrorKind::AlreadyExists => "some of the files are there already".to_owned(),
            _ => error.to_string(),
        };
        BadUse(format!("writing into {}: {why}", folder.display()))
    };
    let files: Vec<_> = files.iter().map(|(name, text)| (folder.join(name), text)).collect();
    for parent in files.iter().filter_map(|(path, _)| path.parent()) {
        fs::create_dir_all(parent).map_err(failed)?;
    }
    let all: Vec<_> = files.iter().map(|(path, text)| (path.as_path(), text.as_str())).collect();
    file::create_new(&all).map_err(failed)
}
