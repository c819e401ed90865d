//! `atom` and `red`: atomic read-modify-write of a word of memory.

use super::half::Half;
use super::memory::{Located, begin, check_addresses, word};
use crate::sim::access::{Direction, Route};
use crate::sim::alu::{Real, extend, flush};
use crate::sim::exec_context::ExecContext;
use crate::sim::failed::{Failed, failed};
use crate::sim::memory::AddressError;
use crate::sim::memory::Memory;
use crate::sim::program::Reg;
use crate::sim::reduction;
use crate::sim::step::Step;
use ptx::{Address, AtomicOp, Float, Space, Type};

/// The operands of an atomic instruction.
pub(super) struct AtomicOperands<'a> {
    pub(super) op: AtomicOp,
    pub(super) space: Space,
    pub(super) ty: Type,
    pub(super) dst: &'a [Reg],
    pub(super) addr: &'a Address<Reg>,
    pub(super) args: &'a [Reg],
}

/// Executes the lanes of a warp in ascending order (the ISA guarantees no order).
pub(super) fn execute(
    place: &mut ExecContext<'_>,
    step: &mut Step,
    operands: &AtomicOperands<'_>,
) -> Result<(), Failed> {
    let &AtomicOperands { op, space, ty, dst, addr, args } = operands;
    let (size, each) = (ty.bytes() as usize, op.operands());
    let bytes = if ty == Type::B128 { size } else { size * (args.len() / each) };
    let access = begin(step, space, Direction::Atomic, bytes as u8);
    access.route = route(op, ty);
    let found = check_addresses(&place.warp.regs, place.memory, place.seen(), addr, access)?;
    let args: Vec<_> = args.iter().map(|arg| place.warp.regs.wide(*arg)).collect();
    // float32 subnormals are flushed in global memory but not in shared memory (PTX ISA, `atom`).
    let ftz = matches!(found, Located::Buffer(_) | Located::Buffers(_));
    let local = |lane| {
        let wrong = AddressError::Outside("is in local memory, where nothing is atomic".to_owned());
        failed(wrong, access, lane)
    };
    let mut before = vec![[0; 32]; if ty == Type::B128 { 2 } else { args.len() / each }];
    for (lane, addr) in access.touched() {
        let buffer = match &found {
            Located::Shared => None,
            Located::Buffer(index) => Some(*index),
            Located::Buffers(indices) => Some(indices[lane]),
            Located::Local => return Err(local(lane)),
        };
        if ty == Type::B128 {
            let change = |old| swapped(op, old, &args, lane);
            let [low, high] = match buffer {
                None => wide_in_shared(place.shared, addr, change),
                Some(index) => wide_in_buffer(place.memory, index, addr, change),
            };
            (before[0][lane], before[1][lane]) = (low, high);
            continue;
        }
        for ((at, args), before) in (0..).step_by(size).zip(args.chunks(each)).zip(&mut before) {
            let operand = |index: usize| args.get(index).map_or(0, |row| row[lane]);
            let operands = [operand(0), operand(1)];
            let change = |old: u64| changed((op, ty, ftz), extend(old, ty), operands);
            before[lane] = match buffer {
                None => in_shared(place.shared, ty, addr + at, change),
                Some(index) => in_buffer(place.memory, index, ty, addr + at, change),
            };
        }
    }
    for (dst, before) in dst.iter().zip(before) {
        let part = if ty == Type::B128 { Type::B64 } else { ty };
        place.warp.regs.set_each(*dst, access.active, |lane| extend(before[lane], part));
    }
    Ok(())
}

/// Both halves of 128 bits after `exch` or `cas`; the operands are the halves of each, one after the
/// other.
fn swapped(op: AtomicOp, old: [u64; 2], args: &[[u64; 32]], lane: usize) -> [u64; 2] {
    let each = op.operands();
    let operand = |number: usize| [args[number][lane], args[number + each][lane]];
    match op {
        AtomicOp::CompareAndSwap if old == operand(0) => operand(1),
        AtomicOp::CompareAndSwap => old,
        _ => operand(0),
    }
}

fn wide_in_shared(
    shared: &mut [u32],
    addr: u64,
    change: impl Fn([u64; 2]) -> [u64; 2],
) -> [u64; 2] {
    let words = &mut shared[(addr / 4) as usize..][..4];
    let half =
        |number: usize| u64::from(words[2 * number + 1]) << 32 | u64::from(words[2 * number]);
    let before = [half(0), half(1)];
    for (words, half) in words.chunks_mut(2).zip(change(before)) {
        words.copy_from_slice(&[half as u32, (half >> 32) as u32]);
    }
    before
}

fn wide_in_buffer(
    memory: &mut Memory,
    number: usize,
    addr: u64,
    change: impl Fn([u64; 2]) -> [u64; 2],
) -> [u64; 2] {
    let index = word(memory.buffer(number), addr);
    memory.update_wide(number, index, change)
}

/// The SASS that ptxas generates if the word is in shared memory (observed for sm_90).
fn route(op: AtomicOp, ty: Type) -> Route {
    match (op, ty.bits(), ty) {
        (AtomicOp::CompareAndSwap, 32 | 64, _) => Route::Compare,
        (AtomicOp::Add, 32, Type::F32) | (AtomicOp::Add, 64, Type::U64) => Route::Retry,
        _ if ty.is_half() => Route::RetryMaybe,
        (AtomicOp::Exchange, 64, _) | (_, 32, _) => Route::Lanes,
        _ => Route::RetryMaybe,
    }
}

/// Updates shared memory, which only this machine accesses.
fn in_shared(shared: &mut [u32], ty: Type, addr: u64, change: impl Fn(u64) -> u64) -> u64 {
    let index = (addr / 4) as usize;
    if ty.bits() == 64 {
        let before = u64::from(shared[index + 1]) << 32 | u64::from(shared[index]);
        let after = change(before);
        (shared[index], shared[index + 1]) = (after as u32, (after >> 32) as u32);
        return before;
    }
    let part = WordPart::new(ty, addr);
    let before = shared[index];
    shared[index] = part.put(before, change(part.of(before)));
    part.of(before)
}

/// Updates global memory, where machines on other threads may change the same word concurrently.
fn in_buffer(
    memory: &mut Memory,
    number: usize,
    ty: Type,
    addr: u64,
    change: impl Fn(u64) -> u64,
) -> u64 {
    let index = word(memory.buffer(number), addr);
    if ty.bits() == 64 {
        return memory.update_wide(number, index, |[old]| [change(old)])[0];
    }
    let part = WordPart::new(ty, addr);
    let before =
        memory.buffer_mut(number).update(index, |word| part.put(word, change(part.of(word))));
    part.of(before)
}

/// A word, or one half of it.
#[derive(Clone, Copy)]
struct WordPart {
    shift: u32,
    ones: u32,
}

impl WordPart {
    fn new(ty: Type, addr: u64) -> Self {
        match ty.bits() {
            16 => Self { shift: 8 * (addr % 4) as u32, ones: 0xffff },
            _ => Self { shift: 0, ones: u32::MAX },
        }
    }

    fn of(self, word: u32) -> u64 {
        (word >> self.shift & self.ones).into()
    }

    fn put(self, word: u32, value: u64) -> u32 {
        word & !(self.ones << self.shift) | (value as u32 & self.ones) << self.shift
    }
}

/// An element of shared or global memory after an asynchronous reduction (PTX ISA, `red.async`,
/// `cp.reduce.async`); two halves share a word.
pub(super) fn combined((op, ty): (AtomicOp, Type), old: u64, value: u64) -> u64 {
    if ty.bits() == 16 {
        let half =
            |shift: u32| combined_one((op, ty), old >> shift & 0xffff, value >> shift & 0xffff);
        return half(16) << 16 | half(0);
    }
    combined_one((op, ty), old, value)
}

fn combined_one((op, ty): (AtomicOp, Type), old: u64, value: u64) -> u64 {
    changed((op, ty, false), extend(old, ty), [value, 0])
}

/// The new value for an old one; both, and the operands, have type `ty`.
fn changed((op, ty, ftz): (AtomicOp, Type, bool), old: u64, operands: [u64; 2]) -> u64 {
    if op == AtomicOp::Add && ty.is_float() {
        return sum(ty, ftz, old, extend(operands[0], ty));
    }
    if ty.is_half() {
        let least = op == AtomicOp::Min;
        return Half::new(ty, Float::default())
            .extreme(least, old as u32, operands[0] as u32)
            .into();
    }
    reduction::changed((op, ty), old, operands)
}

fn sum(ty: Type, ftz: bool, a: u64, b: u64) -> u64 {
    match ty {
        Type::F32 => {
            let [a, b] = [a, b].map(|bits| f32::from_bits(bits as u32));
            let [a, b] = if ftz { [flush(a), flush(b)] } else { [a, b] };
            let sum = Real::add(a, b).result(Float { ftz, ..Float::default() });
            sum.to_bits().into()
        }
        Type::F64 => Real::add(f64::from_bits(a), f64::from_bits(b)).to_bits(),
        ty if ty.is_half() => Half::new(ty, Float::default()).sum(a as u32, b as u32).into(),
        _ => a.wrapping_add(b),
    }
}
