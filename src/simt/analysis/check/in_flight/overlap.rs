//! Memory and registers that are written while `cp.async`, transfers and tensor cores still use them, or
//! that these do not see.

use super::copies::CopyInFlight;
use super::transfers::{act, sources, words};
use super::wgmma::{BegunWgmma, CheckedWgmma, WarpWgmma, pieces, product};
use crate::analysis::check::epoch::ThreadId;
use crate::analysis::check::finding::{AccessKind, FindingKind, MemoryAddress, Participant};
use crate::analysis::check::touch::{Met, PastAccess, Touch, WarpAccess};
use crate::analysis::check::{Checker, touches};
use crate::sim::in_flight::{AsyncTransfer, OtherEnd};
use crate::sim::{
    Access, AsyncEffect, Direction, Effect, LaneMask, Machine, Pc, Program, Reg, Step,
};
use ptx::{CopyGroup, MatrixOp, Op, Space, Wgmma};
use std::sync::Arc;

impl Checker {
    /// A copy begins. Only sources that the kernel also writes are followed.
    pub(in crate::analysis::check) fn copy(
        &mut self,
        machine: &Machine,
        [from, into]: &[Access; 2],
    ) {
        self.access(machine, from, Touch::Load, None);
        self.access(machine, into, Touch::Copy, None);
        if touches(&self.watched, from) {
            let step = machine.last();
            let (warp, pc, epoch) = (step.warp.into(), step.pc, self.clock.now());
            let (from, into) = (from.clone(), into.clone());
            self.in_flight.copies.flying.push(CopyInFlight { warp, pc, epoch, from, into });
        }
    }

    /// A warp has waited for copies: their reads and writes last until now.
    pub(in crate::analysis::check) fn landed(&mut self, machine: &Machine, stores: &[Access]) {
        let warp = usize::from(machine.last().warp);
        for store in stores {
            self.shared.land(&self.clock, store);
            if let Some((pc, access)) = self.in_flight.copies.land(warp, store) {
                let (touch, access) = (Touch::Load, &access);
                let act = WarpAccess {
                    warp,
                    pc,
                    touch,
                    access,
                    within: false,
                    filled: false,
                    values: None,
                };
                self.global.has_read(&self.clock, &act);
            }
        }
    }

    /// Global memory is written: reports a copy that still reads it.
    pub(in crate::analysis::check) fn overwrites_source(&mut self, act: &WarpAccess<'_>) {
        let Some((addr, lane, past)) = self.in_flight.copies.met(&self.clock, act.warp, act.access)
        else {
            return;
        };
        let (thread, epoch) = (ThreadId::new(act.warp, lane), self.clock.now());
        let mine = PastAccess { thread, epoch, pc: act.pc, touch: act.touch };
        let copy = Participant { did: AccessKind::Copy, ..self.side(past) };
        let place = Some(MemoryAddress { space: Space::Global, addr });
        self.add_found(FindingKind::WriteDuringAsyncRead, place, vec![copy, self.side(mine)]);
    }
}

impl Checker {
    /// Lanes of a warp have started transfers.
    pub(in crate::analysis::check) fn transfers(
        &mut self,
        machine: &Machine,
        copies: &[Arc<AsyncTransfer>],
    ) {
        for copy in copies {
            match copy.signals() {
                Some(addr) => {
                    for access in words(copy, Direction::Load) {
                        if touches(&self.watched, &access) {
                            self.access(machine, &access, Touch::Load, None);
                        }
                    }
                    if copy.other == OtherEnd::Shared {
                        self.begin_to_read(machine, copy);
                    }
                    self.begin_incoming(machine, copy, addr);
                }
                None => self.begin_outgoing(machine, copy),
            }
        }
    }

    /// A transfer to global memory begins.
    fn begin_outgoing(&mut self, machine: &Machine, copy: &Arc<AsyncTransfer>) {
        self.begin_to_read(machine, copy);
        let (direction, touch) = match copy.reduces {
            Some(_) => (Direction::Atomic, Touch::Atomic),
            None => (Direction::Store, Touch::Store),
        };
        for access in words(copy, direction) {
            self.access(machine, &access, touch, None);
        }
    }

    /// A transfer from shared memory begins: it reads through the async proxy.
    fn begin_to_read(&mut self, machine: &Machine, copy: &Arc<AsyncTransfer>) {
        let step = machine.last();
        let (warp, pc) = (usize::from(step.warp), step.pc);
        let reader = ThreadId::new(warp, copy.lane.into());
        let (mut hits, mut unseen) = (Vec::new(), Vec::new());
        let (clock, proxy) = (&self.clock, &self.in_flight.proxy);
        let shown = |past: PastAccess| {
            past.thread.is_engine() || proxy.show(clock, reader, (past.thread, past.epoch))
        };
        for access in sources(copy) {
            let act = act(warp, pc, Touch::Load, &access);
            self.shared.product(clock, &act, shown, (&mut hits, &mut unseen));
        }
        for hit in hits {
            self.report(Space::Shared, step, Touch::Load, hit);
        }
        for (addr, past) in unseen {
            let place = Some(MemoryAddress { space: Space::Shared, addr });
            let copies = PastAccess { thread: reader, epoch: 0, pc, touch: Touch::Copy };
            let sides = vec![self.side(past), self.side(copies)];
            self.add_found(FindingKind::MissingProxyFence, place, sides);
        }
        self.in_flight.stores.begin(warp, pc, Arc::clone(copy));
    }

    /// A group instruction of transfers: copies that are waited for have read until now.
    pub(in crate::analysis::check) fn transfer_group(
        &mut self,
        machine: &Machine,
        command: CopyGroup,
    ) {
        let step = machine.last();
        for lane in step.active.lanes() {
            let thread = (usize::from(step.warp), lane as u8);
            for store in self.in_flight.stores.command(thread, command) {
                for access in sources(&store.copy) {
                    let act = act(store.warp, store.pc, Touch::Load, &access);
                    self.shared.has_read(&self.clock, &act);
                }
            }
        }
    }

    /// Shared memory is written: reports a transfer that still reads it.
    pub(in crate::analysis::check) fn overwrites_source_of_transfer(
        &mut self,
        act: &WarpAccess<'_>,
    ) {
        let Some((addr, lane, (warp, by, pc))) = self.in_flight.stores.met(act.access) else {
            return;
        };
        let thread = ThreadId::new(warp, by.into());
        let copy = self.side(PastAccess { thread, epoch: 0, pc, touch: Touch::Copy });
        let (thread, epoch) = (ThreadId::new(act.warp, lane), self.clock.now());
        let mine = self.side(PastAccess { thread, epoch, pc: act.pc, touch: act.touch });
        let mine = Participant { did: AccessKind::Store, ..mine };
        let place = Some(MemoryAddress { space: Space::Shared, addr });
        self.add_found(FindingKind::WriteDuringAsyncRead, place, vec![copy, mine]);
    }
}

impl Checker {
    /// Handles a step, if the program has `wgmma` instructions.
    pub(in crate::analysis::check) fn follow_products(&mut self, machine: &Machine) {
        let Some(mut products) = self.in_flight.wgmma.take() else { return };
        let (step, program) = (machine.last(), Arc::clone(&self.program));
        let warp = usize::from(step.warp);
        if !step.active.is_empty() {
            match &program.inst(step.pc).op {
                Op::Matrix(MatrixOp::WgmmaFence) => {
                    products.warps[warp].loose.clear();
                    products.warps[warp].fenced = true;
                }
                Op::Matrix(MatrixOp::Wgmma(product)) => {
                    self.registers_of_product(step, product, &mut products.warps[warp]);
                }
                _ => self.registers(step, &mut products),
            }
        }
        match &step.effect {
            Effect::Async(AsyncEffect::Wgmma { reads, .. }) => {
                self.begin(step, reads, &mut products);
            }
            Effect::Async(AsyncEffect::WgmmaCompleted { instructions }) => {
                (0..*instructions).for_each(|_| self.finish(warp, &mut products));
            }
            Effect::Async(AsyncEffect::Copy(copy)) => self.overwrites(step, &copy[1], &products),
            _ => {
                let writes =
                    |access: &&Access| access.space == Space::Shared && access.direction.writes();
                let writes = step.accesses().iter().filter(writes);
                writes.for_each(|access| self.overwrites(step, access, &products));
            }
        }
        self.in_flight.wgmma = Some(products);
    }

    /// An instruction other than `wgmma` accesses registers.
    ///
    /// "Accessing the accumulator register or the input register containing the fragments of matrix
    /// A of a `wgmma.mma_async` instruction without first performing a `wgmma.wait_group` [..] is
    /// undefined behavior" (PTX ISA, `wgmma.wait_group`).
    fn registers(&mut self, step: &Step, products: &mut CheckedWgmma) {
        let touched = &products.touched[step.pc.0 as usize];
        if touched.is_empty() {
            return;
        }
        let warp = &mut products.warps[usize::from(step.warp)];
        let program = Arc::clone(&self.program);
        let busy = warp.begun.iter().find(|begun| {
            let mut regs = product_at(&program, begun.pc).into_iter().flat_map(Wgmma::registers);
            regs.any(|reg| touched.contains(&reg))
        });
        if let Some(busy) = busy {
            self.product_finding(FindingKind::AccumulatorInUse, step, busy.pc);
        }
        warp.loose.extend(touched.iter().map(|reg| (*reg, step.pc)));
    }

    /// "The `wgmma.fence` instruction must be issued [..] before the first `wgmma.mma_async` [..]
    /// and between a register access by a thread in the warpgroup and any `wgmma.mma_async` that
    /// accesses the same registers", except for accumulators of `wgmma` instructions of one shape
    /// (PTX ISA, `wgmma.fence`).
    fn registers_of_product(&mut self, step: &Step, product: &Wgmma<Reg>, warp: &mut WarpWgmma) {
        let program = Arc::clone(&self.program);
        let loose = product.registers().find_map(|reg| warp.loose.get(&reg).copied());
        if let Some(pc) = loose.or_else(|| (!warp.fenced).then_some(step.pc)) {
            self.product_finding(FindingKind::MissingWgmmaFence, step, pc);
        }
        let apart = |begun: &&BegunWgmma| {
            product_at(&program, begun.pc).is_some_and(|other| meet(other, product))
        };
        if let Some(busy) = warp.begun.iter().find(apart) {
            self.product_finding(FindingKind::AccumulatorInUse, step, busy.pc);
        }
    }

    /// What a `wgmma` reads must have been written, by threads ordered before it, and be visible to
    /// it.
    fn begin(&mut self, step: &Step, reads: &[Access], products: &mut CheckedWgmma) {
        let (warp, pc) = (usize::from(step.warp), step.pc);
        let (mut hits, mut unseen) = (Vec::new(), Vec::new());
        let (clock, fences) = (&self.clock, &self.in_flight.proxy);
        for access in reads {
            let touch = Touch::Load;
            let act =
                WarpAccess { warp, pc, touch, access, within: false, filled: false, values: None };
            let mut last = None;
            let shown = |past: PastAccess| {
                if past.thread.is_engine() {
                    return true;
                }
                let write = (past.thread, past.epoch);
                let (_, shown) = *last.filter(|(of, _)| *of == write).get_or_insert_with(|| {
                    (write, fences.show(clock, ThreadId::new(warp, 0), write))
                });
                last = Some((write, shown));
                shown
            };
            self.shared.product(clock, &act, shown, (&mut hits, &mut unseen));
        }
        // The lanes of the warp execute it together.
        let own = |past: &PastAccess| past.thread.warp() == warp && past.touch != Touch::Copy;
        hits.retain(|hit| !matches!(&hit.met, Met::Race(past) if own(past)));
        for hit in hits {
            self.report(Space::Shared, step, Touch::Load, hit);
        }
        for (addr, past) in unseen {
            let place = Some(MemoryAddress { space: Space::Shared, addr });
            let sides = vec![self.side(past), self.whole(warp, pc)];
            self.add_found(FindingKind::MissingProxyFence, place, sides);
        }
        for piece in reads.iter().flat_map(pieces) {
            products.reading[piece] += 1;
        }
        products.warps[warp].begun.push_back(BegunWgmma { pc, reads: reads.to_vec() });
    }

    /// The oldest `wgmma` of a warp is complete: it has read until now.
    fn finish(&mut self, warp: usize, products: &mut CheckedWgmma) {
        let Some(BegunWgmma { pc, reads }) = products.warps[warp].begun.pop_front() else { return };
        for access in &reads {
            pieces(access).for_each(|piece| products.reading[piece] -= 1);
            let touch = Touch::Load;
            let act =
                WarpAccess { warp, pc, touch, access, within: false, filled: false, values: None };
            self.shared.has_read(&self.clock, &act);
        }
        // Every lane of the warp has waited for all that the product read.
        self.clock.meet(warp, LaneMask::ALL, LaneMask::ALL);
    }

    /// A transfer overwrites shared memory.
    pub(in crate::analysis::check) fn overwrites_factor(&mut self, step: &Step, access: &Access) {
        let Some(products) = self.in_flight.wgmma.take() else { return };
        self.overwrites(step, access, &products);
        self.in_flight.wgmma = Some(products);
    }

    fn overwrites(&mut self, step: &Step, access: &Access, products: &CheckedWgmma) {
        let Some((lane, addr, warp, pc)) = products.met(access) else { return };
        let place = Some(MemoryAddress { space: Space::Shared, addr });
        let copies = |effect: &AsyncEffect| {
            matches!(effect, AsyncEffect::Copy(_) | AsyncEffect::Transfers(_))
        };
        let did = match &step.effect {
            Effect::Async(effect) if copies(effect) => AccessKind::Copy,
            _ => AccessKind::Store,
        };
        let writes = Participant {
            lanes: LaneMask(1 << lane),
            did,
            ..self.whole(step.warp.into(), step.pc)
        };
        self.add_found(
            FindingKind::WriteDuringAsyncRead,
            place,
            vec![self.whole(warp, pc), writes],
        );
    }

    /// Adds a finding about registers; `pc` is the warp's other instruction.
    fn product_finding(&mut self, what: FindingKind, step: &Step, pc: Pc) {
        let sides = [pc, step.pc].map(|pc| self.whole(step.warp.into(), pc)).to_vec();
        self.add_found(what, None, sides);
    }

    /// Makes a participant of a whole warp at an instruction.
    fn whole(&self, warp: usize, pc: Pc) -> Participant {
        let past = PastAccess { thread: ThreadId::new(warp, 0), epoch: 0, pc, touch: Touch::Load };
        let did = if product_at(&self.program, pc).is_some() {
            AccessKind::Multiply
        } else {
            AccessKind::Stand
        };
        Participant { lanes: LaneMask::ALL, did, ..past.side(&self.blocks, &self.program) }
    }
}

fn product_at(program: &Program, pc: Pc) -> Option<&Wgmma<Reg>> {
    product(&program.inst(pc).op)
}

/// Whether one `wgmma` uses registers of another, except where both accumulate into the same ones.
fn meet(one: &Wgmma<Reg>, two: &Wgmma<Reg>) -> bool {
    let same = (&one.d, one.n, one.sum) == (&two.d, two.n, two.sum);
    let sums = |of: &Wgmma<Reg>, all: &[Reg]| of.d.iter().any(|reg| all.contains(reg));
    !same && sums(one, &two.d) || sums(one, two.held()) || sums(two, one.held())
}
