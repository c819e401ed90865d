//! Loads and stores: computes and checks every lane's address, then moves the values.

#![expect(
    clippy::inline_always,
    reason = "the loops over lanes are compiled once more for each set of vector instructions, with all they call"
)]

use super::local;
use crate::sim::access::{Access, Direction, Pc, Route};
use crate::sim::alu;
use crate::sim::exec_context::ExecContext;
use crate::sim::failed::{Failed, failed};
use crate::sim::fault::FaultKind;
use crate::sim::lane_pattern::{self, LaneAddresses};
use crate::sim::local::LOCAL_WINDOW;
use crate::sim::mask::LaneMask;
use crate::sim::memory::{Allocation, Memory, SHARED_WINDOW};
use crate::sim::program::{Reg, RegFile};
use crate::sim::reach::{Reach, SharedView, check_shared};
use crate::sim::regs::{RegisterRow, Regs};
use crate::sim::step::{Effect, Step};
use crate::sim::warp::Warp;
use multiversion::multiversion;
use ptx::{Address, Space, Type};
use std::sync::atomic::Ordering::Relaxed;

/// `ld`: all addresses are read before any register is written.
#[inline]
pub(super) fn load(
    place: &mut ExecContext<'_>,
    step: &mut Step,
    space: Space,
    ty: Type,
    dst: &[Reg],
    addr: &Address<Reg>,
) -> Result<(), Failed> {
    let pc = step.pc;
    let access = begin(step, space, Direction::Load, bytes(ty, dst.len()));
    address(&place.warp.regs, addr, &mut access.addrs);
    if access.active == LaneMask::ALL && are_words(ty, dst) && load_words(place, pc, dst, access) {
        return Ok(());
    }
    match apart(access) {
        None => load_each(place, access, ty, dst),
        Some(parts) => each(step, parts, |part| load_each(place, part, ty, dst)),
    }
}

/// Performs any load, lane by lane.
#[multiversion(targets("x86_64+avx2+fma"))]
fn load_each(
    place: &mut ExecContext<'_>,
    access: &mut Access,
    ty: Type,
    dst: &[Reg],
) -> Result<(), Failed> {
    let ExecContext { program, warp, shared, memory, blocks, .. } = place;
    let seen = SharedView { blocks, rank: warp.rank };
    let Warp { regs, local, .. } = &mut **warp;
    let memory = &**memory;
    match locate(memory, seen, access)? {
        Located::Local => {
            local::check(&program.frames, access)?;
            bring(regs, access, ty, dst, |lane, addr| local.load(lane, addr));
        }
        Located::Shared => {
            bring(regs, access, ty, dst, |_, addr| shared[(addr / 4) as usize]);
        }
        Located::Buffer(index) => {
            let buffer = memory.buffer(index);
            match buffer.for_loads() {
                Some(words) => bring(regs, access, ty, dst, |_, addr| {
                    words[word(buffer, addr) as usize].load(Relaxed)
                }),
                None => {
                    bring(regs, access, ty, dst, |_, addr| buffer.load(word(buffer, addr)));
                }
            }
        }
        Located::Buffers(indices) => {
            bring(regs, access, ty, dst, |lane, addr| {
                let buffer = memory.buffer(indices[lane]);
                buffer.load(word(buffer, addr))
            });
        }
    }
    Ok(())
}

/// Whether each element is a 32-bit word in a register of that width.
fn are_words(ty: Type, regs: &[Reg]) -> bool {
    ty.bytes() == 4 && regs.iter().all(|reg| reg.file == RegFile::Word)
}

/// Loads words for a full warp from a single buffer or from shared memory; returns whether the
/// addresses allowed it.
#[inline]
fn load_words(place: &mut ExecContext<'_>, pc: Pc, dst: &[Reg], access: &Access) -> bool {
    let ExecContext { warp, shared, memory, shapes, blocks, .. } = place;
    let (regs, addrs) = (&mut warp.regs, &access.addrs);
    if access.space == Space::Generic || access.space == Space::Shared && !blocks.is_single() {
        return false;
    }
    let shape = shapes.pattern(pc, addrs);
    let fits = |base, size| shape.fits(addrs[0], base, size, access.bytes.into());
    match access.space {
        Space::Shared if fits(0, 4 * shared.len() as u64) => {
            lane_pattern::gather(
                regs,
                dst,
                LaneAddresses { shape, addrs, base: 0 },
                shared,
                |word| *word,
            );
            true
        }
        Space::Global => {
            let buffer = memory.holding(addrs[0]).map(|index| memory.buffer(index));
            let Some(buffer) = buffer.filter(|buffer| fits(buffer.base, buffer.bytes)) else {
                return false;
            };
            let aim = LaneAddresses { shape, addrs, base: buffer.base };
            match buffer.for_loads() {
                Some(words) => {
                    lane_pattern::gather(regs, dst, aim, words, |word| word.load(Relaxed));
                }
                None if buffer.is_bounds_only() => {
                    for reg in dst {
                        *<u32 as RegisterRow>::row_mut(regs, *reg) = [0; 32];
                    }
                }
                None => return false,
            }
            true
        }
        _ => false,
    }
}

/// `st`: if several lanes write the same location, the highest lane's value remains (the ISA
/// guarantees only that one of them does).
#[multiversion(targets("x86_64+avx2+fma"))]
pub(super) fn store(
    place: &mut ExecContext<'_>,
    step: &mut Step,
    space: Space,
    ty: Type,
    addr: &Address<Reg>,
    src: &[Reg],
) -> Result<(), Failed> {
    let pc = step.pc;
    let access = begin(step, space, Direction::Store, bytes(ty, src.len()));
    address(&place.warp.regs, addr, &mut access.addrs);
    let own = space == Space::Shared && place.blocks.is_single();
    if access.active == LaneMask::ALL && own && are_words(ty, src) {
        let ExecContext { warp, shared, shapes, .. } = place;
        let (shape, addrs) = (shapes.pattern(pc, &access.addrs), &access.addrs);
        if shape.fits(addrs[0], 0, 4 * shared.len() as u64, access.bytes.into()) {
            lane_pattern::scatter(&warp.regs, src, LaneAddresses { shape, addrs, base: 0 }, shared);
            return Ok(());
        }
    }
    match apart(access) {
        None => store_each(place, access, ty, src),
        Some(parts) => each(step, parts, |part| store_each(place, part, ty, src)),
    }
}

/// Performs any store, lane by lane.
#[inline(always)]
fn store_each(
    place: &mut ExecContext<'_>,
    access: &mut Access,
    ty: Type,
    src: &[Reg],
) -> Result<(), Failed> {
    let ExecContext { program, warp, shared, memory, blocks, .. } = place;
    let seen = SharedView { blocks, rank: warp.rank };
    let Warp { regs, local, .. } = &mut **warp;
    match locate(memory, seen, access)? {
        Located::Local => {
            local::check(&program.frames, access)?;
            take(regs, access, ty, src, |lane, addr, value| value.put(local.word_mut(lane, addr)));
        }
        Located::Shared => take(regs, access, ty, src, |_, addr, value| {
            value.put(&mut shared[(addr / 4) as usize]);
        }),
        Located::Buffer(index) => {
            let buffer = memory.buffer_mut(index);
            take(regs, access, ty, src, |_, addr, value| store_word(buffer, addr, value));
        }
        Located::Buffers(indices) => take(regs, access, ty, src, |lane, addr, value| {
            store_word(memory.buffer_mut(indices[lane]), addr, value);
        }),
    }
    Ok(())
}

/// Splits a generic access whose lanes address different spaces into one access per space; `None`
/// if they all address the same one.
#[inline]
fn apart(access: &Access) -> Option<Vec<Access>> {
    if access.space != Space::Generic {
        return None;
    }
    let space_of = |(_, addr): (usize, u64)| window(addr).0;
    let first = access.touched().next().map(space_of)?;
    if access.touched().map(space_of).all(|of| of == first) {
        return None;
    }
    let lanes = |space| -> LaneMask {
        let there = access.touched().filter(|of| space_of(*of) == space);
        there.map(|(lane, _)| lane).collect()
    };
    let parts = [Space::Global, Space::Shared, Space::Local].map(lanes).into_iter();
    let parts = parts.filter(|active| !active.is_empty());
    Some(parts.map(|active| Access { active, ..access.clone() }).collect())
}

/// Performs the parts of an access one after the other and records them as the step's effect.
fn each(
    step: &mut Step,
    mut parts: Vec<Access>,
    mut access: impl FnMut(&mut Access) -> Result<(), Failed>,
) -> Result<(), Failed> {
    let done = parts.iter_mut().try_for_each(&mut access);
    step.effect = Effect::Accesses(parts);
    done
}

/// Bytes per lane, over all elements of a vector.
fn bytes(ty: Type, elements: usize) -> u8 {
    (ty.bytes() as usize * elements) as u8
}

/// Makes the effect of `step` an access whose addresses are filled in later. An access is large, so
/// it is built in place.
#[inline(always)]
pub(super) fn begin(step: &mut Step, space: Space, direction: Direction, bytes: u8) -> &mut Access {
    let (route, active) = (Route::Lanes, step.active);
    let access = Access { space, direction, bytes, route, active, addrs: [0; 32] };
    step.effect = Effect::Memory(access);
    match &mut step.effect {
        Effect::Memory(access) => access,
        _ => unreachable!("it has just been made one"),
    }
}

/// The memory that holds the bytes of an access.
pub(super) enum Located {
    /// Local memory, not checked yet.
    Local,
    Shared,
    /// The buffer with this number, for all lanes.
    Buffer(usize),
    /// A buffer for each lane.
    Buffers(Box<[usize; 32]>),
}

/// Computes each lane's address and checks it.
#[inline(always)]
pub(super) fn check_addresses(
    regs: &Regs,
    memory: &Memory,
    seen: SharedView<'_>,
    addr: &Address<Reg>,
    access: &mut Access,
) -> Result<Located, Failed> {
    address(regs, addr, &mut access.addrs);
    if apart(access).is_some() {
        return Err((FaultKind::MixedSpaces, None));
    }
    locate(memory, seen, access)
}

/// Checks every active lane's address: all at once if they are in the same memory as the first,
/// otherwise one by one, to find the first lane that faults.
#[inline(always)]
pub(super) fn locate(
    memory: &Memory,
    seen: SharedView<'_>,
    access: &mut Access,
) -> Result<Located, Failed> {
    let first = access.active.0.trailing_zeros() as usize % 32;
    let reach = Reach::of(access.space);
    resolve(access, first);
    if access.space == Space::Shared {
        let size = seen.room();
        if !seen.blocks.is_single() || reach == Reach::Named {
            seen.locate(access, reach)?;
            return Ok(Located::Shared);
        }
        if !all_inside(access, 0, size) {
            access.touched().try_for_each(|(lane, addr)| check_shared(size, access, lane, addr))?;
        }
        return Ok(Located::Shared);
    }
    if access.space == Space::Local {
        return Ok(Located::Local);
    }
    match memory.holding(access.addrs[first]) {
        Some(index)
            if all_inside(access, memory.buffer(index).base, memory.buffer(index).bytes) =>
        {
            Ok(Located::Buffer(index))
        }
        _ => find_each(memory, access).map(Located::Buffers),
    }
}

/// Computes each lane's address as the instruction states it.
#[inline(always)]
pub(super) fn address(regs: &Regs, addr: &Address<Reg>, out: &mut [u64; 32]) {
    let offset = addr.offset as u64;
    match addr.base.file {
        RegFile::Double => {
            add(<u64 as RegisterRow>::row(regs, addr.base), out, |base| base.wrapping_add(offset));
        }
        RegFile::Word => {
            let sum = |base: u32| u64::from(base.wrapping_add(offset as u32));
            add(<u32 as RegisterRow>::row(regs, addr.base), out, sum);
        }
        RegFile::Pred => unreachable!("a predicate is no address"),
    }
}

/// This is a separate function, called through a pointer: inlined, the compiler would unroll it
/// into 32 scalar additions.
#[multiversion(targets("x86_64+avx2"))]
fn add<B: Copy>(base: &[B; 32], out: &mut [u64; 32], sum: impl Fn(B) -> u64) {
    out.iter_mut().zip(base).for_each(|(out, base)| *out = sum(*base));
}

/// The space in whose window a generic address is, and the start of that window.
fn window(addr: u64) -> (Space, u64) {
    match addr {
        LOCAL_WINDOW.. => (Space::Local, LOCAL_WINDOW),
        SHARED_WINDOW.. => (Space::Shared, SHARED_WINDOW),
        _ => (Space::Global, 0),
    }
}

/// Resolves a generic access to the space of its first active lane; all lanes address the same
/// space.
#[inline(always)]
fn resolve(access: &mut Access, first: usize) {
    if access.space != Space::Generic {
        if access.space == Space::Distributed {
            access.space = Space::Shared;
        }
        return;
    }
    let (space, window) = window(access.addrs[first]);
    access.space = space;
    if space != Space::Global {
        access.addrs = access.addrs.map(|addr| addr.wrapping_sub(window));
    }
}

/// Whether every active lane's bytes are inside the `size` bytes from `base`, and aligned.
///
/// An offset is invalid if it is negative or larger than the last valid one. In both cases a
/// highest bit is set, and vector instructions can OR these bits together without comparing.
#[inline(always)]
fn all_inside(access: &Access, base: u64, size: u64) -> bool {
    let Some(last) = size.checked_sub(u64::from(access.bytes)) else { return false };
    let (mut wrong, mut bits) = (0, 0);
    let mut include = |addr: u64| {
        let offset = addr.wrapping_sub(base);
        (wrong, bits) = (wrong | offset | last.wrapping_sub(offset), bits | addr);
    };
    if access.active == LaneMask::ALL {
        access.addrs.iter().copied().for_each(include);
    } else {
        access.touched().for_each(|(_, addr)| include(addr));
    }
    wrong >> 63 == 0 && bits & u64::from(access.bytes - 1) == 0
}

fn find_each(memory: &Memory, access: &Access) -> Result<Box<[usize; 32]>, Failed> {
    let mut indices = Box::new([0; 32]);
    let mut last = 0;
    for (lane, addr) in access.touched() {
        let found = memory.find(addr, access.bytes.into(), last);
        (last, _) = found.map_err(|wrong| failed(wrong, access, lane))?;
        indices[lane] = last;
    }
    Ok(indices)
}

/// The index of the word of `buffer` that contains `addr`.
pub(super) fn word(buffer: &Allocation, addr: u64) -> u64 {
    (addr - buffer.base) / 4
}

/// Loads each element of each lane into its register, sign- or zero-extended. `word` returns the
/// word that contains an address.
#[inline(always)]
fn bring(
    regs: &mut Regs,
    access: &Access,
    ty: Type,
    dst: &[Reg],
    word: impl Fn(usize, u64) -> u32,
) {
    let size = u64::from(ty.bytes());
    for (element, reg) in dst.iter().enumerate() {
        let at = |lane: usize| access.addrs[lane] + element as u64 * size;
        let low = |lane: usize| u64::from(word(lane, at(lane)));
        match size {
            4 if reg.file == RegFile::Word => {
                regs.fill(*reg, access.active, |lane| word(lane, at(lane)));
            }
            8 => regs.set_each(*reg, access.active, |lane| {
                low(lane) | u64::from(word(lane, at(lane) + 4)) << 32
            }),
            4 => regs.set_each(*reg, access.active, |lane| alu::extend(low(lane), ty)),
            _ => regs.set_each(*reg, access.active, |lane| {
                alu::extend(low(lane) >> (8 * (at(lane) % 4)), ty)
            }),
        }
    }
}

/// The part of a word that a store changes: the bits outside `keep`.
#[derive(Clone, Copy)]
struct MaskedWord {
    bits: u32,
    keep: u32,
}

impl MaskedWord {
    fn put(self, word: &mut u32) {
        *word = *word & self.keep | self.bits;
    }
}

/// Stores each element of each lane; `put` writes it to the word that contains its address.
#[inline(always)]
fn take(
    regs: &Regs,
    access: &Access,
    ty: Type,
    src: &[Reg],
    mut put: impl FnMut(usize, u64, MaskedWord),
) {
    let size = u64::from(ty.bytes());
    for (element, reg) in src.iter().enumerate() {
        let values = regs.wide(*reg);
        for (lane, addr) in access.touched() {
            let (at, value) = (addr + element as u64 * size, values[lane]);
            match size {
                8 => {
                    put(lane, at, MaskedWord { bits: value as u32, keep: 0 });
                    put(lane, at + 4, MaskedWord { bits: (value >> 32) as u32, keep: 0 });
                }
                4 => put(lane, at, MaskedWord { bits: value as u32, keep: 0 }),
                _ => {
                    let shift = 8 * (at % 4);
                    let ones = ((1 << (8 * size)) - 1) << shift;
                    put(lane, at, MaskedWord { bits: (value as u32) << shift & ones, keep: !ones });
                }
            }
        }
    }
}

fn store_word(buffer: &mut Allocation, addr: u64, value: MaskedWord) {
    let index = word(buffer, addr);
    let mut word = if value.keep == 0 { 0 } else { buffer.kept(index) };
    value.put(&mut word);
    buffer.store(index, word);
}
