//! `matviz learn`: a lesson of the course, on the screen or as lines of text; the list of the lessons, and
//! what was answered.

mod list;
mod live_times;
mod progress;
pub mod screen;

use self::live_times::LiveTimes;
use super::BadUse;
use super::form::{FormArgs, OutputForm};
use super::names::{NameParser, meant};
use super::output::{self, stdout};
use crate::lesson::document::Course;
use crate::lesson::plain::PlainLesson;
use crate::lesson::progress::{LessonStatus, Progress, list as rows_of};
use crate::lesson::read;
use crate::lesson::session::LessonSession;
use crate::lesson::setting_runs::SettingCache;
use crate::tui::clock;
use crate::tui::lesson::{Lessons, Opening};
use std::io::{self, BufWriter};
use std::process::ExitCode;
use std::sync::{Arc, LazyLock};

/// Arguments of `matviz learn`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Lesson and page, for example 12 or 12.5 [default: the first that is not done]
    #[arg(value_name = "LESSON[.PAGE]", value_parser = PLACE, hide_possible_values = true)]
    place: Option<PageArg>,
    /// List the lessons, with what is done of them
    #[arg(long, conflicts_with = "place")]
    list: bool,
    /// Print what you have answered; -o me.md writes it as a report to hand in
    #[arg(long, conflicts_with_all = ["place", "list", "from", "seed"])]
    progress: bool,
    /// Of the progress only: unknown, the wrong answers that no known idea explains
    // What conflicts with --progress would waive that it is required.
    #[arg(long, value_name = "PART", value_parser = ["unknown"], requires = "progress",
          conflicts_with_all = ["place", "list", "reset", "from", "seed"],
          hide_possible_values = true)]
    only: Option<String>,
    /// Forget a lesson, or all of them; a terminal asks first
    #[arg(long, value_name = "LESSON|all", conflicts_with_all = ["place", "list", "progress", "from", "seed", "no_progress"])]
    reset: Option<String>,
    /// Seed of the numbers that questions have [default: your own]
    #[arg(long, value_name = "S", hide_short_help = true)]
    seed: Option<u64>,
    #[command(flatten)]
    screen: screen::Args,
    #[command(flatten)]
    form: FormArgs,
}

const PLACE: NameParser<PageArg> = NameParser {
    of: || LESSON_NAMES.iter().map(|(id, title)| (id.as_str(), title.as_str())).collect(),
    parse: str::parse,
};

/// The lessons that matviz brings, by name, each with its title.
static LESSON_NAMES: LazyLock<Vec<(String, String)>> = LazyLock::new(|| {
    let lessons = read::shipped().0.lessons;
    lessons.into_iter().map(|lesson| (lesson.id, lesson.title)).collect()
});

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

/// Takes a lesson until it is over or left; lists the lessons; prints or forgets what was answered.
///
/// # Errors
/// There is no such lesson or page.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    match &args.reset {
        Some(lesson) => progress::reset(lesson, args.form),
        None if args.progress => progress::run(args),
        None if args.list => list::run(args),
        None => take(args),
    }
}

fn take(args: &Args) -> anyhow::Result<ExitCode> {
    let is_text = args.form.is_given();
    args.form.one_of(&[OutputForm::Text])?;
    if is_text && args.screen.is_set() {
        return Err(BadUse("--set is for the screen, and a form is asked for".to_owned()).into());
    }
    let course = Arc::new(args.screen.course()?.0);
    let mut progress = args.screen.progress();
    let (lesson, page) = match &args.place {
        Some(place) => (number(&course, &place.lesson)?, place.page.unwrap_or(1)),
        None => next(&course, &progress)?,
    };
    if !is_text && output::is_terminal() {
        let notices = progress.notices();
        let lessons = screen::lessons(progress);
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
        BadUse(format!(
            "there is no lesson `{named}`: `matviz learn --list` lists the course{meant}"
        ))
    })
}

/// The first lesson that is not done, at the page where it stands; the first if all are.
fn next(course: &Course, progress: &Progress) -> Result<(u32, usize), BadUse> {
    let rows = rows_of(course, progress.kept());
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
