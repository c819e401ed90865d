//! `matviz course grade`: submissions to an exercise, judged as on the screen on which they are written.

pub mod examiner;
mod forms;

use crate::cli::BadUse;
use crate::cli::course::exercise::exercise;
use crate::cli::form::{self, FormArgs, OutputForm};
use crate::cli::names::NameParser;
use crate::cli::output::{is_stdin, named, print, read_bytes};
use crate::cli::working::Working;
use crate::file;
use crate::lesson::exercise::assignment::Assignment;
use crate::lesson::exercise::grade::{Grade, LARGEST, NotJudged};
use crate::lesson::exercise::read;
use crate::work::on_all_cores;
use examiner::Examination;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, LazyLock};

/// The command, as forms and help know it.
const COMMAND: &str = "course grade";

/// Arguments of `matviz course grade`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The exercise: its name, or the folder of one of your own
    #[arg(value_name = "EXERCISE", value_parser = EXERCISE, hide_possible_values = true)]
    assignment: String,
    /// Submissions: a file each (- is standard input), or folders of them: each .cu, or a folder of its
    /// own with one
    #[arg(value_name = "PATH", required = true)]
    paths: Vec<PathBuf>,
    /// A file with a text that only you know: the contents of the matrices and the hidden sizes are
    /// drawn from it [default: from the exercise's name]
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    key: Option<PathBuf>,
    #[command(flatten)]
    form: FormArgs,
}

const EXERCISE: NameParser<String> = NameParser {
    of: || NAMES.iter().map(|(id, title)| (id.as_str(), title.as_str())).collect(),
    parse: |text| Ok(text.to_owned()),
};

/// The exercises that matviz brings, by name, each with its title.
static NAMES: LazyLock<Vec<(String, String)>> = LazyLock::new(|| {
    let all = read::shipped().unwrap_or_default();
    all.iter().map(|exercise| (exercise.id.clone(), exercise.title.clone())).collect()
});

/// A submission: its name in the result, and its text.
struct Submission {
    name: String,
    text: Result<String, NotJudged>,
}

/// Grades the submissions and prints the result: also of those that crash the judge or never end.
/// Returns 0 if each has all points, 3 if the only one does not compile, else 1.
///
/// # Errors
/// No such exercise, no such file, no submission, or several in a form that has one.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let form = args.form.one_of(form::of_command(COMMAND))?;
    let exercise = exercise(&args.assignment)?;
    let key = args.key.as_deref().map(key).transpose()?.unwrap_or_default();
    let submissions = match &args.paths[..] {
        // Gradescope has a folder for each submission.
        [path] if form == OutputForm::Gradescope && file::is_folder(path) => {
            vec![Submission { name: named(path), text: only_one(path) }]
        }
        paths => submissions(paths)?,
    };
    if form == OutputForm::Gradescope && submissions.len() != 1 {
        let told = "--format gradescope is the result of one submission: give its file or folder";
        return Err(BadUse(told.to_owned()).into());
    }
    let assignment = Arc::new(Assignment::graded(Arc::new(exercise), &key));
    let working = Working::on(format!("grading {}", args.assignment));
    let grade = |submission: &Submission| {
        let Submission { name, text } = submission;
        let judged = text
            .clone()
            .and_then(|text| Examination::of(&args.assignment, &key, name, text).in_a_child());
        judged.unwrap_or_else(|why| Grade::not_judged(&assignment, name, &why))
    };
    let grades = on_all_cores(&submissions, (&working.kept(), "submission"), grade);
    let ended = working.ends();
    print(&match form {
        OutputForm::Json => ended.json("course-grade", &forms::GradesReport::new(&grades))?,
        OutputForm::Csv => forms::csv(&grades),
        OutputForm::Junit => forms::junit(&grades),
        OutputForm::Gradescope => forms::gradescope(&grades)?,
        _ => forms::text(&assignment.exercise, &grades),
    })?;
    let fails: Vec<_> = grades.iter().filter_map(|grade| grade.fails.as_deref()).collect();
    Ok(ended.code(match fails[..] {
        [] => ExitCode::SUCCESS,
        ["compiles"] if grades.len() == 1 => ExitCode::from(3),
        _ => ExitCode::FAILURE,
    }))
}

/// The text of a key's file.
///
/// # Errors
/// It cannot be read.
pub(super) fn key(path: &Path) -> Result<String, BadUse> {
    let bytes = read_bytes(path, LARGEST as u64);
    let bytes = bytes.map_err(|error| BadUse(format!("reading {}: {error}", named(path))))?;
    Ok(String::from_utf8_lossy(&bytes).trim().to_owned())
}

/// The submissions at some paths.
fn submissions(paths: &[PathBuf]) -> Result<Vec<Submission>, BadUse> {
    let mut all = Vec::new();
    for path in paths {
        if !is_stdin(path) && path.symlink_metadata().is_err() {
            return Err(BadUse(format!("there is no {}", path.display())));
        }
        if is_stdin(path) || !file::is_folder(path) {
            all.push(Submission { name: named(path), text: text(path) });
            continue;
        }
        let failed = |error| BadUse(format!("reading {}: {error}", path.display()));
        for name in file::names(path).map_err(failed)? {
            let below = path.join(&name);
            if file::is_folder(&below) {
                all.push(Submission { name, text: only_one(&below) });
                continue;
            }
            if is_source(&below) {
                all.push(Submission { name, text: text(&below) });
            }
        }
    }
    if all.is_empty() {
        return Err(BadUse("there is no submission: no .cu, and no folder".to_owned()));
    }
    Ok(all)
}

fn is_source(path: &Path) -> bool {
    path.extension().is_some_and(|end| end == "cu")
}

/// The only source in somebody's folder.
fn only_one(folder: &Path) -> Result<String, NotJudged> {
    let names = file::names(folder).map_err(|why| NotJudged::Unreadable(why.to_string()))?;
    let sources: Vec<_> =
        names.iter().map(|name| folder.join(name)).filter(|path| is_source(path)).collect();
    match &sources[..] {
        [one] => text(one),
        all => {
            Err(NotJudged::Unreadable(format!("the folder has {} files .cu, not one", all.len())))
        }
    }
}

fn text(path: &Path) -> Result<String, NotJudged> {
    let unreadable = |told: &str| NotJudged::Unreadable(told.to_owned());
    if !is_stdin(path) && !file::is_ordinary(path).unwrap_or(false) {
        return Err(unreadable("it is no ordinary file"));
    }
    let bytes = read_bytes(path, LARGEST as u64).map_err(|error| match error.kind() {
        std::io::ErrorKind::FileTooLarge => NotJudged::TooLarge,
        _ => unreadable(&error.to_string()),
    })?;
    String::from_utf8(bytes).ok().filter(|text| !text.contains('\0')).ok_or(NotJudged::NotText)
}
