//! `matviz lessons`: the course, with what is done of it.

use super::output::{self, json, print, tell};
use super::{BadUse, course_screen};
use crate::file;
use crate::lesson::document::Course;
use crate::lesson::progress::{LessonStatus, Row, SavedProgress, list};
use crate::lesson::read;
use crate::report::number::Count;
use crate::tui::lesson::{Lessons, Opening};
use serde::Serialize;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::{fs, io};

/// Arguments of `matviz lessons`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Print the list as text
    #[arg(long, conflicts_with_all = ["theme", "glyphs", "still", "no_mouse"])]
    plain: bool,
    /// Print JSON
    #[arg(long, conflicts_with_all = ["plain", "theme", "glyphs", "still", "no_mouse"])]
    json: bool,
    /// Write the course's files into DIR, its kernels among them; nothing is replaced
    #[arg(long, value_name = "DIR", conflicts_with_all = ["plain", "json", "from"],
          value_hint = clap::ValueHint::DirPath)]
    export: Option<PathBuf>,
    #[command(flatten)]
    screen: course_screen::Args,
}

/// Shows the lessons. As text or JSON, returns 1 if one of `--from` has an error.
///
/// # Errors
/// There is no such path, stdout cannot be written.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    if let Some(folder) = &args.export {
        let files = export(folder)?;
        print(&format!("Wrote {} into {}.\n", Count(files, "file"), folder.display()))?;
        return Ok(ExitCode::SUCCESS);
    }
    let (course, is_right) = args.screen.course()?;
    let mut progress = args.screen.progress();
    if !args.plain && !args.json && output::is_terminal() {
        let notices = progress.notices();
        let lessons = course_screen::lessons(progress);
        let lessons = Lessons { course: Some(Arc::new(course)), ..lessons };
        return args.screen.show(Opening::List, lessons, notices);
    }
    let kept = progress.kept();
    let text = if args.json {
        json("lessons", &CourseReport { lessons: list(&course, kept) })?
    } else {
        let title = if args.screen.is_shipped() { "From one thread to cuBLAS: " } else { "" };
        title.to_owned() + &text(&course, kept)
    };
    print(&text)?;
    for notice in progress.notices() {
        tell(&format!("matviz: {notice}"));
    }
    Ok(if is_right { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Writes the course's files into a folder, which is made if it does not exist.
fn export(folder: &Path) -> Result<u64, BadUse> {
    let failed = |error: io::Error| {
        let why = match error.kind() {
            io::ErrorKind::AlreadyExists => "some of the files are there already".to_owned(),
            _ => error.to_string(),
        };
        BadUse(format!("writing into {}: {why}", folder.display()))
    };
    let files: Vec<_> = read::files().map(|(name, text)| (folder.join(name), text)).collect();
    for parent in files.iter().filter_map(|(path, _)| path.parent()) {
        fs::create_dir_all(parent).map_err(failed)?;
    }
    let all: Vec<_> = files.iter().map(|(path, text)| (path.as_path(), *text)).collect();
    file::create_new(&all).map_err(failed)?;
    Ok(all.len() as u64)
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
        (LessonStatus::Begun, Some(page)) => format!("stands at {}.{page}", row.number),
        (LessonStatus::Done, _) if !row.open.is_empty() => {
            format!("left open: {}", row.open.join(", "))
        }
        _ => row.about.clone(),
    }
}
