//! What the first phases of a block's run do, as far as the stage needs it: the accesses of each warp
//! between two doors, and which words its multiply-adds combine.

use super::grids::{GlobalGrids, words};
use super::pieces::{Fragments, PieceProduct};
use crate::sim::{
    Access, AsyncEffect, AsyncTransfer, Direction, Effect, Inst, LaneMask, Machine, OtherEnd, Pc,
    Route, Step,
};
use crate::trace::{Origins, Products};
use crate::work::WorkToken;
use ptx::{BarrierAction, ControlOp, Op, Space};
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::sync::Arc;

/// What a warp does to memory by one instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum MoveKind {
    Load,
    Store,
    SharedLoad,
    SharedStore,
    /// A copy from global into shared memory that no thread carries: its start.
    Copy,
}

impl MoveKind {
    pub(super) const fn is_shared(self) -> bool {
        matches!(self, Self::SharedLoad | Self::SharedStore)
    }
}

#[derive(Clone, Debug)]
pub(super) struct WarpMove {
    pub(super) warp: u16,
    pub(super) pc: Pc,
    /// How often the warp had executed the instruction in this phase, or round of k, before.
    pub(super) nth: u32,
    /// The doors through which the warp had gone.
    pub(super) phase: u32,
    /// Its multiply-adds before.
    pub(super) fma: u32,
    pub(super) kind: MoveKind,
    pub(super) access: Access,
    /// Of a copy: where it goes.
    pub(super) goal: Option<Access>,
}

/// What warps wait at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum BarrierKind {
    /// A barrier of all threads of the block, by its number.
    Whole(u8),
    /// One of a part of them.
    Part(u8),
    /// An mbarrier, by its address in shared memory.
    Mbarrier(u32),
}

/// Who waits at a barrier, and by which instructions.
#[derive(Clone, Debug, Default)]
pub(super) struct Waiters {
    pub(super) warps: BTreeSet<u16>,
    pub(super) pcs: BTreeSet<Pc>,
}

/// One multiply-add of a lane: the elements of the left and of the top matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FactorPair {
    pub(super) warp: u16,
    pub(super) lane: u8,
    pub(super) left: (u32, u32),
    pub(super) top: (u32, u32),
}

/// The observed part of a run.
#[derive(Debug, Default)]
pub(super) struct ObservedRun {
    pub(super) moves: Vec<WarpMove>,
    /// The multiply-adds that were looked at, in the order of the run.
    pub(super) terms: Vec<FactorPair>,
    /// How many of them combine elements of two operands as a product does, and how many do not.
    pub(super) products: [u64; 2],
    /// By number of a word of shared memory: the address from which its first value came.
    pub(super) contents: HashMap<u32, u64>,
    /// How often each warp has executed an instruction that moves words, in each phase.
    executed: HashMap<(u16, Pc, u32), u32>,
    /// For each warp: the elements that each lane has loaded and not yet stored, where values are
    /// changed on their way.
    loaded: HashMap<u16, Vec<VecDeque<u64>>>,
    pub(super) fma_pcs: BTreeSet<Pc>,
    /// The products of pieces, with the warp of each, in the order of the run.
    pub(super) pieces: Vec<(u16, PieceProduct)>,
    /// Whether tensor cores multiply.
    pub(super) is_packed: bool,
    /// The barriers at which warps waited, each with these and its instructions.
    pub(super) barriers: BTreeMap<BarrierKind, Waiters>,
    /// The threads that a barrier has at least which is one of all, if it says how many.
    whole: u32,
    /// Doors through which each warp had gone at the end, and its multiply-adds.
    pub(super) phases: Vec<u32>,
    pub(super) fma: Vec<u32>,
    /// The phases in which words of global memory went to shared memory, in order.
    pub(super) brought: BTreeSet<u32>,
    /// The phases in which words of shared memory were loaded.
    pub(super) used: BTreeSet<u32>,
    /// Multiply-adds of all warps by phase.
    pub(super) fma_by_phase: BTreeMap<u32, u32>,
    /// Whether shared memory of other blocks is reached.
    pub(super) far: bool,
    pub(super) is_over: bool,
}

/// The most steps that are looked at.
const STEPS: usize = 1 << 18;

/// The most multiply-adds of lanes whose factors are looked at.
const TERMS: usize = 1 << 15;

/// The most elements that a lane has loaded and not stored.
const HELD: usize = 256;

/// Rounds of k that are enough where nothing is shared.
const ROUNDS: u32 = 40;

/// Phases that bring words, after which no more is learnt.
const ENOUGH: usize = 3;

impl WarpMove {
    /// Whether the same execution of an instruction made both.
    pub(super) fn is_with(&self, other: &Self) -> bool {
        (self.warp, self.pc, self.nth, self.phase) == (other.warp, other.pc, other.nth, other.phase)
    }
}

impl ObservedRun {
    pub(super) fn of(
        mut machine: Machine,
        (threads, to_the_end): (u32, bool),
        grids: &GlobalGrids,
        token: &WorkToken,
    ) -> Option<Self> {
        let mut origins = Origins::new(&machine);
        let program = Arc::clone(machine.program());
        let (products, mut fragments) = (Products::of(&program), Fragments::of(&program));
        let warps = machine.warps();
        let (phases, fma) = (vec![0; warps], vec![0; warps]);
        let arrives = |inst: &Inst| {
            matches!(&inst.op, Op::Control(ControlOp::Bar { how: BarrierAction::Arrive, .. }))
        };
        let is_split = program.insts.iter().any(arrives);
        // Where some only arrive, even a barrier of all threads has two sides.
        let whole = if is_split { u32::MAX } else { threads };
        let mut seen = Self { whole, phases, fma, ..Self::default() };
        for steps in 0..STEPS {
            if steps % 1024 == 0 && token.is_cancelled() {
                return None;
            }
            let Ok(Some(step)) = machine.step() else {
                seen.is_over = true;
                break;
            };
            origins.add(step);
            let loaded =
                fragments.as_mut().and_then(|all| all.add(step, &program, (&origins, grids)));
            seen.pieces.extend(loaded.map(|piece| (step.warp, piece)));
            seen.add(step, &origins, &products, grids);
            let is_door = matches!(step.effect, Effect::Barrier { .. });
            let live = |warp: &usize| !machine.live(*warp).is_empty();
            if !to_the_end
                && (is_door || steps % 64 == 0)
                && seen.is_enough((0..warps).filter(live))
            {
                break;
            }
        }
        Some(seen)
    }

    fn is_enough(&self, live: impl Iterator<Item = usize>) -> bool {
        let mut live = live.peekable();
        let is_product = self.products[0] > 0 || self.is_packed;
        // Without a product, each access has a place of its own.
        if live.peek().is_none() || !is_product {
            return false;
        }
        if let Some(last) = self.brought.iter().nth(ENOUGH - 1) {
            return live.all(|warp| self.phases[warp] > last + 1);
        }
        let sums = self.sums().max(1);
        let shares_nothing = self.brought.is_empty() && self.barriers.is_empty();
        shares_nothing && live.all(|warp| self.fma[warp] >= ROUNDS * sums)
    }

    /// The sums that a thread adds to, as far as is known.
    pub(super) fn sums(&self) -> u32 {
        let Some(first) = self.terms.first() else { return 0 };
        let own =
            self.terms.iter().filter(|term| (term.warp, term.lane) == (first.warp, first.lane));
        let places: BTreeSet<_> = own.map(|term| (term.left.0, term.top.1)).collect();
        places.len() as u32
    }

    fn add(&mut self, step: &Step, origins: &Origins, products: &Products, grids: &GlobalGrids) {
        let warp = usize::from(step.warp);
        if products.multiply_adds(step) > 0 {
            self.fma_pcs.insert(step.pc);
            self.multiply(step, origins, grids);
            self.fma[warp] += 1;
            *self.fma_by_phase.entry(self.phases[warp]).or_default() += 1;
        }
        match &step.effect {
            Effect::Barrier { id, threads, .. } => {
                let is_whole = threads.is_none_or(|threads| threads >= self.whole);
                let kind = if is_whole { BarrierKind::Whole(*id) } else { BarrierKind::Part(*id) };
                self.wait(kind, step);
                self.phases[warp] += u32::from(is_whole);
            }
            Effect::Mma { .. } => self.is_packed = true,
            Effect::Async(effect) => self.asynchronous(step, effect, origins),
            Effect::Memory(access) => {
                self.access(step, std::slice::from_ref(access), (origins, grids));
            }
            Effect::Accesses(all) => self.access(step, all, (origins, grids)),
            _ => {}
        }
    }

    fn wait(&mut self, kind: BarrierKind, step: &Step) {
        let waiters = self.barriers.entry(kind).or_default();
        waiters.warps.insert(step.warp);
        waiters.pcs.insert(step.pc);
    }

    /// What is read, started or landed without a thread that carries it.
    fn asynchronous(&mut self, step: &Step, effect: &AsyncEffect, origins: &Origins) {
        let phase = self.phases[usize::from(step.warp)];
        if let AsyncEffect::Mbarrier(done) = effect {
            // Who only arrives finds none complete.
            for lane in done.complete.lanes() {
                self.wait(BarrierKind::Mbarrier(done.addrs[lane]), step);
            }
        }
        if effect.is_of_product() {
            self.is_packed = true;
            if !step.accesses().is_empty() {
                self.used.insert(phase);
            }
            let reads =
                step.accesses().iter().map(|read| (MoveKind::SharedLoad, read.clone(), None));
            self.push(step, reads.collect());
        }
        let bulk = effect.started().iter().flat_map(|transfer| bulk_copies(transfer));
        let copies = effect.copy().cloned().into_iter().chain(bulk);
        let copies = copies.map(|[load, store]| (MoveKind::Copy, load, Some(store)));
        let copies: Vec<_> = copies.collect();
        if !copies.is_empty() {
            self.brought.insert(phase);
        }
        self.push(step, copies);
        let (stores, landed) = effect.brought();
        let own = if effect.copy().is_none() { step.accesses() } else { &[] };
        let stored = stores.iter().chain(own).flat_map(words);
        let transferred = landed.iter().flat_map(|landed| landed.copy.words());
        self.filled(stored.chain(transferred.map(|word| word as u32)), origins);
    }

    /// The accesses of one instruction.
    fn access(&mut self, step: &Step, all: &[Access], (origins, grids): (&Origins, &GlobalGrids)) {
        let phase = self.phases[usize::from(step.warp)];
        let mut moves = Vec::new();
        for access in all {
            self.far |= access.route.is_distributed();
            let kind = match (access.space, access.direction) {
                (Space::Global, Direction::Load) => {
                    self.take(step.warp, access, grids);
                    MoveKind::Load
                }
                (Space::Global, Direction::Store | Direction::Atomic) => MoveKind::Store,
                (Space::Shared, Direction::Load) => {
                    self.used.insert(phase);
                    MoveKind::SharedLoad
                }
                (Space::Shared, Direction::Store | Direction::Atomic) => {
                    self.filled(words(access), origins);
                    let is_known =
                        words(access).any(|word| origins.of_word(word as usize).is_some());
                    let was_loaded = self.put_down(step.warp, access);
                    if is_known || was_loaded {
                        self.brought.insert(phase);
                    }
                    MoveKind::SharedStore
                }
                _ => continue,
            };
            if !access.active.is_empty() {
                moves.push((kind, access.clone(), None));
            }
        }
        self.push(step, moves);
    }

    /// Adds what one execution of an instruction moves.
    fn push(&mut self, step: &Step, moves: Vec<(MoveKind, Access, Option<Access>)>) {
        if moves.is_empty() {
            return;
        }
        let (warp, pc) = (step.warp, step.pc);
        let (phase, fma) = (self.phases[usize::from(warp)], self.fma[usize::from(warp)]);
        let before = self.executed.entry((warp, pc, phase)).or_default();
        let nth = *before;
        *before += 1;
        let moves = moves.into_iter();
        self.moves.extend(moves.map(|(kind, access, goal)| WarpMove {
            warp,
            pc,
            nth,
            phase,
            fma,
            kind,
            access,
            goal,
        }));
    }

    /// Remembers the elements that each lane has loaded.
    fn take(&mut self, warp: u16, access: &Access, grids: &GlobalGrids) {
        let lanes = self.loaded.entry(warp).or_insert_with(|| vec![VecDeque::new(); 32]);
        for (lane, addr) in access.touched() {
            let Some((array, ..)) = grids.locate(addr) else { continue };
            let bytes = grids.0[array].element;
            let all = (addr..addr + u64::from(access.bytes)).step_by(bytes as usize);
            if lanes[lane].len() < HELD {
                lanes[lane].extend(all);
            }
        }
    }

    /// Takes a store of changed values for that of the elements which its lanes have loaded, in their
    /// order: whether they have loaded any.
    fn put_down(&mut self, warp: u16, access: &Access) -> bool {
        let Some(lanes) = self.loaded.get_mut(&warp) else { return false };
        let mut any = false;
        for (lane, addr) in access.touched() {
            for word in addr / 4..(addr + u64::from(access.bytes)).div_ceil(4) {
                if let Some(element) = lanes[lane].pop_front() {
                    self.contents.entry(word as u32).or_insert(element);
                    any = true;
                }
            }
        }
        any
    }

    /// Remembers where the first values of words of shared memory came from.
    fn filled(&mut self, words: impl Iterator<Item = u32>, origins: &Origins) {
        for word in words {
            if let Some(origin) = origins.of_word(word as usize) {
                self.contents.entry(word).or_insert(origin);
            }
        }
    }

    fn multiply(&mut self, step: &Step, origins: &Origins, grids: &GlobalGrids) {
        for lane in step.active.lanes() {
            if self.terms.len() >= TERMS {
                return;
            }
            let [Some(a), Some(b)] = origins.factors(step.warp.into(), step.pc, lane) else {
                self.products[1] += 1;
                continue;
            };
            let found = grids.locate(a).zip(grids.locate(b));
            match found.and_then(|(a, b)| grids.product(a, b)) {
                Some((left, top)) => {
                    self.products[0] += 1;
                    let (warp, lane) = (step.warp, lane as u8);
                    self.terms.push(FactorPair { warp, lane, left, top });
                }
                None => self.products[1] += 1,
            }
        }
    }
}

/// A bulk copy from global into shared memory, as loads and stores of those of its pieces that lie inside
/// of the tensor.
fn bulk_copies(transfer: &AsyncTransfer) -> Vec<[Access; 2]> {
    if !transfer.is_to_shared() || transfer.other != OtherEnd::Global {
        return Vec::new();
    }
    let inside = transfer.pieces.iter().filter(|piece| piece.inside[0] < piece.inside[1]);
    let pieces: Vec<_> = inside.map(|piece| [piece.other, piece.shared.into()]).collect();
    let of_lanes = |pieces: &[[u64; 2]]| {
        let active = LaneMask::first(pieces.len() as u32);
        [(Space::Global, Direction::Load), (Space::Shared, Direction::Store)].map(|of| {
            let ((space, direction), side) = (of, usize::from(of.0 == Space::Shared));
            let mut addrs = [0; 32];
            addrs.iter_mut().zip(pieces).for_each(|(at, piece)| *at = piece[side]);
            Access { space, direction, bytes: transfer.each, route: Route::Lanes, active, addrs }
        })
    };
    pieces.chunks(32).map(of_lanes).collect()
}

impl GlobalGrids {
    /// The elements of the left and of the top matrix, if a product of these two belongs to a product of
    /// matrices: column k of the one, row k of the other.
    fn product(
        &self,
        a: (usize, u32, u32),
        b: (usize, u32, u32),
    ) -> Option<((u32, u32), (u32, u32))> {
        use crate::matrix::Operand::{A, B};
        let operands = [a, b].map(|(number, ..)| self.0[number].operand);
        let (left, top) = match operands {
            [Some(A), Some(B)] => (a, b),
            [Some(B), Some(A)] => (b, a),
            _ => return None,
        };
        (left.2 == top.1).then_some(((left.1, left.2), (top.1, top.2)))
    }
}
