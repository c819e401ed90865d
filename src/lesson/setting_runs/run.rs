//! The run of the watched block.

use super::accesses::Accesses;
use super::grid::GridRuns;
use crate::launch::Dim3;
use crate::lesson::query_error::QueryError;
use crate::matrix::judge::Wrong;
use crate::matrix::{Element, Operand};
use crate::report::found::FindingInRun;
use crate::sim::Machine;
use crate::study::errors::errors;
use crate::study::findings::BlockRun;
use crate::study::stored_part::stored_part;
use crate::study::value::{ValueAnswer, ValueQuestion};
use crate::trace::{End, Recorder, Replay, Trace};
use crate::work::WorkToken;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Steps of a recording: a block of any lesson ends before that.
const MOST: usize = 1 << 20;

/// Steps recorded at a time.
const CHUNK: usize = 1 << 14;

/// A block's run, recorded when it is first asked about.
#[derive(Debug)]
pub(super) struct RecordedBlock {
    grid: Arc<GridRuns>,
    pub(super) block: Dim3,
    recorded: OnceLock<(Trace, Replay)>,
    accesses: OnceLock<Accesses>,
    found: OnceLock<Vec<FindingInRun>>,
    wrong: OnceLock<Option<Wrong>>,
    histories: Mutex<BTreeMap<Element, Arc<ValueAnswer>>>,
}

impl RecordedBlock {
    pub(super) fn new(grid: Arc<GridRuns>, block: Dim3) -> Self {
        let (recorded, accesses, found) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        let (wrong, histories) = (OnceLock::new(), Mutex::default());
        Self { grid, block, recorded, accesses, found, wrong, histories }
    }

    /// The block before its first step.
    fn machine(&self) -> Machine {
        let GridRuns { problem, program, .. } = &*self.grid;
        let memory = problem.sparse_memory(program);
        problem.machine(Arc::clone(program), self.block, memory, self.grid.watched_order())
    }

    fn recorded(&self) -> &(Trace, Replay) {
        self.recorded.get_or_init(|| {
            let joins = self.grid.joins();
            let mut recorder = Recorder::within(self.machine(), Arc::clone(joins), MOST);
            let (mut trace, start) = (Trace::new(&recorder), Replay::new(&recorder));
            while !trace.complete() {
                trace.append(recorder.record(CHUNK));
            }
            (trace, start)
        })
    }

    pub(super) fn trace(&self) -> &Trace {
        &self.recorded().0
    }

    pub(super) fn at(&self, step: usize) -> Replay {
        let (trace, start) = self.recorded();
        let mut replay = start.clone();
        replay.seek(trace, step);
        replay
    }

    pub(super) fn accesses(&self) -> &Accesses {
        self.accesses.get_or_init(|| {
            Accesses::of(&self.grid.problem, &self.grid.program, self.machine(), MOST)
        })
    }

    pub(super) fn history(&self, element: Element) -> Result<Arc<ValueAnswer>, QueryError> {
        let mut histories = self.histories.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = histories.get(&element) {
            return Ok(Arc::clone(known));
        }
        let question = ValueQuestion {
            problem: self.grid.problem.clone(),
            program: Arc::clone(&self.grid.program),
            order: self.grid.watched_order(),
            block: self.block,
            element,
        };
        let mut last = None;
        let asked = question.ask(&WorkToken::default(), |answer| last = Some(answer));
        asked.map_err(|why| QueryError::new(why.to_string()))?;
        let none = || QueryError::new(format!("no block uses {element}"));
        let answer = Arc::new(last.ok_or_else(none)?);
        histories.insert(element, Arc::clone(&answer));
        Ok(answer)
    }

    /// The wrong elements of what the block has stored of C at its end, if that is a whole part of C.
    pub(super) fn wrong(&self) -> Option<Wrong> {
        *self.wrong.get_or_init(|| {
            let ended = self.trace().end() == Some(&End::Done);
            let replay = self.at(usize::MAX);
            let memory = replay.machine().memory();
            let part = stored_part(&self.grid.problem, memory).filter(|_| ended)?;
            let c = memory.named(Operand::C.name())?;
            Some(errors(&self.grid.problem, c, part, 0.0).wrong())
        })
    }

    pub(super) fn found(&self) -> &[FindingInRun] {
        self.found.get_or_init(|| {
            let block_run = BlockRun {
                problem: self.grid.problem.clone(),
                program: Arc::clone(&self.grid.program),
                block: self.block,
                order: self.grid.watched_order(),
            };
            FindingInRun::all(&block_run, &block_run.look())
        })
    }
}
