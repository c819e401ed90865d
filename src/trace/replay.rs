//! A machine at any place of a recorded run.

use super::fold::Fold;
use super::place::{Place, WarpNow, Word};
use super::record::{Checkpoint, Flight};
use super::{Recorder, Trace};
use crate::sim::{Machine, Step};

/// The machine as it was after some number of steps.
#[derive(Clone, Debug)]
pub struct Replay {
    machine: Machine,
    fold: Fold,
    index: usize,
    step: Option<Step>,
    place: Place,
}

impl Replay {
    /// At the start of the run that `recorder` is about to record.
    pub fn new(recorder: &Recorder) -> Self {
        let Checkpoint { index, machine, fold } = recorder.checkpoint();
        let place = place(&machine, &fold, index, None, &[]);
        Self { machine, fold, index, step: None, place }
    }

    /// Goes to the place after `index` steps, or as far as has been recorded.
    ///
    /// Backwards, or far ahead: from the last checkpoint before it. The run is the recorded one,
    /// step for step, so it cannot fault before its recorded end.
    pub fn seek(&mut self, trace: &Trace, index: usize) {
        let index = index.min(trace.len());
        let checkpoint = trace.checkpoints.partition_point(|checkpoint| checkpoint.index < index);
        let checkpoint = checkpoint.checked_sub(1).map(|last| &trace.checkpoints[last]);
        match checkpoint {
            Some(checkpoint) if index < self.index || checkpoint.index > self.index => {
                let Checkpoint { index, machine, fold } = checkpoint.clone();
                (self.index, self.machine, self.fold, self.step) = (index, machine, fold, None);
            }
            None if index < self.index => {
                let Checkpoint { index, machine, fold } = trace.checkpoints[0].clone();
                (self.index, self.machine, self.fold, self.step) = (index, machine, fold, None);
            }
            Some(_) | None => {}
        }
        while self.index < index {
            self.advance();
        }
        self.place =
            place(&self.machine, &self.fold, self.index, self.step.clone(), &trace.flights);
    }

    fn advance(&mut self) {
        let interval = self.machine.interval();
        self.index += 1;
        if let Ok(Some(step)) = self.machine.step() {
            self.fold.add(step, self.index, interval);
            self.step = Some(step.clone());
        }
    }

    /// Everything the screen shows of this moment.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// The machine itself, for values: shared memory, global memory.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }
}

fn place(
    machine: &Machine,
    fold: &Fold,
    index: usize,
    step: Option<Step>,
    flights: &[Flight],
) -> Place {
    let warps = fold.warps.iter().enumerate().map(|(warp, folded)| {
        let (pc, active) = machine.next(warp);
        WarpNow {
            state: machine.state(warp),
            live: machine.live(warp),
            active,
            pc,
            kind: folded.kind,
            last: folded.last,
            fma: folded.fma,
            arrivals: folded.arrivals,
            global: folded.global.clone(),
            shared: folded.shared.clone(),
        }
    });
    Place {
        index,
        step,
        warps: warps.collect(),
        shared: shared_words(machine, fold, index, flights),
        interval: machine.interval(),
        stored: fold.stored,
        totals: fold.totals,
        extents: fold.extents.all.clone(),
    }
}

/// A word is current if it was written in this barrier interval or the one before: tiles are
/// written in one interval and read in the next.
fn shared_words(machine: &Machine, fold: &Fold, index: usize, flights: &[Flight]) -> Vec<Word> {
    let interval = machine.interval();
    let state = |written: &Option<u32>| match written {
        None => Word::Empty,
        Some(at) if at + 1 >= interval => Word::Filled,
        Some(_) => Word::Old,
    };
    let mut words: Vec<_> = fold.written.iter().map(state).collect();
    let first = flights.partition_point(|flight| flight.stored as usize <= index);
    // A warp has few loads on the way at a time: those ahead of this place are near in the list.
    let near = flights[first..].iter().take(8 * fold.warps.len());
    for flight in near.filter(|flight| flight.loaded as usize <= index) {
        for word in &flight.words {
            if let Some(word) = words.get_mut(usize::from(*word)) {
                *word = Word::InFlight;
            }
        }
    }
    words
}
