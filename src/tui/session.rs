//! One block's run on the screen: its recording and the position shown.

use super::kernel_cache::Loaded;
use super::task::{CheckedRun, Checking, Planning, Recording, RunId, SeekTask};
use crate::kernel::{Owned, Problem, UNTILED_ROUND};
use crate::launch::Dim3;
use crate::matrix::Operand;
use crate::matrix::judge::{Mismatch, Wrong};
use crate::report::found::{CheckedReach, FindingInRun, FindingStep};
use crate::report::sentence::sentence;
use crate::sim::Order;
use crate::study::findings::BlockRun;
use crate::study::stage::{EventProgress, StageFocus, StageMoment};
use crate::study::superstep::{Superstep, UnorderedAccesses};
use crate::trace::cursor::{self, StepSize, Want};
use crate::trace::{BackgroundSeek, Chunk, Recorder, Replay, Snapshot, Trace, WarpNow};
use crate::work::{WorkOwner, WorkToken};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A run that is being recorded or is complete, and a position in it.
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
    /// A position that is not recorded yet.
    goal: Option<SeekGoal>,
    /// The position (steps done) requested last: the one shown, or one that a background seek is
    /// under way to.
    heading: usize,
    under_way: Option<WorkOwner>,
    /// A background seek that has not been started yet.
    departing: Option<SeekTask>,
    /// The elements of C that each thread computes.
    owned: Owned,
    /// What the check of the run has found, or `None` until the block has been checked.
    checked: Option<CheckedRun>,
    /// The steps at which a finding shows, in order.
    found_at: Vec<usize>,
    /// The recording, and the check of the run.
    recording: WorkOwner,
}

/// A position that may be beyond what is recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeekGoal {
    /// After this number of steps.
    Step(usize),
    /// Where the block has executed this number of multiply-adds.
    Work(u32),
    /// This number of steps after the block has executed this number of multiply-adds, or before it
    /// executes more of them.
    Beyond(u32, usize),
    /// The next stop of a unit, counted from the position after this number of steps.
    Next(usize, StepSize),
    /// The end of the run.
    End,
}

/// The number of steps in the first chunk of a recording: some tenths of a millisecond.
const FIRST_PIECE: usize = 1 << 11;

/// The work, in the unit of [`Trace::work`], up to which a seek runs at once: some 3 milliseconds.
const NEAR: u64 = 1 << 19;

impl Session {
    /// Creates a run at its start, and the task that records it.
    pub fn new(id: RunId, kernel: Loaded, block: Dim3, order: Order) -> (Self, Recording) {
        let Loaded { problem, program, joins } = &kernel;
        let memory = problem.sparse_memory(program);
        let machine = problem.machine(Arc::clone(program), block, memory, order.clone());
        let mut recorder = Recorder::new(machine, Arc::clone(joins));
        let (trace, replay) = (Trace::new(&recorder), Replay::new(&recorder));
        // Record the first chunk here, so that the first key has steps to go to.
        let first = recorder.record(FIRST_PIECE);
        let owner = WorkOwner::default();
        let recording = Recording::new(id, recorder, owner.token());
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
            checked: None,
            found_at: Vec::new(),
            recording: owner,
        };
        session.append(first);
        (session, recording)
    }

    /// Creates a run of the same kernel with another block or order.
    pub fn again(&self, id: RunId, block: Dim3, order: Order) -> (Self, Recording) {
        Self::new(id, self.kernel.clone(), block, order)
    }

    /// Appends a recorded chunk, and goes to the pending goal if it is now known.
    pub fn append(&mut self, chunk: Chunk) {
        let before = self.trace.len();
        let was_at_end = self.at() == before;
        self.trace.append(chunk);
        let released = |(index, mark): (usize, &crate::trace::StepRecord)| {
            mark.released.then_some(before + index + 1)
        };
        self.barriers
            .extend(self.trace.records()[before..].iter().enumerate().filter_map(released));
        match self.goal {
            Some(goal) => self.go(goal),
            // The chunk may reveal what happens at the position shown, for instance a fault.
            None if was_at_end => self.tell(),
            None => {}
        }
    }

    /// Goes to a position if it is recorded; otherwise as near as possible, and on once it is.
    pub fn go(&mut self, goal: SeekGoal) {
        let (known, done) = (self.trace.len(), self.trace.complete());
        let (index, reached) = match goal {
            SeekGoal::Step(step) => (step.min(known), step <= known),
            SeekGoal::Work(fma) => {
                let index = self.trace.same_work(fma);
                (index, self.trace.records().last().is_some_and(|mark| mark.fma >= fma) || fma == 0)
            }
            SeekGoal::Beyond(fma, steps) => {
                let (from, to) = (self.trace.same_work(fma), self.trace.work_ends(fma));
                ((from + steps).min(to), to < known)
            }
            SeekGoal::Next(from, unit) => {
                let next = cursor::next(&self.trace, from, unit, self.fma_per_tile());
                // The end of the recording so far is not a stop, unless it is the end of the run.
                if next < known || done { (next, true) } else { (from, false) }
            }
            SeekGoal::End => (known, false),
        };
        self.goal = Some(goal).filter(|_| !reached && !done);
        self.seek(index);
    }

    /// Seeks at once if that is quick, otherwise in the background. A background seek under way then
    /// finishes first, so that the screen still changes while a key is held.
    fn seek(&mut self, index: usize) {
        self.heading = index;
        if self.replay.work(&self.trace, index) <= NEAR {
            (self.under_way, self.departing) = (None, None);
            self.replay.seek(&self.trace, index);
            return self.tell();
        }
        if self.under_way.is_none() {
            let journey = Box::new(self.replay.journey(&self.trace, index));
            let token = self.under_way.insert(WorkOwner::default()).token();
            self.departing = Some(SeekTask { id: self.id, journey, token });
        }
    }

    /// Takes the background seek that is ready to start.
    pub fn depart(&mut self) -> Option<SeekTask> {
        self.departing.take()
    }

    /// Applies a completed background seek; ignores a cancelled one.
    pub fn arrive(&mut self, journey: BackgroundSeek, which: &WorkToken) {
        if !self.under_way.as_ref().is_some_and(|under_way| under_way.owns(which)) {
            return;
        }
        self.under_way = None;
        self.replay.arrive(&self.trace, journey);
        self.tell();
        if self.at() != self.heading {
            self.seek(self.heading);
        }
    }

    /// Returns the destination of the background seek under way, if any.
    pub fn under_way(&self) -> Option<usize> {
        self.under_way.as_ref().map(|_| self.heading)
    }

    fn tell(&mut self) {
        let wrong = self.worst().map(|shows| shows.sentence.clone());
        let usual = || sentence(self.problem(), &self.trace, &self.replay);
        self.sentence = wrong.unwrap_or_else(usual);
    }

    /// Returns the task that checks the run.
    pub fn checking(&self) -> Checking {
        let Loaded { problem, program, .. } = self.kernel.clone();
        let suspect = BlockRun { problem, program, block: self.block, order: self.order() };
        Checking { id: self.id, suspect, token: self.recording.token() }
    }

    /// Returns the task that derives the run's stage.
    pub fn planning(&self, token: WorkToken) -> Planning {
        Planning { id: self.id, kernel: self.kernel.clone(), block: self.block, token }
    }

    /// What a stage is told of the position shown, where a thread may be followed.
    pub fn stage_moment<'a>(
        &'a self,
        (progress, hurries): (EventProgress, bool),
        focus: StageFocus<'a>,
        values: bool,
    ) -> StageMoment<'a> {
        StageMoment {
            problem: self.problem(),
            trace: &self.trace,
            snapshot: self.place(),
            machine: self.replay.machine(),
            from: cursor::previous(&self.trace, self.at(), StepSize::Event, 1),
            progress,
            hurries,
            focus,
            values,
            wrong: if self.at_end() { self.wrong() } else { &[] },
        }
    }

    /// Adds the findings of the run's check.
    pub fn hear(&mut self, checked: CheckedRun) {
        let all = checked.found.iter().flat_map(|found| &found.shows);
        self.found_at = all.map(|shows| shows.step).filter(|step| *step > 0).collect();
        self.found_at.sort_unstable();
        self.checked = Some(checked);
        self.tell();
    }

    /// The findings of the run, or `None` until they are known.
    pub fn found(&self) -> Option<&[FindingInRun]> {
        self.checked.as_ref().map(|checked| &checked.found[..])
    }

    /// What has been checked, or `None` before the block has been.
    pub fn reach(&self) -> Option<CheckedReach> {
        self.checked.as_ref().map(|checked| checked.reach)
    }

    /// How many elements of the block's part of C are wrong at the end, if that is known.
    pub fn judged(&self) -> Option<Wrong> {
        self.checked.as_ref()?.judged
    }

    /// The elements of the block's part of C that are wrong at the end, as far as that is known.
    pub fn wrong(&self) -> &[Mismatch] {
        self.checked.as_ref().map_or(&[], |checked| &checked.wrong)
    }

    /// The words of shared memory that hold a wrong value for a warp that has yet to load them.
    pub fn hazards(&self) -> impl Iterator<Item = u32> {
        let all = self.checked.iter().flat_map(|checked| &checked.hazards);
        all.filter(|hazard| hazard.steps.contains(&self.at())).map(|hazard| hazard.word)
    }

    /// What the block executes between its barriers, as far as that is known.
    pub fn supersteps(&self) -> &[Superstep] {
        self.checked.as_ref().map_or(&[], |checked| &checked.supersteps)
    }

    /// Where a barrier is missing in them.
    pub fn unordered(&self) -> &[UnorderedAccesses] {
        self.checked.as_ref().map_or(&[], |checked| &checked.unordered)
    }

    /// The lines of the source that the present superstep executes.
    pub fn band_lines(&self) -> Option<&BTreeSet<u32>> {
        let band = self.supersteps().get(self.place().interval as usize)?;
        (self.supersteps().len() > 1).then_some(&band.lines)
    }

    /// The steps at which a finding shows, in order.
    pub fn found_at(&self) -> &[usize] {
        &self.found_at
    }

    /// What the findings show at the step that led to the current position.
    pub fn shows(&self) -> impl Iterator<Item = &FindingStep> {
        self.shows_at(self.at())
    }

    pub fn worst(&self) -> Option<&FindingStep> {
        self.worst_at(self.at())
    }

    /// The worst of what the findings show at step `step`, counted from 1.
    pub fn worst_at(&self, step: usize) -> Option<&FindingStep> {
        self.shows_at(step).min_by_key(|shows| shows.outcome)
    }

    /// What the findings show at step `step`, counted from 1.
    pub fn shows_at(&self, step: usize) -> impl Iterator<Item = &FindingStep> {
        let all = self.found().into_iter().flatten().flat_map(|found| &found.shows);
        all.filter(move |shows| shows.step == step && shows.step > 0)
    }

    /// Returns the index of the first finding that shows at the current position, or 0 if none
    /// does.
    pub fn found_here(&self) -> usize {
        let here = |found: &FindingInRun| found.shows.iter().any(|shows| shows.step == self.at());
        self.found().into_iter().flatten().position(here).unwrap_or(0)
    }

    /// Returns the next step at which a finding shows, or the previous one.
    pub fn next_wrong(&self, forwards: bool) -> Option<usize> {
        let steps = self.found().into_iter().flatten().flat_map(|found| &found.shows);
        let steps = steps.map(|shows| shows.step);
        let at = self.heading;
        if forwards {
            steps.filter(|step| *step > at).min()
        } else {
            steps.filter(|step| *step < at).max()
        }
    }

    /// Goes one unit forward, as soon as that is recorded.
    pub fn forward(&mut self, unit: StepSize) {
        self.go(SeekGoal::Next(self.heading, unit));
    }

    /// Goes `count` units forward at once. Waits at the end of the recording so far, and for a
    /// background seek under way.
    pub fn play(&mut self, unit: StepSize, count: u32) {
        if self.under_way.is_some() {
            return;
        }
        let tile = self.fma_per_tile();
        let on = |at, _| cursor::next(&self.trace, at, unit, tile);
        let next = (0..count).fold(self.heading, on);
        if next < self.trace.len() || self.trace.complete() {
            self.go(SeekGoal::Step(next));
        }
    }

    /// Returns the next stop of a unit after a position, as far as is recorded.
    pub fn stop_after(&self, from: usize, unit: StepSize) -> usize {
        cursor::next(&self.trace, from, unit, self.fma_per_tile())
    }

    /// Goes one unit back.
    pub fn back(&mut self, unit: StepSize) {
        let previous = cursor::previous(&self.trace, self.heading, unit, self.fma_per_tile());
        self.go(SeekGoal::Step(previous));
    }

    /// Returns the next position after a step of the wanted kind, if there is one.
    pub fn next_match(&self, want: Want) -> Option<usize> {
        cursor::next_match(&self.trace, self.heading, want)
    }

    /// Returns the previous position after a step of the wanted kind.
    pub fn previous_match(&self, want: Want) -> Option<usize> {
        cursor::previous_match(&self.trace, self.heading, want)
    }

    /// The run's identifier.
    pub const fn id(&self) -> RunId {
        self.id
    }

    /// The problem that the kernel computes.
    pub const fn problem(&self) -> &Problem {
        &self.kernel.problem
    }

    pub const fn block(&self) -> Dim3 {
        self.block
    }

    /// The elements of C that each thread computes, where that is known.
    pub const fn owned(&self) -> &Owned {
        &self.owned
    }

    /// The scheduling order of the block's warps.
    pub fn order(&self) -> Order {
        self.order.clone()
    }

    /// The recording.
    pub const fn trace(&self) -> &Trace {
        &self.trace
    }

    /// The machine at the position shown.
    pub const fn replay(&self) -> &Replay {
        &self.replay
    }

    /// The snapshot of the position shown.
    pub fn place(&self) -> &Snapshot {
        self.replay.snapshot()
    }

    /// The position shown: the number of steps done.
    pub fn at(&self) -> usize {
        self.place().index
    }

    /// Goes as many steps beyond a point of the work as another run has gone.
    pub fn go_beside(&mut self, fma: u32, steps: usize) {
        let goal = SeekGoal::Beyond(fma, steps);
        let to = (self.trace.same_work(fma) + steps).min(self.trace.work_ends(fma));
        let is_there = self.heading == to && self.work() == fma && !self.at_end();
        if !is_there && self.goal != Some(goal) {
            self.go(goal);
        }
    }

    /// The steps since the block had executed as many multiply-adds as at the requested position.
    pub fn beyond(&self) -> usize {
        self.heading.saturating_sub(self.trace.same_work(self.work()))
    }

    /// The position requested last, which may not be shown yet.
    pub const fn heading(&self) -> usize {
        self.heading
    }

    /// The number of multiply-adds done at the requested position.
    pub fn work(&self) -> u32 {
        match self.goal {
            Some(SeekGoal::Work(fma) | SeekGoal::Beyond(fma, _)) => fma,
            _ => self.heading.checked_sub(1).map_or(0, |last| self.trace.records()[last].fma),
        }
    }

    /// Whether the run is complete and its end is shown.
    pub fn at_end(&self) -> bool {
        self.trace.complete() && self.at() == self.trace.len()
    }

    /// The positions at which the block has passed a barrier, ascending.
    pub fn barriers(&self) -> &[usize] {
        &self.barriers
    }

    /// Describes what happens at the position shown.
    pub fn sentence(&self) -> &str {
        &self.sentence
    }

    /// The steps done since the block has executed as many multiply-adds as now.
    pub fn beyond_work(&self) -> usize {
        match self.goal {
            Some(SeekGoal::Beyond(_, steps)) => steps,
            _ => self.heading.saturating_sub(self.trace.same_work(self.work())),
        }
    }

    /// The events since the block has executed as many multiply-adds as now.
    pub fn events_beyond_work(&self) -> u32 {
        let mut at = self.trace.same_work(self.work());
        let mut events = 0;
        while at < self.heading {
            at = self.stop_after(at, StepSize::Event);
            events += 1;
        }
        events
    }

    /// The unit of a phase: a barrier if the kernel declares shared memory, otherwise a tile.
    pub fn phase(&self) -> StepSize {
        if self.kernel.program.shared.is_empty() { StepSize::Tile } else { StepSize::Barrier }
    }

    /// Returns the number of multiply-adds that bring this block as far along k as `other` is.
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

    /// Returns the other kernel's block that computes the first element of this one's part of C.
    pub fn block_in(&self, other: &Problem) -> Dim3 {
        let part = self.problem().part(self.block);
        let same = part.and_then(|(rows, columns)| other.block_of(rows.start, columns.start));
        same.filter(|block| other.launch.grid.contains(*block)).unwrap_or(self.block)
    }

    /// The index of the tile along k that the block's furthest warp has reached, or `None` if the kernel
    /// is not known to work in tiles. A warp works on a tile until its first load after the tile's last
    /// multiply-add.
    pub fn k_tile(&self) -> Option<u32> {
        let last = self.problem().k_tiles()?.saturating_sub(1);
        Some(self.tiles_of(|warp| !warp.live.is_empty())?.max().unwrap_or(last))
    }

    /// The index of the first tile along k that a warp has not multiplied to its end: of the tiles
    /// before it, nothing is loaded from shared memory any more.
    pub fn tile_of_last_warp(&self) -> Option<u32> {
        let each = self.problem().known?.variant.fma_per_thread();
        let warps = self.place().warps.iter().filter(|warp| !warp.live.is_empty());
        Some(warps.map(|warp| warp.fma / each).min().unwrap_or(u32::MAX))
    }

    /// Returns the index of the tile along k that each of these warps works on.
    fn tiles_of(&self, of: impl Fn(&WarpNow) -> bool) -> Option<impl Iterator<Item = u32>> {
        let (known, tiles) = self.problem().known.zip(self.problem().k_tiles())?;
        let (each, last) = (known.variant.fma_per_thread(), tiles.saturating_sub(1));
        let tile = move |warp: &WarpNow| {
            let begun = warp.fma / each;
            let done = warp.fma.is_multiple_of(each) && !warp.has_loaded();
            if done { begun.saturating_sub(1) } else { begun }.min(last)
        };
        Some(self.place().warps.iter().filter(move |warp| of(warp)).map(tile))
    }

    /// The name of a unit on the screen; for a kernel without known tiles, a round of multiply-adds
    /// takes their place.
    pub fn unit_name(&self, unit: StepSize) -> String {
        match (unit, self.problem().tile()) {
            (StepSize::Tile, None) => format!("{UNTILED_ROUND} FMAs"),
            _ => unit.name().to_owned(),
        }
    }

    fn fma_per_tile(&self) -> u32 {
        self.problem().fma_per_tile(self.block)
    }
}
