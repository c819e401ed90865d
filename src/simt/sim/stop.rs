//! Stops every machine: the program is about to end, and uses no result of a run that is not over.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

static STOPPED: AtomicBool = AtomicBool::new(false);

/// Whether one of those that ask has heard of it.
static NOTICED: AtomicBool = AtomicBool::new(false);

/// Stops every machine within a few thousand steps, for good: it then does as if its warps had exited.
pub fn stop_all() {
    STOPPED.store(true, Relaxed);
}

/// Whether all machines are stopped: what they have done is of no account.
pub fn are_stopped() -> bool {
    let stopped = STOPPED.load(Relaxed);
    if stopped {
        NOTICED.store(true, Relaxed);
    }
    stopped
}

/// Whether somebody has learnt that all are stopped.
pub fn stop_is_noticed() -> bool {
    NOTICED.load(Relaxed)
}
