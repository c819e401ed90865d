//! The shared accesses of a program as ptxas sees them: their addresses and units.

use super::dataflow::{Dataflow, State, Touch, Version, touch};
use super::value::{Base, Value};
use crate::ptx::{LaneOp, MemoryOp, Op, Space, Strength, Type};
use crate::sim::flow::relevant;
use crate::sim::{Inst, Pc, Program, Reg};
use std::collections::{HashMap, HashSet};

/// Whether only some lanes execute an access, and what the others hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Guard {
    /// All lanes that reach it execute it.
    None,
    /// Only some do; in the others the destination register of a load keeps its value.
    Kept,
    /// Only some do; in the others the destination register of a load is undefined.
    Undefined,
}

/// One load from shared memory or store to it.
#[derive(Clone, Debug)]
pub(super) struct Site {
    /// Its instruction.
    pub(super) pc: usize,
    /// The basic block that contains it.
    pub(super) block: usize,
    /// Whether it loads.
    pub(super) load: bool,
    /// The unknown part of its address.
    pub(super) base: Base,
    /// The constant inside the address.
    pub(super) inner: i64,
    /// The constant added to both.
    pub(super) offset: i64,
    /// Trailing zeros of the base plus the inner constant.
    pub(super) zeros: u8,
    /// The stores that a load may see.
    pub(super) version: Version,
    /// Bytes of a unit: the part that may be combined with others, or cut from the rest of a
    /// vector.
    pub(super) unit: u8,
    /// Whether each unit is needed; always so for a store.
    pub(super) needed: Vec<bool>,
    /// The lanes that execute it.
    pub(super) guard: Guard,
    /// Whether it is left as written: volatile, bytes, or 16 bits extended to more.
    pub(super) alone: bool,
}

impl Site {
    /// Returns the bytes from the base to each needed unit.
    pub(super) fn units(&self) -> impl Iterator<Item = i64> {
        let offset = |(index, _)| self.offset + index as i64 * i64::from(self.unit);
        self.needed.iter().enumerate().filter(|(_, needed)| **needed).map(offset)
    }

    /// Whether only some lanes execute it.
    pub(super) fn is_guarded(&self) -> bool {
        self.guard != Guard::None
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
    mut state: State,
) -> Vec<Site> {
    let mut sites = Vec::new();
    for pc in insts {
        let inst = program.inst(Pc(pc as u32));
        if matches!(touch(&inst.op), Touch::Load | Touch::Store)
            && let Some(access) = Access::of(inst, needs)
        {
            let value = dataflow.value(access.address, &state);
            let undefined = |dst| dataflow.is_undefined(dst, &state);
            let guard = match inst.guard {
                None => Guard::None,
                Some(_) if inst.loads_into().is_some_and(undefined) => Guard::Undefined,
                Some(_) => Guard::Kept,
            };
            let site = access.site(pc, block, dataflow, value, state.version);
            sites.push(Site { guard, ..site });
        }
        dataflow.step(pc, &mut state);
    }
    sites
}

/// The access of an instruction, as written.
struct Access {
    address: Reg,
    displacement: i64,
    load: bool,
    unit: u8,
    needed: Vec<bool>,
    alone: bool,
}

impl Access {
    fn of(inst: &Inst, needs: &Needs) -> Option<Self> {
        let (addr, ty, regs, strength, load) = match &inst.op {
            Op::Memory(MemoryOp::Ld { ty, dst, addr, strength, .. }) => {
                (addr, *ty, dst, *strength, true)
            }
            Op::Memory(MemoryOp::St { ty, src, addr, strength, .. }) => {
                (addr, *ty, src, *strength, false)
            }
            _ => return None,
        };
        let bytes = ty.bytes() as usize;
        // A vector of small elements counts as one of 32-bit words.
        let unit = if regs.len() == 1 { bytes } else { bytes.max((bytes * regs.len()).min(4)) };
        let volatile = strength == Strength::Volatile;
        let is_needed = |reg: &Reg| volatile || !load || needs.is_needed(*reg);
        let needed = regs.chunks(unit / bytes).map(|regs| regs.iter().any(is_needed)).collect();
        let small =
            unit == 1 || (unit == 2 && (regs.len() > 1 || (load && needs.extends(regs[0]))));
        Some(Self {
            address: addr.base,
            displacement: addr.offset,
            load,
            unit: unit as u8,
            needed,
            alone: volatile || small,
        })
    }

    fn site(
        self,
        pc: usize,
        block: usize,
        dataflow: &Dataflow<'_>,
        value: Value,
        version: Version,
    ) -> Site {
        let Self { displacement, load, unit, needed, alone, .. } = self;
        // A fully known address counts from the start of shared memory.
        let symbol = dataflow.bases.symbol(value.base).filter(|_| value.inner == 0);
        let (base, zeros) = match symbol {
            Some(_) => (Base::ZERO, u8::MAX),
            None => (value.base, value.zeros),
        };
        let outer = value.outer.wrapping_add(displacement);
        let offset = word(outer.wrapping_add(symbol.map_or(0, i64::from)));
        let inner = word(value.inner);
        Site {
            pc,
            block,
            load,
            base,
            inner,
            offset,
            zeros,
            version,
            unit,
            needed,
            guard: Guard::None,
            alone,
        }
    }
}

/// Wraps a constant of a shared-memory address to 32 bits, whatever the PTX adds up.
fn word(constant: i64) -> i64 {
    (constant as i32).into()
}

/// Registers whose values finally have an effect, and those wider than 16 bits.
pub(super) struct Needs {
    /// By a register's number.
    needed: Vec<bool>,
    wide: HashSet<Reg>,
}

impl Needs {
    pub(super) fn of(program: &Program) -> Self {
        let needed =
            relevant(&program.insts, |inst| if is_plain(inst) { Vec::new() } else { read(inst) });
        let types: HashMap<_, _> = program.registers.iter().map(|r| (r.reg, r.ty)).collect();
        let is_wide = |(_, ty): &(&Reg, &Type)| ty.bits() > 16;
        let mut wide: HashSet<_> = types.iter().filter(is_wide).map(|(reg, _)| *reg).collect();
        for inst in &program.insts {
            // ptxas merges the load and the extension.
            if let Op::Lane(LaneOp::Cvt { to, from, src, .. }) = &inst.op
                && to.is_integer()
                && from.is_integer()
                && to.bits() > from.bits()
            {
                wide.insert(*src);
            }
        }
        Self { needed, wide }
    }

    fn is_needed(&self, reg: Reg) -> bool {
        self.needed[reg.number()]
    }

    /// Whether a loaded 16-bit value is extended.
    fn extends(&self, reg: Reg) -> bool {
        self.wide.contains(&reg)
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
