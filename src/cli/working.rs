//! What a long command is doing and how long it still takes, on one line of the terminal; Ctrl-C says
//! how far it came, and keeps what is done where that means something.

use super::output::{json_until, show_progress, tell};
use super::signal;
use crate::report::number::{Count, grouped};
use crate::work::{WorkProgress, WorkToken, stop_all, stop_is_noticed};
use serde::Serialize;
use std::ops::ControlFlow;
use std::process::ExitCode;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, Once, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// A shorter command says nothing.
const SHORT: Duration = Duration::from_secs(1);

/// How often the line is rewritten.
const OFTEN: Duration = Duration::from_millis(200);

/// How much longer all takes where the program is not optimised.
const SLOW: u64 = if cfg!(debug_assertions) { 10 } else { 1 };

/// How long a work has after Ctrl-C to notice it, until the program ends without its result.
const NOTICES: Duration = Duration::from_millis(150 * SLOW);

/// How long it then has to print what it has done. That takes milliseconds, but the machine may have
/// other work.
const PRINTS: Duration = Duration::from_secs(2 * SLOW);

/// The exit code after Ctrl-C, as shells have it.
const INTERRUPTED: u8 = 130;

/// The work that Ctrl-C meets.
static CURRENT: Mutex<Option<Arc<SharedWork>>> = Mutex::new(None);

/// One handler for all works: each hears every signal.
static HEARS: Once = Once::new();

/// What Ctrl-C does while no work goes on; `None` ends the program.
static AT_REST: Mutex<Option<AtRest>> = Mutex::new(None);

/// Answers Ctrl-C, or breaks off: the program ends.
type AtRest = Box<dyn Fn() -> ControlFlow<()> + Send>;

/// Lets `then` answer Ctrl-C while no work goes on.
pub(super) fn at_rest(then: impl Fn() -> ControlFlow<()> + Send + 'static) {
    *AT_REST.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(then));
    HEARS.call_once(|| signal::on_interrupt(interrupted));
}

/// The line of a command at work; it is erased at the end.
pub(super) struct Working {
    shared: Arc<SharedWork>,
    ticker: Option<JoinHandle<()>>,
    /// Whether it is no part of another.
    is_whole: bool,
}

#[derive(Debug)]
pub(super) struct SharedWork {
    work: Mutex<CurrentWork>,
    over: Condvar,
}

/// What is being done, and how much of it is.
#[derive(Debug)]
struct CurrentWork {
    /// For example `simulating naive at 1024`.
    what: String,
    /// What is counted: `block`.
    unit: &'static str,
    done: u64,
    /// How many there are, or 0 if nothing is counted.
    of: u64,
    since: Instant,
    stage: WorkStage,
    /// Whether what is done until Ctrl-C is a result.
    keeps: bool,
    interrupt: Interrupt,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum WorkStage {
    Begun,
    Over,
    /// Its result has been printed.
    Told,
}

/// Whether Ctrl-C came, and the work is about to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Interrupt {
    None,
    Came,
    Noticed,
}

/// How a work has ended. It hears Ctrl-C until its result has been printed.
pub(super) struct EndedWork {
    /// How far it was when Ctrl-C ended it.
    interrupted: Option<String>,
    _working: Working,
}

impl Working {
    /// Begins a work, for example `simulating naive at 1024`; if it is a part of one that has begun,
    /// that one goes over to it.
    pub(super) fn on(what: impl Into<String>) -> Self {
        let mut current = current();
        if let Some(whole) = current.as_ref().filter(|whole| !whole.is_over()) {
            whole.next(&what.into());
            return Self { shared: Arc::clone(whole), ticker: None, is_whole: false };
        }
        HEARS.call_once(|| signal::on_interrupt(interrupted));
        let new = Self::unheard(what.into());
        *current = Some(Arc::clone(&new.shared));
        new
    }

    /// A work that does not hear of Ctrl-C.
    fn unheard(what: String) -> Self {
        let since = Instant::now();
        let (unit, done, of) = ("", 0, 0);
        let (stage, keeps, interrupt) = (WorkStage::Begun, false, Interrupt::None);
        let work = CurrentWork { what, unit, done, of, since, stage, keeps, interrupt };
        let shared = Arc::new(SharedWork { work: Mutex::new(work), over: Condvar::new() });
        let ticks = Arc::clone(&shared);
        let ticker = Some(std::thread::spawn(move || ticks.tick()));
        Self { shared, ticker, is_whole: true }
    }

    /// The token of a work of which Ctrl-C keeps what is done.
    pub(super) fn kept(&self) -> WorkToken {
        self.heard_by(SharedWork::next_of)
    }

    /// The token of a work whose progress `hears` takes in.
    pub(super) fn heard_by(
        &self,
        hears: impl Fn(&SharedWork, WorkProgress) -> ControlFlow<()> + Send + Sync + 'static,
    ) -> WorkToken {
        let shared = Arc::clone(&self.shared);
        WorkToken::default().heard_by(move |progress| hears(&shared, progress))
    }

    /// Whether Ctrl-C has come, and what is done is kept.
    pub(super) fn is_interrupted(&self) -> bool {
        self.shared.work().is_interrupted()
    }

    /// Ends the work, of which Ctrl-C may have kept a part.
    pub(super) fn ends(mut self) -> EndedWork {
        self.rests();
        let work = self.shared.work();
        let interrupted = work.is_interrupted().then(|| work.so_far());
        drop(work);
        EndedWork { interrupted, _working: self }
    }

    /// Erases the line.
    fn rests(&mut self) {
        let Some(ticker) = self.ticker.take() else { return };
        self.shared.reaches(WorkStage::Over);
        _ = ticker.join();
    }

    /// Goes over to another work.
    pub(super) fn next(&self, what: &str) {
        self.shared.next(what);
    }
}

impl EndedWork {
    /// Whether Ctrl-C ended it.
    pub(super) const fn is_interrupted(&self) -> bool {
        self.interrupted.is_some()
    }

    /// The result of `command` as JSON, which says whether Ctrl-C ended it.
    pub(super) fn json(
        &self,
        command: &str,
        result: &impl Serialize,
    ) -> serde_json::Result<String> {
        json_until(command, self.is_interrupted(), result)
    }

    /// Says how far it was if Ctrl-C ended it, after its result has been printed; the exit code then,
    /// and otherwise.
    pub(super) fn code(self, otherwise: ExitCode) -> ExitCode {
        let Some(so_far) = self.interrupted else { return otherwise };
        tell(&format!("note: interrupted: {so_far}"));
        ExitCode::from(INTERRUPTED)
    }
}

fn current() -> MutexGuard<'static, Option<Arc<SharedWork>>> {
    CURRENT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Hears Ctrl-C.
fn interrupted() -> ControlFlow<()> {
    // The work may end, and take itself away, while it is waited for.
    let work = current().clone().filter(|work| !work.is_over());
    if let Some(work) = work {
        return work.interrupted();
    }
    let at_rest = AT_REST.lock().unwrap_or_else(PoisonError::into_inner);
    at_rest.as_ref().map_or(ControlFlow::Break(()), |then| then())
}

impl Drop for Working {
    fn drop(&mut self) {
        if !self.is_whole {
            return;
        }
        self.rests();
        self.shared.reaches(WorkStage::Told);
        _ = current().take_if(|current| Arc::ptr_eq(current, &self.shared));
    }
}

impl SharedWork {
    fn work(&self) -> MutexGuard<'_, CurrentWork> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_over(&self) -> bool {
        self.work().stage > WorkStage::Begun
    }

    fn reaches(&self, stage: WorkStage) {
        self.work().stage = stage;
        self.over.notify_all();
    }

    /// Takes in how far a work is that Ctrl-C ends without a result.
    pub(super) fn done(&self, progress: WorkProgress) -> ControlFlow<()> {
        let WorkProgress { unit, done, total, .. } = progress;
        let mut work = self.work();
        // Workers tell of what they began in any order.
        if (work.unit, work.of) != (unit, total) || 2 * done < work.done {
            (work.unit, work.done, work.of, work.since) = (unit, 0, total, Instant::now());
        }
        work.done = work.done.max(done);
        ControlFlow::Continue(())
    }

    /// Like [`Self::done`], of a work that Ctrl-C breaks off after what it has done: that is printed.
    pub(super) fn next_of(&self, progress: WorkProgress) -> ControlFlow<()> {
        let mut work = self.work();
        work.keeps = true;
        if work.is_interrupted() {
            work.interrupt = Interrupt::Noticed;
            return ControlFlow::Break(());
        }
        drop(work);
        self.done(progress)
    }

    /// Goes over to another work.
    pub(super) fn next(&self, what: &str) {
        let mut work = self.work();
        if work.what != what {
            (work.what, work.since) = (what.to_owned(), Instant::now());
            (work.done, work.of) = (0, 0);
        }
    }

    /// Writes the line until the work is over, and erases it.
    fn tick(&self) {
        let (mut work, mut wait, mut shown) = (self.work(), SHORT, false);
        while work.stage < WorkStage::Over {
            let waited = self.over.wait_timeout(work, wait);
            work = waited.unwrap_or_else(PoisonError::into_inner).0;
            if work.stage < WorkStage::Over {
                show_progress(&work.line());
                (wait, shown) = (OFTEN, true);
            }
        }
        if shown {
            show_progress("");
        }
    }

    /// Ends the work after what it has done, and at a second time the program; breaks off if there is
    /// no work any more.
    fn interrupted(&self) -> ControlFlow<()> {
        if self.is_over() {
            return ControlFlow::Break(());
        }
        if self.stops() {
            stop_all();
            if self.ends_soon() {
                return ControlFlow::Continue(());
            }
        }
        show_progress("");
        tell(&format!("note: interrupted: {}", self.work().so_far()));
        std::process::exit(INTERRUPTED.into());
    }

    /// Asks the work to stop after what it has done; returns whether it does, and was not asked before.
    fn stops(&self) -> bool {
        let mut work = self.work();
        let first = work.keeps && !work.is_interrupted();
        if first {
            work.interrupt = Interrupt::Came;
        }
        first
    }

    /// Whether the work is told before there is no more patience with it.
    fn ends_soon(&self) -> bool {
        let told_within = |patience| {
            let is_open = |work: &mut CurrentWork| work.stage < WorkStage::Told;
            let waited = self.over.wait_timeout_while(self.work(), patience, is_open);
            waited.unwrap_or_else(PoisonError::into_inner).0.stage == WorkStage::Told
        };
        told_within(NOTICES) || (self.is_noticed() && told_within(PRINTS))
    }

    /// Whether the work, or a machine of it, knows of Ctrl-C.
    fn is_noticed(&self) -> bool {
        let work = self.work();
        work.interrupt == Interrupt::Noticed || work.stage > WorkStage::Begun || stop_is_noticed()
    }
}

impl CurrentWork {
    fn is_interrupted(&self) -> bool {
        self.interrupt != Interrupt::None
    }

    /// `simulating naive at 1024: 512 of 4,096 blocks, about 11 s left`.
    fn line(&self) -> String {
        let took = self.since.elapsed();
        if self.done == 0 || self.done == self.of {
            return format!("{}, {} s so far", self.so_far(), took.as_secs());
        }
        let left = took.as_secs_f64() * (self.of - self.done) as f64 / self.done as f64;
        let left = match left.ceil() as u64 {
            seconds @ 0..120 => format!("{seconds} s"),
            seconds => format!("{} min", seconds.div_ceil(60)),
        };
        format!("{}, about {left} left", self.so_far())
    }

    /// `simulating naive at 1024: 512 of 4,096 blocks`.
    fn so_far(&self) -> String {
        let what = &self.what;
        match (self.done, self.of) {
            (_, 0) => what.clone(),
            (done, of) => format!("{what}: {} of {}", grouped(done), Count(of, self.unit)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(done: u64, of: u64, took: u64) -> String {
        let since = Instant::now().checked_sub(Duration::from_secs(took)).expect("a clock");
        let what = "simulating naive at 1024".to_owned();
        let (stage, keeps, interrupt) = (WorkStage::Begun, false, Interrupt::None);
        CurrentWork { what, unit: "block", done, of, since, stage, keeps, interrupt }.line()
    }

    #[test]
    fn the_line_says_how_far_it_is_and_what_is_left() {
        insta::assert_snapshot!(line(1024, 4096, 4), @"simulating naive at 1024: 1,024 of 4,096 blocks, about 13 s left");
        insta::assert_snapshot!(line(1, 4096, 4), @"simulating naive at 1024: 1 of 4,096 blocks, about 274 min left");
        insta::assert_snapshot!(line(4096, 4096, 4), @"simulating naive at 1024: 4,096 of 4,096 blocks, 4 s so far");
        insta::assert_snapshot!(line(0, 0, 7), @"simulating naive at 1024, 7 s so far");
    }

    /// A work of 40 lines tells that so many are done.
    fn judged(working: &Working, lines: u64) -> ControlFlow<()> {
        working.kept().step("line", lines, 40)
    }

    #[test]
    fn ctrl_c_ends_a_work_after_what_it_has_done_and_then_says_how_far_it_was() {
        let working = Working::unheard("judging".to_owned());
        assert!(judged(&working, 3).is_continue());
        assert!(working.shared.stops() && !working.shared.stops());
        assert!(judged(&working, 4).is_break());
        let ended = working.ends();
        assert_eq!(ended.interrupted.as_deref(), Some("judging: 3 of 40 lines"));
        assert!(!Working::unheard("judging".to_owned()).ends().is_interrupted());
    }

    #[test]
    fn a_work_that_does_not_notice_ctrl_c_is_not_waited_for() {
        let working = Working::unheard("judging".to_owned());
        assert!(judged(&working, 3).is_continue() && working.shared.stops());
        let asked = Instant::now();
        assert!(!working.shared.ends_soon());
        assert!(asked.elapsed() < 2 * NOTICES, "{:?}", asked.elapsed());
    }

    #[test]
    fn a_work_that_has_noticed_ctrl_c_has_the_time_to_print() {
        let working = Working::unheard("judging".to_owned());
        assert!(judged(&working, 3).is_continue() && working.shared.stops());
        assert!(judged(&working, 4).is_break());
        let shared = Arc::clone(&working.shared);
        let waits = std::thread::spawn(move || shared.ends_soon());
        std::thread::sleep(NOTICES + NOTICES / 4);
        drop(working.ends());
        assert!(waits.join().expect("it waits"));
    }

    #[test]
    fn what_is_counted_again_begins_again() {
        let working = Working::unheard("simulating".to_owned());
        let far = |done| {
            let progress = WorkProgress { unit: "block", done, total: 100, ..Default::default() };
            assert!(working.shared.done(progress).is_continue());
            working.shared.work().so_far()
        };
        let told = [far(60), far(59), far(100), far(3), far(4)];
        let blocks = [60, 60, 100, 3, 4].map(|done| format!("simulating: {done} of 100 blocks"));
        assert_eq!(told, blocks);
    }
}
