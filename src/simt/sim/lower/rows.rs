//! Register allocation: registers whose live ranges do not overlap share a row. PTX has a register
//! for every value, thousands in a large tile, and a recorded run keeps many copies of the machine.

use crate::sim::flow::{Set, Solution, solve};
use crate::sim::program::{Inst, Reg, RegFile, RowCounts, RowInit, Spans};
use crate::sim::reconvergence::Reconvergence;
use ptx::{Collective, ControlOp, MatrixOp, Op, WarpOp};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::convert::Infallible;

/// Above this number of blocks times registers, which no compiler produces, no rows are shared.
const MOST: usize = 1 << 24;

pub(super) struct RegisterRows {
    /// Indexed by register number.
    pub(super) at: Vec<Reg>,
    pub(super) rows: RowCounts,
    pub(super) spans: Spans,
    /// The registers that a thread may read before it has set them.
    pub(super) unset: Vec<Reg>,
}

/// Assigns a row to each of the registers, which occupy `rows` rows before sharing.
pub(super) fn place(
    insts: &[Inst],
    flow: &Reconvergence,
    init: &[(Reg, RowInit)],
    rows: RowCounts,
) -> RegisterRows {
    let most = usize::from(rows.most());
    let numbers = 3 * most;
    let at = || (0..numbers).map(Reg::numbered).collect();
    if flow.blocks.len() * numbers > MOST {
        let spans = vec![Some(0..=usize::MAX); numbers];
        return RegisterRows { at: at(), rows, spans, unset: Vec::new() };
    }
    let live = live(insts, flow, numbers);
    let unset = unset(insts, init, &live);
    if insts.iter().any(is_touched_elsewhere) {
        let spans = vec![Some(0..=usize::MAX); numbers];
        return RegisterRows { at: at(), rows, spans, unset };
    }
    let mut spans = spans(insts, flow, &live, numbers);
    for (reg, _) in init {
        widen(&mut spans, reg.number(), 0);
    }
    packed(spans, unset)
}

/// The registers that are live at the first instruction, but for those that the launch sets. Of a
/// function that is called the caller sets some: of a program with calls nothing is known.
fn unset(insts: &[Inst], init: &[(Reg, RowInit)], live: &Solution<Set>) -> Vec<Reg> {
    let calls = |inst: &Inst| matches!(inst.op, Op::Control(ControlOp::Call { .. }));
    if insts.iter().any(calls) {
        return Vec::new();
    }
    let is_set = |number: &usize| init.iter().any(|(reg, _)| reg.number() == *number);
    let first = live.after.first().into_iter().flatten().flat_map(Set::numbers);
    first.filter(|number| !is_set(number)).map(Reg::numbered).collect()
}

/// Whether an instruction accesses a register outside the thread's own control flow: in another
/// lane, in the function that it calls, or later, when the wgmma is waited for.
const fn is_touched_elsewhere(inst: &Inst) -> bool {
    matches!(
        inst.op,
        Op::Control(ControlOp::Call { .. })
            | Op::Warp(Collective { op: WarpOp::Shuffle(_), .. })
            | Op::Matrix(MatrixOp::Wgmma(_))
    )
}

/// The instructions with every register replaced by its row.
pub(super) fn code(insts: &[Inst], placed: &RegisterRows) -> Vec<Inst> {
    let at = |reg: &Reg| placed.at[reg.number()];
    let code = |inst: &Inst| {
        let operand = |reg: &Reg, _, _| Ok::<_, Infallible>(at(reg));
        let Ok(op) = inst.op.map(operand, |pc| Ok(*pc));
        let guard = inst.guard.map(|(reg, negated)| (at(&reg), negated));
        Inst { op, guard, ..*inst }
    };
    insts.iter().map(code).collect()
}

/// The registers that an instruction reads, and those that it writes.
fn touched(inst: &Inst) -> (Vec<usize>, Vec<usize>) {
    let (to, from): (Vec<_>, Vec<_>) =
        inst.op.operands().into_iter().partition(|(.., how)| how.writes());
    let numbers = |of: Vec<(Reg, _, _)>| of.into_iter().map(|(reg, ..)| reg.number());
    let guard = inst.guard.map(|(reg, _)| reg.number());
    (numbers(from).chain(guard).collect(), numbers(to).collect())
}

fn widen(spans: &mut Spans, number: usize, pc: usize) {
    let (first, last) =
        spans[number].as_ref().map_or((pc, pc), |span| (*span.start(), *span.end()));
    spans[number] = Some(first.min(pc)..=last.max(pc));
}

fn spans(insts: &[Inst], flow: &Reconvergence, live: &Solution<Set>, numbers: usize) -> Spans {
    let mut spans: Spans = vec![None; numbers];
    for (pc, inst) in insts.iter().enumerate() {
        let (read, written) = touched(inst);
        read.into_iter().chain(written).for_each(|number| widen(&mut spans, number, pc));
    }
    for (block, range) in flow.blocks.iter().enumerate() {
        for (live, pc) in [(&live.after[block], range.start), (&live.before[block], range.end - 1)]
        {
            let live = live.iter().flat_map(Set::numbers);
            live.for_each(|number| widen(&mut spans, number, pc));
        }
    }
    spans
}

/// Liveness: the registers whose values may still be read. The analysis runs backwards, so a
/// solution's `before` is the fact at the end of a block and `after` the fact at its start.
fn live(insts: &[Inst], flow: &Reconvergence, numbers: usize) -> Solution<Set> {
    let blocks = flow.blocks.iter().map(|range| BlockRegisters::of(&insts[range.clone()], numbers));
    let blocks: Vec<_> = blocks.collect();
    // No register is live at the exit node, which is not a block.
    let end = (blocks.len(), Set::empty(numbers));
    let transfer = |block: usize, after: &Set| {
        Some(blocks.get(block).map_or_else(|| after.clone(), |own| own.before(after)))
    };
    solve(&flow.backwards, &[end], usize::MAX, transfer, |_, live, other| live.add(other))
        .expect("it has all the time")
}

/// The registers that a block reads and writes.
struct BlockRegisters {
    /// Registers that it reads before writing them.
    read: Set,
    written: Set,
}

impl BlockRegisters {
    fn of(insts: &[Inst], numbers: usize) -> Self {
        let mut own = Self { read: Set::empty(numbers), written: Set::empty(numbers) };
        for inst in insts.iter().rev() {
            let (read, written) = touched(inst);
            // A guarded instruction leaves the register unchanged in the other lanes.
            if inst.guard.is_none() {
                for number in written {
                    own.read.take(number);
                    own.written.put(number);
                }
            }
            for number in read {
                own.read.put(number);
            }
        }
        own
    }

    /// The registers that are live before the block, given those that are live after it.
    fn before(&self, after: &Set) -> Set {
        let mut live = after.clone();
        live.remove(&self.written);
        live.add(&self.read);
        live
    }
}

/// Assigns rows by linear scan over the live ranges, reusing the most recently freed row first.
///
/// A row is not reused in the instruction at which it becomes free, so that after an instruction
/// the machine still holds both the values that it read and those that it wrote.
fn packed(spans: Spans, unset: Vec<Reg>) -> RegisterRows {
    let mut order: Vec<_> = spans
        .iter()
        .enumerate()
        .filter_map(|(number, span)| span.as_ref().map(|span| (*span.start(), *span.end(), number)))
        .collect();
    order.sort_unstable();
    let mut at: Vec<_> = (0..spans.len()).map(Reg::numbered).collect();
    let mut files = [const { (BinaryHeap::new(), Vec::new(), 0) }; 3];
    for (first, last, number) in order {
        let (taken, free, rows) = &mut files[at[number].file as usize];
        while let Some(Reverse((end, row))) = taken.peek().copied()
            && end < first
        {
            taken.pop();
            free.push(row);
        }
        let row = free.pop().unwrap_or_else(|| {
            *rows += 1;
            *rows - 1
        });
        taken.push(Reverse((last, row)));
        at[number].row = row;
    }
    let rows = |file: RegFile| files[file as usize].2;
    let rows = RowCounts {
        preds: rows(RegFile::Pred),
        words: rows(RegFile::Word),
        doubles: rows(RegFile::Double),
    };
    RegisterRows { at, rows, spans, unset }
}
