//! The types of the elements behind a kernel's pointers, by what it does with the values.

use super::roles::{Places, bases, origins};
use super::union_find::UnionFind;
use crate::matrix::{ElementType, Operand};
use crate::sim::{Inst, Program, Reg, RowInit};
use ptx::{
    BinaryOp, BitsOp, LaneOp, MatrixOp, MemoryOp, Op, Permute, Space, Type, Use, WarpOp,
    WgmmaOperandA,
};
use std::collections::HashSet;

/// Facts about values, as a set of bits.
type Evidence = u16;

const F32: Evidence = 1;
const F64: Evidence = 2;
const F16: Evidence = 4;
const BF16: Evidence = 8;
const FLOATS: Evidence = F32 | F64 | F16 | BF16;
/// Converted, or multiplied, from 8 bits with a sign or without.
const S8: Evidence = 16;
const U8: Evidence = 32;
/// An integer without a sign by its arithmetic; most is the same for both.
const UNSIGNED: Evidence = 64;
const INTEGER: Evidence = 128;
/// Loaded or stored as 8 bits without a sign, which compilers do for both.
const LOADED_U8: Evidence = 256;

/// The values of A, B and C, before those of the registers.
const OPERANDS: usize = 3;
/// Values in shared memory that are accessed with 1, 2, 4 and 8 bytes, and those in local memory.
const SHARED: usize = OPERANDS;
const LOCAL: usize = SHARED + 4;
const REGISTERS: usize = LOCAL + 1;

/// The facts about a kernel's values.
struct ValueFacts {
    /// The matrices from whose pointer each register may be derived, one bit each.
    origins: Vec<Option<Places>>,
    /// Registers of constants, which are shared by unrelated values.
    constants: HashSet<usize>,
    /// Those that are 0.
    zeros: HashSet<usize>,
    same: UnionFind,
    evidence: Vec<(usize, Evidence)>,
    /// The widths in bytes of the accesses to A, B and C.
    widths: [Vec<u32>; 3],
    /// Those of the accesses to shared memory.
    shared: Vec<u32>,
    /// Values and their upper halves: the bfloat16 of a float32.
    upper: Vec<(usize, usize)>,
    /// Matrices that are copied to shared memory without a register.
    copied: Places,
    /// Whether matrix instructions read shared memory: ldmatrix, and the factors of wgmma.
    by_matrices: Evidence,
}

/// The element type of a matrix, as far as it can be inferred.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FoundElements {
    Type(ElementType),
    /// They are not used, or only moved, as words of 4 bytes: any type of that width will do.
    Words,
    /// They are used in several ways, or moved with another width.
    Doubtful,
}

/// Returns what the kernel's use of A, B and C, whose pointers lie at these offsets of the parameter
/// block, says of their elements.
pub(super) fn types(program: &Program, pointers: &[(u32, Operand)]) -> [FoundElements; 3] {
    let places = |offset| {
        let of = pointers.iter().filter(|(at, _)| *at == offset);
        of.fold(0, |all, (_, operand)| all | 1 << *operand as usize)
    };
    let values = ValueFacts::in_program(program, places);
    Operand::ALL.map(|operand| values.of(operand))
}

/// Returns the type of what a kernel keeps in shared memory, if all of it has one type by its use.
pub(super) fn in_shared(program: &Program) -> Option<ElementType> {
    let values = ValueFacts::in_program(program, |_| 0);
    let first = *values.shared.first()?;
    let is_alike = values.shared.iter().all(|width| *width == first);
    let known = values.whole(SHARED + first.ilog2() as usize) | values.by_matrices;
    match found(known, Some(first)) {
        FoundElements::Type(of) if is_alike && u32::from(of.bytes()) <= first => Some(of),
        _ => None,
    }
}

fn node(reg: Reg) -> usize {
    REGISTERS + reg.number()
}

/// What an operand's type says of it; integers only where an instruction computes with them.
const fn of_type(ty: Type) -> Evidence {
    match ty {
        Type::F32 | Type::Tf32 => F32,
        Type::F64 => F64,
        Type::F16 | Type::F16x2 => F16,
        Type::Bf16 | Type::Bf16x2 => BF16,
        Type::S8 => S8,
        Type::U8 => U8,
        _ => 0,
    }
}

/// Registers that always hold what `is` says: from the start, or as copies of such alone. A zero of one
/// register is stored here and counted from there.
fn always(program: &Program, is: impl Fn(&RowInit) -> bool) -> HashSet<usize> {
    let given = program.init.iter().filter(|(_, init)| is(init));
    let given: HashSet<_> = given.map(|(reg, _)| reg.number()).collect();
    let (mut moved, mut computed) = (HashSet::new(), HashSet::new());
    for inst in &program.insts {
        match &inst.op {
            Op::Lane(LaneOp::Mov { dst, src, .. }) if given.contains(&src.number()) => {
                moved.insert(dst.number());
            }
            op => {
                let written = op.operands().into_iter().filter(|(.., how)| how.writes());
                computed.extend(written.map(|(reg, ..)| reg.number()));
            }
        }
    }
    moved.difference(&computed).copied().chain(given.iter().copied()).collect()
}

impl ValueFacts {
    /// The facts about a program in which `places` says which parameters point to which matrices.
    fn in_program(program: &Program, places: impl Fn(u32) -> Places) -> Self {
        let registers = program.insts.iter().flat_map(|inst| inst.op.operands());
        let count = registers.map(|(reg, ..)| reg.number() + 1).max().unwrap_or(0);
        let mut values = ValueFacts {
            origins: origins(program, places),
            constants: always(program, |_| true),
            zeros: always(program, |init| *init == RowInit::Constant(0)),
            same: UnionFind::of(REGISTERS + count),
            evidence: Vec::new(),
            widths: Default::default(),
            shared: Vec::new(),
            upper: Vec::new(),
            copied: 0,
            by_matrices: 0,
        };
        program.insts.iter().for_each(|inst| values.take(inst));
        values
    }

    fn say(&mut self, reg: Reg, what: Evidence) {
        self.evidence.push((node(reg), what));
    }

    /// Two registers hold the same value, or one is a part of the other.
    fn copies(&mut self, a: Reg, b: Reg) {
        self.lies_in(node(a), b);
    }

    fn lies_in(&mut self, among: usize, reg: Reg) {
        if !self.constants.contains(&reg.number()) {
            self.same.join(among, node(reg));
        }
    }

    fn take(&mut self, inst: &Inst) {
        let typed = inst.op.operands();
        for (reg, ty, _) in
            typed.iter().filter(|(_, ty, how)| *how != Use::Address && ty.is_float())
        {
            self.say(*reg, of_type(*ty));
        }
        match &inst.op {
            Op::Lane(op) => self.lane(op),
            Op::Memory(op) => self.memory(inst, op),
            Op::Matrix(op) => self.matrix(inst, op),
            Op::Warp(op) if matches!(op.op, WarpOp::Shuffle(_)) => {
                if let (Some(dst), Some(src)) = (op.dst, op.args.first()) {
                    self.copies(dst, *src);
                }
            }
            op if op.is_async_copy() => self.copied |= bases(inst, &self.origins),
            _ => {}
        }
    }

    fn lane(&mut self, op: &LaneOp<Reg>) {
        match op {
            LaneOp::Mov { dst, src, .. } => self.copies(*dst, *src),
            LaneOp::Selp { dst, a, b, .. } => {
                self.copies(*dst, *a);
                self.copies(*dst, *b);
            }
            LaneOp::Pack { dst, parts, .. } => match parts[..] {
                [low, high] if self.is_zero(low) => self.upper.push((node(*dst), node(high))),
                _ => parts.iter().for_each(|part| self.copies(*dst, *part)),
            },
            LaneOp::Unpack { parts, src, .. } => {
                for part in parts {
                    self.copies(*src, *part);
                }
            }
            LaneOp::Binary { op: BinaryOp::Shl | BinaryOp::And, dst, a, .. } => {
                self.upper.push((node(*dst), node(*a)));
            }
            LaneOp::Binary { op: BinaryOp::Or | BinaryOp::Xor | BinaryOp::Shr, .. } => {}
            LaneOp::Bits { op: BitsOp::Permute(Permute::Index), dst, args, .. } => {
                args[..2].iter().for_each(|arg| self.upper.push((node(*dst), node(*arg))));
            }
            LaneOp::Bits { op: BitsOp::Dot { a_signed, b_signed, .. }, dst, args, .. } => {
                for (arg, signed) in args.iter().zip([a_signed, b_signed]) {
                    self.say(*arg, if *signed { S8 } else { U8 });
                }
                self.say(*dst, INTEGER);
            }
            LaneOp::Cvt { to, from, dst, src, .. } => {
                // C promotes 16 bits to an int wherever they are copied.
                let promotes = !to.is_float() && !from.is_float();
                if promotes && matches!((to.bits(), from.bits()), (16, 32) | (32, 16)) {
                    self.copies(*dst, *src);
                }
                self.computes(*dst, *to);
                self.computes(*src, *from);
            }
            LaneOp::Binary { ty, dst, a, b, .. } | LaneOp::Factors { ty, dst, a, b, .. } => {
                for reg in [dst, a, b] {
                    self.computes(*reg, *ty);
                }
            }
            LaneOp::Ternary { ty, dst, abc, .. } => {
                [dst].into_iter().chain(abc).for_each(|reg| self.computes(*reg, *ty));
            }
            _ => {}
        }
    }

    /// An instruction computes with this value as of this type.
    fn computes(&mut self, reg: Reg, ty: Type) {
        let what = match ty {
            Type::S8 => S8 | INTEGER,
            Type::U8 => U8 | INTEGER,
            Type::U16 | Type::U32 | Type::U64 => INTEGER | UNSIGNED,
            Type::S16 | Type::S32 | Type::S64 | Type::B16 | Type::B32 | Type::B64 => INTEGER,
            _ => 0,
        };
        self.say(reg, what);
    }

    fn is_zero(&self, reg: Reg) -> bool {
        self.zeros.contains(&reg.number())
    }

    fn memory(&mut self, inst: &Inst, op: &MemoryOp<Reg>) {
        match op {
            MemoryOp::Ld { space, ty, dst: regs, .. }
            | MemoryOp::St { space, ty, src: regs, .. } => {
                for reg in regs {
                    if matches!(ty, Type::S8 | Type::U8) {
                        self.say(*reg, if *ty == Type::S8 { S8 } else { LOADED_U8 });
                    }
                }
                self.meets(inst, *space, *ty, regs);
            }
            MemoryOp::Atom { space, ty, dst, args, .. } => {
                args.iter().chain(dst).for_each(|reg| self.computes(*reg, *ty));
                let regs: Vec<_> = args.iter().chain(dst).copied().collect();
                self.meets(inst, *space, *ty, &regs);
            }
            MemoryOp::Fence(_) => {}
        }
    }

    /// Values go to or come from memory.
    fn meets(&mut self, inst: &Inst, space: Space, ty: Type, regs: &[Reg]) {
        let of = bases(inst, &self.origins);
        let bytes = ty.bits().div_ceil(8);
        for operand in Operand::ALL.into_iter().filter(|operand| of & 1 << *operand as usize != 0) {
            self.widths[operand as usize].push(bytes);
            for reg in regs {
                self.lies_in(operand as usize, *reg);
            }
        }
        let place = match space {
            Space::Local => LOCAL,
            Space::Shared => SHARED + bytes.ilog2() as usize,
            Space::Generic if of == 0 => SHARED + bytes.ilog2() as usize,
            _ => return,
        };
        if place != LOCAL {
            self.shared.push(bytes);
        }
        for reg in regs {
            self.lies_in(place, *reg);
        }
    }

    fn matrix(&mut self, inst: &Inst, op: &MatrixOp<Reg>) {
        match op {
            MatrixOp::LdMatrix { dst: regs, .. } | MatrixOp::StMatrix { src: regs, .. } => {
                for reg in regs {
                    self.lies_in(SHARED + 2, *reg);
                }
            }
            MatrixOp::MovMatrix { dst, src } => self.copies(*dst, *src),
            MatrixOp::LdFragment(fragment) | MatrixOp::StFragment(fragment) => {
                let what =
                    of_type(fragment.ty) | if fragment.ty == Type::S32 { INTEGER } else { 0 };
                for reg in &fragment.regs {
                    self.say(*reg, what);
                }
                self.meets(inst, fragment.space, fragment.ty, &fragment.regs);
            }
            MatrixOp::Mma(products) => {
                for product in products {
                    let [a, b] = product.factors.map(of_type);
                    let sum =
                        of_type(product.sum) | if product.sum == Type::S32 { INTEGER } else { 0 };
                    for reg in &product.a {
                        self.say(*reg, a);
                    }
                    for reg in &product.b {
                        self.say(*reg, b);
                    }
                    let addend = of_type(product.addend);
                    product.c.iter().for_each(|reg| self.say(*reg, addend | sum & INTEGER));
                    product.d.iter().for_each(|reg| self.say(*reg, sum));
                }
            }
            MatrixOp::Wgmma(product) => {
                let [a, b] = product.factors.map(of_type);
                self.by_matrices |= a | b;
                let sum = of_type(product.sum) | if product.sum == Type::S32 { INTEGER } else { 0 };
                for reg in &product.d {
                    self.say(*reg, sum);
                }
                if let WgmmaOperandA::Registers(regs) = &product.a {
                    for reg in regs {
                        self.say(*reg, a);
                    }
                }
            }
            MatrixOp::WgmmaFence | MatrixOp::WgmmaGroup(_) => {}
        }
    }

    /// All that is known of the values that are the same as this one.
    fn known(&self, value: usize) -> Evidence {
        let class = self.same.class(value);
        let said = self.evidence.iter().filter(|(of, _)| self.same.class(*of) == class);
        said.fold(0, |all, (_, what)| all | what)
    }

    /// What is known, with what is known of the float32 whose upper half it is.
    fn whole(&self, value: usize) -> Evidence {
        let class = self.same.class(value);
        let mut whole = self.upper.iter().filter(|(_, half)| self.same.class(*half) == class);
        let is_upper = whole.any(|(whole, _)| self.known(*whole) & FLOATS == F32);
        self.known(value) | if is_upper { BF16 } else { 0 }
    }

    fn of(&self, operand: Operand) -> FoundElements {
        let own = self.whole(operand as usize);
        let is_copied = self.copied & 1 << operand as usize != 0;
        let in_shared = || (SHARED..LOCAL).fold(self.by_matrices, |all, of| all | self.whole(of));
        let goes_on = is_copied
            || (SHARED..LOCAL).any(|of| self.same.class(of) == self.same.class(operand as usize));
        let known = if own == 0 && goes_on { in_shared() } else { own };
        let width = self.widths[operand as usize].iter().min().copied();
        found(known, width)
    }
}

/// What is found out of values of which this is known, and which are accessed with at least this
/// number of bytes.
fn found(known: Evidence, width: Option<u32>) -> FoundElements {
    match known & FLOATS {
        F32 => FoundElements::Type(ElementType::F32),
        F64 => FoundElements::Type(ElementType::F64),
        F16 => FoundElements::Type(ElementType::F16),
        BF16 => FoundElements::Type(ElementType::Bf16),
        0 => match width.map(|width| (width, integer(known, width))) {
            Some((_, Some(of))) => FoundElements::Type(of),
            None | Some((4, None)) => FoundElements::Words,
            Some(_) => FoundElements::Doubtful,
        },
        _ => FoundElements::Doubtful,
    }
}

/// The integer type of values that are no floats.
fn integer(known: Evidence, width: u32) -> Option<ElementType> {
    let is_unsigned = known & UNSIGNED != 0;
    match width {
        _ if known & S8 != 0 => Some(ElementType::I8),
        _ if known & U8 != 0 => Some(ElementType::U8),
        1 if known & LOADED_U8 != 0 => Some(ElementType::U8),
        2 if known & INTEGER != 0 => {
            Some(if is_unsigned { ElementType::U16 } else { ElementType::I16 })
        }
        4 if known & INTEGER != 0 => {
            Some(if is_unsigned { ElementType::U32 } else { ElementType::I32 })
        }
        8 if known & INTEGER != 0 => {
            Some(if is_unsigned { ElementType::U64 } else { ElementType::I64 })
        }
        _ => None,
    }
}
