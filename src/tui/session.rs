//! One block's run on the screen: what is recorded of it, and the place that is shown.

use super::shelf::Loaded;
use super::task::{Checking, Recording, RunId, Seeking};
use crate::kernel::{FOREIGN_ROUND, Owned, Problem};
use crate::launch::Dim3;
use crate::matrix::Operand;
use crate::report::found::{Found, Shows};
use crate::report::sentence::sentence;
use crate::sim::Order;
use crate::study::findings::Suspect;
use crate::trace::cursor::{self, Unit, Want};
use crate::trace::{Chunk, Journey, Recorder, Replay, Snapshot, Trace};
use std::sync::{Arc, Weak};

/// A run, being recorded or complete, and a place in it.
#[derive(Debug)]
pub struct Session {
    id: RunId,
    kernel: Loaded,
    block: Dim3,
    order: Order,
    trace: Trace,
    replay: Replay,
    barriers: Vec<usize>,
    sentence: String,
    /// A place that is not recorded yet.
    goal: Option<Goal>,
    /// Steps done at the place that was asked for last: the one that is shown, or one to which a
    /// journey is under way.
    heading: usize,
    /// As long as it is held, the journey goes on.
    under_way: Option<Arc<()>>,
    /// A journey that nobody has begun yet.
    departing: Option<Seeking>,
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

/// Work up to which a place is gone to at once, in the unit of [`Trace::work`]: some 3 milliseconds.
const NEAR: u64 = 1 << 19;

impl Session {
    /// A run that has not begun, and what has to be recorded of it.
    pub fn new(id: RunId, kernel: Loaded, block: Dim3, order: Order) -> (Self, Recording) {
        let Loaded { problem, program, joins } = &kernel;
        let memory = problem.sparse_memory(program);
        let machine = problem.machine(Arc::clone(program), block, memory, order.clone());
        let mut recorder = Recorder::new(machine, Arc::clone(joins));
        let (trace, replay) = (Trace::new(&recorder), Replay::new(&recorder));
        // What comes first is recorded here, so that the first key already finds it.
        let first = recorder.record(FIRST_PIECE);
        let alive = Arc::new(());
        let recording = Recording { id, beside: false, recorder, alive: Arc::downgrade(&alive) };
        let owned = problem.owned(program, block);
        let mut session = Self {
            id,
            kernel,
            block,
            order,
            trace,
            replay,
            barriers: Vec::new(),
            sentence: String::new(),
            goal: None,
            heading: 0,
            under_way: None,
            departing: None,
            owned,
            found: None,
            alive,
        };
        session.append(first);
        (session, recording)
    }

    /// The same kernel with another block or order.
    pub fn again(&self, id: RunId, block: Dim3, order: Order) -> (Self, Recording) {
        Self::new(id, self.kernel.clone(), block, order)
    }

    /// Adds what has been recorded next, and goes where the user wanted if that is now known.
    pub fn append(&mut self, chunk: Chunk) {
        let before = self.trace.len();
        let was_at_end = self.at() == before;
        self.trace.append(chunk);
        let released = |(index, mark): (usize, &crate::trace::StepRecord)| {
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
        self.seek(index);
    }

    /// At once, if that does not take long; else as the end of a journey that is made elsewhere. If
    /// one is under way, it comes to its end first, so that something is seen while a key is held.
    fn seek(&mut self, index: usize) {
        self.heading = index;
        if self.replay.work(&self.trace, index) <= NEAR {
            (self.under_way, self.departing) = (None, None);
            self.replay.seek(&self.trace, index);
            return self.tell();
        }
        if self.under_way.is_none() {
            let under_way = Arc::new(());
            let journey = self.replay.journey(&self.trace, index);
            let alive = Arc::downgrade(&under_way);
            self.departing = Some(Seeking { id: self.id, journey: Box::new(journey), alive });
            self.under_way = Some(under_way);
        }
    }

    /// A journey that is to be made now, elsewhere.
    pub fn depart(&mut self) -> Option<Seeking> {
        self.departing.take()
    }

    /// A journey has come to its end; one that was given up is not listened to.
    pub fn arrive(&mut self, journey: Journey, which: &Weak<()>) {
        let awaited = |under_way: &Arc<()>| Weak::ptr_eq(&Arc::downgrade(under_way), which);
        if !self.under_way.as_ref().is_some_and(awaited) {
            return;
        }
        self.under_way = None;
        self.replay.arrive(&self.trace, journey);
        self.tell();
        if self.at() != self.heading {
            self.seek(self.heading);
        }
    }

    /// The place to which a journey is under way, if one is.
    pub fn under_way(&self) -> Option<usize> {
        self.under_way.as_ref().map(|_| self.heading)
    }

    fn tell(&mut self) {
        let wrong = self.shows().next().map(|shows| shows.sentence.clone());
        let usual = || sentence(self.problem(), &self.trace, &self.replay);
        self.sentence = wrong.unwrap_or_else(usual);
    }

    /// The run, to be checked.
    pub fn checking(&self) -> Checking {
        let Loaded { problem, program, .. } = self.kernel.clone();
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
        self.shows_at(self.at())
    }

    /// What is wrong with the last of so many steps.
    pub fn shows_at(&self, step: usize) -> impl Iterator<Item = &Shows> {
        let all = self.found.iter().flatten().flat_map(|found| &found.shows);
        all.filter(move |shows| shows.step == step && shows.step > 0)
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
        let at = self.heading;
        if forwards {
            steps.filter(|step| *step > at).min()
        } else {
            steps.filter(|step| *step < at).max()
        }
    }

    /// One unit on, as soon as that is recorded.
    pub fn forward(&mut self, unit: Unit) {
        self.go(Goal::Next(self.heading, unit));
    }

    /// So many units on, in one go. Waits at the end of what is recorded so far, and for a journey
    /// that is under way.
    pub fn play(&mut self, unit: Unit, count: u32) {
        if self.under_way.is_some() {
            return;
        }
        let tile = self.fma_per_tile();
        let on = |at, _| cursor::next(&self.trace, at, unit, tile);
        let next = (0..count).fold(self.heading, on);
        if next < self.trace.len() || self.trace.complete() {
            self.go(Goal::Step(next));
        }
    }

    /// One unit back.
    pub fn back(&mut self, unit: Unit) {
        let previous = cursor::previous(&self.trace, self.heading, unit, self.fma_per_tile());
        self.go(Goal::Step(previous));
    }

    /// The next place at which the last step was what is wanted, if there is one.
    pub fn next_match(&self, want: Want) -> Option<usize> {
        cursor::next_match(&self.trace, self.heading, want)
    }

    /// The previous one.
    pub fn previous_match(&self, want: Want) -> Option<usize> {
        cursor::previous_match(&self.trace, self.heading, want)
    }

    /// Which run it is.
    pub const fn id(&self) -> RunId {
        self.id
    }

    /// What runs.
    pub const fn problem(&self) -> &Problem {
        &self.kernel.problem
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
    pub fn place(&self) -> &Snapshot {
        self.replay.place()
    }

    /// Steps done there.
    pub fn at(&self) -> usize {
        self.place().index
    }

    /// Steps done at the place that was asked for last, which may not be shown yet.
    pub const fn heading(&self) -> usize {
        self.heading
    }

    /// Multiply-adds that the block has done there.
    pub fn work(&self) -> u32 {
        match self.goal {
            Some(Goal::Work(fma)) => fma,
            _ => self.heading.checked_sub(1).map_or(0, |last| self.trace.marks()[last].fma),
        }
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
        if self.kernel.program.shared.is_empty() { Unit::Tile } else { Unit::Barrier }
    }

    /// As many multiply-adds of this block as bring it as far along k as `other` is.
    pub fn work_of(&self, other: &Self) -> u32 {
        let tile = |session: &Self| session.problem().tile();
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
        let part = self.problem().part(self.block);
        let same = part.and_then(|(rows, columns)| other.block_of(rows.start, columns.start));
        same.filter(|block| other.launch().grid.contains(*block)).unwrap_or(self.block)
    }

    /// The tile along k that the block works on, from 0: that of its slowest warp. None where the
    /// kernel is not known to work in tiles.
    pub fn k_tile(&self) -> Option<u32> {
        let (variant, tiles) = self.problem().variant().zip(self.problem().k_tiles())?;
        let running = |warp: &&crate::trace::WarpNow| !warp.live.is_empty();
        let fma = self.place().warps.iter().filter(running).map(|warp| warp.fma).min();
        let done = fma.map_or(u32::MAX, |fma| fma / variant.fma_per_thread());
        Some(done.min(tiles.saturating_sub(1)))
    }

    /// What a person calls a unit: of a kernel without tiles that are known, a round of
    /// multiply-adds takes their place.
    pub fn unit_name(&self, unit: Unit) -> String {
        match (unit, self.problem().tile()) {
            (Unit::Tile, None) => format!("{FOREIGN_ROUND} FMAs"),
            _ => unit.name().to_owned(),
        }
    }

    fn fma_per_tile(&self) -> u32 {
        self.problem().fma_per_tile(self.block)
    }
}
