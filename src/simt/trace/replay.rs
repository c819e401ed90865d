//! A machine that can be moved to any position of a recorded run.

use super::aggregates::{Aggregates, WarpAggregates};
use super::origins::Origin;
use super::record::{Checkpoint, LoadInFlight};
use super::snapshot::{Age, SharedWord, Snapshot, WarpNow};
use super::{Recorder, Trace};
use crate::sim::Machine;
use crate::work::WorkToken;

/// The machine after some number of steps.
#[derive(Clone, Debug)]
pub struct Replay {
    now: Checkpoint,
    place: Snapshot,
}

/// A copy of the machine on its way to another position: a long way can be computed on another
/// thread.
#[derive(Clone, Debug)]
pub struct BackgroundSeek {
    now: Checkpoint,
    to: usize,
}

/// Steps after which a journey asks whether it is still wanted: some tenths of a millisecond.
const LEG: usize = 1 << 10;

impl BackgroundSeek {
    /// Runs to the destination unless cancelled; returns whether it arrived.
    pub fn run(&mut self, token: &WorkToken) -> bool {
        while self.now.index < self.to && !token.is_cancelled() {
            let stop = self.to.min(self.now.index + LEG);
            while self.now.index < stop {
                self.now.advance();
            }
        }
        self.now.index >= self.to
    }
}

impl Replay {
    /// Starts at the beginning of the run that `recorder` is about to record.
    pub fn new(recorder: &Recorder) -> Self {
        let now = recorder.checkpoint();
        let place = place(&now, &[]);
        Self { now, place }
    }

    /// Moves to the position after `index` steps, or as far as has been recorded.
    ///
    /// Backwards or far ahead, it starts from the last checkpoint before `index`. The run repeats
    /// the recorded one step by step.
    pub fn seek(&mut self, trace: &Trace, index: usize) {
        let index = index.min(trace.len());
        if let Some(nearer) = self.nearer(trace, index) {
            self.now = nearer.clone();
        }
        while self.now.index < index {
            self.now.advance();
        }
        self.place = place(&self.now, &trace.flights);
    }

    /// Returns the work from here, or from the checkpoint at which to start, to the position after
    /// `index` steps, in the unit of [`Trace::work`].
    pub fn work(&self, trace: &Trace, index: usize) -> u64 {
        let from = self.nearer(trace, index).map_or(self.now.index, |nearer| nearer.index);
        trace.work(from..index.min(trace.len()))
    }

    /// Like [`Self::seek`], to be run elsewhere; [`Self::arrive`] completes it.
    pub fn journey(&self, trace: &Trace, index: usize) -> BackgroundSeek {
        let now = self.nearer(trace, index).unwrap_or(&self.now).clone();
        BackgroundSeek { now, to: index.min(trace.len()) }
    }

    /// Moves to where a journey of this run has arrived.
    pub fn arrive(&mut self, trace: &Trace, journey: BackgroundSeek) {
        self.now = journey.now;
        self.place = place(&self.now, &trace.flights);
    }

    /// Returns the last checkpoint before `index`, if it is nearer than the current position.
    fn nearer<'t>(&self, trace: &'t Trace, index: usize) -> Option<&'t Checkpoint> {
        let here = self.now.index;
        let before = trace.checkpoints.partition_point(|checkpoint| checkpoint.index <= index);
        let last = before.checked_sub(1).map(|last| &trace.checkpoints[last]);
        last.filter(|last| here > index || last.index > here)
    }

    /// Everything the screen shows of this moment.
    pub fn snapshot(&self) -> &Snapshot {
        &self.place
    }

    /// The machine itself, for values: shared memory, global memory.
    pub fn machine(&self) -> &Machine {
        &self.now.machine
    }
}

fn place(now: &Checkpoint, flights: &[LoadInFlight]) -> Snapshot {
    let Checkpoint { index, machine, aggregates: fold, step } = now;
    let warps = fold.warps.iter().enumerate().map(|(warp, folded)| {
        let (pc, active) = machine.next(warp);
        WarpNow {
            state: machine.state(warp),
            live: machine.live(warp),
            active,
            pc,
            kind: folded.kind,
            last: folded.last,
            executed: folded.active,
            fma: folded.fma,
            multiplied: folded.multiplied,
            arrivals: folded.arrivals,
            global: folded.global.clone(),
            shared: folded.shared.clone(),
        }
    });
    let mut now = Snapshot {
        index: *index,
        step: step.clone(),
        warps: warps.collect(),
        shared: shared_words(machine, fold, *index, flights),
        interval: machine.interval(),
        stored: fold.stored,
        totals: fold.totals,
        extents: fold.extents.all.clone(),
        origins: Vec::new(),
    };
    now.origins = origins(&now, fold);
    now
}

/// Returns the addresses of the words that the current instruction's values came from.
fn origins(now: &Snapshot, fold: &Aggregates) -> Vec<u64> {
    let of = |warp: usize| {
        let WarpAggregates { last, active, .. } = fold.warps[warp];
        last.into_iter().flat_map(move |pc| fold.origins.moved(warp, pc, active))
    };
    let mut all: Vec<_> = now.together().flat_map(|(warp, _)| of(warp)).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// A word is current if it was written in this barrier interval or the previous one: tiles are
/// written in one interval and read in the next.
fn shared_words(
    machine: &Machine,
    fold: &Aggregates,
    index: usize,
    flights: &[LoadInFlight],
) -> Vec<SharedWord> {
    let interval = machine.interval();
    let age = |written: Option<u32>| match written {
        None => Age::Empty,
        Some(at) if at + 1 >= interval => Age::Current,
        Some(_) => Age::Old,
    };
    let written = fold.written.iter().zip(&fold.writers).zip(&fold.origins.words);
    let word = |((written, writer), origin): ((&Option<u32>, &u16), &Origin)| {
        SharedWord::from(age(*written), *origin).by(written.map(|_| *writer))
    };
    let mut words: Vec<_> = written.map(word).collect();
    let first = flights.partition_point(|flight| flight.stored as usize <= index);
    // A warp has few loads in flight at a time, so those in flight at this position are near in the
    // list.
    let near = flights[first..].iter().take(8 * fold.warps.len());
    for flight in near.filter(|flight| flight.loaded as usize <= index) {
        for word in &flight.words {
            if let Some(word) = words.get_mut(usize::from(*word)) {
                word.coming = true;
            }
        }
    }
    words
}
