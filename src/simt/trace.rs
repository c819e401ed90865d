//! A recorded run of one block: the order of its steps, with checkpoints from which to replay.
//!
//! ```text
//! Recorder (its own thread) -> Chunk .. Chunk -> Trace (what is known so far)
//! Replay::seek(&trace, index)  copies the last checkpoint before `index` and runs on from there
//! Replay::place()              everything the screen shows of that moment
//! cursor::next(&trace, ..)     where the next line, barrier, tile, conflict is
//! provenance                   where a value came from, and where one went
//! ```
//!
//! A step is stored as a [`StepRecord`] of 16 bytes; its effects are recomputed by running it
//! again. So a million steps take some 16 MB, and stepping back is as exact as stepping forward.

mod aggregates;
pub mod cursor;
pub mod episodes;
mod extent;
mod origins;
mod products;
pub mod provenance;
mod record;
mod replay;
mod snapshot;

pub use crate::sim::WarpState;
pub use extent::Extent;
pub use origins::Origins;
pub use products::Products;
pub use record::{Chunk, End, LIMIT, Recorder, RunCost, StepRecord};
pub use replay::{BackgroundSeek, Replay};
pub use snapshot::{Age, Last, OpKind, SharedWord, Snapshot, WarpNow, missing};

use crate::analysis::vectorise::SmemVectorisation;
use crate::sim::{Pc, Program};
use record::{Checkpoint, LoadInFlight};
use std::ops::Range;
use std::sync::Arc;

/// The cost of simulating a step, in multiply-adds of a tensor core: some 100 nanoseconds, compared
/// with 5.
const STEP: u64 = 20;

/// The recording so far.
#[derive(Clone, Debug)]
pub struct Trace {
    program: Arc<Program>,
    joins: Arc<SmemVectorisation>,
    products: Arc<Products>,
    marks: Vec<StepRecord>,
    costs: Vec<RunCost>,
    checkpoints: Vec<Checkpoint>,
    flights: Vec<LoadInFlight>,
    end: Option<End>,
}

impl Trace {
    /// Makes an empty trace of the run that `recorder` is about to record.
    pub fn new(recorder: &Recorder) -> Self {
        let first = recorder.checkpoint();
        let (program, joins) =
            (Arc::clone(recorder.program()), Arc::clone(&first.aggregates.joins));
        let products = Arc::clone(&first.aggregates.products);
        let (marks, costs, flights) = (Vec::new(), Vec::new(), Vec::new());
        Self {
            program,
            joins,
            products,
            marks,
            costs,
            checkpoints: vec![first],
            flights,
            end: None,
        }
    }

    /// Adds the recorder's next chunk.
    pub fn append(&mut self, chunk: Chunk) {
        self.marks.extend(chunk.marks);
        self.costs.extend(chunk.costs);
        self.flights.extend(chunk.flights);
        self.checkpoints.extend(chunk.checkpoints);
        self.checkpoints.retain(|checkpoint| checkpoint.index % chunk.spacing == 0);
        self.end = chunk.end;
    }

    /// Steps recorded so far.
    pub fn len(&self) -> usize {
        self.marks.len()
    }

    /// Whether nothing has been recorded.
    pub fn is_empty(&self) -> bool {
        self.marks.is_empty()
    }

    /// Whether nothing more will be recorded.
    pub fn complete(&self) -> bool {
        self.end.is_some()
    }

    /// How the recording ends, once known.
    pub fn end(&self) -> Option<&End> {
        self.end.as_ref()
    }

    /// The steps, in the order in which they ran.
    pub fn records(&self) -> &[StepRecord] {
        &self.marks
    }

    /// What the block had cost at steps at small distances, and at the end: ascending.
    pub fn costs(&self) -> &[RunCost] {
        &self.costs
    }

    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// The SASS accesses in place of the program's shared accesses.
    pub fn joins(&self) -> &SmemVectorisation {
        &self.joins
    }

    /// The instructions that multiply integers.
    pub fn products(&self) -> &Products {
        &self.products
    }

    /// The line of the CUDA source from which an instruction comes.
    pub fn line(&self, pc: Pc) -> Option<u32> {
        self.program.inst(pc).line
    }

    /// Estimates how long running these steps again takes, in multiply-adds of a tensor core: those
    /// of the steps, plus a constant for each step.
    pub fn work(&self, steps: Range<usize>) -> u64 {
        let done = |steps: usize| steps.checked_sub(1).map_or(0, |last| self.marks[last].fma);
        STEP * steps.len() as u64 + u64::from(done(steps.end).saturating_sub(done(steps.start)))
    }

    /// Returns the number of steps after which the block had first executed `fma` multiply-adds:
    /// the same point of the work as in another kernel's run.
    pub fn same_work(&self, fma: u32) -> usize {
        if fma == 0 { 0 } else { self.marks.partition_point(|mark| mark.fma < fma) + 1 }
            .min(self.marks.len())
    }

    /// The last position at which the block has executed `fma` multiply-adds and no more.
    pub fn work_ends(&self, fma: u32) -> usize {
        self.marks.partition_point(|mark| mark.fma <= fma)
    }
}
