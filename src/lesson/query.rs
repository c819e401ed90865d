//! Asks the simulator: places of a run, and values with their evidence.
//!
//! ```text
//! text --expr--> QueryExpr --evaluate--> Answer { value, origin, step, warp, view, marks }
//!                  | a call: the setting that it asks, then its row in the table of functions
//! access  who  blocks  waiting  values  sums  sound  settings  times  machine  scene  choice
//! ```
//!
//! A query is total: what cannot be answered is an error that names itself, never a guess.

mod access;
mod asked;
pub(super) mod blocks;
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

pub use super::expr::{ArgumentKind, Bindings, EvalContext, QueryCall, QueryFunction};
pub use super::query_error::QueryError;
pub use functions::{FUNCTIONS, function};

use super::answer::Answer;
use super::expr::{Parsed, Query, RunPosition};
use super::setting::Setting;
use super::setting_runs::SettingCache;

impl Parsed<RunPosition> {
    /// The steps done at the place in the run of a setting's block.
    ///
    /// # Errors
    /// The place cannot be read, or the run does not reach it.
    pub fn step(&self, cache: &SettingCache, setting: &Setting) -> Result<usize, QueryError> {
        let wanted = self.meaning()?;
        let runs = cache.runs(setting)?;
        let found = place::step_of(&runs, wanted, 0);
        found.map_err(|why| why.within(&(0..self.text.len())))
    }
}

impl EvalContext<'_> {
    /// The answer to a query.
    ///
    /// # Errors
    /// It cannot be read, or not be answered: the message says what is missing.
    pub fn answer(&self, query: &Query) -> Result<Answer, QueryError> {
        self.evaluate(query.meaning()?)
    }
}

#[cfg(test)]
mod tests;
