//! A program that takes long, at a size that takes seconds.

use super::called;
use super::device::HeldMemory;
use super::host::KnownCall;
use super::missing::OpenError;
use super::open::{FileText, Opened, opened};
use super::probe::{leaves, weight};
use super::program::ROUNDS;
use super::sizes::{self, SizeChange};
use crate::kernel::{Assumption, Assumptions, Problem};
use crate::matrix::SEED;
use std::collections::BTreeSet;

/// How often a smaller size is looked for.
const MOST_TIMES: usize = 4;

impl Opened<'_> {
    /// The same file at a size that takes seconds, if its own takes longer and another one is as good.
    pub(super) fn made_smaller(self) -> Self {
        let mut changed = Vec::new();
        let Some(mut changes) = self.smaller() else { return self };
        let leaving = self.leaving();
        let mut opened = self;
        for _ in 0..MOST_TIMES {
            let Ok(other) = opened.with(&changes) else { break };
            // Constants that hang together in ways that nobody sees do not become smaller one by one.
            if !other.leaving().is_subset(&leaving) {
                break;
            }
            opened = other;
            sizes::change_again(&mut changed, changes);
            let Some(more) = opened.smaller() else { break };
            changes = more;
        }
        let told = (!changed.is_empty()).then(|| {
            let why = ": at the host's size this takes long; --size gives another";
            Assumption::sentence(sizes::told(&changed), why.to_owned())
        });
        opened.code.told = Assumptions::from_iter(told).and(opened.code.told);
        opened
    }

    /// The same file with other numbers for these constants.
    fn with(&self, changes: &[SizeChange]) -> Result<Self, OpenError> {
        let mut request = self.request.clone();
        if let (FileText::Cuda(cuda), Some(whole)) = (&mut request.text, &self.code.whole) {
            let other = sizes::replaced(whole, changes);
            cuda.source.text = other.sources().map(|(_, text)| text).take(1).collect();
        }
        opened(request)
    }

    /// The constants to make smaller so that the program takes seconds; `None` if it does, if a size is
    /// asked for, or if nothing makes it smaller.
    fn smaller(&self) -> Option<Vec<SizeChange>> {
        let is_free = self.code.launch.size.is_none() && !self.request.to_measure;
        let run = self.code.host.as_ref().filter(|_| is_free)?;
        let threads = sizes::threads_of(run);
        let by = if threads > MOST_THREADS {
            (threads / MOST_THREADS).max(2)
        } else {
            let weight = |one: &Problem| weight(one, MOST_INSTRUCTIONS / u64::from(ROUNDS));
            let all =
                self.sketched().map(|(_, one)| u64::from(ROUNDS).saturating_mul(weight(&one)));
            let over = (all.fold(0, u64::saturating_add) / MOST_INSTRUCTIONS) as f64;
            if over < 1.0 {
                return None;
            }
            // What a product takes grows with the third power of its sides.
            over.cbrt().ceil().max(2.0) as u64
        };
        let by = i64::try_from(by.next_power_of_two()).ok()?;
        let whole = self.code.whole.as_ref()?;
        let changes = sizes::smaller(whole, by);
        (!changes.is_empty()).then_some(changes)
    }

    /// The first launches of the program that differ, each with its line, on memory of random numbers.
    fn sketched(&self) -> impl Iterator<Item = (u32, Problem)> {
        let run = self.code.host.as_ref();
        let device = run.map(|run| HeldMemory::sketch(&run.buffers, SEED));
        let launches = run.into_iter().flat_map(called::different);
        launches.take(MOST_WEIGHED).filter_map(move |launch| {
            let call = KnownCall { run: run?, launch, device: device.as_ref()? };
            let problem = call.is_known().then(|| self.launched(&call, false).ok()).flatten()?;
            Some((launch.line, problem))
        })
    }

    /// The lines of launches of which an access leaves the buffers, as far as some of their blocks show.
    fn leaving(&self) -> BTreeSet<u32> {
        self.sketched().filter(|(_, problem)| leaves(problem)).map(|(line, _)| line).collect()
    }
}

/// The threads and the instructions of warps that are run within some seconds: a core runs ten million
/// instructions a second, with optimisation.
const MOST_THREADS: u64 = 1 << 23;
const MOST_INSTRUCTIONS: u64 = 1 << 25;

/// How many launches are weighed.
const MOST_WEIGHED: usize = 16;
