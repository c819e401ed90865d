//! Proves by induction that a warp loops for ever, or for how long at least.
//!
//! The warp's last round is executed once more. Each value of the control state has a motion: it
//! stays, it changes by the same amount in each round, or it is a float sum with a constant addend. A
//! transfer function per instruction derives the result's motion from those of the operands. If every
//! value ends the round with the motion with which it began, and no comparison ever flips, the warp
//! repeats the round for ever. Integers wrap around, so number theory finds where one meets a bound;
//! a float sum is followed until it stalls.

mod motion;
mod transfer;
mod turn;

use super::machine::Machine;
use super::mask::LaneMask;
use super::program::{ControlState, Inst, Reg};
use motion::{Motion, Motions};
use ptx::{BarrierAction, ControlOp, MemoryOp, Op, Space, WarpOp};
use std::collections::HashMap;
use std::sync::Arc;
use transfer::RoundNotes;

/// The most steps of a round that is executed once more.
const LONGEST: u64 = 1 << 14;

/// How long a warp loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rounds {
    /// For ever.
    Endless,
    /// For at least so many of its own steps.
    AtLeast(u64),
}

/// The control registers of the last step's warp that have changed; `None` if its lanes have diverged
/// otherwise.
pub(super) fn moving(from: &Machine, to: &Machine, decides: &ControlState) -> Option<Vec<Reg>> {
    let warp = usize::from(to.last().warp);
    if !to.stands_as(from, warp) {
        return None;
    }
    let places = to.places(warp);
    let rows = decides.rows(&places);
    let mut rows: Vec<_> = rows.filter(|row| from.row(warp, *row) != to.row(warp, *row)).collect();
    rows.sort_unstable_by_key(|row| (row.file, row.row));
    rows.dedup();
    Some(rows)
}

/// How long the last step's warp repeats the `steps` steps from one machine to the other; `None` if
/// that is unknown.
pub(super) fn prove(
    from: &Machine,
    to: &Machine,
    steps: u64,
    decides: &ControlState,
) -> Option<Rounds> {
    if steps > LONGEST || decides.clock {
        return None;
    }
    let warp = usize::from(to.last().warp);
    let places = to.places(warp);
    let deciding: Vec<_> = decides.rows(&places).collect();
    let mut round =
        ReplayedRound { warp, motions: Motions::default(), notes: RoundNotes::default(), own: 0 };
    let mut machine = from.with_own_memory();
    round.begin(&machine, to, &deciding, steps)?;
    let begun = round.motions.clone();
    for _ in 0..steps {
        round.step(&mut machine)?;
    }
    let same = |row: &Reg| machine.row(warp, *row) == to.row(warp, *row);
    if !machine.stands_as(to, warp) || !deciding.iter().all(same) {
        return None;
    }
    let mut sums = HashMap::new();
    for row in &deciding {
        let addends = round.motions.closes(&begun, *row, &round.notes.even)?;
        sums.insert(*row, addends);
    }
    let (mut least, mut known): (Option<u64>, _) = (None, HashMap::new());
    for turn in &round.notes.turns {
        least = least.into_iter().chain(turn.after(&sums, &mut known)?).min();
    }
    Some(least.map_or(Rounds::Endless, |rounds| Rounds::AtLeast((rounds - 1) * round.own)))
}

/// The round that is executed once more.
struct ReplayedRound {
    warp: usize,
    motions: Motions,
    notes: RoundNotes,
    own: u64,
}

impl ReplayedRound {
    /// Sets the initial motions: those of control registers from how they changed; those of other
    /// registers that the round writes are unknown.
    fn begin(&mut self, from: &Machine, to: &Machine, deciding: &[Reg], steps: u64) -> Option<()> {
        let mut scout = from.with_own_memory();
        for _ in 0..steps {
            let step = scout.step().ok()??;
            let (warp, pc) = (usize::from(step.warp), step.pc);
            if warp == self.warp {
                for (row, _, how) in scout.code(pc).op.operands() {
                    if how.writes() {
                        self.motions.set_all(row, Motion::Unknown);
                    }
                }
            }
        }
        let written: Vec<_> = deciding.iter().filter(|row| self.motions.knows(**row)).collect();
        for row in written {
            let (old, new) = (from.row(self.warp, *row), to.row(self.warp, *row));
            let by = |lane: usize| new[lane].wrapping_sub(old[lane]);
            self.motions.set(*row, |lane| Motion::from_head(*row, by(lane)));
        }
        Some(())
    }

    fn step(&mut self, machine: &mut Machine) -> Option<()> {
        let (warp, pc, lanes) = machine.ahead()?;
        if warp != self.warp {
            machine.step().ok()??;
            return Some(());
        }
        self.own += 1;
        let program = Arc::clone(machine.program());
        let inst = &program.code[pc.0 as usize];
        if let Some((guard, _)) = inst.guard {
            self.motions.stays(guard, lanes)?;
        }
        let operands = inst.op.operands().into_iter().filter(|(.., how)| how.reads());
        let operands: Vec<_> = operands.map(|(row, ..)| row).collect();
        let values: HashMap<_, _> =
            operands.iter().map(|row| (*row, machine.row(warp, *row))).collect();
        let active = machine.step().ok()??.active;
        if active.is_empty() {
            return Some(());
        }
        match &inst.op {
            Op::Lane(op) => {
                let Self { motions, notes, .. } = self;
                let result = |lane: usize| {
                    let value = |row| values.get(&row).map_or(0, |values| values[lane]);
                    let read = |row| (motions.motion(row, lane), value(row));
                    (lane, transfer::of_result(op, &operands, lane, read, notes))
                };
                let results: Vec<_> = active.lanes().map(result).collect();
                self.write(inst, &results);
            }
            Op::Memory(op) => self.memory(inst, op, active)?,
            Op::Warp(collective) if !matches!(collective.op, WarpOp::Sync) => {
                let stays = |row: &Reg| self.motions.stays(*row, LaneMask::ALL).is_some();
                let all = operands.iter().all(stays);
                let motion = if all { Motion::Stays } else { Motion::Unknown };
                self.write(inst, &active.lanes().map(|lane| (lane, motion)).collect::<Vec<_>>());
            }
            Op::Warp(_) | Op::Control(ControlOp::Hint | ControlOp::Bra { .. }) => {}
            Op::Control(ControlOp::Bar { id, threads, how }) => {
                self.motions.stays(*id, active)?;
                threads.iter().try_for_each(|of| self.motions.stays(*of, active))?;
                matches!(how, BarrierAction::Sync | BarrierAction::Arrive).then_some(())?;
            }
            Op::Matrix(_) | Op::Async(_) | Op::Control(_) => return None,
        }
        Some(())
    }

    /// Addresses must stay the same; loaded values are unknown unless the memory is read-only.
    fn memory(&mut self, inst: &Inst, op: &MemoryOp<Reg>, lanes: LaneMask) -> Option<()> {
        let (MemoryOp::Ld { addr, .. } | MemoryOp::St { addr, .. } | MemoryOp::Atom { addr, .. }) =
            op
        else {
            return Some(());
        };
        self.motions.stays(addr.base, lanes)?;
        let fixed = matches!(op, MemoryOp::Ld { space: Space::Const | Space::Param, .. });
        let motion = if fixed { Motion::Stays } else { Motion::Unknown };
        self.write(inst, &lanes.lanes().map(|lane| (lane, motion)).collect::<Vec<_>>());
        Some(())
    }

    fn write(&mut self, inst: &Inst, results: &[(usize, Motion)]) {
        for (row, _, how) in inst.op.operands() {
            if how.writes() {
                for (lane, motion) in results {
                    self.motions.set_lane(row, *lane, motion.in_register(row));
                }
            }
        }
    }
}
