//! The answers of misconceptions: each idea is a computation on the same evidence.
//!
//! An idea answers some calls of a query otherwise than the simulator does; [`says`] puts what it
//! says in their place and asks the rest as it stands. No idea looks at what is right.
//!
//! ```text
//! regroup   the threads of a warp, as they would be with another numbering
//! access    one access of a warp: sectors, passes
//! padding   shared arrays with and without their unused columns
//! threads   who computes what, who is in which warp; numbers of blocks and tiles; lanes at an edge
//! order     barriers, races, threads that have returned
//! time      which kernel is faster, and how much
//! wide      wide accesses, tensor cores, halves, and what else can be compared
//! ```

mod access;
mod asked;
mod order;
mod padding;
mod regroup;
mod threads;
mod time;
mod wide;

use super::answer::Value;
use super::expr::{Argument, EvalContext, FunctionCall, Query, QueryExpr, QueryNode};
use super::query;
use asked::ModelCall;
use std::slice;

/// A wrong idea.
#[derive(Clone, Copy, Debug)]
pub struct Model {
    /// Its name in lessons.
    pub id: &'static str,
    /// The idea in a sentence.
    pub says: &'static str,
    /// What it answers to a call; `None` where it has no opinion.
    opinion: fn(&ModelCall) -> Option<Value>,
}

const fn model(
    id: &'static str,
    says: &'static str,
    opinion: fn(&ModelCall) -> Option<Value>,
) -> Model {
    Model { id, says, opinion }
}

/// The ideas that can be computed.
#[rustfmt::skip]
pub const MODELS: &[Model] = &[
    model("thread-run", "Coalesced means that each thread reads its own data one after the other.", access::thread_run),
    model("sector-is-request", "Each sector takes a request of its own.", access::sector_is_request),
    model("part-is-whole", "What holds for one load holds for all.", access::part_is_whole),
    model("own-fetch", "Every lane loads for itself.", access::own_fetch),
    model("whole-lines", "Memory comes in lines of 128 bytes.", access::whole_lines),
    model("loaded-once", "What one warp has loaded, no other has to load.", access::loaded_once),
    model("four-to-a-line", "Four sectors fill a line, so there are a quarter as many lines.", access::four_to_a_line),
    model("always-aligned", "Floats that lie side by side take as few sectors as they fill.", access::always_aligned),
    model("by-bytes", "The bytes of all lanes decide how many sectors there are.", access::by_bytes),
    model("same-bank", "Two lanes on one bank are a conflict.", access::same_bank),
    model("lanes-in-turn", "Thirty-two lanes take thirty-two passes.", access::lanes_in_turn),
    model("passes-are-conflicts", "Every pass beyond the first is a conflict.", access::passes_are_conflicts),
    model("warp-is-row", "A warp is a row of the block.", threads::warp_is_row),
    model("y-fastest", "Threads are numbered along y first.", threads::y_fastest),
    model("xy-cosmetic", "Which index runs along x does not matter.", threads::xy_cosmetic),
    model("one-big-block", "threadIdx counts through the whole grid.", threads::one_big_block),
    model("padding-helps", "A padded array has no conflicts.", padding::helps),
    model("padding-ignored", "An unused column changes nothing.", padding::ignored),
    model("one-barrier", "One barrier a tile is enough.", order::one_barrier),
    model("passed-so-right", "It passed, so it is right.", order::passed_so_right),
    model("race-shows", "A race makes C wrong every time.", order::race_shows),
    model("barrier-is-grid", "A barrier waits for the whole grid.", order::barrier_is_grid),
    model("barrier-is-warp", "A barrier is for the threads of one warp.", order::barrier_is_warp),
    model("slip-shows", "A bug shows at every size.", order::slip_shows),
    model("edge-stays-edge", "A bug at the edge makes only the edge of C wrong.", order::edge_stays_edge),
    model("gone-hangs", "A barrier waits for ever for a thread that has returned.", order::gone_hangs),
    model("idle-need-not-load", "Threads beyond the edge have nothing to do.", order::idle_need_not_load),
    model("grid-is-k", "There are as many tiles along k as blocks.", threads::grid_is_k),
    model("floor-is-enough", "What is left over in a division can be dropped.", threads::floor_is_enough),
    model("corner-only", "Only what is beyond both edges is outside.", threads::corner_only),
    model("whole-blocks", "A block that sticks out counts whole.", threads::whole_blocks),
    model("all-square", "All matrices are square.", threads::all_square),
    model("whole-block-diverges", "At an edge every warp of the block works, each with some lanes off.", threads::whole_block_diverges),
    model("warp-goes-together", "If one lane of a warp returns, the whole warp is gone.", threads::warp_goes_together),
    model("lane-off-is-free", "A lane that is switched off costs nothing.", threads::lane_off_is_free),
    model("exited-still-bring", "A thread that has returned has brought its part.", threads::exited_still_bring),
    model("zeros-do-nothing", "A zero adds nothing, so it need not be stored.", threads::zeros_do_nothing),
    model("all-from-dram", "What a kernel loads comes from the GPU's memory.", time::all_from_dram),
    model("cache-has-all", "A cache has what it is asked for.", time::cache_has_all),
    model("limit-stays", "What limits one kernel limits the next.", time::limit_stays),
    model("result-at-once", "A result is there in the next cycle.", time::result_at_once),
    model("all-near", "A word of memory is there at once, wherever it is.", time::all_near),
    model("one-in-flight", "One load on the way is enough.", time::one_in_flight),
    model("shared-limits", "A kernel with tiles is limited by its shared memory.", time::shared_limits),
    model("blocks-limit", "A multiprocessor has places for so many blocks.", time::blocks_limit),
    model("two-loads-each", "Each FMA loads both of its values.", time::two_loads_each),
    model("one-load-each", "A thread loads a word for each of its elements.", time::one_load_each),
    model("only-threads-count", "There is room as long as there are threads.", time::only_threads_count),
    model("blocks-split", "A part of a block fits where the whole does not.", time::blocks_split),
    model("one-count", "What is asked of one level of memory is asked of all.", time::one_count),
    model("shared-wins", "Shared memory is always faster.", time::shared_wins),
    model("occupancy-wins", "More warps are faster.", time::occupancy_wins),
    model("ptx-is-sass", "The PTX is what runs.", time::ptx_is_sass),
    model("instructions-are-time", "Half the instructions, half the time.", time::instructions_are_time),
    model("bytes-are-time", "Half the bytes, half the time.", time::bytes_are_time),
    model("lines-are-time", "Half the lines, half the time.", time::lines_are_time),
    model("bus-is-dram", "Bytes come from the host as fast as from the GPU's memory.", wide::bus_is_dram),
    model("one-byte-each", "A matrix has as many bytes as elements.", wide::one_byte_each),
    model("wide-is-more", "Four words for each lane are four times as many bytes.", wide::wide_is_more),
    model("any-address", "Four words can be loaded from anywhere.", wide::any_address),
    model("edge-alone", "Only at the edge are words loaded one by one.", wide::edge_alone),
    model("words-fill-passes", "Every pass is filled with words.", wide::words_fill_passes),
    model("barrier-brings", "A barrier waits for copies as well.", wide::barrier_brings),
    model("turns-add-up", "Loading takes as long as adding up.", wide::turns_add_up),
    model("limit-never-rests", "What limits a kernel is busy all the time.", wide::limit_never_rests),
    model("lane-each", "An instruction is one FMA for each lane.", wide::lane_each),
    model("product-each", "An instruction is one FMA for each result.", wide::product_each),
    model("half-is-twice", "Half the bits, twice the speed.", wide::half_is_twice),
    model("products-are-time", "As many times as fast as an instruction does more.", wide::products_are_time),
    model("bits-are-range", "So many bits count so far.", wide::bits_are_range),
    model("stored-bits", "The bits that are stored are all that count.", wide::stored_bits),
    model("other-kernel-other-bits", "Another kernel has other bits.", wide::other_bits),
    model("order-is-nothing", "The order of a sum does not matter.", wide::order_is_nothing),
    model("as-written", "What the threads load is what is asked for.", wide::as_written),
    model("block-is-nothing", "Without tiles the block's shape does not matter.", wide::block_is_nothing),
    model("one-cpu", "A CPU has one speed.", wide::one_cpu),
    model("cores-divide", "Sixteen cores, a sixteenth of the time.", wide::cores_divide),
    model("requests-are-bytes", "Half the requests, half the bytes.", time::requests_are_bytes),
];

/// What somebody with that idea would answer, or `None` if the idea has no opinion here, is not
/// known, or the query cannot be asked. It may well be right.
pub fn says(id: &str, want: &Query, context: &EvalContext<'_>) -> Option<Value> {
    let model = MODELS.iter().find(|model| model.id == id)?;
    let mut bound = want.meaning().ok()?.clone();
    if !model.bind(&mut bound, context) {
        return None;
    }
    context.evaluate(&bound).ok().map(|answer| answer.value)
}

impl Model {
    /// Puts what the idea says in the place of the outermost calls of which it has an opinion; returns
    /// whether there is one.
    fn bind(&self, expr: &mut QueryExpr, context: &EvalContext<'_>) -> bool {
        let any = |parts: &mut [QueryExpr]| {
            parts.iter_mut().fold(false, |any, part| self.bind(part, context) | any)
        };
        match &mut expr.node {
            QueryNode::Call(call) => match (self.opinion)(&ModelCall::of(call, context)) {
                Some(value) => {
                    expr.node = QueryNode::Value(value);
                    true
                }
                None => self.bind_arguments(call, context),
            },
            QueryNode::Unary(_, inner) => any(slice::from_mut(&mut **inner)),
            QueryNode::Binary(_, both) => any(&mut both[..]),
            QueryNode::Choice(parts) => any(&mut parts[..]),
            QueryNode::Value(_) | QueryNode::You => false,
        }
    }

    fn bind_arguments(&self, call: &mut FunctionCall, context: &EvalContext<'_>) -> bool {
        // What is asked of several kernels in turn has no one value that could take its place.
        if call.function.name == "most" {
            return false;
        }
        let (setting, given) = query::QueryCall::new(context, call).inside();
        let context = EvalContext { setting: &setting, given: &given, ..*context };
        call.arguments.iter_mut().fold(false, |any, argument| match argument {
            Argument::Value(inner) => self.bind(inner, &context) | any,
            _ => any,
        })
    }
}

#[cfg(test)]
mod tests;
