//! L18: the keys that a lesson, or what is said to a wrong idea, tells to press.

use super::examined::{Examined, Wanted};
use crate::lesson::complaint::{Complaint, NO_KEY};
use crate::lesson::document::{Ask, Beat, Course, Idea, Para, Piece};
use std::ops::Range;

/// Complains about keys of a page that do nothing.
pub(super) fn check(examined: &Examined<'_>) -> Vec<Complaint> {
    let (lesson, page) = (examined.lesson, examined.page);
    let mut keys = Vec::new();
    for beat in &page.beats {
        match beat {
            Beat::Text(paras) => gather(paras, &mut keys),
            Beat::Ask(ask) => gather_hints(ask, &mut keys),
            _ => {}
        }
    }
    unknown(keys, (&lesson.file, &lesson.text), &page.span, examined.wanted)
}

/// Complains about keys in the course's own `models.md` that do nothing.
pub(super) fn of_ideas(course: &Course, wanted: Wanted<'_>) -> Vec<Complaint> {
    let Some((file, text)) = &course.models else { return Vec::new() };
    // After its own, a course has the ideas of the program's, whose spans are of another file.
    let own = |idea: &&Idea| {
        let heading = text.get(idea.span.clone()).and_then(|page| page.lines().next());
        heading.is_some_and(|line| line.trim_start_matches('#').trim() == idea.id)
    };
    let ideas = course.ideas.iter().filter(own);
    let found = ideas.flat_map(|idea| {
        let mut keys = Vec::new();
        gather(&idea.reply, &mut keys);
        idea.probe.iter().for_each(|probe| gather_hints(probe, &mut keys));
        unknown(keys, (file, text), &idea.span, wanted)
    });
    found.collect()
}

/// Complaints about those keys that nothing has, which stand in a part of a file.
fn unknown(
    keys: Vec<&str>,
    (file, text): (&str, &str),
    part: &Range<usize>,
    wanted: Wanted<'_>,
) -> Vec<Complaint> {
    let unknown = keys.into_iter().filter(|key| !(wanted.is_key)(key));
    let told = unknown.map(|key| {
        let inside = text.get(part.clone()).unwrap_or_default();
        let written = [format!("`{key}`"), format!("Press {key}`")];
        let at = written.iter().find_map(|written| Some((inside.find(written)?, written.len())));
        let span = at.map_or(part.start..part.start, |(at, length)| {
            part.start + at..part.start + at + length
        });
        Complaint::at(NO_KEY, file, text, span, format!("nothing has the key `{key}`"))
    });
    told.collect()
}

fn gather_hints<'p>(ask: &'p Ask, keys: &mut Vec<&'p str>) {
    ask.hints.iter().for_each(|hint| gather(hint, keys));
}

/// The keys in some paragraphs.
fn gather<'p>(paras: &'p [Para], keys: &mut Vec<&'p str>) {
    for para in paras {
        match para {
            Para::Text(pieces) => keys.extend(pieces.iter().filter_map(|piece| match piece {
                Piece::Key(key) => Some(key.as_str()),
                _ => None,
            })),
            Para::Code(_) => {}
            Para::Item(_, paras) | Para::Quote(paras) => gather(paras, keys),
        }
    }
}
