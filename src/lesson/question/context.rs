//! Where a question is asked: what the simulator, and what a wrong idea, answers there.

use crate::lesson::answer::{Answer, Value};
use crate::lesson::model;
use crate::lesson::query::{self, Given};
use crate::lesson::setting::Setting;
use crate::lesson::stage::Stages;
use crate::lesson::unanswered::Unanswered;

/// Where a question is asked.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    pub stages: &'a Stages,
    /// The setting that stands.
    pub setting: &'a Setting,
    /// What its queries may refer to: the place where the run stands.
    pub given: &'a Given,
}

impl Context<'_> {
    /// What the simulator answers to a query.
    pub(super) fn answer(&self, query: &str) -> Result<Answer, Unanswered> {
        query::answer_given(query, self.stages, self.setting, self.given)
    }

    /// What somebody with an idea answers to it.
    pub(super) fn says(&self, idea: &str, query: &str) -> Option<Value> {
        model::says_given(idea, query, self.stages, self.setting, self.given)
    }
}
