//! How often an element of A or B is fetched and used.

use super::asked::count;
use crate::lesson::answer::{Answer, AnsweredFrom, Value};
use crate::lesson::expr::QueryCall;
use crate::lesson::query_error::QueryError;
use crate::lesson::setting_runs::SettingRuns;
use crate::lesson::target::{Target, View};
use crate::matrix::Element;
use crate::study::value::{ElementUses, Known, Total};
use std::sync::Arc;

type Result<T> = std::result::Result<T, QueryError>;

pub(super) fn fetched(asked: &QueryCall<'_>) -> Result<Answer> {
    over_grid(asked, |total| total.requests)
}

pub(super) fn uses(asked: &QueryCall<'_>) -> Result<Answer> {
    over_grid(asked, |total| total.used)
}

fn over_grid(asked: &QueryCall<'_>, figure: fn(Total) -> u64) -> Result<Answer> {
    let (runs, element) = (asked.runs()?, asked.element()?);
    with(&runs, element, |went| {
        let total = went.in_all();
        if total.run < total.of {
            let told = format!("{element} goes to {} blocks: ask at a smaller size", total.of);
            return Err(QueryError::new(told));
        }
        Ok(evident(&runs, went, count(figure(total))))
    })
}

/// What blocks do with an element of A or B.
fn with(
    runs: &Arc<SettingRuns>,
    element: Element,
    answer: impl Fn(&ElementUses) -> Result<Answer>,
) -> Result<Answer> {
    match &runs.history(element)?.known {
        Known::Went(went) => answer(went),
        Known::Nobody(..) => Err(QueryError::new(format!("no block uses {element}"))),
        Known::Came(_) => {
            Err(QueryError::new(format!("{element} is a result: ask for an element of A or B")))
        }
    }
}

/// An answer that the followed value shows, where the watched block first loads it.
fn evident(runs: &SettingRuns, went: &ElementUses, value: Value) -> Answer {
    let here = went.block == runs.block();
    let first = went.here.events.first().filter(|_| here);
    Answer {
        value,
        origin: AnsweredFrom::Simulated,
        step: first.map(|event| event.index as usize),
        warp: first.map(|event| event.warp.into()),
        view: Some(View::Value),
        marks: vec![Target::Element(went.element)],
    }
}
