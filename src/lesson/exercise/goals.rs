//! The goals of an exercise, asked of a run.

use super::Exercise;
use super::assignment::Assignment;
use crate::lesson::expr::{Binary, Bindings, EvalContext, Query, QueryNode};
use crate::lesson::judged::CheckedRun;
use crate::lesson::query_error::QueryError;
use crate::lesson::setting::{KernelFrom, Setting};
use crate::lesson::setting_runs::{SettingCache, SettingRuns};

/// A goal and what has come of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GoalResult {
    /// The number of the goal in the rubric.
    pub goal: usize,
    pub label: String,
    /// What was counted; `None` as long as something else is wrong.
    pub now: Option<String>,
    /// As the table has it: `<= 4,096`.
    pub limit: String,
    /// Whether it is met, once that is known.
    pub is_met: Option<bool>,
}

impl Assignment {
    /// The goals in the run at the first size. What a kernel costs that is wrong is not counted.
    pub(in crate::lesson) fn goals(&self, run: &CheckedRun<'_>, is_sound: bool) -> Vec<GoalResult> {
        let Exercise { rubric, .. } = &*self.exercise;
        let problem = run.simulation.problem;
        let text = problem.source.as_ref().map(|source| source.text.clone());
        let kernel = KernelFrom::File { name: String::new(), text: text.unwrap_or_default() };
        let setting = Setting { kernel, size: problem.size, ..Setting::default() };
        let runs = SettingRuns::of_run(&setting, run);
        let Ok(cache) = runs.map(SettingCache::with) else { return Vec::new() };
        let given = &Bindings::default();
        let context = EvalContext { cache: &cache, setting: &setting, given };
        let goals = rubric.goals.iter().enumerate();
        goals
            .map(|(number, goal)| {
                let compared = compared(&context, &goal.want, is_sound);
                let (now, limit, is_met) = compared.unwrap_or_else(|why| {
                    (Some(why.message), String::new(), is_sound.then_some(false))
                });
                GoalResult { goal: number, label: goal.label.clone(), now, limit, is_met }
            })
            .collect()
    }
}

/// What was counted, its limit, and whether that is kept.
type ComparedGoal = (Option<String>, String, Option<bool>);

fn compared(
    context: &EvalContext<'_>,
    want: &Query,
    counts: bool,
) -> Result<ComparedGoal, QueryError> {
    let meaning = want.meaning()?;
    let QueryNode::Binary(operator, sides) = &meaning.node else {
        return Err(QueryError::new("a goal is a comparison"));
    };
    let word = match operator {
        Binary::AtMost => "<= ",
        Binary::AtLeast => ">= ",
        _ => "",
    };
    let limit = context.evaluate(&sides[1])?.value;
    let limit = format!("{word}{limit}");
    if !counts {
        return Ok((None, limit, None));
    }
    let now = match context.evaluate(&sides[0]) {
        Ok(now) => now.value.to_string(),
        Err(why) => return Ok((Some(why.message), limit, Some(false))),
    };
    let is_met = context.evaluate(meaning)?.value.number() == Some(1.0);
    Ok((Some(now), limit, Some(is_met)))
}
