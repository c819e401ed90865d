//! What is computed for a lesson, elsewhere, while the screen stays as it is.

use crate::lesson::session::Move;
use crate::work::{WorkOwner, WorkProgress};
use std::time::Duration;

/// How long something is computed before the screen says so.
const UNSAID: Duration = Duration::from_millis(120);

/// How often the screen says how far it is.
const OFTEN: Duration = Duration::from_millis(100);

/// A move of the learner that is being computed.
#[derive(Debug)]
pub struct PendingMove {
    pub what: Move,
    pub owner: WorkOwner,
    waited: Duration,
}

impl PendingMove {
    /// A move that begins now.
    pub fn new(what: Move) -> Self {
        Self { what, owner: WorkOwner::default(), waited: Duration::ZERO }
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
    pub fn said(&self, progress: WorkProgress) -> Option<String> {
        let WorkProgress { unit, done, total, .. } = progress;
        let work = || match unit {
            "order" => format!("simulating orders of the warps: {done} of {total}"),
            "line" => format!("trying each gap of the source: {done} of {total}"),
            _ => "simulating".to_owned(),
        };
        (self.waited >= UNSAID).then(|| format!("{} ... (Esc stops it)", work()))
    }
}
