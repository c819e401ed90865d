//! The result of a search for a warp schedule that makes C wrong, as text and JSON.

use super::finding::{self, Names, Row};
use super::number::Count;
use crate::kernel::{Goal, Problem, Tile, compiled_by};
use crate::launch::Dim3;
use crate::matrix::Size;
use crate::matrix::judge::Mismatch;
use crate::sim::Program;
use crate::study::schedule::{self, BlockOrder, Changed, OrderRun, Orders, Shortened, Varies};
use serde::Serialize;
use std::fmt::Write;

/// The result, with names for places and lines.
#[derive(Debug, Serialize)]
pub struct RaceReport<'a> {
    kernel: &'a str,
    ptx_sha256: String,
    compiled_by: Option<String>,
    /// The same for the text, where the compiler of committed PTX goes without saying.
    #[serde(skip)]
    by: Option<String>,
    /// The size of the matrices, if there are any.
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<Size>,
    /// The tile of a catalogue kernel.
    #[serde(skip_serializing_if = "Option::is_none")]
    tile: Option<Tile>,
    block: Dim3,
    /// The warps of each block, if several run together.
    #[serde(skip)]
    warps: Option<u32>,
    races: Vec<Row>,
    others: Vec<Row>,
    result: Goal,
    /// What other orders of the blocks change, where blocks race.
    #[serde(skip_serializing_if = "Option::is_none")]
    block_orders: Option<&'a [BlockOrder]>,
    #[serde(flatten)]
    orders: &'a Orders,
}

impl<'a> RaceReport<'a> {
    pub fn new(problem: &'a Problem, program: &Program, found: &'a schedule::SearchResult) -> Self {
        let schedule::SearchResult { block, races, others, blocks, memory, orders } = found;
        let names = Names { problem, program, memory };
        let [races, others] =
            [races, others].map(|all| names.rows(&all.iter().collect::<Vec<_>>()));
        Self {
            kernel: problem.name(),
            ptx_sha256: problem.ptx_sha256(),
            compiled_by: compiled_by(&problem.ptx),
            by: problem.compiled_by(),
            size: problem.operands.first().map(|_| problem.size),
            tile: problem.tile(),
            block: *block,
            warps: (program.blocks_together() > 1).then(|| problem.launch.warps()),
            result: problem.goal,
            block_orders: blocks.as_deref(),
            races,
            others,
            orders,
        }
    }
}

/// The result as text.
pub fn text(outcome: &RaceReport<'_>) -> String {
    let kernel = outcome.kernel;
    let mut text = String::new();
    let by = outcome.by.as_ref().map_or_else(String::new, |by| format!(", compiled by {by}"));
    text.push_str(&finding::races(&outcome.races));
    if outcome.races.is_empty() {
        let _ = writeln!(text, "{kernel}{by}: no race within a block was found");
        for other in &outcome.others {
            let _ = writeln!(text, "{}: {}", other.kind, other.message);
        }
        if !outcome.others.is_empty() {
            text.push_str(&of_blocks(outcome));
        }
    }
    if outcome.orders.tried > 0 {
        let block = outcome.block;
        let (what, note) = match outcome.warps {
            None => ("Block", String::new()),
            Some(warps) => (
                "The cluster of block",
                format!(" (warps are numbered through: {warps} of each block, by rank)"),
            ),
        };
        let _ = writeln!(text, "\n{what} ({},{}) of {kernel}{by}{note}", block.x, block.y);
        text.push_str(&orders(outcome));
    }
    if !outcome.races.is_empty() && outcome.block_orders.is_some() {
        text.push_str(&listed(outcome));
    }
    text
}

/// The text if no block races within itself.
fn of_blocks(outcome: &RaceReport<'_>) -> String {
    let is_race = |other: &Row| other.kind == "race";
    match outcome.block_orders {
        _ if !outcome.others.iter().any(is_race) => {
            "No order of a block's warps shows that; matviz check says more of it.\n".to_owned()
        }
        None => {
            "Its blocks race, and orders of the blocks were not tried: there are more than 256 of them, \
             or they wait for one another.\n"
                .to_owned()
        }
        Some(_) => listed(outcome),
    }
}

/// What other orders of the blocks change.
fn listed(outcome: &RaceReport<'_>) -> String {
    let mut text = "\nOrders of the blocks, beside that from the first to the last\n".to_owned();
    for BlockOrder { order, wrong, first } in outcome.block_orders.unwrap_or_default() {
        let told = match first {
            None => "the same result".to_owned(),
            Some(Changed { element, is, was }) => {
                let [is, was] = [is, was].map(|value| shortest(*value));
                let others = match wrong - 1 {
                    0 => String::new(),
                    others => format!(", and {}", Count(others, "other element")),
                };
                format!("{element} = {is} instead of {was}{others}")
            }
        };
        let _ = writeln!(text, "  {:<34}{told}", format!("{order}:"));
    }
    text
}

/// The words for the orders' outcomes: of a judged C, or else of any change in the result.
struct RaceWording {
    wrong: &'static str,
    right: &'static str,
    random: &'static str,
}

const OF_C: RaceWording =
    RaceWording { wrong: "a wrong C:", right: "the right C:", random: "give a wrong C" };

const OF_ANY: RaceWording = RaceWording {
    wrong: "another result:",
    right: "the result that is usual:",
    random: "give another result",
};

/// The orders that were tried.
fn orders(outcome: &RaceReport<'_>) -> String {
    let (mut text, block, orders) = (String::new(), outcome.block, outcome.orders);
    let wording = if outcome.result == Goal::Product { OF_C } else { OF_ANY };
    let mut line = |what: &str, told: String| {
        let _ = writeln!(text, "  {what:<26}{told}");
    };
    line(wording.wrong, conclusion(outcome, orders.wrong.as_ref()));
    line(wording.right, conclusion(outcome, orders.right.as_ref()));
    let (wrong, all) = (orders.random_wrong, orders.random_orders);
    let fewer = if all < orders.random_asked {
        format!(" (more, of {}, would take too long)", orders.random_asked)
    } else {
        String::new()
    };
    line("random orders:", format!("{wrong} of {all} {}{fewer}", wording.random));
    if orders.rounded > 0 {
        let (rounded, tried) = (orders.rounded, orders.tried);
        line(
            "by rounding alone:",
            format!(
                "{rounded} of {tried} orders give other last digits: float atomics add in the order \
                 in which the warps come"
            ),
        );
    }
    if let Some(Shortened { order, preemptions, to }) = &orders.shortened {
        let from = Count(*preemptions, "preemption");
        let (to, fewer) = (&to.order, turns(to));
        line("one of them, shortened:", format!("{order} ({from}) to --order {to} ({fewer})"));
    }
    orders.varies.iter().for_each(|varies| line("different C:", describe_varies(varies)));
    if let Some(run) = &orders.wrong {
        let _ = writeln!(
            text,
            "\nTo see it happen: --show, or the screen of this kernel with --order {} --at {},{}",
            run.order, block.x, block.y
        );
    }
    text
}

fn describe_varies(varies: &Varies) -> String {
    let Some(other) = &varies.other else { return "all orders give the same C".to_owned() };
    let mut text =
        format!("{}, as --order {} and --order {}", varies.results, varies.order, other.order);
    if let Some(first @ Mismatch { row, column, .. }) = other.first {
        let [is, was] = [first.is, first.should].map(shortest);
        let (wrong, all) = (other.wrong, other.elements);
        let _ = write!(text, ": {wrong} of {all} elements, C[{row}][{column}] = {was} or {is}");
    }
    text
}

fn conclusion(outcome: &RaceReport<'_>, run: Option<&OrderRun>) -> String {
    let Some(run) = run else {
        return match &outcome.orders.fixed {
            Some(why) => format!("in no order: {why}"),
            None => format!("in none of the {} orders that were tried", outcome.orders.tried),
        };
    };
    let mut text = format!("--order {} ({})", run.order, turns(run));
    if let Some(first @ Mismatch { row, column, .. }) = run.first {
        let [is, should] = first.shown();
        let _ = write!(
            text,
            ": {} of {} elements, first C[{row}][{column}] = {is} instead of {should}",
            run.wrong, run.elements
        );
    }
    if let Some(Changed { element, is, was }) = &run.changed {
        let others = match run.wrong - 1 {
            0 => String::new(),
            others => format!(", and {}", Count(others as u64, "other element")),
        };
        let [is, was] = [is, was].map(|value| shortest(*value));
        let _ = write!(text, ": {element} = {is} instead of {was}{others}");
    }
    if !run.ended {
        text.push_str(": the block does not come to its end");
    }
    text
}

/// How often a warp was left that could have gone on; of a script also its number of turns.
fn turns(run: &OrderRun) -> String {
    let preemptions = Count(run.preemptions, "preemption");
    let Some(script) = run.order.strip_prefix("script:") else { return preemptions.to_string() };
    let count = script.split(',').count() as u64;
    let turns = Count(count, "turn");
    match (run.preemptions, count) {
        (0, 1) => format!("{turns}, to a barrier or the warp's end"),
        (0, _) => format!("{turns}, each to a barrier or the warp's end"),
        _ => format!("{turns}, {preemptions}"),
    }
}

/// A value with as many digits as it takes to tell it from others of its type.
fn shortest(value: f64) -> String {
    let single = value as f32;
    if f64::from(single).to_bits() == value.to_bits() {
        single.to_string()
    } else {
        value.to_string()
    }
}
