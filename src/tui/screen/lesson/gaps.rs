//! The texts that a lesson puts between the lines of the listing.

use crate::lesson::answer::Value;
use crate::lesson::document::AskKind;
use crate::lesson::question::Question;
use crate::lesson::target::Target;
use crate::tui::facts::listing::{InsertedText, InsertionKind};
use crate::tui::view_model::ViewModel;
use std::collections::BTreeSet;

/// Returns the texts that are put into the listing, in the order of its lines.
pub fn gaps<'a>(view: &ViewModel<'a>) -> Vec<InsertedText<'a>> {
    let Some(lesson) = view.lesson else { return Vec::new() };
    let is_gap = |question: &&Question| question.kind == AskKind::Gap;
    if let Some(question) = lesson.question().filter(is_gap) {
        let pointer = lesson.input.pointer.as_ref().and_then(line);
        return pointer
            .and_then(|line| gap(question, line, InsertionKind::Here))
            .into_iter()
            .collect();
    }
    let answered = lesson.asked.as_ref().filter(|_| lesson.now().reply.is_some());
    let Some((question, input)) = answered.filter(|(question, _)| is_gap(&question)) else {
        return Vec::new();
    };
    let right = accepted(question);
    let given = lesson.now().reply.as_ref().is_some_and(|reply| reply.you.is_some());
    let own = input.pointer.as_ref().and_then(line).filter(|_| given);
    let all: BTreeSet<_> = right.iter().copied().chain(own).collect();
    let means =
        |line| if right.contains(&line) { InsertionKind::Right } else { InsertionKind::Wrong };
    all.into_iter().filter_map(|line| gap(question, line, means(line))).collect()
}

fn gap(question: &Question, line: u32, means: InsertionKind) -> Option<InsertedText<'_>> {
    Some(InsertedText { line, text: question.insert.as_deref()?, means })
}

/// The lines after which the text belongs.
fn accepted(question: &Question) -> BTreeSet<u32> {
    match &question.right.value {
        Value::Things(things) => things.iter().filter_map(line).collect(),
        _ => BTreeSet::new(),
    }
}

const fn line(target: &Target) -> Option<u32> {
    match target {
        Target::Line(line) => Some(*line),
        _ => None,
    }
}
