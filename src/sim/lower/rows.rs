//! Registers share a row where neither ever holds a value while the other does: PTX has a register
//! for every value, thousands in a large tile, and a recorded run keeps many copies of the machine.

use crate::ptx::{Op, Use, WarpOp};
use crate::sim::cfg::Graph;
use crate::sim::program::{File, Init, Inst, Reg, Rows};
use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};
use std::convert::Infallible;

/// Above so many (blocks times registers), which no compiler writes, they share none.
const MOST: usize = 1 << 24;

/// Where each register lies.
pub(super) struct Placed {
    /// By the register's number.
    pub(super) at: Vec<Reg>,
    pub(super) rows: Rows,
}

/// The first and the last instruction at which a register may hold a value, by its number; none if
/// it never does.
type Spans = Vec<Option<(usize, usize)>>;

/// Gives each of the registers, which take `rows` rows, its place.
pub(super) fn place(insts: &[Inst], graph: &Graph, init: &[(Reg, Init)], rows: Rows) -> Placed {
    let most = usize::from(rows.preds.max(rows.words).max(rows.doubles));
    let numbers = 3 * most;
    if insts.iter().any(is_touched_elsewhere) || graph.blocks.len() * numbers > MOST {
        return Placed { at: (0..numbers).map(Reg::numbered).collect(), rows };
    }
    let mut spans = spans(insts, graph, numbers);
    for (reg, _) in init {
        widen(&mut spans, reg.number(), 0);
    }
    packed(&spans)
}

/// Whether an instruction touches a register that the thread's own way need not lead to: of the lane
/// that it names, of the function that it calls, or later, when its product is waited for.
const fn is_touched_elsewhere(inst: &Inst) -> bool {
    matches!(inst.op, Op::Call { .. } | Op::Warp { op: WarpOp::Shuffle(_), .. } | Op::Wgmma(_))
}

/// The same instructions with every register where it lies.
pub(super) fn code(insts: &[Inst], placed: &Placed) -> Vec<Inst> {
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
    let written = |how| matches!(how, Use::Write | Use::WriteExtended);
    let (to, from): (Vec<_>, Vec<_>) =
        inst.op.operands().into_iter().partition(|(.., how)| written(*how));
    let numbers = |of: Vec<(Reg, _, _)>| of.into_iter().map(|(reg, ..)| reg.number());
    let guard = inst.guard.map(|(reg, _)| reg.number());
    (numbers(from).chain(guard).collect(), numbers(to).collect())
}

fn widen(spans: &mut [Option<(usize, usize)>], number: usize, pc: usize) {
    let (first, last) = spans[number].unwrap_or((pc, pc));
    spans[number] = Some((first.min(pc), last.max(pc)));
}

fn spans(insts: &[Inst], graph: &Graph, numbers: usize) -> Spans {
    let mut spans: Spans = vec![None; numbers];
    for (pc, inst) in insts.iter().enumerate() {
        let (read, written) = touched(inst);
        read.into_iter().chain(written).for_each(|number| widen(&mut spans, number, pc));
    }
    let live = live(insts, graph);
    for (block, range) in graph.blocks.iter().enumerate() {
        live[block].iter().for_each(|number| widen(&mut spans, *number, range.start));
        let after = graph.next[block].iter().flat_map(|next| &live[*next]);
        after.for_each(|number| widen(&mut spans, *number, range.end - 1));
    }
    spans
}

/// The registers whose values may still be read at the start of each block.
fn live(insts: &[Inst], graph: &Graph) -> Vec<BTreeSet<usize>> {
    let mut live = vec![BTreeSet::new(); graph.blocks.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for (block, range) in graph.blocks.iter().enumerate().rev() {
            let after = graph.next[block].iter().flat_map(|next| &live[*next]);
            let mut now: BTreeSet<_> = after.copied().collect();
            for inst in insts[range.clone()].iter().rev() {
                let (read, written) = touched(inst);
                // A guarded instruction leaves the others' values as they were.
                if inst.guard.is_none() {
                    for number in &written {
                        now.remove(number);
                    }
                }
                now.extend(read);
            }
            changed |= now != live[block];
            live[block] = now;
        }
    }
    live
}

/// Rows for these, in the order in which they begin: the one that was left last is taken first.
///
/// At one instruction nothing is left and taken again: who looks at the machine behind it finds
/// what it read as well as what it wrote.
fn packed(spans: &[Option<(usize, usize)>]) -> Placed {
    let mut order: Vec<_> = spans
        .iter()
        .enumerate()
        .filter_map(|(number, span)| Some((*span.as_ref()?, number)))
        .collect();
    order.sort_unstable();
    let mut at: Vec<_> = (0..spans.len()).map(Reg::numbered).collect();
    let mut files = [const { (BinaryHeap::new(), Vec::new(), 0) }; 3];
    for ((first, last), number) in order {
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
    let rows = |file: File| files[file as usize].2;
    let rows =
        Rows { preds: rows(File::Pred), words: rows(File::Word), doubles: rows(File::Double) };
    Placed { at, rows }
}
