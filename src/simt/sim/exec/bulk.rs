//! `cp.async.bulk`: a copy to shared memory is read now and lands at a wait; a copy to global
//! memory is done at once.

use super::failed::{Failed, failed};
use super::memory::address;
use super::reach::{Reach, check_shared};
use crate::ptx::{Address, BulkCopy, BulkPlace, BulkWay, Space};
use crate::sim::bulk::{BULK_PIECE, BulkPiece, BulkStarted};
use crate::sim::exec_context::ExecContext;
use crate::sim::fault::FaultKind;
use crate::sim::mask::LaneMask;
use crate::sim::mbarrier::BYTES;
use crate::sim::memory::{AddressError, Memory};
use crate::sim::program::Reg;
use crate::sim::step::{Access, Direction, Effect, Route, Step};
use crate::sim::tensor_map::{TENSOR_MAP_BYTES, TensorMap};
use std::sync::Arc;

/// The alignment of a box in shared memory (PTX ISA, "Tensor-maps": 128 bytes).
const BOX_ALIGN: u64 = 128;

/// Executes the copy of each active lane.
pub(super) fn execute(
    place: &mut ExecContext<'_>,
    step: &mut Step,
    copy: &BulkCopy<Reg>,
) -> Result<(), Failed> {
    let mut started = Vec::new();
    for lane in step.active.lanes() {
        let new = |mbarrier, pieces| {
            let each = BULK_PIECE as u8;
            Arc::new(BulkStarted { lane: lane as u8, mbarrier, each, pieces })
        };
        let BulkWay::Load { mbarrier, blocks } = &copy.way else {
            let copy = new(None, pieces(place, copy, (Reach::Own, lane))?);
            store(place, &copy, lane)?;
            started.push(copy);
            continue;
        };
        let mbarrier = mbarrier_at(place, mbarrier, lane)?;
        let receivers = receivers(place, *blocks, lane)?;
        let pieces = pieces(place, copy, (Reach::Named, lane))?;
        let words = load(place.memory, &pieces, lane)?;
        let Some(receivers) = receivers else {
            let copy = new(Some(mbarrier), pieces);
            begin(place, (&copy, words), lane)?;
            started.push(copy);
            continue;
        };
        for rank in receivers {
            let there = |byte| place.seen().moved(byte, rank);
            let moved = |piece: &BulkPiece| BulkPiece { shared: there(piece.shared), ..*piece };
            let copy = new(Some(there(mbarrier)), pieces.iter().map(moved).collect());
            begin(place, (&copy, words.clone()), lane)?;
            started.push(copy);
        }
    }
    step.effect = Effect::Bulk(started);
    Ok(())
}

/// Starts a copy to shared memory of these words, in the block of its mbarrier.
pub(super) fn begin(
    place: &mut ExecContext<'_>,
    (copy, words): (&Arc<BulkStarted>, Vec<[u32; 4]>),
    lane: usize,
) -> Result<(), Failed> {
    let rank_of = |byte: u32| place.cluster.of_shared(byte.into()).0;
    let mbarrier = copy.mbarrier.unwrap_or_default();
    let rank = rank_of(mbarrier);
    if copy.pieces.first().is_some_and(|piece| rank_of(piece.shared) != rank) {
        return Err((FaultKind::MbarrierElsewhere, Some(lane)));
    }
    if place.cluster.has_ended(rank) {
        return Err((FaultKind::SharedOfEnded { rank }, Some(lane)));
    }
    place.mbarriers.state(place.shared, mbarrier).map_err(|kind| (kind, Some(lane)))?;
    place.mbarriers.copies.begin(Arc::clone(copy), words, place.shared);
    Ok(())
}

/// The ranks of the blocks that receive a lane's multicast, or `None` if it is none.
fn receivers(
    place: &ExecContext<'_>,
    blocks: Option<Reg>,
    lane: usize,
) -> Result<Option<Vec<u32>>, Failed> {
    let Some(blocks) = blocks else { return Ok(None) };
    let (set, all) = (place.warp.regs.wide(blocks)[lane] & 0xffff, place.cluster.blocks());
    if set >> all != 0 || set == 0 {
        return Err((FaultKind::ClusterBlocks { set: set as u32, blocks: all }, Some(lane)));
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
        reached(place, lane_address(place, mbarrier, lane), BYTES, (Reach::Named, lane))?;
    let told = place.mbarriers.state(place.shared, mbarrier);
    told.map(|_| mbarrier).map_err(|kind| (kind, Some(lane)))
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
    if place.cluster.is_single() {
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
) -> Result<Vec<BulkPiece>, Failed> {
    let mut shared = lane_address(place, &copy.shared, lane);
    if !place.cluster.is_single() {
        shared = reached(place, shared, BULK_PIECE as u8, (reach, lane))?.into();
    }
    let start = place.cluster.start(place.cluster.of_shared(shared).0) as u32;
    let value = |reg: Reg| place.warp.regs.wide(reg)[lane];
    let pieces = match &copy.global {
        BulkPlace::Bytes { addr, size } => {
            let (global, size) = (lane_address(place, addr, lane), value(*size) as u32);
            if size % BULK_PIECE != 0 {
                return Err((FaultKind::BulkSize(size), Some(lane)));
            }
            aligned(shared, BULK_PIECE.into(), lane)?;
            let piece = |number: u32| BulkPiece {
                shared: (shared as u32).wrapping_add(number * BULK_PIECE),
                global: global + u64::from(number * BULK_PIECE),
                inside: [0, BULK_PIECE as u8],
            };
            (0..size / BULK_PIECE).map(piece).collect()
        }
        BulkPlace::Box { map, at } => {
            let map = tensor_map(place, lane_address(place, map, lane), lane)?;
            if map.extents.len() != at.len() {
                let kind = FaultKind::TensorRank(map.extents.len(), at.len());
                return Err((kind, Some(lane)));
            }
            aligned(shared, BOX_ALIGN, lane)?;
            let at: Vec<_> = at.iter().map(|reg| value(*reg) as i32).collect();
            map.pieces(shared as u32, &at)
        }
    };
    let (room, access) = (place.seen().room(), shared_access(BULK_PIECE as u8));
    let inside = |piece: &BulkPiece| {
        check_shared(room, &access, lane, piece.shared.wrapping_sub(start).into())
    };
    pieces.iter().try_for_each(inside)?;
    Ok(pieces)
}

fn aligned(shared: u64, to: u64, lane: usize) -> Result<(), Failed> {
    if shared.is_multiple_of(to) {
        Ok(())
    } else {
        Err((FaultKind::BulkAlignment { addr: shared, to }, Some(lane)))
    }
}

/// Reads a tensor map at a generic address.
fn tensor_map(place: &ExecContext<'_>, addr: u64, lane: usize) -> Result<TensorMap, Failed> {
    let none = (FaultKind::NoTensorMap(addr), Some(lane));
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
fn load(memory: &Memory, pieces: &[BulkPiece], lane: usize) -> Result<Vec<[u32; 4]>, Failed> {
    let mut hint = 0;
    let read = |piece: &BulkPiece| {
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

/// Writes what a copy takes from shared memory.
fn store(place: &mut ExecContext<'_>, copy: &BulkStarted, lane: usize) -> Result<(), Failed> {
    let mut hint = 0;
    for piece in &copy.pieces {
        let (index, first) = find(place.memory, (piece, hint), Direction::Store, lane)?;
        hint = index;
        for byte in piece.inside[0]..piece.inside[1] {
            let (from, to) = (piece.shared + u32::from(byte), first.wrapping_add(byte.into()));
            let value = place.shared[from as usize / 4] >> (8 * (from % 4)) & 0xff;
            let shift = 8 * (to % 4);
            let buffer = place.memory.buffer_mut(index);
            let word = buffer.load(to / 4) & !(0xff << shift) | value << shift;
            buffer.store(to / 4, word);
        }
    }
    Ok(())
}

/// The buffer that holds the part of a piece that lies inside its tensor, and the offset of the
/// piece's first byte.
fn find(
    memory: &Memory,
    (piece, hint): (&BulkPiece, usize),
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
    let at = piece.global.wrapping_add(start.into());
    let (index, first) = memory.find(at, 1, hint).map_err(wrong)?;
    let last = piece.global.wrapping_add(u64::from(end) - 1);
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
