//! No warp can issue: all have exited, or the rest wait for ever.

use super::Machine;
use crate::launch::{Launch, MAX_THREADS_PER_BLOCK};
use crate::sim::access::Pc;
use crate::sim::barrier::Wait;
use crate::sim::block_group::WARPS;
use crate::sim::fault::{Deadlock, Fault, FaultKind, StalledLanes};
use crate::sim::in_flight::AsyncFault;
use crate::sim::mask::LaneMask;
use crate::sim::program::Program;
use crate::sim::step::Step;
use crate::sim::warp::Warp;

impl Machine {
    /// Why no GPU, or no machine, would run the blocks of a launch.
    pub(super) fn refused(launch: Launch, program: &Program) -> Option<FaultKind> {
        let threads = launch.block.volume();
        if threads > u64::from(MAX_THREADS_PER_BLOCK) || launch.warps() == 0 {
            return Some(FaultKind::BlockSize(threads));
        }
        program.fits(launch).err().map(|unfit| AsyncFault::Unfit(unfit).into())
    }

    /// No warp can issue: the blocks have finished, are deadlocked, or have an impossible size.
    #[cold]
    pub(super) fn idle(&self) -> Result<Option<&Step>, Fault> {
        if let Some(kind) = Self::refused(self.launch, &self.program) {
            let block = self.block();
            return Err(Fault { kind, block, warp: 0, lane: None, pc: Pc(0), line: None });
        }
        let standing = self.standing();
        let Some(&StalledLanes { rank, warp, pc, line, .. }) = standing.first() else {
            return self.apart().map_or(Ok(None), Err);
        };
        let left: u32 = self.warps.iter().map(|warp| warp.live.count()).sum();
        let ended = self.launch.threads() * self.blocks.count() - left;
        let kind = FaultKind::Deadlock(Box::new(Deadlock { standing, ended }));
        let block = self.blocks.place(rank.unwrap_or(0));
        Err(Fault { kind, block, warp, lane: None, pc, line })
    }

    /// A fault of a warp at an instruction.
    #[cold]
    pub(super) fn fault(&self, kind: FaultKind, (warp, lane, pc): (u16, Option<u8>, Pc)) -> Fault {
        let (kind, line) = (kind.within(&self.blocks), self.program.inst(pc).line);
        let (block, warp) = (self.blocks.block_of(warp), self.blocks.within_block(warp));
        Fault { kind, block, warp, lane, pc, line }
    }

    /// The fault of a warp that exited without executing what others of its warpgroup executed.
    fn apart(&self) -> Option<Fault> {
        let (group, (here, pc, missing)) = self.in_flight.apart()?;
        let (rank, group) = self.blocks.warpgroup(group);
        let warp = |turn: usize| (group * WARPS + turn) as u16;
        let kind = AsyncFault::WarpgroupDiverged(warp(missing)).into();
        let (block, line) = (self.blocks.place(rank), self.program.inst(pc).line);
        Some(Fault { kind, block, warp: warp(here), lane: None, pc, line })
    }

    /// All waiting lanes, with the barrier or the lanes for which they wait.
    fn standing(&self) -> Vec<StalledLanes> {
        let of = |(number, warp): (u16, &Warp)| {
            let at = |pc: Pc, lanes: LaneMask| StalledLanes {
                rank: (!self.blocks.is_single()).then_some(warp.rank),
                warp: self.blocks.within_block(number),
                lanes,
                id: 0,
                threads: None,
                members: None,
                awaited: None,
                pc,
                line: self.program.inst(pc).line,
            };
            let waits = warp.stack.waits().map(|(pc, lanes, wait): (Pc, LaneMask, Wait)| {
                let Wait { id, threads, .. } = wait;
                StalledLanes { id, threads, ..at(pc, lanes) }
            });
            let members = warp.stack.members();
            let members = members
                .map(|(pc, lanes, all)| StalledLanes { members: Some(all), ..at(pc, lanes) });
            let suspended = warp.stack.moving().filter_map(|(pc, lanes)| {
                let awaited = self.blocked_on(number.into(), pc, lanes)?.within(&self.blocks);
                Some(StalledLanes { awaited: Some(awaited), ..at(pc, lanes) })
            });
            let mut found: Vec<_> = waits.chain(members).chain(suspended).collect();
            found.sort_by_key(|at| at.lanes.0.trailing_zeros());
            found
        };
        (0..).zip(&self.warps).flat_map(of).collect()
    }
}
