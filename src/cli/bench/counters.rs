//! `matviz bench --counters`: the hardware's own counters of each measured launch, beside the
//! simulated ones.

use super::progress::{note, say_progress};
use super::runner::Runner;
use crate::gpu::GpuError;
use crate::gpu::client::{Client, Launcher, Stopper};
use crate::gpu::pack::Pack;
use crate::gpu::protocol::{Count, Counted, Measurement, Phase};
use crate::kernel::Problem;
use crate::matrix::SEED;
use crate::report::counted::{self, metrics};
use crate::study::counts::simulate;
use std::time::Duration;

/// What reads them, in a process of its own: one that has counted keeps other times.
pub(super) struct Counters {
    client: Client,
    device: u32,
    /// Until they are refused: then it is of no use to ask again.
    readable: bool,
    /// The metrics that the GPU does not have, once they were told.
    missing: Vec<String>,
    /// The launch of each row, to be simulated.
    launches: Vec<Option<Problem>>,
}

impl Counters {
    pub(super) fn new(device: u32, time_limit: Duration) -> Self {
        let client = Client::new(Launcher::default(), time_limit);
        Self { client, device, readable: true, missing: Vec::new(), launches: Vec::new() }
    }

    /// What ends the process that reads them.
    pub(super) fn stopper(&self) -> Stopper {
        self.client.stopper()
    }

    /// Reads those of a row that has just been measured. That none are to be had is said once, and
    /// costs the row nothing.
    pub(super) fn read(&mut self, runner: &Runner, row: &mut Measurement) {
        self.launches.push(runner.launch(row.size));
        if !self.readable || row.is_cpu() {
            return;
        }
        match self.ask(runner, row) {
            Ok(counted) => {
                self.say_missing(counted.missing);
                row.beside.counters = Some(counted.counters);
            }
            Err(GpuError::Cancelled) => self.readable = false,
            Err(error) => {
                self.readable = !error.keeps_all_counters();
                note(&format!("no counters: {error}"));
            }
        }
    }

    fn ask(&mut self, runner: &Runner, row: &Measurement) -> Result<Counted, GpuError> {
        let (size, device) = (row.size, self.device);
        let (subject, metrics) = (runner.subject(size), metrics());
        let launch = Count { subject, size, seed: SEED, device, metrics };
        let what = format!("{} at {size}: counters", row.kernel);
        let count = |progress: &mut dyn FnMut(Phase)| self.client.count(launch, progress);
        say_progress(&what, count, |counted| format!("{} passes", counted.passes))
    }

    fn say_missing(&mut self, missing: Vec<String>) {
        if missing != self.missing {
            note(&format!("this GPU has no counters named {}", missing.join(", ")));
            self.missing = missing;
        }
    }

    /// Each row's counters beside its simulation, which is made as it is taken.
    pub(super) fn beside<'a>(&'a self, pack: &'a Pack) -> impl Iterator<Item = counted::Counted> {
        let rows = pack.rows.iter().zip(self.launches.iter().map(Option::as_ref));
        rows.filter_map(|(row, launch)| {
            let simulated = launch.map(|launch| Ok((launch.launch(), simulate(launch)?)));
            counted::Counted::of(row, pack.limits.as_ref(), simulated)
        })
    }
}
