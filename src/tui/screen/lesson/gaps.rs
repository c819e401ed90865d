//! The texts that a lesson puts between the lines of the listing.

use crate::lesson::answer::Value;
use crate::lesson::document::Kind;
use crate::lesson::question::Question;
use crate::lesson::thing::Thing;
use crate::tui::facts::listing::{Gap, Means};
use crate::tui::view_model::ViewModel;
use std::collections::BTreeSet;

/// Returns the texts that are put into the listing, in the order of its lines.
pub fn gaps<'a>(view: &ViewModel<'a>) -> Vec<Gap<'a>> {
    let Some(lesson) = view.lesson else { return Vec::new() };
    let is_gap = |question: &&Question| question.kind == Kind::Gap;
    if let Some(question) = lesson.question().filter(is_gap) {
        let pointer = lesson.input.pointer.as_ref().and_then(line);
        return pointer.and_then(|line| gap(question, line, Means::Here)).into_iter().collect();
    }
    let answered = lesson.asked.as_ref().filter(|_| lesson.now().reply.is_some());
    let Some((question, input)) = answered.filter(|(question, _)| is_gap(&question)) else {
        return Vec::new();
    };
    let right = accepted(question);
    let given = lesson.now().reply.as_ref().is_some_and(|reply| reply.you.is_some());
    let own = input.pointer.as_ref().and_then(line).filter(|_| given);
    let all: BTreeSet<_> = right.iter().copied().chain(own).collect();
    let means = |line| if right.contains(&line) { Means::Right } else { Means::Wrong };
    all.into_iter().filter_map(|line| gap(question, line, means(line))).collect()
}

fn gap(question: &Question, line: u32, means: Means) -> Option<Gap<'_>> {
    Some(Gap { line, text: question.insert.as_deref()?, means })
}

/// The lines after which the text belongs.
fn accepted(question: &Question) -> BTreeSet<u32> {
    match &question.right.value {
        Value::Things(things) => things.iter().filter_map(line).collect(),
        _ => BTreeSet::new(),
    }
}

const fn line(thing: &Thing) -> Option<u32> {
    match thing {
        Thing::Line(line) => Some(*line),
        _ => None,
    }
}
