//! Whether C is right, and whether it always will be.

use super::asked::count;
use crate::analysis::check::Finding;
use crate::lesson::answer::{Answer, AnsweredFrom, Value};
use crate::lesson::expr::QueryCall;
use crate::lesson::nearest::nearest;
use crate::lesson::query_error::QueryError;
use crate::lesson::setting_runs::SettingRuns;
use crate::lesson::target::{Target, View};
use crate::matrix::judge::Mismatch;
use crate::matrix::{Element, Operand};
use std::collections::BTreeSet;

type Result<T> = std::result::Result<T, QueryError>;

/// The kinds of findings.
const KINDS: [&str; 5] = ["race", "barrier", "memory", "assertion", "no-end"];

/// The most random orders that are tried.
const ORDERS: u32 = 1000;

pub(super) fn right(asked: &QueryCall<'_>) -> Result<Answer> {
    if let Some(right) = &asked.given().right {
        return Ok(Answer::simulated(right.clone()));
    }
    judged(&*asked.runs()?, |elements| Value::Truth(elements == 0))
}

pub(super) fn wrong(asked: &QueryCall<'_>) -> Result<Answer> {
    match asked.name(0) {
        Some((name, _)) if name == Operand::C.name() => judged(&*asked.runs()?, count),
        _ => Err(QueryError::new("only C can be wrong: `wrong(C)`")),
    }
}

/// A value of the number of wrong elements. If the watched block has some, they are seen at its end,
/// and the first of them is lit.
fn judged(runs: &SettingRuns, value: fn(u64) -> Value) -> Result<Answer> {
    let wrong = runs.judged()?;
    let answer = Answer { view: Some(View::Matrices), ..Answer::simulated(value(wrong.elements)) };
    if wrong.elements == 0 {
        return Ok(answer);
    }
    let here = runs.wrong_in_block().filter(|wrong| wrong.elements > 0);
    let first = here.unwrap_or(wrong).first;
    let element = |off: Mismatch| Element { operand: Operand::C, row: off.row, column: off.column };
    Ok(Answer {
        step: here.map(|_| runs.trace().len()),
        marks: first.map(|off| Target::Element(element(off))).into_iter().collect(),
        ..answer
    })
}

pub(super) fn findings(asked: &QueryCall<'_>) -> Result<Answer> {
    let (runs, kind) = (asked.runs()?, kind(asked)?);
    let all = of_kind(&runs, kind)?;
    Ok(shown(&runs, kind, count(all.len()), lines(&all)))
}

pub(super) fn lines_of(asked: &QueryCall<'_>) -> Result<Answer> {
    let (runs, kind) = (asked.runs()?, kind(asked)?);
    let lines = lines(&of_kind(&runs, kind)?);
    Ok(shown(&runs, kind, Value::Things(lines.clone()), lines))
}

pub(super) fn sound(asked: &QueryCall<'_>) -> Result<Answer> {
    let runs = asked.runs()?;
    let all = of_kind(&runs, None)?;
    Ok(shown(&runs, None, Value::Truth(all.is_empty()), lines(&all)))
}

pub(super) fn spoilt(asked: &QueryCall<'_>) -> Result<Answer> {
    let orders = asked.whole(0)?;
    if orders > ORDERS {
        return Err(QueryError::new(format!("at most {ORDERS} orders are tried")));
    }
    let spoilt = asked.runs()?.spoilt(orders)?;
    Ok(Answer { view: Some(View::Matrices), ..Answer::simulated(count(spoilt)) })
}

/// The kind of findings that is asked for, or `None` for all.
fn kind(asked: &QueryCall<'_>) -> Result<Option<&'static str>> {
    let Some((name, span)) = asked.name(0) else { return Ok(None) };
    let known = KINDS.into_iter().find(|kind| *kind == name);
    let told = || {
        let meant = nearest(name, KINDS).map(|near| format!("did you mean `{near}`?"));
        let hint = meant.unwrap_or_else(|| format!("there are {}", KINDS.join(", ")));
        QueryError::at(span, format!("`{name}` is not a kind of finding: {hint}"))
    };
    known.map(Some).ok_or_else(told)
}

fn of_kind<'s>(runs: &'s SettingRuns, kind: Option<&str>) -> Result<Vec<&'s Finding>> {
    let is_it = |finding: &&Finding| kind.is_none_or(|kind| finding.kind.kind() == kind);
    Ok(runs.findings()?.iter().filter(is_it).collect())
}

/// The lines of the source that take part.
fn lines(findings: &[&Finding]) -> BTreeSet<Target> {
    let sides = findings.iter().flat_map(|finding| &finding.sides);
    sides.filter_map(|side| side.line).map(Target::Line).collect()
}

/// An answer at the step where the first such finding shows in the watched block.
fn shown(runs: &SettingRuns, kind: Option<&str>, value: Value, lines: BTreeSet<Target>) -> Answer {
    let marks: Vec<_> = lines.into_iter().collect();
    if marks.is_empty() && runs.findings().is_ok_and(<[Finding]>::is_empty) {
        return Answer::simulated(value);
    }
    let found = runs.found().iter().find(|found| kind.is_none_or(|kind| found.kind == kind));
    let shows = found.into_iter().flat_map(|found| &found.shows).filter(|shows| !shows.is_end);
    let last = shows.max_by_key(|shows| shows.step);
    Answer {
        value,
        origin: AnsweredFrom::Simulated,
        step: last.map(|shows| shows.step),
        warp: last.map(|shows| shows.warp.into()),
        view: Some(View::Source),
        marks,
    }
}
