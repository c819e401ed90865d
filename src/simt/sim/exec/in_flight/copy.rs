//! `cp.async`: the source is read now; the destination is written when the copy is waited for.

use crate::sim::access::{Access, Direction, Route};
use crate::sim::exec::memory::address;
use crate::sim::exec_context::ExecContext;
use crate::sim::failed::{Failed, failed};
use crate::sim::in_flight::{AsyncEffect, AsyncFault, MAX_COPIES};
use crate::sim::mask::LaneMask;
use crate::sim::memory::{AddressError, Memory};
use crate::sim::program::Reg;
use crate::sim::reach::{Reach, SharedView, check_shared};
use crate::sim::regs::Regs;
use crate::sim::step::{Effect, Step};
use ptx::{Address, CopyGroup, CopyPart, Space};

/// `cp.async [dst], [src], bytes{, size}`: reads only a part of each lane's bytes and fills the rest
/// with zeros.
pub(super) fn begin(
    place: &mut ExecContext<'_>,
    step: &mut Step,
    (bytes, past_l1): (u8, bool),
    [dst, src]: [&Address<Reg>; 2],
    part: &CopyPart<Reg>,
) -> Result<(), Failed> {
    let number = usize::from(step.warp);
    let ExecContext { warp, shared, memory, blocks, in_flight, .. } = place;
    let sizes = sizes(&warp.regs, part, bytes.into());
    let reads: LaneMask = step.active.lanes().filter(|lane| sizes[*lane] > 0).collect();
    let route = match (past_l1, part) {
        (true, CopyPart::All) => Route::CopyGlobal,
        (true, CopyPart::First(_) | CopyPart::Unless { .. }) => Route::CopyGlobalSized,
        (false, _) => Route::CopyAll,
    };
    let access = |space, direction, active, addr| {
        let mut addrs = [0; 32];
        address(&warp.regs, addr, &mut addrs);
        Access { space, direction, bytes, route, active, addrs }
    };
    let from = access(Space::Global, Direction::Load, reads, src);
    let mut into = access(Space::Shared, Direction::Store, step.active, dst);
    let seen = SharedView { blocks, rank: warp.rank };
    if blocks.is_single() {
        into.touched().try_for_each(|(lane, addr)| check_shared(seen.room(), &into, lane, addr))?;
    } else {
        seen.locate(&mut into, Reach::Own)?;
    }
    let mut words = vec![[0; 32]; usize::from(bytes) / 4];
    for (lane, addr) in from.touched() {
        let read = read(memory, addr, sizes[lane], bytes.into());
        let read = read.map_err(|wrong| failed(wrong, &from, lane))?;
        words.iter_mut().zip(read).for_each(|(row, word)| row[lane] = word);
    }
    if !step.active.is_empty() && !in_flight.warps[number].copies.begin(into.clone(), words, shared)
    {
        return Err((AsyncFault::TooManyCopies(MAX_COPIES).into(), None));
    }
    step.effect = Effect::Async(AsyncEffect::Copy(Box::new([from, into])));
    Ok(())
}

/// The number of bytes that each lane reads, of at most `bytes`.
fn sizes(regs: &Regs, part: &CopyPart<Reg>, bytes: u64) -> [u64; 32] {
    match part {
        CopyPart::All => [bytes; 32],
        CopyPart::First(size) => regs.wide(*size).map(|size| size.min(bytes)),
        CopyPart::Unless { pred, negated } => {
            let ignored = regs.pred(*pred);
            std::array::from_fn(|lane| if ignored.has(lane) == *negated { bytes } else { 0 })
        }
    }
}

/// Executes a group instruction; the stores that land are the step's effect.
pub(super) fn group(place: &mut ExecContext<'_>, step: &mut Step, command: CopyGroup) {
    let landed = place.in_flight.warps[usize::from(step.warp)].copies.command(
        command,
        step.active,
        place.shared,
    );
    if !landed.is_empty() {
        step.effect = Effect::Async(AsyncEffect::Landed(landed));
    }
}

/// Reads the words of `bytes` bytes at `addr`; only the first `size` bytes are read from memory.
fn read(memory: &Memory, addr: u64, size: u64, bytes: u32) -> Result<[u32; 4], AddressError> {
    if addr & u64::from(bytes - 1) != 0 {
        memory.find(addr, bytes, 0)?;
    }
    let (index, first) = memory.find(addr, 1, 0)?;
    memory.find(addr + size - 1, 1, index)?;
    let buffer = memory.buffer(index);
    Ok(std::array::from_fn(|word| {
        let left = size.saturating_sub(4 * word as u64);
        let ones = if left < 4 { (1 << (8 * left)) - 1 } else { u32::MAX };
        if left == 0 { 0 } else { buffer.load(first / 4 + word as u64) & ones }
    }))
}
