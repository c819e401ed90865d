//! Recording: runs a machine to its end in chunks, and keeps what replaying needs.

use super::aggregates::Aggregates;
use super::origins::words;
use super::products::Products;
use super::snapshot::OpKind;
use crate::analysis::banks;
use crate::analysis::grid::no_end;
use crate::analysis::vectorise::SmemVectorisation;
use crate::sim::{Access, Effect, Fault, Machine, Pc, Program, Reg, Repeats, Repetition, Step};
use ptx::Space;
use std::collections::HashMap;
use std::sync::Arc;

/// Bytes that all checkpoints together may always take. Beyond that they may take as many as the
/// step records do or, where single steps do much work (those of tensor cores), one byte per
/// `MULTIPLY_ADDS_PER_BYTE` multiply-adds, up to `MOST`.
const BUDGET: usize = 2 << 20;
const MULTIPLY_ADDS_PER_BYTE: usize = 4;
const MOST: usize = 32 << 20;

/// Steps after which a recording stops: more than anyone looks at. Their records take 128 MiB.
pub const LIMIT: usize = 1 << 23;

/// Initial number of steps between checkpoints, replayed in some tenths of a millisecond; doubled
/// whenever the checkpoints take too much memory.
const SPACING: usize = 1 << 11;

/// Number of steps between points of the cost curve, which then take a tenth of what the records do.
const COST_SPACING: usize = 1 << 3;

/// One step, as the timeline and the jumps need it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepRecord {
    pub pc: Pc,
    /// Multiply-adds (of threads) of the whole block up to and including this step.
    pub fma: u32,
    pub warp: u16,
    /// The kind of instruction.
    pub kind: OpKind,
    /// Passes over the banks (wavefronts) of its accesses to shared memory, at most 255.
    pub passes: u8,
    /// Whether those are more than the accesses need: a bank conflict.
    pub conflict: bool,
    /// Whether it was the last arrival at a barrier and released the warps that waited there.
    pub released: bool,
    /// The number of the barrier at which it arrived, or which it completed; otherwise 0.
    pub barrier: u8,
}

/// What the block has cost up to some step: a point of its curve over the work done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunCost {
    /// Multiply-adds of the whole block.
    pub fma: u32,
    /// Sectors of global memory that its loads requested.
    pub sectors: u32,
    /// Passes over the banks of shared memory, as written in PTX.
    pub passes: u32,
}

/// A piece of the recording.
#[derive(Clone, Debug)]
pub struct Chunk {
    pub(super) marks: Vec<StepRecord>,
    pub(super) costs: Vec<RunCost>,
    pub(super) flights: Vec<LoadInFlight>,
    pub(super) checkpoints: Vec<Checkpoint>,
    /// Checkpoints at indices that are not multiples of this are dropped.
    pub(super) spacing: usize,
    pub(super) end: Option<End>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    Done,
    Fault(Fault),
    /// It takes more steps than are recorded: how it ends is not known.
    Cut,
    /// It waits for another block to change the global memory that it reads, for ever if none does.
    Waits,
}

impl Chunk {
    /// Whether no chunk follows: the run is over, or its recorded part.
    pub fn is_last(&self) -> bool {
        self.end.is_some()
    }
}

/// The complete state after `index` steps, and the last step.
#[derive(Clone, Debug)]
pub(super) struct Checkpoint {
    pub(super) index: usize,
    pub(super) machine: Machine,
    pub(super) aggregates: Aggregates,
    pub(super) step: Option<Step>,
}

impl Checkpoint {
    /// Executes one step. Since the run was recorded, it cannot fault before the recorded end.
    pub(super) fn advance(&mut self) {
        let interval = self.machine.interval();
        self.index += 1;
        if let Ok(Some(step)) = self.machine.step() {
            self.aggregates.add(step, self.index, interval);
            self.step = Some(step.clone());
        }
    }
}

/// A value in flight from global to shared memory, through a register or an asynchronous copy.
#[derive(Clone, Debug)]
pub(super) struct LoadInFlight {
    /// Steps done after its load.
    pub(super) loaded: u32,
    /// Steps done after its store.
    pub(super) stored: u32,
    /// The numbers of the words of shared memory that it went to.
    pub(super) words: Box<[u16]>,
}

/// Runs a block, or all blocks that run together, and records it.
#[derive(Debug)]
pub struct Recorder {
    machine: Machine,
    fold: Aggregates,
    index: usize,
    /// Steps after which it stops.
    limit: usize,
    spacing: usize,
    checkpoints: usize,
    fma: u32,
    /// For each warp: its values in flight from global memory.
    pending: Vec<PendingLoads>,
    repetition: Repetition,
}

/// Values that a warp has loaded from global memory and not yet stored to shared memory.
#[derive(Clone, Debug, Default)]
struct PendingLoads {
    /// For each register, the steps done after it was last loaded.
    registers: HashMap<Reg, u32>,
    /// For each asynchronous copy, the steps done after it began, and those of its destination
    /// words that have not landed.
    copies: Vec<(u32, Box<[u16]>)>,
}

impl Recorder {
    /// Prepares to record `machine`, which has not run yet, for up to [`LIMIT`] steps. `joins`
    /// belong to its program.
    pub fn new(machine: Machine, joins: Arc<SmemVectorisation>) -> Self {
        Self::within(machine, joins, LIMIT)
    }

    /// Like [`Self::new`], for up to `limit` steps.
    pub fn within(machine: Machine, joins: Arc<SmemVectorisation>, limit: usize) -> Self {
        let fold = Aggregates::new(&machine, joins);
        let coming = vec![PendingLoads::default(); machine.warps()];
        Self {
            machine,
            fold,
            index: 0,
            limit,
            spacing: SPACING,
            checkpoints: 1,
            fma: 0,
            pending: coming,
            repetition: Repetition::default(),
        }
    }

    /// The program that runs.
    pub fn program(&self) -> &Arc<Program> {
        self.machine.program()
    }

    pub(super) fn checkpoint(&self) -> Checkpoint {
        let step = (self.index > 0).then(|| self.machine.last().clone());
        let (machine, fold) = (self.machine.clone(), self.fold.clone());
        Checkpoint { index: self.index, machine, aggregates: fold, step }
    }

    /// Runs up to `steps` more steps. The last chunk of a recording says how it ended.
    pub fn record(&mut self, steps: usize) -> Chunk {
        let mut chunk = Chunk {
            marks: Vec::with_capacity(steps),
            costs: Vec::new(),
            flights: Vec::new(),
            checkpoints: Vec::new(),
            spacing: self.spacing,
            end: None,
        };
        while chunk.end.is_none() && chunk.marks.len() < steps {
            self.step(&mut chunk);
        }
        chunk.spacing = self.spacing;
        if chunk.end.is_some() {
            chunk.costs.push(self.cost());
        }
        chunk
    }

    /// Returns what the block has cost so far.
    fn cost(&self) -> RunCost {
        let counts = &self.fold.totals.ptx;
        let most = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
        RunCost {
            fma: self.fma,
            sectors: most(counts.global.loads.sectors),
            passes: most(counts.shared.all().wavefronts),
        }
    }

    fn step(&mut self, chunk: &mut Chunk) {
        let interval = self.machine.interval();
        if self.index == self.limit {
            chunk.end = Some(End::Cut);
            return;
        }
        match self.machine.step() {
            Err(fault) => chunk.end = Some(End::Fault(fault)),
            Ok(None) => chunk.end = Some(End::Done),
            Ok(Some(step)) => {
                self.index += 1;
                self.fold.add(step, self.index, interval);
                let mark = mark(step, &self.fold.products, &mut self.fma);
                chunk.marks.push(mark);
                let coming = &mut self.pending[usize::from(step.warp)];
                let (step, index) = (step.clone(), self.index as u32);
                coming.add(self.machine.program(), &step, mark.kind, index, &mut chunk.flights);
                coming.land_all(self.machine.landed(), index, &mut chunk.flights);
                if self.index.is_multiple_of(COST_SPACING) {
                    chunk.costs.push(self.cost());
                }
                self.keep(chunk);
                chunk.end = self.never_ends();
            }
        }
    }

    /// How the recording ends if the block is proved never to end.
    fn never_ends(&mut self) -> Option<End> {
        let repeats = self.repetition.sees(&self.machine)?;
        Some(match repeats {
            Repeats::Always | Repeats::Evenly | Repeats::AtLeast(_) => {
                End::Fault(no_end(&self.machine, self.index as u64, Some(repeats)))
            }
            Repeats::UnlessWritten(_) => End::Waits,
        })
    }

    /// Keeps a checkpoint at every multiple of the spacing, which grows when they take too much
    /// memory.
    fn keep(&mut self, chunk: &mut Chunk) {
        if !self.index.is_multiple_of(self.spacing) {
            return;
        }
        chunk.checkpoints.push(self.checkpoint());
        self.checkpoints += 1;
        let of_work = (self.fma as usize / MULTIPLY_ADDS_PER_BYTE).min(MOST);
        let budget = BUDGET.max(self.index * size_of::<StepRecord>()).max(of_work);
        if self.checkpoints * (self.machine.bytes() + self.fold.bytes()) > budget {
            self.spacing *= 2;
            self.checkpoints = self.index / self.spacing + 1;
        }
    }
}

fn mark(step: &Step, products: &Products, fma: &mut u32) -> StepRecord {
    *fma = fma.saturating_add(products.multiply_adds(step));
    let shared = match &step.effect {
        // The wavefronts of a landing copy also depend on addresses other than its own. Tensor
        // cores have no conflicts.
        Effect::Async(effect) if effect.copy().is_none() => &[],
        _ => step.accesses(),
    };
    // Nor have accesses of other blocks' memory.
    let is_own = |access: &&Access| access.space == Space::Shared && !access.route.is_distributed();
    let shared = shared.iter().filter(is_own);
    let (mut passes, mut conflicts) = (0, 0);
    for cost in shared.map(banks::wavefronts) {
        passes += cost.wavefronts;
        conflicts += cost.conflicts;
    }
    let barrier = match step.effect {
        Effect::Barrier { id, .. } => id,
        _ => step.released.unwrap_or_default(),
    };
    StepRecord {
        pc: step.pc,
        fma: *fma,
        warp: step.warp,
        kind: products.kind(step),
        passes: u8::try_from(passes).unwrap_or(u8::MAX),
        conflict: conflicts > 0,
        released: step.released.is_some(),
        barrier,
    }
}

impl PendingLoads {
    /// Remembers what a step loads from global memory; storing it to shared memory ends its flight.
    fn add(
        &mut self,
        program: &Program,
        step: &Step,
        kind: OpKind,
        index: u32,
        flights: &mut Vec<LoadInFlight>,
    ) {
        let inst = program.inst(step.pc);
        match &step.effect {
            Effect::Async(effect) => {
                self.copies.extend(effect.copy().map(|copy| (index, numbers(&copy[1]))));
            }
            Effect::Memory(_) if kind == OpKind::GlobalLoad && !step.active.is_empty() => {
                self.registers.extend(inst.loads_into().map(|register| (register, index)));
            }
            Effect::Memory(access) if kind == OpKind::SharedStore => {
                let loaded = inst.stores_from().and_then(|from| self.registers.remove(&from));
                let words = || numbers(access);
                flights.extend(loaded.map(|loaded| LoadInFlight {
                    loaded,
                    stored: index,
                    words: words(),
                }));
            }
            _ => {}
        }
    }

    /// Ends the flight of copies that have landed.
    fn land_all(&mut self, stores: &[Access], index: u32, flights: &mut Vec<LoadInFlight>) {
        flights.extend(stores.iter().filter_map(|store| self.land(numbers(store), index)));
    }

    /// Ends the flight of these words, which are all or some of those of a copy.
    fn land(&mut self, landed: Box<[u16]>, index: u32) -> Option<LoadInFlight> {
        let first = landed.first()?;
        let of = self.copies.iter().position(|(_, words)| words.contains(first))?;
        let (loaded, words) = &mut self.copies[of];
        let flight = LoadInFlight { loaded: *loaded, stored: index, words: landed };
        *words = words.iter().filter(|word| !flight.words.contains(word)).copied().collect();
        if words.is_empty() {
            self.copies.remove(of);
        }
        Some(flight)
    }
}

/// Returns the numbers of the words of shared memory that an access touches.
fn numbers(access: &Access) -> Box<[u16]> {
    words(access).filter_map(|word| u16::try_from(word).ok()).collect()
}
