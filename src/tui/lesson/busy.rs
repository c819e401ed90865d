//! What is computed for a lesson, elsewhere, while the screen stays as it is.

use crate::lesson::doing::Doing;
use crate::lesson::walk::Move;
use std::sync::{Arc, Weak};
use std::time::Duration;

/// How long something is computed before the screen says so.
const UNSAID: Duration = Duration::from_millis(120);

/// How often the screen says how far it is.
const OFTEN: Duration = Duration::from_millis(100);

/// A move of the learner that is being computed.
#[derive(Debug)]
pub struct Busy {
    pub what: Move,
    /// Dropped with this: what comes of the move is not wanted any more then.
    wanted: Arc<()>,
    waited: Duration,
}

impl Busy {
    /// A move that begins now.
    pub fn new(what: Move) -> Self {
        Self { what, wanted: Arc::new(()), waited: Duration::ZERO }
    }

    /// Identifies it; dead once it is not wanted any more.
    pub fn id(&self) -> Weak<()> {
        Arc::downgrade(&self.wanted)
    }

    /// The time until there is something new to say.
    pub fn next_frame(&self) -> Duration {
        UNSAID.checked_sub(self.waited).filter(|left| !left.is_zero()).unwrap_or(OFTEN)
    }

    /// Notes that time has passed.
    pub fn wait(&mut self, passed: Duration) {
        self.waited += passed;
    }

    /// What is being computed, once it has taken so long that one wonders.
    pub fn said(&self, doing: &Doing) -> Option<String> {
        let work = || doing.now().map_or("simulating".to_owned(), |work| work.to_string());
        (self.waited >= UNSAID).then(|| format!("{} ... (Esc stops it)", work()))
    }
}
