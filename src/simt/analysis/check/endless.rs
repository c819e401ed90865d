//! Endless loops: where the warps of a block loop, and the comparison that sends them back.

use super::finding::{Compared, EndlessLoop, LoopEnd};
use crate::sim::{Effect, LaneMask, Machine, Pc, Reg, Repeats};
use ptx::{Compare, ControlOp, LaneOp, Op, Type};
use std::collections::{BTreeSet, HashMap};

/// Steps after a block was stopped during which the loops are observed.
const LOOK: usize = 1 << 14;

/// A looping warp, the lanes that jump back, and the branch.
pub(super) type Round = (u16, LaneMask, Pc);

/// Runs on for a while to see which instructions loop.
pub(super) fn look(
    machine: &mut Machine,
    issued: u64,
    repeats: Option<Repeats>,
) -> (EndlessLoop, Option<Round>) {
    let mut seen: BTreeSet<Pc> = BTreeSet::new();
    let mut back = None;
    let mut compared: Option<Compared> = None;
    let mut last: HashMap<Reg, (Compare, [i64; 2])> = HashMap::new();
    let mut chosen = None;
    for _ in 0..LOOK {
        let Ok(Some(step)) = machine.step() else { break };
        let (warp, pc, active) = (step.warp, step.pc, step.active);
        if *chosen.get_or_insert(warp) != warp {
            continue;
        }
        seen.insert(pc);
        let taken = match step.effect {
            Effect::Branch { taken } => taken,
            _ => LaneMask::NONE,
        };
        let program = machine.program().clone();
        let inst = program.inst(pc);
        let lane = active.lanes().next();
        match (&inst.op, lane) {
            (Op::Lane(LaneOp::Setp { cmp, ty, dst, a, b, .. }), Some(lane)) if !ty.is_float() => {
                let value = |reg: Reg| signed(machine.value(warp.into(), reg, lane), *ty);
                last.insert(*dst, (*cmp, [*a, *b].map(value)));
            }
            (Op::Control(ControlOp::Bra { target }), _) if *target <= pc && !taken.is_empty() => {
                back = Some((warp, taken, pc));
                let found = inst.guard.and_then(|(reg, _)| last.get(&reg));
                if let Some((how, values)) = found {
                    let before = compared.as_ref().map_or(*values, |before| before.values);
                    let changed = [before[0] != values[0], before[1] != values[1]];
                    compared = Some(Compared { how: sign(*how), values: *values, changed });
                }
            }
            _ => {}
        }
    }
    let insts = seen.iter().map(|pc| machine.program().inst(*pc));
    let file = back.map(|(.., pc)| machine.program().inst(pc).file);
    let lines = insts.filter(|inst| Some(inst.file) == file).filter_map(|inst| inst.line);
    let lines = lines.clone().min().zip(lines.max());
    let end = match repeats {
        None => LoopEnd::Unknown,
        Some(Repeats::Always) => LoopEnd::Never,
        Some(Repeats::Evenly) => LoopEnd::Evenly,
        Some(Repeats::AtLeast(more)) => LoopEnd::AtLeast(more),
        Some(Repeats::UnlessWritten(words)) => LoopEnd::OtherBlock(words),
    };
    (EndlessLoop { issued, end, lines, compared }, back)
}

/// A comparison in C's notation.
const fn sign(compare: Compare) -> &'static str {
    match compare {
        Compare::Eq | Compare::EqU => "==",
        Compare::Ne | Compare::NeU => "!=",
        Compare::Lt | Compare::LtU => "<",
        Compare::Le | Compare::LeU => "<=",
        Compare::Gt | Compare::GtU => ">",
        Compare::Ge | Compare::GeU => ">=",
        Compare::Num => "is ordered with",
        Compare::Nan => "is unordered with",
    }
}

/// A register's value as the comparison interprets it.
fn signed(value: u64, ty: Type) -> i64 {
    let unused = 64 - ty.bits();
    if ty.is_signed() {
        (value << unused) as i64 >> unused
    } else {
        (value << unused >> unused) as i64
    }
}
