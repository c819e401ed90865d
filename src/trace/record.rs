//! Recording: runs a machine to its end in pieces, and keeps what is needed to come back.

use super::fold::{Fold, words};
use super::place::Kind;
use crate::analysis::banks;
use crate::ptx::Space;
use crate::sim::{Access, Effect, Fault, Machine, Pc, Program, Reg, Step};
use std::collections::HashMap;
use std::sync::Arc;

/// Bytes that all checkpoints may take together.
const BUDGET: usize = 12 << 20;

/// Steps between checkpoints at first; doubled whenever there are too many.
const SPACING: usize = 256;

/// One step, as the timeline and the jumps need it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The instruction.
    pub pc: Pc,
    /// Fused multiply-adds (of threads) of the whole block up to and with this step.
    pub fma: u32,
    /// The warp.
    pub warp: u16,
    /// What kind of instruction it was.
    pub kind: Kind,
    /// Whether a shared-memory access had a bank conflict.
    pub conflict: bool,
    /// Whether it was the last arrival at a barrier and released the block.
    pub released: bool,
}

/// A piece of the recording.
#[derive(Clone, Debug)]
pub struct Chunk {
    pub(super) marks: Vec<Mark>,
    pub(super) flights: Vec<Flight>,
    pub(super) checkpoints: Vec<Checkpoint>,
    /// Checkpoints that are no multiple of this are given up.
    pub(super) spacing: usize,
    pub(super) end: Option<Result<(), Fault>>,
}

impl Chunk {
    /// Whether nothing follows: the run is over.
    pub fn is_last(&self) -> bool {
        self.end.is_some()
    }
}

/// Everything about the moment after `index` steps.
#[derive(Clone, Debug)]
pub(super) struct Checkpoint {
    pub(super) index: usize,
    pub(super) machine: Machine,
    pub(super) fold: Fold,
}

/// A value on its way from global to shared memory, through a register.
#[derive(Clone, Debug)]
pub(super) struct Flight {
    /// Steps done when it had been loaded.
    pub(super) loaded: u32,
    /// Steps done when it had been stored.
    pub(super) stored: u32,
    /// Numbers of the words of shared memory that it was for.
    pub(super) words: Box<[u16]>,
}

/// Runs a block and records it.
#[derive(Debug)]
pub struct Recorder {
    machine: Machine,
    fold: Fold,
    index: usize,
    spacing: usize,
    checkpoints: usize,
    fma: u32,
    /// For each warp: the steps done when a register was last loaded from global memory.
    loaded: Vec<HashMap<Reg, u32>>,
}

impl Recorder {
    /// A recording of `machine`, which has not run yet.
    pub fn new(machine: Machine) -> Self {
        let fold = Fold::new(&machine);
        let loaded = vec![HashMap::new(); machine.warps()];
        Self { machine, fold, index: 0, spacing: SPACING, checkpoints: 1, fma: 0, loaded }
    }

    /// The program that runs.
    pub fn program(&self) -> &Arc<Program> {
        self.machine.program()
    }

    pub(super) fn checkpoint(&self) -> Checkpoint {
        Checkpoint { index: self.index, machine: self.machine.clone(), fold: self.fold.clone() }
    }

    /// Runs up to `steps` steps on. The last chunk of a recording says how it ended.
    pub fn record(&mut self, steps: usize) -> Chunk {
        let mut chunk = Chunk {
            marks: Vec::with_capacity(steps),
            flights: Vec::new(),
            checkpoints: Vec::new(),
            spacing: self.spacing,
            end: None,
        };
        while chunk.end.is_none() && chunk.marks.len() < steps {
            self.step(&mut chunk);
        }
        chunk.spacing = self.spacing;
        chunk
    }

    fn step(&mut self, chunk: &mut Chunk) {
        let interval = self.machine.interval();
        match self.machine.step() {
            Err(fault) => chunk.end = Some(Err(fault)),
            Ok(None) => chunk.end = Some(Ok(())),
            Ok(Some(step)) => {
                self.index += 1;
                self.fold.add(step, self.index, interval);
                let mark = mark(step, &mut self.fma);
                chunk.marks.push(mark);
                let loaded = &mut self.loaded[usize::from(step.warp)];
                let (step, index) = (step.clone(), self.index as u32);
                chunk.flights.extend(flight(
                    self.machine.program(),
                    &step,
                    mark.kind,
                    index,
                    loaded,
                ));
                self.keep(chunk);
            }
        }
    }

    /// A checkpoint at every multiple of the spacing, which grows when they take too much.
    fn keep(&mut self, chunk: &mut Chunk) {
        if !self.index.is_multiple_of(self.spacing) {
            return;
        }
        chunk.checkpoints.push(self.checkpoint());
        self.checkpoints += 1;
        let most = (BUDGET / self.machine.bytes().max(1)).clamp(8, 128);
        if self.checkpoints > most {
            self.spacing *= 2;
            self.checkpoints = self.index / self.spacing + 1;
        }
    }
}

fn mark(step: &Step, fma: &mut u32) -> Mark {
    *fma = fma.saturating_add(step.multiply_adds());
    let conflict = match &step.effect {
        Effect::Copy(copy) => conflicts(&copy[1]),
        Effect::Landed(_) => false,
        _ => step.accesses().iter().any(conflicts),
    };
    let released = step.released.is_some();
    Mark { pc: step.pc, fma: *fma, warp: step.warp, kind: Kind::of(step), conflict, released }
}

fn conflicts(access: &Access) -> bool {
    access.space == Space::Shared && banks::wavefronts(access).conflicts > 0
}

/// Remembers which registers were loaded from global memory; a store of one to shared memory
/// ends its flight.
fn flight(
    program: &Program,
    step: &Step,
    kind: Kind,
    index: u32,
    loaded: &mut HashMap<Reg, u32>,
) -> Option<Flight> {
    let inst = program.inst(step.pc);
    if kind == Kind::GlobalLoad && !step.active.is_empty() {
        loaded.insert(inst.loads_into()?, index);
    }
    let Effect::Memory(access) = &step.effect else { return None };
    if kind != Kind::SharedStore {
        return None;
    }
    let since = loaded.remove(&inst.stores_from()?)?;
    let words = words(access).filter_map(|word| u16::try_from(word).ok()).collect();
    Some(Flight { loaded: since, stored: index, words })
}
