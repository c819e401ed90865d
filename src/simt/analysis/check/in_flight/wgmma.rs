//! Checks of `wgmma`, which the tensor cores execute while the warps go on.

use crate::analysis::check::Checker;
use crate::analysis::check::epoch::Thread;
use crate::analysis::check::finding::{AccessKind, FindingKind, MemoryAddress, Participant};
use crate::analysis::check::touch::{Act, Met, Past, Touch};
use crate::sim::{Access, AsyncEffect, Effect, LaneMask, Machine, PIECE, Pc, Program, Reg, Step};
use ptx::{MatrixOp, Op, Space, Wgmma};
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

/// The `wgmma` instructions in flight of every warp of a block.
#[derive(Debug)]
pub(in crate::analysis::check) struct WgmmaInFlight {
    /// For each instruction: those of its registers that `wgmma` instructions use.
    touched: Vec<Box<[Reg]>>,
    warps: Vec<Warp>,
    /// For each piece of shared memory, the number of `wgmma` instructions in flight that read it.
    reading: Vec<u32>,
}

#[derive(Debug, Default)]
struct Warp {
    /// In flight, the oldest first.
    begun: VecDeque<Begun>,
    /// Registers accessed since the last `wgmma.fence`, and the instruction that did.
    loose: HashMap<Reg, Pc>,
    /// Whether the warp has executed a `wgmma.fence`.
    fenced: bool,
}

#[derive(Debug)]
struct Begun {
    pc: Pc,
    reads: Vec<Access>,
}

impl WgmmaInFlight {
    /// For blocks like `machine`; `None` if their program has no `wgmma`.
    pub(in crate::analysis::check) fn new(machine: &Machine) -> Option<Self> {
        let program = machine.program();
        let products = || program.insts.iter().filter_map(|inst| product(&inst.op));
        let used: Vec<_> = products().flat_map(Wgmma::registers).collect();
        let touched = |op: &Op<Reg, Pc>| {
            let regs = op.operands().into_iter().map(|(reg, ..)| reg);
            regs.filter(|reg| used.contains(reg)).collect()
        };
        products().next()?;
        Some(Self {
            touched: program.insts.iter().map(|inst| touched(&inst.op)).collect(),
            warps: Vec::new(),
            reading: vec![0; machine.shared().len().div_ceil(usize::from(PIECE) / 4)],
        })
    }

    pub(in crate::analysis::check) fn start(&mut self, warps: usize) {
        self.warps.clear();
        self.warps.resize_with(warps, Warp::default);
        self.reading.fill(0);
    }

    /// Finds the first lane of an access that touches what a `wgmma` in flight reads. Returns the
    /// lane, the address, and the warp and pc of the `wgmma`.
    fn met(&self, access: &Access) -> Option<(usize, u64, usize, Pc)> {
        access.touched().find_map(|(lane, addr)| {
            let mut pieces = piece(addr)..=piece(addr + u64::from(access.bytes) - 1);
            let piece = pieces.find(|piece| self.reading[*piece] > 0)?;
            let (warp, pc) = self.reader(piece)?;
            Some((lane, addr.max((piece * usize::from(PIECE)) as u64), warp, pc))
        })
    }

    /// Returns the warp and the pc of a `wgmma` in flight that reads a piece.
    fn reader(&self, of: usize) -> Option<(usize, Pc)> {
        let reads = |begun: &&Begun| begun.reads.iter().any(|read| pieces(read).any(|p| p == of));
        let mut warps = self.warps.iter().enumerate();
        warps.find_map(|(warp, all)| Some((warp, all.begun.iter().find(reads)?.pc)))
    }
}

fn product(op: &Op<Reg, Pc>) -> Option<&Wgmma<Reg>> {
    if let Op::Matrix(MatrixOp::Wgmma(product)) = op { Some(product) } else { None }
}

/// Returns the pieces of shared memory that an access by pieces touches.
fn pieces(access: &Access) -> impl Iterator<Item = usize> + '_ {
    access.touched().map(|(_, addr)| piece(addr))
}

const fn piece(addr: u64) -> usize {
    (addr / PIECE as u64) as usize
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
    fn registers(&mut self, step: &Step, products: &mut WgmmaInFlight) {
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
    fn registers_of_product(&mut self, step: &Step, product: &Wgmma<Reg>, warp: &mut Warp) {
        let program = Arc::clone(&self.program);
        let loose = product.registers().find_map(|reg| warp.loose.get(&reg).copied());
        if let Some(pc) = loose.or_else(|| (!warp.fenced).then_some(step.pc)) {
            self.product_finding(FindingKind::MissingWgmmaFence, step, pc);
        }
        let apart = |begun: &&Begun| {
            product_at(&program, begun.pc).is_some_and(|other| meet(other, product))
        };
        if let Some(busy) = warp.begun.iter().find(apart) {
            self.product_finding(FindingKind::AccumulatorInUse, step, busy.pc);
        }
    }

    /// What a `wgmma` reads must have been written, by threads ordered before it, and be visible to
    /// it.
    fn begin(&mut self, step: &Step, reads: &[Access], products: &mut WgmmaInFlight) {
        let (warp, pc) = (usize::from(step.warp), step.pc);
        let (mut hits, mut unseen) = (Vec::new(), Vec::new());
        let (clock, fences) = (&self.clock, &self.in_flight.proxy);
        for access in reads {
            let touch = Touch::Load;
            let act = Act { warp, pc, touch, access, within: false, filled: false, values: None };
            let mut last = None;
            let shown = |past: Past| {
                if past.thread.is_engine() {
                    return true;
                }
                let write = (past.thread, past.epoch);
                let (_, shown) = *last.filter(|(of, _)| *of == write).get_or_insert_with(|| {
                    (write, fences.show(clock, Thread::new(warp, 0), write))
                });
                last = Some((write, shown));
                shown
            };
            self.shared.product(clock, &act, shown, (&mut hits, &mut unseen));
        }
        // The lanes of the warp execute it together.
        let own = |past: &Past| past.thread.warp() == warp && past.touch != Touch::Copy;
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
        products.warps[warp].begun.push_back(Begun { pc, reads: reads.to_vec() });
    }

    /// The oldest `wgmma` of a warp is complete: it has read until now.
    fn finish(&mut self, warp: usize, products: &mut WgmmaInFlight) {
        let Some(Begun { pc, reads }) = products.warps[warp].begun.pop_front() else { return };
        for access in &reads {
            pieces(access).for_each(|piece| products.reading[piece] -= 1);
            let touch = Touch::Load;
            let act = Act { warp, pc, touch, access, within: false, filled: false, values: None };
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

    fn overwrites(&mut self, step: &Step, access: &Access, products: &WgmmaInFlight) {
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
        let past = Past { thread: Thread::new(warp, 0), epoch: 0, pc, touch: Touch::Load };
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
