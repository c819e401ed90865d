//! Times for lessons, measured in the background on this machine's GPU, if it has one.

use crate::gpu::client::{BackgroundClient, Client, Launcher, PATIENCE};
use crate::kernel::{self, Problem};
use crate::lesson::clock::Clock;
use crate::matrix::SEED;
use crate::timing::protocol::{Request, Response};
use crate::timing::{Measure, Measurement, SamplingPlan, Subject};
use std::borrow::Cow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A lesson wants to know which kernel is faster, not how much in the third digit.
const EFFORT: SamplingPlan = SamplingPlan {
    warm_up_ms: 50.0,
    sample_ms: 1.0,
    least_samples: 5,
    spread: 0.01,
    budget_ms: 500.0,
    beside_ms: 0.0,
};

/// Measures what is asked for. Its worker starts with the first question.
#[derive(Debug)]
pub(in crate::cli) struct LiveTimes {
    session: BackgroundClient,
    asked: Arc<Mutex<RequestedTimes>>,
}

/// What was asked for, and what is known of it.
#[derive(Debug, Default)]
struct RequestedTimes {
    rows: Vec<(Measure, Option<Measurement>)>,
    /// Whether there is no GPU, or something could not be measured.
    failed: bool,
}

impl LiveTimes {
    /// Waits for questions.
    pub(in crate::cli) fn start() -> Arc<Self> {
        let asked = Arc::new(Mutex::new(RequestedTimes::default()));
        let client = Client::new(Launcher::default(), PATIENCE);
        let told = Arc::clone(&asked);
        let session = BackgroundClient::start(client, move |request, answer| {
            lock(&told).take(request, answer);
        });
        Arc::new(Self { session, asked })
    }
}

impl Clock for LiveTimes {
    fn measured(&self, recorded: &Measurement) -> Option<Measurement> {
        let wanted = measure(recorded)?;
        let mut asked = lock(&self.asked);
        if asked.failed {
            return None;
        }
        if !asked.rows.iter().any(|(other, _)| *other == wanted) {
            asked.rows.push((wanted.clone(), None));
            self.session.ask(Request::Measure(wanted));
            return None;
        }
        asked.rows.iter().find(|(other, _)| *other == wanted)?.1.clone()
    }

    fn is_ready(&self) -> bool {
        let asked = lock(&self.asked);
        !asked.failed && !asked.rows.is_empty() && asked.rows.iter().all(|(_, row)| row.is_some())
    }
}

impl RequestedTimes {
    fn take(&mut self, request: &Request, answer: Response) {
        let Request::Measure(request) = request else { return };
        match answer {
            Response::Progress(_) => {}
            Response::Measured(row) if row.is_right() => {
                if let Some((_, known)) = self.rows.iter_mut().find(|(other, _)| other == request) {
                    *known = Some(*row);
                }
            }
            _ => self.failed = true,
        }
    }
}

/// What has to be measured again: a kernel of the catalogue, or a library.
fn measure(recorded: &Measurement) -> Option<Measure> {
    let size = recorded.size;
    let subject = if recorded.is_library() {
        Subject::Cublas { precision: recorded.precision() }
    } else {
        let (kernel, tile) = (kernel::find(&recorded.kernel)?, recorded.tile?);
        let ptx = Cow::Borrowed(kernel.embedded(tile)?);
        Subject::of(&Problem::of(kernel, kernel.variant(tile)?, size, ptx))
    };
    Some(Measure { subject, size, seed: SEED, device: 0, effort: EFFORT })
}

fn lock(asked: &Mutex<RequestedTimes>) -> MutexGuard<'_, RequestedTimes> {
    asked.lock().unwrap_or_else(PoisonError::into_inner)
}
