//! L23: what a page tells that a question asks only later, or itself.

use super::examined::ExaminedPage;
use super::place::inside;
use super::stand::{Stand, stands};
use crate::lesson::diagnostic::{Diagnostic, SHOWS};
use crate::lesson::document::{Ask, AskKind, PageBlock, Piece, pieces};
use crate::lesson::expr::{RunEvent, RunPosition};
use crate::lesson::session::Topic;
use crate::lesson::setting::Setting;
use std::ops::Range;

/// A query that a text shows the value of, before a question.
struct ShownQuery {
    query: String,
    span: Range<usize>,
    settings: Vec<Setting>,
}

/// Complains about queries of the lesson, up to a question of this page, that have its answer, and
/// about questions on what goes wrong that stand where the sentence tells it.
pub(super) fn check(examined: &ExaminedPage<'_>) -> Vec<Diagnostic> {
    let mut shown = Vec::new();
    for page in 0..examined.index {
        for stand in stands(examined.lesson, page, examined.wanted.quick) {
            stand.blocks.iter().for_each(|page_block| shown.extend(queries(page_block, &stand)));
        }
    }
    let mut found = Vec::new();
    for stand in stands(examined.lesson, examined.index, examined.wanted.quick) {
        for page_block in &stand.blocks {
            if let PageBlock::Ask(ask) = page_block {
                found.extend(told_before(examined, ask, &stand, &shown));
                found.extend(stands_where_it_goes_wrong(examined, ask, &stand));
            }
            shown.extend(queries(page_block, &stand));
        }
    }
    found
}

/// The queries of a block whose values are shown while its question is open, or without one.
fn queries(page_block: &PageBlock, stand: &Stand<'_>) -> Vec<ShownQuery> {
    let paras = match page_block {
        PageBlock::Text(paras) => pieces(paras),
        PageBlock::Ask(ask) => {
            let hints = ask.hints.iter().flat_map(|hint| pieces(hint));
            hints.chain(ask.options.iter().flat_map(|option| &option.text)).collect()
        }
        _ => Vec::new(),
    };
    let shown = paras.into_iter().filter_map(|piece| match piece {
        Piece::Query(query) => Some(ShownQuery {
            query: folded(&query.text),
            span: query.span.clone(),
            settings: stand.settings.clone(),
        }),
        _ => None,
    });
    shown.collect()
}

/// The queries that have the answer of a question, in the same run of one variant at least.
fn told_before(
    examined: &ExaminedPage<'_>,
    ask: &Ask,
    stand: &Stand<'_>,
    shown: &[ShownQuery],
) -> Vec<Diagnostic> {
    let want = folded(&ask.want.text);
    let same = |shown: &&ShownQuery| {
        shown.query == want && stand.settings.iter().any(|setting| shown.settings.contains(setting))
    };
    let lesson = examined.lesson;
    let told = shown.iter().filter(same).map(|shown| {
        let told = format!("this shows what `{}` asks later", ask.id);
        Diagnostic::at(SHOWS, &lesson.file, &lesson.text, shown.span.clone(), told)
    });
    told.collect()
}

/// A question whether, or how often, C is wrong, at a step whose sentence says that it is.
fn stands_where_it_goes_wrong(
    examined: &ExaminedPage<'_>,
    ask: &Ask,
    stand: &Stand<'_>,
) -> Option<Diagnostic> {
    let place = stand.place.meaning().ok()?;
    let told = "the run stands where something is found, and that is asked: use `before finding`";
    let is_asked = Topic::Outcome.is_of(ask) && ask.kind != Some(AskKind::Gap);
    let span = inside(examined.lesson, &ask.want.span, &(0..0));
    let complain =
        || Diagnostic::at(SHOWS, &examined.lesson.file, &examined.lesson.text, span, told);
    (is_asked && tells_a_finding(place)).then(complain)
}

/// Whether a place is the step of a finding, and not the one before.
fn tells_a_finding(place: &RunPosition) -> bool {
    let RunPosition::At { before: false, events } = place else { return false };
    matches!(events.last(), Some((RunEvent::Finding | RunEvent::Wrong, _)))
}

/// A query with each run of white space as one blank.
fn folded(query: &str) -> String {
    query.split_whitespace().collect::<Vec<_>>().join(" ")
}
