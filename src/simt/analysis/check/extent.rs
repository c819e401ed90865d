//! Accesses that leave the array whose address they were computed from, for what lies beside it.
//!
//! In C an index stays in its array. The simulator sees where an access goes; whence it comes follows
//! from the program: a register that was computed from the address of one array alone.

use super::barrier::At;
use super::finding::{AccessKind, FindingKind, LeftRow};
use crate::sim::{
    Access, FaultKind, Init, Inst, LaneMask, Machine, Near, Pc, Program, Reg, SharedArray, Step,
};
use ptx::{BinaryOp, LaneOp, MemoryOp, Op, Space, Type, Use, Width};
use std::collections::HashMap;

/// The array that each access is meant for, as far as that is known.
#[derive(Debug)]
pub(super) struct Extents {
    meant: Vec<Option<Extent>>,
    /// By the instruction that adds an index to the address of a row.
    rows: HashMap<Pc, Row>,
}

/// A row of an array in shared memory, to whose address an index is added for an access.
#[derive(Debug)]
struct Row {
    array: String,
    /// The register with the index in bytes.
    offset: Reg,
    /// The bytes of an element of the row.
    each: u32,
    /// How many there are.
    of: u32,
    access: Pc,
    did: AccessKind,
}

/// An array in shared or local memory.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Extent {
    name: String,
    space: Space,
    base: u64,
    bytes: u64,
}

/// What a register was computed from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// No address of an array.
    Number,
    /// That of one, by its number.
    Array(usize),
    /// Those of several.
    Several,
}

impl Source {
    const fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Number, one) | (one, Self::Number) => one,
            (Self::Array(one), Self::Array(same)) if one == same => self,
            _ => Self::Several,
        }
    }
}

impl Extents {
    pub(super) fn of(program: &Program) -> Self {
        let arrays = arrays(program);
        let operands: Vec<_> = program.insts.iter().map(|inst| inst.op.operands()).collect();
        let all = operands.iter().flatten().map(|(reg, ..)| reg);
        let all = all.chain(program.init.iter().map(|(reg, _)| reg));
        let count = all.map(|reg| reg.number()).max().map_or(0, |last| last + 1);
        let mut sources = vec![Source::Number; count];
        for (reg, init) in &program.init {
            let (space, base) = match init {
                Init::Shared(base) => (Space::Shared, base),
                Init::Local(base) => (Space::Local, base),
                _ => continue,
            };
            let is_it = |one: &Extent| one.space == space && one.base == u64::from(*base);
            let found = arrays.iter().position(is_it);
            sources[reg.number()] = found.map_or(Source::Several, Source::Array);
        }
        let mut changed = true;
        while changed {
            changed = false;
            for (inst, operands) in program.insts.iter().zip(&operands) {
                // What is loaded is a number: where an address that lay in memory points is not known.
                let is_loaded = inst.op.space().is_some();
                let read = operands.iter().filter(|(_, _, how)| how.reads() && !is_loaded);
                let from = read.map(|(reg, ..)| sources[reg.number()]);
                let from = from.fold(Source::Number, Source::and);
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
                Source::Array(array) => Some(arrays[array].clone()),
                Source::Number | Source::Several => None,
            }
        });
        Self { meant: meant.collect(), rows: rows(program, &sources, &arrays) }
    }

    /// The lanes of a step that adds an index to the address of a row in which the index is none of
    /// the row's.
    pub(super) fn left_row(&self, machine: &Machine) -> Option<(FindingKind, At)> {
        let step = machine.last();
        let Row { array, offset, each, of, access, did } = self.rows.get(&step.pc)?;
        let offsets = machine.values(step.warp.into(), *offset);
        let index = |lane: usize| i64::from(offsets[lane] as i32).div_euclid(i64::from(*each));
        let is_outside = |lane: &usize| !(0..i64::from(*of)).contains(&index(*lane));
        let lanes: LaneMask = step.active.lanes().filter(is_outside).collect();
        let first = lanes.lanes().next()?;
        let left = LeftRow { array: array.clone(), index: index(first), of: *of };
        let at = At { warp: step.warp, lanes, pc: *access, did: *did };
        Some((FindingKind::LeftRow(left), at))
    }

    /// The first lane of an access that leaves its array, as one that leaves all memory; the offset is
    /// that in the array, or in shared memory.
    pub(super) fn left(&self, step: &Step, access: &Access) -> Option<(FindingKind, At)> {
        let meant = self.meant.get(step.pc.0 as usize)?.as_ref()?;
        if meant.space != access.space || access.route.is_distributed() {
            return None;
        }
        let bytes = u64::from(access.bytes);
        let is_outside = |addr: u64| addr < meant.base || addr + bytes > meant.base + meant.bytes;
        let (lane, addr) = access.touched().find(|(_, addr)| is_outside(*addr))?;
        let Extent { name, base, bytes, space } = meant;
        let place = match addr.checked_sub(base + bytes) {
            Some(0) => format!("`{name}` ends just before it"),
            Some(by) => format!("`{name}` ends {by} bytes before it"),
            None if addr < *base => format!("`{name}` begins {} bytes after it", base - addr),
            None => format!("`{name}` ends within it"),
        };
        let from = if *space == Space::Shared { 0 } else { *base };
        let near = Near { buffer: name.clone(), offset: addr.cast_signed() - from.cast_signed() };
        let (direction, bytes) = (access.direction, access.bytes.into());
        let place = format!("is outside: {place}");
        let kind = FaultKind::OutOfBounds { direction, bytes, place, near: Some(near) };
        let (lanes, did) = (LaneMask(1 << lane), AccessKind::of(direction));
        Some((FindingKind::Fault(kind), At { warp: step.warp, lanes, pc: step.pc, did }))
    }
}

/// The additions of an index to the address of a row, as matviz's own compiler writes `s[i][j]`: an index
/// times the bytes of an element, added to an address of the array, for an access.
fn rows(program: &Program, sources: &[Source], arrays: &[Extent]) -> HashMap<Pc, Row> {
    let init: HashMap<_, _> = program.init.iter().copied().collect();
    let scaled: HashMap<_, _> = program.insts.iter().filter_map(|one| scaled(one, &init)).collect();
    let accesses = program.insts.iter().zip(0..).flat_map(|(inst, pc)| {
        let addresses = inst.op.operands().into_iter().filter(|(_, _, how)| *how == Use::Address);
        addresses.map(move |(reg, ..)| (reg, (Pc(pc), inst)))
    });
    let accesses: HashMap<_, _> = accesses.collect();
    let row = |(inst, pc): (&Inst, u32)| {
        let Op::Lane(LaneOp::Binary { op: BinaryOp::Add, ty: Type::S32, dst, a, b, .. }) = inst.op
        else {
            return None;
        };
        let (each, (access, accessing)) = (*scaled.get(&b)?, *accesses.get(&dst)?);
        let Source::Array(array) = sources[a.number()] else { return None };
        let is_it = |one: &&SharedArray| u64::from(one.offset) == arrays[array].base;
        let array = program.shared.iter().find(is_it)?;
        let of = row_of(array, each)?;
        let did = match accessing.op {
            Op::Memory(MemoryOp::Ld { .. }) => AccessKind::Load,
            Op::Memory(MemoryOp::St { .. }) => AccessKind::Store,
            _ => return None,
        };
        Some((Pc(pc), Row { array: array.name.clone(), offset: b, each, of, access, did }))
    };
    program.insts.iter().zip(0..).filter_map(row).collect()
}

/// The register of an index times a constant, and that.
fn scaled(inst: &Inst, init: &HashMap<Reg, Init>) -> Option<(Reg, u32)> {
    let Op::Lane(LaneOp::Binary { op: BinaryOp::Mul(Width::Lo), ty: Type::S32, dst, b, .. }) =
        inst.op
    else {
        return None;
    };
    match init.get(&b)? {
        Init::Constant(by) => Some((dst, u32::try_from(*by).ok()?)),
        _ => None,
    }
}

/// How many parts of so many bytes one row of an array has; of its whole, it is not a row.
fn row_of(array: &SharedArray, each: u32) -> Option<u32> {
    let mut bytes = array.element_bytes()?;
    for extent in array.extents.iter().skip(1).rev() {
        if bytes == each {
            return Some(*extent);
        }
        bytes *= extent;
    }
    None
}

/// The arrays that have a size of their own.
fn arrays(program: &Program) -> Vec<Extent> {
    let shared =
        program.shared.iter().filter(|array| array.bytes > 0 && program.blocks_together() == 1);
    let shared = shared.map(|array| Extent {
        name: array.name.clone(),
        space: Space::Shared,
        base: array.offset.into(),
        bytes: array.bytes.into(),
    });
    let local = program.frames.iter().flat_map(|frame| &frame.variables).map(|one| Extent {
        name: one.name.clone(),
        space: Space::Local,
        base: one.offset.into(),
        bytes: one.bytes.into(),
    });
    shared.chain(local).collect()
}
