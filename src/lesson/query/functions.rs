//! The table of query functions: arguments, result and implementation of each. Error messages and the
//! documentation are made from it.

use super::{
    access, blocks, choice, machine, scene, settings, sound, sums, times, values, waiting, who,
};
use crate::lesson::answer::Answer;
use crate::lesson::expr::{ArgumentKind, QueryCall, QueryFunction, Topic};
use crate::lesson::query_error::QueryError;

use ArgumentKind::{Access, Element, Kernel, Matrix, Name, Place, Query, Thread, Value};
use Topic::{Block, Cost, Outcome, Time};

const fn row(
    name: &'static str,
    takes: &'static [ArgumentKind],
    tells: &'static str,
    answer: fn(&QueryCall<'_>) -> Result<Answer, QueryError>,
) -> QueryFunction {
    let least = takes.len();
    QueryFunction { name, takes, least, many: false, tells, topics: &[], is_slow: false, answer }
}

impl QueryFunction {
    /// The same with fewer arguments needed.
    const fn needs(self, least: usize) -> Self {
        Self { least, ..self }
    }

    /// The same with the last argument repeated.
    const fn many(self) -> Self {
        Self { many: true, ..self }
    }

    /// The same; a question that asks it is about these.
    const fn about(self, topics: &'static [Topic]) -> Self {
        Self { topics, ..self }
    }

    /// The same; its answer may take seconds, and is asked for ahead.
    const fn slow(self) -> Self {
        Self { is_slow: true, ..self }
    }
}

/// Every function, by family.
#[rustfmt::skip]
pub static FUNCTIONS: &[QueryFunction] = &[
    // One access of a warp.
    row("sectors", &[Access], "the sectors of 32 bytes that one request fetches", access::sectors).about(&[Cost]),
    row("lines", &[Access], "the lines of 128 bytes that one request touches", access::lines).about(&[Cost]),
    row("bytes", &[Access], "the distinct bytes that the lanes ask for", access::bytes).about(&[Cost]),
    row("used", &[Access], "how many percent of the fetched bytes are asked for", access::used).about(&[Cost]),
    row("passes", &[Access], "the passes over the banks that one access takes", access::passes).about(&[Cost]),
    row("conflicts", &[Access], "the passes that bank conflicts add", access::conflicts).about(&[Cost]),
    row("ways", &[Access], "the most words that one bank has to serve in an access", access::ways).about(&[Cost]),
    row("words", &[Access], "the distinct words that the lanes ask for", access::words).about(&[Cost]),
    row("lanes", &[Access], "the lanes that take part", access::lanes),
    row("ideal", &[Access], "the fewest sectors or passes that could do it", access::ideal).about(&[Cost]),
    row("clash", &[Access], "the first two lanes that want two words of one bank", access::clash),
    row("bank", &[Access], "the bank that has to serve most words", access::bank),
    row("lanes_on", &[Value, Access], "the lanes that use a bank", access::lanes_on).needs(1),
    row("words_on", &[Value, Access], "the words that lanes want of a bank", access::words_on).needs(1),
    // What an edge leaves out.
    row("partial_warps", &[Access], "in how many warps of the block some lanes make an access, and others do not", blocks::partial_warps).about(&[Block]),
    row("unstored", &[Name], "the words of a shared array that no thread has stored when the first barrier opens", blocks::unstored),
    // Who does what.
    row("element", &[Thread], "the elements of C that a thread stores", who::element),
    row("thread", &[Element], "the thread that stores an element of C", who::thread),
    row("warp", &[Element], "the warp that stores an element of C, or the one that is watched", who::warp).needs(0),
    row("lane", &[Element], "the lane that stores an element of C", who::lane),
    row("lanes_of", &[Value, Value], "the threads of a warp, or the one in a lane of it", who::lanes_of).needs(1),
    // Block and grid.
    row("warps", &[], "the warps of a block", blocks::warps),
    row("blocks", &[], "the blocks of the grid", blocks::blocks),
    row("threads", &[], "the threads of the grid", blocks::threads),
    row("idle", &[], "the threads of the grid that store no element of C", blocks::idle),
    row("k_tiles", &[], "the tiles along k", blocks::k_tiles),
    row("barriers", &[], "the barriers that the watched block passes", blocks::barriers),
    row("imbalance", &[], "how many times the instructions of an average thread of the grid the busiest one executes", blocks::imbalance),
    row("unread", &[], "the words that the grid stores to shared memory and no thread loads", blocks::unread),
    row("shared_words", &[], "the words of shared memory that a block declares", blocks::shared_words),
    row("rows_unwritten", &[], "the rows of C of which no thread stores an element", blocks::rows_unwritten),
    // Who waits for whom, at a place; without one, where a warp first waits.
    row("arrived", &[Place], "the warps that wait at a barrier", waiting::arrived).needs(0),
    row("waiting", &[Place], "the warps for which they wait", waiting::waiting).needs(0),
    // The way of a value.
    row("fetched", &[Element], "in how many requests an element is fetched, over the grid", values::fetched),
    row("uses", &[Element], "how often an element is multiplied, over the grid", values::uses),
    // Sums.
    row("total", &[Name], "a counter over the grid, as the PTX is written", sums::total).about(&[Cost]),
    row("executed", &[Name], "a counter over the grid, as its SASS is predicted to execute", sums::executed).about(&[Cost]),
    row("of_block", &[Name], "a counter over the watched block, as the PTX is written", sums::of_block).about(&[Cost, Block]),
    row("requests", &[Matrix], "the requests of warps to a matrix, over the grid", sums::requests).about(&[Cost]),
    row("counts_to", &[Name], "where a sum of ones stops growing: kept as f16, bf16, f32 or f64", sums::counts_to),
    row("per_fma", &[Value], "a number for each multiply-add of a thread", sums::per_fma).about(&[Cost]),
    row("per_warp_fma", &[Value], "a number for each multiply-add of a whole warp", sums::per_warp_fma).about(&[Cost]),
    // Right and sound.
    row("right", &[], "whether C is right, in the usual order of the warps", sound::right).about(&[Outcome]),
    row("wrong", &[Matrix], "the wrong elements of C", sound::wrong).about(&[Outcome]),
    row("findings", &[Name], "the findings of a kind: race, barrier, memory, assertion, no-end", sound::findings).needs(0).about(&[Outcome]),
    row("lines_of", &[Name], "the lines of the source that take part in these", sound::lines_of).needs(0),
    row("sound", &[], "whether the checks find nothing, under any order of the warps", sound::sound).about(&[Outcome]),
    row("spoilt", &[Value], "in how many of so many random orders of the warps C is wrong", sound::spoilt).about(&[Outcome]),
    // The dials of a source: those whose macro the scene does not set.
    row("settings", &[Value], "in how many settings of the dials something holds", settings::settings).slow(),
    row("dial", &[Name], "the choice of a dial, or any if the scene leaves it open", settings::dial),
    // Time.
    row("ms", &[Kernel, Value], "the milliseconds of a kernel at a size", times::ms).needs(1).about(&[Time]).slow(),
    row("gflops", &[Kernel, Value], "its billions of operations a second", times::gflops).needs(1).about(&[Time]).slow(),
    row("faster", &[Kernel, Kernel, Value], "how many times as fast a kernel is as another", times::faster).needs(2).about(&[Time]).slow(),
    row("of_library", &[Kernel, Value], "its speed in percent of cuBLAS'", times::of_library).needs(1).about(&[Time]).slow(),
    row("counter", &[Name, Kernel, Value], "what a counter of the hardware read, by its name in Nsight Compute", times::counter).needs(2),
    row("copied", &[Kernel, Value], "the milliseconds in which A and B of a kernel came from the host to the GPU", times::copied).needs(1).about(&[Time]),
    row("error", &[Kernel, Value], "the relative error of a kernel's C on the GPU", times::error).needs(1),
    row("equal_bits", &[Kernel, Kernel, Value], "whether the C of two kernels was the same on the GPU, bit for bit", times::equal_bits).needs(2),
    // The units of the recorded GPU: L1, L2, DRAM, shared, FMA, issue.
    row("latency", &[Name], "the cycles until a word from there can be used: registers, shared, L1, L2, DRAM", machine::latency),
    row("rate", &[Name], "the gigabytes a second that all multiprocessors get from there: shared, L1, L2, DRAM", machine::rate),
    row("in_flight", &[Name], "the bytes that each multiprocessor needs on the way to get all that a level gives", machine::in_flight),
    row("busy", &[Name, Kernel, Value], "the milliseconds that a unit needs at its full rate for the work of a kernel", machine::busy).needs(2).about(&[Time]).slow(),
    row("busiest", &[Kernel, Value], "the unit that needs most time for the work of a kernel", machine::busiest).needs(1).about(&[Time]).slow(),
    // The machine.
    row("occupancy", &[Kernel], "the warps of a kernel that a multiprocessor holds", machine::occupancy),
    row("has", &[Name], "what a multiprocessor has: threads, blocks, registers, bytes of shared memory (shared)", machine::has),
    row("takes", &[Name, Kernel], "what a block of a kernel takes of it", machine::takes),
    row("limit", &[Kernel], "what keeps further blocks out", machine::limit),
    // A choice of kernels: a function of a kernel, or any expression; then kernels and a size.
    row("most", &[Query, Kernel], "the kernel with the greatest value", choice::most).needs(2).many().about(&[Time]).slow(),
    // The scene.
    row("tile", &[], "the side of the tile", scene::tile),
    row("m", &[], "the rows of A and C", scene::m),
    row("n", &[], "the columns of B and C", scene::n),
    row("k", &[], "the columns of A, the rows of B", scene::k),
];

pub fn function(name: &str) -> Option<&'static QueryFunction> {
    FUNCTIONS.iter().find(|function| function.name == name)
}
