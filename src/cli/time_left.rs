//! How far a simulation is, and how long it still takes, on one line of the terminal.

use super::output::show_progress;
use crate::report::number::{Count, grouped};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// A shorter simulation says nothing.
const SHORT: Duration = Duration::from_secs(1);

/// How often the line is rewritten.
const OFTEN: Duration = Duration::from_millis(200);

/// The line; it is erased at the end.
pub(super) struct TimeLeft {
    /// For example `simulating naive at 1024`.
    what: String,
    blocks: u64,
    start: Instant,
    /// When the line is written next.
    next: Mutex<Instant>,
}

impl TimeLeft {
    pub(super) fn new(what: String, blocks: u64) -> Self {
        let start = Instant::now();
        Self { what, blocks, start, next: Mutex::new(start + SHORT) }
    }

    /// Shows that so many blocks have begun, if it is time to.
    pub(super) fn show(&self, begun: u64) {
        // Whoever writes the line now does it for all.
        let Ok(mut next) = self.next.try_lock() else { return };
        if Instant::now() >= *next {
            *next = Instant::now() + OFTEN;
            show_progress(&line(&self.what, begun, self.blocks, self.start.elapsed()));
        }
    }
}

impl Drop for TimeLeft {
    fn drop(&mut self) {
        if self.start.elapsed() >= SHORT {
            show_progress("");
        }
    }
}

/// `simulating naive at 1024: 512 of 4,096 blocks, about 11 s left`.
fn line(what: &str, begun: u64, blocks: u64, took: Duration) -> String {
    let begun = begun.min(blocks);
    let left = took.as_secs_f64() * (blocks - begun) as f64 / begun.max(1) as f64;
    let left = match left.ceil() as u64 {
        seconds @ 0..120 => format!("{seconds} s"),
        seconds => format!("{} min", seconds.div_ceil(60)),
    };
    format!("{what}: {} of {}, about {left} left", grouped(begun), Count(blocks, "block"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_how_far_it_is_and_what_is_left() {
        let line =
            |begun, took| line("simulating naive at 1024", begun, 4096, Duration::from_secs(took));
        insta::assert_snapshot!(line(1024, 4), @"simulating naive at 1024: 1,024 of 4,096 blocks, about 12 s left");
        insta::assert_snapshot!(line(1, 4), @"simulating naive at 1024: 1 of 4,096 blocks, about 273 min left");
        insta::assert_snapshot!(line(5000, 4), @"simulating naive at 1024: 4,096 of 4,096 blocks, about 0 s left");
    }
}
