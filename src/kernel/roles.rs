//! The use of a kernel's parameters, followed through its registers to the addresses of its
//! accesses.

use crate::sim::flow::{Graph, solve};
use crate::sim::{Inst, Program, Reg, RowInit, Special, TENSOR_MAP_BYTES};
use ptx::{
    AtomicOp, BinaryOp, ControlOp, LaneOp, MatrixOp, MemoryOp, Op, Param, Space, TernaryOp, Type,
    Use,
};

/// A set of parameters by position, one bit each; those after the 64th are not followed.
pub(super) type Places = u64;

/// The use of the parameters and of the block's indices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Roles {
    /// Parameters from which addresses in global memory are computed.
    accessed: Places,
    /// Those through which the kernel stores.
    stored: Places,
    /// Those through which it loads, or updates what is there.
    read: Places,
    /// Parameters that point to a tensor map, or are one.
    maps: Places,
    /// Parameters that the kernel never reads.
    unread: Places,
    /// Whether no thread reads its block index along y or z.
    pub(super) flat: bool,
    /// Whether none reads it along x.
    pub(super) upright: bool,
    /// Those to which it adds with atomics.
    added: Places,
    /// Whether it loads floats and multiplies none.
    pub(super) multiplies_none: bool,
    /// The elements that a thread loads from global memory at most, if it has no loop and multiplies
    /// no matrices.
    pub(super) most_loaded: Option<u32>,
}

impl Roles {
    /// Follows the parameters to a fixpoint, without regard to the order of the instructions.
    /// Values that go through memory, or into a called function, are lost.
    pub(super) fn of(program: &Program) -> Self {
        let origins = origins(program, |offset| place_of(program, offset));
        let asks = |init: &RowInit| matches!(init, RowInit::Special(Special::Ctaid(1 | 2)));
        let flat = !program.init.iter().any(|(_, init)| asks(init));
        let reads_x =
            |(_, init): &(Reg, RowInit)| matches!(init, RowInit::Special(Special::Ctaid(0)));
        let upright = !program.init.iter().any(reads_x);
        let accesses = program.insts.iter().filter(|inst| inst.touches().is_some());
        let multiplies_none = multiplies_none(program);
        let maps = program.insts.iter().fold(0, |all, inst| all | mapped(inst, &origins))
            | whole_maps(program);
        let (unread, most_loaded) = (unread(program), most_loaded(program));
        let none =
            Self { maps, unread, flat, upright, multiplies_none, most_loaded, ..Self::default() };
        accesses.fold(none, |roles, inst| {
            let places = bases(inst, &origins);
            let added = if adds(inst) { places } else { 0 };
            let roles = Self { added: roles.added | added, ..roles };
            roles.and(places, stores(inst), reads(inst))
        })
    }

    /// The use of some of the parameters, which are counted by themselves.
    pub(super) fn among(self, places: &[usize]) -> Self {
        let of = |all: Places| {
            let kept = places.iter().enumerate().filter(|(_, place)| all & bit(**place) != 0);
            kept.fold(0, |some, (at, _)| some | bit(at))
        };
        Self {
            accessed: of(self.accessed),
            stored: of(self.stored),
            read: of(self.read),
            maps: of(self.maps),
            unread: of(self.unread),
            added: of(self.added),
            ..self
        }
    }

    fn and(self, places: Places, stores: bool, reads: bool) -> Self {
        let [stored, read] = [stores, reads].map(|does| if does { places } else { 0 });
        Self {
            accessed: self.accessed | places,
            stored: self.stored | stored,
            read: self.read | read,
            ..self
        }
    }

    /// Whether the parameter at this position, counted from 0, is a pointer to global memory.
    pub(super) fn is_accessed(self, place: usize) -> bool {
        self.accessed & bit(place) != 0
    }

    /// Whether it is a tensor map or points to one.
    pub(super) fn is_map(self, place: usize) -> bool {
        self.maps & bit(place) != 0
    }

    /// Whether the kernel never reads it.
    pub(super) fn is_unread(self, place: usize) -> bool {
        self.unread & bit(place) != 0
    }

    /// Whether the kernel never asks which block it is.
    pub(super) const fn is_alone(&self) -> bool {
        self.flat && self.upright
    }

    /// Whether the kernel stores through it.
    pub(super) fn is_stored(self, place: usize) -> bool {
        self.stored & bit(place) != 0
    }

    /// Whether it adds there with atomics.
    pub(super) fn is_added_to(self, place: usize) -> bool {
        self.added & bit(place) != 0
    }

    /// Whether it loads through it, or updates what is there.
    pub(super) fn is_read(self, place: usize) -> bool {
        self.read & bit(place) != 0
    }
}

/// The parameters from which the address of a copy's tensor map is derived.
fn mapped(inst: &Inst, origins: &[Option<Places>]) -> Places {
    let Op::Async(op) = &inst.op else { return 0 };
    let Some(map) = op.tensor_map() else { return 0 };
    origins.get(map.base.number()).copied().flatten().unwrap_or(0)
}

/// The parameters of a tensor map's size, if the program copies boxes of tensors.
fn whole_maps(program: &Program) -> Places {
    let copies = |inst: &Inst| matches!(&inst.op, Op::Async(op) if op.tensor_map().is_some());
    if !program.insts.iter().any(copies) {
        return 0;
    }
    let params = program.params.iter().enumerate();
    let maps = params.filter(|(_, param)| param.bytes as usize == TENSOR_MAP_BYTES);
    maps.fold(0, |all, (place, _)| all | bit(place))
}

fn unread(program: &Program) -> Places {
    let read = |all: Places, (_, init): &(Reg, RowInit)| match init {
        RowInit::Param(offset, _) | RowInit::ParamAddress(offset) => {
            all | place_of(program, *offset)
        }
        _ => all,
    };
    !program.init.iter().fold(0, read)
}

/// Returns the type of the first access through each parameter, by its position.
pub(super) fn accessed_as(program: &Program) -> Vec<Option<Type>> {
    let origins = origins(program, |offset| place_of(program, offset));
    let mut types = vec![None; program.params.len()];
    for inst in &program.insts {
        let Some(ty) = type_of(inst) else { continue };
        let places = bases(inst, &origins);
        let through = types.iter_mut().enumerate().filter(|(place, _)| places & bit(*place) != 0);
        through.for_each(|(_, first)| *first = first.or(Some(ty)));
    }
    types
}

/// Returns the type of what an instruction loads or stores.
const fn type_of(inst: &Inst) -> Option<Type> {
    match inst.op {
        Op::Memory(
            MemoryOp::Ld { ty, .. } | MemoryOp::St { ty, .. } | MemoryOp::Atom { ty, .. },
        ) => Some(ty),
        _ => None,
    }
}

/// Whether a program loads floats from global memory and multiplies none.
fn multiplies_none(program: &Program) -> bool {
    let loads = |inst: &Inst| match inst.op {
        Op::Memory(MemoryOp::Ld { space: Space::Global, ty, .. }) => ty.is_float(),
        _ => false,
    };
    let multiplies = |inst: &Inst| match &inst.op {
        Op::Lane(LaneOp::Binary { op: BinaryOp::Mul(_), ty, .. }) => ty.is_float(),
        Op::Lane(LaneOp::Ternary { op, ty, .. }) => op.is_fma() && ty.is_float(),
        Op::Matrix(_) => true,
        _ => false,
    };
    program.insts.iter().any(loads) && !program.insts.iter().any(multiplies)
}

/// The elements that a thread loads at most; `None` if it may go back, or if it gets values in another
/// way than by its own loads.
fn most_loaded(program: &Program) -> Option<u32> {
    let mut loaded = 0;
    for (at, inst) in (0..).zip(&program.insts) {
        match &inst.op {
            Op::Control(ControlOp::Bra { target }) if target.0 > at => {}
            Op::Memory(MemoryOp::Ld { space: Space::Global | Space::Generic, dst, .. }) => {
                loaded += dst.len() as u32;
            }
            // Others may have loaded for this thread.
            Op::Control(
                ControlOp::Bra { .. } | ControlOp::Switch { .. } | ControlOp::Call { .. },
            )
            | Op::Memory(MemoryOp::Ld { space: Space::Shared, .. })
            | Op::Matrix(_)
            | Op::Warp(_) => return None,
            Op::Memory(MemoryOp::Ld { .. } | MemoryOp::St { .. } | MemoryOp::Atom { .. }) => {}
            op if op.is_of_memory() => return None,
            _ => {}
        }
    }
    Some(loaded)
}

/// The parameter at an offset in the parameter block.
fn place_of(program: &Program, offset: u32) -> Places {
    let inside = |param: &Param| offset.wrapping_sub(param.offset) < param.bytes;
    program.params.iter().position(inside).map_or(0, bit)
}

fn bit(place: usize) -> Places {
    u32::try_from(place).ok().and_then(|place| 1_u64.checked_shl(place)).unwrap_or(0)
}

/// Returns the places from whose pointers each register may be derived, by the register's number;
/// `places` gives those of an offset in the parameter block.
pub(super) fn origins(program: &Program, places: impl Fn(u32) -> Places) -> Vec<Option<Places>> {
    let parameters = parameters(program, places);
    let edges = program.insts.iter().flat_map(passed_on);
    let graph = Graph::of_edges(edges, parameters.iter().map(|(register, _)| *register));
    let origins =
        solve(&graph, &parameters, usize::MAX, |_, of| Some(*of), |_, of, other| *of |= other);
    origins.map_or_else(Vec::new, |origins| origins.before)
}

/// Returns the registers, by number, that hold the parameters that can be pointers, or such a part
/// of a structure.
fn parameters(program: &Program, places: impl Fn(u32) -> Places) -> Vec<(usize, Places)> {
    let place = |init: &RowInit| {
        let RowInit::Param(offset, ty) = *init else { return None };
        (ty.bits() == 64).then(|| places(offset)).filter(|places| *places != 0)
    };
    let init = program.init.iter();
    init.filter_map(|(reg, init)| Some((reg.number(), place(init)?))).collect()
}

/// Returns the registers that an instruction passes on to its result, each with the result.
fn passed_on(inst: &Inst) -> Vec<(usize, usize)> {
    // An index is multiplied by an element's size before it is added to a pointer, so neither
    // products nor shifts are followed.
    let (result, from): (_, &[Reg]) = match &inst.op {
        Op::Lane(
            LaneOp::Mov { dst, src, .. }
            | LaneOp::Cvta { dst, src, .. }
            | LaneOp::Cvt { dst, src, .. },
        ) => (dst, &[*src]),
        Op::Lane(
            LaneOp::Binary { op: BinaryOp::Add, dst, a, b, .. } | LaneOp::Selp { dst, a, b, .. },
        ) => (dst, &[*a, *b]),
        Op::Lane(LaneOp::Binary { op: BinaryOp::Sub, dst, a, .. }) => (dst, &[*a]),
        Op::Lane(LaneOp::Ternary { op: TernaryOp::Mad(_), dst, abc, .. }) => (dst, &abc[2..]),
        _ => return Vec::new(),
    };
    from.iter().map(|reg| (reg.number(), result.number())).collect()
}

/// Returns the parameters from which the addresses of an access are derived.
pub(super) fn bases(inst: &Inst, origins: &[Option<Places>]) -> Places {
    let operands = inst.op.operands().into_iter().filter(|(.., how)| *how == Use::Address);
    operands.filter_map(|(reg, ..)| *origins.get(reg.number())?).fold(0, |all, one| all | one)
}

fn adds(inst: &Inst) -> bool {
    matches!(&inst.op, Op::Memory(MemoryOp::Atom { op: AtomicOp::Add, .. }))
}

fn stores(inst: &Inst) -> bool {
    match &inst.op {
        Op::Memory(MemoryOp::St { space, .. } | MemoryOp::Atom { space, .. }) => {
            matches!(space, Space::Global | Space::Generic)
        }
        Op::Matrix(MatrixOp::StFragment(_)) => true,
        _ => false,
    }
}

/// Whether it is no mere store: it loads, copies from there, or updates what is there.
fn reads(inst: &Inst) -> bool {
    !matches!(&inst.op, Op::Memory(MemoryOp::St { .. }) | Op::Matrix(MatrixOp::StFragment(_)))
}
