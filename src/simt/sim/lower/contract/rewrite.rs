//! Puts the contracted sums in the place of those that the PTX has.

use super::body::Body;
use super::passes::{Candidates, TakenProduct};
use crate::sim::access::Pc;
use crate::sim::format::Format;
use crate::sim::lower::names::RowAllocation;
use crate::sim::program::{Contracted, Inst, Reg, RegFile, RowInit};
use ptx::{BinaryOp, Contraction, Float, LaneOp, Op, ParseError, Rounding, Span, TernaryOp, Type};
use std::collections::HashMap;

#[derive(Default)]
pub(super) struct Changes {
    sums: Vec<(Contracted, LaneOp<Reg>)>,
    /// By the product's instruction: copies of its factors.
    kept: HashMap<usize, Vec<[Reg; 2]>>,
}

/// The operands of a sum as the PTX has it.
struct SumOperands {
    subtracts: bool,
    ty: Type,
    float: Float,
    dst: Reg,
    operands: [Reg; 2],
    span: Span,
}

/// Makes the changes: `doubted` are the products that a sum may take or lose, if that is uncertain.
pub(super) fn changes(
    body: &Body<'_>,
    candidates: &Candidates<'_, '_>,
    doubted: &[Option<usize>],
    table: &mut RowAllocation,
) -> Result<Changes, ParseError> {
    let mut changes = Changes::default();
    for (pc, inst) in body.insts.iter().enumerate() {
        let (taken, doubted) = (candidates.taken[pc], doubted[pc]);
        let Some(product) = taken.map(|taken| taken.product).or(doubted) else { continue };
        let Some(sum) = sum(inst) else { continue };
        let [a, b] = sum.operands;
        let subtracted = [false, sum.subtracts];
        let ([x, y, z], minus) = match taken {
            Some(TakenProduct { side, negative, .. }) => {
                let (factors, minus) = match factors(&body.insts[product]) {
                    Some(factors) => {
                        let at = (product, pc);
                        let [x, y] = factors;
                        let factor = |changes: &mut Changes, table: &mut RowAllocation, reg| {
                            changes.factor(body, at, reg, table)
                        };
                        let x = factor(&mut changes, table, x)?;
                        ([x, factor(&mut changes, table, y)?], negative)
                    }
                    // The product is the division's own: what it gives is approximate anyhow.
                    None => ([sum.operands[side], one(table, &sum)?], subtracted[side]),
                };
                let [x, y] = factors;
                ([x, y, sum.operands[1 - side]], [minus, subtracted[1 - side]])
            }
            None => ([a, one(table, &sum)?, b], subtracted),
        };
        let [minus_product, minus_other] = minus;
        let (fused, certain) = (taken.is_some(), doubted.is_none());
        let contraction = Contraction { minus_product, minus_other, fused, certain };
        let (ty, float) = (sum.ty, Float { rounding: Rounding::Nearest, ..sum.float });
        let op = TernaryOp::Contracted(contraction);
        let op = LaneOp::Ternary { op, ty, float, dst: sum.dst, abc: [x, y, z] };
        let [sum, product] = [pc, product].map(|pc| Pc(pc as u32));
        changes.sums.push((Contracted { sum, product, fused, certain }, op));
    }
    Ok(changes)
}

/// Changes the instructions, and returns what was contracted.
pub(super) fn apply(insts: &mut [Inst], changes: Changes) -> Vec<Contracted> {
    for (pc, kept) in changes.kept {
        if let Op::Lane(op) = &mut insts[pc].op
            && let LaneOp::Binary { ty, float, dst, a, b, .. } = op
        {
            *op = LaneOp::Factors { ty: *ty, float: *float, dst: *dst, a: *a, b: *b, kept };
        }
    }
    let sums = changes.sums.into_iter().map(|(contracted, op)| {
        insts[contracted.sum.0 as usize].op = Op::Lane(op);
        contracted
    });
    sums.collect()
}

impl Changes {
    /// The register in which a sum finds a factor: its own if nothing writes it from the product on,
    /// or else a copy.
    fn factor(
        &mut self,
        body: &Body<'_>,
        (product, sum): (usize, usize),
        reg: Reg,
        table: &mut RowAllocation,
    ) -> Result<Reg, ParseError> {
        let writes = |inst: &Inst| {
            inst.op.operands().into_iter().any(|(other, _, how)| other == reg && how.writes())
        };
        let block = &body.blocks[body.block_of(product)];
        let near = block.contains(&sum) && product < sum;
        if body.given.contains_key(&reg) || near && !body.insts[product..sum].iter().any(writes) {
            return Ok(reg);
        }
        let kept = self.kept.entry(product).or_default();
        if let Some([copy, _]) = kept.iter().find(|[_, of]| *of == reg) {
            return Ok(*copy);
        }
        let copy = table.row(reg.file, body.insts[product].span)?;
        kept.push([copy, reg]);
        Ok(copy)
    }
}

fn sum(inst: &Inst) -> Option<SumOperands> {
    match &inst.op {
        Op::Lane(LaneOp::Binary { op, ty, float, dst, a, b }) => Some(SumOperands {
            subtracts: *op == BinaryOp::Sub,
            ty: *ty,
            float: *float,
            dst: *dst,
            operands: [*a, *b],
            span: inst.span,
        }),
        _ => None,
    }
}

fn factors(inst: &Inst) -> Option<[Reg; 2]> {
    match &inst.op {
        Op::Lane(LaneOp::Binary { op: BinaryOp::Mul(_), a, b, .. }) => Some([*a, *b]),
        _ => None,
    }
}

/// The register that holds 1 in the sum's type.
fn one(table: &mut RowAllocation, sum: &SumOperands) -> Result<Reg, ParseError> {
    let one = Format::of(sum.ty).one();
    let bits = if sum.ty.is_packed() { one << 16 | one } else { one };
    table.initialised(RegFile::of(sum.ty), RowInit::Constant(bits), sum.span)
}
