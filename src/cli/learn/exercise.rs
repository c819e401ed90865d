//! `matviz learn E1`: an exercise on the screen on which a file is edited, or its task as text.

use super::args::Args;
use crate::cli::BadUse;
use crate::cli::course::exercise::exercise;
use crate::cli::form::OutputForm;
use crate::cli::output::{self, print};
use crate::cli::view::follow;
use crate::file;
use crate::lesson::edit::version::EditRequest;
use crate::lesson::exercise::Exercise;
use crate::lesson::exercise::assignment::Assignment;
use crate::lesson::exercise::read;
use crate::tui::edit::job::{Opened, file_name};
use crate::tui::layout::text::wrapped;
use crate::tui::{self, clock};
use std::fmt::Write as _;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

/// The columns of a text.
const WIDTH: u16 = 78;

/// The exercise that is called so, or a teacher's in this folder.
///
/// # Errors
/// What is wrong in the folder.
pub(super) fn named(name: &str) -> Result<Option<Exercise>, BadUse> {
    let shipped = read::shipped().unwrap_or_default();
    let own = Path::new(name).join("rubric.toml").exists();
    let is_one = own || shipped.iter().any(|exercise| exercise.is_called(name));
    is_one.then(|| exercise(name)).transpose()
}

/// Opens the exercise's file, which is written if it does not exist; without a terminal, or where text is
/// asked for, prints the task.
pub(super) fn run(exercise: &Exercise, args: &Args) -> anyhow::Result<ExitCode> {
    args.form.one_of(&[OutputForm::Text])?;
    if args.form.is_given() || !output::is_terminal() {
        print(&text(exercise))?;
        return Ok(ExitCode::SUCCESS);
    }
    output::screen("use --format text for the task as text")?;
    let path = PathBuf::from(format!("{}.cu", exercise.id));
    begun(&path, &exercise.starter)?;
    let assignment = Some(Arc::new(Assignment::practice(Arc::new(exercise.clone()))));
    let request = EditRequest { file: file_name(&path), assignment, ..EditRequest::default() };
    let opened = Opened::read(path.clone(), request, clock::time_of_day());
    let opened = opened.map_err(|why| BadUse(format!("{}: {why}", path.display())))?;
    tui::edit(args.screen.edits(follow::first_run(&opened)), opened)?;
    Ok(ExitCode::SUCCESS)
}

/// Writes the starter, unless the learner has begun.
fn begun(path: &Path, starter: &str) -> Result<(), BadUse> {
    match file::create_new(&[(path, starter)]) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => {
            Err(BadUse(format!("writing {}: {error}", path.display())))
        }
        _ => Ok(()),
    }
}

/// The task and what is judged.
fn text(exercise: &Exercise) -> String {
    let Exercise { id, title, task, rubric, .. } = exercise;
    let task: Vec<_> = task.iter().map(|text| wrapped(text, WIDTH).join("\n")).collect();
    let mut text = format!("{id}: {title}\n\n{}\n\nJudged in this order:\n", task.join("\n\n"));
    let sizes: Vec<_> = rubric.sizes.iter().map(ToString::to_string).collect();
    let _ = writeln!(text, "  it compiles, and no block faults or goes on for ever");
    let _ = writeln!(text, "  C is right at {}", sizes.join(", "));
    let _ = writeln!(text, "  the checks find nothing: no race in any order of the warps");
    for goal in &rubric.goals {
        let _ = writeln!(text, "  {}: {}", goal.label, goal.want.text);
    }
    let _ = writeln!(text, "\n`matviz learn {id}` writes {id}.cu and judges it at each save.");
    let _ = writeln!(text, "`matviz course grade {id} {id}.cu` judges it once.");
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn who_has_begun_goes_on_and_nothing_is_overwritten() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("E1.cu");
        begun(&path, "starter").expect("it is written");
        assert_eq!(fs::read_to_string(&path).ok().as_deref(), Some("starter"));
        fs::write(&path, "mine").expect("written");
        begun(&path, "starter").expect("it is there");
        assert_eq!(fs::read_to_string(&path).ok().as_deref(), Some("mine"));
        let nowhere = folder.path().join("none/E1.cu");
        let told = begun(&nowhere, "starter").expect_err("there is no such folder").to_string();
        assert!(told.contains("E1.cu"), "{told}");
    }
}
