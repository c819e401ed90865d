//! Runs a whole small grid in other orders of its blocks, to see whether its result depends on that.

use super::same::Changed;
use crate::kernel::Problem;
use crate::launch::Launch;
use crate::matrix::{ElementType, Operand};
use crate::sim::{Allocation, Machine, Memory, Order, Program, Repetition};
use serde::Serialize;
use std::sync::Arc;

/// Blocks up to which the orders are tried.
const MOST: u64 = 256;

/// Instructions that a run of the grid may issue, and where that is not asked for: less than a second.
const BUDGET: u64 = 20_000_000;
const QUICK: u64 = 1_000_000;

/// Units in the last place of a buffer's largest element that the order of additions explains.
const SLACK: f64 = 256.0;

/// What an order of the blocks does to the result of the usual one, from the first to the last.
#[derive(Clone, Debug, Serialize)]
pub struct BlockOrder {
    /// The order, in words.
    pub order: &'static str,
    /// The number of elements that differ by more than rounding.
    pub wrong: u64,
    pub first: Option<Changed>,
}

/// What a grid leaves in memory if its blocks run from the last to the first.
#[derive(Debug)]
pub struct Backwards {
    /// Memory then.
    pub memory: Memory,
    /// The elements that are another then, bit for bit.
    pub elements: u64,
    pub first: Changed,
}

/// Runs a grid from its last block to its first; `None` if that leaves in memory what the usual order
/// does, a block waits for another, or the blocks issue more than `budget` instructions.
pub fn backwards(
    (problem, program): (&Problem, &Arc<Program>),
    order: &Order,
    (usual, budget): (&Memory, u64),
) -> Option<Backwards> {
    let memory = run(problem, (program, order), GridOrder::Backward, budget)?;
    let mut changed = changed(problem, (&memory, usual), 0.0);
    let (first, more) = (changed.next()?, changed.count() as u64);
    Some(Backwards { memory, elements: more + 1, first })
}

#[derive(Clone, Copy)]
enum GridOrder {
    Forward,
    Backward,
    InTurns,
}

/// Returns what other orders of the blocks change; `None` if the grid is too large, or a block does
/// not end in them, as it waits for another.
pub(super) fn orders(problem: &Problem, program: &Arc<Program>) -> Option<Vec<BlockOrder>> {
    orders_within(problem, program, BUDGET)
}

/// Like [`orders`], but `None` if that would take long.
pub(super) fn orders_if_quick(
    problem: &Problem,
    program: &Arc<Program>,
) -> Option<Vec<BlockOrder>> {
    orders_within(problem, program, QUICK)
}

fn orders_within(
    problem: &Problem,
    program: &Arc<Program>,
    budget: u64,
) -> Option<Vec<BlockOrder>> {
    if problem.launch.blocks() > MOST {
        return None;
    }
    let run = |blocks| run(problem, (program, &Order::default()), blocks, budget);
    let usual = run(GridOrder::Forward)?;
    let others = [
        (GridOrder::Backward, "from the last to the first"),
        (GridOrder::InTurns, "all at once, an instruction each"),
    ];
    let compared = |(order, name)| {
        let memory = run(order)?;
        let mut changed = changed(problem, (&memory, &usual), SLACK);
        let (first, more) = (changed.next(), changed.count() as u64);
        Some(BlockOrder { order: name, wrong: more + u64::from(first.is_some()), first })
    };
    others.into_iter().map(compared).collect()
}

/// The memory after the run of all blocks, if they end.
fn run(
    problem: &Problem,
    (program, warps): (&Arc<Program>, &Order),
    order: GridOrder,
    budget: u64,
) -> Option<Memory> {
    let Launch { grid, .. } = problem.launch;
    let memory = problem.dense_memory(program);
    let machine = |number| {
        let (program, memory) = (Arc::clone(program), memory.clone());
        problem.machine(program, grid.place(number), memory, warps.clone())
    };
    // Of the blocks that run together, the first.
    let leads = |number: &u64| {
        let block = grid.place(*number);
        program.blocks_of(problem.launch, block).place(0) == block
    };
    let (all, mut left) = ((0..problem.launch.blocks()).filter(leads), budget);
    match order {
        GridOrder::Forward => all.map(machine).try_for_each(|block| to_end(block, &mut left))?,
        GridOrder::Backward => {
            all.rev().map(machine).try_for_each(|block| to_end(block, &mut left))?;
        }
        GridOrder::InTurns => {
            let mut machines: Vec<_> = all.map(machine).collect();
            while !machines.is_empty() {
                let mut running = Vec::with_capacity(machines.len());
                for mut machine in machines {
                    left = left.checked_sub(1)?;
                    if machine.step().ok()?.is_some() {
                        running.push(machine);
                    }
                }
                machines = running;
            }
        }
    }
    Some(memory)
}

fn to_end(mut block: Machine, left: &mut u64) -> Option<()> {
    let mut repetition = Repetition::default();
    while block.step().ok()?.is_some() {
        *left = left.checked_sub(1)?;
        if repetition.sees(&block).is_some() {
            return None;
        }
    }
    Some(())
}

/// The elements that differ by more than this many units in the last place of the largest.
fn changed(
    problem: &Problem,
    (is, was): (&Memory, &Memory),
    slack: f64,
) -> impl Iterator<Item = Changed> {
    let matrices = problem.operands.iter();
    let matrices = matrices.map(|operand: &Operand| problem.element_type(*operand));
    let types = matrices.chain(problem.buffers.iter().map(|buffer| buffer.of));
    let buffers = is.buffers().iter().zip(was.buffers()).zip(types);
    let all = buffers.flat_map(|((is, was), of)| differing(is, was, (of, slack)));
    all.collect::<Vec<_>>().into_iter()
}

fn differing(is: &Allocation, was: &Allocation, (of, slack): (ElementType, f64)) -> Vec<Changed> {
    let (bytes, elements) = (u64::from(of.bytes()), was.bytes / u64::from(of.bytes()));
    let words = 0..was.bytes.div_ceil(4);
    let other = words.filter(|word| is.load(*word) != was.load(*word));
    let mut other: Vec<_> =
        other.flat_map(|word| 4 * word / bytes..=(4 * word + 3) / bytes).collect();
    other.dedup();
    other.retain(|index| *index < elements);
    // Most buffers are left as they were, and may be large.
    if other.is_empty() {
        return Vec::new();
    }
    let most = match of.unit() {
        Some(unit) if slack > 0.0 => {
            let all = (0..elements).map(|index| was.element(of, index).abs());
            slack * unit * all.fold(0.0, f64::max)
        }
        _ => 0.0,
    };
    let changed = |index| {
        let [is_now, was_then] = [is, was].map(|buffer| buffer.element(of, index));
        let differs = is_now.to_bits() != was_then.to_bits();
        let is_near = (is_now - was_then).abs() <= most;
        let element = || format!("{}[{index}]", was.name);
        (differs && !is_near).then(|| Changed { element: element(), is: is_now, was: was_then })
    };
    other.into_iter().filter_map(changed).collect()
}
