//! The place in a lesson's file of a part of a query.

use crate::lesson::document::Lesson;
use std::ops::Range;

/// Where a part of a text stands that is written at `span`, where quotes may be escaped; the whole
/// text, if the part is empty.
pub(super) fn inside(lesson: &Lesson, span: &Range<usize>, part: &Range<usize>) -> Range<usize> {
    let Some(raw) = lesson.text.get(span.clone()) else { return span.clone() };
    if part.is_empty() {
        return span.clone();
    }
    // The places at which each byte of the text that is meant is written.
    let mut places = Vec::new();
    let mut escaped = false;
    for (at, letter) in raw.char_indices() {
        escaped = letter == '\\' && !escaped;
        if !escaped {
            places.extend(std::iter::repeat_n(at, letter.len_utf8()));
        }
    }
    let at = |byte: usize| span.start + places.get(byte).copied().unwrap_or(raw.len());
    at(part.start)..at(part.end).max(at(part.start))
}
