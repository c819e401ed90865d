//! L18, L22, L23 and L30: each lesson is taken by keys on the real screen, once all right, once with each
//! wrong idea, once all skipped; and the keys that its pages name are pressed.
//!
//! ```text
//! Course --> lesson x screen x way  --player---> keys --> App --> frames --seen--> Diagnostic
//!            page x screen          --pressed-->
//!            page x variant         --told-->
//! ```

mod answer;
mod memo;
mod opened;
mod player;
mod pressed;
mod seen;
mod told;

use crate::lesson::check::Strategy;
use crate::lesson::diagnostic::Diagnostic;
use crate::lesson::document::{Ask, Course, Lesson, PageBlock};
use crate::lesson::setting_runs::SettingCache;
use crate::tui::keymap::Key;
use crate::work::{WorkToken, on_all_cores};
use memo::RunMemo;
use player::{Player, SMALL};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The screens on which a lesson is taken: the second has room for one panel.
const SCREENS: [(u16, u16); 2] = [(120, 36), SMALL];

/// The screens on which the keys of a page are pressed.
const KEYS_ON: [(u16, u16); 3] = [SMALL, (120, 36), (200, 60)];

/// What is done with a lesson on a screen, by its index in the course.
#[derive(Clone, Copy)]
struct LessonJob {
    lesson: usize,
    screen: (u16, u16),
    what: LessonTask,
}

#[derive(Clone, Copy)]
enum LessonTask {
    Take(Strategy),
    /// The keys of a page are pressed, by its index.
    Press(usize),
    /// The kernels that a page shows are held against each other.
    Compare(usize),
}

/// Takes the lessons of a course whose files nothing is wrong with yet, on all cores; with `quick`
/// only once each, all right, on the small screen; until it is cancelled. Returns what a learner
/// would stumble over.
pub fn check(
    course: &Arc<Course>,
    found: &[Diagnostic],
    (caches, quick): (&[SettingCache], bool),
    token: &WorkToken,
) -> Vec<Diagnostic> {
    let wrong: BTreeSet<_> =
        found.iter().filter(|told| !told.warning).map(|told| &*told.file).collect();
    let sound = |(_, lesson): &(usize, &Lesson)| !wrong.contains(&*lesson.file);
    let lessons = course.lessons.iter().enumerate().filter(sound);
    let jobs: Vec<_> = lessons.flat_map(|(index, lesson)| jobs(index, lesson, quick)).collect();
    let memos: Vec<_> = caches.iter().cloned().map(RunMemo::new).collect();
    let done =
        on_all_cores(&jobs, (token, "walk"), |job| take(course, job, &memos[job.lesson], quick));
    first_of_each(done.into_iter().flatten())
}

/// The keys by which a lesson is taken to its end on the small screen, all right.
///
/// # Errors
/// It cannot be opened.
pub fn keys(
    course: &Arc<Course>,
    lesson: &Lesson,
    cache: SettingCache,
) -> Result<Vec<Key>, Box<Diagnostic>> {
    let memo = RunMemo::new(cache);
    Ok(Player::new(course, lesson, &memo, (SMALL, Strategy::Right), true)?.keys())
}

fn jobs(lesson: usize, content: &Lesson, quick: bool) -> Vec<LessonJob> {
    let named = (0..content.pages.len()).filter(|page| pressed::has_keys(&content.pages[*page]));
    let named: Vec<_> = named.map(LessonTask::Press).collect();
    let twins = (0..content.pages.len()).filter(|page| told::has_twins(&content.pages[*page]));
    let twins: Vec<_> = twins.map(LessonTask::Compare).collect();
    let of = |screen, whats: &[LessonTask]| {
        let job = |what: &LessonTask| LessonJob { lesson, screen, what: *what };
        whats.iter().map(job).collect::<Vec<_>>()
    };
    if quick {
        return [of(SMALL, &[LessonTask::Take(Strategy::Right)]), of(SMALL, &named)].concat();
    }
    let most = asks(content).map(ideas).max().unwrap_or(0);
    let ways =
        [Strategy::Right].into_iter().chain((0..most).map(Strategy::Idea)).chain([Strategy::Skip]);
    let ways: Vec<_> = ways.map(LessonTask::Take).collect();
    let taken = SCREENS.into_iter().flat_map(|screen| of(screen, &ways));
    let pressed = KEYS_ON.into_iter().flat_map(|screen| of(screen, &named));
    taken.chain(pressed).chain(of(SMALL, &twins)).collect()
}

/// The questions of a lesson.
fn asks(lesson: &Lesson) -> impl Iterator<Item = &Ask> {
    lesson.pages.iter().flat_map(|page| &page.blocks).filter_map(|page_block| match page_block {
        PageBlock::Ask(ask) => Some(&**ask),
        _ => None,
    })
}

/// The ideas that a question offers.
fn ideas(ask: &Ask) -> usize {
    let of_options = ask.options.iter().filter_map(|option| option.idea.as_ref());
    ask.wrong.iter().chain(of_options).collect::<BTreeSet<_>>().len()
}

fn take(course: &Arc<Course>, job: &LessonJob, memo: &RunMemo, quick: bool) -> Vec<Diagnostic> {
    let Some(lesson) = course.lessons.get(job.lesson) else { return Vec::new() };
    match job.what {
        LessonTask::Press(page) => pressed::check(course, (lesson, page), memo, job.screen),
        LessonTask::Compare(page) => told::twins(course, (lesson, page), memo),
        LessonTask::Take(way) => Player::new(course, lesson, memo, (job.screen, way), quick)
            .map_or_else(|told| vec![*told], Player::take),
    }
}

/// What is found, once for each place.
fn first_of_each(found: impl IntoIterator<Item = Diagnostic>) -> Vec<Diagnostic> {
    let mut all: Vec<Diagnostic> = Vec::new();
    for told in found {
        let same = |other: &Diagnostic| {
            (&other.file, other.code, other.line) == (&told.file, told.code, told.line)
        };
        if !all.iter().any(same) {
            all.push(told);
        }
    }
    all
}
