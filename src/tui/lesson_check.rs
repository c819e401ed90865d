//! L18, L22, L23 and L30: each lesson is taken by keys on the real screen, once all right, once with each
//! wrong idea, once all skipped; and the keys that its pages name are pressed.
//!
//! ```text
//! Course --> lesson x screen x way  --player---> keys --> App --> frames --seen--> Complaint
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

use crate::lesson::check::Way;
use crate::lesson::complaint::Complaint;
use crate::lesson::document::{Ask, Beat, Course, Lesson};
use crate::lesson::stage::Stages;
use crate::work::{WorkToken, on_all_cores};
use memo::Memo;
use player::{Player, SMALL};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The screens on which a lesson is taken: the second has room for one panel.
const SCREENS: [(u16, u16); 2] = [(120, 36), SMALL];

/// The screens on which the keys of a page are pressed.
const KEYS_ON: [(u16, u16); 3] = [SMALL, (120, 36), (200, 60)];

/// What is done with a lesson on a screen, by its index in the course.
#[derive(Clone, Copy)]
struct Job {
    lesson: usize,
    screen: (u16, u16),
    what: What,
}

#[derive(Clone, Copy)]
enum What {
    Take(Way),
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
    found: &[Complaint],
    (stages, quick): (&[Stages], bool),
    token: &WorkToken,
) -> Vec<Complaint> {
    let wrong: BTreeSet<_> =
        found.iter().filter(|told| !told.warning).map(|told| &*told.file).collect();
    let sound = |(_, lesson): &(usize, &Lesson)| !wrong.contains(&*lesson.file);
    let lessons = course.lessons.iter().enumerate().filter(sound);
    let jobs: Vec<_> = lessons.flat_map(|(index, lesson)| jobs(index, lesson, quick)).collect();
    let memos: Vec<_> = stages.iter().cloned().map(Memo::new).collect();
    let done =
        on_all_cores(&jobs, (token, "walk"), |job| take(course, job, &memos[job.lesson], quick));
    first_of_each(done.into_iter().flatten())
}

fn jobs(lesson: usize, content: &Lesson, quick: bool) -> Vec<Job> {
    let named = (0..content.pages.len()).filter(|page| pressed::has_keys(&content.pages[*page]));
    let named: Vec<_> = named.map(What::Press).collect();
    let twins = (0..content.pages.len()).filter(|page| told::has_twins(&content.pages[*page]));
    let twins: Vec<_> = twins.map(What::Compare).collect();
    let of = |screen, whats: &[What]| {
        let job = |what: &What| Job { lesson, screen, what: *what };
        whats.iter().map(job).collect::<Vec<_>>()
    };
    if quick {
        return [of(SMALL, &[What::Take(Way::Right)]), of(SMALL, &named)].concat();
    }
    let most = asks(content).map(ideas).max().unwrap_or(0);
    let ways = [Way::Right].into_iter().chain((0..most).map(Way::Idea)).chain([Way::Skip]);
    let ways: Vec<_> = ways.map(What::Take).collect();
    let taken = SCREENS.into_iter().flat_map(|screen| of(screen, &ways));
    let pressed = KEYS_ON.into_iter().flat_map(|screen| of(screen, &named));
    taken.chain(pressed).chain(of(SMALL, &twins)).collect()
}

/// The questions of a lesson.
fn asks(lesson: &Lesson) -> impl Iterator<Item = &Ask> {
    lesson.pages.iter().flat_map(|page| &page.beats).filter_map(|beat| match beat {
        Beat::Ask(ask) => Some(&**ask),
        _ => None,
    })
}

/// The ideas that a question offers.
fn ideas(ask: &Ask) -> usize {
    let of_options = ask.options.iter().filter_map(|option| option.idea.as_ref());
    ask.wrong.iter().chain(of_options).collect::<BTreeSet<_>>().len()
}

fn take(course: &Arc<Course>, job: &Job, memo: &Memo, quick: bool) -> Vec<Complaint> {
    let Some(lesson) = course.lessons.get(job.lesson) else { return Vec::new() };
    match job.what {
        What::Press(page) => pressed::check(course, (lesson, page), memo, job.screen),
        What::Compare(page) => told::twins(course, (lesson, page), memo),
        What::Take(way) => Player::new(course, lesson, memo, (job.screen, way), quick)
            .map_or_else(|told| vec![*told], Player::take),
    }
}

/// What is found, once for each place.
fn first_of_each(found: impl IntoIterator<Item = Complaint>) -> Vec<Complaint> {
    let mut all: Vec<Complaint> = Vec::new();
    for told in found {
        let same = |other: &Complaint| {
            (&other.file, other.code, other.line) == (&told.file, told.code, told.line)
        };
        if !all.iter().any(same) {
            all.push(told);
        }
    }
    all
}
