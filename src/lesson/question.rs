//! A question as it is asked: what is right, what there is to choose from, what an answer means.
//!
//! ```text
//! Ask (a block of a lesson) --of--> Question { right, offers, ideas }
//! Attempt: typed, or pointed at --judge--> Verdict
//! ```
//!
//! What is right is a query; what is wrong is what a wrong idea says. An idea that says the same as
//! the answer, or nothing, offers nothing: [`quiet`] tells which and why.

mod attempt;
mod form;
mod gaps;
mod judge;
mod number;
mod offers;
mod order;
mod quiet;
mod sort;
mod things;

pub use attempt::Attempt;
pub use form::{Mistake, Offer, Question, Verdict};
pub use number::singular;
pub use offers::shuffled_anew;
pub use quiet::{Quiet, Why, quiet};
pub use sort::Sort;
pub use things::Pointed;

use super::answer::{Answer, Value};
use super::document::{Ask, Kind};
use super::expr::Context;
use super::model;
use super::query_error::QueryError;
use super::setting::Setting;

impl Question {
    /// Asks a question in the setting that stands; `seed` shuffles what there is to choose from.
    ///
    /// # Errors
    /// The answer is not known here, or there is nothing to choose: a choice must have exactly one
    /// right option and a wrong one.
    pub fn of(ask: &Ask, seed: u64, context: &Context<'_>) -> Result<Self, QueryError> {
        match ask.kind.or_else(|| kind_of_options(ask)) {
            Some(Kind::Order) => order::question(ask, context, seed),
            Some(Kind::Gap) => Self::gap(ask, context),
            Some(Kind::Name) => Self::name(ask, context.setting, seed),
            Some(Kind::Choice) if !ask.options.is_empty() => {
                let (right, drafts) = offers::written(ask, context)?;
                let offers = offers::shuffled(drafts, ask, seed);
                Ok(Self { offers, ..Self::plain(ask, Kind::Choice, right) })
            }
            _ => Self::computed(ask, context, seed),
        }
    }

    /// A question whose answer is the value of its query.
    fn computed(ask: &Ask, context: &Context<'_>, seed: u64) -> Result<Self, QueryError> {
        let mut right = context.answer(&ask.want)?;
        let mut ideas = ideas(ask, &right.value, context);
        if ask.kind == Some(Kind::Pick) {
            right.value = things::pointed_at(right.value, &ask.of);
            for mistake in &mut ideas {
                mistake.value = things::pointed_at(mistake.value.clone(), &ask.of);
            }
        }
        let kind = match right.value {
            Value::Truth(_) | Value::Name(_) => Kind::Choice,
            Value::Number(_) if ask.kind == Some(Kind::Choice) => Kind::Choice,
            Value::Number(_) => Kind::Number,
            Value::Things(_) => Kind::Pick,
        };
        let mut question = Self { ideas, ..Self::plain(ask, kind, right) };
        if kind == Kind::Choice {
            let drafts = offers::computed(&question.right.value, &question.ideas, &ask.of);
            let drafts = offers::enough(drafts)?;
            question.offers = match question.right.value {
                Value::Truth(_) => offers::in_order(drafts),
                _ => offers::shuffled(drafts, ask, seed),
            };
        }
        if kind == Kind::Pick {
            let stage = context.stages.of(context.setting)?;
            question.pointed = Some(Pointed::of(&question.right.value, &ask.of, &stage)?);
        }
        Ok(question)
    }

    /// A question about the place in the source at which something has to be inserted: every line
    /// after which that is accepted is right.
    fn gap(ask: &Ask, context: &Context<'_>) -> Result<Self, QueryError> {
        let stage = context.stages.of(context.setting)?;
        let lines = gaps::accepted(ask, &stage)?;
        let right = Answer::simulated(Value::Things(lines));
        let pointed = Pointed::of(&right.value, &["line".to_owned()], &stage)?;
        Ok(Self { pointed: Some(pointed), all: false, ..Self::plain(ask, Kind::Gap, right) })
    }

    /// A question about the change that was made.
    fn name(ask: &Ask, setting: &Setting, seed: u64) -> Result<Self, QueryError> {
        let (right, drafts) = offers::changes(setting)?;
        let offers = offers::shuffled(offers::enough(drafts)?, ask, seed);
        Ok(Self { offers, ..Self::plain(ask, Kind::Name, right) })
    }
}

/// The kind that an ask's keys tell, if they do.
fn kind_of_options(ask: &Ask) -> Option<Kind> {
    if ask.insert.is_some() {
        return Some(Kind::Gap);
    }
    (!ask.options.is_empty()).then_some(Kind::Choice)
}

/// What the ideas of a question say where they differ from what is right.
fn ideas(ask: &Ask, right: &Value, context: &Context<'_>) -> Vec<Mistake> {
    let says = |idea: &String| {
        let value = model::says(idea, &ask.want, context)?;
        Some(Mistake { idea: idea.clone(), value })
    };
    let differs = |mistake: &Mistake| !number::same(&mistake.value, right, ask.within);
    ask.wrong.iter().filter_map(says).filter(differs).collect()
}

#[cfg(test)]
mod tests;
