//! `matviz learn --list`: the course, with what is done of it.

use super::args::Args;
use super::screen;
use crate::cli::BadUse;
use crate::cli::form::OutputForm;
use crate::cli::output::{self, json, print, tell};
use crate::lesson::document::Course;
use crate::lesson::exercise::{Exercise, read};
use crate::lesson::progress::{LessonStatus, Row, SavedProgress, list};
use crate::report::number::Count;
use crate::tui::lesson::{Lessons, Opening};
use serde::Serialize;
use std::fmt::Write as _;
use std::process::ExitCode;
use std::sync::Arc;

/// Shows the lessons. As text or JSON, returns 1 if one of `--from` has an error.
pub(super) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let form = args.form.one_of(&[OutputForm::Text, OutputForm::Json])?;
    let is_printed = args.form.is_given() || !output::is_terminal();
    if args.form.is_given() && args.screen.is_set() {
        return Err(BadUse("--set is for the screen, and a form is asked for".to_owned()).into());
    }
    let (course, is_right) = args.screen.course()?;
    let mut progress = args.screen.progress();
    if !is_printed {
        let notices = progress.notices();
        let lessons = screen::lessons(progress);
        let lessons = Lessons { course: Some(Arc::new(course)), ..lessons };
        return args.screen.show(Opening::List, lessons, notices);
    }
    let kept = progress.kept();
    let text = if form == OutputForm::Json {
        json("learn-list", &CourseReport { lessons: list(&course, kept) })?
    } else if args.screen.is_shipped() {
        let title = "From one thread to cuBLAS: ".to_owned();
        title + &text(&course, kept) + &exercises(kept)
    } else {
        text(&course, kept)
    };
    print(&text)?;
    for notice in progress.notices() {
        tell(&format!("note: {notice}"));
    }
    Ok(if is_right { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The course as JSON.
#[derive(Serialize)]
struct CourseReport {
    lessons: Vec<Row>,
}

/// The course in a line for each lesson.
fn text(course: &Course, kept: &SavedProgress) -> String {
    let rows = list(course, kept);
    let done = rows.iter().filter(|row| row.state == LessonStatus::Done).count();
    let minutes: u32 = rows.iter().map(|row| row.minutes).sum();
    let mut text =
        format!("{}, {minutes} minutes; {done} done.\n\n", Count(rows.len() as u64, "lesson"));
    let title = rows.iter().map(|row| row.title.chars().count()).max().unwrap_or(0);
    let next = rows.iter().find(|row| row.state != LessonStatus::Done).map(|row| row.number);
    let begins =
        |id: &String| course.groups.iter().skip(1).any(|of| of.lessons.first() == Some(id));
    for row in &rows {
        if begins(&row.id) {
            text.push('\n');
        }
        let mark = if next == Some(row.number) { '>' } else { ' ' };
        let line = format!(
            "{mark} {:>3}  {:<title$}  {:<5}  {:>2} min  {}",
            row.number,
            row.title,
            row.state.word(),
            row.minutes,
            about(row)
        );
        _ = writeln!(text, "{}", line.trim_end());
    }
    if let Some(next) = next {
        _ = write!(text, "\nmatviz learn {next} starts the next one");
        text.push_str(", matviz learn 12.5 goes to a page.\n");
    }
    text
}

/// The exercises in a line each.
fn exercises(kept: &SavedProgress) -> String {
    let all = read::shipped().unwrap_or_default();
    let width = all.iter().map(|exercise| exercise.title.chars().count()).max().unwrap_or(0);
    let mut text = "\nExercises: a kernel to write or to mend, judged at each save.\n\n".to_owned();
    for Exercise { id, title, .. } in all {
        let state = if kept.exercises.contains_key(id) { "solved" } else { "" };
        let line = format!("  {id:>3}  {title:<width$}  {state}");
        _ = writeln!(text, "{}", line.trim_end());
    }
    text + "\nmatviz learn E1 begins one.\n"
}

/// Where a lesson stands, or what it is about.
fn about(row: &Row) -> String {
    match (row.state, row.page) {
        (LessonStatus::Begun, Some(page)) => format!("stands at {}.{page}", row.number),
        (LessonStatus::Done, _) if !row.open.is_empty() => {
            format!("left open: {}", row.open.join(", "))
        }
        _ => row.about.clone(),
    }
}
