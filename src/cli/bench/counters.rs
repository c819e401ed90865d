//! `matviz bench --counters`: the hardware's counters of each measured launch, next to the
//! simulated ones.

use super::progress::{note, say_progress};
use super::runner::Runner;
use crate::cli::working::Working;
use crate::gpu::client::{Client, Launcher, Stopper};
use crate::kernel::Problem;
use crate::matrix::SEED;
use crate::report::counted::{self, metrics};
use crate::study::counts::simulate;
use crate::timing::GpuError;
use crate::timing::pack::Pack;
use crate::timing::protocol::Phase;
use crate::timing::{CountRequest, HardwareCounts, Measurement};
use std::time::Duration;

/// Reads the counters in a process of its own, since profiling changes a GPU's timing.
pub(super) struct CounterReader {
    client: Client,
    device: u32,
    /// Set until access is refused: then further requests are useless.
    readable: bool,
    /// The metrics that the GPU does not have, once known.
    missing: Vec<String>,
    /// The launch of each row, to be simulated.
    launches: Vec<Option<Problem>>,
}

impl CounterReader {
    pub(super) fn new(device: u32, time_limit: Duration) -> Self {
        let client = Client::new(Launcher::default(), time_limit);
        Self { client, device, readable: true, missing: Vec::new(), launches: Vec::new() }
    }

    /// A handle that ends the process that reads the counters.
    pub(super) fn stopper(&self) -> Stopper {
        self.client.stopper()
    }

    /// Reads the counters of a row that has just been measured. An error is reported, and the row
    /// is kept without counters.
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

    fn ask(&mut self, runner: &Runner, row: &Measurement) -> Result<HardwareCounts, GpuError> {
        let (size, device) = (row.size, self.device);
        let (subject, metrics) = (runner.subject(size), metrics());
        let launch = CountRequest { subject, size, seed: SEED, device, metrics };
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

    /// Each row's counters next to its simulation, which runs when it is taken from the iterator.
    /// Ctrl-C ends them.
    pub(super) fn beside<'a>(
        &'a self,
        pack: &'a Pack,
        working: &'a Working,
    ) -> impl Iterator<Item = counted::CounterComparison> {
        let rows = pack.rows.iter().zip(self.launches.iter().map(Option::as_ref));
        let simulated = |launch: &Problem| {
            working.next(&format!("simulating {} at {}", launch.name(), launch.size));
            let token = working.kept();
            // From here on Ctrl-C keeps what is measured.
            _ = token.step("block", 0, launch.launch.blocks());
            let counters = simulate(launch, &token)?;
            Ok((launch.launch, counters))
        };
        let counted = rows.map_while(move |(row, launch)| {
            let simulated = launch.map(simulated);
            (!working.is_interrupted())
                .then(|| counted::CounterComparison::of(row, pack.limits.as_ref(), simulated))
        });
        counted.flatten()
    }
}
