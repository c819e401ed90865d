//! `matviz course new`: files to begin a lesson, an exercise, or the grading of one with.

use super::exercise::exercise;
use super::export::written;
use super::grade::key;
use crate::cli::BadUse;
use crate::cli::output::{is_stdin, print};
use crate::lesson::exercise::read as exercises;
use crate::lesson::read;
use clap::ValueEnum;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{fs, io};

/// Arguments of `matviz course new`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What is begun: a lesson, an exercise, or the grading of one
    #[arg(value_name = "WHAT")]
    what: Begun,
    /// The file of the lesson, or the folder, which is made; nothing is replaced
    #[arg(value_name = "PATH", value_hint = clap::ValueHint::AnyPath)]
    path: PathBuf,
    /// The exercise that is graded: its name, or the folder of one of your own
    #[arg(value_name = "EXERCISE")]
    exercise: Option<String>,
    /// A file with a text that only you know, which is copied into the grader
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    key: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Begun {
    /// A lesson of one page, which asks one question
    Lesson,
    /// An exercise: exercise E1 under a name of your own
    Exercise,
    /// An autograder for Gradescope: its files are zipped and uploaded
    Gradescope,
    /// A workflow for the repository of an assignment in GitHub Classroom
    Classroom,
}

/// A lesson to begin with.
const LESSON: &str = include_str!("../../../lessons/new/lesson.md");

/// What Gradescope runs once, and for each submission.
const SETUP: &str = include_str!("../../../lessons/new/setup.sh");
const RUN: &str = include_str!("../../../lessons/new/run_autograder");

/// What GitHub runs for each push.
const WORKFLOW: &str = include_str!("../../../lessons/new/classroom.yml");

/// Where the program lies in a repository.
const GITHUB: &str = ".github/matviz/";

/// The exercise of which a new one is a copy.
const FIRST: &str = "E1-coalesce";

/// A file: its path in the folder, and its text.
type NewFile = (String, String);

/// Writes the files and says what comes next.
///
/// # Errors
/// A file is there already, or cannot be written; there is no such exercise.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let Args { what, path, exercise, key: secret } = args;
    if is_stdin(path) {
        return Err(BadUse("- is standard output: name a file or a folder".to_owned()).into());
    }
    let is_grader = matches!(what, Begun::Gradescope | Begun::Classroom);
    if is_grader != exercise.is_some() || secret.is_some() && *what != Begun::Gradescope {
        let told = "gradescope and classroom take an EXERCISE, and gradescope alone a --key";
        return Err(BadUse(told.to_owned()).into());
    }
    let named = exercise.as_deref().unwrap_or_default();
    let shown = path.display();
    print(&match what {
        Begun::Lesson => {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            written(path.parent().unwrap_or(Path::new("")), &[(name, LESSON.to_owned())])?;
            format!("Wrote {shown}. `matviz learn --from {shown}` takes it.\n")
        }
        Begun::Exercise => {
            written(path, &copied(path)?)?;
            format!("Wrote {shown}, a copy of E1. `matviz course check {shown}` proves it.\n")
        }
        Begun::Gradescope => {
            let secret = secret.as_deref().map(key).transpose()?.unwrap_or_default();
            let (name, mut files) = graded(named, "source/")?;
            files.push(("setup.sh".to_owned(), SETUP.to_owned()));
            files.push(("run_autograder".to_owned(), RUN.replace("EXERCISE", &name)));
            files.push(("key".to_owned(), secret + "\n"));
            written(path, &files)?;
            program(&path.join("matviz"))?;
            executable(&path.join("run_autograder"))?;
            format!("Wrote {shown}. Zip what is in it, not the folder, and upload that.\n")
        }
        Begun::Classroom => {
            let (name, mut files) = graded(named, GITHUB)?;
            for (file, _) in &mut files {
                file.insert_str(0, GITHUB);
            }
            let file = format!("{}.cu", self::exercise(named)?.id);
            let text = WORKFLOW.replace("EXERCISE", &name).replace("FILE", &file);
            files.push((".github/workflows/classroom.yml".to_owned(), text));
            fs::create_dir_all(path.join(GITHUB))?;
            written(path, &files)?;
            program(&path.join(GITHUB).join("matviz"))?;
            format!("Wrote {shown}. Commit it, and give the organisation a secret MATVIZ_KEY.\n")
        }
    })?;
    Ok(ExitCode::SUCCESS)
}

/// The files of the first exercise under another name.
fn copied(path: &Path) -> Result<Vec<NewFile>, BadUse> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let id = name.split('-').next().unwrap_or_default();
    let is_word = |text: &str| text.chars().all(|letter| letter.is_ascii_alphanumeric());
    if id.is_empty() || !is_word(id) {
        let told = format!("`{name}`: an exercise is called by letters and digits, as T1-sum is");
        return Err(BadUse(told));
    }
    let own = read::exercises().filter_map(|(file, text)| {
        let file = file.strip_prefix(FIRST)?.trim_start_matches('/');
        Some((file.to_owned(), text.replace("Exercise E1", &format!("Exercise {id}"))))
    });
    Ok(own.collect())
}

/// How the grader names an exercise whose program lies at this place; a teacher's own with its files.
fn graded(named: &str, place: &str) -> Result<(String, Vec<NewFile>), BadUse> {
    let exercise = exercise(named)?;
    if exercises::shipped().is_ok_and(|all| all.iter().any(|own| own.is_called(named))) {
        return Ok((exercise.id, Vec::new()));
    }
    let failed = |error: io::Error| BadUse(format!("reading {named}: {error}"));
    let mut files = Vec::new();
    for file in exercises::FILES {
        let text = fs::read_to_string(Path::new(named).join(file)).map_err(failed)?;
        files.push((format!("{}/{file}", exercise.name), text));
    }
    Ok((format!("{place}{}", exercise.name), files))
}

/// Copies this program, which grades there.
fn program(to: &Path) -> Result<(), BadUse> {
    let failed = |error: io::Error| BadUse(format!("copying matviz to {}: {error}", to.display()));
    fs::copy(std::env::current_exe().map_err(failed)?, to).map(drop).map_err(failed)
}

/// Lets a script be run where files say whether they may.
fn executable(script: &Path) -> Result<(), BadUse> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let failed = |error: io::Error| BadUse(format!("{}: {error}", script.display()));
        fs::set_permissions(script, fs::Permissions::from_mode(0o755)).map_err(failed)?;
    }
    let _ = script;
    Ok(())
}
