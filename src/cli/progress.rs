//! `matviz progress`: what was answered in the lessons.

use super::lesson::number;
use super::output::{json_of_file, print, tell, write};
use crate::lesson::document::Course;
use crate::lesson::progress::{Progress, csv, report, text, unknown};
use crate::lesson::read;
use crate::tui::clock;
use std::path::PathBuf;
use std::process::ExitCode;

/// Arguments of `matviz progress`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Print JSON
    #[arg(long, group = "form")]
    json: bool,
    /// Print a line of CSV for each answer
    #[arg(long, group = "form")]
    csv: bool,
    /// List the wrong answers that no known idea explains
    #[arg(long, group = "form")]
    unknown: bool,
    /// Write what you have answered to FILE as Markdown, to hand it in
    #[arg(long, value_name = "FILE.md", group = "form")]
    report: Option<PathBuf>,
    /// Forget a lesson, or everything
    #[arg(long, value_name = "LESSON", group = "form", num_args = 0..=1, default_missing_value = "")]
    reset: Option<String>,
}

/// Prints the progress, or forgets it.
///
/// # Errors
/// There is no such lesson, stdout cannot be written.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let (course, _) = read::shipped();
    let mut progress = Progress::of_user();
    let kept = progress.kept();
    let text = match &args.reset {
        Some(lesson) => reset(&course, &mut progress, lesson)?,
        None if args.json => json_of_file("progress", kept)?,
        None if args.csv => csv(&course, kept),
        None if args.unknown => unknown(&course, kept),
        None => match &args.report {
            Some(file) => {
                write(file, &report(&course, &read::shipped_text(), kept, &clock::today()))?;
                format!("Wrote {}.\n", file.display())
            }
            None => text(&course, kept),
        },
    };
    print(&text)?;
    let notices = progress.notices();
    for notice in &notices {
        tell(&format!("matviz: {notice}"));
    }
    let failed = args.reset.is_some() && !notices.is_empty();
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Forgets a lesson, or everything if none is named.
fn reset(course: &Course, progress: &mut Progress, lesson: &str) -> anyhow::Result<String> {
    if lesson.is_empty() {
        progress.reset(None);
        return Ok("Everything is forgotten.\n".to_owned());
    }
    let number = number(course, lesson)?;
    let found = course.lessons.iter().find(|lesson| lesson.number == number);
    let name = found.map_or(lesson, |lesson| &lesson.id);
    progress.reset(Some(name));
    Ok(format!("Lesson {number} is forgotten.\n"))
}
