//! Everything that is checked about a course once it has been read: its form, and what the
//! simulator says to each of its scenes, questions and queries.
//!
//! ```text
//! Course --stand--> each page with the scene that stands, in every variant
//!        scenes   do they run, are places reached, are queries answered, do ideas differ
//!        answers  is it worth asking        prose  does the text tell the answer
//!        keys     do the keys exist         later  does a page show what is asked later
//!        bot      the lesson taken: right, wrong, skipped
//! ```

mod answered;
mod answers;
mod bot;
mod each_variant;
mod examined;
mod fits;
mod keys;
mod later;
mod place;
mod prose;
mod scenes;
mod stand;

pub use answered::{SPOILS, Way, ideas_of, right, said_by};
pub use examined::Wanted;

use super::complaint::Complaint;
use super::document::{Course, Lesson};
use super::stage::Stages;
use crate::sim::are_stopped;
use examined::Examined;
use scenes::Scenes;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// A check: what it finds wrong on a page.
type Check = fn(&Examined<'_>) -> Vec<Complaint>;

/// The checks, in the order of their codes. Whether files are well formed (L01 to L09, L21) is said
/// when they are read.
const CHECKS: &[Check] = &[
    examined::scenes,
    answers::check,
    prose::check,
    keys::check,
    fits::check,
    later::check,
    bot::check,
];

/// What all checks find wrong: lesson by lesson, in the order of the text.
pub fn check(course: &Course, wanted: Wanted<'_>) -> Vec<Complaint> {
    let course = Arc::new(course.clone());
    let lessons = course.lessons.iter().zip(wanted.stages);
    let pages: Vec<_> = lessons
        .flat_map(|lesson| (0..lesson.0.pages.len()).map(move |index| (lesson, index)))
        .collect();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some((lesson, index)) = pages.get(at) else { return done };
            if (wanted.progress)(at as u64, pages.len() as u64).is_break() {
                return done;
            }
            let found = of_page(&course, *lesson, *index, wanted);
            if are_stopped() {
                return done;
            }
            done.push((at, found));
        }
    };
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let mut found = thread::scope(|scope| {
        let others: Vec<_> = (1..cores.min(pages.len())).map(|_| scope.spawn(work)).collect();
        let mut found = work();
        for other in others {
            match other.join() {
                Ok(more) => found.extend(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        found
    });
    found.sort_by_key(|(at, _)| *at);
    let of_pages = found.into_iter().flat_map(|(_, found)| found);
    of_pages.chain(keys::of_ideas(&course, wanted)).chain(prose::of_ideas(&course)).collect()
}

fn of_page(
    course: &Arc<Course>,
    lesson: (&Lesson, &Stages),
    index: usize,
    wanted: Wanted<'_>,
) -> Vec<Complaint> {
    let (lesson, stages) = (lesson.0, lesson.1.clone());
    let Some(page) = lesson.pages.get(index) else { return Vec::new() };
    let scenes = Scenes::of(lesson, index, &stages, wanted.quick);
    let examined = Examined { course, lesson, page, index, wanted, stages, scenes };
    let mut found: Vec<_> = CHECKS.iter().flat_map(|check| check(&examined)).collect();
    found.sort_by_key(|told| (told.line, told.column, told.code));
    found
}
