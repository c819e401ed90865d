//! FMA contraction: which product and which sum ptxas makes one instruction of, rounded once.
//!
//! PTX leaves it open: "`mul`/`add` and `mul`/`sub` sequences with no rounding modifiers may be
//! optimized to use fused-multiply-add instructions on the target device" (PTX ISA, `add`). ptxas
//! does so unless told otherwise (`--fmad=false`), and so does the driver's compiler.
//!
//! # The rule
//!
//! It was read off machine code: bodies of PTX, written for the purpose and generated, were compiled
//! by ptxas 11.8, 12.4, 12.9, 13.0 and 13.5 (for sm_75 to sm_100), and again with each contraction of
//! the rule written out as `fma`: the same instructions came out. Of 1,009 generated kernels without a
//! doubt, an H200 (driver 580.159, 2026-11-27) computed 1,008 with the bits of the simulator, and 91 of
//! 101 with one; the last of the 1,009 has a doubt as well since.
//!
//! 1. Candidates are `mul` and `add` or `sub` of one type without a rounding modifier, with `.ftz` on
//!    both or on neither. The sum may have `.sat` and a guard, the product neither.
//! 2. A product is contracted only if every use of it that is not dead is a sum that can take it;
//!    then it is computed in each, and vanishes. Any other use, and each sum stays as it is written.
//! 3. Looked through are copies (`mov`, also of bits, packing and unpacking, a conversion to the same
//!    type), `neg`, factors of 1 and -1, `max`, `min` and `selp` of a value with itself.
//! 4. A first pass over the sums in the order of the text contracts products of one use, a second
//!    pass those of several; packed types have one pass for all. If both operands are products, the
//!    one with fewer uses goes first, or else the left one: `a*b + c*d` is the product c*d, and one
//!    FMA of a, b and that.
//! 5. A value added to itself is not contracted. In `a*b + a*b` one product is put in the place of
//!    the other, if it has one use, and the sum stays.
//! 6. A product of two registers is contracted only with sums of its own basic block, one with a
//!    constant or a parameter as a factor everywhere. Blocks are those that are left after merging,
//!    cut where ptxas expands an instruction into several blocks: fences, divisions and roots with a
//!    rounding, divisions of integers, guarded accesses to memory, calls ([`regions`]).
//! 7. `div.approx` and `div.full` end in a product that takes part.
//!
//! # What is not certain
//!
//! ptxas unrolls loops, hoists and sinks before it contracts. A product of two registers with a sum
//! in another block, or that is carried to another round of a loop, may meet it so; and a product
//! with a constant may lose it across the edge of a loop. Of two products in a sum, the one that a
//! guarded sum uses too may go first after all, if a copy is sunk behind the guard. 2x - x may become
//! x, a product may come through local memory, and from 13.5 on with a sign that `xor` has changed
//! ([`doubt`]). Such a sum executes as the rule has it, and is marked: its counts are ranges.
//!
//! # What else ptxas does to sums and products, and this does not
//!
//! Without a rounding modifier, (a*b) * 2 becomes one product (another value only for subnormals), and
//! `max(min(x, 1), 0)` of a sum `.sat` (another value only for NaN).

mod body;
mod doubt;
mod nodes;
mod passes;
mod regions;
mod rewrite;
mod uses;
mod values;

use super::names::RowAllocation;
use crate::sim::access::Pc;
use crate::sim::flow::{FlowGraph, Graph, basic_blocks};
use crate::sim::program::{CallSite, Contracted, Inst};
use body::Body;
use nodes::ArithmeticNode;
use passes::Candidates;
use ptx::{BinaryOp, LaneOp, Op, ParseError, Rounding};
use std::collections::HashMap;
use uses::Uses;
use values::ReachingDefinitions;

/// Contracts the sums of a program whose functions start at these instructions, and returns which.
///
/// # Errors
/// It needs more registers than there can be.
pub(super) fn contract(
    insts: &mut [Inst],
    calls: &HashMap<Pc, CallSite>,
    starts: &[Pc],
    table: &mut RowAllocation,
) -> Result<Vec<Contracted>, ParseError> {
    if !has_candidates(insts) {
        return Ok(Vec::new());
    }
    let (blocks, next) = basic_blocks(insts);
    let block_of = |pc: &Pc| blocks.partition_point(|block| block.end <= pc.0 as usize);
    let mut starts: Vec<_> = starts.iter().map(block_of).collect();
    starts.retain(|start| *start < blocks.len());
    let body = Body { insts, blocks: &blocks, starts, calls, given: table.given() };
    let graph = Graph::new(next.clone(), body.starts.iter().copied());
    let Some(values) = ReachingDefinitions::of(&body, &graph) else { return Ok(Vec::new()) };
    let reached = |pc: usize| graph.reaches(block_of(&Pc(pc as u32)));
    let uses = Uses::of(&body, &values, reached);
    let regions = regions::regions(&body, &next, &uses);
    let node = |pc| ArithmeticNode::of(&body, &values, &uses, pc).filter(|_| reached(pc));
    let nodes = (0..insts.len()).map(node).collect();
    let mut candidates = Candidates::new(&values, uses.clone(), nodes, regions);
    candidates.run();
    let doubted = doubt::doubted(&body, &candidates, &uses, &FlowGraph::of(body.insts));
    let changes = rewrite::changes(&body, &candidates, &doubted, table)?;
    Ok(rewrite::apply(insts, changes))
}

/// Whether there is a product and a sum that could be contracted.
fn has_candidates(insts: &[Inst]) -> bool {
    let any = |of: fn(BinaryOp) -> bool| {
        insts.iter().any(|inst| match &inst.op {
            Op::Lane(LaneOp::Binary { op, ty, float, .. }) => {
                let open = matches!(float.rounding, Rounding::Unwritten | Rounding::Approximate);
                ty.is_float() && of(*op) && open
            }
            _ => false,
        })
    };
    any(|op| matches!(op, BinaryOp::Mul(_) | BinaryOp::Div))
        && any(|op| matches!(op, BinaryOp::Add | BinaryOp::Sub))
}
