//! Bulk copies from shared memory, which read it until they are known to be complete: to global memory
//! when their thread has waited for them, to another block when they have landed there.

use crate::analysis::check::epoch::Thread;
use crate::analysis::check::finding::{AccessKind, FindingKind, MemoryAddress, Participant};
use crate::analysis::check::touch::{Act, Past, Touch};
use crate::analysis::check::{Checker, touches};
use crate::sim::in_flight::{AsyncTransfer, OtherEnd, TRANSFER_PIECE, TransferPiece};
use crate::sim::{Access, Direction, LaneMask, Machine, Pc, Route};
use ptx::{CopyGroup, Space};
use std::sync::Arc;

/// The bulk copies from shared memory that are in flight.
#[derive(Debug, Default)]
pub(in crate::analysis::check) struct BulkStores {
    flying: Vec<Store>,
    /// For each thread that has committed any: the number of its groups.
    committed: Vec<((usize, u8), u32)>,
}

#[derive(Debug)]
struct Store {
    warp: usize,
    pc: Pc,
    copy: Arc<AsyncTransfer>,
    /// The number of the group that it belongs to or will belong to.
    group: u32,
}

impl BulkStores {
    pub(in crate::analysis::check) fn start(&mut self) {
        self.flying.clear();
        self.committed.clear();
    }

    fn begin(&mut self, warp: usize, pc: Pc, copy: Arc<AsyncTransfer>) {
        let group = self.committed((warp, copy.lane));
        self.flying.push(Store { warp, pc, copy, group });
    }

    fn committed(&self, thread: (usize, u8)) -> u32 {
        let found = self.committed.iter().find(|(of, _)| *of == thread);
        found.map_or(0, |(_, groups)| *groups)
    }

    /// A thread executes a group operation; returns the copies that are no longer in flight.
    fn command(&mut self, thread: (usize, u8), command: CopyGroup) -> Vec<Store> {
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
    pub(in crate::analysis::check) fn land(&mut self, copy: &Arc<AsyncTransfer>) {
        self.flying.retain(|store| !Arc::ptr_eq(&store.copy, copy));
    }

    /// Finds a copy in flight that reads what a lane of `access` writes: the address, the lane, and
    /// the copy's warp, lane and instruction.
    fn met(&self, access: &Access) -> Option<(u64, usize, (usize, u8, Pc))> {
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
pub(in crate::analysis::check) fn accesses(
    copy: &AsyncTransfer,
) -> impl Iterator<Item = Access> + '_ {
    copy.pieces.chunks(32).map(|pieces| {
        let mut addrs = [0; 32];
        addrs.iter_mut().zip(pieces).for_each(|(addr, piece)| *addr = piece.shared.into());
        of_shared(copy.each, LaneMask::first(pieces.len() as u32), addrs)
    })
}

/// The shared memory of a copy, piece by piece, by the lane that started it.
pub(in crate::analysis::check) fn pieces(
    copy: &AsyncTransfer,
) -> impl Iterator<Item = Access> + '_ {
    copy.pieces
        .iter()
        .map(|piece| of_shared(copy.each, LaneMask(1 << copy.lane), [u64::from(piece.shared); 32]))
}

/// The shared memory that a copy reads, piece by piece, by the lane that started it.
pub(in crate::analysis::check) fn sources(
    copy: &AsyncTransfer,
) -> impl Iterator<Item = Access> + '_ {
    let from = |piece: &TransferPiece| match copy.other {
        OtherEnd::Shared => piece.other,
        OtherEnd::Global | OtherEnd::Registers => piece.shared.into(),
    };
    let active = LaneMask(1 << copy.lane);
    copy.pieces.iter().map(move |piece| of_shared(copy.each, active, [from(piece); 32]))
}

/// The global memory of a copy, word by word, by the lane that started it.
pub(in crate::analysis::check) fn words(
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

fn of_shared(bytes: u8, active: LaneMask, addrs: [u64; 32]) -> Access {
    let (space, direction, route) = (Space::Shared, Direction::Store, Route::Lanes);
    Access { space, direction, bytes, route, active, addrs }
}

pub(in crate::analysis::check) const fn act(
    warp: usize,
    pc: Pc,
    touch: Touch,
    access: &Access,
) -> Act<'_> {
    Act { warp, pc, touch, access, within: false, filled: false, values: None }
}

impl Checker {
    /// Lanes of a warp have started bulk copies.
    pub(in crate::analysis::check) fn transfers(
        &mut self,
        machine: &Machine,
        copies: &[Arc<AsyncTransfer>],
    ) {
        for copy in copies {
            match copy.mbarrier {
                Some(addr) => {
                    for access in words(copy, Direction::Load) {
                        if touches(&self.watched, &access) {
                            self.access(machine, &access, Touch::Load, None);
                        }
                    }
                    if copy.other == OtherEnd::Shared {
                        self.begin_to_read(machine, copy);
                    }
                    self.begin_bulk_load(machine, copy, addr);
                }
                None => self.begin_bulk_store(machine, copy),
            }
        }
    }

    /// A bulk copy to global memory begins.
    fn begin_bulk_store(&mut self, machine: &Machine, copy: &Arc<AsyncTransfer>) {
        self.begin_to_read(machine, copy);
        let (direction, touch) = match copy.reduces {
            Some(_) => (Direction::Atomic, Touch::Atomic),
            None => (Direction::Store, Touch::Store),
        };
        for access in words(copy, direction) {
            self.access(machine, &access, touch, None);
        }
    }

    /// A bulk copy from shared memory begins: it reads through the async proxy.
    fn begin_to_read(&mut self, machine: &Machine, copy: &Arc<AsyncTransfer>) {
        let step = machine.last();
        let (warp, pc) = (usize::from(step.warp), step.pc);
        let reader = Thread::new(warp, copy.lane.into());
        let (mut hits, mut unseen) = (Vec::new(), Vec::new());
        let (clock, proxy) = (&self.clock, &self.in_flight.proxy);
        let shown = |past: Past| {
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
            let copies = Past { thread: reader, epoch: 0, pc, touch: Touch::Copy };
            let sides = vec![self.side(past), self.side(copies)];
            self.add_found(FindingKind::MissingProxyFence, place, sides);
        }
        self.in_flight.stores.begin(warp, pc, Arc::clone(copy));
    }

    /// A group instruction of bulk copies: copies that are waited for have read until now.
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

    /// Shared memory is written: reports a bulk copy that still reads it.
    pub(in crate::analysis::check) fn overwrites_source_of_transfer(&mut self, act: &Act<'_>) {
        let Some((addr, lane, (warp, by, pc))) = self.in_flight.stores.met(act.access) else {
            return;
        };
        let thread = Thread::new(warp, by.into());
        let copy = self.side(Past { thread, epoch: 0, pc, touch: Touch::Copy });
        let (thread, epoch) = (Thread::new(act.warp, lane), self.clock.now());
        let mine = self.side(Past { thread, epoch, pc: act.pc, touch: act.touch });
        let mine = Participant { did: AccessKind::Store, ..mine };
        let place = Some(MemoryAddress { space: Space::Shared, addr });
        self.add_found(FindingKind::WriteDuringAsyncRead, place, vec![copy, mine]);
    }
}
