//! `matviz lesson`: a lesson of the course, on the screen or as lines of text.

use super::live_times::LiveTimes;
use super::names::meant;
use super::output::{self, stdout};
use super::{BadUse, course_screen};
use crate::lesson::document::Course;
use crate::lesson::plain::PlainLesson;
use crate::lesson::progress::{LessonStatus, Progress, list};
use crate::lesson::session::LessonSession;
use crate::lesson::setting_runs::SettingCache;
use crate::tui::clock;
use crate::tui::lesson::{Lessons, Opening};
use std::io::{self, BufWriter};
use std::process::ExitCode;
use std::sync::Arc;

/// Arguments of `matviz lesson`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Lesson and page, for example 12 or 12.5 [default: the first that is not done]
    #[arg(value_name = "LESSON[.PAGE]")]
    place: Option<PageArg>,
    /// Print the lesson as text, and read an answer from each line
    #[arg(long, conflicts_with_all = ["theme", "glyphs", "still", "no_mouse"])]
    plain: bool,
    /// Seed of the numbers that questions have [default: your own]
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    #[command(flatten)]
    screen: course_screen::Args,
}

/// A lesson, by its number or name, and a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PageArg {
    lesson: String,
    page: Option<usize>,
}

impl std::str::FromStr for PageArg {
    type Err = BadUse;

    fn from_str(text: &str) -> Result<Self, BadUse> {
        let (lesson, page) = match text.split_once('.') {
            None => (text, None),
            Some((lesson, page)) => (lesson, Some(page)),
        };
        let wrong =
            || BadUse(format!("`{text}` is not a lesson: give its number, or 12.5 for its page 5"));
        let page = page.map(str::parse).transpose();
        let page = page.ok().filter(|_| !lesson.is_empty()).ok_or_else(wrong)?;
        Ok(Self { lesson: lesson.to_owned(), page })
    }
}

/// Takes a lesson until it is over or left.
///
/// # Errors
/// There is no such lesson or page.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let course = Arc::new(args.screen.course()?.0);
    let mut progress = args.screen.progress();
    let (lesson, page) = match &args.place {
        Some(place) => (number(&course, &place.lesson)?, place.page.unwrap_or(1)),
        None => next(&course, &progress)?,
    };
    if !args.plain && output::is_terminal() {
        let notices = progress.notices();
        let lessons = course_screen::lessons(progress);
        let lessons = Lessons { course: Some(course), seed: args.seed, ..lessons };
        // What is wrong with the place is said here, and not on the screen.
        lessons.begin((lesson, page)).map_err(BadUse::of)?;
        return args.screen.show(Opening::Page(lesson, page), lessons, notices);
    }
    let seed = args.seed.unwrap_or(progress.kept().seed);
    let cache = SettingCache::timed_by(Some(LiveTimes::start()));
    let mut walk =
        LessonSession::begin_on(cache, course, (lesson, page), seed).map_err(BadUse::of)?;
    if let Some(ahead) = walk.ask_ahead() {
        std::thread::spawn(|| ahead.run());
    }
    let due = progress.kept().due(lesson).filter(|_| page == 1).map(str::to_owned);
    if let Some(idea) = due {
        walk.review(&idea);
    }
    let (day, out) = (clock::today(), BufWriter::new(stdout()));
    PlainLesson::new(&mut walk, &mut progress, &day, out).run(&mut io::stdin().lock())?;
    Ok(ExitCode::SUCCESS)
}

/// The number of a lesson that was named by its number or name.
pub(super) fn number(course: &Course, named: &str) -> Result<u32, BadUse> {
    let by_name = course.lessons.iter().find(|lesson| lesson.id == named);
    let number = by_name.map(|lesson| lesson.number).or_else(|| named.parse().ok());
    number.ok_or_else(|| {
        let meant = meant(named, course.lessons.iter().map(|lesson| lesson.id.as_str()));
        BadUse(format!("there is no lesson `{named}`: `matviz lessons` lists the course{meant}"))
    })
}

/// The first lesson that is not done, at the page where it stands; the first if all are.
fn next(course: &Course, progress: &Progress) -> Result<(u32, usize), BadUse> {
    let rows = list(course, progress.kept());
    let row = rows.iter().find(|row| row.state != LessonStatus::Done).or(rows.first());
    let place = row.map(|row| (row.number, row.page.unwrap_or(1).clamp(1, row.pages.max(1))));
    place.ok_or_else(|| BadUse("the course is empty".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(text: &str) -> Result<(String, Option<usize>), BadUse> {
        text.parse().map(|PageArg { lesson, page }| (lesson, page))
    }

    #[test]
    fn a_place_is_a_lesson_and_perhaps_a_page() {
        assert_eq!(place("12"), Ok(("12".to_owned(), None)));
        assert_eq!(place("12.5"), Ok(("12".to_owned(), Some(5))));
        assert_eq!(place("padding.5"), Ok(("padding".to_owned(), Some(5))));
        for wrong in ["12.", ".5", "12.x", "12.5.1", "12.-1"] {
            assert!(place(wrong).is_err(), "{wrong}");
        }
    }
}
