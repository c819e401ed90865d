//! `cp.async.bulk`: a copy to shared memory is read now and lands at a wait; a copy to global
//! memory is done at once.

use crate::sim::access::{Access, Direction, Route};
use crate::sim::exec::atomic::combined;
use crate::sim::exec::memory::address;
use crate::sim::exec_context::ExecContext;
use crate::sim::failed::{Failed, failed};
use crate::sim::in_flight::{
    AsyncEffect, AsyncFault, AsyncTransfer, MBARRIER_BYTES, OtherEnd, TRANSFER_PIECE, TransferPiece,
};
use crate::sim::mask::LaneMask;
use crate::sim::memory::{AddressError, Memory};
use crate::sim::program::Reg;
use crate::sim::reach::{Reach, check_shared};
use crate::sim::step::{Effect, Step};
use crate::sim::tensor_map::{TENSOR_MAP_BYTES, TensorMap};
use ptx::{Address, AtomicOp, Space, Type};
use ptx::{BulkCopy, BulkPlace, BulkWay, StoreAsync};
use std::sync::Arc;

/// The alignment of a box in shared memory (PTX ISA, "Tensor-maps": 128 bytes).
const BOX_ALIGN: u64 = 128;

/// Executes the copy of each active lane.
pub(super) fn execute(
    place: &mut ExecContext<'_>,
    step: &mut Step,
    copy: &BulkCopy<Reg>,
) -> Result<(), Failed> {
    let (warp, mut started) = (step.warp, Vec::new());
    for lane in step.active.lanes() {
        let other = match copy.way {
            BulkWay::Across { .. } => OtherEnd::Shared,
            BulkWay::Load { .. } | BulkWay::Store => OtherEnd::Global,
        };
        let new = |mbarrier, pieces| {
            let (lane, each, reduces) = (lane as u8, TRANSFER_PIECE as u8, copy.reduces);
            Arc::new(AsyncTransfer { warp, lane, mbarrier, each, other, reduces, pieces })
        };
        let (mbarrier, blocks) = match &copy.way {
            BulkWay::Load { mbarrier, blocks } => (mbarrier, *blocks),
            BulkWay::Across { mbarrier } => (mbarrier, None),
            BulkWay::Store => {
                let copy = new(None, pieces(place, copy, (Reach::Own, lane))?);
                store(place, &copy, lane)?;
                started.push(copy);
                continue;
            }
        };
        let mbarrier = mbarrier_at(place, mbarrier, lane)?;
        let receivers = receivers(place, blocks, lane)?;
        let mut pieces = pieces(place, copy, (Reach::Named, lane))?;
        let words = if other == OtherEnd::Shared {
            from_own(place, &mut pieces, lane)?
        } else {
            load(place.memory, &pieces, lane)?
        };
        let Some(receivers) = receivers else {
            let copy = new(Some(mbarrier), pieces);
            begin(place, (&copy, words), lane)?;
            started.push(copy);
            continue;
        };
        for rank in receivers {
            let there = |byte| place.seen().moved(byte, rank);
            let moved =
                |piece: &TransferPiece| TransferPiece { shared: there(piece.shared), ..*piece };
            let copy = new(Some(there(mbarrier)), pieces.iter().map(moved).collect());
            begin(place, (&copy, words.clone()), lane)?;
            started.push(copy);
        }
    }
    step.effect = Effect::Async(AsyncEffect::Transfers(started));
    Ok(())
}

/// Starts a copy to shared memory of these words, in the block of its mbarrier.
pub(super) fn begin(
    place: &mut ExecContext<'_>,
    (copy, words): (&Arc<AsyncTransfer>, Vec<[u32; 4]>),
    lane: usize,
) -> Result<(), Failed> {
    let rank_of = |byte: u32| place.blocks.of_shared(byte.into()).0;
    let mbarrier = copy.mbarrier.unwrap_or_default();
    let rank = rank_of(mbarrier);
    if copy.pieces.first().is_some_and(|piece| rank_of(piece.shared) != rank) {
        return Err((AsyncFault::MbarrierElsewhere.into(), Some(lane)));
    }
    if place.blocks.has_ended(rank) {
        return Err((AsyncFault::SharedOfEnded { rank }.into(), Some(lane)));
    }
    place
        .in_flight
        .mbarriers
        .state(place.shared, mbarrier)
        .map_err(|kind| (kind.into(), Some(lane)))?;
    place.in_flight.mbarriers.copies.begin(Arc::clone(copy), words, place.shared);
    Ok(())
}

/// The ranks of the blocks that receive a lane's multicast, or `None` if it is none.
fn receivers(
    place: &ExecContext<'_>,
    blocks: Option<Reg>,
    lane: usize,
) -> Result<Option<Vec<u32>>, Failed> {
    let Some(blocks) = blocks else { return Ok(None) };
    let (set, all) = (place.warp.regs.wide(blocks)[lane] & 0xffff, place.blocks.count());
    if set >> all != 0 || set == 0 {
        return Err((
            AsyncFault::ClusterBlocks { set: set as u32, blocks: all }.into(),
            Some(lane),
        ));
    }
    Ok(Some((0..all).filter(|rank| set >> rank & 1 == 1).collect()))
}

/// The byte of the machine's shared memory at the mbarrier that a lane's copy signals.
pub(super) fn mbarrier_at(
    place: &ExecContext<'_>,
    mbarrier: &Address<Reg>,
    lane: usize,
) -> Result<u32, Failed> {
    let mbarrier =
        reached(place, lane_address(place, mbarrier, lane), MBARRIER_BYTES, (Reach::Named, lane))?;
    let told = place.in_flight.mbarriers.state(place.shared, mbarrier);
    told.map(|_| mbarrier).map_err(|kind| (kind.into(), Some(lane)))
}

/// The byte of the machine's shared memory at an address.
pub(super) fn reached(
    place: &ExecContext<'_>,
    addr: u64,
    bytes: u8,
    (reach, lane): (Reach, usize),
) -> Result<u32, Failed> {
    let mut access = Access { active: LaneMask(1 << lane), ..shared_access(bytes) };
    access.addrs[lane] = addr;
    if place.blocks.is_single() {
        check_shared(place.seen().room(), &access, lane, addr)?;
    } else {
        place.seen().locate(&mut access, reach)?;
    }
    Ok(access.addrs[lane] as u32)
}

/// The pieces of a lane's copy.
fn pieces(
    place: &ExecContext<'_>,
    copy: &BulkCopy<Reg>,
    (reach, lane): (Reach, usize),
) -> Result<Vec<TransferPiece>, Failed> {
    let mut shared = lane_address(place, &copy.shared, lane);
    if !place.blocks.is_single() {
        shared = reached(place, shared, TRANSFER_PIECE as u8, (reach, lane))?.into();
    }
    let start = place.blocks.start(place.blocks.of_shared(shared).0) as u32;
    let value = |reg: Reg| place.warp.regs.wide(reg)[lane];
    let pieces = match &copy.other {
        BulkPlace::Bytes { addr, size } => {
            let (global, size) = (lane_address(place, addr, lane), value(*size) as u32);
            if size % TRANSFER_PIECE != 0 {
                return Err((AsyncFault::BulkSize(size).into(), Some(lane)));
            }
            aligned(shared, TRANSFER_PIECE.into(), lane)?;
            let piece = |number: u32| TransferPiece {
                shared: (shared as u32).wrapping_add(number * TRANSFER_PIECE),
                other: global + u64::from(number * TRANSFER_PIECE),
                inside: [0, TRANSFER_PIECE as u8],
            };
            (0..size / TRANSFER_PIECE).map(piece).collect()
        }
        BulkPlace::Box { map, at } => {
            let map = tensor_map(place, lane_address(place, map, lane), lane)?;
            if map.extents.len() != at.len() {
                let kind = AsyncFault::TensorRank(map.extents.len(), at.len());
                return Err((kind.into(), Some(lane)));
            }
            aligned(shared, BOX_ALIGN, lane)?;
            let at: Vec<_> = at.iter().map(|reg| value(*reg) as i32).collect();
            map.pieces(shared as u32, &at)
        }
    };
    let (room, access) = (place.seen().room(), shared_access(TRANSFER_PIECE as u8));
    let inside = |piece: &TransferPiece| {
        check_shared(room, &access, lane, piece.shared.wrapping_sub(start).into())
    };
    pieces.iter().try_for_each(inside)?;
    Ok(pieces)
}

fn aligned(shared: u64, to: u64, lane: usize) -> Result<(), Failed> {
    if shared.is_multiple_of(to) {
        Ok(())
    } else {
        Err((AsyncFault::BulkAlignment { addr: shared, to }.into(), Some(lane)))
    }
}

/// Reads a tensor map at a generic address.
fn tensor_map(place: &ExecContext<'_>, addr: u64, lane: usize) -> Result<TensorMap, Failed> {
    let none = (AsyncFault::NoTensorMap(addr).into(), Some(lane));
    let memory = &*place.memory;
    let Some(index) = memory.holding(addr) else { return Err(none) };
    let buffer = memory.buffer(index);
    let (first, left) = (addr - buffer.base, buffer.bytes - (addr - buffer.base));
    if left < TENSOR_MAP_BYTES as u64 || first % 4 != 0 {
        return Err(none);
    }
    let words = std::array::from_fn(|word| buffer.load(first / 4 + word as u64));
    TensorMap::decode(&words).ok_or(none)
}

/// Reads what a copy brings; what lies outside its tensor is zero.
fn load(memory: &Memory, pieces: &[TransferPiece], lane: usize) -> Result<Vec<[u32; 4]>, Failed> {
    let mut hint = 0;
    let read = |piece: &TransferPiece| {
        let mut words = [0; 4];
        let (index, first) = find(memory, (piece, hint), Direction::Load, lane)?;
        hint = index;
        for byte in piece.inside[0]..piece.inside[1] {
            let from = first.wrapping_add(byte.into());
            let value = memory.buffer(index).load(from / 4) >> (8 * (from % 4)) & 0xff;
            words[usize::from(byte / 4)] |= value << (8 * (byte % 4));
        }
        Ok(words)
    };
    pieces.iter().map(read).collect()
}

/// Reads what a copy brings from the block's own shared memory, and replaces the kernel's addresses of
/// its sources by bytes of the machine's.
fn from_own(
    place: &ExecContext<'_>,
    pieces: &mut [TransferPiece],
    lane: usize,
) -> Result<Vec<[u32; 4]>, Failed> {
    let mut read = |piece: &mut TransferPiece| {
        let from = reached(place, piece.other, TRANSFER_PIECE as u8, (Reach::Own, lane))?;
        piece.other = from.into();
        let first = from as usize / 4;
        Ok(std::array::from_fn(|word| place.shared[first + word]))
    };
    pieces.iter_mut().map(&mut read).collect()
}

/// Writes what a copy takes from shared memory.
fn store(place: &mut ExecContext<'_>, copy: &AsyncTransfer, lane: usize) -> Result<(), Failed> {
    let mut hint = 0;
    if let Some(how) = copy.reduces {
        return reduce(place, (how, copy), lane);
    }
    for piece in &copy.pieces {
        let (index, first) = find(place.memory, (piece, hint), Direction::Store, lane)?;
        hint = index;
        for byte in piece.inside[0]..piece.inside[1] {
            let (from, to) = (piece.shared + u32::from(byte), first.wrapping_add(byte.into()));
            let value = place.shared[from as usize / 4] >> (8 * (from % 4)) & 0xff;
            let shift = 8 * (to % 4);
            let buffer = place.memory.buffer_mut(index);
            let word = buffer.kept(to / 4) & !(0xff << shift) | value << shift;
            buffer.store(to / 4, word);
        }
    }
    Ok(())
}

/// Combines what a copy takes from shared memory with what lies in global memory.
fn reduce(
    place: &mut ExecContext<'_>,
    (how, copy): ((AtomicOp, Type), &AsyncTransfer),
    lane: usize,
) -> Result<(), Failed> {
    let mut hint = 0;
    for piece in &copy.pieces {
        let (index, first) = find(place.memory, (piece, hint), Direction::Atomic, lane)?;
        hint = index;
        let each = if how.1.bits() == 64 { 2 } else { 1 };
        for (from, to) in (piece.shared as usize / 4..).zip(first / 4..).take(4).step_by(each) {
            if each == 2 {
                let value = u64::from(place.shared[from + 1]) << 32 | u64::from(place.shared[from]);
                place.memory.update_wide(index, to, |[old]| [combined(how, old, value)]);
            } else {
                let value = place.shared[from].into();
                let sum = |old: u32| combined(how, old.into(), value) as u32;
                place.memory.buffer_mut(index).update(to, sum);
            }
        }
    }
    Ok(())
}

/// The buffer that holds the part of a piece that lies inside its tensor, and the offset of the
/// piece's first byte.
fn find(
    memory: &Memory,
    (piece, hint): (&TransferPiece, usize),
    direction: Direction,
    lane: usize,
) -> Result<(usize, u64), Failed> {
    let [start, end] = piece.inside;
    if start >= end {
        return Ok((hint, 0));
    }
    let wrong = |wrong: AddressError| {
        let (space, route) = (Space::Global, Route::Lanes);
        let (bytes, active) = (end - start, LaneMask::NONE);
        let access = Access { space, direction, bytes, route, active, addrs: [0; 32] };
        failed(wrong, &access, lane)
    };
    let at = piece.other.wrapping_add(start.into());
    let (index, first) = memory.find(at, 1, hint).map_err(wrong)?;
    let last = piece.other.wrapping_add(u64::from(end) - 1);
    memory.find(last, 1, index).map_err(wrong)?;
    Ok((index, first.wrapping_sub(start.into())))
}

pub(super) fn lane_address(place: &ExecContext<'_>, addr: &Address<Reg>, lane: usize) -> u64 {
    let mut addrs = [0; 32];
    address(&place.warp.regs, addr, &mut addrs);
    addrs[lane]
}

/// An access to shared memory as a fault names it.
const fn shared_access(bytes: u8) -> Access {
    let (space, direction, route) = (Space::Shared, Direction::Store, Route::Lanes);
    let active = LaneMask::NONE;
    Access { space, direction, bytes, route, active, addrs: [0; 32] }
}

/// Starts the store of each active lane.
pub(super) fn store_async(
    place: &mut ExecContext<'_>,
    step: &mut Step,
    store: &StoreAsync<Reg>,
) -> Result<(), Failed> {
    let each = (store.ty.bytes() as usize * store.src.len()) as u8;
    let mut started = Vec::new();
    for lane in step.active.lanes() {
        let mbarrier = Some(mbarrier_at(place, &store.mbarrier, lane)?);
        let addr = lane_address(place, &store.addr, lane);
        let shared = reached(place, addr, each, (Reach::Named, lane))?;
        let pieces = vec![TransferPiece { shared, other: 0, inside: [0, 0] }];
        let copy = Arc::new(AsyncTransfer {
            warp: step.warp,
            lane: lane as u8,
            mbarrier,
            each,
            other: OtherEnd::Registers,
            reduces: store.reduces.map(|op| (op, store.ty)),
            pieces,
        });
        let words = words_stored(place, store, lane);
        begin(place, (&copy, vec![words]), lane)?;
        started.push(copy);
    }
    step.effect = Effect::Async(AsyncEffect::Transfers(started));
    Ok(())
}

fn words_stored(place: &ExecContext<'_>, store: &StoreAsync<Reg>, lane: usize) -> [u32; 4] {
    let mut words = [0; 4];
    let each = store.ty.bytes() as usize / 4;
    for (element, reg) in store.src.iter().enumerate() {
        let value = place.warp.regs.wide(*reg)[lane];
        for half in 0..each {
            words[element * each + half] = (value >> (32 * half)) as u32;
        }
    }
    words
}
