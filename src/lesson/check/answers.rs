//! L15: a question that has the same answer in every variant can be learnt by heart.

use super::examined::ExaminedPage;
use crate::lesson::diagnostic::{Diagnostic, SAME_ANSWER};
use crate::lesson::document::{Ask, AskKind, PageBlock};

/// Warns of questions with several variants and one answer.
pub(super) fn check(examined: &ExaminedPage<'_>) -> Vec<Diagnostic> {
    let asks = examined.page.blocks.iter().filter_map(|page_block| match page_block {
        PageBlock::Ask(ask) => Some(&**ask),
        _ => None,
    });
    asks.filter_map(|ask| same(examined, ask)).collect()
}

fn same(examined: &ExaminedPage<'_>, ask: &Ask) -> Option<Diagnostic> {
    if matches!(ask.kind, Some(AskKind::Order | AskKind::Gap | AskKind::Name)) {
        return None;
    }
    let own = examined.scenes.answered.iter().filter(|(other, _)| other.span == ask.span);
    let values: Vec<_> = own.map(|(_, question)| &question.right.value).collect();
    let [first, rest @ ..] = &values[..] else { return None };
    if rest.is_empty() || rest.iter().any(|value| value != first) {
        return None;
    }
    let told = format!("the answer is `{first}` in each of {} variants", values.len());
    let lesson = examined.lesson;
    let span = ask.want.span.clone();
    Some(Diagnostic::at(SAME_ANSWER, &lesson.file, &lesson.text, span, told).warning())
}
