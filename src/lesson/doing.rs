//! What is being computed for a lesson at the moment, so that a screen can say it meanwhile.

use crate::study::Progress;
use std::fmt;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What is being computed, if it takes long. Copies share it.
#[derive(Clone, Debug, Default)]
pub struct Doing(Arc<Mutex<Option<Work>>>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Work {
    what: What,
    done: u64,
    all: u64,
}

/// What takes long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// Orders of the warps are tried.
    Orders,
    /// A line is put into each gap of a source in turn.
    Gaps,
}

impl Doing {
    /// What is being done, or `None` if nothing is counted.
    pub fn now(&self) -> Option<Work> {
        *self.lock()
    }

    /// Does some work, of which `told(done, all)` says how far it is.
    pub(super) fn during<T>(&self, what: What, work: impl FnOnce(Progress<'_>) -> T) -> T {
        let result = work(&|done, all| {
            *self.lock() = Some(Work { what, done, all });
            ControlFlow::Continue(())
        });
        *self.lock() = None;
        result
    }

    fn lock(&self) -> MutexGuard<'_, Option<Work>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { what, done, all } = self;
        match what {
            What::Orders => write!(f, "simulating orders of the warps: {done} of {all}"),
            What::Gaps => write!(f, "trying each gap of the source: {done} of {all}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_says_how_far_the_work_is_until_it_is_done() {
        let doing = Doing::default();
        let shown = doing.clone();
        let told = doing.during(What::Orders, |told| {
            assert!(told(37, 100).is_continue());
            shown.now().map(|work| work.to_string())
        });
        assert_eq!(told.as_deref(), Some("simulating orders of the warps: 37 of 100"));
        assert_eq!(shown.now(), None);
    }
}
