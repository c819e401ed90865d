//! A measurement of the ladder on this machine, started from the Measure screen.

use crate::kernel::{KERNELS, Tile};
use crate::matrix::{Precision, SEED, Size};
use crate::report::counted::metrics;
use crate::timing::GpuError;
use crate::timing::pack::{Pack, Skipped};
use crate::timing::protocol::{Answer, Phase, Request};
use crate::timing::{Ceilings, Count, Counted, Measure, Measurement, SamplingPlan, Subject};

/// The results so far, and the progress of the measurement.
#[derive(Debug)]
pub struct LadderRun {
    /// The GPU and its rows, or `None` until it has answered.
    pub pack: Option<Pack>,
    /// The progress.
    pub state: State,
    /// The number of rows received, and the number requested.
    pub done: (usize, usize),
    /// The number of rows whose counters are still to come.
    uncounted: usize,
    /// The reason why counters cannot be read.
    refused: Option<String>,
    order: Order,
}

/// The progress of a measurement.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum State {
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
pub struct Order {
    /// The order's number: news of earlier orders is ignored.
    pub number: u64,
    /// The index of the GPU.
    pub device: u32,
    /// The sizes of A, B and C.
    pub size: Size,
}

/// News of a measurement.
#[derive(Clone, Debug, PartialEq)]
pub enum News {
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
    Counted(String, Option<Tile>, Counted),
    /// The counters cannot be read.
    NotCounted(GpuError),
    /// The GPU's ceilings could not be measured.
    NoCeilings(GpuError),
    /// There is no GPU.
    NoGpu(GpuError),
}

impl Order {
    /// Returns the requests for the measuring process, in order.
    pub fn requests(&self) -> Vec<Request> {
        let Self { device, size, .. } = *self;
        let seed = SEED;
        let effort =
            SamplingPlan { least_samples: 5, budget_ms: 1000.0, ..SamplingPlan::default() };
        let measure = |subject| Request::Measure(Measure { subject, size, seed, device, effort });
        let count =
            |subject| Request::Count(Count { subject, size, seed, device, metrics: metrics() });
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

    /// Translates an answer of the measuring process into news.
    pub fn news(
        &self,
        request: &Request,
        answer: Answer,
        today: impl Fn() -> String,
    ) -> Option<News> {
        Some(match (request, answer) {
            (_, Answer::Gpus(gpus)) => match Pack::begin(gpus, self.device, today()) {
                Ok(pack) => News::Found(Box::new(pack)),
                Err(error) => News::NoGpu(error.into()),
            },
            (_, Answer::Ceilings(ceilings)) => News::Ceilings(ceilings),
            (_, Answer::Measured(row)) => News::Measured(row),
            (Request::Count(Count { subject, .. }), Answer::Counted(counted)) => {
                News::Counted(subject.name().to_owned(), subject.tile(), counted)
            }
            (Request::Count(_), Answer::Failed(error)) => News::NotCounted(error),
            (
                Request::Measure(Measure { subject, .. }) | Request::Count(Count { subject, .. }),
                Answer::Progress(phase),
            ) => News::Progress(subject.name().to_owned(), phase),
            (_, Answer::Progress(phase)) => {
                News::Progress("the most that the GPU can do".to_owned(), phase)
            }
            (Request::Measure(row), Answer::Failed(error)) => {
                News::Failed(row.subject.name().to_owned(), error)
            }
            (Request::Ceilings { .. }, Answer::Failed(error)) => News::NoCeilings(error),
            (_, Answer::Failed(error)) => News::NoGpu(error),
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
    pub fn new(order: Order) -> Self {
        let rows = order.rows();
        let (pack, state) = (None, State::Running);
        Self { pack, state, done: (0, rows), uncounted: rows, refused: None, order }
    }

    pub const fn order(&self) -> Order {
        self.order
    }

    /// Whether results are still to come.
    pub const fn is_running(&self) -> bool {
        matches!(self.state, State::Running | State::Doing(_))
    }

    /// Takes in news of an order; returns whether it belongs to this run and the run is not over.
    pub fn hear(&mut self, number: u64, news: News) -> bool {
        if number != self.order.number || !self.is_running() {
            return false;
        }
        match (news, &mut self.pack) {
            (News::Found(pack), _) => self.pack = Some(*pack),
            (News::Ceilings(ceilings), Some(pack)) => pack.ceilings = Some(*ceilings),
            (News::Progress(name, phase), _) => {
                self.state = State::Doing(format!("{name}: {phase}"));
            }
            (News::Measured(row), Some(pack)) => {
                pack.rows.push(*row);
                self.row_done();
            }
            // If one row fails, the others may still succeed.
            (News::Failed(kernel, error), Some(pack)) => {
                let (size, reason) = (self.order.size, error.to_string());
                pack.skipped.push(Skipped { kernel, size, reason });
                self.row_done();
            }
            (News::Counted(kernel, tile, counted), Some(pack)) => {
                let is_it = |row: &&mut Measurement| (&row.kernel, row.tile) == (&kernel, tile);
                if let Some(row) = pack.rows.iter_mut().find(is_it) {
                    row.beside.counters = Some(counted.counters);
                }
                self.count_done();
            }
            (News::NotCounted(error), _) if error.keeps_all_counters() => {
                self.refused = Some(error.to_string());
                self.state = State::Done;
            }
            (News::NotCounted(_), _) => self.count_done(),
            (News::Failed(_, error) | News::NoGpu(error), _) => {
                self.state = State::Failed(error.to_string());
            }
            (
                News::NoCeilings(_) | News::Ceilings(_) | News::Measured(_) | News::Counted(..),
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
            self.state = State::Done;
        }
    }

    /// Why nothing more is measured, if something has failed.
    pub fn failure(&self) -> Option<String> {
        matches!(self.state, State::Failed(_)).then(|| self.line())
    }

    /// Stops the run at the user's request; the results so far stay.
    pub fn stop(&mut self) {
        if self.is_running() {
            self.state = State::Stopped;
        }
    }

    /// Describes the progress in one line.
    pub fn line(&self) -> String {
        let (done, all) = self.done;
        match &self.state {
            State::Running => "measuring: asking the GPU".to_owned(),
            State::Doing(what) => format!("measuring {} of {all}: {what}", (done + 1).min(all)),
            State::Done => match &self.refused {
                Some(why) => format!("no counters: {why}"),
                None => String::new(),
            },
            State::Stopped => format!("stopped: {done} of {all} were measured"),
            State::Failed(why) => format!("nothing is measured: {why}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order() -> Order {
        Order { number: 0, device: 0, size: Size::square(64) }
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
        assert!(live.hear(0, News::NotCounted(GpuError::NoCublas)) && live.is_running());
        assert!(live.hear(0, News::NotCounted(GpuError::CountersRefused)) && !live.is_running());
        assert!(live.line().starts_with("no counters: the driver shows"), "{}", live.line());
        assert!(!live.hear(0, News::NotCounted(GpuError::CountersRefused)), "nobody waits for it");
    }

    #[test]
    fn the_last_counters_are_the_last_that_comes() {
        let mut live = LadderRun::new(order());
        for left in (0..order().rows()).rev() {
            assert!(live.is_running());
            live.hear(
                0,
                News::NotCounted(GpuError::OutOfMemory { needed: 2, free: left as u64, total: 1 }),
            );
        }
        assert_eq!((live.state.clone(), live.line()), (State::Done, String::new()));
    }
}
