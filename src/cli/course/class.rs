//! `matviz course class`: the sum of what the learners of a class hand in.

use crate::cli::BadUse;
use crate::cli::form::{self, FormArgs, OutputForm};
use crate::cli::output::{print, read};
use crate::file;
use crate::lesson::progress::{Progress, class, class_csv};
use crate::lesson::read::shipped;
use std::path::PathBuf;
use std::process::ExitCode;

/// Arguments of `matviz course class`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Files that learners have written by `matviz learn --progress -o me.json`, or folders of them
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    form: FormArgs,
}

/// Prints the learners, the ideas that they showed and when these stopped, and how each question was
/// answered at first.
///
/// # Errors
/// A file is no progress of matviz.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let form = args.form.one_of(form::of_command("course class"))?;
    let mut learners = Vec::new();
    for path in files(&args.paths)? {
        let wrong = |why| BadUse(format!("{}: {why}", path.display()));
        let progress = Progress::of_text(&read(&path)?).map_err(|why| wrong(why.to_string()))?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        learners.push((name, progress.kept().clone()));
    }
    let (course, _) = shipped();
    print(&match form {
        OutputForm::Csv => class_csv(&course, &learners),
        _ => class(&course, &learners),
    })?;
    Ok(ExitCode::SUCCESS)
}

/// The files at some paths; those of folders that end in `.json`.
fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, BadUse> {
    let mut all = Vec::new();
    for path in paths {
        if !file::is_folder(path) {
            all.push(path.clone());
            continue;
        }
        let names = file::names(path);
        let names = names.map_err(|why| BadUse(format!("reading {}: {why}", path.display())))?;
        let files = names.iter().map(|name| path.join(name));
        all.extend(files.filter(|file| file.extension().is_some_and(|end| end == "json")));
    }
    if all.is_empty() {
        return Err(BadUse("there is no file .json in these folders".to_owned()));
    }
    Ok(all)
}
