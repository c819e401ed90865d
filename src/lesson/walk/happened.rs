//! What happens when a wrong answer is run: said before the next try.

use super::state::Walk;
use crate::lesson::document::{Kind, words};
use crate::lesson::question::Question;
use crate::lesson::thing::Thing;

impl Walk {
    /// What happens with a wrong answer, if it can be run: a text between two lines is compiled and
    /// checked, and events in an order are compared with the run.
    pub(super) fn happened(&self, question: &Question, typed: &str) -> Option<String> {
        match question.kind {
            Kind::Gap => self.put(question, typed),
            Kind::Order => turned(question, typed),
            Kind::Number | Kind::Choice | Kind::Pick | Kind::Name => None,
        }
    }

    /// What the kernel does with the text after the line that was pointed at.
    fn put(&self, question: &Question, typed: &str) -> Option<String> {
        let picked = question.pointed.as_ref()?.read(typed)?;
        let line = picked.iter().find_map(|thing| match thing {
            Thing::Line(line) => Some(*line),
            _ => None,
        })?;
        let gaps = self.stages.of(&self.setting).ok()?.gaps(question.insert.as_deref()?).ok()?;
        let Some(gap) = gaps.iter().find(|gap| gap.line == line) else {
            return Some(format!("Line {line} is outside the kernel."));
        };
        let on = gap.arrays().into_iter().collect::<Vec<_>>().join(" and ");
        let on = if on.is_empty() { on } else { format!(", on {on}") };
        Some(format!("After line {line}: {}{on}.", gap.verdict()))
    }
}

/// The first two neighbours that stand the wrong way round, and when the run comes to them.
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
