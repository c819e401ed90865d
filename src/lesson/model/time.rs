//! Ideas about which kernel is faster, and about what counts.

use super::asked::{ModelCall, call, call_of, load, named, number};
use crate::kernel;
use crate::launch::WARP_SIZE;
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

/// Nothing is kept on the way: no level has what is asked of it, and all of it is DRAM's work.
pub(super) fn all_from_dram(asked: &ModelCall) -> Option<Value> {
    match asked.function() {
        "counter" if asked.name(0)? == L1_HITS => Some(number(0)),
        "gflops" if UNTILED.contains(&asked.name(0)?) => {
            let rate = asked.number(&call("rate", [named("DRAM")])?)?;
            Some(number(rate * OPERATIONS / BYTES))
        }
        "busiest" => Some(Value::Name("DRAM".to_owned())),
        _ => None,
    }
}

/// The kernels in which each thread loads a word of A and one of B for each multiply-add: its operations
/// for these bytes.
const UNTILED: [&str; 2] = ["naive", "naive_rows"];
const OPERATIONS: f64 = 2.0;
const BYTES: f64 = 8.0;

/// A cache has whatever it is asked for.
pub(super) fn cache_has_all(asked: &ModelCall) -> Option<Value> {
    (asked.is(&["counter"]) && asked.name(0)? == L1_HITS).then(|| number(100))
}

/// What limited the plain kernel limits every other as well.
pub(super) fn limit_stays(asked: &ModelCall) -> Option<Value> {
    let others = (1..).map_while(|index| asked.argument(index).cloned());
    let of_plain = asked.with([named(UNTILED[0])].into_iter().chain(others));
    if asked.is(&["busiest"]) { asked.ask(&of_plain) } else { None }
}

/// What the L1 caches had of what was asked of them, in percent.
const L1_HITS: &str = "l1tex__t_sector_hit_rate.pct";

/// The bytes that each level moves are those of the sectors that are asked of L1.
pub(super) fn one_count(asked: &ModelCall) -> Option<Value> {
    let of_bytes = asked.is(&["counter"]) && asked.name(0)?.contains("bytes");
    let sectors = Argument::Name(L1_SECTORS.to_owned(), 0..0);
    let others = (1..).map_while(|index| asked.argument(index).cloned());
    let asked_of_l1 = asked.with([sectors].into_iter().chain(others));
    if of_bytes { Some(number(SECTOR * asked.number(&asked_of_l1)?)) } else { None }
}

const L1_SECTORS: &str = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";
const SECTOR: f64 = 32.0;

/// A result is there in the next cycle.
pub(super) fn result_at_once(asked: &ModelCall) -> Option<Value> {
    (asked.is(&["latency"]) && asked.name(0)? == "registers").then(|| number(1))
}

/// A word is there as soon as one of shared memory, wherever it is.
pub(super) fn all_near(asked: &ModelCall) -> Option<Value> {
    if !asked.is(&["latency", "in_flight"]) || asked.name(0)? != "DRAM" {
        return None;
    }
    let cycles = |level| asked.number(&call("latency", [named(level)])?);
    Some(number(asked.number(&asked.plain())? * cycles("shared")? / cycles("DRAM")?))
}

/// One load on the way is enough.
pub(super) fn one_in_flight(asked: &ModelCall) -> Option<Value> {
    asked.is(&["in_flight"]).then(|| number(BYTES_OF_A_WARP))
}

/// The bytes that a warp asks for if each lane wants a word of its own.
const BYTES_OF_A_WARP: f64 = 128.0;

/// A kernel with tiles is limited by its shared memory.
pub(super) fn shared_limits(asked: &ModelCall) -> Option<Value> {
    asked.is(&["limit"]).then(|| Value::Name("shared memory".to_owned()))
}

/// There are so many places for blocks, and they are taken.
pub(super) fn blocks_limit(asked: &ModelCall) -> Option<Value> {
    asked.is(&["limit"]).then(|| Value::Name("blocks".to_owned()))
}

/// Each multiply-add loads both of its values.
pub(super) fn two_loads_each(asked: &ModelCall) -> Option<Value> {
    loads_each(asked, 2.0)
}

/// A thread loads a word for each of its elements.
pub(super) fn one_load_each(asked: &ModelCall) -> Option<Value> {
    loads_each(asked, 1.0)
}

/// So many loads of a warp from shared memory for each of its multiply-adds.
fn loads_each(asked: &ModelCall, loads: f64) -> Option<Value> {
    if !asked.is(&["total", "executed"]) || asked.name(0)? != SHARED_LOADS {
        return None;
    }
    let fma = asked.number(&call("total", [named("thread_fma")])?)?;
    Some(number(loads * fma / f64::from(WARP_SIZE)))
}

/// There is room as long as there are threads.
pub(super) fn only_threads_count(asked: &ModelCall) -> Option<Value> {
    let all = || asked.number(&call("has", [named("threads")])?);
    asked.is(&["occupancy"]).then(all)?.map(|threads| number(threads / f64::from(WARP_SIZE)))
}

/// A part of a block fits where the whole does not.
pub(super) fn blocks_split(asked: &ModelCall) -> Option<Value> {
    let kernel = if asked.is(&["occupancy"]) { asked.name(0)? } else { return None };
    let taken = |what| asked.number(&call("takes", [named(what), named(kernel)])?);
    let of_warp = taken("registers")? * f64::from(WARP_SIZE) / taken("threads")?;
    Some(number((asked.number(&call("has", [named("registers")])?)? / of_warp).floor()))
}
