//! What each instruction does with values: which registers' bytes come into which.

use super::low;
use super::moment::Moment;
use crate::ptx::{
    AtomicOp, BinaryOp, BitsOp, Collective, ControlOp, LaneOp, MatrixOp, MemoryOp, Mma, Op,
    Permute, Type, Use, WarpOp, Wgmma,
};
use crate::sim::{Init, Inst, LaneMask, Pc, Program, Reg, Transfer};

/// How an instruction carries values on, in each lane for itself.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Flow {
    /// Not at all: branches, barriers, comparisons.
    Nothing,
    /// Values go on from register to register: moved, converted, split, packed or combined, and
    /// some of them only where the predicate `by` says so.
    Pass { edges: Vec<Edge>, by: Option<Reg> },
    /// Elements of that many bytes come from memory.
    Load { to: Vec<Reg>, size: u8 },
    /// Elements of that many bytes go to memory.
    Store { from: Vec<Reg>, size: u8 },
    /// Bytes move between lanes, into these registers or into memory: see [`super::exchange`].
    Exchange { op: Box<Op<Reg, Pc>>, to: Vec<Reg> },
    /// What all lanes have becomes one value, which all get.
    Reduce { from: Reg, to: Reg },
    /// Rows times columns: see [`super::multiply`].
    Multiply(Vec<Mma<Reg>>),
    /// The same with factors in shared memory, told where it begins; so long as it is not complete,
    /// nobody else has to do with it.
    Product(Box<Wgmma<Reg>>),
    /// Elements of memory change by what lanes bring along, or for it, lane by lane; `to` is what
    /// was there.
    Atomic { to: Option<Reg>, from: Vec<Reg>, size: u8, replaces: bool },
    /// A function is called: this comes into its local memory.
    Enter(Vec<Transfer>),
    /// It returns: see [`super::moment::Moment::results`].
    Leave,
    /// Words set out from global to shared memory.
    Copy,
    /// Some of them arrive.
    Land,
}

/// Bytes of one register that come into another; bytes are bits of a mask, the lowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Edge {
    pub(super) from: Reg,
    pub(super) to: Reg,
    how: How,
    /// Only in the lanes where the predicate has this value; in all if `None`.
    chosen: Option<bool>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    /// As they are: so many bytes from a byte of the one to a byte of the other.
    Bytes { from: u8, to: u8, count: u8 },
    /// Changed: these bytes of the other say something about the one, whatever part of it.
    Into(u8),
    /// Combined with other values: these bytes of the one come into these of the other.
    Combined { from: u8, to: u8 },
}

impl Edge {
    /// So many bytes of the one from a byte on, at a byte of the other, as they are.
    const fn bytes(source: Reg, target: Reg, (from, to, count): (u8, u8, u8)) -> Self {
        Self { from: source, to: target, how: How::Bytes { from, to, count }, chosen: None }
    }

    /// The one, changed, in these bytes of the other.
    const fn into(source: Reg, target: Reg, bytes: u8) -> Self {
        Self { from: source, to: target, how: How::Into(bytes), chosen: None }
    }

    /// These bytes of the one, combined with others, in these of the other.
    const fn combined(source: Reg, target: Reg, (from, to): (u8, u8)) -> Self {
        Self { from: source, to: target, how: How::Combined { from, to }, chosen: None }
    }

    /// Whether other values come into it.
    pub(super) const fn combines(self) -> bool {
        matches!(self.how, How::Combined { .. })
    }

    /// The lanes of a step in which it holds.
    pub(super) fn lanes(self, moment: &Moment) -> LaneMask {
        let active = moment.step.active;
        match self.chosen {
            None => active,
            Some(true) => active.and(moment.chosen),
            Some(false) => active.without(moment.chosen),
        }
    }

    /// The bytes of `from` that come into these bytes of `to`.
    pub(super) const fn back(self, mask: u8) -> u8 {
        match self.how {
            How::Bytes { from, to, count } => (mask >> to & low(count as u64)) << from,
            How::Into(to) => u8::MAX * (mask & to != 0) as u8,
            How::Combined { from, to } => from * (mask & to != 0) as u8,
        }
    }

    /// The bytes of `to` into which these bytes of `from` come.
    pub(super) const fn on(self, mask: u8) -> u8 {
        match self.how {
            How::Bytes { from, to, count } => (mask >> from & low(count as u64)) << to,
            How::Into(to) => to * (mask != 0) as u8,
            How::Combined { from, to } => to * (mask & from != 0) as u8,
        }
    }
}

/// The flow of every instruction of a program.
pub(super) fn flows(program: &Program) -> Vec<Flow> {
    let each = (0..).zip(&program.insts);
    each.map(|(pc, inst)| flow(program, Pc(pc), inst)).collect()
}

/// The flow of an instruction: a table, an arm for each that does something of its own.
fn flow(program: &Program, pc: Pc, inst: &Inst) -> Flow {
    match &inst.op {
        Op::Lane(op) => within_lane(program, op, values(&inst.op)),
        Op::Memory(op) => with_memory(op),
        Op::Matrix(MatrixOp::Mma(products)) => Flow::Multiply(products.clone()),
        Op::Matrix(MatrixOp::Wgmma(product)) => Flow::Product(product.clone()),
        Op::Matrix(MatrixOp::WgmmaFence | MatrixOp::WgmmaGroup(_)) => Flow::Nothing,
        Op::Matrix(_) | Op::Warp(Collective { op: WarpOp::Shuffle(_), .. }) => exchange(&inst.op),
        Op::Warp(Collective { op: WarpOp::Reduce(_), dst: Some(dst), args, .. }) => {
            Flow::Reduce { from: args[0], to: *dst }
        }
        Op::Control(ControlOp::Call { .. }) => {
            Flow::Enter(program.calls.get(&pc).map_or_else(Vec::new, |site| site.args.clone()))
        }
        Op::Control(ControlOp::Ret) => Flow::Leave,
        // What lanes tell each other otherwise are conditions.
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
        ) => Flow::Nothing,
    }
}

/// The flow of an instruction between a lane's registers and memory.
fn with_memory(op: &MemoryOp<Reg>) -> Flow {
    match op {
        MemoryOp::Ld { ty, dst, .. } => Flow::Load { to: dst.clone(), size: ty.bytes() as u8 },
        MemoryOp::St { ty, src, .. } => Flow::Store { from: src.clone(), size: ty.bytes() as u8 },
        MemoryOp::Atom { op, ty, dst, args, .. } => Flow::Atomic {
            to: *dst,
            from: args.clone(),
            size: ty.bytes() as u8,
            replaces: *op == AtomicOp::Exchange,
        },
        MemoryOp::CopyAsync { .. } => Flow::Copy,
        MemoryOp::CopyGroup(_) => Flow::Land,
        MemoryOp::Fence(_) | MemoryOp::ProxyFence => Flow::Nothing,
    }
}

/// The flow of an instruction from a lane's registers to others of the same lane.
fn within_lane(program: &Program, op: &LaneOp<Reg>, values: (Vec<Reg>, Vec<Reg>)) -> Flow {
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
        LaneOp::CvtPair { dst, a, b, .. } => {
            pass([Edge::into(*a, *dst, 0b1100), Edge::into(*b, *dst, 0b0011)])
        }
        LaneOp::Selp { dst, a, b, pred, .. } => {
            let edge =
                |(source, set)| Edge { chosen: Some(set), ..Edge::bytes(source, *dst, (0, 0, 8)) };
            Flow::Pass { edges: [(*a, true), (*b, false)].map(edge).to_vec(), by: Some(*pred) }
        }
        _ => moved(program, op).map_or_else(|| computed(program, op, values), pass),
    }
}

fn pass(edges: impl IntoIterator<Item = Edge>) -> Flow {
    Flow::Pass { edges: edges.into_iter().collect(), by: None }
}

/// Where the parts of a register of type `ty` lie in it: each with its first byte and its bytes.
fn places(ty: Type, parts: &[Reg]) -> impl Iterator<Item = (Reg, u8, u8)> {
    let size = (ty.bytes() as usize / parts.len().max(1)) as u8;
    (0..).zip(parts).map(move |(part, reg): (u8, &Reg)| (*reg, part * size, size))
}

/// Integer instructions with a constant that take whole bytes from place to place, as compilers
/// write them to split and to join halves.
fn moved(program: &Program, op: &LaneOp<Reg>) -> Option<Vec<Edge>> {
    let constant = |reg: Reg| {
        let mut given = program.init.iter().filter(|(given, _)| *given == reg);
        given.find_map(
            |(_, init)| if let Init::Constant(value) = init { Some(*value) } else { None },
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

fn exchange(op: &Op<Reg, Pc>) -> Flow {
    let (_, to) = values(op);
    Flow::Exchange { op: Box::new(op.clone()), to }
}

/// What is calculated from one value is still that value, in another form; what is calculated
/// from several is something new. Constants and parameters do not count.
fn computed(program: &Program, op: &LaneOp<Reg>, (mut from, to): (Vec<Reg>, Vec<Reg>)) -> Flow {
    from.retain(|reg| program.init.iter().all(|(given, _)| given != reg));
    match (&from[..], &to[..]) {
        ([], _) | (_, []) => Flow::Nothing,
        ([one], _) => pass(to.iter().map(|to| Edge::into(*one, *to, u8::MAX))),
        _ => {
            // Of packed values, the halves each for itself.
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

/// Whether it computes with two halves of a register each for itself.
fn is_packed(op: &LaneOp<Reg>) -> bool {
    match op {
        LaneOp::Unary { ty, .. } | LaneOp::Binary { ty, .. } | LaneOp::Ternary { ty, .. } => {
            matches!(ty, Type::F16x2 | Type::Bf16x2)
        }
        _ => false,
    }
}

/// The registers that an instruction reads and those that it writes; predicates are none of them,
/// and nothing that says where memory is touched.
fn values<L>(op: &Op<Reg, L>) -> (Vec<Reg>, Vec<Reg>) {
    let is_value = |how| !matches!(how, Use::Address | Use::Extent);
    let values = op.operands().into_iter();
    let values = values.filter(|(_, ty, how)| *ty != Type::Pred && is_value(*how));
    let (written, read): (Vec<_>, Vec<_>) = values.partition(|(.., how)| how.writes());
    let registers = |of: Vec<(Reg, Type, Use)>| of.into_iter().map(|(reg, ..)| reg).collect();
    (registers(read), registers(written))
}
