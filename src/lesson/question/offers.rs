//! What there is to choose from: options of a lesson, computed values, kernels, changes.

use super::form::{Offer, WrongAnswer};
use super::number::same;
use crate::lesson::answer::{Answer, Value};
use crate::lesson::change::{self, Change};
use crate::lesson::document::{Ask, Choice, Piece, Tolerance, coded, words};
use crate::lesson::expr::EvalContext;
use crate::lesson::model;
use crate::lesson::query_error::QueryError;
use crate::lesson::setting::Setting;

/// Options of a choice at most.
const MOST: usize = 5;

/// The changes among which the one that was made has to be found.
const CHANGES: usize = 4;

/// An offer that has no key yet.
#[derive(Clone, Debug)]
pub(super) struct OfferDraft {
    pub(super) text: Vec<Piece>,
    pub(super) right: bool,
    pub(super) idea: Option<String>,
}

impl OfferDraft {
    fn plain(text: &impl ToString, right: bool, idea: Option<String>) -> Self {
        Self { text: coded(&text.to_string(), Piece::Plain), right, idea }
    }
}

/// The options as they stand in the lesson, and the right one's text with the evidence of what is
/// asked.
///
/// # Errors
/// An option cannot be answered, is no truth, or not exactly one is true.
pub(super) fn written(
    ask: &Ask,
    context: &EvalContext<'_>,
) -> Result<(Answer, Vec<OfferDraft>), QueryError> {
    let mut drafts = Vec::new();
    let mut right = Vec::new();
    for option in &ask.options {
        let Some(query) = option.holds() else { continue };
        let answer = context.answer(query)?;
        let Value::Truth(holds) = answer.value else {
            let told = format!("option {} is neither true nor false", option.key);
            return Err(QueryError::new(told));
        };
        let text = resolved(&option.text, context)?;
        let idea = (!holds).then(|| idea_of(ask, option, context)).flatten();
        if holds {
            right.push((&*option.key, words(&text), answer));
        }
        drafts.push(OfferDraft { text, right: holds, idea });
    }
    let keys = right.iter().map(|(key, ..)| *key).collect::<Vec<_>>().join(", ");
    match &right[..] {
        [(_, text, answer)] => {
            let evidence = context.answer(&ask.want).unwrap_or_else(|_| answer.clone());
            Ok((Answer { value: Value::Name(text.clone()), ..evidence }, drafts))
        }
        [] => Err(QueryError::new("no option is true: exactly one must be")),
        _ => Err(QueryError::new(format!("options {keys} are true: exactly one may be"))),
    }
}

/// The text of an option, its queries replaced by their values.
fn resolved(text: &[Piece], context: &EvalContext<'_>) -> Result<Vec<Piece>, QueryError> {
    let piece = |piece: &Piece| match piece {
        Piece::Query(query) => Ok(Piece::Plain(context.answer(query)?.value.to_string())),
        _ => Ok(piece.clone()),
    };
    text.iter().map(piece).collect()
}

/// The idea that chooses an option: the one that stands beside it, or the first of the question for
/// which it is true.
fn idea_of(ask: &Ask, option: &Choice, context: &EvalContext<'_>) -> Option<String> {
    let says_so = |idea: &&String| chooses(idea, option, context);
    option.idea.clone().or_else(|| ask.wrong.iter().find(says_so).cloned())
}

/// Whether an option is true by an idea.
pub(super) fn chooses(idea: &str, option: &Choice, context: &EvalContext<'_>) -> bool {
    let says = option.holds().and_then(|query| model::says(idea, query, context));
    says == Some(Value::Truth(true))
}

/// The right answer, those of the ideas and, for a name, all others.
pub(super) fn computed(right: &Value, ideas: &[WrongAnswer], of: &[String]) -> Vec<OfferDraft> {
    if let Value::Truth(truth) = right {
        let idea = ideas.first().map(|mistake| mistake.idea.clone());
        let draft = |value: bool| {
            let idea = if value == *truth { None } else { idea.clone() };
            OfferDraft::plain(&Value::Truth(value), value == *truth, idea)
        };
        return vec![draft(true), draft(false)];
    }
    let mut values = vec![(right.clone(), None)];
    let others = of.iter().map(|name| (Value::Name(name.clone()), None));
    let said = ideas.iter().map(|mistake| (mistake.value.clone(), Some(mistake.idea.clone())));
    for (value, idea) in said.chain(others.filter(|_| matches!(right, Value::Name(_)))) {
        if !values.iter().any(|(other, _)| same(&value, other, Tolerance::Exact)) {
            values.push((value, idea));
        }
    }
    values.truncate(MOST);
    let draft = |(value, idea): (Value, Option<String>)| {
        let is_right = value == *right;
        OfferDraft::plain(&value, is_right, idea)
    };
    values.into_iter().map(draft).collect()
}

/// The change that was made, under its title, and those of its kernel whose symptoms are nearest.
///
/// # Errors
/// No change was made, or it is not known.
pub(super) fn changes(setting: &Setting) -> Result<(Answer, Vec<OfferDraft>), QueryError> {
    let none = || QueryError::new("nothing was changed that could be named");
    let made = setting.changes.last().and_then(|id| change::find(id)).ok_or_else(none)?;
    let is_made = |other: &&Change| setting.changes.contains(&other.id);
    let others = made.lookalikes().into_iter().filter(|other| !is_made(other));
    let drafts = std::iter::once(made).chain(others).take(CHANGES);
    let drafts = drafts.map(|change| OfferDraft::plain(&change.title, change.id == made.id, None));
    Ok((Answer::simulated(Value::Name(made.title.clone())), drafts.collect()))
}

/// At least two offers.
pub(super) fn enough(drafts: Vec<OfferDraft>) -> Result<Vec<OfferDraft>, QueryError> {
    let told = "there is nothing to choose from: no idea says anything but what is right";
    if drafts.len() >= 2 { Ok(drafts) } else { Err(QueryError::new(told)) }
}

/// The offers with their keys, as they stand.
pub(super) fn in_order(drafts: Vec<OfferDraft>) -> Vec<Offer> {
    let keyed = ('1'..).zip(drafts);
    keyed.map(|(key, OfferDraft { text, right, idea })| Offer { key, text, right, idea }).collect()
}

/// The offers in an order that the seed chooses, another one for each question.
pub(super) fn shuffled(drafts: Vec<OfferDraft>, ask: &Ask, seed: u64) -> Vec<Offer> {
    in_order(shuffle(drafts, &ask.id, seed))
}

/// Whether two seeds show the options of a question in different orders.
pub fn shuffled_anew(ask: &Ask, seeds: [u64; 2]) -> bool {
    let all: Vec<_> = (0..ask.options.len()).collect();
    let [one, other] = seeds.map(|seed| shuffle(all.clone(), &ask.id, seed));
    one != other
}

/// The same things in an order that depends on a seed and a name.
pub(super) fn shuffle<T>(mut things: Vec<T>, name: &str, seed: u64) -> Vec<T> {
    let fold = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let mut state = name.bytes().fold(0xcbf2_9ce4_8422_2325 ^ seed, fold);
    for last in (1..things.len()).rev() {
        things.swap(last, (next(&mut state) % (last as u64 + 1)) as usize);
    }
    things
}

/// The next number of SplitMix64.
const fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
