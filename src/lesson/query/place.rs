//! Finds the place of a run that a text names.

use crate::lesson::expr::{RunEvent, RunPosition};
use crate::lesson::query_error::QueryError;
use crate::lesson::setting_runs::SettingRuns;
use crate::trace::{End, OpKind, StepRecord};

/// The steps done at a place, searched after `from` steps.
pub(super) fn step_of(
    runs: &SettingRuns,
    place: &RunPosition,
    from: usize,
) -> Result<usize, QueryError> {
    let end = runs.trace().len();
    match place {
        RunPosition::Start => Ok(0),
        RunPosition::End => Ok(end),
        RunPosition::Step(step) if *step <= end => Ok(*step),
        RunPosition::Step(_) => Err(QueryError::new(format!("the run has {end} steps"))),
        RunPosition::At { before, events } => {
            let mut at = from;
            for (event, span) in events {
                at = after(runs, event, at).map_err(|why| why.within(span))?;
            }
            Ok(at - usize::from(*before && at > 0))
        }
    }
}

/// The steps done once an event has happened that begins after `from` steps.
fn after(runs: &SettingRuns, event: &RunEvent, from: usize) -> Result<usize, QueryError> {
    match event {
        RunEvent::Access(access) => runs.evidence(access, from).map(|evidence| evidence.step),
        RunEvent::Fma => next(runs, from, true, "multiply-add", |mark| mark.kind == OpKind::Fma),
        RunEvent::Conflict => next(runs, from, true, "bank conflict", |mark| mark.conflict),
        RunEvent::Waits => {
            let waits = |mark: &StepRecord| mark.kind == OpKind::Barrier && !mark.released;
            next(runs, from, true, "warp that waits", waits)
        }
        RunEvent::Barrier(times) => (0..*times)
            .try_fold(from, |at, _| next(runs, at, false, "barrier", |mark| mark.released)),
        RunEvent::Line(text) => {
            let line = runs.line(text)?;
            let is_there = |mark: &StepRecord| runs.trace().line(mark.pc) == Some(line);
            next(runs, from, true, &format!("instruction of line {line}"), is_there)
        }
        RunEvent::Tile(times) => tile(runs, from, *times),
        RunEvent::Finding => finding(runs, from),
        RunEvent::Wrong => match runs.wrong_in_block() {
            Some(wrong) if wrong.elements > 0 => Ok(runs.trace().len()),
            Some(_) => Err(QueryError::new("C of this block is right")),
            None => Err(QueryError::new("whether C of this block is right is not known")),
        },
    }
}

/// The steps done after the next step that `is_it`; of the watched warp, if one is watched and only
/// its own count.
fn next(
    runs: &SettingRuns,
    from: usize,
    own: bool,
    what: &str,
    is_it: impl Fn(&StepRecord) -> bool,
) -> Result<usize, QueryError> {
    let warp = runs.setting.warp.filter(|_| own);
    let is_own = |mark: &StepRecord| warp.is_none_or(|warp| warp == u32::from(mark.warp));
    let trace = runs.trace();
    let rest = trace.records().get(from..).unwrap_or_default();
    let found = rest.iter().position(|mark| is_own(mark) && is_it(mark));
    found.map(|steps| from + steps + 1).ok_or_else(|| {
        let of = warp.map_or(String::new(), |warp| format!(" of warp {warp}"));
        let cut =
            if trace.end() == Some(&End::Cut) { "; the run is longer than is kept" } else { "" };
        QueryError::new(format!("there is no {what}{of} after step {from}{cut}"))
    })
}

/// The steps done after this many more of the block's tiles.
fn tile(runs: &SettingRuns, from: usize, times: u32) -> Result<usize, QueryError> {
    let records = runs.trace().records();
    let of_one = runs.fma_per_tile().max(1);
    let done = from.checked_sub(1).and_then(|last| records.get(last)).map_or(0, |mark| mark.fma);
    let wanted = (done / of_one).saturating_add(times).saturating_mul(of_one);
    let steps = records.partition_point(|mark| mark.fma < wanted);
    if steps < records.len() {
        return Ok(steps + 1);
    }
    let all = records.last().map_or(0, |mark| mark.fma) / of_one;
    Err(QueryError::new(format!("the block computes {all} tiles")))
}

/// The step at which a finding shows: the last of those that take part in it.
fn finding(runs: &SettingRuns, from: usize) -> Result<usize, QueryError> {
    let shows = runs.found().iter().filter_map(|found| {
        found.shows.iter().filter(|shows| !shows.is_end).map(|shows| shows.step).max()
    });
    let mut later = shows.filter(|step| *step > from);
    later.next().ok_or_else(|| QueryError::new("nothing is found in this block"))
}
