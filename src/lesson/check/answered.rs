//! What a bot answers: what is right, or what somebody with a wrong idea would say.

use crate::lesson::answer::Value;
use crate::lesson::document::Kind;
use crate::lesson::question::{Question, Verdict};
use crate::lesson::thing::Thing;
use std::collections::BTreeSet;

/// The order of the warps that is tried first as a proof.
pub const SPOILS: &str = "to-barrier";

/// How the questions of a lesson are answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
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

/// What is typed for what is right.
pub fn right(question: &Question) -> String {
    if question.kind == Kind::Order {
        let mut keys: Vec<_> = question.moments.iter().zip(&question.offers).collect();
        keys.sort_by_key(|(moment, _)| **moment);
        return keys.into_iter().map(|(_, offer)| offer.key).collect();
    }
    match question.offers.iter().find(|offer| offer.right) {
        Some(offer) => offer.key.to_string(),
        None => spelt(&question.right.value, question.all),
    }
}

/// What somebody with an idea types, if that is not right for another reason.
pub fn said_by(question: &Question, idea: &str) -> Option<String> {
    if let Some(offer) = question.offers.iter().find(|offer| offer.idea.as_deref() == Some(idea)) {
        return Some(offer.key.to_string());
    }
    let mistake = question.ideas.iter().find(|mistake| mistake.idea == idea)?;
    let value = match (&mistake.value, &question.right.value) {
        (Value::Things(said), Value::Things(right)) if !question.all => {
            Value::Things(said.difference(right).cloned().collect())
        }
        (value, _) => value.clone(),
    };
    let typed = spelt(&value, question.all);
    (question.judge(&typed) != Verdict::Right).then_some(typed)
}

/// A value as it is typed: of things where any is enough, the first.
fn spelt(value: &Value, all: bool) -> String {
    match value {
        Value::Number(number) => number.to_string(),
        Value::Things(things) if things.is_empty() => "none".to_owned(),
        Value::Things(things) => {
            let few = things.iter().take(if all { usize::MAX } else { 1 });
            few.map(Thing::to_string).collect::<Vec<_>>().join("; ")
        }
        Value::Truth(_) | Value::Name(_) => value.to_string(),
    }
}
