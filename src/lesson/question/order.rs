//! Events to be put in the order of their first occurrence in the run.

use super::form::{AnswerVerdict, Offer, Question};
use super::offers;
use crate::lesson::answer::{Answer, Value};
use crate::lesson::document::{Ask, AskKind, Choice, Decides, words};
use crate::lesson::expr::EvalContext;
use crate::lesson::query_error::QueryError;

/// The question; what is right is the list of the events' texts.
///
/// # Errors
/// An event does not occur, or there are fewer than two.
pub(super) fn question(
    ask: &Ask,
    context: &EvalContext<'_>,
    seed: u64,
) -> Result<Question, QueryError> {
    let mut events: Vec<(&Choice, usize)> = Vec::new();
    for event in &ask.options {
        let Decides::Happens(place) = &event.decides else { continue };
        let moment = place.step(context.cache, context.setting)?;
        events.push((event, moment));
    }
    if events.len() < 2 {
        return Err(QueryError::new("an order needs two events or more"));
    }
    let mut sorted = events.clone();
    sorted.sort_by_key(|(_, moment)| *moment);
    let texts: Vec<_> = sorted.iter().map(|(event, _)| words(&event.text)).collect();
    let first = sorted.first().map(|(_, moment)| *moment);
    let mark = if texts.iter().any(|text| text.contains(',')) { "; " } else { ", " };
    let right = Answer { step: first, ..Answer::simulated(Value::Name(texts.join(mark))) };
    let shuffled = offers::shuffle(events, &ask.id, seed);
    let moments = shuffled.iter().map(|(_, moment)| *moment).collect();
    let offer = |(key, (event, _)): (char, (&Choice, usize))| Offer {
        key,
        text: event.text.clone(),
        right: true,
        idea: None,
    };
    let offers = ('1'..).zip(shuffled).map(offer).collect();
    Ok(Question { offers, moments, ..Question::plain(ask, AskKind::Order, right) })
}

impl Question {
    /// Judges an order: events of one moment may stand either way.
    pub(super) fn judge_order(&self, typed: &str) -> AnswerVerdict {
        let Some(order) = self.order(typed) else {
            let keys: String = self.offers.iter().map(|offer| offer.key).collect();
            let told = "Type the numbers of all items in their order, for example";
            return AnswerVerdict::Unreadable(format!("{told} `{keys}`."));
        };
        let moments = order.into_iter().map(|index| self.moments[index]);
        if moments.is_sorted() { AnswerVerdict::Right } else { AnswerVerdict::Wrong }
    }

    /// The places of the offers in the order in which they are typed, by texts or by numbers: each
    /// once.
    pub(in crate::lesson) fn order(&self, typed: &str) -> Option<Vec<usize>> {
        let by_text =
            |mark: &char| typed.split(*mark).map(|item| self.offer_called(item.trim())).collect();
        let digits = typed.chars().filter(|digit| digit.is_alphanumeric());
        let by_key = || digits.map(|digit| self.offer_with_key(digit)).collect();
        let order: Vec<usize> = [',', ';', '>'].iter().find_map(by_text).or_else(by_key)?;
        let is_whole = (0..self.offers.len()).all(|index| order.contains(&index));
        (is_whole && order.len() == self.offers.len()).then_some(order)
    }
}
