//! Everything that is checked about a course once it has been read: its form, and what the
//! simulator says to each of its scenes, questions and queries.
//!
//! ```text
//! Course --stand--> each page with the scene that stands, in every variant
//!        scenes   do they run, are places reached, are queries answered, do ideas differ
//!        answers  is it worth asking        prose  does the text tell the answer
//!        keys     do the keys exist         later  does a page show what is asked later
//!        names    does a text name what its scene does not show
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
mod names;
mod place;
mod prose;
mod scenes;
mod stand;

pub use answered::{SPOILS, Strategy, ideas_of, right, said_by};
pub use examined::CheckOptions;

use super::diagnostic::Diagnostic;
use super::document::{Course, Lesson};
use super::setting_runs::SettingCache;
use crate::work::on_all_cores;
use examined::ExaminedPage;
use scenes::SceneChecks;
use std::sync::Arc;

/// A check: what it finds wrong on a page.
type Check = fn(&ExaminedPage<'_>) -> Vec<Diagnostic>;

/// The checks, in the order of their codes. Whether files are well formed (L01 to L09, L21) is said
/// when they are read.
const CHECKS: &[Check] = &[
    examined::scenes,
    answers::check,
    prose::check,
    keys::check,
    fits::check,
    later::check,
    names::check,
    bot::check,
];

/// What all checks find wrong: lesson by lesson, in the order of the text.
pub fn check(course: &Course, wanted: CheckOptions<'_>) -> Vec<Diagnostic> {
    let course = Arc::new(course.clone());
    let lessons = course.lessons.iter().zip(wanted.caches);
    let pages: Vec<_> = lessons
        .flat_map(|lesson| (0..lesson.0.pages.len()).map(move |index| (lesson, index)))
        .collect();
    let check = |(lesson, index): &(_, usize)| of_page(&course, *lesson, *index, wanted);
    let of_pages = on_all_cores(&pages, (wanted.token, "page"), check).into_iter().flatten();
    of_pages.chain(keys::of_ideas(&course, wanted)).chain(prose::of_ideas(&course)).collect()
}

fn of_page(
    course: &Arc<Course>,
    lesson: (&Lesson, &SettingCache),
    index: usize,
    wanted: CheckOptions<'_>,
) -> Vec<Diagnostic> {
    let (lesson, cache) = (lesson.0, lesson.1.clone());
    let Some(page) = lesson.pages.get(index) else { return Vec::new() };
    let scenes = SceneChecks::of(lesson, index, &cache, wanted.quick);
    let examined = ExaminedPage { course, lesson, page, index, wanted, cache, scenes };
    let mut found: Vec<_> = CHECKS.iter().flat_map(|check| check(&examined)).collect();
    found.sort_by_key(|told| (told.line, told.column, told.code));
    found
}
