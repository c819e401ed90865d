//! What the first phases of a block's run do, as far as the stage needs it: the accesses of each warp
//! between two doors, and which words its multiply-adds combine.

use super::grids::{GlobalGrids, words};
use super::pieces::{Fragments, PieceProduct};
use crate::sim::{Access, Direction, Effect, Machine, Pc, Step};
use crate::trace::{Origins, Products};
use crate::work::WorkToken;
use ptx::Space;
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
    /// For each warp: the elements that each lane has loaded and not yet stored, where values are
    /// changed on their way.
    loaded: HashMap<u16, Vec<VecDeque<u64>>>,
    pub(super) fma_pcs: BTreeSet<Pc>,
    /// The products of pieces, with the warp of each, in the order of the run.
    pub(super) pieces: Vec<(u16, PieceProduct)>,
    /// Whether tensor cores multiply.
    pub(super) is_packed: bool,
    /// The numbers of the barriers at which warps waited.
    pub(super) barriers: BTreeSet<u8>,
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

impl ObservedRun {
    pub(super) fn of(mut machine: Machine, grids: &GlobalGrids, token: &WorkToken) -> Option<Self> {
        let mut origins = Origins::new(&machine);
        let program = Arc::clone(machine.program());
        let (products, mut fragments) = (Products::of(&program), Fragments::of(&program));
        let warps = machine.warps();
        let (phases, fma) = (vec![0; warps], vec![0; warps]);
        let mut seen = Self { phases, fma, ..Self::default() };
        let mut executed: HashMap<(u16, Pc, u32), u32> = HashMap::new();
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
            seen.add(step, &origins, &products, grids, &mut executed);
            let is_door = matches!(step.effect, Effect::Barrier { .. });
            let live = |warp: &usize| !machine.live(*warp).is_empty();
            if (is_door || steps % 64 == 0) && seen.is_enough((0..warps).filter(live)) {
                break;
            }
        }
        Some(seen)
    }

    fn is_enough(&self, live: impl Iterator<Item = usize>) -> bool {
        let mut live = live.peekable();
        if live.peek().is_none() {
            return false;
        }
        if let Some(last) = self.brought.iter().nth(ENOUGH - 1) {
            let is_product = self.products[0] > 0 || self.is_packed;
            return is_product && live.all(|warp| self.phases[warp] > last + 1);
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

    fn add(
        &mut self,
        step: &Step,
        origins: &Origins,
        products: &Products,
        grids: &GlobalGrids,
        executed: &mut HashMap<(u16, Pc, u32), u32>,
    ) {
        let warp = usize::from(step.warp);
        if products.multiply_adds(step) > 0 {
            self.fma_pcs.insert(step.pc);
            self.multiply(step, origins, grids);
            self.fma[warp] += 1;
            *self.fma_by_phase.entry(self.phases[warp]).or_default() += 1;
        }
        match &step.effect {
            Effect::Barrier { id, .. } => {
                self.barriers.insert(*id);
                self.phases[warp] += 1;
            }
            Effect::Mma { .. } => self.is_packed = true,
            Effect::Async(effect) => {
                if effect.is_of_product() {
                    self.is_packed = true;
                    for read in step.accesses() {
                        self.used.insert(self.phases[warp]);
                        self.push(step, MoveKind::SharedLoad, read.clone(), None, executed);
                    }
                }
                if let Some([load, store]) = effect.copy() {
                    self.brought.insert(self.phases[warp]);
                    let goal = Some(store.clone());
                    self.push(step, MoveKind::Copy, load.clone(), goal, executed);
                }
                let (stores, _) = effect.brought();
                let landed = if effect.copy().is_none() { step.accesses() } else { &[] };
                for store in stores.iter().chain(landed) {
                    self.filled(store, origins);
                }
                for copy in effect.started() {
                    if copy.is_to_shared() {
                        self.brought.insert(self.phases[warp]);
                    }
                }
            }
            Effect::Memory(access) => self.access(step, access, (origins, grids), executed),
            Effect::Accesses(all) => {
                let each = |access| self.access(step, access, (origins, grids), executed);
                all.iter().for_each(each);
            }
            _ => {}
        }
    }

    fn access(
        &mut self,
        step: &Step,
        access: &Access,
        (origins, grids): (&Origins, &GlobalGrids),
        executed: &mut HashMap<(u16, Pc, u32), u32>,
    ) {
        self.far |= access.route.is_distributed();
        let phase = self.phases[usize::from(step.warp)];
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
                self.filled(access, origins);
                MoveKind::SharedStore
            }
            _ => return,
        };
        if kind == MoveKind::SharedStore {
            let is_known = words(access).any(|word| origins.of_word(word as usize).is_some());
            let was_loaded = self.put_down(step.warp, access);
            if is_known || was_loaded {
                self.brought.insert(phase);
            }
        }
        if !access.active.is_empty() {
            self.push(step, kind, access.clone(), None, executed);
        }
    }

    fn push(
        &mut self,
        step: &Step,
        kind: MoveKind,
        access: Access,
        goal: Option<Access>,
        executed: &mut HashMap<(u16, Pc, u32), u32>,
    ) {
        let (warp, pc) = (step.warp, step.pc);
        let (phase, fma) = (self.phases[usize::from(warp)], self.fma[usize::from(warp)]);
        let before = executed.entry((warp, pc, phase)).or_default();
        let nth = *before;
        *before += 1;
        self.moves.push(WarpMove { warp, pc, nth, phase, fma, kind, access, goal });
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
    fn filled(&mut self, store: &Access, origins: &Origins) {
        for word in words(store) {
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
