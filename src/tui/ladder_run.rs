//! A measurement of the ladder on this machine, started from the Measure screen.

use crate::kernel::{KERNELS, Tile};
use crate::matrix::{Precision, SEED, Size};
use crate::report::counted::metrics;
use crate::timing::GpuError;
use crate::timing::pack::{Pack, Skipped};
use crate::timing::protocol::{Phase, Request, Response};
use crate::timing::{
    Ceilings, CountRequest, HardwareCounts, Measure, Measurement, SamplingPlan, Subject,
};

/// The results so far, and the progress of the measurement.
#[derive(Debug)]
pub struct LadderRun {
    /// The GPU and its rows, or `None` until it has answered.
    pub pack: Option<Pack>,
    /// The progress.
    pub state: LadderRunState,
    /// The number of rows received, and the number requested.
    pub done: (usize, usize),
    /// The number of rows whose counters are still to come.
    uncounted: usize,
    /// The reason why counters cannot be read.
    refused: Option<String>,
    order: LadderOrder,
}

/// The progress of a measurement.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum LadderRunState {
    /// Waiting for the first answer.
    #[default]
    Running,
    /// In progress; a description of what the GPU is doing.
    Doing(String),
    /// Complete.
    Done,
    /// Stopped by the user.
    Stopped,
    /// Failed, for this reason.
    Failed(String),
}

/// The order for a measurement: every kernel at one size, and the libraries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LadderOrder {
    /// The order's number: events of earlier orders is ignored.
    pub number: u64,
    /// The index of the GPU.
    pub device: u32,
    /// The sizes of A, B and C.
    pub size: Size,
}

/// News of a measurement.
#[derive(Clone, Debug, PartialEq)]
pub enum LadderEvent {
    /// The GPU has answered: a pack without rows.
    Found(Box<Pack>),
    /// The GPU's measured ceilings.
    Ceilings(Box<Ceilings>),
    /// The measuring process has started this phase of the named row.
    Progress(String, Phase),
    /// A measured row.
    Measured(Box<Measurement>),
    /// A row could not be measured.
    Failed(String, GpuError),
    /// The hardware counters of a kernel with its tile.
    Counted(String, Option<Tile>, HardwareCounts),
    /// The counters cannot be read.
    NotCounted(GpuError),
    /// The GPU's ceilings could not be measured.
    NoCeilings(GpuError),
    NoGpu(GpuError),
}

impl LadderOrder {
    /// Returns the requests for the measuring process, in order.
    pub fn requests(&self) -> Vec<Request> {
        let Self { device, size, .. } = *self;
        let seed = SEED;
        let effort =
            SamplingPlan { least_samples: 5, budget_ms: 1000.0, ..SamplingPlan::default() };
        let measure = |subject| Request::Measure(Measure { subject, size, seed, device, effort });
        let count = |subject| {
            Request::Count(CountRequest { subject, size, seed, device, metrics: metrics() })
        };
        let first = [Request::Probe, Request::Ceilings { device }];
        let rows = subjects(size).into_iter().map(measure);
        // Counters come last: a process that has read counters measures different times afterwards.
        let counts = subjects(size).into_iter().map(count);
        first.into_iter().chain(rows).chain(counts).collect()
    }

    /// The number of rows that the order asks for.
    pub fn rows(&self) -> usize {
        let is_row = |request: &&Request| matches!(request, Request::Measure(_));
        self.requests().iter().filter(is_row).count()
    }

    /// Translates an answer of the measuring process into an event.
    pub fn event_of(
        &self,
        request: &Request,
        answer: Response,
        today: impl Fn() -> String,
    ) -> Option<LadderEvent> {
        Some(match (request, answer) {
            (_, Response::Gpus(gpus)) => match Pack::begin(gpus, self.device, today()) {
                Ok(pack) => LadderEvent::Found(Box::new(pack)),
                Err(error) => LadderEvent::NoGpu(error.into()),
            },
            (_, Response::Ceilings(ceilings)) => LadderEvent::Ceilings(ceilings),
            (_, Response::Measured(row)) => LadderEvent::Measured(row),
            (Request::Count(CountRequest { subject, .. }), Response::Counted(counted)) => {
                LadderEvent::Counted(subject.name().to_owned(), subject.tile(), counted)
            }
            (Request::Count(_), Response::Failed(error)) => LadderEvent::NotCounted(error),
            (
                Request::Measure(Measure { subject, .. })
                | Request::Count(CountRequest { subject, .. }),
                Response::Progress(phase),
            ) => LadderEvent::Progress(subject.name().to_owned(), phase),
            (_, Response::Progress(phase)) => {
                LadderEvent::Progress("the most that the GPU can do".to_owned(), phase)
            }
            (Request::Measure(row), Response::Failed(error)) => {
                LadderEvent::Failed(row.subject.name().to_owned(), error)
            }
            (Request::Ceilings { .. }, Response::Failed(error)) => LadderEvent::NoCeilings(error),
            (_, Response::Failed(error)) => LadderEvent::NoGpu(error),
            _ => return None,
        })
    }
}

/// Every kernel, and the libraries.
fn subjects(size: Size) -> Vec<Subject> {
    let kernels = KERNELS.iter().map(|kernel| Subject::of(&kernel.problem_for(size)));
    let libraries =
        [Precision::Single, Precision::Half].map(|precision| Subject::Cublas { precision });
    kernels.chain(libraries).collect()
}

impl LadderRun {
    /// Creates the state before the first answer.
    pub fn new(order: LadderOrder) -> Self {
        let rows = order.rows();
        let (pack, state) = (None, LadderRunState::Running);
        Self { pack, state, done: (0, rows), uncounted: rows, refused: None, order }
    }

    pub const fn order(&self) -> LadderOrder {
        self.order
    }

    /// Whether results are still to come.
    pub const fn is_running(&self) -> bool {
        matches!(self.state, LadderRunState::Running | LadderRunState::Doing(_))
    }

    /// Takes in events of an order; returns whether it belongs to this run and the run is not over.
    pub fn hear(&mut self, number: u64, news: LadderEvent) -> bool {
        if number != self.order.number || !self.is_running() {
            return false;
        }
        match (news, &mut self.pack) {
            (LadderEvent::Found(pack), _) => self.pack = Some(*pack),
            (LadderEvent::Ceilings(ceilings), Some(pack)) => pack.ceilings = Some(*ceilings),
            (LadderEvent::Progress(name, phase), _) => {
                self.state = LadderRunState::Doing(format!("{name}: {phase}"));
            }
            (LadderEvent::Measured(row), Some(pack)) => {
                pack.rows.push(*row);
                self.row_done();
            }
            // If one row fails, the others may still succeed.
            (LadderEvent::Failed(kernel, error), Some(pack)) => {
                let (size, reason) = (self.order.size, error.to_string());
                pack.skipped.push(Skipped { kernel, size, reason });
                self.row_done();
            }
            (LadderEvent::Counted(kernel, tile, counted), Some(pack)) => {
                let is_it = |row: &&mut Measurement| (&row.kernel, row.tile) == (&kernel, tile);
                if let Some(row) = pack.rows.iter_mut().find(is_it) {
                    row.beside.counters = Some(counted.counters);
                }
                self.count_done();
            }
            (LadderEvent::NotCounted(error), _) if error.keeps_all_counters() => {
                self.refused = Some(error.to_string());
                self.state = LadderRunState::Done;
            }
            (LadderEvent::NotCounted(_), _) => self.count_done(),
            (LadderEvent::Failed(_, error) | LadderEvent::NoGpu(error), _) => {
                self.state = LadderRunState::Failed(error.to_string());
            }
            (
                LadderEvent::NoCeilings(_)
                | LadderEvent::Ceilings(_)
                | LadderEvent::Measured(_)
                | LadderEvent::Counted(..),
                _,
            ) => {}
        }
        true
    }

    fn row_done(&mut self) {
        self.done.0 += 1;
    }

    /// Counts down the counters; the last one completes the run.
    fn count_done(&mut self) {
        self.uncounted = self.uncounted.saturating_sub(1);
        if self.uncounted == 0 {
            self.state = LadderRunState::Done;
        }
    }

    /// Why nothing more is measured, if something has failed.
    pub fn failure(&self) -> Option<String> {
        matches!(self.state, LadderRunState::Failed(_)).then(|| self.line())
    }

    /// Stops the run at the user's request; the results so far stay.
    pub fn stop(&mut self) {
        if self.is_running() {
            self.state = LadderRunState::Stopped;
        }
    }

    /// Describes the progress in one line.
    pub fn line(&self) -> String {
        let (done, all) = self.done;
        match &self.state {
            LadderRunState::Running => "measuring: asking the GPU".to_owned(),
            LadderRunState::Doing(what) => {
                format!("measuring {} of {all}: {what}", (done + 1).min(all))
            }
            LadderRunState::Done => match &self.refused {
                Some(why) => format!("no counters: {why}"),
                None => String::new(),
            },
            LadderRunState::Stopped => format!("stopped: {done} of {all} were measured"),
            LadderRunState::Failed(why) => format!("nothing is measured: {why}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order() -> LadderOrder {
        LadderOrder { number: 0, device: 0, size: Size::square(64) }
    }

    #[test]
    fn everything_is_timed_before_anything_is_counted() {
        let requests = order().requests();
        let counts = |request: &Request| matches!(request, Request::Count(_));
        let first = requests.iter().position(counts).expect("counted");
        assert_eq!(requests.len() - first, order().rows());
        assert!(requests[first..].iter().all(counts));
    }

    #[test]
    fn counters_that_are_refused_are_spoken_of_once_and_the_times_stay() {
        let mut live = LadderRun::new(order());
        assert!(live.hear(0, LadderEvent::NotCounted(GpuError::NoCublas)) && live.is_running());
        assert!(
            live.hear(0, LadderEvent::NotCounted(GpuError::CountersRefused)) && !live.is_running()
        );
        assert!(live.line().starts_with("no counters: the driver shows"), "{}", live.line());
        assert!(
            !live.hear(0, LadderEvent::NotCounted(GpuError::CountersRefused)),
            "nobody waits for it"
        );
    }

    #[test]
    fn the_last_counters_are_the_last_that_comes() {
        let mut live = LadderRun::new(order());
        for left in (0..order().rows()).rev() {
            assert!(live.is_running());
            live.hear(
                0,
                LadderEvent::NotCounted(GpuError::OutOfMemory {
                    needed: 2,
                    free: left as u64,
                    total: 1,
                }),
            );
        }
        assert_eq!((live.state.clone(), live.line()), (LadderRunState::Done, String::new()));
    }
}
