//! `matviz learn`: a lesson of the course, on the screen or as lines of text; an exercise; a claim; the
//! list of the first two, and what was answered.

mod args;
mod claims;
mod exercise;
mod list;
mod live_times;
mod progress;
pub mod screen;

pub use args::Args;

use self::live_times::LiveTimes;
use super::BadUse;
use super::form::OutputForm;
use super::output::{self, stdout};
use crate::lesson::document::Course;
use crate::lesson::plain::PlainLesson;
use crate::lesson::progress::{LessonStatus, Progress, list as rows_of};
use crate::lesson::session::LessonSession;
use crate::lesson::setting_runs::SettingCache;
use crate::tui::clock;
use crate::tui::lesson::{Lessons, Opening};
use args::{CLAIMS, number};
use std::io::{self, BufWriter};
use std::process::ExitCode;
use std::sync::Arc;

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
    let named = args.place.as_ref().filter(|place| place.page.is_none());
    if let [claim, words @ ..] = &args.claim[..] {
        if named.is_some_and(|place| place.lesson == CLAIMS) {
            return claims::run(claim, words, args);
        }
        let told = format!("what is `{claim}` here? Only `learn claims` takes more");
        return Err(BadUse(told).into());
    }
    let exercise = named.map(|place| exercise::named(&place.lesson)).transpose()?.flatten();
    if let Some(exercise) = exercise {
        return exercise::run(&exercise, args);
    }
    let is_text = args.form.is_given();
    args.form.one_of(&[OutputForm::Text])?;
    if is_text && args.screen.is_set() {
        return Err(BadUse("--set is for the screen, and a form is asked for".to_owned()).into());
    }
    let course = Arc::new(args.screen.course()?.0);
    let mut progress = args.screen.progress();
    let (lesson, page) = match &args.place {
        Some(place) if place.lesson == CLAIMS => claims::page(&course)?,
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

/// The first lesson that is not done, at the page where it stands; the first if all are.
fn next(course: &Course, progress: &Progress) -> Result<(u32, usize), BadUse> {
    let rows = rows_of(course, progress.kept());
    let row = rows.iter().find(|row| row.state != LessonStatus::Done).or(rows.first());
    let place = row.map(|row| (row.number, row.page.unwrap_or(1).clamp(1, row.pages.max(1))));
    place.ok_or_else(|| BadUse("the course is empty".to_owned()))
}
