//! Loads and stores: every lane's address is computed and checked, then the values move.

use super::{Failed, Place};
use crate::ptx::{Address, Space, Type};
use crate::sim::alu;
use crate::sim::fault::FaultKind;
use crate::sim::mask::LaneMask;
use crate::sim::memory::{SHARED_WINDOW, Wrong};
use crate::sim::program::{File, Reg};
use crate::sim::step::{Access, Direction, Effect, Step};

/// `ld`: all lanes read before any lane's register changes.
pub(super) fn load(
    place: &mut Place<'_>,
    step: &mut Step,
    space: Space,
    ty: Type,
    dst: &[Reg],
    addr: &Address<Reg>,
) -> Result<(), Failed> {
    let access = access(place, step.active, (space, Direction::Load), bytes(ty, dst.len()), addr);
    let mut values = [[0; 32]; 4];
    match access.space {
        Space::Shared => load_shared(place.shared, &access, ty, &mut values)?,
        _ => load_global(place, &access, ty, &mut values)?,
    }
    for (reg, value) in dst.iter().zip(&values) {
        place.warp.regs.set_wide(*reg, value, step.active);
    }
    step.effect = Effect::Memory(access);
    Ok(())
}

/// `st`: if lanes write the same place, the highest lane's value stays (the ISA promises only
/// that one of them does).
pub(super) fn store(
    place: &mut Place<'_>,
    step: &mut Step,
    space: Space,
    ty: Type,
    addr: &Address<Reg>,
    src: &[Reg],
) -> Result<(), Failed> {
    let access = access(place, step.active, (space, Direction::Store), bytes(ty, src.len()), addr);
    let mut values = [[0; 32]; 4];
    for (value, reg) in values.iter_mut().zip(src) {
        *value = place.warp.regs.wide(*reg);
    }
    match access.space {
        Space::Shared => store_shared(place.shared, &access, ty, &values)?,
        _ => store_global(place, &access, ty, &values)?,
    }
    step.effect = Effect::Memory(access);
    Ok(())
}

/// Bytes of an access: a vector counts as one.
fn bytes(ty: Type, elements: usize) -> u8 {
    (ty.bytes() as usize * elements) as u8
}

/// Each lane's address in its space. A generic address in the shared window is a shared one;
/// a warp whose lanes disagree is taken for what its first lane says, and the bounds check
/// reports the others.
fn access(
    place: &Place<'_>,
    active: LaneMask,
    (space, direction): (Space, Direction),
    bytes: u8,
    addr: &Address<Reg>,
) -> Access {
    let base = place.warp.regs.wide(addr.base);
    let narrow = addr.base.file == File::Word;
    let mut addrs = base.map(|base| base.wrapping_add(addr.offset as u64));
    if narrow {
        addrs = addrs.map(|addr| addr & 0xffff_ffff);
    }
    let first = addrs[active.0.trailing_zeros() as usize % 32];
    let space = match space {
        Space::Generic if first >= SHARED_WINDOW => {
            addrs = addrs.map(|addr| addr.wrapping_sub(SHARED_WINDOW));
            Space::Shared
        }
        Space::Generic => Space::Global,
        Space::Global | Space::Shared | Space::Local | Space::Param => space,
    };
    Access { space, direction, bytes, active, addrs }
}

fn load_shared(
    shared: &[u32],
    access: &Access,
    ty: Type,
    values: &mut [[u64; 32]; 4],
) -> Result<(), Failed> {
    let word = |index: u64| shared[index as usize];
    for (lane, addr) in access.touched() {
        check_shared(shared, access, lane, addr)?;
        read(word, addr, ty, access.bytes, lane, values);
    }
    Ok(())
}

fn load_global(
    place: &Place<'_>,
    access: &Access,
    ty: Type,
    values: &mut [[u64; 32]; 4],
) -> Result<(), Failed> {
    let mut index = 0;
    for (lane, addr) in access.touched() {
        let found = place.memory.find(addr, access.bytes.into(), index);
        let (found, offset) = found.map_err(|wrong| failed(wrong, access, lane))?;
        index = found;
        let buffer = place.memory.buffer(index);
        read(|index| buffer.load(index), offset, ty, access.bytes, lane, values);
    }
    Ok(())
}

fn store_shared(
    shared: &mut [u32],
    access: &Access,
    ty: Type,
    values: &[[u64; 32]; 4],
) -> Result<(), Failed> {
    for (lane, addr) in access.touched() {
        check_shared(shared, access, lane, addr)?;
    }
    for (lane, addr) in access.touched() {
        let words = written(|index| shared[index as usize], addr, ty, access.bytes, lane, values);
        let count = usize::from(access.bytes.div_ceil(4));
        shared[(addr / 4) as usize..][..count].copy_from_slice(&words[..count]);
    }
    Ok(())
}

fn store_global(
    place: &mut Place<'_>,
    access: &Access,
    ty: Type,
    values: &[[u64; 32]; 4],
) -> Result<(), Failed> {
    let mut places = [(0, 0); 32];
    let mut index = 0;
    for (lane, addr) in access.touched() {
        let found = place.memory.find(addr, access.bytes.into(), index);
        places[lane] = found.map_err(|wrong| failed(wrong, access, lane))?;
        index = places[lane].0;
    }
    for (lane, _) in access.touched() {
        let (index, offset) = places[lane];
        let buffer = place.memory.buffer_mut(index);
        let words = written(|index| buffer.load(index), offset, ty, access.bytes, lane, values);
        for (index, word) in words.iter().take(access.bytes.div_ceil(4).into()).enumerate() {
            buffer.store(offset / 4 + index as u64, *word);
        }
    }
    Ok(())
}

/// The elements of one lane's access at byte `at`, sign- or zero-extended to their register.
#[inline]
fn read(
    word: impl Fn(u64) -> u32,
    at: u64,
    ty: Type,
    bytes: u8,
    lane: usize,
    values: &mut [[u64; 32]; 4],
) {
    let size = u64::from(ty.bytes());
    for (element, value) in values.iter_mut().take(usize::from(bytes) / size as usize).enumerate() {
        let at = at + element as u64 * size;
        let low = u64::from(word(at / 4));
        value[lane] = match ty.bytes() {
            8 => low | u64::from(word(at / 4 + 1)) << 32,
            _ => alu::extend(low >> (8 * (at % 4)), ty),
        };
    }
}

/// The words that one lane's store at byte `at` leaves, from the word that holds `at` on.
#[inline]
fn written(
    old: impl Fn(u64) -> u32,
    at: u64,
    ty: Type,
    bytes: u8,
    lane: usize,
    values: &[[u64; 32]; 4],
) -> [u32; 4] {
    let words = usize::from(bytes.div_ceil(4));
    let mut out = [0; 4];
    for (index, word) in out.iter_mut().take(words).enumerate() {
        *word = match ty.bytes() {
            8 => (values[index / 2][lane] >> (32 * (index % 2))) as u32,
            4 => values[index][lane] as u32,
            size => narrow(
                old(at / 4 + index as u64),
                at / 4 + index as u64,
                (at, size, bytes),
                lane,
                values,
            ),
        };
    }
    out
}

/// Elements narrower than a word: each replaces its own bits of the word number `index`.
fn narrow(
    mut word: u32,
    index: u64,
    (at, size, bytes): (u64, u32, u8),
    lane: usize,
    values: &[[u64; 32]; 4],
) -> u32 {
    let ones = (1_u32 << (8 * size)) - 1;
    for (element, value) in values.iter().take(usize::from(bytes) / size as usize).enumerate() {
        let at = at + element as u64 * u64::from(size);
        if at / 4 == index {
            let shift = 8 * (at % 4);
            word = word & !(ones << shift) | (value[lane] as u32 & ones) << shift;
        }
    }
    word
}

fn check_shared(shared: &[u32], access: &Access, lane: usize, addr: u64) -> Result<(), Failed> {
    let (size, bytes) = (4 * shared.len() as u64, u64::from(access.bytes));
    let place =
        || format!("is at byte {} of the block's {size} bytes of shared memory", addr as i64);
    if addr >= size || size - addr < bytes {
        return Err(failed(Wrong::Outside(place()), access, lane));
    }
    if addr & (bytes - 1) != 0 {
        return Err(failed(Wrong::Misaligned(place()), access, lane));
    }
    Ok(())
}

fn failed(wrong: Wrong, access: &Access, lane: usize) -> Failed {
    let (direction, bytes) = (access.direction, u32::from(access.bytes));
    let kind = match wrong {
        Wrong::Outside(place) => FaultKind::OutOfBounds { direction, bytes, place },
        Wrong::Misaligned(place) => FaultKind::Misaligned { direction, bytes, place },
    };
    (kind, Some(lane))
}
