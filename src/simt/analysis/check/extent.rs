//! Accesses that leave the array whose address they were computed from, for what lies beside it.
//!
//! In C an index stays in its array. The simulator sees where an access goes; whence it comes follows
//! from the program: a register that was computed from the address of one array alone.

use super::barrier::LanesAtPc;
use super::finding::{AccessKind, FindingKind, LeftPart};
use crate::sim::{
    Access, FaultKind, Inst, LaneMask, Machine, NearestBuffer, Pc, Program, Reg, RowInit, Step,
};
use ptx::{BinaryOp, LaneOp, MemoryOp, Op, PartOfArray, Space, Use};
use std::collections::HashMap;

/// The array that each access is meant for, as far as that is known.
#[derive(Debug)]
pub(super) struct MeantArrays {
    meant: Vec<Option<ArrayExtent>>,
    /// By the instruction that adds the index.
    parts: HashMap<Pc, Indexing>,
}

/// The addition of an index to the address of a part of an array, for an access.
#[derive(Debug)]
struct Indexing {
    part: PartOfArray,
    /// The register with the index in bytes.
    offset: Reg,
    /// The bytes of an element of the part.
    each: u32,
    /// Whether the register has 64 bits.
    is_wide: bool,
    access: Pc,
    did: AccessKind,
}

/// An array in shared or local memory.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ArrayExtent {
    name: String,
    space: Space,
    base: u64,
    bytes: u64,
}

/// What a register was computed from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RegisterSource {
    /// No address of an array.
    Number,
    /// That of one, by its number.
    Array(usize),
    Several,
}

impl RegisterSource {
    const fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Number, one) | (one, Self::Number) => one,
            (Self::Array(one), Self::Array(same)) if one == same => self,
            _ => Self::Several,
        }
    }
}

impl MeantArrays {
    pub(super) fn of(program: &Program) -> Self {
        let arrays = arrays(program);
        let operands: Vec<_> = program.insts.iter().map(|inst| inst.op.operands()).collect();
        let all = operands.iter().flatten().map(|(reg, ..)| reg);
        let all = all.chain(program.init.iter().map(|(reg, _)| reg));
        let count = all.map(|reg| reg.number()).max().map_or(0, |last| last + 1);
        let mut sources = vec![RegisterSource::Number; count];
        for (reg, init) in &program.init {
            let (space, base) = match init {
                RowInit::Shared(base) => (Space::Shared, base),
                RowInit::Local(base) => (Space::Local, base),
                _ => continue,
            };
            let is_it = |one: &ArrayExtent| one.space == space && one.base == u64::from(*base);
            let found = arrays.iter().position(is_it);
            sources[reg.number()] = found.map_or(RegisterSource::Several, RegisterSource::Array);
        }
        let mut changed = true;
        while changed {
            changed = false;
            for (inst, operands) in program.insts.iter().zip(&operands) {
                // What is loaded is a number: where an address that lay in memory points is not known.
                let is_loaded = inst.op.space().is_some();
                let read = operands.iter().filter(|(_, _, how)| how.reads() && !is_loaded);
                let from = read.map(|(reg, ..)| sources[reg.number()]);
                let from = from.fold(RegisterSource::Number, RegisterSource::and);
                for (reg, ..) in operands.iter().filter(|(_, _, how)| how.writes()) {
                    let source = sources[reg.number()].and(from);
                    changed |= source != sources[reg.number()];
                    sources[reg.number()] = source;
                }
            }
        }
        let meant = operands.iter().map(|operands| {
            let mut addresses = operands.iter().filter(|(_, _, how)| *how == Use::Address);
            let (Some((reg, ..)), None) = (addresses.next(), addresses.next()) else { return None };
            match sources[reg.number()] {
                RegisterSource::Array(array) => Some(arrays[array].clone()),
                RegisterSource::Number | RegisterSource::Several => None,
            }
        });
        Self { meant: meant.collect(), parts: parts(program) }
    }

    pub(super) fn have_parts(&self) -> bool {
        !self.parts.is_empty()
    }

    /// The lanes of a step that adds an index to the address of a part of an array in which the index
    /// is none of that part's.
    pub(super) fn left_part(&self, machine: &Machine) -> Option<(LeftPart, LanesAtPc)> {
        let step = machine.last();
        let Indexing { part, offset, each, is_wide, access, did } = self.parts.get(&step.pc)?;
        let offsets = machine.values(step.warp.into(), *offset);
        let index = |lane: usize| {
            let offset = offsets[lane];
            let bytes = if *is_wide { offset.cast_signed() } else { i64::from(offset as i32) };
            bytes.div_euclid(i64::from(*each))
        };
        let is_outside = |lane: &usize| !(0..i64::from(part.elements)).contains(&index(*lane));
        let lanes: LaneMask = step.active.lanes().filter(is_outside).collect();
        let left = LeftPart { part: part.clone(), index: index(lanes.lanes().next()?) };
        let at = LanesAtPc { warp: step.warp, lanes, pc: *access, did: *did };
        Some((left, at))
    }

    /// The first lane of an access that leaves its array, as one that leaves all memory; the offset is
    /// that in the array, or in shared memory.
    pub(super) fn left(&self, step: &Step, access: &Access) -> Option<(FindingKind, LanesAtPc)> {
        let meant = self.meant.get(step.pc.0 as usize)?.as_ref()?;
        if meant.space != access.space || access.route.is_distributed() {
            return None;
        }
        let bytes = u64::from(access.bytes);
        let room = meant.bytes.checked_sub(bytes);
        let is_inside = |addr: u64| room.is_some_and(|room| addr.wrapping_sub(meant.base) <= room);
        // Nearly all accesses are of all lanes and inside: without branches, it is one comparison.
        if access.active == LaneMask::ALL && access.addrs.map(is_inside) == [true; 32] {
            return None;
        }
        let (lane, addr) = access.touched().find(|(_, addr)| !is_inside(*addr))?;
        let ArrayExtent { name, base, bytes, space } = meant;
        let place = match addr.checked_sub(base + bytes) {
            Some(0) => format!("`{name}` ends just before it"),
            Some(by) => format!("`{name}` ends {by} bytes before it"),
            None if addr < *base => format!("`{name}` begins {} bytes after it", base - addr),
            None => format!("`{name}` ends within it"),
        };
        let from = if *space == Space::Shared { 0 } else { *base };
        let near =
            NearestBuffer { buffer: name.clone(), offset: addr.cast_signed() - from.cast_signed() };
        let (direction, bytes) = (access.direction, access.bytes.into());
        let place = format!("is outside: {place}");
        let kind = FaultKind::OutOfBounds { direction, bytes, place, near: Some(near) };
        let (lanes, did) = (LaneMask(1 << lane), AccessKind::of(direction));
        Some((FindingKind::Fault(kind), LanesAtPc { warp: step.warp, lanes, pc: step.pc, did }))
    }
}

/// The additions of which the compiler says that they index a part of an array: an index times the bytes
/// of an element is added to an address, for an access.
fn parts(program: &Program) -> HashMap<Pc, Indexing> {
    let init: HashMap<_, _> = program.init.iter().copied().collect();
    let scaled: HashMap<_, _> = program.insts.iter().filter_map(|one| scaled(one, &init)).collect();
    let indexing = |(pc, part): &(Pc, PartOfArray)| {
        let Op::Lane(LaneOp::Binary { op: BinaryOp::Add, ty, dst, b, .. }) = program.inst(*pc).op
        else {
            return None;
        };
        let (part, offset, each) = (part.clone(), b, *scaled.get(&b)?);
        let (access, did) = accessed(program, dst)?;
        Some((*pc, Indexing { part, offset, each, is_wide: ty.bits() == 64, access, did }))
    };
    program.indices.iter().filter_map(indexing).collect()
}

/// The first access at an address, which may be computed from it by further indices.
fn accessed(program: &Program, address: Reg) -> Option<(Pc, AccessKind)> {
    let mut addresses = vec![address];
    for (inst, pc) in program.insts.iter().zip(0..) {
        match inst.op {
            Op::Lane(LaneOp::Binary { op: BinaryOp::Add, dst, a, .. })
                if addresses.contains(&a) =>
            {
                addresses.push(dst);
            }
            Op::Memory(ref op) => {
                let operands = inst.op.operands();
                let mut at = operands.iter().filter(|(_, _, how)| *how == Use::Address);
                let did = match op {
                    MemoryOp::Ld { .. } => AccessKind::Load,
                    MemoryOp::St { .. } => AccessKind::Store,
                    MemoryOp::Atom { .. } => AccessKind::Atomic,
                    MemoryOp::Fence(_) => continue,
                };
                if at.any(|(reg, ..)| addresses.contains(reg)) {
                    return Some((Pc(pc), did));
                }
            }
            _ => {}
        }
    }
    None
}

/// The register of an index times a constant, and that.
fn scaled(inst: &Inst, init: &HashMap<Reg, RowInit>) -> Option<(Reg, u32)> {
    let Op::Lane(LaneOp::Binary { op: BinaryOp::Mul(_), dst, b, .. }) = inst.op else {
        return None;
    };
    match init.get(&b)? {
        RowInit::Constant(by) => Some((dst, u32::try_from(*by).ok().filter(|by| *by > 0)?)),
        _ => None,
    }
}

/// The arrays that have a size of their own.
fn arrays(program: &Program) -> Vec<ArrayExtent> {
    let shared =
        program.shared.iter().filter(|array| array.bytes > 0 && program.blocks_together() == 1);
    let shared = shared.map(|array| ArrayExtent {
        name: array.name.clone(),
        space: Space::Shared,
        base: array.offset.into(),
        bytes: array.bytes.into(),
    });
    let local = program.frames.iter().flat_map(|frame| &frame.variables).map(|one| ArrayExtent {
        name: one.name.clone(),
        space: Space::Local,
        base: one.offset.into(),
        bytes: one.bytes.into(),
    });
    shared.chain(local).collect()
}
