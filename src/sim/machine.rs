//! One block at work: `step()` executes one instruction of one warp.

use super::exec;
use super::fault::{Fault, FaultKind};
use super::mask::LaneMask;
use super::memory::Memory;
use super::program::{Program, Reg};
use super::scheduler::{Order, Scheduler};
use super::step::{Effect, Pc, Step};
use super::warp::{Warp, WarpState};
use crate::launch::{Dim3, Launch, MAX_THREADS_PER_BLOCK};
use std::sync::Arc;

/// A block, its warps, its shared memory, and the global memory that it sees.
#[derive(Clone, Debug)]
pub struct Machine {
    program: Arc<Program>,
    launch: Launch,
    block: Dim3,
    warps: Vec<Warp>,
    /// Bit n: warp n can issue.
    ready: u32,
    scheduler: Scheduler,
    shared: Vec<u32>,
    memory: Memory,
    interval: u32,
    step: Step,
}

impl Machine {
    /// The block at `block` of the launch, before its first instruction.
    ///
    /// `params` is the parameter block, little-endian, laid out as the PTX declares it. A block
    /// that no GPU would run has no warps, and its first step is a fault.
    pub fn new(
        program: Arc<Program>,
        launch: Launch,
        block: Dim3,
        params: &[u8],
        memory: Memory,
        order: Order,
    ) -> Self {
        let new_warp = |warp| Warp::new(&program, launch, block, warp, params);
        let possible = launch.block.volume() <= u64::from(MAX_THREADS_PER_BLOCK);
        let count = if possible { launch.warps() } else { 0 };
        let warps: Vec<_> = (0..count).map(new_warp).collect();
        let step = Step { warp: 0, pc: Pc(0), active: LaneMask::NONE, effect: Effect::Compute };
        Self {
            ready: LaneMask::first(count).0,
            shared: vec![0; program.shared_bytes.div_ceil(4) as usize],
            scheduler: Scheduler::new(order),
            interval: 0,
            program,
            launch,
            block,
            warps,
            memory,
            step,
        }
    }

    /// Executes the next instruction of the next warp; none when every warp has exited.
    ///
    /// # Errors
    /// What the kernel did wrong; the machine then stands before that instruction.
    pub fn step(&mut self) -> Result<Option<&Step>, Fault> {
        let Some(number) = self.scheduler.pick(self.ready) else { return self.idle() };
        let Self { program, warps, shared, memory, step, .. } = self;
        let warp = &mut warps[number as usize];
        let (pc, lanes) = warp.next();
        let inst = program.inst(pc);
        step.warp = number as u16;
        step.pc = pc;
        step.active = match inst.guard {
            None => lanes,
            Some((reg, false)) => lanes.and(warp.regs.pred(reg)),
            Some((reg, true)) => lanes.without(warp.regs.pred(reg)),
        };
        let mut place = exec::Place { program, warp, shared, memory };
        if let Err((kind, lane)) = exec::execute(&mut place, inst, step) {
            let (block, lane) = (self.block, lane.map(|lane| lane as u8));
            return Err(Fault { kind, block, warp: number as u16, lane, pc, line: inst.line });
        }
        self.settle(number);
        Ok(Some(&self.step))
    }

    /// What follows from a warp's new state: who can issue, and whether a barrier is complete.
    fn settle(&mut self, number: u32) {
        let state = self.warps[number as usize].state;
        if state == WarpState::Ready {
            return;
        }
        self.ready &= !(1 << number);
        if !self.barrier_complete() {
            return;
        }
        for (number, warp) in self.warps.iter_mut().enumerate() {
            if warp.state == WarpState::Waiting {
                warp.state = WarpState::Ready;
                self.ready |= 1 << number;
            }
        }
        self.interval += 1;
        self.scheduler.released();
        if let Effect::Barrier { released, .. } = &mut self.step.effect {
            *released = true;
        }
    }

    /// Whether every warp that has not exited waits at one barrier.
    ///
    /// From compute capability 7.0 on, a barrier waits for all non-exited threads (CUDA
    /// Programming Guide, "Synchronization Functions").
    fn barrier_complete(&self) -> bool {
        let mut live = self.warps.iter().filter(|warp| warp.state != WarpState::Exited);
        let Some(first) = live.next() else { return false };
        let arrived =
            |warp: &Warp| warp.state == WarpState::Waiting && warp.barrier == first.barrier;
        arrived(first) && live.all(arrived)
    }

    /// No warp can issue: the block is done, will never be, or is none.
    fn idle(&self) -> Result<Option<&Step>, Fault> {
        let block = self.block;
        if self.warps.is_empty() {
            let kind = FaultKind::BlockSize(self.launch.block.volume());
            return Err(Fault { kind, block, warp: 0, lane: None, pc: Pc(0), line: None });
        }
        let stuck = self.warps.iter().position(|warp| warp.state != WarpState::Exited);
        let Some(number) = stuck else { return Ok(None) };
        let (pc, _) = self.warps[number].next();
        let line = self.program.inst(pc).line;
        let (kind, warp) = (FaultKind::Deadlock, number as u16);
        Err(Fault { kind, block, warp, lane: None, pc, line })
    }

    /// The program that runs.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// The block's place in the grid.
    pub fn block(&self) -> Dim3 {
        self.block
    }

    /// Warps of the block.
    pub fn warps(&self) -> usize {
        self.warps.len()
    }

    /// Whether a warp can run.
    pub fn state(&self, warp: usize) -> WarpState {
        self.warps[warp].state
    }

    /// The lanes of a warp that exist and have not ended.
    pub fn live(&self, warp: usize) -> LaneMask {
        self.warps[warp].live
    }

    /// A warp's next instruction and the lanes that will execute it.
    pub fn next(&self, warp: usize) -> (Pc, LaneMask) {
        self.warps[warp].next()
    }

    /// The lanes of a warp in which a predicate is set.
    pub fn predicate(&self, warp: usize, reg: Reg) -> LaneMask {
        self.warps[warp].regs.pred(reg)
    }

    /// The block's shared memory, as 4-byte words.
    pub fn shared(&self) -> &[u32] {
        &self.shared
    }

    /// Global memory as this block has left it so far.
    pub fn memory(&self) -> &Memory {
        &self.memory
    }

    /// About how many bytes a copy of this machine takes.
    pub fn bytes(&self) -> usize {
        let registers: usize = self.warps.iter().map(|warp| warp.regs.bytes()).sum();
        registers + 4 * self.shared.len()
    }

    /// Barriers that the whole block has passed.
    pub fn interval(&self) -> u32 {
        self.interval
    }
}
