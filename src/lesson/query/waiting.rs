//! Who waits for whom at a barrier.

use super::asked::count;
use super::place::step_of;
use crate::lesson::answer::{Answer, AnsweredFrom};
use crate::lesson::expr::{QueryCall, RunEvent, RunPosition};
use crate::lesson::query_error::QueryError;
use crate::lesson::target::{Target, View};
use crate::trace::{WarpState, missing};

type Result<T> = std::result::Result<T, QueryError>;

pub(super) fn arrived(asked: &QueryCall<'_>) -> Result<Answer> {
    at(asked, |arrived, _| arrived)
}

pub(super) fn waiting(asked: &QueryCall<'_>) -> Result<Answer> {
    at(asked, |_, late| late)
}

/// How many of the warps that have arrived and of those that have not, at the place that is named; else
/// where the run stands, or where a warp first waits.
fn at(asked: &QueryCall<'_>, which: fn(usize, usize) -> usize) -> Result<Answer> {
    let runs = asked.runs()?;
    let step = match asked.place(&runs) {
        Some(step) => step?,
        None if asked.from() > 0 => asked.from(),
        None => step_of(
            &runs,
            &RunPosition::At { before: false, events: vec![(RunEvent::Waits, 0..0)] },
            0,
        )?,
    };
    let replay = runs.at(step);
    let warps = &replay.snapshot().warps;
    let arrived = warps.iter().filter(|warp| warp.state == WarpState::Waiting).count();
    let late = if arrived == 0 { Vec::new() } else { missing(warps) };
    Ok(Answer {
        value: count(which(arrived, late.len())),
        origin: AnsweredFrom::Simulated,
        step: Some(step),
        warp: None,
        view: Some(View::Warps),
        marks: late.into_iter().map(|warp| Target::Warp(warp as u32)).collect(),
    })
}
