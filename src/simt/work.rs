//! Work that takes long: one token for how far it is and whether it is to go on, and the one place
//! where it goes to all cores.
//!
//! ```text
//! WorkOwner   whoever waits for the result; dropping it cancels the work
//!   token()   -> WorkToken, which the work takes, and clones for all that do a part of it
//!                  step, begin   so much is done: whoever hears the token is told
//!                  ask           is it to go on?
//! ```
//!
//! A host with one thread has others take their turns where work asks: see [`take_turns`].

use std::fmt;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Whether all work is to stop: see [`stop_all`].
static STOPPED: AtomicBool = AtomicBool::new(false);

/// Whether one of those that ask has heard of it.
static NOTICED: AtomicBool = AtomicBool::new(false);

/// Cancels all work, also that of machines without a token, within a few thousand steps and for good:
/// the program is about to end, and uses no result of a run that is not over.
pub fn stop_all() {
    STOPPED.store(true, Relaxed);
}

/// Whether all work is cancelled: what a machine has done is of no account, as it does then as if its
/// warps had exited.
pub fn are_stopped() -> bool {
    let stopped = STOPPED.load(Relaxed);
    if stopped {
        NOTICED.store(true, Relaxed);
    }
    stopped
}

/// Whether somebody has learnt that all work is cancelled.
pub fn stop_is_noticed() -> bool {
    NOTICED.load(Relaxed)
}

/// What a host with one thread does whenever owned work asks whether it is to go on.
static TURN: OnceLock<fn()> = OnceLock::new();

/// Has `turn` called whenever work that has an owner asks: a host with one thread suspends the work
/// there, while others take their turns. Other work is not interrupted: its result is for many, and
/// whoever needs it meanwhile would wait for it for ever.
pub fn take_turns(turn: fn()) {
    // The first host stays.
    let _ = TURN.set(turn);
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorkProgress {
    /// What is counted, for example `block`; empty if nothing is.
    pub unit: &'static str,
    /// How many are done, or have begun.
    pub done: u64,
    /// How many there are, or 0 if that is not known.
    pub total: u64,
    /// The instructions of warps that were executed for it, where they are counted.
    pub instructions: u64,
}

/// What a work tells how far it is, and asks whether to go on. Copies are the same token.
#[derive(Clone, Default)]
pub struct WorkToken(Arc<Shared>);

#[derive(Default)]
struct Shared {
    is_owned: bool,
    is_cancelled: AtomicBool,
    progress: Mutex<WorkProgress>,
    /// Whose part the work is, and who hears of it.
    heard: Option<(WorkToken, Box<Listener>)>,
}

/// Is told how far a work is whenever that changes or the work asks; breaking off cancels it.
type Listener = dyn Fn(WorkProgress) -> ControlFlow<()> + Send + Sync;

impl WorkToken {
    /// A token for a part of the work, which `listener` hears and may cancel.
    #[must_use]
    pub fn heard_by(
        &self,
        listener: impl Fn(WorkProgress) -> ControlFlow<()> + Send + Sync + 'static,
    ) -> Self {
        let heard = Some((self.clone(), Box::new(listener) as Box<Listener>));
        Self(Arc::new(Shared { heard, ..Shared::default() }))
    }

    /// So many are done of so many. Breaks off if the work is cancelled, as all of these do.
    pub fn step(&self, unit: &'static str, done: u64, total: u64) -> ControlFlow<()> {
        let mut progress = self.lock();
        (progress.unit, progress.done, progress.total) = (unit, done, total);
        drop(progress);
        self.ask()
    }

    /// One more begins, of so many in all.
    pub fn begin(&self, unit: &'static str, total: u64) -> ControlFlow<()> {
        self.add(unit, 1, total);
        self.ask()
    }

    /// So many more are done, which is told at the next question. After the last one, or with another
    /// unit, all begins again.
    pub fn add(&self, unit: &'static str, more: u64, total: u64) {
        let mut progress = self.lock();
        if (progress.unit, progress.total) != (unit, total) || progress.done >= total {
            (progress.unit, progress.done, progress.total) = (unit, 0, total);
        }
        progress.done += more;
    }

    /// So many more instructions have been executed.
    pub fn execute(&self, instructions: u64) -> ControlFlow<()> {
        self.lock().instructions += instructions;
        self.ask()
    }

    /// Whether the work is to go on: to be asked every few thousand instructions.
    pub fn ask(&self) -> ControlFlow<()> {
        let goes_on = |(whole, listener): &(Self, Box<Listener>)| {
            !whole.is_cancelled() && listener(self.progress()).is_continue()
        };
        let shared = &self.0;
        if let Some(turn) = TURN.get().filter(|_| shared.is_owned) {
            turn();
        }
        if are_stopped() || shared.is_cancelled.load(Relaxed) {
            return ControlFlow::Break(());
        }
        if shared.heard.as_ref().is_none_or(goes_on) {
            return ControlFlow::Continue(());
        }
        self.cancel();
        ControlFlow::Break(())
    }

    /// The same as a truth value.
    pub fn is_cancelled(&self) -> bool {
        self.ask().is_break()
    }

    /// Cancels the work: it ends soon, and what was done until then is its result if it has one.
    pub fn cancel(&self) {
        self.0.is_cancelled.store(true, Relaxed);
    }

    pub fn progress(&self) -> WorkProgress {
        *self.lock()
    }

    /// Does a work of which nothing is told any more once it is over.
    pub fn during<T>(&self, work: impl FnOnce(&Self) -> T) -> T {
        let result = work(self);
        *self.lock() = WorkProgress::default();
        result
    }

    fn lock(&self) -> MutexGuard<'_, WorkProgress> {
        self.0.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Tokens are equal if they are of one work.
impl PartialEq for WorkToken {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl fmt::Debug for WorkToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("WorkToken").field(&self.progress()).finish()
    }
}

/// Keeps a work going: dropping it cancels the work.
#[derive(Debug)]
pub struct WorkOwner(WorkToken);

impl Default for WorkOwner {
    fn default() -> Self {
        Self(WorkToken(Arc::new(Shared { is_owned: true, ..Shared::default() })))
    }
}

impl WorkOwner {
    pub fn token(&self) -> WorkToken {
        self.0.clone()
    }

    pub fn owns(&self, token: &WorkToken) -> bool {
        self.0 == *token
    }
}

impl Drop for WorkOwner {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// Does `work` for each item, on all cores, until it is cancelled; the results are in the order of the
/// items.
pub fn on_all_cores<'t, T: Sync, R: Send>(
    items: &'t [T],
    (token, unit): (&WorkToken, &'static str),
    work: impl Fn(&'t T) -> R + Sync,
) -> Vec<R> {
    let all = items.len() as u64;
    token.add(unit, 0, all);
    let done = share(all, Vec::new, |done: &mut Vec<(u64, R)>, number| {
        token.ask()?;
        let result = work(&items[number as usize]);
        // What machines do that are stopped is no result.
        if are_stopped() {
            return ControlFlow::Break(());
        }
        token.add(unit, 1, all);
        done.push((number, result));
        ControlFlow::Continue(())
    });
    let mut done: Vec<_> = done.into_iter().flatten().collect();
    done.sort_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, result)| result).collect()
}

/// Hands out the numbers from 0 to `count` in order, to one worker for each core, until a worker
/// breaks off. Returns the workers with what they have gathered.
pub fn share<W: Send>(
    count: u64,
    worker: impl Fn() -> W + Sync,
    work: impl Fn(&mut W, u64) -> ControlFlow<()> + Sync,
) -> Vec<W> {
    let next = AtomicU64::new(0);
    let run = || {
        let mut worker = worker();
        loop {
            let number = next.fetch_add(1, Relaxed);
            if number >= count {
                return worker;
            }
            if work(&mut worker, number).is_break() {
                next.store(count, Relaxed);
            }
        }
    };
    at_once(count, run)
}

/// Runs the same on each core, at most so many times.
#[cfg(feature = "threads")]
fn at_once<W: Send>(most: u64, run: impl Fn() -> W + Sync) -> Vec<W> {
    let cores = rayon::current_num_threads();
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..most.min(cores as u64)).map(|_| scope.spawn(&run)).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}

/// Without threads there is one core: this one.
#[cfg(not(feature = "threads"))]
fn at_once<W: Send>(most: u64, run: impl Fn() -> W + Sync) -> Vec<W> {
    (0..most.min(1)).map(|_| run()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_work_is_cancelled_by_a_call_by_its_owner_and_by_who_hears_it() {
        let token = WorkToken::default();
        assert!(token.step("block", 1, 4).is_continue() && !token.clone().is_cancelled());
        token.clone().cancel();
        assert!(token.begin("block", 4).is_break());
        let owner = WorkOwner::default();
        let token = owner.token();
        assert!(owner.owns(&token) && !WorkOwner::default().owns(&token));
        let part = token.heard_by(|_| ControlFlow::Continue(()));
        assert!(!token.is_cancelled() && !part.is_cancelled());
        drop(owner);
        assert!(token.is_cancelled() && part.is_cancelled());
        let whole = WorkToken::default();
        let part = whole.heard_by(|progress| match progress.done {
            0..3 => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        });
        assert!(part.step("line", 2, 9).is_continue() && part.begin("line", 9).is_break());
        assert!(part.is_cancelled() && !whole.is_cancelled());
    }

    #[test]
    fn what_is_counted_begins_again_after_the_last_one_and_with_another_unit() {
        let token = WorkToken::default();
        let far = || {
            let WorkProgress { unit, done, total, .. } = token.progress();
            (unit, done, total)
        };
        for _ in 0..3 {
            assert!(token.begin("block", 3).is_continue());
        }
        assert_eq!(far(), ("block", 3, 3));
        token.add("block", 1, 3);
        assert_eq!(far(), ("block", 1, 3));
        token.add("order", 2, 3);
        assert_eq!(far(), ("order", 2, 3));
        assert_eq!(token.during(|token| token.execute(7)), ControlFlow::Continue(()));
        assert_eq!(token.progress(), WorkProgress::default());
    }

    #[test]
    fn all_items_are_done_in_their_order_until_the_work_is_cancelled() {
        let items: Vec<_> = (0..100).collect();
        let token = WorkToken::default();
        let doubled = on_all_cores(&items, (&token, "number"), |item| 2 * item);
        assert_eq!(doubled, (0..200).step_by(2).collect::<Vec<_>>());
        assert_eq!((token.progress().done, token.progress().total), (100, 100));
        token.cancel();
        assert!(on_all_cores(&items, (&token, "number"), |item| *item).is_empty());
    }
}
