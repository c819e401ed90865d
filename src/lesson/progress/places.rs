//! The places of a lesson's questions: `6.3`.

use crate::lesson::document::{Lesson, PageBlock};

/// A question of a lesson.
pub(super) struct AskedAt {
    pub place: String,
    pub title: String,
    pub id: String,
}

/// The questions of a lesson, in order; dials ask for a setting.
pub(super) fn asked(lesson: &Lesson) -> Vec<AskedAt> {
    let mut all = Vec::new();
    for (page, number) in lesson.pages.iter().zip(1..) {
        let ids = page.blocks.iter().filter_map(|page_block| match page_block {
            PageBlock::Ask(ask) => Some(&ask.id),
            PageBlock::Change(change) => change.ask.as_ref().map(|_| &change.id),
            PageBlock::Dials(dials) => Some(&dials.id),
            _ => None,
        });
        for (id, letter) in ids.zip('a'..='z') {
            let letter = if letter == 'a' { String::new() } else { letter.to_string() };
            let place = format!("{}.{number}{letter}", lesson.number);
            all.push(AskedAt { place, title: page.title.clone(), id: id.clone() });
        }
    }
    all
}
