//! Asks the simulator: places of a run, and values with their evidence.
//!
//! ```text
//! text --expr--> Expr --evaluate--> Answer { value, origin, step, warp, view, marks }
//!                  | a call: the stage that it asks, then its row in the table of functions
//! access  who  blocks  waiting  values  sums  sound  settings  times  machine  scene  choice
//! ```
//!
//! A query is total: what cannot be answered is an error that names itself, never a guess.

mod access;
mod asked;
mod blocks;
mod choice;
mod evaluate;
pub mod functions;
mod machine;
mod place;
mod scene;
mod settings;
mod sound;
mod sums;
mod times;
mod values;
mod waiting;
mod who;

pub use super::expr::{Context, Function, Given, Takes};
pub use super::unanswered::Unanswered;
pub use functions::{FUNCTIONS, function};

use super::answer::Answer;
use super::expr;
use super::setting::Setting;
use super::stage::Stages;

/// The steps done at a place of the run of a setting's block.
///
/// # Errors
/// The place cannot be read, or the run does not reach it.
pub fn step(place: &str, stages: &Stages, setting: &Setting) -> Result<usize, Unanswered> {
    let wanted = expr::place(place)?;
    let stage = stages.of(setting)?;
    let found = place::step_of(&stage, &wanted, 0);
    found.map_err(|why| why.within(&(0..place.len())))
}

/// The answer to an expression.
///
/// # Errors
/// It cannot be read, or not be answered: the message says what is missing.
pub fn answer(expr: &str, stages: &Stages, setting: &Setting) -> Result<Answer, Unanswered> {
    answer_given(expr, stages, setting, &Given::default())
}

/// Like [`answer`], where the expression may refer to where the run stands and to a question.
///
/// # Errors
/// As for [`answer`].
pub fn answer_given(
    expr: &str,
    stages: &Stages,
    setting: &Setting,
    given: &Given,
) -> Result<Answer, Unanswered> {
    let read = expr::expr(expr)?;
    let context = Context { stages, setting, given };
    context.evaluate(&read)
}

#[cfg(test)]
mod tests;
