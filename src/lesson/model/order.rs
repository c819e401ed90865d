//! Ideas about barriers and races: who waits for whom, and what a good run proves.

use super::asked::{ModelCall, call, named, number};
use crate::lesson::answer::Value;
use crate::lesson::expr::{Argument, Binary, Elsewhere, FunctionCall, QueryExpr};
use crate::lesson::query::function;
use crate::lesson::setting::Setting;
use crate::matrix::Size;
use crate::sim::Order;

/// The changes that take away one of two barriers.
const BARRIERS: [&str; 2] = ["no-load-barrier", "no-compute-barrier"];

/// A small size at which every edge is in the middle of a tile, and no two sides are equal.
const AWKWARD: Size = Size { m: 20, n: 12, k: 28 };

/// What says that nothing is wrong, if nothing can be.
fn all_well(asked: &ModelCall) -> Option<Value> {
    match asked.function() {
        "right" | "sound" => Some(Value::Truth(true)),
        "wrong" | "findings" | "spoilt" => Some(number(0)),
        _ => None,
    }
}

/// With one barrier there is no race; and one barrier is as good as the other.
pub(super) fn one_barrier(asked: &ModelCall) -> Option<Value> {
    match asked.function() {
        "settings" => {
            let barriers = call("barriers", [])?.joined(Binary::More, 0.0.into());
            asked.ask(&settings(call("right", [])?, barriers)?)
        }
        "lines_of" => asked.ask_in(&asked.plain(), &other_barrier(&asked.setting)?),
        "findings" if asked.name(0).is_some_and(|kind| kind != "race") => None,
        "right" | "wrong" => None,
        "barriers" => asked.ask(&call("k_tiles", [])?),
        _ => all_well(asked),
    }
}

/// In how many settings of the dials two things hold.
fn settings(one: QueryExpr, other: QueryExpr) -> Option<QueryExpr> {
    call("settings", [Argument::Value(one.joined(Binary::And, other))])
}

/// The setting in which the other barrier is missing.
fn other_barrier(setting: &Setting) -> Option<Setting> {
    let [load, compute] = BARRIERS;
    let mut setting = setting.clone();
    let missing = setting.changes.iter_mut().find(|change| BARRIERS.contains(&change.as_str()))?;
    let other = if missing == load { compute } else { load };
    other.clone_into(missing);
    Some(setting)
}

/// Nothing is wrong if C is right when the warps take turns.
pub(super) fn passed_so_right(asked: &ModelCall) -> Option<Value> {
    let in_turn = Setting { order: Some(Order::RoundRobin), ..asked.setting.clone() };
    let right = || asked.ask_in(&call("right", [])?, &in_turn);
    let passed = || right() == Some(Value::Truth(true));
    match asked.function() {
        "sound" => right(),
        "findings" if passed() => Some(number(0)),
        "spoilt" => Some(number(if passed() { 0 } else { asked.whole(0)? })),
        _ => None,
    }
}

/// Where there is a race, C is wrong in every order of the warps.
pub(super) fn race_shows(asked: &ModelCall) -> Option<Value> {
    let findings = call("findings", [named("race")])?;
    let races = || Some(asked.number(&findings)? > 0.0);
    match asked.function() {
        "right" if races()? => Some(Value::Truth(false)),
        "spoilt" if races()? => Some(number(asked.whole(0)?)),
        "settings" => {
            let none = findings.joined(Binary::Equal, 0.0.into());
            asked.ask(&settings(asked.value(0)?, none)?)
        }
        _ => None,
    }
}

/// What is wrong with a kernel is seen at any size: also at one that is no multiple of anything.
pub(super) fn slip_shows(asked: &ModelCall) -> Option<Value> {
    let awkward = FunctionCall {
        elsewhere: vec![(Elsewhere::Size(AWKWARD), 0..0)],
        ..FunctionCall::new(function("right")?, Vec::new())
    };
    let shows = call("right", [])?.joined(Binary::And, awkward.into());
    match asked.function() {
        "right" => asked.ask(&shows),
        "settings" => asked.ask(&settings(asked.value(0)?, shows)?),
        _ => None,
    }
}

/// What is wrong because of the edges is wrong in the blocks at the edges of C, and nowhere else.
pub(super) fn edge_stays_edge(asked: &ModelCall) -> Option<Value> {
    if !asked.is(&["wrong"]) || asked.ask(&call("right", [])?)? == Value::Truth(true) {
        return None;
    }
    let runs = asked.runs()?;
    let (size, tile) = (runs.problem.size, runs.tile()?);
    let whole = |elements: u32, of_block: u32| f64::from(elements - elements % of_block);
    let inside = whole(size.m, tile.m) * whole(size.n, tile.n);
    Some(number(f64::from(size.m) * f64::from(size.n) - inside))
}

/// No warp waits for another.
pub(super) fn barrier_is_warp(asked: &ModelCall) -> Option<Value> {
    asked.is(&["waiting", "arrived"]).then(|| number(0))
}

/// The warps of all other blocks are waited for as well.
pub(super) fn barrier_is_grid(asked: &ModelCall) -> Option<Value> {
    if !asked.is(&["waiting", "arrived"]) {
        return None;
    }
    let launch = asked.runs()?.problem.launch;
    let others = launch.blocks().saturating_sub(1) as f64 * f64::from(launch.warps());
    Some(number(others + asked.number(&asked.plain())?))
}

/// No block ends, so nothing is stored to C.
pub(super) fn gone_hangs(asked: &ModelCall) -> Option<Value> {
    match asked.function() {
        "right" | "sound" => Some(Value::Truth(false)),
        "wrong" => {
            let size = asked.runs()?.problem.size;
            Some(number(f64::from(size.m) * f64::from(size.n)))
        }
        "findings" if asked.name(0) == Some("no-end") => {
            Some(number(asked.number(&call("blocks", [])?)?))
        }
        _ => None,
    }
}

/// Whoever computes no element of C takes no part in loads, and is not missed.
pub(super) fn idle_need_not_load(asked: &ModelCall) -> Option<Value> {
    if !asked.is(&["lanes"]) {
        return all_well(asked);
    }
    let lanes = asked.evidence()?.lanes.into_iter().flatten();
    let has_one =
        |thread: (u32, u32)| asked.ask(&call("element", [Argument::Thread(thread, 0..0)])?);
    let has_one = |thread| has_one(thread).is_some_and(|own| own != Value::Things([].into()));
    let computing = lanes.filter(|lane| has_one((lane.thread.0, lane.thread.1)));
    Some(number(computing.count() as f64))
}
