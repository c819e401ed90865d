//! Ideas about accesses of several words, copies, tensor cores and halves, and about what is compared.

use super::asked::{ModelCall, call, load, named, number};
use crate::kernel;
use crate::launch::WARP_SIZE;
use crate::lesson::answer::Value;
use crate::lesson::setting::Setting;
use crate::matrix::{Precision, Size};

/// Bytes of a float32, and of a sector.
const WORD: f64 = 4.0;
const SECTOR: f64 = 32.0;

const LOADED_SECTORS: &str = "global_load_sectors";

/// The products that `mma` adds up in a warp, and those for each element of its result.
const RESULTS: f64 = 16.0 * 8.0;

/// Whether a counter of the whole grid is asked for.
fn counts(asked: &ModelCall, counter: &str) -> Option<()> {
    (asked.is(&["total", "executed"]) && asked.name(0)? == counter).then_some(())
}

/// The counter of the grid, in the setting that is asked.
fn total(asked: &ModelCall, counter: &str) -> Option<f64> {
    asked.number(&call("total", [named(counter)])?)
}

/// The host's memory gives its bytes as fast as that of the GPU.
pub(super) fn bus_is_dram(asked: &ModelCall) -> Option<Value> {
    let side = if asked.is(&["copied"]) { asked.whole(1)? } else { return None };
    let bytes = 2.0 * WORD * f64::from(side) * f64::from(side);
    // Gigabytes a second are millions of bytes a millisecond.
    Some(number(bytes / 1e6 / asked.number(&call("rate", [named("DRAM")])?)?))
}

/// An element is a byte.
pub(super) fn one_byte_each(asked: &ModelCall) -> Option<Value> {
    let all = || asked.number(&asked.plain());
    if asked.is(&["copied"]) { Some(number(all()? / WORD)) } else { None }
}

/// As many times as many sectors as each lane loads words.
pub(super) fn wide_is_more(asked: &ModelCall) -> Option<Value> {
    counts(asked, LOADED_SECTORS)?;
    let of_load = |what| asked.number(&call(what, [load("A")])?);
    Some(number(total(asked, LOADED_SECTORS)? * of_load("words")? / of_load("lanes")?))
}

/// The words of a load that is four wide.
const WIDE: u32 = 4;

/// The requests at the next size whose rows are a multiple of four words.
pub(super) fn any_address(asked: &ModelCall) -> Option<Value> {
    let Size { m, n, k } = asked.setting.size;
    let [m, n, k] = [m, n, k].map(|side| side.next_multiple_of(WIDE));
    let setting = Setting { size: Size { m, n, k }, ..asked.setting.clone() };
    if asked.is(&["requests"]) { asked.ask_in(&asked.plain(), &setting) } else { None }
}

/// Four times the requests in the blocks at the right edge, and no more elsewhere.
pub(super) fn edge_alone(asked: &ModelCall) -> Option<Value> {
    let requests = any_address(asked)?.number()?;
    let is_whole = asked.setting.size.n.is_multiple_of(WIDE);
    let across = f64::from(asked.runs()?.problem.launch.grid.x);
    let more = if is_whole { 0.0 } else { f64::from(WIDE - 1) / across };
    Some(number(requests * (1.0 + more)))
}

/// As few passes as the words need.
pub(super) fn words_fill_passes(asked: &ModelCall) -> Option<Value> {
    let access = asked.argument(0).filter(|_| asked.is(&["passes"]));
    asked.ask(&call("ideal", access.cloned())?)
}

/// With its barriers a kernel is right, whatever its copies do.
pub(super) fn barrier_brings(asked: &ModelCall) -> Option<Value> {
    match asked.function() {
        "right" | "sound" => Some(Value::Truth(true)),
        "spoilt" | "findings" | "wrong" => Some(number(0)),
        _ => None,
    }
}

/// A kernel loads half of the time and adds up the other half.
pub(super) fn turns_add_up(asked: &ModelCall) -> Option<Value> {
    busy_for(asked, 0.5)
}

/// The unit that has most to do has it all the time.
pub(super) fn limit_never_rests(asked: &ModelCall) -> Option<Value> {
    busy_for(asked, 1.0)
}

/// This share of a kernel's time, as what its multiply-adds keep their unit busy for.
fn busy_for(asked: &ModelCall, share: f64) -> Option<Value> {
    if !asked.is(&["busy"]) || asked.name(0)? != "FMA" {
        return None;
    }
    let kernel = (1..).map_while(|index| asked.argument(index).cloned());
    Some(number(share * asked.number(&call("ms", kernel)?)?))
}

/// One multiply-add for each lane.
pub(super) fn lane_each(asked: &ModelCall) -> Option<Value> {
    of_tensor_cores(asked, WARP_SIZE.into())
}

/// One multiply-add for each element of the result.
pub(super) fn product_each(asked: &ModelCall) -> Option<Value> {
    of_tensor_cores(asked, RESULTS)
}

/// So many multiply-adds for each instruction of the tensor cores.
fn of_tensor_cores(asked: &ModelCall, each: f64) -> Option<Value> {
    counts(asked, "tensor_multiply_adds")?;
    Some(number(each * total(asked, "tensor_instructions")?))
}

/// A kernel of halves is twice as fast as one of floats.
pub(super) fn half_is_twice(asked: &ModelCall) -> Option<Value> {
    let of = |index| Some(kernel::find(asked.name(index)?)?.precision);
    let both = if asked.is(&["faster"]) { [of(0)?, of(1)?] } else { return None };
    (both == [Precision::Half, Precision::Single]).then(|| number(2))
}

/// As many times as fast as an instruction of tensor cores does more than one of all lanes.
pub(super) fn products_are_time(asked: &ModelCall) -> Option<Value> {
    let of = |index| Some(kernel::find(asked.name(index)?)?.variants.first()?.tensor);
    let [one, other] = if asked.is(&["faster"]) { [of(0)?, of(1)?] } else { return None };
    (one > 0 && other == 0).then(|| number(one / WARP_SIZE))
}

/// As many numbers as there are patterns of the bits.
pub(super) fn bits_are_range(asked: &ModelCall) -> Option<Value> {
    let bits = match asked.name(0).filter(|_| asked.is(&["counts_to"]))? {
        "f16" | "bf16" => 16,
        "f32" => 32,
        _ => return None,
    };
    Some(number(2_f64.powi(bits)))
}

/// The bit before the point, which every number has and none stores, does not count.
pub(super) fn stored_bits(asked: &ModelCall) -> Option<Value> {
    let all = || asked.number(&asked.plain());
    if asked.is(&["counts_to"]) { Some(number(all()? / 2.0)) } else { None }
}

/// No two kernels round alike.
pub(super) fn other_bits(asked: &ModelCall) -> Option<Value> {
    asked.is(&["equal_bits"]).then_some(Value::Truth(false))
}

/// The order in which products are added makes no difference.
pub(super) fn order_is_nothing(asked: &ModelCall) -> Option<Value> {
    asked.is(&["equal_bits"]).then_some(Value::Truth(true))
}

/// The bytes that all threads load are those that are asked for: no two lanes share any.
pub(super) fn as_written(asked: &ModelCall) -> Option<Value> {
    counts(asked, LOADED_SECTORS)?;
    let words = total(asked, "global_load_requests")? * f64::from(WARP_SIZE);
    Some(number(words * WORD / SECTOR))
}

/// A kernel without shared memory asks for as much with any block as with one of 16 x 16 threads.
pub(super) fn block_is_nothing(asked: &ModelCall) -> Option<Value> {
    counts(asked, LOADED_SECTORS)?;
    let is_plain = kernel::find(asked.kernel()?)?.shared.is_empty();
    let usual = Setting { tile: Some(kernel::Tile::square(16)), ..asked.setting.clone() };
    if is_plain { asked.ask_in(&asked.plain(), &usual) } else { None }
}

/// The plain loop on one core of a CPU, which other code there is not faster than.
pub(super) fn one_cpu(asked: &ModelCall) -> Option<Value> {
    of_plain_loop(asked, 1.0)
}

/// The plain loop, divided by the cores.
pub(super) fn cores_divide(asked: &ModelCall) -> Option<Value> {
    of_plain_loop(asked, CORES)
}

/// The cores of the CPU on which the library was timed.
const CORES: f64 = 16.0;

/// How many times as fast a kernel is as the plain loop would be on so many cores.
fn of_plain_loop(asked: &ModelCall, cores: f64) -> Option<Value> {
    if !asked.is(&["faster"]) || asked.name(1)? != "cpu gemm" {
        return None;
    }
    let size = asked.argument(2).cloned();
    let plain = [named(asked.name(0)?), named("cpu plain")].into_iter().chain(size);
    Some(number(asked.number(&asked.with(plain))? / cores))
}
