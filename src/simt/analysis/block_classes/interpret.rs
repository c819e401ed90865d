//! Interprets the first block of a region to its end, to see whether every block of the region does
//! the same.

use super::affine::Affine;
use super::region::{AXES, Region, RegionCut};
use super::slopes::{Slopes, gcd};
use super::transfer::TransferFunction;
use super::unclassed::{Dependent, NotClassifiable, Unclassed};
use crate::analysis::grid::{GridCount, Observer, no_end};
use crate::analysis::{Counters, banks, coalesce};
use crate::sim::flow::relevant;
use crate::sim::{
    Access, AsyncEffect, Effect, Fault, Inst, LaneMask, Machine, Pc, Program, Reg, Repeats,
    Repetition, Route, RowInit,
};
use crate::work::WorkToken;
use ptx::{Collective, ControlOp, LaneOp, MatrixOp, MemoryOp, Op, Space, Use};

/// Why the blocks of a region may not do the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Obstacle {
    /// They differ along this axis; where to cut it.
    Cut(usize, RegionCut),
    /// No classes can be found.
    End(NotClassifiable),
}

/// The registers that each instruction reads and writes, and which instructions cannot affect lanes
/// or addresses.
pub(super) struct RegisterUses {
    read: Vec<Vec<Reg>>,
    written: Vec<Vec<Reg>>,
    /// Of the registers read, the addresses; a copy has two, the source first.
    addresses: Vec<Vec<Reg>>,
    /// Of the registers read, others that determine which bytes of memory are touched.
    extents: Vec<Vec<Reg>>,
    /// For each instruction, whether it only writes registers on which no address and no lane
    /// depends.
    idle: Vec<bool>,
    registers: usize,
}

impl RegisterUses {
    pub(super) fn of(program: &Program) -> Self {
        let operands = |of: fn(Use) -> bool| -> Vec<Vec<Reg>> {
            let of = |(reg, _, how): (Reg, _, Use)| of(how).then_some(reg);
            let insts = program.insts.iter();
            insts.map(|inst| inst.op.operands().into_iter().filter_map(of).collect()).collect()
        };
        let (read, written) = (operands(Use::reads), operands(Use::writes));
        let addresses = operands(|how| how == Use::Address);
        let extents = operands(|how| how == Use::Extent);
        let guards = program.insts.iter().filter_map(|inst| inst.guard).map(|(reg, _)| reg);
        let start = program.init.iter().map(|(reg, _)| *reg);
        let all = read.iter().chain(&written).flatten().copied().chain(guards).chain(start);
        let registers = all.map(Reg::number).max().map_or(0, |last| last + 1);
        let matters = relevant(&program.insts, decisive);
        let idle = |(inst, written): (&Inst, &Vec<Reg>)| {
            inst.op.is_of_registers() && !written.iter().any(|reg| matters[reg.number()])
        };
        let idle = program.insts.iter().zip(&written).map(idle).collect();
        Self { read, written, addresses, extents, idle, registers }
    }
}

/// Returns the registers by which an instruction decides on lanes, addresses or barriers: its
/// guard, and what it reads unless it only works on registers. Stored values are loaded again as
/// data, which must not decide anything where there are classes.
fn decisive(inst: &Inst) -> Vec<Reg> {
    let stored = stored(&inst.op);
    let decides = |(reg, _, how): &(Reg, _, Use)| !how.writes() && !stored.contains(reg);
    let mut operands = inst.op.operands();
    operands.retain(|operand| !inst.op.is_of_registers() && decides(operand));
    operands.into_iter().map(|(reg, ..)| reg).chain(inst.guard.map(|(reg, _)| reg)).collect()
}

/// Returns the registers that an instruction stores or multiplies without examining them.
fn stored(op: &Op<Reg, Pc>) -> Vec<Reg> {
    match op {
        Op::Memory(MemoryOp::St { src, .. }) | Op::Matrix(MatrixOp::StMatrix { src, .. }) => {
            src.clone()
        }
        Op::Matrix(MatrixOp::Wgmma(product)) => product.registers().collect(),
        _ => Vec::new(),
    }
}

/// Instructions of a block between two questions whether to go on: some milliseconds.
const LOOK: u64 = 1 << 16;

/// Runs `machine`, the first block of `region`, and counts it with `count`. Returns an obstacle
/// unless all blocks of the region do the same.
///
/// A fault is an end like any other: see [`classes`](super::classes). `token` may cancel the run.
pub(super) fn follow(
    mut machine: Machine,
    budget: u64,
    flow: &RegisterUses,
    (region, token): (&Region, &WorkToken),
    count: &mut GridCount,
) -> Result<Result<Counters, Fault>, Obstacle> {
    count.take();
    let spreads = at_start(machine.program(), flow, region);
    let mut warps = vec![spreads; machine.warps()];
    let mut repetition = Repetition::default();
    for issued in 0..budget {
        let repeats = repetition.sees(&machine).or_else(|| repetition.outlasts(budget));
        if repeats.as_ref().is_some_and(|of| !matches!(of, Repeats::UnlessWritten(_))) {
            return Ok(Err(no_end(&machine, issued, repeats)));
        }
        if issued % LOOK == LOOK - 1 && token.execute(LOOK).is_break() {
            return Err(Obstacle::End(NotClassifiable::Cancelled));
        }
        let Some((warp, pc, lanes)) = machine.ahead() else {
            return Ok(machine.step().map(|_| count.take()));
        };
        let here = IssuingWarp { machine: &machine, flow, region, warp, pc };
        let idle = flow.idle[pc.0 as usize];
        let [slopes, slopes_into] = if idle {
            here.guarded(&warps[warp], lanes).map(|_| [[0; 3]; 2])?
        } else {
            here.pass(&mut warps[warp], lanes)?
        };
        if idle && machine.skip().is_some() {
            count.step(&machine);
            continue;
        }
        if let Err(fault) = machine.step() {
            return Ok(Err(fault));
        }
        count.step(&machine);
        let step = machine.last();
        // Lanes that waited here for others get the result that the last arrival completed.
        let waited = step.active.without(lanes);
        if !waited.is_empty() {
            let here = IssuingWarp { machine: &machine, flow, region, warp, pc };
            here.write(&mut warps[warp], waited)?;
        }
        let copy = match &step.effect {
            // A copy that lands was examined when it began.
            Effect::Async(AsyncEffect::Landed(_)) => continue,
            Effect::Async(effect) => effect.copy(),
            _ => None,
        };
        let slopes_of_both = [slopes, slopes_into];
        let both = copy.into_iter().flatten().zip(slopes_of_both);
        let all = step.accesses().iter().filter(|_| copy.is_none()).map(|access| (access, slopes));
        for (access, slopes) in both.chain(all) {
            same_cost(region, &machine, access, slopes)?;
        }
    }
    Ok(Err(no_end(&machine, budget, None)))
}

/// Returns how the registers change from block to block before the first instruction.
fn at_start(program: &Program, flow: &RegisterUses, region: &Region) -> Vec<Affine> {
    let mut spreads = vec![Affine::default(); flow.registers];
    for (reg, init) in &program.init {
        let spread = &mut spreads[reg.number()];
        match init {
            RowInit::Special(special) => {
                if let Some(axis) = special.axis_of_block() {
                    spread.axes[axis].slope = region.slope(axis);
                }
            }
            RowInit::Constant(_)
            | RowInit::Shared(_)
            | RowInit::Local(_)
            | RowInit::Param(..)
            | RowInit::ParamAddress(_) => {}
        }
    }
    spreads
}

/// A warp about to execute an instruction.
struct IssuingWarp<'a> {
    machine: &'a Machine,
    flow: &'a RegisterUses,
    region: &'a Region,
    warp: usize,
    pc: Pc,
}

impl IssuingWarp<'_> {
    /// Applies the instruction's transfer function to the warp's registers, for the `lanes` that
    /// reach it. Returns how the addresses of its memory accesses change along each axis; a copy
    /// has two.
    fn pass(&self, spreads: &mut [Affine], lanes: LaneMask) -> Result<[Slopes; 2], Obstacle> {
        let lanes = self.guarded(spreads, lanes)?;
        let slopes = self.slopes(spreads, lanes)?;
        self.write(spreads, lanes)?;
        Ok(slopes)
    }

    /// Writes the instruction's result to `lanes`.
    fn write(&self, spreads: &mut [Affine], lanes: LaneMask) -> Result<(), Obstacle> {
        let result = self.result(spreads, lanes)?;
        for reg in &self.flow.written[self.pc.0 as usize] {
            spreads[reg.number()].write(&result, lanes);
        }
        Ok(())
    }

    /// Returns how the addresses change along each axis; everything else that determines which
    /// memory is touched must be the same in all blocks.
    fn slopes(&self, spreads: &[Affine], lanes: LaneMask) -> Result<[Slopes; 2], Obstacle> {
        let at = self.pc.0 as usize;
        // Lanes take addresses from one another.
        let lanes = if matches!(self.op(), Op::Matrix(_)) { LaneMask::ALL } else { lanes };
        let mut slopes = [[0; 3]; 2];
        for (slopes, reg) in slopes.iter_mut().zip(&self.flow.addresses[at]) {
            *slopes = self.address(&spreads[reg.number()], lanes)?;
        }
        for reg in &self.flow.extents[at] {
            self.constant(&spreads[reg.number()], lanes, Dependent::Address)?;
        }
        Ok(slopes)
    }

    /// Returns the `Affine` of the instruction's result, if it has one. Which lanes jump, wait or
    /// communicate, and at which barrier, must be the same in all blocks.
    fn result(&self, spreads: &[Affine], lanes: LaneMask) -> Result<Affine, Obstacle> {
        let of = |reg: &Reg| &spreads[reg.number()];
        let constant = |reg: &Reg, what| self.constant(of(reg), lanes, what);
        Ok(match self.op() {
            Op::Lane(op) => self.lane_wise(op, spreads, lanes),
            Op::Memory(_) | Op::Matrix(_) | Op::Async(_) => Affine::DATA,
            Op::Warp(Collective { args, members, .. }) => {
                members.iter().try_for_each(|members| constant(members, Dependent::Lanes))?;
                Affine::of_all_lanes(args.iter().map(of))
            }
            Op::Control(op) => match op {
                ControlOp::Bra { .. }
                | ControlOp::Exit
                | ControlOp::Trap { .. }
                | ControlOp::Hint => Affine::DATA,
                ControlOp::Switch { index, .. } => {
                    constant(index, Dependent::Lanes)?;
                    Affine::DATA
                }
                ControlOp::Bar { id, threads, .. } => {
                    constant(id, Dependent::Barrier)?;
                    threads.iter().try_for_each(|threads| constant(threads, Dependent::Barrier))?;
                    Affine::DATA
                }
                // Blocks of one class have issued the same number of instructions at this point.
                ControlOp::Clock { .. } => Affine::default(),
                ControlOp::Call { .. } | ControlOp::CallMissing { .. } | ControlOp::Ret => {
                    return Err(self.unclassed(Dependent::Unknown));
                }
            },
        })
    }

    fn lane_wise(&self, op: &LaneOp<Reg>, spreads: &[Affine], lanes: LaneMask) -> Affine {
        let (machine, region, warp) = (self.machine, self.region, self.warp);
        let rule = TransferFunction { machine, region, warp, lanes, spreads };
        let index = self.pc.0 as usize;
        let bits = self.flow.written[index].first().map_or(0, |reg| reg.bits());
        rule.result(op, &self.flow.read[index], bits)
    }

    fn op(&self) -> &Op<Reg, Pc> {
        &self.machine.program().inst(self.pc).op
    }

    /// Returns the lanes that pass the guard; they must be the same in all blocks.
    fn guarded(&self, spreads: &[Affine], lanes: LaneMask) -> Result<LaneMask, Obstacle> {
        let Some((reg, negated)) = self.machine.program().inst(self.pc).guard else {
            return Ok(lanes);
        };
        self.known(&spreads[reg.number()], lanes, Dependent::Lanes)?;
        let holds = self.machine.predicate(self.warp, reg);
        Ok(if negated { lanes.without(holds) } else { lanes.and(holds) })
    }

    /// Requires that each of `lanes` has a constant slope, which may be 0.
    fn known(&self, spread: &Affine, lanes: LaneMask, what: Dependent) -> Result<(), Obstacle> {
        if !spread.data.and(lanes).is_empty() {
            return Err(self.unclassed(what));
        }
        let differs =
            AXES.into_iter().find(|axis| !spread.axes[*axis].varies.and(lanes).is_empty());
        differs.map_or(Ok(()), |axis| Err(Obstacle::Cut(axis, spread.axes[axis].cut)))
    }

    fn unclassed(&self, what: Dependent) -> Obstacle {
        let line = self.machine.program().inst(self.pc).line;
        Obstacle::End(NotClassifiable::Unclassed(Unclassed { what, pc: self.pc, line }))
    }

    /// Requires that an address has a constant slope.
    fn address(&self, spread: &Affine, lanes: LaneMask) -> Result<Slopes, Obstacle> {
        self.known(spread, lanes, Dependent::Address)?;
        Ok(spread.axes.map(|along| along.slope))
    }

    /// Requires that a value is the same in all blocks.
    fn constant(&self, spread: &Affine, lanes: LaneMask, what: Dependent) -> Result<(), Obstacle> {
        self.known(spread, lanes, what)?;
        let moves = AXES.into_iter().find(|axis| spread.axes[*axis].slope != 0);
        moves.map_or(Ok(()), |axis| Err(Obstacle::Cut(axis, RegionCut::Half)))
    }
}

/// Requires that an access whose addresses have these slopes costs the same in every block, lies in
/// the same buffer and is equally aligned.
fn same_cost(
    region: &Region,
    machine: &Machine,
    access: &Access,
    slopes: Slopes,
) -> Result<(), Obstacle> {
    if access.active.is_empty() || slopes == [0; 3] {
        return Ok(());
    }
    let unit = match (access.route, access.space) {
        (Route::CopyAll | Route::CopyGlobal | Route::CopyGlobalSized, _) => coalesce::LINE,
        (_, Space::Shared) => banks::WORD,
        _ => coalesce::SECTOR,
    };
    let unit = unit.max(access.bytes.into());
    for axis in AXES {
        let residues = unit / gcd(unit, slopes[axis].unsigned_abs());
        if slopes[axis] != 0 && residues > 1 {
            return Err(Obstacle::Cut(axis, RegionCut::Residues(residues as u32)));
        }
    }
    let slopes = slopes.map(i128::from);
    let (less, more) = region.extent(slopes);
    for (_, addr) in access.touched() {
        let Some((first, end)) = around(machine, access.space, addr) else {
            let (axis, _) = region.leaves(0, slopes, (0, 0));
            return Err(Obstacle::Cut(axis, RegionCut::Half));
        };
        let (low, high) = (first, end - i128::from(access.bytes));
        let addr = i128::from(addr);
        if addr + less < low || addr + more > high {
            let (axis, cut) = region.leaves(addr, slopes, (low, high));
            return Err(Obstacle::Cut(axis, cut));
        }
    }
    Ok(())
}

/// Returns the first byte of the memory that contains an address, and the byte after its last.
fn around(machine: &Machine, space: Space, addr: u64) -> Option<(i128, i128)> {
    match space {
        Space::Shared => Some((0, 4 * machine.shared().len() as i128)),
        Space::Global => {
            let (buffer, _) = machine.memory().locate(addr)?;
            let base = i128::from(buffer.base);
            Some((base, base + i128::from(buffer.bytes)))
        }
        Space::Distributed | Space::Generic | Space::Local | Space::Const | Space::Param => None,
    }
}
