//! A signal while the GPU measures, Ctrl-C above all: the measurement ends, and what was measured
//! before it is kept.

use crate::gpu::client::Stopper;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// Which signal has come: its number, or 0.
#[derive(Clone, Debug, Default)]
pub(super) struct Interrupt(Arc<AtomicU8>);

impl Interrupt {
    /// Ends the measuring processes at the first signal, and this program at the second. A terminal
    /// that is closed may send SIGHUP twice, and a session that ends SIGTERM with it: these do not
    /// press.
    #[cfg(unix)]
    pub(super) fn ends(stoppers: Vec<Stopper>) -> Self {
        use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
        let interrupt = Self::default();
        let come = interrupt.clone();
        let mut heard = vec![SIGINT, SIGTERM];
        if !is_ignored(SIGHUP) {
            heard.push(SIGHUP);
        }
        // Without the signals the program ends as every other does.
        if let Ok(mut signals) = signal_hook::iterator::Signals::new(heard) {
            std::thread::spawn(move || {
                for signal in signals.forever() {
                    let before = i32::from(come.0.swap(signal as u8, Ordering::Relaxed));
                    if before != 0 && ![before, signal].contains(&SIGHUP) {
                        std::process::exit(128 + signal);
                    }
                    stoppers.iter().for_each(Stopper::stop);
                }
            });
        }
        interrupt
    }

    /// Where there are no signals: none ever comes.
    #[cfg(not(unix))]
    pub(super) fn ends(_: Vec<Stopper>) -> Self {
        Self::default()
    }

    /// What the shell expects of a program that a signal has ended, 128 and the signal's number, if
    /// one has come.
    pub(super) fn exit_code(&self) -> Option<u8> {
        let signal = self.0.load(Ordering::Relaxed);
        (signal != 0).then_some(128 + signal)
    }
}

/// Whether a signal was to be ignored when the program began, as `nohup` asks of SIGHUP. Only Linux
/// tells.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}
