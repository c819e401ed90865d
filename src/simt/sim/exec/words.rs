//! Reads and writes the words of each lane at the addresses of an access.

use super::local;
use super::memory::{Located, locate, word};
use crate::sim::access::Access;
use crate::sim::exec_context::ExecContext;
use crate::sim::failed::Failed;
use crate::sim::memory::Allocation;

/// Reads the words of an access, the lowest address of each lane first; inactive lanes get 0. Of
/// fewer than four bytes it makes one word.
pub(super) fn read(place: &ExecContext<'_>, access: &mut Access) -> Result<Vec<[u32; 32]>, Failed> {
    let found = locate(place.memory, place.seen(), access)?;
    if matches!(found, Located::Local) {
        local::check(&place.program.frames, access)?;
    }
    let global = |index: usize, addr| {
        let buffer = place.memory.buffer(index);
        buffer.load(word(buffer, addr))
    };
    let load = |lane: usize, addr: u64| match &found {
        Located::Local => place.warp.local.load(lane, addr),
        Located::Shared => place.shared[(addr / 4) as usize],
        Located::Buffer(index) => global(*index, addr),
        Located::Buffers(indices) => global(indices[lane], addr),
    };
    let mut words = vec![[0; 32]; usize::from(access.bytes).div_ceil(4)];
    for (lane, addr) in access.touched() {
        if access.bytes < 4 {
            let ones = (1 << (8 * u32::from(access.bytes))) - 1;
            words[0][lane] = load(lane, addr) >> (8 * (addr % 4)) & ones;
            continue;
        }
        for (row, addr) in words.iter_mut().zip((addr..).step_by(4)) {
            row[lane] = load(lane, addr);
        }
    }
    Ok(words)
}

/// Writes the words of an access; if lanes overlap, the highest lane's value remains.
pub(super) fn write(
    place: &mut ExecContext<'_>,
    access: &mut Access,
    words: &[[u32; 32]],
) -> Result<(), Failed> {
    let found = locate(place.memory, place.seen(), access)?;
    if matches!(found, Located::Local) {
        local::check(&place.program.frames, access)?;
    }
    for (lane, addr) in access.touched() {
        for (row, addr) in words.iter().zip((addr..).step_by(4)) {
            let value = row[lane];
            match &found {
                Located::Local => *place.warp.local.word_mut(lane, addr) = value,
                Located::Shared => place.shared[(addr / 4) as usize] = value,
                Located::Buffer(index) => store(place.memory.buffer_mut(*index), addr, value),
                Located::Buffers(all) => store(place.memory.buffer_mut(all[lane]), addr, value),
            }
        }
    }
    Ok(())
}

fn store(buffer: &mut Allocation, addr: u64, value: u32) {
    buffer.store(word(buffer, addr), value);
}
