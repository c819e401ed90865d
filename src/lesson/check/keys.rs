//! L18: the keys that a lesson, or what is said to a wrong idea, tells to press.

use super::examined::{CheckOptions, ExaminedPage};
use crate::lesson::diagnostic::{Diagnostic, NO_KEY};
use crate::lesson::document::{Ask, Course, Idea, PageBlock, keys};
use std::ops::Range;

/// Complains about keys of a page that do nothing.
pub(super) fn check(examined: &ExaminedPage<'_>) -> Vec<Diagnostic> {
    let (lesson, page) = (examined.lesson, examined.page);
    let mut named = Vec::new();
    for page_block in &page.blocks {
        match page_block {
            PageBlock::Text(paras) => named.extend(keys(paras)),
            PageBlock::Ask(ask) => named.extend(of_hints(ask)),
            _ => {}
        }
    }
    unknown(named, (&lesson.file, &lesson.text), &page.span, examined.wanted)
}

/// Complains about keys in the course's own `models.md` that do nothing.
pub(super) fn of_ideas(course: &Course, wanted: CheckOptions<'_>) -> Vec<Diagnostic> {
    let Some((file, text)) = &course.models else { return Vec::new() };
    // After its own, a course has the ideas of the program's, whose spans are of another file.
    let own = |idea: &&Idea| {
        let heading = text.get(idea.span.clone()).and_then(|page| page.lines().next());
        heading.is_some_and(|line| line.trim_start_matches('#').trim() == idea.id)
    };
    let ideas = course.ideas.iter().filter(own);
    let found = ideas.flat_map(|idea| {
        let of_probe = idea.probe.iter().flat_map(of_hints);
        let named = keys(&idea.reply).into_iter().chain(of_probe);
        unknown(named.collect(), (file, text), &idea.span, wanted)
    });
    found.collect()
}

/// Complaints about those keys that nothing has, which stand in a part of a file.
fn unknown(
    named: Vec<&str>,
    (file, text): (&str, &str),
    part: &Range<usize>,
    wanted: CheckOptions<'_>,
) -> Vec<Diagnostic> {
    let unknown = named.into_iter().filter(|key| !(wanted.is_key)(key));
    let told = unknown.map(|key| {
        let inside = text.get(part.clone()).unwrap_or_default();
        let written = [format!("`{key}`"), format!("Press {key}`")];
        let at = written.iter().find_map(|written| Some((inside.find(written)?, written.len())));
        let span = at.map_or(part.start..part.start, |(at, length)| {
            part.start + at..part.start + at + length
        });
        Diagnostic::at(NO_KEY, file, text, span, format!("nothing has the key `{key}`"))
    });
    told.collect()
}

/// The keys of a question's hints.
fn of_hints(ask: &Ask) -> impl Iterator<Item = &str> {
    ask.hints.iter().flat_map(|hint| keys(hint))
}
