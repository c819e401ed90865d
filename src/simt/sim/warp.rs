//! A warp: its divergent paths, its registers, and whether it can issue.

use super::access::Pc;
use super::alu;
use super::block_group::BlockGroup;
use super::local::Local;
use super::mask::LaneMask;
use super::memory::PARAMETERS;
use super::program::{Inst, Program, RowInit};
use super::reconvergence_stack::ReconvergenceStack;
use super::regs::Regs;
use super::special::SpecialValues;
use crate::launch::{Launch, WARP_SIZE};
use ptx::Type;

/// Whether a warp can issue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WarpState {
    /// It can issue its next instruction.
    Ready,
    /// It cannot issue: its lanes wait at a barrier or for other lanes.
    Waiting,
    /// Every lane has exited.
    Exited,
}

/// 32 lanes that issue together.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Warp {
    /// The rank of its block among those of the machine.
    pub(super) rank: u32,
    pub(super) state: WarpState,
    pub(super) stack: ReconvergenceStack,
    pub(super) regs: Regs,
    pub(super) local: Local,
    /// Lanes that exist and have not exited.
    pub(super) live: LaneMask,
}

impl Warp {
    /// Creates warp `number` of a machine, before its first instruction.
    pub(super) fn new(
        program: &Program,
        launch: Launch,
        (blocks, number): (&BlockGroup, u16),
        params: &[u8],
    ) -> Self {
        let (rank, number) = (blocks.rank_of(number), blocks.within_block(number).into());
        let of_block = SpecialValues { launch, blocks, explicit: program.together.is_given, rank };
        let live = LaneMask::first(launch.threads() - number * WARP_SIZE);
        let mut regs = Regs::new(program.rows);
        for (reg, init) in &program.init {
            let value = match *init {
                RowInit::Constant(value) => [value; 32],
                RowInit::Shared(offset) => [BlockGroup::address(rank) + u64::from(offset); 32],
                RowInit::Local(offset) => [offset.into(); 32],
                RowInit::Param(offset, ty) => [param(params, offset, ty); 32],
                RowInit::ParamAddress(offset) => [PARAMETERS + u64::from(offset); 32],
                RowInit::Special(special) => special.lanes(&of_block, number),
            };
            regs.set_wide(program.placed[reg.number()], &value, LaneMask::ALL);
        }
        Self {
            rank,
            state: WarpState::Ready,
            stack: ReconvergenceStack::new(live),
            regs,
            local: Local::default(),
            live,
        }
    }

    /// The next instruction and the lanes that reach it. For a warp that waits, the barrier and the
    /// lanes at it (if they wait at several, one of them).
    #[inline]
    pub(super) fn next(&self) -> (Pc, LaneMask) {
        self.stack.top().unwrap_or_else(|| self.waiting())
    }

    /// The lanes that execute an instruction, given those that reach it.
    #[inline]
    pub(super) fn active(&self, inst: &Inst, lanes: LaneMask) -> LaneMask {
        match inst.guard {
            None => lanes,
            Some((reg, false)) => lanes.and(self.regs.pred(reg)),
            Some((reg, true)) => lanes.without(self.regs.pred(reg)),
        }
    }

    #[cold]
    fn waiting(&self) -> (Pc, LaneMask) {
        let waiting = self.stack.waits().next_back().map(|(pc, lanes, _)| (pc, lanes));
        let member = || self.stack.members().next_back().map(|(pc, lanes, _)| (pc, lanes));
        waiting.or_else(member).unwrap_or((Pc(0), LaneMask::NONE))
    }
}

/// Reads a value of the parameter block, sign- or zero-extended.
fn param(params: &[u8], offset: u32, ty: Type) -> u64 {
    let read = params.iter().skip(offset as usize).take(ty.bytes() as usize);
    alu::extend(read.rev().fold(0, |value, byte| value << 8 | u64::from(*byte)), ty)
}
