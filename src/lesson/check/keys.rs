//! L18: the keys that a lesson tells to press.

use super::examined::Examined;
use crate::lesson::complaint::{Complaint, NO_KEY};
use crate::lesson::document::{Beat, Para, Piece};

/// Complains about keys that do nothing.
pub(super) fn check(examined: &Examined<'_>) -> Vec<Complaint> {
    let (lesson, page) = (examined.lesson, examined.page);
    let mut keys = Vec::new();
    for beat in &page.beats {
        match beat {
            Beat::Text(paras) => gather(paras, &mut keys),
            Beat::Ask(ask) => ask.hints.iter().for_each(|hint| gather(hint, &mut keys)),
            _ => {}
        }
    }
    let unknown = keys.into_iter().filter(|key| !(examined.wanted.is_key)(key));
    let told = unknown.map(|key| {
        let text = lesson.text.get(page.span.clone()).unwrap_or_default();
        let written = [format!("`{key}`"), format!("Press {key}`")];
        let at = written.iter().find_map(|written| Some((text.find(written)?, written.len())));
        let span = at.map_or(page.span.start..page.span.start, |(at, length)| {
            page.span.start + at..page.span.start + at + length
        });
        Complaint::at(
            NO_KEY,
            &lesson.file,
            &lesson.text,
            span,
            format!("nothing has the key `{key}`"),
        )
    });
    told.collect()
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
