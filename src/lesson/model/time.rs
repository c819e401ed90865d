//! Ideas about which kernel is faster, and about what counts.

use super::asked::{Asked, number};
use crate::kernel;
use crate::lesson::answer::Value;

/// The size at which a kernel shows what it can do.
const LARGE: u32 = 4096;

/// The counters of which a ratio is taken for one of time.
const INSTRUCTIONS: &str = "warp_instructions";
const LOADED_SECTORS: &str = "global_load_sectors";
const SHARED_LOADS: &str = "shared_load_instructions";

/// Functions by which kernels are compared in speed.
const SPEEDS: [&str; 2] = ["ms", "gflops"];

/// The kernel that reads shared memory most; between two, the advantage that it has where it has
/// one, at any size.
pub(super) fn shared_wins(asked: &Asked) -> Option<Value> {
    if asked.function() == "faster" {
        let (one, other) = (asked.name(0)?, asked.name(1)?);
        let shares = |name: &str| kernel::find(name).map(|kernel| !kernel.shared.is_empty());
        let differ = shares(one)? != shares(other)?;
        return asked.ask(&format!("faster({one}, {other}, {LARGE})")).filter(|_| differ);
    }
    let most = format!("most(per_fma(total(\"{SHARED_LOADS}\")), {})", compared(asked)?);
    asked.ask(&most)
}

/// The kernel of which a multiprocessor holds most warps; between two, as many times as fast.
pub(super) fn occupancy_wins(asked: &Asked) -> Option<Value> {
    if asked.function() == "faster" {
        let (one, other) = (asked.name(0)?, asked.name(1)?);
        return asked.ask(&format!("occupancy({one}) / occupancy({other})"));
    }
    asked.ask(&format!("most(occupancy, {})", compared(asked)?))
}

/// The kernels, as arguments, among which the fastest is asked for.
fn compared(asked: &Asked) -> Option<String> {
    let fastest = match asked.function() {
        "least" => asked.name(0)? == SPEEDS[0],
        "most" => asked.name(0)? == SPEEDS[1],
        _ => false,
    };
    fastest.then(|| asked.kernels().join(", "))
}

/// What the PTX says is what runs.
pub(super) fn ptx_is_sass(asked: &Asked) -> Option<Value> {
    let executed = asked.is(&["executed"]);
    asked.ask(&format!("total({})", asked.argument(0).filter(|_| executed)?))
}

/// As many times as fast as there are fewer instructions.
pub(super) fn instructions_are_time(asked: &Asked) -> Option<Value> {
    ratio(asked, INSTRUCTIONS)
}

/// As many times as fast as there are fewer bytes loaded.
pub(super) fn bytes_are_time(asked: &Asked) -> Option<Value> {
    ratio(asked, LOADED_SECTORS)
}

/// As many times as fast as L1 has fewer lines to look up for A and B.
pub(super) fn lines_are_time(asked: &Asked) -> Option<Value> {
    ratio_of(asked, |name| {
        let of =
            |matrix| format!("requests({matrix}, of {name}) * lines(load {matrix}, of {name})");
        format!("{} + {}", of("A"), of("B"))
    })
}

/// How many times as fast a kernel would be as another one if a counter of the stage's size were
/// its time.
fn ratio(asked: &Asked, counter: &str) -> Option<Value> {
    ratio_of(asked, |name| format!("total(\"{counter}\", of {name})"))
}

/// The same of anything that is asked of a kernel by its name.
fn ratio_of(asked: &Asked, query: impl Fn(&str) -> String) -> Option<Value> {
    if asked.function() != "faster" {
        return None;
    }
    let of = |name: &str| asked.ask(&query(name))?.number();
    let (one, other) = (of(asked.name(0)?)?, of(asked.name(1)?)?);
    if one > 0.0 { Some(number(other / one)) } else { None }
}

/// Requests in place of sectors.
pub(super) fn requests_are_bytes(asked: &Asked) -> Option<Value> {
    let counted = asked.is(&["total", "executed", "of_block"]);
    let counter = asked.name(0).filter(|name| counted && name.ends_with("_sectors"))?;
    let requests = counter.replace("_sectors", "_requests");
    asked.ask(&format!("{}(\"{requests}\")", asked.function()))
}
