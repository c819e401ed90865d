//! Checks for errors of a kernel, whatever it computes: races, barriers, memory, endless loops.
//!
//! ```text
//! Checker::start(machine)   a block begins
//! Checker::step(machine)    after each of its steps: its accesses, and their order
//!   happens_before   the order that barriers establish
//!   fences           the order that fences establish, with the accesses that carry it
//!   shadow           the last accesses of each place
//!   barrier          arrivals at barriers, and threads that miss them
//!   initcheck        reads of what was never written
//!   unset, extent    registers that were never set; accesses that leave their array for the next
//!   in_flight        what asynchronous instructions still read and write, who sees it, and the order
//!                    that waiting for it establishes, also between the blocks that run together
//! Checker::end(machine, ..) the block has ended or failed
//!   shared_pages     memory that several blocks touch
//! Once more, for that memory alone:
//!   block_conflicts  races between blocks
//!   access_log       races between blocks that fences partly order
//! ```
//!
//! Two accesses race if nothing orders them, whichever came first: no barrier, under any schedule;
//! and no fences with an access through which one thread has signalled the other, as that happened
//! in this run.

mod access_log;
mod barrier;
mod block_conflicts;
mod checks;
mod endless;
mod epoch;
mod extent;
mod fences;
mod finding;
mod happens_before;
mod in_flight;
mod initcheck;
mod poison_rerun;
mod run;
mod shadow;
mod shared_pages;
mod side;
mod sync_points;
mod synchronise;
mod thread_clock;
mod touch;
mod unset;

pub use checks::Checks;
pub use finding::{
    AccessKind, Compared, EndlessLoop, Finding, FindingKind, LeftPart, LoopEnd, MemoryAddress,
    Missing, Participant,
};
pub use run::{CheckOutcome, run};

use crate::launch::Dim3;
use crate::sim::{
    Access, BlockGroup, Effect, Fault, FaultKind, Inst, LaneMask, Machine, Pc, Program, Step,
};
use access_log::AccessLog;
use barrier::{BarrierLanes, Barriers, LanesAtPc};
use block_conflicts::{BlockAccess, BlockConflicts};
use epoch::ThreadId;
use extent::MeantArrays;
use fences::{Fences, strength};
use finding::{Findings, Race};
use happens_before::HappensBefore;
use in_flight::CheckedInFlight;
use initcheck::UninitialisedReads;
use ptx::{ControlOp, MemoryOp, MemoryScope, Op, Space, WarpOp};
use shadow::{Shadow, unit};
use shared_pages::SharedPages;
use std::collections::BTreeSet;
use std::sync::Arc;
use touch::{Hit, Met, PastAccess, Touch, WarpAccess};
use unset::UnsetRegisters;

/// Number of barriers of a block.
const BARRIERS: u8 = 16;

/// A buffer of global memory that the checks watch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WatchedBuffer {
    buffer: usize,
    /// Its first address.
    base: u64,
    bytes: u64,
    /// Whether all of it is written before the launch.
    filled: bool,
    /// A bit for each word that is, where only some are.
    written: Option<Arc<[u64]>>,
}

/// Checks the blocks of a grid, one after another.
#[derive(Debug)]
pub(super) struct Checker {
    program: Arc<Program>,
    watched: Vec<WatchedBuffer>,
    shared_pages: Arc<SharedPages>,
    conflicts: Arc<BlockConflicts>,
    clock: HappensBefore,
    /// The order that fences establish, or `None` if the program has none.
    fences: Option<Fences>,
    /// For each instruction, whether it is an atomic operation whose result is used.
    consumed: Vec<bool>,
    /// For each instruction, whether it is a volatile load that spins until it reads the awaited
    /// value.
    spins: Vec<bool>,
    /// Accesses of the blocks to words that several of them touch, if fences order blocks.
    access_log: Option<AccessLog>,
    shared: Shadow,
    global: Shadow,
    barriers: Barriers,
    uninitialised: UninitialisedReads,
    /// `None` if every register is set before it is read.
    unset: Option<UnsetRegisters>,
    extents: MeantArrays,
    findings: Findings,
    /// Stores that would race if they were not of the same value.
    same: Findings,
    /// Indices that leave their row.
    left_rows: Findings,
    /// Buffers that were stored to although they are not watched.
    untracked_buffers: BTreeSet<usize>,
    /// The running block, of several the one of rank 0, and its number in the grid.
    block: Dim3,
    number: u64,
    blocks: BlockGroup,
    /// The live lanes of its warps, and the number of barriers that it has passed.
    live: Vec<LaneMask>,
    interval: u32,
    /// For each warp, the lanes with which it began.
    began: Vec<LaneMask>,
    /// For each warp, the last branch that it executed.
    branch: Vec<Pc>,
    hits: Vec<Hit>,
    /// Whether the program has a `bar.warp.sync`, a fence, or groups of transfers.
    synchronises: bool,
    in_flight: CheckedInFlight,
}

impl Checker {
    /// Makes a checker for blocks like `machine` that watches the buffers written by the kernel.
    fn new(
        machine: &Machine,
        watched: Vec<WatchedBuffer>,
        (overlap, between): (Arc<SharedPages>, Arc<BlockConflicts>),
    ) -> Self {
        let program = Arc::clone(machine.program());
        let warps = machine.warps();
        let shared = 4 * machine.shared().len() as u64;
        let is_sync = |inst: &Inst| match &inst.op {
            Op::Warp(collective) => collective.op == WarpOp::Sync,
            Op::Memory(op) => matches!(op, MemoryOp::Fence(_)),
            Op::Async(op) => op.orders(),
            _ => false,
        };
        let scope = fences::scope(&program);
        let unset = UnsetRegisters::new(&program);
        Self {
            fences: scope.map(|_| Fences::default()),
            consumed: scope.map_or_else(Vec::new, |_| sync_points::consumed_atomics(&program)),
            access_log: scope
                .filter(|scope| *scope == MemoryScope::Gpu)
                .map(|_| AccessLog::default()),
            spins: sync_points::spin_loads(&program),
            in_flight: CheckedInFlight::new(machine),
            synchronises: program.insts.iter().any(is_sync),
            shared: Shadow::dense(shared, unit(&program, Space::Shared), warps),
            global: Shadow::sparse(unit(&program, Space::Global), warps),
            program,
            watched,
            shared_pages: overlap,
            conflicts: between,
            clock: HappensBefore::default(),
            barriers: Barriers::default(),
            uninitialised: UninitialisedReads::default(),
            unset,
            extents: MeantArrays::of(machine.program()),
            findings: Findings::default(),
            same: Findings::default(),
            left_rows: Findings::default(),
            untracked_buffers: BTreeSet::new(),
            block: machine.block(),
            number: 0,
            blocks: *machine.blocks(),
            live: Vec::new(),
            interval: 0,
            began: Vec::new(),
            branch: Vec::new(),
            hits: Vec::new(),
        }
    }

    /// Begins block number `number` of the grid.
    fn start(&mut self, machine: &Machine, number: u64) {
        (self.block, self.number, self.interval) = (machine.block(), number, 0);
        self.blocks = *machine.blocks();
        self.live = (0..machine.warps()).map(|warp| machine.live(warp)).collect();
        self.began.clone_from(&self.live);
        self.branch = vec![Pc(0); machine.warps()];
        self.clock.start(machine.warps());
        self.shared.start();
        self.global.start();
        self.barriers.start();
        self.in_flight.start(machine.warps());
        self.unset.iter_mut().for_each(|unset| unset.start(machine.warps()));
        let per_block = self.blocks.warps_per_block();
        self.fences.iter_mut().for_each(|fences| fences.start(number, per_block));
    }

    /// Checks the step that the machine has just executed.
    #[inline]
    fn step(&mut self, machine: &Machine) {
        let step = machine.last();
        if self.in_flight.has_products() {
            self.follow_products(machine);
        }
        if !step.undefined.is_empty() {
            let at = LanesAtPc {
                warp: step.warp,
                lanes: step.undefined,
                pc: step.pc,
                did: AccessKind::Stand,
            };
            self.uninitialised.add_absent(self.standing(&at), self.interval);
        }
        if let Some(unset) = &mut self.unset {
            let lanes = unset.step(step);
            if !lanes.is_empty() {
                let at = LanesAtPc { warp: step.warp, lanes, pc: step.pc, did: AccessKind::Stand };
                self.uninitialised.add_unset(self.standing(&at), self.interval);
            }
        }
        match &step.effect {
            Effect::Memory(access) => {
                let touch = Touch::of(access.direction);
                let values = if touch == Touch::Load { None } else { machine.stored() };
                self.access(machine, access, touch, values.as_ref());
            }
            Effect::Async(effect) => self.asynchronous(machine, effect),
            Effect::Barrier { id, waits, threads } => {
                let at = LanesAtPc {
                    warp: step.warp,
                    lanes: step.active,
                    pc: step.pc,
                    did: AccessKind::Wait,
                };
                self.arrive(BarrierLanes { id: *id, threads: *threads, waits: *waits, at });
            }
            Effect::Branch { .. } | Effect::Exit => self.ended(machine, step),
            Effect::Accesses(parts) => {
                for part in parts {
                    self.access(machine, part, Touch::of(part.direction), None);
                }
            }
            Effect::Compute => {
                if self.synchronises {
                    self.synchronise(machine);
                }
                if self.extents.have_parts() {
                    self.index(machine);
                }
            }
            Effect::Fma | Effect::HalfFma | Effect::Contracted { .. } | Effect::Mma { .. } => {}
        }
        if let Some(id) = step.released {
            self.release(machine, id);
        }
    }

    /// An instruction that may add an index to an address.
    fn index(&mut self, machine: &Machine) {
        let Some((left, at)) = self.extents.left_part(machine) else { return };
        let is_member = left.part.is_member;
        let finding = self.standing_at(FindingKind::LeftPart(left), &[at]);
        let found = if is_member { &mut self.findings } else { &mut self.left_rows };
        found.add(self.number, finding);
    }

    fn access(
        &mut self,
        machine: &Machine,
        access: &Access,
        touch: Touch,
        values: Option<&[u64; 32]>,
    ) {
        let step = machine.last();
        let (warp, pc) = (usize::from(step.warp), step.pc);
        if let Some((kind, at)) = self.extents.left(step, access) {
            self.add_barrier(kind, &[at]);
        }
        let mut hits = std::mem::take(&mut self.hits);
        match access.space {
            Space::Shared => {
                let (within, filled) = (false, false);
                let act = WarpAccess { warp, pc, touch, access, within, filled, values };
                self.shared.add(&self.clock, &act, &mut hits);
                if access.route.is_distributed() {
                    self.reach(&act);
                }
                if touch != Touch::Load {
                    self.overwrites_source_of_transfer(&act);
                }
            }
            Space::Global if touch != Touch::Load || touches(&self.watched, access) => {
                let whole = self.watched.iter().find(|watched| watched.has_all(access));
                let filled = touch == Touch::Load && whole.is_some_and(|watched| watched.filled);
                let part = whole.is_none().then(|| self.watched_part(machine, access, touch));
                let access = part.as_ref().unwrap_or(access);
                let within = touch == Touch::Atomic
                    && strength(&self.program.inst(pc).op).scope().is_some_and(is_within);
                let act = WarpAccess { warp, pc, touch, access, within, filled, values };
                self.global.add(&self.clock, &act, &mut hits);
                self.across(&act);
                if touch != Touch::Load {
                    self.overwrites_source(&act);
                }
            }
            _ => {}
        }
        for hit in hits.drain(..) {
            self.report(access.space, step, touch, hit);
        }
        self.hits = hits;
        self.carry(machine, access, (warp, pc));
    }

    /// Returns the part of the access made by lanes that touch a watched buffer. If other lanes
    /// store elsewhere, notes that buffer: it must be watched as well.
    fn watched_part(&mut self, machine: &Machine, access: &Access, touch: Touch) -> Access {
        let watched = |addr: u64| self.watched.iter().any(|watched| watched.holds(addr));
        let inside = access.touched().filter(|(_, addr)| watched(*addr));
        let active: LaneMask = inside.map(|(lane, _)| lane).collect();
        let outside =
            if touch == Touch::Load { LaneMask::NONE } else { access.active.without(active) };
        for addr in outside.lanes().map(|lane| access.addrs[lane]) {
            let buffers = machine.memory().buffers().iter();
            let holds =
                |buffer: &crate::sim::Allocation| addr.wrapping_sub(buffer.base) < buffer.bytes;
            self.untracked_buffers
                .extend(buffers.enumerate().find(|(_, of)| holds(of)).map(|(index, _)| index));
        }
        Access { active, ..access.clone() }
    }

    fn report(&mut self, space: Space, step: &Step, touch: Touch, hit: Hit) {
        let place = MemoryAddress { space, addr: hit.addr };
        let (thread, epoch) = (ThreadId::new(step.warp.into(), hit.lane), self.clock.now());
        let mine = PastAccess { thread, epoch, pc: step.pc, touch };
        let (other, is_same) = match hit.met {
            Met::Race(other) => (other, false),
            Met::Same(other) => (other, true),
            Met::Unwritten => {
                if space != Space::Global || self.is_unfilled(hit.addr, touch) {
                    let side = self.side(mine);
                    self.uninitialised.add(place, side, self.interval);
                }
                return;
            }
        };
        let party = BlockAccess { block: self.number, past: other, value: None };
        if self.excused((space, hit.addr), mine, &party) {
            return;
        }
        if !is_same {
            self.uninitialised.raced(place);
        }
        let findings = if is_same { &mut self.same } else { &mut self.findings };
        let in_flight = other.touch == Touch::Copy;
        let within_a_warp = other.thread.warp() == thread.warp();
        let race = Race { space, pcs: (other.pc, mine.pc), in_flight, within_a_warp };
        if findings.add_again(race, hit.addr) {
            return;
        }
        let finding = Finding {
            kind: if in_flight { FindingKind::UnwaitedCopy } else { FindingKind::Race },
            block: self.block,
            interval: Some(self.interval),
            place: Some(place),
            sides: vec![self.side(other), self.side(mine)],
            missing: self.missing(mine, &party),
            words: 0,
            blocks: 0,
        };
        let findings = if is_same { &mut self.same } else { &mut self.findings };
        findings.add_race(self.number, race, finding);
    }

    /// Whether the host has left the global memory at `addr` unwritten. Memory that atomics add to
    /// counts as zeroed by the host where nothing says what that writes: nothing else makes sense.
    fn is_unfilled(&self, addr: u64, touch: Touch) -> bool {
        let filled = |watched: &WatchedBuffer| watched.holds(addr) && watched.is_written(addr);
        let is_known = |watched: &WatchedBuffer| watched.holds(addr) && watched.written.is_some();
        match touch {
            Touch::Load => !self.watched.iter().any(filled),
            Touch::Atomic => self.watched.iter().any(is_known) && !self.watched.iter().any(filled),
            Touch::Store | Touch::Copy => false,
        }
    }

    fn side(&self, past: PastAccess) -> Participant {
        let thread = self.in_flight.starter(past.thread);
        PastAccess { thread, ..past }.side(&self.blocks, &self.program)
    }

    /// Handles lanes that may have ended: by `ret`, or because a branch led to nothing else. For a
    /// `ret` to which the warp has just jumped, the branch is the instruction that tells why.
    fn ended(&mut self, machine: &Machine, step: &Step) {
        let warp = usize::from(step.warp);
        let live = machine.live(warp);
        let lanes = std::mem::replace(&mut self.live[warp], live).without(live);
        if !lanes.is_empty() {
            let branch = self.branch[warp];
            let jumped =
                self.program.inst(branch).op == Op::Control(ControlOp::Bra { target: step.pc });
            let pc = if jumped { branch } else { step.pc };
            self.barriers.end(LanesAtPc { warp: step.warp, lanes, pc, did: AccessKind::End });
            self.leave(machine, (step.warp, lanes, pc));
        }
        self.branch[warp] = step.pc;
    }

    fn arrive(&mut self, arrival: BarrierLanes) {
        let id = self.barrier(arrival.id, arrival.at.warp);
        if let Some((what, sides)) =
            self.barriers.arrive(&self.clock, BarrierLanes { id, ..arrival })
        {
            self.add_barrier(what, &sides);
        }
        let BarrierLanes { waits, at, .. } = arrival;
        self.clock.arrive(id, at.warp.into(), waits);
        if let Some(fences) = &mut self.fences {
            fences.arrive(id, at.warp.into(), waits);
        }
    }

    /// The number of a barrier among those of all blocks that run together.
    fn barrier(&self, id: u8, warp: u16) -> u8 {
        self.blocks.rank_of(warp) as u8 * BARRIERS + id
    }

    fn release(&mut self, machine: &Machine, id: u8) {
        let whole = machine.interval() != self.interval;
        let id = self.barrier(id, machine.last().warp);
        let of = self.blocks.rank_of(machine.last().warp);
        let all = self.clock.release(id, whole);
        for (what, sides) in self.barriers.release(id, (&self.blocks, of), self.clock.now()) {
            self.add_barrier(what, &sides);
        }
        if let Some(fences) = &mut self.fences {
            fences.release(&mut self.clock, id, all);
        }
        if whole {
            self.interval = machine.interval();
            self.uninitialised.settle(Space::Shared);
        }
    }

    fn add_barrier(&mut self, what: FindingKind, sides: &[LanesAtPc]) {
        self.findings.add(self.number, self.standing_at(what, sides));
    }

    /// A finding of lanes at instructions.
    fn standing_at(&self, kind: FindingKind, sides: &[LanesAtPc]) -> Finding {
        // The schedule decides whether lanes of a warp end before its other lanes pass barriers.
        let interval =
            (!matches!(kind, FindingKind::ExitedBeforeBarrier { .. })).then_some(self.interval);
        let sides = sides.iter().map(|at| self.standing(at)).collect();
        let (place, missing) = (None, None);
        Finding { kind, block: self.block, interval, place, sides, missing, words: 0, blocks: 0 }
    }

    /// Adds a finding of this barrier interval.
    fn add_found(
        &mut self,
        what: FindingKind,
        place: Option<MemoryAddress>,
        sides: Vec<Participant>,
    ) {
        let (block, interval, missing) = (self.block, Some(self.interval), None);
        let finding =
            Finding { kind: what, block, interval, place, sides, missing, words: 0, blocks: 0 };
        self.findings.add(self.number, finding);
    }

    fn standing(&self, at: &LanesAtPc) -> Participant {
        let LanesAtPc { warp, lanes, pc, did } = *at;
        let Inst { line, file, .. } = *self.program.inst(pc);
        let (block, rank) = (self.blocks.block_of(warp), self.blocks.rank_among(warp));
        let warp = self.blocks.within_block(warp);
        Participant { block, rank, warp, lanes, pc, line, file, did }
    }

    /// Ends the block.
    fn end(&mut self, end: Result<(), Fault>) {
        if let Err(fault) = end {
            self.fault(fault);
        }
        self.uninitialised.end_block(self.number, self.block);
        self.findings.end_block();
        self.same.end_block();
        self.left_rows.end_block();
        self.shared_pages.publish(&self.clock, &self.global);
        if self.access_log.is_none() {
            self.conflicts.publish(&self.program, self.number, &self.clock, &self.global);
        }
    }

    fn fault(&mut self, fault: Fault) {
        let lane = fault.lane.map_or(LaneMask::NONE, |lane| LaneMask(1 << lane));
        let did = match &fault.kind {
            FaultKind::OutOfBounds { direction, .. }
            | FaultKind::NullPointer { direction, .. }
            | FaultKind::Misaligned { direction, .. } => AccessKind::of(*direction),
            _ => AccessKind::Stand,
        };
        match fault.kind {
            FaultKind::Deadlock(deadlock) => {
                let standing = deadlock.standing.iter();
                let at = standing.map(|at| LanesAtPc {
                    warp: self.blocks.warp_of(self.blocks.place(at.rank.unwrap_or(0)), at.warp),
                    lanes: at.lanes,
                    pc: at.pc,
                    did: AccessKind::Wait,
                });
                let sides: Vec<_> = at.collect();
                self.add_barrier(FindingKind::Deadlock(*deadlock), &sides);
            }
            kind => {
                let warp = self.blocks.warp_of(fault.block, fault.warp);
                let at = LanesAtPc { warp, lanes: lane, pc: fault.pc, did };
                self.add_barrier(FindingKind::Fault(kind), &[at]);
            }
        }
    }
}

impl WatchedBuffer {
    fn holds(&self, addr: u64) -> bool {
        addr.wrapping_sub(self.base) < self.bytes
    }

    /// Whether the word at an address of it is written before the launch.
    fn is_written(&self, addr: u64) -> bool {
        let word = addr.wrapping_sub(self.base) / 4;
        let has = |bits: &Arc<[u64]>| {
            bits.get((word / 64) as usize).is_some_and(|bits| bits >> (word % 64) & 1 == 1)
        };
        self.filled || self.written.as_ref().is_some_and(has)
    }

    /// Whether it holds all that an access touches.
    fn has_all(&self, access: &Access) -> bool {
        all_within(&access.addrs, self.base, self.bytes)
            || access.touched().all(|(_, addr)| self.holds(addr))
    }
}

/// Whether one of 32 addresses lies in a watched buffer.
fn touches(watched: &[WatchedBuffer], access: &Access) -> bool {
    watched.iter().any(|watched| any_within(&access.addrs, watched.base, watched.bytes))
}

#[multiversion::multiversion(targets("x86_64+avx2"))]
fn any_within(addrs: &[u64; 32], base: u64, bytes: u64) -> bool {
    addrs.iter().fold(false, |any, addr| any | (addr.wrapping_sub(base) < bytes))
}

#[multiversion::multiversion(targets("x86_64+avx2"))]
fn all_within(addrs: &[u64; 32], base: u64, bytes: u64) -> bool {
    addrs.iter().fold(true, |all, addr| all & (addr.wrapping_sub(base) < bytes))
}

/// Whether a scope contains no threads but those of the block, or of those that run with it.
fn is_within(scope: MemoryScope) -> bool {
    scope < MemoryScope::Gpu
}
