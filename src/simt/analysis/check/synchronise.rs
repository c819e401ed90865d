//! Synchronisation other than barriers of the block: lanes of a warp that meet, fences with the
//! accesses that carry their releases, and what that means between blocks.

use super::block_conflicts::BlockAccess;
use super::epoch::ThreadId;
use super::fences::{Strong, strength, swaps};
use super::finding::Missing;
use super::touch::{PastAccess, Touch};
use super::{Checker, WarpAccess};
use crate::sim::{Access, Direction, LaneMask, Machine, Pc, Reg};
use ptx::{Collective, MemoryOp, MemoryScope, Op, Space, Strength, WarpOp};

impl Checker {
    /// Handles an instruction that computes nothing but may order accesses.
    pub(super) fn synchronise(&mut self, machine: &Machine) {
        let step = machine.last();
        let warp = usize::from(step.warp);
        match self.program.inst(step.pc).op {
            Op::Warp(Collective { op: WarpOp::Sync, members, .. }) => self.meet(machine, members),
            Op::Async(_) => self.order_in_flight(machine),
            Op::Memory(MemoryOp::Fence(how)) => {
                if let Some(fences) = &mut self.fences {
                    fences.fence(&mut self.clock, warp, step.active, how);
                }
            }
            _ => {}
        }
    }

    /// `bar.warp.sync` orders the lanes of each group that it names (PTX ISA, `bar.warp.sync`).
    fn meet(&mut self, machine: &Machine, members: Option<Reg>) {
        let step = machine.last();
        let (warp, mut left) = (usize::from(step.warp), step.active);
        while let Some(lane) = left.lanes().next() {
            let told = members.map(|members| LaneMask(machine.value(warp, members, lane) as u32));
            // All members have arrived, some of them perhaps at another instruction.
            let group = told.unwrap_or(left).and(machine.live(warp));
            self.clock.meet(warp, group, self.began[warp]);
            if let Some(fences) = &mut self.fences {
                fences.meet(&mut self.clock, warp, group);
            }
            left = left.without(group).without(LaneMask(1 << lane));
        }
    }

    /// Passes an access on to the fences, as threads may synchronise through it.
    pub(super) fn carry(&mut self, machine: &Machine, access: &Access, act: (usize, Pc)) {
        let (warp, pc) = act;
        let Some(fences) = &mut self.fences else { return };
        let program = &self.program;
        let op = &program.inst(pc).op;
        let how = strength(op);
        for (lane, addr) in access.touched() {
            let words =
                (addr / 4..addr / 4 + u64::from(access.bytes).div_ceil(4)).map(|word| 4 * word);
            for addr in words {
                if how == Strength::Weak {
                    if access.direction.writes() {
                        fences.weak_store(access.space, addr);
                    }
                    continue;
                }
                let (thread, place) = (ThreadId::new(warp, lane), (access.space, addr));
                let reads = access.direction != Direction::Store;
                let writes = access.direction.writes() && wrote(machine, op, (warp, lane));
                let told = self.consumed[pc.0 as usize];
                let strong = Strong { thread, place, how, reads, writes, told };
                fences.strong(&mut self.clock, strong);
            }
        }
    }

    /// Logs the accesses of lanes to shared words, and reports races with earlier blocks.
    pub(super) fn across(&mut self, act: &WarpAccess<'_>) {
        if self.conflicts.suspects().is_empty() {
            return;
        }
        let Some(mut ordered) = self.access_log.take() else { return };
        for (lane, addr) in act.access.touched() {
            let suspects = self.global.suspects(act.access, addr, self.conflicts.suspects());
            let past = self.past(act, lane);
            let value = act.value(lane).filter(|_| act.touch == Touch::Store);
            let mine = BlockAccess { block: self.number, past, value };
            for addr in suspects {
                let excused =
                    |other: &BlockAccess| self.excused((Space::Global, addr), past, other);
                for other in ordered.add(addr, mine, excused) {
                    let missing = self.missing(past, &other);
                    self.conflicts.race(&self.program, addr, (other, mine), missing);
                }
            }
        }
        self.access_log = Some(ordered);
    }

    pub(super) fn past(&self, act: &WarpAccess<'_>, lane: usize) -> PastAccess {
        let thread = ThreadId::new(act.warp, lane);
        let touch = if act.within && act.touch == Touch::Atomic { Touch::Store } else { act.touch };
        PastAccess { thread, epoch: self.clock.now(), pc: act.pc, touch }
    }

    /// Whether two accesses are ordered, or morally strong, without a block barrier between them.
    ///
    /// Strong accesses whose scopes include each other do not race (PTX ISA, "Data Races": they are
    /// morally strong). For volatile ones that holds here only if the write releases something, or
    /// a release has been seen, or the load spins for the value: many kernels declare data volatile
    /// where a barrier is missing.
    pub(super) fn excused(
        &self,
        place: (Space, u64),
        mine: PastAccess,
        other: &BlockAccess,
    ) -> bool {
        if other.block == self.number && self.sees_init_of(other.past, mine.thread) {
            return true;
        }
        let Some(fences) = &self.fences else { return false };
        let (place, past) = ((place.0, place.1 & !3), other.past);
        let by = (other.block, past.thread, past.epoch);
        let here = other.block == self.number;
        if !here && fences.ordered(mine.thread, by) {
            return true;
        }
        if past.touch == Touch::Atomic && fences.has_seen_all(&self.clock, mine.thread, place) {
            return true;
        }
        let how = [past.pc, mine.pc].map(|pc| strength(&self.program.inst(pc).op));
        let [Some(one), Some(two)] = how.map(Strength::scope) else { return false };
        let rank = |past: &PastAccess| self.blocks.rank_of(past.thread.warp() as u16);
        let common = match here {
            true if rank(&past) == rank(&mine) => MemoryScope::Cta,
            true => MemoryScope::Group,
            false => MemoryScope::Gpu,
        };
        if one.min(two) < common {
            return false;
        }
        let waits = |past: &PastAccess| past.touch == Touch::Load && self.spins[past.pc.0 as usize];
        let one_warp = here && past.thread.warp() == mine.thread.warp();
        let releases = if mine.touch == Touch::Load {
            fences.is_released(place)
        } else {
            fences.releases(mine.thread)
        };
        !how.contains(&Strength::Volatile)
            || fences.is_pending(mine.thread, by)
            || releases && !one_warp
            || [past, mine].iter().any(waits)
    }

    /// Returns what would order the two accesses, if a part of it is present.
    pub(super) fn missing(&self, mine: PastAccess, other: &BlockAccess) -> Option<Missing> {
        let past = (other.past.thread, other.past.epoch);
        if other.block == self.number
            && let Some(wait) = self.in_flight.untested_wait(mine.thread, past)
        {
            return Some(Missing::Retry(wait));
        }
        let fences = self.fences.as_ref()?;
        let by = (other.block, other.past.thread, other.past.epoch);
        fences.is_pending(mine.thread, by).then_some(Missing::Acquire)
    }
}

/// Whether one lane's operation has changed memory: a `cas` does only if it found the value that it
/// compares with.
fn wrote(machine: &Machine, op: &Op<Reg, Pc>, (warp, lane): (usize, usize)) -> bool {
    match op {
        Op::Memory(MemoryOp::Atom { op, dst, args, .. })
            if !dst.is_empty() && !dst.iter().any(|dst| args.contains(dst)) =>
        {
            // Of 128 bits the halves are compared one after the other, and both must be equal.
            let each = op.operands();
            let swapped = |(number, dst): (usize, &Reg)| {
                let compared =
                    args.get(number * each).map_or(0, |arg| machine.value(warp, *arg, lane));
                swaps(*op, machine.value(warp, *dst, lane), compared)
            };
            dst.iter().enumerate().all(swapped)
        }
        _ => true,
    }
}
