//! The value of every register at every instruction, as far as ptxas knows it, computed to a fixpoint.

use super::route::{ComputedAt, Origin, RouteStep, Routes};
use super::value::{Atom, Base, Bases, RegisterNumbers, SymbolicValue, zeros};
use crate::sim::flow::{FlowGraph, solve};
use crate::sim::{Inst, Pc, Program, Reg, RowInit, Special};
use ptx::{
    AsyncOp, BinaryOp, BitsOp, Collective, ControlOp, CopyGroup, LaneOp, MatrixOp, MemoryOp, Op,
    Space, TernaryOp, Type, UnaryOp, WarpOp, Width,
};
use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

/// Rounds over the program after which the analysis gives up; real kernels need two to four.
const MOST_ROUNDS: usize = 50;

/// Number of values (blocks times registers) above which the analysis gives up: each takes up to 64
/// bytes. The catalogue's largest kernel has some 3 million.
const MOST_VALUES: usize = 1 << 23;

/// Trailing zeros of the address at which ptxas places shared memory in its window (compute
/// capability 9.0).
const WINDOW_ZEROS: u8 = 10;

/// The stores to its memory space that a load may see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum MemoryVersion {
    /// None.
    Start,
    /// Those up to this instruction, which writes the space or waits for others.
    After(usize),
    /// Different ones on different paths to this block.
    Met(usize),
}

/// The memory spaces whose accesses ptxas combines.
pub(super) const SPACES: [Space; 2] = [Space::Shared, Space::Global];

/// An instruction's effect on a memory space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MemoryEffect {
    /// None, or none that keeps accesses from being combined.
    None,
    /// It loads from the space.
    Load,
    /// It stores to the space.
    Store,
    /// ptxas moves no access past it: a barrier, a fence, a store that may go to the space.
    Fence,
}

/// Measured: the instructions across which ptxas moves no load from `of`.
pub(super) fn touch<L>(op: &Op<Reg, L>, of: Space) -> MemoryEffect {
    match op {
        Op::Memory(op) => match op {
            MemoryOp::Ld { space, constant: false, .. } if *space == of => MemoryEffect::Load,
            MemoryOp::St { space, .. } if *space == of => MemoryEffect::Store,
            MemoryOp::St { space: Space::Generic, .. } => MemoryEffect::Fence,
            MemoryOp::Atom { space, .. } if of == Space::Shared && *space == Space::Global => {
                MemoryEffect::None
            }
            MemoryOp::Ld { .. } | MemoryOp::St { .. } => MemoryEffect::None,
            _ => MemoryEffect::Fence,
        },
        Op::Matrix(MatrixOp::LdMatrix { .. } | MatrixOp::LdFragment(_)) => match of {
            Space::Shared => MemoryEffect::Load,
            _ => MemoryEffect::None,
        },
        Op::Warp(Collective { op, .. }) if *op != WarpOp::Sync => MemoryEffect::None,
        Op::Async(AsyncOp::CopyGroup(CopyGroup::Commit))
        | Op::Control(
            ControlOp::Bra { .. }
            | ControlOp::Switch { .. }
            | ControlOp::Exit
            | ControlOp::Trap { .. }
            | ControlOp::Clock { .. },
        ) => MemoryEffect::None,
        op if op.is_of_registers() => MemoryEffect::None,
        _ => MemoryEffect::Fence,
    }
}

/// What is known of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct RegisterFact {
    /// `None` where nothing has been written yet.
    value: Option<SymbolicValue>,
    /// Where it came from.
    origin: Origin,
}

/// Registers of which a block that writes none of them has the facts in common with the block before.
const TOGETHER: usize = 32;

/// The facts known before one instruction.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct DataflowFacts {
    /// By a register's number, [`TOGETHER`] in each piece.
    registers: Vec<Rc<[RegisterFact]>>,
    /// The version of each of [`SPACES`].
    versions: [MemoryVersion; 2],
}

impl DataflowFacts {
    /// Returns the value of the register with that number.
    pub(super) fn number(&self, register: u32) -> Option<SymbolicValue> {
        self.fact(register).value
    }

    fn fact(&self, register: u32) -> RegisterFact {
        let register = register as usize;
        self.registers[register / TOGETHER][register % TOGETHER]
    }

    fn set(&mut self, register: u32, fact: RegisterFact) {
        let register = register as usize;
        Rc::make_mut(&mut self.registers[register / TOGETHER])[register % TOGETHER] = fact;
    }

    pub(super) fn version(&self, space: Space) -> MemoryVersion {
        self.versions[usize::from(space != Space::Shared)]
    }
}

/// A program under analysis.
pub(super) struct Dataflow<'p> {
    program: &'p Program,
    pub(super) bases: Bases,
    numbers: RegisterNumbers,
    routes: Routes,
    /// The results of instructions, by what they compute: ptxas computes none twice.
    results: HashMap<(BinaryOp, Type, [SymbolicValue; 2]), Atom>,
}

impl<'p> Dataflow<'p> {
    pub(super) fn new(program: &'p Program) -> Self {
        let mut numbers = RegisterNumbers::default();
        for (reg, _) in &program.init {
            numbers.number(*reg);
        }
        for inst in &program.insts {
            for (reg, ..) in inst.op.operands() {
                numbers.number(reg);
            }
        }
        let (bases, routes) = (Bases::default(), Routes::default());
        Self { program, bases, numbers, routes, results: HashMap::new() }
    }

    /// Returns the state before each block, `None` for one that cannot be reached. Returns `None`
    /// if the analysis does not converge or would take too much memory.
    pub(super) fn settle(&mut self, flow: &FlowGraph) -> Option<Vec<Option<DataflowFacts>>> {
        if flow.blocks.len() * self.numbers.len() > MOST_VALUES {
            return None;
        }
        let start = self.start();
        let patience = MOST_ROUNDS * flow.blocks.len();
        let this = RefCell::new(self);
        let solution = solve(
            &flow.graph,
            &[(0, start)],
            patience,
            |block, before| Some(this.borrow_mut().pass(&flow.blocks[block], before.clone())),
            |block, state, other| this.borrow_mut().join(block, state, other),
        );
        Some(solution?.before)
    }

    /// Returns the state after a block.
    fn pass(&mut self, block: &Range<usize>, mut state: DataflowFacts) -> DataflowFacts {
        block.clone().for_each(|pc| self.step(pc, &mut state));
        state
    }

    /// Joins the states of two paths to a block.
    fn join(&mut self, block: usize, state: &mut DataflowFacts, other: &DataflowFacts) {
        for (piece, (own, came)) in state.registers.iter_mut().zip(&other.registers).enumerate() {
            let differ = |index: &usize| own[*index] != came[*index];
            let differing = (0..own.len()).filter(|_| !Rc::ptr_eq(own, came)).filter(differ);
            for index in differing.collect::<Vec<_>>() {
                let number = (piece * TOGETHER + index) as u32;
                let [a, b] = [own[index].value, came[index].value];
                let route = self.routes.intern(RouteStep::Met(block, number));
                let origin = Origin { route, place: ComputedAt::Block(block as u32) };
                let mut value = a;
                if a != b {
                    let zeros = a.iter().chain(&b).map(|one| one.all_zeros()).min().unwrap_or(0);
                    value = Some(self.bases.unknown(Atom::Met(block, number), zeros));
                }
                Rc::make_mut(own)[index] = RegisterFact { value, origin };
            }
        }
        for (version, other) in state.versions.iter_mut().zip(other.versions) {
            if *version != other {
                *version = MemoryVersion::Met(block);
            }
        }
    }

    fn start(&mut self) -> DataflowFacts {
        let mut values = vec![None; self.numbers.len()];
        for (reg, init) in &self.program.init {
            let number = self.numbers.number(*reg);
            values[number as usize] = Some(match *init {
                RowInit::Constant(value) => SymbolicValue::constant(signed(value)),
                RowInit::Shared(offset) => {
                    let zeros = WINDOW_ZEROS.min(zeros(offset.into()));
                    self.bases.unknown(Atom::Symbol(offset), zeros)
                }
                _ => self.bases.unknown(Atom::Initial(number), 0),
            });
        }
        let numbered = (0..).zip(values);
        let facts: Vec<_> = numbered
            .map(|(number, value)| RegisterFact { value, origin: self.initial(number) })
            .collect();
        let registers = facts.chunks(TOGETHER).map(Rc::from).collect();
        DataflowFacts { registers, versions: [MemoryVersion::Start; 2] }
    }

    /// Returns the value of an operand.
    pub(super) fn value(&mut self, reg: Reg, state: &DataflowFacts) -> SymbolicValue {
        let number = self.numbers.number(reg);
        state.number(number).unwrap_or_else(|| self.bases.unknown(Atom::Initial(number), 0))
    }

    fn initial(&mut self, number: u32) -> Origin {
        Origin { route: self.routes.intern(RouteStep::Initial(number)), place: ComputedAt::START }
    }

    /// Returns where an operand's value came from.
    pub(super) fn origin(&mut self, reg: Reg, state: &DataflowFacts) -> Origin {
        state.fact(self.numbers.number(reg)).origin
    }

    /// Whether all lanes start with the same value in the register with that number.
    pub(super) fn is_uniform(&self, number: u32) -> bool {
        let is = |reg: &Reg| self.numbers.known(*reg) == Some(number);
        let init = self.program.init.iter().find(|(reg, _)| is(reg));
        init.is_some_and(|(_, init)| {
            !matches!(
                init,
                RowInit::Special(Special::Tid(_) | Special::LaneId | Special::LaneMask(_))
            )
        })
    }

    /// Whether nothing has been written to a register yet.
    pub(super) fn is_undefined(&mut self, reg: Reg, state: &DataflowFacts) -> bool {
        state.number(self.numbers.number(reg)).is_none()
    }

    /// Applies one instruction to the state.
    pub(super) fn step(&mut self, pc: usize, state: &mut DataflowFacts) {
        let Inst { op, guard, .. } = self.program.inst(Pc(pc as u32));
        let result = self.result(pc as u32, op, state);
        let origin = self.routed(pc as u32, op, state);
        let written = op.operands().into_iter().filter(|(.., how)| how.writes());
        for (index, (reg, ..)) in written.enumerate() {
            let number = self.numbers.number(reg);
            let atom = Atom::Written(pc as u32, index as u32);
            let mut value = match result {
                Some((dst, value)) if dst == reg => value,
                _ => self.bases.unknown(atom, 0),
            };
            if guard.is_some() {
                let old = state.number(number).map_or(u8::MAX, SymbolicValue::all_zeros);
                value = self.bases.unknown(atom, old.min(value.all_zeros()));
            }
            let origin = match origin {
                Some((dst, origin)) if dst == reg && guard.is_none() => origin,
                _ => {
                    let route = self.routes.intern(RouteStep::Written(pc as u32, index as u32));
                    Origin { route, place: ComputedAt::Inst(pc as u32) }
                }
            };
            state.set(number, RegisterFact { value: Some(value), origin });
        }
        for (space, version) in SPACES.into_iter().zip(&mut state.versions) {
            if matches!(touch(op, space), MemoryEffect::Store | MemoryEffect::Fence) {
                *version = MemoryVersion::After(pc);
            }
        }
    }

    /// Returns the register that an instruction computes, and its origin, where that is followed.
    fn routed(
        &mut self,
        pc: u32,
        op: &Op<Reg, Pc>,
        state: &DataflowFacts,
    ) -> Option<(Reg, Origin)> {
        let Op::Lane(op) = op else { return None };
        let Self { routes, numbers, .. } = self;
        let number = |reg| numbers.known(reg).expect("every operand has a number");
        let is_known = |reg| state.number(number(reg)).is_some_and(|value| value.known().is_some());
        routes.result(pc, op, is_known, |reg| state.fact(number(reg)).origin)
    }

    /// Returns the register that an instruction computes and its value, or `None` where ptxas knows
    /// nothing about it.
    fn result(
        &mut self,
        pc: u32,
        op: &Op<Reg, Pc>,
        state: &DataflowFacts,
    ) -> Option<(Reg, SymbolicValue)> {
        let mut of = |reg: &Reg| self.value(*reg, state);
        let atom = Atom::Written(pc, 0);
        let Op::Lane(op) = op else { return None };
        Some(match op {
            LaneOp::Mov { dst, src, .. } | LaneOp::Cvta { dst, src, .. } => (*dst, of(src)),
            LaneOp::Cvt { to, from, float, dst, src, .. } if is_word(*to) && is_word(*from) => {
                let src = of(src);
                let same = to.bits() >= 32 && from.bits() >= 32 && !float.sat;
                let zeros = if float.sat { 0 } else { src.all_zeros() };
                let value = match same {
                    true if to.bits() > from.bits() => self.bases.widened(src, from.is_signed()),
                    true => src,
                    false => self.bases.unknown(atom, zeros),
                };
                (*dst, value)
            }
            LaneOp::Pack { dst, parts, .. } => (*dst, of(parts.first()?)),
            LaneOp::Unpack { parts, src, .. } => (*parts.first()?, of(src)),
            LaneOp::Unary { op: UnaryOp::Neg, ty, dst, a, .. } if is_word(*ty) => {
                let a = of(a);
                (*dst, self.bases.scale(a, -1))
            }
            LaneOp::Binary { op, ty, dst, a, b, .. } if is_word(*ty) => {
                let operands = [of(a), of(b)];
                (*dst, self.binary(*op, *ty, operands, atom)?)
            }
            LaneOp::Ternary { op: TernaryOp::Mad(width), ty, dst, abc: [a, b, c], .. } => {
                let [a, b, c] = [of(a), of(b), of(c)];
                let product = self.binary(BinaryOp::Mul(*width), *ty, [a, b], atom)?;
                (*dst, self.bases.add(product, c, Atom::Written(pc, 1)))
            }
            LaneOp::Bits { op: BitsOp::Mul24 { high: false, .. }, dst, args, .. } => {
                let (a, b) = (of(args.first()?), of(args.get(1)?));
                let product = self.multiply(a, b, atom);
                let Some(c) = args.get(2) else { return Some((*dst, product)) };
                let c = self.value(*c, state);
                (*dst, self.bases.add(product, c, atom))
            }
            LaneOp::Insert { dst, a, b, position, .. } => {
                let [a, b, position] = [of(a), of(b), of(position)];
                let position = u8::try_from(position.known()?).ok()?;
                let zeros = b.all_zeros().min(a.all_zeros().saturating_add(position));
                (*dst, self.bases.unknown(atom, zeros))
            }
            LaneOp::Selp { dst, a, b, .. } => {
                let zeros = of(a).all_zeros().min(of(b).all_zeros());
                (*dst, self.bases.unknown(atom, zeros))
            }
            _ => return None,
        })
    }

    /// Whether a value comes from a bitwise instruction: ptxas merges two of these into one `LOP3`.
    fn is_logic(&self, base: Base) -> bool {
        let [(Atom::Written(pc, _), 1)] = *self.bases.sum(base) else { return false };
        let logic = [BinaryOp::And, BinaryOp::Or, BinaryOp::Xor];
        matches!(&self.program.inst(Pc(pc)).op, Op::Lane(LaneOp::Binary { op, .. }) if logic.contains(op))
    }

    fn multiply(&mut self, a: SymbolicValue, b: SymbolicValue, atom: Atom) -> SymbolicValue {
        match (a.known(), b.known()) {
            (Some(a), _) => self.bases.scale(b, a),
            (None, Some(b)) => self.bases.scale(a, b),
            (None, None) => self.bases.unknown(atom, a.all_zeros().saturating_add(b.all_zeros())),
        }
    }

    /// Measured: for the other operations, even a right shift or a minimum, ptxas keeps no trailing
    /// zeros.
    fn binary(
        &mut self,
        op: BinaryOp,
        ty: Type,
        [a, b]: [SymbolicValue; 2],
        atom: Atom,
    ) -> Option<SymbolicValue> {
        let atom = *self.results.entry((op, ty, [a, b])).or_insert(atom);
        let (known, other) = match (a.known(), b.known()) {
            (Some(a), _) => (Some(a), b),
            (None, b) => (b, a),
        };
        let zeros = match op {
            BinaryOp::Add => return Some(self.bases.add(a, b, atom)),
            BinaryOp::Sub => return Some(self.bases.subtract(a, b, atom)),
            BinaryOp::Mul(Width::Lo) => return Some(self.multiply(a, b, atom)),
            BinaryOp::Mul(Width::Wide) => {
                let [a, b] = [a, b].map(|one| self.bases.widened(one, ty.is_signed()));
                return Some(self.multiply(a, b, atom));
            }
            BinaryOp::Shl => match b.known() {
                Some(by @ 0..=63) => return Some(self.bases.scale(a, 1 << by)),
                Some(_) => return None,
                None => a.all_zeros(),
            },
            BinaryOp::And => a.all_zeros().max(b.all_zeros()),
            BinaryOp::Or => match known {
                Some(bits)
                    if bits >= 0
                        && bits < 1 << other.all_zeros().min(62)
                        && !self.is_logic(other.base) =>
                {
                    return Some(other.with_bits(bits));
                }
                _ => a.all_zeros().min(b.all_zeros()),
            },
            BinaryOp::Xor => a.all_zeros().min(b.all_zeros()),
            BinaryOp::Rem if !ty.is_signed() && b.known().is_some_and(|b| b.count_ones() == 1) => {
                a.all_zeros()
            }
            _ => return None,
        };
        Some(self.bases.unknown(atom, zeros))
    }
}

/// Reads a constant as signed: 32-bit ones are stored without their sign.
fn signed(value: u64) -> i64 {
    u32::try_from(value).map_or(value as i64, |word| i64::from(word as i32))
}

/// Whether values of the type can be a part of an address.
fn is_word(ty: Type) -> bool {
    !ty.is_float() && ty != Type::Pred
}
