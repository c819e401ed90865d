//! Executes the blocks that run together, usually one: `step()` executes one instruction of one warp.

mod goes_on;
mod stalled;
mod suspended;

use super::access::{Access, Pc};
use super::barrier::{BARRIERS, Barrier, Wait};
use super::block_group::BlockGroup;
use super::exec;
use super::exec_context::ExecContext;
use super::fault::Fault;
use super::in_flight::InFlight;
use super::lane_pattern::LanePatterns;
use super::mask::LaneMask;
use super::memory::{Memory, Poison};
use super::order::Order;
use super::program::{Inst, Program, Reg};
use super::scheduler::{Bypass, Issuable, Scheduler};
use super::step::{Effect, Step};
use super::warp::{Warp, WarpState};
use super::warp_set::WarpSet;
use crate::launch::{Dim3, Launch};
use crate::matrix::mixed;
use crate::work::are_stopped;
use ptx::{MemoryOp, Op};
use std::sync::Arc;

/// Steps between two looks at whether all work is stopped: less than a millisecond.
const LOOK: u64 = 1 << 12;

/// A block: its warps, its shared memory, and its view of global memory. Of several blocks that run
/// together, all of them: the warps are numbered through, and the shared memory of one follows that of
/// the other; see [`BlockGroup`].
#[derive(Clone, Debug)]
pub struct Machine {
    program: Arc<Program>,
    launch: Launch,
    blocks: BlockGroup,
    warps: Vec<Warp>,
    /// The warps that can issue.
    ready: WarpSet,
    /// Those that are suspended until what they wait for is complete.
    suspended: WarpSet,
    in_flight: InFlight,
    /// Whether the program may suspend warps.
    suspends: bool,
    /// Those that may execute the access at which the schedule is holding them.
    released_past: WarpSet,
    /// Those that have not exited.
    live: WarpSet,
    /// Of each block.
    barriers: Vec<[Barrier; BARRIERS]>,
    scheduler: Scheduler,
    shared: Vec<u32>,
    memory: Memory,
    shapes: LanePatterns,
    interval: u32,
    /// Number of instructions issued so far.
    issued: u64,
    /// The bits substituted for uninitialised values.
    junk: Option<Poison>,
    step: Step,
}

impl Machine {
    /// Creates the block at `block` of the launch, before its first instruction.
    ///
    /// `params` is the parameter block, little-endian, laid out as the PTX declares it. A block
    /// that no GPU would run has no warps, and its first step is a fault.
    pub fn new(
        program: Arc<Program>,
        launch: Launch,
        block: Dim3,
        params: &[u8],
        mut memory: Memory,
        order: Order,
    ) -> Self {
        if program.params_in_memory {
            memory.add_parameters(params);
        }
        let scheduler = Scheduler::new(order, &program);
        let blocks = program.blocks_of(launch, block);
        memory.is_accessed_by(launch.grid.number(blocks.place(0)));
        let possible = Self::refused(launch, &program).is_none();
        let count = if possible { launch.warps() * blocks.count() } else { 0 };
        let new_warp = |warp| Warp::new(&program, launch, (&blocks, warp), params);
        let warps: Vec<_> = (0..count as u16).map(new_warp).collect();
        let step = Step {
            warp: 0,
            pc: Pc(0),
            active: LaneMask::NONE,
            effect: Effect::Compute,
            released: None,
            undefined: LaneMask::NONE,
        };
        Self {
            ready: WarpSet::first(count),
            suspended: WarpSet::NONE,
            in_flight: InFlight::new(&blocks, warps.len(), scheduler.lands_early()),
            suspends: program.insts.iter().any(Inst::may_wait),
            released_past: WarpSet::NONE,
            live: WarpSet::first(count),
            barriers: vec![Default::default(); blocks.count() as usize],
            shared: vec![0; blocks.words()],
            scheduler,
            shapes: LanePatterns::new(program.insts.len()),
            interval: 0,
            issued: 0,
            junk: None,
            program,
            launch,
            blocks,
            warps,
            memory,
            step,
        }
    }

    /// Executes the next instruction of the next warp; returns `None` when every warp has exited, and
    /// once all work is [stopped](are_stopped).
    ///
    /// # Errors
    /// The kernel's fault; the machine then remains before that instruction.
    #[inline]
    pub fn step(&mut self) -> Result<Option<&Step>, Fault> {
        if self.issued.is_multiple_of(LOOK) && are_stopped() {
            return Ok(None);
        }
        let holds = self.scheduler.holds();
        let issuable = self.issuable();
        let Some(number) = self.scheduler.pick(issuable) else { return self.step_aside() };
        let passes = WarpSet::of(number);
        let passes = if holds == Some(Bypass::Access) { passes } else { WarpSet::NONE };
        self.released_past = issuable.released_past.without(passes);
        let junk = self.junk;
        let Self { program, warps, shared, memory, shapes, .. } = self;
        let Self { step, issued, blocks, in_flight, .. } = self;
        *issued += 1;
        shapes.repeated = false;
        let warp = &mut warps[number as usize];
        let (pc, lanes) = warp.next();
        let inst = &program.code[pc.0 as usize];
        step.warp = number as u16;
        step.pc = pc;
        (step.released, step.undefined) = (None, LaneMask::NONE);
        step.active = warp.active(inst, lanes);
        let issued = *issued - 1;
        let mut place =
            ExecContext { program, warp, shared, memory, shapes, blocks, in_flight, issued, junk };
        if let Err((kind, lane)) = exec::execute(&mut place, inst, step) {
            let lane = lane.map(|lane| lane as u8);
            return Err(self.fault(kind, (number as u16, lane, pc)));
        }
        match self.step.effect {
            Effect::Barrier { .. } => self.scheduler.at_barrier(),
            Effect::Branch { taken } if !taken.is_empty() && self.scheduler.ends_round(pc) => {
                self.end_round(number);
            }
            _ => {}
        }
        if self.warps[number as usize].stack.top().is_none() {
            self.settle(number);
        }
        if self.suspends {
            self.suspend_and_resume(number);
        }
        Ok(Some(&self.step))
    }

    /// Issues the next instruction without computing its result, for callers that will not read it.
    /// Returns `None` if the instruction does more than write registers, or could fault.
    pub fn skip(&mut self) -> Option<&Step> {
        let issuable = self.issuable();
        let number = self.scheduler.next(issuable)?;
        let warp = &mut self.warps[number as usize];
        let (pc, lanes) = warp.next();
        let inst = &self.program.code[pc.0 as usize];
        let active = warp.active(inst, lanes);
        let effect = exec::on_registers(&inst.op, active)?;
        self.shapes.repeated = false;
        warp.stack.advance(Pc(pc.0 + 1));
        self.scheduler.pick(issuable);
        (self.issued, self.released_past) = (self.issued + 1, issuable.released_past);
        self.step = Step {
            warp: number as u16,
            pc,
            active,
            effect,
            released: None,
            undefined: LaneMask::NONE,
        };
        if self.warps[number as usize].stack.top().is_none() {
            self.settle(number);
        }
        if self.suspends {
            self.suspend_and_resume(number);
        }
        Some(&self.step)
    }

    /// The warps that can issue next, as the order has it.
    #[inline]
    fn issuable(&self) -> Issuable {
        if self.scheduler.holds().is_some() {
            self.not_held()
        } else if self.scheduler.is_by_phase() {
            self.by_phase()
        } else {
            Issuable::every(self.scheduler.not_yielding(self.ready))
        }
    }

    /// A warp has ended a round of a loop that waits. If it spins, its running lanes let others of
    /// the warp go first, and the warp other warps: it would never see what it waits for.
    #[cold]
    fn end_round(&mut self, number: u32) {
        let Self { program, warps, scheduler, ready, .. } = self;
        let warp = &mut warps[number as usize];
        if scheduler.round_ended(|| warp.deciding(program), *ready) {
            warp.stack.yield_in_turn();
        }
    }

    /// The warps that are not held before an access. If all ready warps are held, they are released
    /// together.
    fn not_held(&self) -> Issuable {
        let ready = self.scheduler.not_yielding(self.ready);
        let waiting = self.marked(ready.without(self.released_past));
        if waiting == ready {
            let released_past = self.released_past.or(waiting);
            return Issuable { released_past, ..Issuable::every(ready) };
        }
        let released_past = self.released_past;
        Issuable { released_past, ..Issuable::every(ready.without(waiting)) }
    }

    /// The warps before whose next barrier a multiply-add lies, in turn; if there are none, all.
    /// A warp that waits in a loop lets the others go first.
    fn by_phase(&self) -> Issuable {
        let ready = self.scheduler.not_yielding(self.ready);
        match self.marked(ready) {
            WarpSet::NONE => Issuable::every(ready),
            warps => Issuable { in_turn: true, ..Issuable::every(warps) },
        }
    }

    /// Those of these warps whose next instruction the order marks.
    fn marked(&self, warps: WarpSet) -> WarpSet {
        let marked = |number: &usize| self.scheduler.marks(self.warps[*number].next().0);
        warps.warps().filter(marked).fold(WarpSet::NONE, |set, number| set.with(number as u32))
    }

    /// Updates a warp that can no longer issue: it has exited, or all its lanes wait.
    #[inline(never)]
    fn settle(&mut self, number: u32) {
        let warp = &mut self.warps[number as usize];
        let (rank, of) = (warp.rank, WarpSet::of(number));
        self.ready = self.ready.without(of);
        if warp.live.is_empty() {
            warp.state = WarpState::Exited;
            self.live = self.live.without(of);
            if self.live.and(self.blocks.warps_of(rank)).is_empty() {
                self.blocks.end(rank);
            }
            (0..BARRIERS).for_each(|id| self.complete(rank, id as u8));
        } else {
            warp.state = WarpState::Waiting;
            self.arrive(number);
        }
    }

    /// Records the arrival of a warp none of whose lanes can continue, if all are at one barrier.
    fn arrive(&mut self, number: u32) {
        let warp = &mut self.warps[number as usize];
        let Some((_, _, Wait { id, .. })) = warp.stack.waits().next() else { return };
        let elsewhere = warp.stack.waits().any(|(_, _, wait)| wait.id != id)
            || warp.stack.members().next().is_some();
        if elsewhere || warp.stack.waits().all(|(_, _, wait)| wait.counted) {
            return;
        }
        let here = warp.stack.waits().map(|(_, lanes, wait)| (lanes, wait));
        let rank = warp.rank;
        self.barriers[rank as usize][usize::from(id)].arrive(number, here);
        warp.stack.count();
        self.release(number, |wait| wait.passing);
        self.complete(rank, id);
    }

    /// Releases the lanes that wait at barrier `id` of a block, if enough threads have arrived.
    fn complete(&mut self, rank: u32, id: u8) {
        let live = self.live.and(self.blocks.warps_of(rank));
        let slot = &mut self.barriers[rank as usize][usize::from(id)];
        if !slot.complete(live) {
            return;
        }
        let barrier = std::mem::take(slot);
        for number in live.warps().filter(|warp| barrier.holds(WarpSet::of(*warp as u32))) {
            let warp = &mut self.warps[number];
            for (_, lanes, wait) in warp.stack.waits().filter(|(_, _, wait)| wait.id == id) {
                if let Some((reduction, dst, _)) = wait.vote {
                    warp.regs.set_wide(dst, &[barrier.result(reduction); 32], lanes);
                }
            }
            self.release(number as u32, |wait| wait.id == id);
        }
        self.step.released = Some(id);
        if barrier.is_whole(self.live) {
            self.interval += 1;
            self.released_past = WarpSet::NONE;
            self.scheduler.released();
        }
    }

    /// Releases the lanes of a warp whose wait satisfies `which`.
    fn release(&mut self, number: u32, which: impl Fn(&Wait) -> bool) {
        let warp = &mut self.warps[number as usize];
        warp.stack.release(which);
        if warp.stack.top().is_some() {
            warp.state = WarpState::Ready;
            self.ready = self.ready.with(number);
            self.look_for_wait(number);
        }
    }

    /// The program being executed.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// The block's position in the grid; of several, that of the block of rank 0.
    pub fn block(&self) -> Dim3 {
        self.blocks.place(0)
    }

    /// The blocks that it runs: in most launches, one.
    pub fn blocks(&self) -> &BlockGroup {
        &self.blocks
    }

    /// Number of warps in all blocks.
    pub fn warps(&self) -> usize {
        self.warps.len()
    }

    pub fn state(&self, warp: usize) -> WarpState {
        self.warps[warp].state
    }

    /// The lanes of a warp that exist and have not exited.
    pub fn live(&self, warp: usize) -> LaneMask {
        self.warps[warp].live
    }

    /// A warp's next instruction and the lanes that reach it.
    pub fn next(&self, warp: usize) -> (Pc, LaneMask) {
        self.warps[warp].next()
    }

    /// The warp of the next step, its instruction and the lanes that reach it, or `None` if no warp
    /// can issue.
    pub fn ahead(&self) -> Option<(usize, Pc, LaneMask)> {
        let warp = self.scheduler.next(self.issuable())? as usize;
        let (pc, lanes) = self.next(warp);
        Some((warp, pc, lanes))
    }

    /// The call to which a warp's next lanes would return, or `None` in the kernel itself.
    pub fn caller(&self, warp: usize) -> Option<Pc> {
        self.warps[warp].stack.caller()
    }

    /// The value of a warp's register in each lane, zero-extended. It is valid only for registers
    /// that the warp's last instruction read or wrote or that its next will read; the row of any
    /// other may have been reused.
    pub fn values(&self, warp: usize, reg: Reg) -> [u64; 32] {
        self.warps[warp].regs.wide(self.program.placed[reg.number()])
    }

    /// The lanes of a warp in which a predicate is true; valid for the same registers as
    /// [`Self::values`].
    pub fn predicate(&self, warp: usize, reg: Reg) -> LaneMask {
        self.warps[warp].regs.pred(self.program.placed[reg.number()])
    }

    /// The shared memory of all blocks, as 4-byte words.
    pub fn shared(&self) -> &[u32] {
        &self.shared
    }

    /// Global memory as this block has left it so far.
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// Approximate size of a copy of this machine in bytes.
    pub fn bytes(&self) -> usize {
        let of_warp = |warp: &Warp| warp.regs.bytes() + warp.local.bytes();
        let registers: usize = self.warps.iter().map(of_warp).sum();
        registers + 4 * self.shared.len() + self.in_flight.bytes()
    }

    /// Fills shared memory with poison, like leftovers of an earlier block, because words that were
    /// never written are undefined; so is the value that a lane receives from one that does not
    /// take part.
    #[must_use]
    pub fn with_poison(mut self, junk: Poison) -> Self {
        self.shared.iter_mut().zip(0..).for_each(|(word, index)| *word = junk.word(index));
        self.junk = Some(junk);
        self
    }

    /// Fills the registers that a thread may read before it has set them with poison: on a GPU they
    /// hold what other threads left there.
    #[must_use]
    pub fn with_poisoned_registers(mut self, junk: Poison) -> Self {
        for reg in &self.program.unset {
            let row = self.program.placed[reg.number()];
            let value = |lane: usize| u64::from(junk.word(lane as u64)) * 0x1_0000_0001;
            let values = std::array::from_fn(value);
            let warps = self.warps.iter_mut();
            warps.for_each(|warp| warp.regs.set_wide(row, &values, LaneMask::ALL));
        }
        self
    }

    /// The value of a warp's register in one lane; see [`Self::values`].
    pub fn value(&self, warp: usize, reg: Reg, lane: usize) -> u64 {
        self.values(warp, reg)[lane]
    }

    /// The last step; before the first step, one without effect.
    pub fn last(&self) -> &Step {
        &self.step
    }

    /// The stores of asynchronous copies that landed in shared memory in the last step, in order.
    pub fn landed(&self) -> &[Access] {
        let Effect::Async(effect) = &self.step.effect else { return &[] };
        effect.landed(self.scheduler.lands_early())
    }

    /// Whether the last step was an access by a full warp, to the space that its instruction names,
    /// whose addresses are all shifted equally from those of the instruction's previous execution.
    /// False does not imply the opposite.
    #[inline]
    pub fn repeats(&self) -> bool {
        self.shapes.repeated
    }

    /// The value that each lane stored in the last step, a vector folded to one number, or `None`
    /// if it was not a store of registers.
    pub fn stored(&self) -> Option<[u64; 32]> {
        let Op::Memory(MemoryOp::St { ty, src, .. }) =
            &self.program.code[self.step.pc.0 as usize].op
        else {
            return None;
        };
        let ones = u64::MAX >> (64 - ty.bits());
        let regs = &self.warps[usize::from(self.step.warp)].regs;
        let rows = src.iter().map(|reg| regs.wide(*reg).map(|value| value & ones));
        rows.reduce(|sum, row| std::array::from_fn(|lane| mixed(sum[lane]) ^ row[lane]))
    }

    /// Number of barriers that the whole block has passed.
    pub fn interval(&self) -> u32 {
        self.interval
    }
}
