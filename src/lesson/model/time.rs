//! Ideas about which kernel is faster, and about what counts.

use super::asked::{ModelCall, call, call_of, load, named, number};
use crate::kernel;
use crate::lesson::answer::Value;
use crate::lesson::expr::Argument;
use crate::lesson::query::function;

/// The size at which a kernel shows what it can do.
const LARGE: f64 = 4096.0;

/// The counters of which a ratio is taken for one of time.
const INSTRUCTIONS: &str = "warp_instructions";
const LOADED_SECTORS: &str = "global_load_sectors";
const SHARED_LOADS: &str = "shared_load_instructions";

/// The function by which kernels are compared in speed.
const SPEED: &str = "gflops";

/// The kernel that reads shared memory most; between two, the advantage that it has where it has
/// one, at any size.
pub(super) fn shared_wins(asked: &ModelCall) -> Option<Value> {
    if asked.function() == "faster" {
        let (one, other) = (asked.name(0)?, asked.name(1)?);
        let shares = |name: &str| kernel::find(name).map(|kernel| !kernel.shared.is_empty());
        let differ = shares(one)? != shares(other)?;
        let large = Argument::Value(LARGE.into());
        return asked.ask(&asked.with([named(one), named(other), large])).filter(|_| differ);
    }
    let loads = Argument::Value(call("total", [named(SHARED_LOADS)])?);
    let each = Argument::Value(call("per_fma", [loads])?);
    asked.ask(&call("most", [each].into_iter().chain(compared(asked)?))?)
}

/// The kernel of which a multiprocessor holds most warps; between two, as many times as fast.
pub(super) fn occupancy_wins(asked: &ModelCall) -> Option<Value> {
    if asked.function() == "faster" {
        let of = |index| asked.number(&call("occupancy", [named(asked.name(index)?)])?);
        return Some(number(of(0)? / of(1)?));
    }
    let occupancy = Argument::Function(function("occupancy")?, 0..0);
    asked.ask(&call("most", [occupancy].into_iter().chain(compared(asked)?))?)
}

/// The kernels, as arguments, among which the fastest is asked for.
fn compared(asked: &ModelCall) -> Option<Vec<Argument>> {
    let fastest = asked.is(&["most"]) && asked.name(0)? == SPEED;
    fastest.then(|| asked.kernels().into_iter().map(named).collect())
}

/// What the PTX says is what runs.
pub(super) fn ptx_is_sass(asked: &ModelCall) -> Option<Value> {
    let executed = asked.is(&["executed"]);
    asked.ask(&call("total", asked.argument(0).filter(|_| executed).cloned())?)
}

/// As many times as fast as there are fewer instructions.
pub(super) fn instructions_are_time(asked: &ModelCall) -> Option<Value> {
    ratio(asked, INSTRUCTIONS)
}

/// As many times as fast as there are fewer bytes loaded.
pub(super) fn bytes_are_time(asked: &ModelCall) -> Option<Value> {
    ratio(asked, LOADED_SECTORS)
}

/// As many times as fast as L1 has fewer lines to look up for A and B.
pub(super) fn lines_are_time(asked: &ModelCall) -> Option<Value> {
    ratio_of(asked, |name| {
        let requests = |of| asked.number(&call_of(name, "requests", [named(of)])?);
        let lines = |of| asked.number(&call_of(name, "lines", [load(of)])?);
        Some(requests("A")? * lines("A")? + requests("B")? * lines("B")?)
    })
}

/// How many times as fast a kernel would be as another one if a counter of the setting's size were
/// its time.
fn ratio(asked: &ModelCall, counter: &str) -> Option<Value> {
    ratio_of(asked, |name| asked.number(&call_of(name, "total", [named(counter)])?))
}

/// The same of anything that is asked of a kernel by its name.
fn ratio_of(asked: &ModelCall, of: impl Fn(&str) -> Option<f64>) -> Option<Value> {
    if asked.function() != "faster" {
        return None;
    }
    let (one, other) = (of(asked.name(0)?)?, of(asked.name(1)?)?);
    if one > 0.0 { Some(number(other / one)) } else { None }
}

/// Requests in place of sectors.
pub(super) fn requests_are_bytes(asked: &ModelCall) -> Option<Value> {
    let counted = asked.is(&["total", "executed", "of_block"]);
    let counter = asked.name(0).filter(|name| counted && name.ends_with("_sectors"))?;
    let requests = counter.replace("_sectors", "_requests");
    asked.ask(&asked.with([named(requests)]))
}
