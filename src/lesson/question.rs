//! A question as it is asked: what is right, what there is to choose from, what an answer means.
//!
//! ```text
//! Ask (a block of a lesson) --of--> Question { right, offers, ideas }
//! Attempt: typed, or pointed at --judge--> AnswerVerdict
//! ```
//!
//! What is right is a query; what is wrong is what a wrong idea says. An idea that says the same as
//! the answer, or nothing, offers nothing: [`unused`] tells which and why.

mod attempt;
mod form;
mod gaps;
mod judge;
mod number;
mod offers;
mod order;
mod target_kind;
mod targets;
mod unused;

pub use attempt::Attempt;
pub use form::{AnswerVerdict, Offer, Question, WrongAnswer};
pub use number::singular;
pub use offers::shuffled_anew;
pub use target_kind::TargetKind;
pub use targets::Pointed;
pub use unused::{UnusedDistractor, UnusedReason, unused};

use super::answer::{Answer, Value};
use super::document::{Ask, AskKind};
use super::expr::EvalContext;
use super::model;
use super::query_error::QueryError;
use super::setting::Setting;

impl Question {
    /// Asks a question in the setting that stands; `seed` shuffles what there is to choose from.
    ///
    /// # Errors
    /// The answer is not known here, or there is nothing to choose: a choice must have exactly one
    /// right option and a wrong one.
    pub fn of(ask: &Ask, seed: u64, context: &EvalContext<'_>) -> Result<Self, QueryError> {
        match ask.kind.or_else(|| kind_of_options(ask)) {
            Some(AskKind::Order) => order::question(ask, context, seed),
            Some(AskKind::Gap) => Self::gap(ask, context),
            Some(AskKind::Name) => Self::name(ask, context.setting, seed),
            Some(AskKind::Choice) if !ask.options.is_empty() => {
                let (right, drafts) = offers::written(ask, context)?;
                let offers = offers::shuffled(drafts, ask, seed);
                Ok(Self { offers, ..Self::plain(ask, AskKind::Choice, right) })
            }
            _ => Self::computed(ask, context, seed),
        }
    }

    /// A question whose answer is the value of its query.
    fn computed(ask: &Ask, context: &EvalContext<'_>, seed: u64) -> Result<Self, QueryError> {
        let mut right = context.answer(&ask.want)?;
        let mut ideas = ideas(ask, &right.value, context);
        if ask.kind == Some(AskKind::Pick) {
            right.value = targets::pointed_at(right.value, &ask.of);
            for mistake in &mut ideas {
                mistake.value = targets::pointed_at(mistake.value.clone(), &ask.of);
            }
        }
        let kind = match right.value {
            Value::Truth(_) | Value::Name(_) => AskKind::Choice,
            Value::Number(_) if ask.kind == Some(AskKind::Choice) => AskKind::Choice,
            Value::Number(_) => AskKind::Number,
            Value::Things(_) => AskKind::Pick,
        };
        let mut question = Self { ideas, ..Self::plain(ask, kind, right) };
        if kind == AskKind::Choice {
            let drafts = offers::computed(&question.right.value, &question.ideas, &ask.of);
            let drafts = offers::enough(drafts)?;
            question.offers = match question.right.value {
                Value::Truth(_) => offers::in_order(drafts),
                _ => offers::shuffled(drafts, ask, seed),
            };
        }
        if kind == AskKind::Pick {
            let runs = context.cache.runs(context.setting)?;
            question.pointed = Some(Pointed::of(&question.right.value, &ask.of, &runs)?);
        }
        Ok(question)
    }

    /// A question about the place in the source at which something has to be inserted: every line
    /// after which that is accepted is right.
    fn gap(ask: &Ask, context: &EvalContext<'_>) -> Result<Self, QueryError> {
        let runs = context.cache.runs(context.setting)?;
        let lines = gaps::accepted(ask, &runs)?;
        let right = Answer::simulated(Value::Things(lines));
        let pointed = Pointed::of(&right.value, &["line".to_owned()], &runs)?;
        Ok(Self { pointed: Some(pointed), all: false, ..Self::plain(ask, AskKind::Gap, right) })
    }

    /// A question about the change that was made.
    fn name(ask: &Ask, setting: &Setting, seed: u64) -> Result<Self, QueryError> {
        let (right, drafts) = offers::changes(setting)?;
        let offers = offers::shuffled(offers::enough(drafts)?, ask, seed);
        Ok(Self { offers, ..Self::plain(ask, AskKind::Name, right) })
    }
}

/// The kind that an ask's keys tell, if they do.
fn kind_of_options(ask: &Ask) -> Option<AskKind> {
    if ask.insert.is_some() {
        return Some(AskKind::Gap);
    }
    (!ask.options.is_empty()).then_some(AskKind::Choice)
}

/// What the ideas of a question say where they differ from what is right.
fn ideas(ask: &Ask, right: &Value, context: &EvalContext<'_>) -> Vec<WrongAnswer> {
    let says = |idea: &String| {
        let value = model::says(idea, &ask.want, context)?;
        Some(WrongAnswer { idea: idea.clone(), value })
    };
    let differs = |mistake: &WrongAnswer| !number::same(&mistake.value, right, ask.within);
    ask.wrong.iter().filter_map(says).filter(differs).collect()
}

#[cfg(test)]
mod tests;
