//! Misconceptions that yield no distractor in a setting, and why.

use super::number::same;
use super::offers::chooses;
use crate::lesson::answer::Value;
use crate::lesson::document::{Ask, AskKind, Choice, Tolerance, words};
use crate::lesson::expr::EvalContext;
use crate::lesson::model::{self, MODELS};
use crate::lesson::query_error::QueryError;
use std::fmt;

/// An idea that offers nothing here.
#[derive(Clone, Debug, PartialEq)]
pub struct UnusedDistractor {
    /// The idea: a model's name.
    pub idea: String,
    /// Why it offers nothing.
    pub why: UnusedReason,
}

/// Why an idea offers nothing.
#[derive(Clone, Debug, PartialEq)]
pub enum UnusedReason {
    /// There is no such model.
    Unknown,
    /// It has no opinion here.
    NoOpinion,
    /// It says what is right.
    Right(Value),
    /// It says the same as an idea named before it, which alone is recognised: no error.
    Twin(String, Value),
}

impl fmt::Display for UnusedDistractor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { idea, why } = self;
        match why {
            UnusedReason::Unknown => write!(f, "there is no model `{idea}`"),
            UnusedReason::NoOpinion => write!(f, "`{idea}` has no opinion here"),
            UnusedReason::Right(value) => write!(f, "`{idea}` says {value}, which is right"),
            UnusedReason::Twin(other, value) => {
                write!(f, "`{idea}` says {value}, as `{other}` does")
            }
        }
    }
}

/// The misconceptions of a question that yield no distractor in this setting. Those that the author
/// wrote beside an option of a choice are not considered.
///
/// # Errors
/// The right answer is not known here.
pub fn unused(ask: &Ask, context: &EvalContext<'_>) -> Result<Vec<UnusedDistractor>, QueryError> {
    let by_hand = ask.options.iter().filter_map(|option| option.idea.as_ref());
    let all = by_hand.filter(|idea| !is_known(idea)).cloned();
    let mut all: Vec<_> =
        all.map(|idea| UnusedDistractor { idea, why: UnusedReason::Unknown }).collect();
    let no_value = matches!(ask.kind, Some(AskKind::Order | AskKind::Gap | AskKind::Name));
    if ask.wrong.is_empty() || no_value {
        return Ok(all);
    }
    let right = context.answer(&ask.want)?.value;
    let mut said: Vec<(&str, Value)> = Vec::new();
    for idea in &ask.wrong {
        let why = why(ask, idea, context, (&right, &said))?;
        match why {
            Ok(value) => said.push((idea, value)),
            Err(why) => all.push(UnusedDistractor { idea: idea.clone(), why }),
        }
    }
    Ok(all)
}

/// What an idea says that is wrong and new, or why it offers nothing.
fn why(
    ask: &Ask,
    idea: &str,
    context: &EvalContext<'_>,
    (right, said): (&Value, &[(&str, Value)]),
) -> Result<Result<Value, UnusedReason>, QueryError> {
    if !is_known(idea) {
        return Ok(Err(UnusedReason::Unknown));
    }
    if !ask.options.is_empty() {
        return chosen(ask, idea, context);
    }
    let Some(value) = model::says(idea, &ask.want, context) else {
        return Ok(Err(UnusedReason::NoOpinion));
    };
    if same(&value, right, ask.within) {
        return Ok(Err(UnusedReason::Right(value)));
    }
    let twin = said.iter().find(|(_, other)| same(&value, other, Tolerance::Exact));
    Ok(match twin {
        Some((other, _)) => Err(UnusedReason::Twin((*other).to_owned(), value)),
        None => Ok(value),
    })
}

/// The text of the option that an idea chooses, if that is wrong.
fn chosen(
    ask: &Ask,
    idea: &str,
    context: &EvalContext<'_>,
) -> Result<Result<Value, UnusedReason>, QueryError> {
    let is_so = |option: &&Choice| chooses(idea, option, context);
    let option = ask.options.iter().find(is_so);
    let Some((option, query)) = option.and_then(|option| Some((option, option.holds()?))) else {
        return Ok(Err(UnusedReason::NoOpinion));
    };
    let text = Value::Name(words(&option.text));
    let is_right = context.answer(query)?.value == Value::Truth(true);
    Ok(if is_right { Err(UnusedReason::Right(text)) } else { Ok(text) })
}

fn is_known(idea: &str) -> bool {
    MODELS.iter().any(|model| model.id == idea)
}
