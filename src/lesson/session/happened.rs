//! Feedback on a wrong answer that matches no misconception, given before the next try.

use super::state::LessonSession;
use crate::lesson::document::{AskKind, words};
use crate::lesson::expr::{Bindings, Query};
use crate::lesson::question::{Attempt, Question, singular};
use crate::lesson::target::Target;
use std::sync::LazyLock;

/// Counts that may be taken for the one that is asked, with what they count: of the access that is
/// asked about, and of its block.
static COUNTS: LazyLock<[(Query, &str); 6]> = LazyLock::new(|| {
    [
        ("lanes(a)", "lanes"),
        ("words(a)", "words"),
        ("sectors(a)", "sectors"),
        ("lines(a)", "lines"),
        ("threads / blocks", "threads"),
        ("bytes(a)", "bytes"),
    ]
    .map(|(count, noun)| (Query::query(count, 0..0), noun))
});

impl LessonSession {
    /// What happens with a wrong answer, if it can be run: a text between two lines is compiled and
    /// checked, and events in an order are compared with the run. Of a number: what else it counts
    /// here.
    pub(super) fn happened(&self, question: &Question, attempt: &Attempt) -> Option<String> {
        match question.kind {
            AskKind::Gap => self.put(question, attempt),
            AskKind::Order => turned(question, &attempt.to_string()),
            AskKind::Number => self.counts(question, &attempt.to_string()),
            AskKind::Choice | AskKind::Pick | AskKind::Name => None,
        }
    }

    /// What else a number counts.
    fn counts(&self, question: &Question, typed: &str) -> Option<String> {
        let number = question.number(typed)?;
        let want = self.asked.as_ref()?.ask.want.meaning().ok()?;
        let given = Bindings { access: want.access().cloned(), ..self.given() };
        let asked = question.unit.as_str();
        let context = self.context(&given);
        let others = COUNTS.iter().filter(|(_, noun)| singular(noun) != singular(asked));
        let is_it = |(count, _): &&(Query, &str)| {
            let answer = context.answer(count);
            answer.is_ok_and(|answer| answer.value.number() == Some(number))
        };
        let (_, noun) = others.filter(|_| !asked.is_empty()).find(is_it)?;
        Some(format!("{number} is the number of {noun} here. The question is how many {asked}."))
    }

    /// What the kernel does with the text after the line that was pointed at.
    fn put(&self, question: &Question, attempt: &Attempt) -> Option<String> {
        let picked = question.picked(attempt)?;
        let line = picked.iter().find_map(|target| match target {
            Target::Line(line) => Some(*line),
            _ => None,
        })?;
        let gaps = self.cache.runs(&self.setting).ok()?.gaps(question.insert.as_deref()?).ok()?;
        let Some(gap) = gaps.iter().find(|gap| gap.line == line) else {
            return Some(format!("Line {line} is outside the kernel."));
        };
        let on = gap.arrays().into_iter().collect::<Vec<_>>().join(" and ");
        let on = if on.is_empty() { on } else { format!(", on {on}") };
        Some(format!("After line {line}: {}{on}.", gap.verdict()))
    }
}

/// On which side of what is right a number is.
pub(super) fn side(question: &Question, typed: &str) -> Option<String> {
    let (number, right) = (question.number(typed)?, question.right.value.number()?);
    Some(format!("{typed} is too {}.", if number > right { "high" } else { "low" }))
}

/// The first two neighbours in the wrong order, and when the run reaches them.
fn turned(question: &Question, typed: &str) -> Option<String> {
    let order = question.order(typed)?;
    let moment = |index: usize| question.moments.get(index).copied().unwrap_or(0);
    let pair = order.windows(2).find(|pair| moment(pair[0]) > moment(pair[1]))?;
    let said = |index: usize| {
        let text = question.offers.get(index).map(|offer| words(&offer.text));
        format!("\"{}\" at step {}", text.unwrap_or_default(), moment(index))
    };
    Some(format!("In this run, {} comes before {}.", said(pair[1]), said(pair[0])))
}
