//! Past accesses as the participants of findings.

use super::finding::{AccessKind, Participant};
use super::touch::{PastAccess, Touch};
use crate::sim::{BlockGroup, Direction, LaneMask, Program};
use ptx::{MatrixOp, MemoryOp, Op};

impl PastAccess {
    pub(super) fn side(self, blocks: &BlockGroup, program: &Program) -> Participant {
        let op = &program.inst(self.pc).op;
        let together = matches!(op, Op::Matrix(MatrixOp::Wgmma(_)));
        let warp = self.thread.warp() as u16;
        Participant {
            block: blocks.block_of(warp),
            rank: blocks.rank_among(warp),
            warp: blocks.within_block(warp),
            lanes: if together { LaneMask::ALL } else { LaneMask(1 << self.thread.lane()) },
            pc: self.pc,
            line: program.inst(self.pc).line,
            file: program.inst(self.pc).file,
            did: match self.touch {
                _ if together => AccessKind::Multiply,
                _ if op.is_async_transfer() => AccessKind::Copy,
                // An atomic that is atomic only within its block touches memory as a store does.
                _ if matches!(op, Op::Memory(MemoryOp::Atom { .. })) => AccessKind::Atomic,
                Touch::Load => AccessKind::Load,
                Touch::Store => AccessKind::Store,
                Touch::Atomic => AccessKind::Atomic,
                Touch::Copy => AccessKind::Copy,
            },
        }
    }
}

impl Touch {
    pub(super) fn of(direction: Direction) -> Self {
        match direction {
            Direction::Load => Self::Load,
            Direction::Store => Self::Store,
            Direction::Atomic => Self::Atomic,
        }
    }
}

impl AccessKind {
    pub(super) fn of(direction: Direction) -> Self {
        match direction {
            Direction::Load => Self::Load,
            Direction::Store => Self::Store,
            Direction::Atomic => Self::Atomic,
        }
    }
}
