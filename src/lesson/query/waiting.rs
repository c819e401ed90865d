//! Who waits for whom at a barrier.

use super::asked::count;
use super::place::step_of;
use crate::lesson::answer::{Answer, AnsweredFrom, Value};
use crate::lesson::expr::{Asked, Event, Place};
use crate::lesson::thing::{Thing, View};
use crate::lesson::unanswered::Unanswered;
use crate::trace::{WarpState, missing};
use std::collections::BTreeSet;

type Result<T> = std::result::Result<T, Unanswered>;

pub(super) fn arrived(asked: &Asked<'_>) -> Result<Answer> {
    at(asked, |arrived, _| count(arrived.len()))
}

pub(super) fn waiting(asked: &Asked<'_>) -> Result<Answer> {
    at(asked, |_, late| count(late.len()))
}

pub(super) fn waits_for(asked: &Asked<'_>) -> Result<Answer> {
    at(asked, |_, late| Value::Things(late.clone()))
}

/// A value of the warps that have arrived and those that have not, at the place that is named; else
/// where the run stands, or where a warp first waits.
fn at(asked: &Asked<'_>, value: fn(&BTreeSet<Thing>, &BTreeSet<Thing>) -> Value) -> Result<Answer> {
    let stage = asked.stage()?;
    let step = match asked.place(&stage) {
        Some(step) => step?,
        None if asked.from() > 0 => asked.from(),
        None => {
            step_of(&stage, &Place::At { before: false, events: vec![(Event::Waits, 0..0)] }, 0)?
        }
    };
    let replay = stage.at(step);
    let warps = &replay.snapshot().warps;
    let number = |warp: usize| Thing::Warp(warp as u32);
    let waits = warps.iter().enumerate().filter(|(_, warp)| warp.state == WarpState::Waiting);
    let arrived: BTreeSet<_> = waits.map(|(warp, _)| number(warp)).collect();
    let late: BTreeSet<_> = if arrived.is_empty() {
        BTreeSet::new()
    } else {
        missing(warps).into_iter().map(number).collect()
    };
    Ok(Answer {
        value: value(&arrived, &late),
        origin: AnsweredFrom::Simulated,
        step: Some(step),
        warp: None,
        view: Some(View::Warps),
        marks: late.into_iter().collect(),
    })
}
