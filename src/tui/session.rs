//! One block's run on the screen: what is recorded of it, and the place that is shown.

use super::task::{Checking, Recording};
use crate::kernel::{FOREIGN_ROUND, Owned, Problem};
use crate::launch::Dim3;
use crate::matrix::Operand;
use crate::ptx::ParseError;
use crate::report::found::{Found, Shows, Suspect};
use crate::report::sentence::sentence;
use crate::sim::{Order, Program};
use crate::trace::cursor::{self, Unit, Want};
use crate::trace::{Chunk, Place, Recorder, Replay, Trace};
use std::sync::Arc;

/// Which run a chunk belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct RunId(pub u64);

/// A run, being recorded or complete, and a place in it.
#[derive(Debug)]
pub struct Session {
    id: RunId,
    problem: Problem,
    block: Dim3,
    order: Order,
    program: Arc<Program>,
    trace: Trace,
    replay: Replay,
    barriers: Vec<usize>,
    sentence: String,
    goal: Option<Goal>,
    /// Which elements of C each thread computes.
    owned: Owned,
    /// What is wrong with the run, once that has been checked.
    found: Option<Vec<Found>>,
    /// As long as it is held, the recording goes on.
    alive: Arc<()>,
}

/// A place that may lie ahead of what is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// After so many steps.
    Step(usize),
    /// Where the block has done so many multiply-adds.
    Work(u32),
    /// The next stop of a unit, from the place after so many steps.
    Next(usize, Unit),
    /// The end of the run.
    End,
}

/// Steps in the first piece of a recording: some tenths of a millisecond.
const FIRST_PIECE: usize = 1 << 11;

impl Session {
    /// A run that has not begun, and what has to be recorded of it.
    ///
    /// # Errors
    /// PTX that cannot be run.
    pub fn new(
        id: RunId,
        problem: Problem,
        block: Dim3,
        order: Order,
    ) -> Result<(Self, Recording), ParseError> {
        let program = problem.program()?;
        Ok(Self::of_program(id, problem, program, block, order))
    }

    /// The same kernel with another block or order.
    pub fn again(&self, id: RunId, block: Dim3, order: Order) -> (Self, Recording) {
        Self::of_program(id, self.problem.clone(), Arc::clone(&self.program), block, order)
    }

    fn of_program(
        id: RunId,
        problem: Problem,
        program: Arc<Program>,
        block: Dim3,
        order: Order,
    ) -> (Self, Recording) {
        let memory = problem.sparse_memory(&program);
        let machine = problem.machine(Arc::clone(&program), block, memory, order.clone());
        let mut recorder = Recorder::new(machine);
        let (trace, replay) = (Trace::new(&recorder), Replay::new(&recorder));
        // What comes first is recorded here, so that the first key already finds it.
        let first = recorder.record(FIRST_PIECE);
        let alive = Arc::new(());
        let recording = Recording { id, recorder, alive: Arc::downgrade(&alive) };
        let (barriers, sentence, goal, found) = (Vec::new(), String::new(), None, None);
        let owned = problem.owned(&program, block);
        let mut session = Self {
            id,
            problem,
            block,
            order,
            program,
            trace,
            replay,
            barriers,
            sentence,
            goal,
            owned,
            found,
            alive,
        };
        session.append(first);
        (session, recording)
    }

    /// Adds what has been recorded next, and goes where the user wanted if that is now known.
    pub fn append(&mut self, chunk: Chunk) {
        let before = self.trace.len();
        let was_at_end = self.at() == before;
        self.trace.append(chunk);
        let released = |(index, mark): (usize, &crate::trace::Mark)| {
            mark.released.then_some(before + index + 1)
        };
        self.barriers.extend(self.trace.marks()[before..].iter().enumerate().filter_map(released));
        match self.goal {
            Some(goal) => self.go(goal),
            // What happens at the end of the run may only now be known: a fault, for instance.
            None if was_at_end => self.tell(),
            None => {}
        }
    }

    /// Goes to a place, at once or when it is recorded; until then, as near as can be.
    pub fn go(&mut self, goal: Goal) {
        let (known, done) = (self.trace.len(), self.trace.complete());
        let (index, reached) = match goal {
            Goal::Step(step) => (step.min(known), step <= known),
            Goal::Work(fma) => {
                let index = self.trace.same_work(fma);
                (index, self.trace.marks().last().is_some_and(|mark| mark.fma >= fma) || fma == 0)
            }
            Goal::Next(from, unit) => {
                let next = cursor::next(&self.trace, from, unit, self.fma_per_tile());
                // The end of what is known is no stop, unless it is the end of the run.
                if next < known || done { (next, true) } else { (from, false) }
            }
            Goal::End => (known, false),
        };
        self.goal = Some(goal).filter(|_| !reached && !done);
        self.replay.seek(&self.trace, index);
        self.tell();
    }

    fn tell(&mut self) {
        let wrong = self.shows().next().map(|shows| shows.sentence.clone());
        let usual = || sentence(&self.problem, &self.trace, &self.replay);
        self.sentence = wrong.unwrap_or_else(usual);
    }

    /// The run, to be checked.
    pub fn checking(&self) -> Checking {
        let (problem, program) = (self.problem.clone(), Arc::clone(&self.program));
        let suspect = Suspect { problem, program, block: self.block, order: self.order() };
        Checking { id: self.id, suspect, alive: Arc::downgrade(&self.alive) }
    }

    /// What is wrong with it is known.
    pub fn hear(&mut self, found: Vec<Found>) {
        self.found = Some(found);
        self.tell();
    }

    /// What is wrong with it; none until that is known.
    pub fn found(&self) -> Option<&[Found]> {
        self.found.as_deref()
    }

    /// What is wrong with the step that led here.
    pub fn shows(&self) -> impl Iterator<Item = &Shows> {
        let all = self.found.iter().flatten().flat_map(|found| &found.shows);
        all.filter(|shows| shows.step == self.at() && shows.step > 0)
    }

    /// The number of the first finding that shows at the step that led here; 0, if none does.
    pub fn found_here(&self) -> usize {
        let here = |found: &Found| found.shows.iter().any(|shows| shows.step == self.at());
        self.found.iter().flatten().position(here).unwrap_or(0)
    }

    /// The next step after this one at which something wrong shows, or the last one before.
    pub fn next_wrong(&self, forwards: bool) -> Option<usize> {
        let steps = self.found.iter().flatten().flat_map(|found| &found.shows);
        let steps = steps.map(|shows| shows.step);
        let at = self.at();
        if forwards {
            steps.filter(|step| *step > at).min()
        } else {
            steps.filter(|step| *step < at).max()
        }
    }

    /// One unit on, as soon as that is recorded.
    pub fn forward(&mut self, unit: Unit) {
        self.go(Goal::Next(self.at(), unit));
    }

    /// So many units on, in one go. Waits at the end of what is recorded so far.
    pub fn play(&mut self, unit: Unit, count: u32) {
        let tile = self.fma_per_tile();
        let on = |at, _| cursor::next(&self.trace, at, unit, tile);
        let next = (0..count).fold(self.at(), on);
        if next < self.trace.len() || self.trace.complete() {
            self.go(Goal::Step(next));
        }
    }

    /// One unit back.
    pub fn back(&mut self, unit: Unit) {
        let previous = cursor::previous(&self.trace, self.at(), unit, self.fma_per_tile());
        self.go(Goal::Step(previous));
    }

    /// The next place at which the last step was what is wanted, if there is one.
    pub fn next_match(&self, want: Want) -> Option<usize> {
        cursor::next_match(&self.trace, self.at(), want)
    }

    /// The previous one.
    pub fn previous_match(&self, want: Want) -> Option<usize> {
        cursor::previous_match(&self.trace, self.at(), want)
    }

    /// Which run it is.
    pub const fn id(&self) -> RunId {
        self.id
    }

    /// What runs.
    pub const fn problem(&self) -> &Problem {
        &self.problem
    }

    /// The block that is watched.
    pub const fn block(&self) -> Dim3 {
        self.block
    }

    /// Which elements of C each thread computes, where that is known.
    pub const fn owned(&self) -> &Owned {
        &self.owned
    }

    /// The order of its warps.
    pub fn order(&self) -> Order {
        self.order.clone()
    }

    /// What is recorded.
    pub const fn trace(&self) -> &Trace {
        &self.trace
    }

    /// The machine at the place that is shown.
    pub const fn replay(&self) -> &Replay {
        &self.replay
    }

    /// The place that is shown.
    pub fn place(&self) -> &Place {
        self.replay.place()
    }

    /// Steps done there.
    pub fn at(&self) -> usize {
        self.place().index
    }

    /// Multiply-adds that the block has done there.
    pub fn work(&self) -> u32 {
        self.place().totals.multiply_adds() as u32
    }

    /// Whether there is nothing more to come.
    pub fn at_end(&self) -> bool {
        self.trace.complete() && self.at() == self.trace.len()
    }

    /// Places at which the block has passed a barrier, ascending.
    pub fn barriers(&self) -> &[usize] {
        &self.barriers
    }

    /// What happens at the place that is shown.
    pub fn sentence(&self) -> &str {
        &self.sentence
    }

    /// The shortest unit between two phases: barriers, or tiles where the kernel has no barriers.
    pub fn phase(&self) -> Unit {
        if self.program.shared.is_empty() { Unit::Tile } else { Unit::Barrier }
    }

    /// As many multiply-adds of this block as bring it as far along k as `other` is.
    pub fn work_of(&self, other: &Self) -> u32 {
        let tile = |session: &Self| session.problem.tile();
        let Some((own, its)) = tile(self).zip(tile(other)) else { return other.work() };
        if own.shape(Operand::C) == its.shape(Operand::C) {
            return other.work();
        }
        let [all, done] = [self.fma_per_tile(), other.work()].map(u64::from);
        let part = u64::from(own.k) * u64::from(other.fma_per_tile()) / u64::from(its.k);
        (all * done / part.max(1)) as u32
    }

    /// The block of another kernel that computes what this one begins with.
    pub fn block_in(&self, other: &Problem) -> Dim3 {
        let part = self.problem.part(self.block);
        let same = part.and_then(|(rows, columns)| other.block_of(rows.start, columns.start));
        same.filter(|block| other.launch().grid.contains(*block)).unwrap_or(self.block)
    }

    /// The tile along k that the block works on, from 0: that of its slowest warp. None where the
    /// kernel is not known to work in tiles.
    pub fn k_tile(&self) -> Option<u32> {
        let (variant, tiles) = self.problem.variant().zip(self.problem.k_tiles())?;
        let running = |warp: &&crate::trace::WarpNow| !warp.live.is_empty();
        let fma = self.place().warps.iter().filter(running).map(|warp| warp.fma).min();
        let done = fma.map_or(u32::MAX, |fma| fma / variant.fma_per_thread());
        Some(done.min(tiles.saturating_sub(1)))
    }

    /// What a person calls a unit: of a kernel without tiles that are known, a round of
    /// multiply-adds takes their place.
    pub fn unit_name(&self, unit: Unit) -> String {
        match (unit, self.problem.tile()) {
            (Unit::Tile, None) => format!("{FOREIGN_ROUND} FMAs"),
            _ => unit.name().to_owned(),
        }
    }

    fn fma_per_tile(&self) -> u32 {
        self.problem.fma_per_tile(self.block)
    }
}
