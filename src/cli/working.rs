//! What a long command is doing and how long it still takes, on one line of the terminal; Ctrl-C says
//! how far it came.

use super::output::{show_progress, tell};
use super::signal;
use crate::report::number::{Count, grouped};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// A shorter command says nothing.
const SHORT: Duration = Duration::from_secs(1);

/// How often the line is rewritten.
const OFTEN: Duration = Duration::from_millis(200);

/// The line of a command at work; it is erased at the end.
pub(super) struct Working {
    shared: Arc<Shared>,
    ticker: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    work: Mutex<Work>,
    over: Condvar,
}

/// What is being done, and how much of it is.
#[derive(Debug)]
struct Work {
    /// For example `simulating naive at 1024`.
    what: String,
    /// What is counted: `block`.
    unit: &'static str,
    done: u64,
    /// How many there are, or 0 if nothing is counted.
    of: u64,
    since: Instant,
    over: bool,
}

impl Working {
    /// Begins the work of a command, for example `simulating naive at 1024`; a second one after it is
    /// [`Self::next`].
    pub(super) fn on(what: impl Into<String>) -> Self {
        let (what, since) = (what.into(), Instant::now());
        let work = Work { what, unit: "", done: 0, of: 0, since, over: false };
        let shared = Arc::new(Shared { work: Mutex::new(work), over: Condvar::new() });
        let (ticks, stops) = (Arc::clone(&shared), Arc::clone(&shared));
        signal::on_interrupt(move || stops.interrupted());
        Self { ticker: Some(std::thread::spawn(move || ticks.tick())), shared }
    }

    /// So many of the `unit`s are done or have begun. If there are more than `of`, all begin again.
    pub(super) fn done(&self, unit: &'static str, done: u64, of: u64) {
        let mut work = self.shared.work();
        let done = if done > of { (done - 1) % of.max(1) + 1 } else { done };
        // Workers tell of what they began in any order.
        if (work.unit, work.of) != (unit, of) || 2 * done < work.done {
            (work.unit, work.done, work.of, work.since) = (unit, 0, of, Instant::now());
        }
        work.done = work.done.max(done);
    }

    /// Goes over to another work.
    pub(super) fn next(&self, what: &str) {
        let mut work = self.shared.work();
        if work.what != what {
            (work.what, work.since) = (what.to_owned(), Instant::now());
            (work.done, work.of) = (0, 0);
        }
    }
}

impl Drop for Working {
    fn drop(&mut self) {
        self.shared.work().over = true;
        self.shared.over.notify_all();
        let ticker = self.ticker.take();
        _ = ticker.map(JoinHandle::join);
    }
}

impl Shared {
    fn work(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes the line until the work is over, and erases it.
    fn tick(&self) {
        let (mut work, mut wait, mut shown) = (self.work(), SHORT, false);
        while !work.over {
            let waited = self.over.wait_timeout(work, wait);
            work = waited.unwrap_or_else(PoisonError::into_inner).0;
            if !work.over {
                show_progress(&work.line());
                (wait, shown) = (OFTEN, true);
            }
        }
        if shown {
            show_progress("");
        }
    }

    /// Ends the program, unless there is no work any more.
    fn interrupted(&self) {
        let work = self.work();
        if !work.over {
            show_progress("");
            tell(&format!("matviz: interrupted: {}", work.so_far()));
            std::process::exit(130);
        }
    }
}

impl Work {
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
        Work { what, unit: "block", done, of, since, over: false }.line()
    }

    #[test]
    fn the_line_says_how_far_it_is_and_what_is_left() {
        insta::assert_snapshot!(line(1024, 4096, 4), @"simulating naive at 1024: 1,024 of 4,096 blocks, about 13 s left");
        insta::assert_snapshot!(line(1, 4096, 4), @"simulating naive at 1024: 1 of 4,096 blocks, about 274 min left");
        insta::assert_snapshot!(line(4096, 4096, 4), @"simulating naive at 1024: 4,096 of 4,096 blocks, 4 s so far");
        insta::assert_snapshot!(line(0, 0, 7), @"simulating naive at 1024, 7 s so far");
    }

    #[test]
    fn what_is_counted_again_begins_again() {
        let working = Working::on("simulating");
        let far = |done| {
            working.done("block", done, 100);
            working.shared.work().so_far()
        };
        let told = [far(60), far(59), far(100), far(103), far(104)];
        let blocks = [60, 60, 100, 3, 4].map(|done| format!("simulating: {done} of 100 blocks"));
        assert_eq!(told, blocks);
    }
}
