//! The data flow of each instruction: which bytes of registers affect which.

use super::low;
use super::moment::StepValues;
use crate::sim::{Inst, LaneMask, Pc, Program, Reg, RowInit, Transfer};
use ptx::{
    AsyncOp, AtomicOp, BinaryOp, BitsOp, Collective, ControlOp, LaneOp, MatrixOp, MemoryOp, Mma,
    Op, Permute, Type, Use, WarpOp, Wgmma,
};

/// How an instruction propagates values; in each lane separately unless noted.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ValueFlow {
    /// It does not: branches, barriers, comparisons.
    Nothing,
    /// Values pass from register to register: moved, converted, split, packed or combined, some of
    /// them only where the predicate `by` selects them.
    Pass { edges: Vec<Edge>, by: Option<Reg> },
    /// Elements of `size` bytes are loaded from memory.
    Load { to: Vec<Reg>, size: u8 },
    /// Elements of `size` bytes are stored to memory.
    Store { from: Vec<Reg>, size: u8 },
    /// Bytes move between lanes, into these registers or into memory: see [`super::exchange`].
    Exchange { op: Box<Op<Reg, Pc>>, to: Vec<Reg> },
    /// The values of all lanes are reduced to one, which all receive.
    Reduce { from: Reg, to: Reg },
    /// A matrix product in registers: see [`super::multiply`].
    Multiply(Vec<Mma<Reg>>),
    /// A `wgmma`, whose factors may be in shared memory. It counts as done where it begins: until
    /// it is complete nothing else may use its operands.
    Product(Box<Wgmma<Reg>>),
    /// Elements of memory are changed or replaced by the lanes' values, one lane after another;
    /// `to` receives the old values. Of a vector each element has `each` of the registers.
    Atomic { to: Vec<Reg>, from: Vec<Reg>, each: usize, size: u8, replaces: bool },
    /// A function is called: these arguments go to its local memory.
    Enter(Vec<Transfer>),
    /// A function returns: see [`super::moment::StepValues::results`].
    Leave,
    /// An asynchronous copy from global to shared memory begins.
    Copy,
    /// Asynchronous copies land.
    Land,
    /// Transfers land, or go to global memory.
    Transfers,
    /// Elements of `size` bytes are on their way to distributed shared memory, where they land
    /// when they are waited for.
    Send { from: Vec<Reg>, size: u8 },
}

/// Bytes of one register that flow into another; sets of bytes are bit masks, the lowest byte
/// first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Edge {
    pub(super) from: Reg,
    pub(super) to: Reg,
    how: ByteMapping,
    /// Only in the lanes where the predicate has this value; in all lanes if `None`.
    chosen: Option<bool>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ByteMapping {
    /// Unchanged: `count` bytes from byte `from` of the source, at byte `to` of the target.
    Bytes { from: u8, to: u8, count: u8 },
    /// Changed: these bytes of the target depend on some part of the source.
    Into(u8),
    /// Combined with other values: these bytes of the source flow into these of the target.
    Combined { from: u8, to: u8 },
}

impl Edge {
    /// Copies `count` bytes of `source` from byte `from` to byte `to` of `target`.
    const fn bytes(source: Reg, target: Reg, (from, to, count): (u8, u8, u8)) -> Self {
        Self { from: source, to: target, how: ByteMapping::Bytes { from, to, count }, chosen: None }
    }

    /// The source, changed, in these bytes of the target.
    const fn into(source: Reg, target: Reg, bytes: u8) -> Self {
        Self { from: source, to: target, how: ByteMapping::Into(bytes), chosen: None }
    }

    /// These bytes of the source, combined with others, in these of the target.
    const fn combined(source: Reg, target: Reg, (from, to): (u8, u8)) -> Self {
        Self { from: source, to: target, how: ByteMapping::Combined { from, to }, chosen: None }
    }

    /// Whether other values flow into the result.
    pub(super) const fn combines(self) -> bool {
        matches!(self.how, ByteMapping::Combined { .. })
    }

    /// The lanes of a step to which it applies.
    pub(super) fn lanes(self, moment: &StepValues) -> LaneMask {
        let active = moment.step.active;
        match self.chosen {
            None => active,
            Some(true) => active.and(moment.chosen),
            Some(false) => active.without(moment.chosen),
        }
    }

    /// Returns the bytes of `from` that flow into these bytes of `to`.
    pub(super) const fn back(self, mask: u8) -> u8 {
        match self.how {
            ByteMapping::Bytes { from, to, count } => (mask >> to & low(count as u64)) << from,
            ByteMapping::Into(to) => u8::MAX * (mask & to != 0) as u8,
            ByteMapping::Combined { from, to } => from * (mask & to != 0) as u8,
        }
    }

    /// Returns the bytes of `to` into which these bytes of `from` flow.
    pub(super) const fn on(self, mask: u8) -> u8 {
        match self.how {
            ByteMapping::Bytes { from, to, count } => (mask >> from & low(count as u64)) << to,
            ByteMapping::Into(to) => to * (mask != 0) as u8,
            ByteMapping::Combined { from, to } => to * (mask & from != 0) as u8,
        }
    }
}

/// Returns the data flow of every instruction of a program.
pub(super) fn flows(program: &Program) -> Vec<ValueFlow> {
    let each = (0..).zip(&program.insts);
    each.map(|(pc, inst)| flow(program, Pc(pc), inst)).collect()
}

/// The data flow of an instruction: a table with an arm for each kind.
fn flow(program: &Program, pc: Pc, inst: &Inst) -> ValueFlow {
    match &inst.op {
        Op::Lane(op) => within_lane(program, op, values(&inst.op)),
        Op::Memory(op) => with_memory(op),
        Op::Async(op) => in_flight(op),
        Op::Matrix(MatrixOp::Mma(products)) => ValueFlow::Multiply(products.clone()),
        Op::Matrix(MatrixOp::Wgmma(product)) => ValueFlow::Product(product.clone()),
        Op::Matrix(MatrixOp::WgmmaFence | MatrixOp::WgmmaGroup(_)) => ValueFlow::Nothing,
        Op::Matrix(_) | Op::Warp(Collective { op: WarpOp::Shuffle(_), .. }) => exchange(&inst.op),
        Op::Warp(Collective { op: WarpOp::Reduce(_), dst: Some(dst), args, .. }) => {
            ValueFlow::Reduce { from: args[0], to: *dst }
        }
        Op::Control(ControlOp::Call { .. }) => {
            ValueFlow::Enter(program.calls.get(&pc).map_or_else(Vec::new, |site| site.args.clone()))
        }
        Op::Control(ControlOp::Ret) => ValueFlow::Leave,
        // The other ways in which lanes communicate only yield conditions.
        Op::Warp(Collective {
            op:
                WarpOp::Reduce(_)
                | WarpOp::Vote(_)
                | WarpOp::Match { .. }
                | WarpOp::Elect
                | WarpOp::ActiveMask
                | WarpOp::Sync,
            ..
        })
        | Op::Control(
            ControlOp::Bra { .. }
            | ControlOp::Switch { .. }
            | ControlOp::Bar { .. }
            | ControlOp::CallMissing { .. }
            | ControlOp::Exit
            | ControlOp::Trap { .. }
            | ControlOp::Clock { .. }
            | ControlOp::Hint,
        ) => ValueFlow::Nothing,
    }
}

/// The data flow of an instruction between a lane's registers and memory.
fn with_memory(op: &MemoryOp<Reg>) -> ValueFlow {
    match op {
        MemoryOp::Ld { ty, dst, .. } => ValueFlow::Load { to: dst.clone(), size: ty.bytes() as u8 },
        MemoryOp::St { ty, src, .. } => {
            ValueFlow::Store { from: src.clone(), size: ty.bytes() as u8 }
        }
        MemoryOp::Atom { op, ty, dst, args, .. } => ValueFlow::Atomic {
            to: dst.clone(),
            from: args.clone(),
            each: op.operands(),
            size: ty.bytes().min(8) as u8,
            replaces: *op == AtomicOp::Exchange,
        },
        MemoryOp::Fence(_) => ValueFlow::Nothing,
    }
}

/// The data flow of an instruction that starts something, or waits for it.
fn in_flight(op: &AsyncOp<Reg>) -> ValueFlow {
    match op {
        AsyncOp::Copy { .. } => ValueFlow::Copy,
        AsyncOp::CopyGroup(_) => ValueFlow::Land,
        AsyncOp::Store(store) => {
            ValueFlow::Send { from: store.src.clone(), size: store.ty.bytes() as u8 }
        }
        AsyncOp::MapShared { dst, addr, .. } => pass([Edge::bytes(*addr, *dst, (0, 0, 8))]),
        op if op.space().is_some() => ValueFlow::Transfers,
        _ => ValueFlow::Nothing,
    }
}

/// The data flow of an instruction between registers of one lane.
fn within_lane(program: &Program, op: &LaneOp<Reg>, values: (Vec<Reg>, Vec<Reg>)) -> ValueFlow {
    match op {
        LaneOp::Mov { dst, src, .. } => pass([Edge::bytes(*src, *dst, (0, 0, 8))]),
        LaneOp::Pack { ty, dst, parts } => {
            let edge = |(reg, at, size)| Edge::bytes(reg, *dst, (0, at, size));
            pass(places(*ty, parts).map(edge))
        }
        LaneOp::Unpack { ty, parts, src } => {
            let edge = |(reg, at, size)| Edge::bytes(*src, reg, (at, 0, size));
            pass(places(*ty, parts).map(edge))
        }
        LaneOp::Factors { dst, a, b, kept, .. } => {
            let copies = kept.iter().map(|[to, from]| Edge::bytes(*from, *to, (0, 0, 8)));
            match computed(program, op, (vec![*a, *b], vec![*dst])) {
                ValueFlow::Pass { edges, .. } => pass(copies.chain(edges)),
                _ => pass(copies),
            }
        }
        LaneOp::CvtPair { to, dst, a, b, .. } => {
            let size = to.alone().bytes();
            let low = (1 << size) - 1;
            pass([Edge::into(*a, *dst, low << size), Edge::into(*b, *dst, low)])
        }
        LaneOp::Selp { dst, a, b, pred, .. } => {
            let edge =
                |(source, set)| Edge { chosen: Some(set), ..Edge::bytes(source, *dst, (0, 0, 8)) };
            ValueFlow::Pass { edges: [(*a, true), (*b, false)].map(edge).to_vec(), by: Some(*pred) }
        }
        _ => moved(program, op).map_or_else(|| computed(program, op, values), pass),
    }
}

fn pass(edges: impl IntoIterator<Item = Edge>) -> ValueFlow {
    ValueFlow::Pass { edges: edges.into_iter().collect(), by: None }
}

/// Returns the parts of a register of type `ty`, each with its first byte and its size.
fn places(ty: Type, parts: &[Reg]) -> impl Iterator<Item = (Reg, u8, u8)> {
    let size = (ty.bytes() as usize / parts.len().max(1)) as u8;
    (0..).zip(parts).map(move |(part, reg): (u8, &Reg)| (*reg, part * size, size))
}

/// Integer instructions with a constant that move whole bytes, as compilers emit them to split and
/// to pack halves.
fn moved(program: &Program, op: &LaneOp<Reg>) -> Option<Vec<Edge>> {
    let constant = |reg: Reg| {
        let mut given = program.init.iter().filter(|(given, _)| *given == reg);
        given.find_map(
            |(_, init)| if let RowInit::Constant(value) = init { Some(*value) } else { None },
        )
    };
    match op {
        LaneOp::Binary { op: op @ (BinaryOp::Shl | BinaryOp::Shr), ty, dst, a, b, .. } => {
            let by = constant(*b).filter(|by| by.is_multiple_of(8) && *by < ty.bits().into())?;
            let (by, size) = ((by / 8) as u8, ty.bytes() as u8);
            let (from, to) = if *op == BinaryOp::Shl { (0, by) } else { (by, 0) };
            Some(vec![Edge::bytes(*a, *dst, (from, to, size - by))])
        }
        LaneOp::Binary { op: BinaryOp::And, dst, a, b, .. } => {
            let (source, mask) =
                constant(*b).map(|mask| (*a, mask)).or_else(|| Some((*b, constant(*a)?)))?;
            let kept = mask.to_le_bytes().map(|byte| (byte == 0xff, byte == 0));
            let whole = kept.iter().all(|(all, none)| *all || *none);
            let edges = (0..8).filter(|at| kept[*at].0);
            whole.then(|| {
                edges.map(|at| Edge::bytes(source, *dst, (at as u8, at as u8, 1))).collect()
            })
        }
        LaneOp::Binary { op: BinaryOp::Or, dst, a, b, .. } => {
            let sources = [*a, *b].into_iter().filter(|reg| constant(*reg).is_none());
            Some(sources.map(|source| Edge::bytes(source, *dst, (0, 0, 8))).collect())
        }
        LaneOp::Bits { op: BitsOp::Permute(Permute::Index), dst, args, .. } => {
            let picks = constant(*args.get(2)?)?;
            let edge = |at: u8| {
                let pick = (picks >> (4 * at) & 0xf) as u8;
                let source = args[usize::from(pick >> 2 & 1)];
                if pick & 8 == 0 {
                    Edge::bytes(source, *dst, (pick & 3, at, 1))
                } else {
                    Edge::into(source, *dst, 1 << at)
                }
            };
            Some((0..4).map(edge).filter(|edge| constant(edge.from).is_none()).collect())
        }
        _ => None,
    }
}

fn exchange(op: &Op<Reg, Pc>) -> ValueFlow {
    let (_, to) = values(op);
    ValueFlow::Exchange { op: Box::new(op.clone()), to }
}

/// A result computed from one value is still that value in another form; a result computed from
/// several is a new value. Constants and parameters do not count.
fn computed(
    program: &Program,
    op: &LaneOp<Reg>,
    (mut from, to): (Vec<Reg>, Vec<Reg>),
) -> ValueFlow {
    from.retain(|reg| program.init.iter().all(|(given, _)| given != reg));
    match (&from[..], &to[..]) {
        ([], _) | (_, []) => ValueFlow::Nothing,
        ([one], _) => pass(to.iter().map(|to| Edge::into(*one, *to, u8::MAX))),
        _ => {
            // For packed values, each half separately.
            let packed: &[_] = &[(0b0011, 0b0011), (0b1100, !0b0011)];
            let bytes = if is_packed(op) { packed } else { &[(u8::MAX, u8::MAX)] };
            let pairs = to.iter().flat_map(|to| from.iter().map(move |from| (*from, *to)));
            pass(
                pairs.flat_map(|(from, to)| {
                    bytes.iter().map(move |of| Edge::combined(from, to, *of))
                }),
            )
        }
    }
}

/// Whether it computes with the two halves of a register separately.
fn is_packed(op: &LaneOp<Reg>) -> bool {
    match op {
        LaneOp::Unary { ty, .. }
        | LaneOp::Binary { ty, .. }
        | LaneOp::Factors { ty, .. }
        | LaneOp::Ternary { ty, .. } => matches!(ty, Type::F16x2 | Type::Bf16x2),
        _ => false,
    }
}

/// Returns the registers that an instruction reads and those that it writes, without predicates,
/// addresses and other operands that determine which memory is touched.
fn values<L>(op: &Op<Reg, L>) -> (Vec<Reg>, Vec<Reg>) {
    let is_value = |how| !matches!(how, Use::Address | Use::Extent);
    let values = op.operands().into_iter();
    let values = values.filter(|(_, ty, how)| *ty != Type::Pred && is_value(*how));
    let (written, read): (Vec<_>, Vec<_>) = values.partition(|(.., how)| how.writes());
    let registers = |of: Vec<(Reg, Type, Use)>| of.into_iter().map(|(reg, ..)| reg).collect();
    (registers(read), registers(written))
}
