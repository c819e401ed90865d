//! Transfers from shared memory, which read it until they are known to be complete: to global memory
//! when their thread has waited for them, to another block when they have landed there.

use crate::analysis::check::touch::{Touch, WarpAccess};
use crate::sim::in_flight::{AsyncTransfer, OtherEnd, TRANSFER_PIECE, TransferPiece};
use crate::sim::{Access, Direction, LaneMask, Pc, Route};
use ptx::{CopyGroup, Space};
use std::sync::Arc;

/// The transfers from shared memory that are in flight.
#[derive(Debug, Default)]
pub(super) struct OutgoingTransfers {
    pub(super) flying: Vec<Store>,
    /// For each thread that has committed any: the number of its groups.
    pub(super) committed: Vec<((usize, u8), u32)>,
}

#[derive(Debug)]
pub(super) struct Store {
    pub(super) warp: usize,
    pub(super) pc: Pc,
    pub(super) copy: Arc<AsyncTransfer>,
    /// The number of the group that it belongs to or will belong to.
    pub(super) group: u32,
}

impl OutgoingTransfers {
    pub(super) fn start(&mut self) {
        self.flying.clear();
        self.committed.clear();
    }

    pub(super) fn begin(&mut self, warp: usize, pc: Pc, copy: Arc<AsyncTransfer>) {
        let group = self.committed((warp, copy.lane));
        self.flying.push(Store { warp, pc, copy, group });
    }

    pub(super) fn committed(&self, thread: (usize, u8)) -> u32 {
        let found = self.committed.iter().find(|(of, _)| *of == thread);
        found.map_or(0, |(_, groups)| *groups)
    }

    /// A thread executes a group operation; returns the copies that are no longer in flight.
    pub(super) fn command(&mut self, thread: (usize, u8), command: CopyGroup) -> Vec<Store> {
        let committed = self.committed(thread);
        let left = match command {
            CopyGroup::Commit => {
                self.committed.retain(|(of, _)| *of != thread);
                self.committed.push((thread, committed + 1));
                return Vec::new();
            }
            CopyGroup::WaitAllBut(left) => left,
            CopyGroup::WaitAll => 0,
        };
        let due = |store: &mut Store| {
            (store.warp, store.copy.lane) == thread && store.group < committed.saturating_sub(left)
        };
        self.flying.extract_if(.., due).collect()
    }

    /// A copy to another block has landed.
    pub(super) fn land(&mut self, copy: &Arc<AsyncTransfer>) {
        self.flying.retain(|store| !Arc::ptr_eq(&store.copy, copy));
    }

    /// Finds a copy in flight that reads what a lane of `access` writes: the address, the lane, and
    /// the copy's warp, lane and instruction.
    pub(super) fn met(&self, access: &Access) -> Option<(u64, usize, (usize, u8, Pc))> {
        access.touched().find_map(|(lane, addr)| {
            let meets = |from: u64| {
                addr < from + u64::from(TRANSFER_PIECE) && from < addr + u64::from(access.bytes)
            };
            self.flying.iter().find_map(|store| {
                let mut froms = sources(&store.copy).map(|source| source.addrs[0]);
                let from = froms.find(|from| meets(*from))?;
                Some((addr.max(from), lane, (store.warp, store.copy.lane, store.pc)))
            })
        })
    }
}

/// The shared memory of a copy, 32 pieces at a time, by no particular lanes.
pub(super) fn accesses(copy: &AsyncTransfer) -> impl Iterator<Item = Access> + '_ {
    copy.pieces.chunks(32).map(|pieces| {
        let mut addrs = [0; 32];
        addrs.iter_mut().zip(pieces).for_each(|(addr, piece)| *addr = piece.shared.into());
        of_shared(copy.each, LaneMask::first(pieces.len() as u32), addrs)
    })
}

/// The shared memory of a copy, piece by piece, by the lane that started it.
pub(super) fn pieces(copy: &AsyncTransfer) -> impl Iterator<Item = Access> + '_ {
    copy.pieces
        .iter()
        .map(|piece| of_shared(copy.each, LaneMask(1 << copy.lane), [u64::from(piece.shared); 32]))
}

/// The shared memory that a copy reads, piece by piece, by the lane that started it.
pub(super) fn sources(copy: &AsyncTransfer) -> impl Iterator<Item = Access> + '_ {
    let from = |piece: &TransferPiece| match copy.other {
        OtherEnd::Shared => piece.other,
        OtherEnd::Global | OtherEnd::Registers => piece.shared.into(),
    };
    let active = LaneMask(1 << copy.lane);
    copy.pieces.iter().map(move |piece| of_shared(copy.each, active, [from(piece); 32]))
}

/// The global memory of a copy, word by word, by the lane that started it.
pub(super) fn words(
    copy: &AsyncTransfer,
    direction: Direction,
) -> impl Iterator<Item = Access> + '_ {
    let active = LaneMask(1 << copy.lane);
    let is_global = copy.other == OtherEnd::Global;
    let pieces = copy.pieces.iter().filter(move |_| is_global);
    let inside = |piece: &TransferPiece| {
        let [start, end] = piece.inside;
        (start..end).step_by(4).map({
            let global = piece.other;
            move |byte| (global.wrapping_add(byte.into()), (end - byte).min(4))
        })
    };
    pieces.flat_map(inside).map(move |(addr, bytes)| {
        let (space, route) = (Space::Global, Route::Lanes);
        Access { space, direction, bytes, route, active, addrs: [addr; 32] }
    })
}

pub(super) fn of_shared(bytes: u8, active: LaneMask, addrs: [u64; 32]) -> Access {
    let (space, direction, route) = (Space::Shared, Direction::Store, Route::Lanes);
    Access { space, direction, bytes, route, active, addrs }
}

pub(super) const fn act(warp: usize, pc: Pc, touch: Touch, access: &Access) -> WarpAccess<'_> {
    WarpAccess { warp, pc, touch, access, within: false, filled: false, values: None }
}
