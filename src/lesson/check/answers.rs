//! L15: a question that has the same answer in every variant can be learnt by heart.

use super::examined::Examined;
use crate::lesson::complaint::{Complaint, SAME_ANSWER};
use crate::lesson::document::{Ask, Beat, Kind};

/// Warns of questions with several variants and one answer.
pub(super) fn check(examined: &Examined<'_>) -> Vec<Complaint> {
    let asks = examined.page.beats.iter().filter_map(|beat| match beat {
        Beat::Ask(ask) => Some(&**ask),
        _ => None,
    });
    asks.filter_map(|ask| same(examined, ask)).collect()
}

fn same(examined: &Examined<'_>, ask: &Ask) -> Option<Complaint> {
    if matches!(ask.kind, Some(Kind::Order | Kind::Gap | Kind::Name)) {
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
    Some(Complaint::at(SAME_ANSWER, &lesson.file, &lesson.text, span, told).warning())
}
