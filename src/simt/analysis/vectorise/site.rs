//! The accesses of a program to shared and global memory as ptxas sees them: their addresses and
//! units.

use super::dataflow::{Dataflow, DataflowFacts, MemoryVersion, SPACES};
use super::route::Origin;
use super::sass_access::SassAccess;
use super::value::{Base, SymbolicValue};
use crate::sim::flow::relevant;
use crate::sim::{Inst, Pc, Program, Reg};
use ptx::{BinaryOp, LaneOp, MemoryOp, Op, Space, Strength, TernaryOp, Type, UnaryOp, Width};
use std::collections::HashSet;

/// Whether only some lanes execute an access, and what the others hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AccessGuard {
    /// All lanes that reach it execute it.
    None,
    /// Only some do; in the others the destination register of a load keeps its value.
    Kept,
    /// Only some do; in the others the destination register of a load is undefined.
    Undefined,
}

/// One load or store.
#[derive(Clone, Debug)]
pub(super) struct Site {
    /// Its instruction.
    pub(super) pc: usize,
    /// The basic block that contains it.
    pub(super) block: usize,
    /// Shared or global memory.
    pub(super) space: Space,
    pub(super) load: bool,
    /// The unknown part of its address.
    pub(super) base: Base,
    /// Where the register in its address came from.
    pub(super) origin: Origin,
    /// The constant inside the address.
    pub(super) inner: i64,
    /// The constant added to both.
    pub(super) offset: i64,
    /// Trailing zeros of the base plus the inner constant.
    pub(super) zeros: u8,
    /// The stores that a load may see.
    pub(super) version: MemoryVersion,
    /// Bytes of a unit: the part that may be combined with others, or cut from the rest of a
    /// vector.
    pub(super) unit: u8,
    /// Whether each unit is needed; always so for a store.
    pub(super) needed: Vec<bool>,
    /// The lanes that execute it.
    pub(super) guard: AccessGuard,
    /// Whether it is combined with no other: volatile, bytes, or 16 bits that are extended to 32.
    pub(super) alone: bool,
    /// Whether its 16 bits are only chosen by a `selp`, which ptxas extends or not.
    pub(super) selected: bool,
    /// What else tells two loads of the same bytes apart.
    pub(super) way: LoadMode,
    /// Bytes of an element: the smallest access into which it may be split.
    pub(super) element: u8,
    /// The elements that it has, and of which a value has an effect.
    pub(super) elements: AccessElements,
}

/// How a load loads: ptxas combines none with another that does it differently.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct LoadMode {
    /// Performed exactly as written.
    pub(super) volatile: bool,
    /// `ld.global.nc`: no store is ordered with it.
    pub(super) constant: bool,
    /// Whether the 8 or 16 bits have a sign.
    pub(super) signed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AccessElements {
    One,
    /// A vector, all of it needed.
    All,
    /// A vector with an element that is not needed.
    Some,
    /// A pair of 16-bit elements with one that is needed: SASS loads no more than it.
    Half(SassAccess),
}

impl Site {
    /// Returns the bytes from the base to each needed unit.
    pub(super) fn units(&self) -> impl Iterator<Item = i64> {
        let offset = |(index, _)| self.offset + index as i64 * i64::from(self.unit);
        self.needed.iter().enumerate().filter(|(_, needed)| **needed).map(offset)
    }

    /// Whether only some lanes execute it.
    pub(super) fn is_guarded(&self) -> bool {
        self.guard != AccessGuard::None
    }

    /// The access as one unit.
    fn whole(self) -> Self {
        Self { unit: self.bytes(), needed: vec![self.needed.contains(&true)], ..self }
    }

    /// Whether both access a byte, if their bases are the same.
    pub(super) fn overlaps(&self, other: &Self) -> bool {
        let [a, b] = [self, other].map(|site| site.inner + site.offset);
        a < b + i64::from(other.bytes()) && b < a + i64::from(self.bytes())
    }

    /// Whether it is a vector that is never taken apart.
    pub(super) fn is_one(&self) -> bool {
        let small = self.unit <= 4 && self.is_across();
        self.is_vector() && (small || self.unit > self.element.max(4))
    }

    /// Whether its offset is no multiple of its size.
    pub(super) fn is_across(&self) -> bool {
        self.offset.rem_euclid(self.bytes().into()) != 0
    }

    pub(super) fn is_vector(&self) -> bool {
        self.elements != AccessElements::One
    }

    /// Whether no value that it loads has an effect, so that ptxas removes it.
    pub(super) fn is_unneeded(&self) -> bool {
        !self.needed.contains(&true)
    }

    /// What is executed if it is combined with no other.
    pub(super) fn piece(&self) -> SassAccess {
        match self.elements {
            AccessElements::Half(piece) => piece,
            _ => SassAccess { shift: 0, bytes: self.bytes() },
        }
    }

    /// Bytes that the instruction accesses per lane.
    pub(super) fn bytes(&self) -> u8 {
        self.unit * self.needed.len() as u8
    }
}

/// Finds the accesses of a block, from the state before it.
pub(super) fn sites(
    program: &Program,
    dataflow: &mut Dataflow<'_>,
    needs: &Needs,
    (block, insts): (usize, std::ops::Range<usize>),
    mut state: DataflowFacts,
) -> Vec<Site> {
    let mut sites = Vec::new();
    for pc in insts {
        let inst = program.inst(Pc(pc as u32));
        if let Some(access) = WrittenAccess::of(inst, needs) {
            let value = dataflow.value(access.address, &state);
            let origin = dataflow.origin(access.address, &state);
            let undefined = |dst| dataflow.is_undefined(dst, &state);
            let guard = match inst.guard {
                None => AccessGuard::None,
                Some(_) if inst.loads_into().is_some_and(undefined) => AccessGuard::Undefined,
                Some(_) => AccessGuard::Kept,
            };
            let constant = access.way.constant;
            let ordered = |version| if constant { MemoryVersion::Start } else { version };
            let version = ordered(state.version(access.space));
            let site = access.site((pc, block), dataflow, (value, origin), version);
            let site = Site { guard, ..site };
            sites.push(if site.is_guarded() { site.whole() } else { site });
        }
        dataflow.step(pc, &mut state);
    }
    sites
}

/// The access of an instruction, as written.
struct WrittenAccess {
    space: Space,
    address: Reg,
    displacement: i64,
    load: bool,
    unit: u8,
    needed: Vec<bool>,
    alone: bool,
    element: u8,
    selected: bool,
    way: LoadMode,
    elements: AccessElements,
}

impl WrittenAccess {
    fn of(inst: &Inst, needs: &Needs) -> Option<Self> {
        let (space, addr, ty, regs, strength, constant, load) = match &inst.op {
            Op::Memory(MemoryOp::Ld { space, ty, dst, addr, strength, constant }) => {
                (*space, addr, *ty, dst, *strength, *constant, true)
            }
            Op::Memory(MemoryOp::St { space, ty, src, addr, strength }) => {
                (*space, addr, *ty, src, *strength, false, false)
            }
            _ => return None,
        };
        if !SPACES.contains(&space) {
            return None;
        }
        let bytes = ty.bytes() as usize;
        // A vector of small elements counts as one of 32-bit words.
        let unit = if regs.len() == 1 { bytes } else { bytes.max((bytes * regs.len()).min(4)) };
        let volatile = strength == Strength::Volatile;
        let is_needed = |reg: &Reg| volatile || !load || needs.is_needed(*reg);
        let needed = regs.chunks(unit / bytes).map(|regs| regs.iter().any(is_needed)).collect();
        let elements = elements(ty, &regs.iter().map(is_needed).collect::<Vec<_>>());
        let extended = || load && needs.extends(regs[0], ty.is_signed());
        let small = unit == 1 || (unit == 2 && (regs.len() > 1 || extended()));
        Some(Self {
            space,
            address: addr.base,
            displacement: addr.offset,
            load,
            unit: unit as u8,
            needed,
            alone: volatile || small || matches!(elements, AccessElements::Half(_)),
            element: bytes as u8,
            selected: load && bytes == 2 && needs.selected.contains(&regs[0]),
            way: LoadMode {
                volatile,
                constant,
                signed: ty.is_signed()
                    && bytes < 4
                    && (unit < 4 || matches!(elements, AccessElements::Half(_))),
            },
            elements,
        })
    }

    fn site(
        self,
        (pc, block): (usize, usize),
        dataflow: &Dataflow<'_>,
        (value, origin): (SymbolicValue, Origin),
        version: MemoryVersion,
    ) -> Site {
        let Self {
            space,
            displacement,
            load,
            unit,
            needed,
            alone,
            element,
            selected,
            way,
            elements,
            ..
        } = self;
        // A fully known address counts from the start of shared memory. Where a variable in global
        // memory lies is known only when the module is loaded (H200, tests/data/kernel/foreign/constant.ptx:
        // its loads stay apart).
        let is_shared = space == Space::Shared;
        let symbol = dataflow.bases.symbol(value.base).filter(|_| is_shared && value.inner == 0);
        let (base, zeros) = match symbol {
            Some(_) => (Base::ZERO, u8::MAX),
            None if is_shared => (value.base, value.zeros),
            None => (value.base, 0),
        };
        let outer = value.outer.wrapping_add(displacement);
        let offset = wrapped(outer.wrapping_add(symbol.map_or(0, i64::from)), space);
        // Measured: a vector at an offset that is no multiple of its size is never taken apart.
        let bytes = unit * needed.len() as u8;
        let whole = offset.rem_euclid(bytes.into()) != 0 && !needed.contains(&false);
        let inner = wrapped(value.inner, space);
        let site = Site {
            pc,
            block,
            space,
            load,
            base,
            origin,
            inner,
            offset,
            zeros,
            version,
            unit,
            needed,
            guard: AccessGuard::None,
            alone,
            element,
            selected,
            way,
            elements,
        };
        if whole { site.whole() } else { site }
    }
}

fn elements(ty: Type, needed: &[bool]) -> AccessElements {
    match *needed {
        [_] => AccessElements::One,
        [first, second] if ty.bytes() == 2 && first != second => {
            AccessElements::Half(SassAccess { shift: if first { 0 } else { 2 }, bytes: 2 })
        }
        _ if needed.contains(&false) => AccessElements::Some,
        _ => AccessElements::All,
    }
}

/// Wraps a constant of an address to 32 bits in shared memory, whatever the PTX adds up.
fn wrapped(constant: i64, space: Space) -> i64 {
    if space == Space::Shared { (constant as i32).into() } else { constant }
}

/// Registers whose values finally have an effect, and those whose 16 bits are extended to 32.
pub(super) struct Needs {
    /// By a register's number.
    needed: Vec<bool>,
    /// Whose zero-extension is used, and whose sign-extension.
    extended: [HashSet<Reg>; 2],
    /// What a `selp` chooses.
    selected: HashSet<Reg>,
}

impl Needs {
    pub(super) fn of(program: &Program) -> Self {
        let needed =
            relevant(&program.insts, |inst| if is_plain(inst) { Vec::new() } else { read(inst) });
        let is_choice = |inst: &&Inst| matches!(inst.op, Op::Lane(LaneOp::Selp { .. }));
        let selected = program.insts.iter().filter(is_choice).flat_map(read).collect();
        let extended = [false, true].map(|signed| extended(program, signed));
        Self { needed, extended, selected }
    }

    fn is_needed(&self, reg: Reg) -> bool {
        self.needed[reg.number()]
    }

    /// Whether a loaded 16-bit value is extended as the load does.
    fn extends(&self, reg: Reg, signed: bool) -> bool {
        self.extended[usize::from(signed)].contains(&reg)
    }
}

/// The registers into which a 16-bit load stays a load of its own, as ptxas merges it with the
/// extension to 32 bits.
fn extended(program: &Program, signed: bool) -> HashSet<Reg> {
    let wide = program.registers.iter().filter(|register| register.ty.bits() > 16);
    let mut found: HashSet<_> = wide.map(|register| register.reg).collect();
    for inst in &program.insts {
        if extends(&inst.op, signed) {
            found.extend(read(inst));
        }
    }
    let moves: Vec<_> = program.insts.iter().filter_map(copied).collect();
    loop {
        let before = found.len();
        for (dst, src) in &moves {
            if found.contains(dst) {
                found.insert(*src);
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

/// Measured (tests/data/analysis/joins/halves.ptx): the instructions that SASS has on 32 bits only, for
/// which a 16-bit operand is extended. For some, the load's extension has to be of the operand's
/// signedness.
fn extends<L>(op: &Op<Reg, L>, signed: bool) -> bool {
    let Op::Lane(op) = op else { return false };
    match op {
        LaneOp::Cvt { to, from, .. } if from.bits() == 16 => match from {
            Type::Bf16 => *to == Type::F32,
            from => {
                from.is_integer() && to.is_integer() && to.bits() > 16 && from.is_signed() == signed
            }
        },
        LaneOp::Binary { op, ty, .. } if is_half(*ty) => match op {
            BinaryOp::Shr | BinaryOp::Mul(Width::Lo | Width::Wide) => ty.is_signed() == signed,
            op => matches!(
                op,
                BinaryOp::And
                    | BinaryOp::Or
                    | BinaryOp::Xor
                    | BinaryOp::Add
                    | BinaryOp::Sub
                    | BinaryOp::Shl
            ),
        },
        LaneOp::Unary { op: UnaryOp::Not, ty, .. } => is_half(*ty),
        LaneOp::Selp { ty, .. } => ty.bits() == 16,
        LaneOp::Ternary { op: TernaryOp::Mad(Width::Lo | Width::Wide), ty, .. }
        | LaneOp::Setp { ty, .. } => is_half(*ty) && ty.is_signed() == signed,
        _ => false,
    }
}

fn is_half(ty: Type) -> bool {
    ty.bits() == 16 && !ty.is_float()
}

/// The registers of a move.
fn copied(inst: &Inst) -> Option<(Reg, Reg)> {
    match inst.op {
        Op::Lane(LaneOp::Mov { dst, src, .. }) => Some((dst, src)),
        _ => None,
    }
}

/// Whether an instruction has no effect but the registers that it writes.
fn is_plain(inst: &Inst) -> bool {
    inst.op.is_of_registers()
        || matches!(&inst.op, Op::Memory(MemoryOp::Ld { strength, space, .. })
            if *strength != Strength::Volatile && *space != Space::Generic)
}

/// Returns the registers that an instruction reads.
fn read(inst: &Inst) -> Vec<Reg> {
    let operands = inst.op.operands().into_iter().filter(|(.., how)| !how.writes());
    operands.map(|(reg, ..)| reg).chain(inst.guard.map(|(reg, _)| reg)).collect()
}
