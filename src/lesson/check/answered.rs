//! A bot's answers: right ones, or those of a misconception.

use crate::lesson::answer::Value;
use crate::lesson::document::AskKind;
use crate::lesson::question::{AnswerVerdict, Attempt, Question};
use std::collections::BTreeSet;

/// The order of the warps that is tried first as a proof.
pub const SPOILS: &str = "to-barrier";

/// How the questions of a lesson are answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    Right,
    /// As the idea of this number says, or right.
    Idea(usize),
    Skip,
}

/// The ideas whose answers a question recognises.
pub fn ideas_of(question: &Question) -> Vec<String> {
    let offered = question.offers.iter().filter_map(|offer| offer.idea.clone());
    let said = question.ideas.iter().map(|mistake| mistake.idea.clone());
    let said = said.filter(|_| question.offers.is_empty());
    offered.chain(said).collect::<BTreeSet<_>>().into_iter().collect()
}

/// What is answered by who knows what is right.
pub fn right(question: &Question) -> Attempt {
    if question.kind == AskKind::Order {
        let mut keys: Vec<_> = question.moments.iter().zip(&question.offers).collect();
        keys.sort_by_key(|(moment, _)| **moment);
        return Attempt::Typed(keys.into_iter().map(|(_, offer)| offer.key).collect());
    }
    match question.offers.iter().find(|offer| offer.right) {
        Some(offer) => Attempt::Typed(offer.key.to_string()),
        None => of_value(&question.right.value, question.all),
    }
}

/// The answer of an idea, unless it is right for another reason.
pub fn said_by(question: &Question, idea: &str) -> Option<Attempt> {
    if let Some(offer) = question.offers.iter().find(|offer| offer.idea.as_deref() == Some(idea)) {
        return Some(Attempt::Typed(offer.key.to_string()));
    }
    let mistake = question.ideas.iter().find(|mistake| mistake.idea == idea)?;
    let value = match (&mistake.value, &question.right.value) {
        (Value::Things(said), Value::Things(right)) if !question.all => {
            Value::Things(said.difference(right).cloned().collect())
        }
        (value, _) => value.clone(),
    };
    let attempt = of_value(&value, question.all);
    (question.judge(&attempt) != AnswerVerdict::Right).then_some(attempt)
}

/// A value as it is answered: of things where any is enough, the first.
fn of_value(value: &Value, all: bool) -> Attempt {
    match value {
        Value::Number(number) => Attempt::Typed(number.to_string()),
        Value::Things(things) => {
            let few = things.iter().take(if all { usize::MAX } else { 1 });
            Attempt::Picked(few.cloned().collect())
        }
        Value::Truth(_) | Value::Name(_) => Attempt::Typed(value.to_string()),
    }
}
