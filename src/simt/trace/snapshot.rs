//! A snapshot of one moment: all that the screen shows of it, as values.

use super::extent::Extent;
use super::origins::{Origin, address};
use crate::analysis::Counters;
use crate::sim::{Access, Direction, Effect, LaneMask, Pc, Step, WarpState};
use ptx::Space;

/// One moment of the block's run.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// Steps done so far: 0 before the first, the trace's length after the last.
    pub index: usize,
    /// The step that led here, or `None` at the start.
    pub step: Option<Step>,
    /// Every warp of the block.
    pub warps: Vec<WarpNow>,
    /// Every 4-byte word of the block's shared memory.
    pub shared: Vec<SharedWord>,
    /// The number of barriers that the whole block has passed.
    pub interval: u32,
    /// After a barrier: whether shared memory was written since the one before. If so, the barrier meant
    /// "the tiles are complete", otherwise "the tiles may be overwritten".
    pub stored: bool,
    /// Sums over the block since its start, for the PTX and (through [`Counters::sass`]) for the
    /// SASS.
    pub totals: Counters,
    /// The extent of what the block has touched so far in each buffer of global memory.
    pub extents: Vec<Option<Extent>>,
    /// The addresses in global memory of the words whose values the current instruction multiplies,
    /// or moves between registers and memory, in every warp of [`Self::together`]; ascending. What was
    /// changed on its way from there is not among them.
    pub origins: Vec<u64>,
}

impl Snapshot {
    /// Returns the warps whose last instruction is that of the step that led here: they executed it
    /// in turn, and the screen shows it as one event.
    pub fn alike(&self) -> impl Iterator<Item = (usize, &WarpNow)> {
        let pc = self.step.as_ref().map(|step| step.pc);
        self.warps.iter().enumerate().filter(move |(_, warp)| pc.is_some() && warp.last == pc)
    }

    /// Returns those of [`Self::alike`] that are as far along k: in a loop, others may have
    /// executed it in an earlier round.
    pub fn together(&self) -> impl Iterator<Item = (usize, &WarpNow)> {
        let fma = self.step.as_ref().map(|step| self.warps[usize::from(step.warp)].fma);
        self.alike().filter(move |(_, warp)| fma == Some(warp.fma))
    }

    /// Returns these warps' accesses by that instruction.
    pub fn accesses(&self) -> impl Iterator<Item = &Access> {
        self.together().filter_map(|(_, warp)| {
            let last = [&warp.global, &warp.shared].into_iter().flatten();
            last.filter(|last| warp.last == Some(last.pc)).map(|last| &last.access).next()
        })
    }
}

/// The kind of an instruction, as the timeline colours it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OpKind {
    /// Address arithmetic, comparisons, moves, and accesses to local memory.
    #[default]
    Compute,
    /// A fused multiply-add.
    Fma,
    /// A load from global memory.
    GlobalLoad,
    /// A store to global memory.
    GlobalStore,
    /// A load from shared memory.
    SharedLoad,
    /// A store to shared memory.
    SharedStore,
    Branch,
    Barrier,
    Exit,
}

/// Returns the warps that keep the others waiting at a barrier: neither waiting nor exited.
pub fn missing(warps: &[WarpNow]) -> Vec<usize> {
    let numbered = warps.iter().enumerate();
    numbered.filter(|(_, warp)| warp.state == WarpState::Ready).map(|(number, _)| number).collect()
}

impl OpKind {
    pub fn of(step: &Step) -> Self {
        match &step.effect {
            Effect::Compute | Effect::Contracted { fused: false, .. } => Self::Compute,
            Effect::Fma
            | Effect::HalfFma
            | Effect::Contracted { fused: true, .. }
            | Effect::Mma { .. } => Self::Fma,
            Effect::Async(effect) if effect.is_of_product() => Self::Fma,
            Effect::Async(effect) if effect.has_waited() => Self::Barrier,
            Effect::Branch { .. } => Self::Branch,
            Effect::Barrier { .. } => Self::Barrier,
            Effect::Async(effect) => match (effect.started().first(), step.accesses().first()) {
                (Some(transfer), _) if transfer.is_to_shared() => Self::GlobalLoad,
                (Some(_), _) => Self::GlobalStore,
                (None, access) => access.map_or(Self::Compute, Self::of_access),
            },
            Effect::Exit => Self::Exit,
            Effect::Memory(_) | Effect::Accesses(_) => {
                step.accesses().first().map_or(Self::Compute, Self::of_access)
            }
        }
    }

    const fn of_access(access: &Access) -> Self {
        match (access.space, access.direction) {
            (Space::Shared, Direction::Load) => Self::SharedLoad,
            (Space::Shared, Direction::Store | Direction::Atomic) => Self::SharedStore,
            (Space::Global | Space::Generic, Direction::Load) => Self::GlobalLoad,
            (Space::Global | Space::Generic, Direction::Store | Direction::Atomic) => {
                Self::GlobalStore
            }
            (Space::Distributed | Space::Local | Space::Const | Space::Param, _) => Self::Compute,
        }
    }

    /// Whether it does something visible, rather than prepare it.
    pub const fn is_event(self) -> bool {
        match self {
            Self::Compute | Self::Branch => false,
            Self::Fma
            | Self::Barrier
            | Self::Exit
            | Self::GlobalLoad
            | Self::GlobalStore
            | Self::SharedLoad
            | Self::SharedStore => true,
        }
    }

    /// Whether it moves data.
    pub const fn is_memory(self) -> bool {
        matches!(self, Self::GlobalLoad | Self::GlobalStore | Self::SharedLoad | Self::SharedStore)
    }
}

/// One warp at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct WarpNow {
    /// Ready, waiting or exited.
    pub state: WarpState,
    /// Lanes that have not exited.
    pub live: LaneMask,
    /// Lanes that execute the next instruction (some may wait for others at a reconvergence point).
    pub active: LaneMask,
    pub pc: Pc,
    /// The kind of the last instruction that it executed.
    pub kind: OpKind,
    /// That instruction, or `None` before the first.
    pub last: Option<Pc>,
    pub executed: LaneMask,
    /// Fused multiply-adds that it has executed: in these kernels, its progress along k.
    pub fma: u32,
    /// Steps done after the last of them, or 0 before the first.
    pub multiplied: usize,
    /// Barriers at which it has arrived.
    pub arrivals: u32,
    /// Its last access to global memory.
    pub global: Option<Last>,
    /// Its last access to shared memory.
    pub shared: Option<Last>,
}

impl WarpNow {
    /// Whether it has loaded anything since its last multiply-add.
    pub fn has_loaded(&self) -> bool {
        let last = [&self.global, &self.shared].into_iter().flatten();
        let mut loads = last.filter(|last| last.access.direction == Direction::Load);
        loads.any(|last| last.index > self.multiplied)
    }
}

/// A past memory access.
#[derive(Clone, Debug, PartialEq)]
pub struct Last {
    pub pc: Pc,
    /// Steps done after its execution (compare with [`Snapshot::index`]).
    pub index: usize,
    pub access: Access,
}

/// One 4-byte word of shared memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SharedWord {
    /// The age of the value that it holds.
    pub age: Age,
    /// Whether its next value is on its way: it is being copied, or has been loaded from global
    /// memory into a register, but has not been stored here yet. Until then it holds the old one.
    pub coming: bool,
    /// The warp that wrote it last.
    pub writer: Option<u16>,
    origin: Origin,
}

/// The age of the value in a word of shared memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Age {
    /// Never written by this block.
    #[default]
    Empty,
    /// Written for an earlier tile.
    Old,
    /// Written for the current tile.
    Current,
}

impl SharedWord {
    pub(super) const fn from(age: Age, origin: Origin) -> Self {
        Self { age, coming: false, writer: None, origin }
    }

    pub(super) const fn by(self, writer: Option<u16>) -> Self {
        Self { writer, ..self }
    }

    /// A word of this age and unknown origin, with nothing on its way to it.
    pub const fn of(age: Age) -> Self {
        Self::from(age, 0)
    }

    /// The same word with its next value on its way.
    #[must_use]
    pub const fn with_next(self) -> Self {
        Self { coming: true, ..self }
    }

    /// The address in global memory from which its value was loaded, if it has not changed since.
    pub fn origin(self) -> Option<u64> {
        address(self.origin)
    }
}
