//! `matviz lessons`: the course, with what is done of it.

use super::course_screen;
use super::output::{json, print, tell};
use crate::lesson::document::Course;
use crate::lesson::progress::{Kept, Row, State, list};
use crate::tui::lesson::{Lessons, Opening};
use std::fmt::Write as _;
use std::io::{self, IsTerminal};
use std::process::ExitCode;
use std::sync::Arc;

/// Arguments of `matviz lessons`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Print the list as text
    #[arg(long, conflicts_with_all = ["theme", "glyphs", "still", "no_mouse"])]
    plain: bool,
    /// Print JSON
    #[arg(long, conflicts_with_all = ["plain", "theme", "glyphs", "still", "no_mouse"])]
    json: bool,
    #[command(flatten)]
    screen: course_screen::Args,
}

/// Shows the lessons.
///
/// # Errors
/// stdout cannot be written.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let course = args.screen.course();
    let mut progress = args.screen.progress();
    if !args.plain && !args.json && io::stdout().is_terminal() {
        let notices = progress.notices();
        let lessons = course_screen::lessons(progress);
        let lessons = Lessons { course: Some(Arc::new(course)), ..lessons };
        return args.screen.show(Opening::List, lessons, notices);
    }
    let kept = progress.kept();
    let text = if args.json { json(&list(&course, kept))? } else { text(&course, kept) };
    print(&text)?;
    for notice in progress.notices() {
        tell(&format!("matviz: {notice}"));
    }
    Ok(ExitCode::SUCCESS)
}

/// The course in a line for each lesson.
fn text(course: &Course, kept: &Kept) -> String {
    let rows = list(course, kept);
    let done = rows.iter().filter(|row| row.state == State::Done).count();
    let minutes: u32 = rows.iter().map(|row| row.minutes).sum();
    let mut text = format!(
        "From one thread to cuBLAS: {} lessons, {minutes} minutes; {done} done.\n\n",
        rows.len()
    );
    let title = rows.iter().map(|row| row.title.chars().count()).max().unwrap_or(0);
    let next = rows.iter().find(|row| row.state != State::Done).map(|row| row.number);
    for row in &rows {
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
        _ = write!(text, "\nmatviz lesson {next} starts the next one");
        text.push_str(", matviz lesson 12.5 goes to a page.\n");
    }
    text
}

/// Where a lesson stands, or what it is about.
fn about(row: &Row) -> String {
    match (row.state, row.page) {
        (State::Begun, Some(page)) => format!("stands at {}.{page}", row.number),
        (State::Done, _) if !row.open.is_empty() => format!("left open: {}", row.open.join(", ")),
        _ => row.about.clone(),
    }
}
