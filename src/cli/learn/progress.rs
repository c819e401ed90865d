//! `matviz learn --progress` and `--reset`: what was answered in the lessons.

use super::args::{Args, number};
use crate::cli::BadUse;
use crate::cli::form::{self, FormArgs, OutputForm};
use crate::cli::output::{self, json_of_file, print, tell};
use crate::lesson::progress::{Progress, csv, report, text, unknown};
use crate::lesson::read;
use crate::tui::clock;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

/// The word that resets everything.
const ALL: &str = "all";

/// Prints the progress.
pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let form = args.form.one_of(form::of_command("learn"))?;
    if args.screen.is_set() {
        return Err(BadUse("--set is for the screen: leave it out".to_owned()).into());
    }
    let (course, _) = read::shipped();
    let mut progress = args.screen.progress();
    let kept = progress.kept();
    let is_unknown = args.only.is_some();
    if is_unknown && form != OutputForm::Text {
        return Err(BadUse("--only unknown is text: leave the form out".to_owned()).into());
    }
    print(&match form {
        OutputForm::Json => json_of_file("learn-progress", kept)?,
        OutputForm::Csv => csv(&course, kept),
        OutputForm::Markdown => report(&course, &read::shipped_text(), kept, &clock::today()),
        _ if is_unknown => unknown(&course, kept),
        _ => text(&course, kept),
    })?;
    for notice in progress.notices() {
        tell(&format!("note: {notice}"));
    }
    Ok(ExitCode::SUCCESS)
}

/// Forgets a lesson, or everything; a terminal is asked before.
pub(super) fn reset(lesson: &str, form: FormArgs) -> anyhow::Result<ExitCode> {
    if form.is_given() {
        return Err(BadUse("--reset prints one line: leave the form out".to_owned()).into());
    }
    let (course, _) = read::shipped();
    let mut progress = Progress::of_user();
    let name = if lesson == ALL {
        None
    } else {
        let number = number(&course, lesson)?;
        let found = course.lessons.iter().find(|lesson| lesson.number == number);
        let none =
            || BadUse(format!("there is no lesson {number}: `matviz learn --list` lists them"));
        Some(found.ok_or_else(none)?)
    };
    let what = name.map_or("Everything".to_owned(), |lesson| format!("Lesson {}", lesson.number));
    if !is_meant(&what)? {
        print("Nothing is forgotten.\n")?;
        return Ok(ExitCode::SUCCESS);
    }
    progress.reset(name.map(|lesson| &*lesson.id));
    let notices = progress.notices();
    for notice in &notices {
        output::complain(&format!("error: {notice}"));
    }
    if notices.is_empty() {
        print(&format!("{what} is forgotten.\n"))?;
        return Ok(ExitCode::SUCCESS);
    }
    Ok(ExitCode::from(2))
}

/// Asks at a terminal; nobody else is asked.
fn is_meant(what: &str) -> io::Result<bool> {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Ok(true);
    }
    write!(io::stderr(), "{what} that you answered will be forgotten. Forget it? [y/N] ")?;
    let mut answer = String::new();
    io::stdin().read_line(&mut answer)?;
    Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
}
