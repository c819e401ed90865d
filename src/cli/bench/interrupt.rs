//! Handles signals during a measurement, above all Ctrl-C: the measurement ends, and what was
//! measured before is kept.

use crate::cli::working;
use crate::gpu::client::Stopper;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

/// The numbers of signals, which POSIX gives them.
const SIGHUP: i32 = 1;
const SIGINT: i32 = 2;

/// The signal that was received, and whether all is measured.
#[derive(Clone, Debug, Default)]
pub(super) struct BenchInterrupt(Arc<ReceivedSignal>);

#[derive(Debug, Default)]
struct ReceivedSignal {
    /// The number of the signal received, or 0.
    signal: AtomicU8,
    /// Whether all is measured: what follows has nothing to keep.
    measured: AtomicBool,
}

impl BenchInterrupt {
    /// Ends the workers at the first signal, and this program at the second, or at the first once all
    /// is measured. SIGHUP does not count as a second signal: a closing terminal may send it twice, and
    /// a session that ends sends it together with SIGTERM.
    #[cfg(unix)]
    pub(super) fn ends(stoppers: Vec<Stopper>) -> Self {
        use crate::cli::signal::is_ignored;
        use signal_hook::consts::SIGTERM;
        let interrupt = Self::default();
        let others = [SIGTERM, SIGHUP].into_iter().filter(|signal| !is_ignored(*signal));
        // Without a handler, the program ends at a signal like any other.
        if let Ok(mut signals) = signal_hook::iterator::Signals::new(others) {
            let (interrupt, stoppers) = (interrupt.clone(), stoppers.clone());
            std::thread::spawn(move || {
                for signal in signals.forever() {
                    interrupt.received(signal, &stoppers);
                }
            });
        }
        interrupt.hears_ctrl_c(stoppers);
        interrupt
    }

    /// The same on Windows, which has Ctrl-C alone.
    #[cfg(not(unix))]
    pub(super) fn ends(stoppers: Vec<Stopper>) -> Self {
        let interrupt = Self::default();
        interrupt.hears_ctrl_c(stoppers);
        interrupt
    }

    /// A simulation after the measurement answers Ctrl-C itself.
    fn hears_ctrl_c(&self, stoppers: Vec<Stopper>) {
        let heard = self.clone();
        working::at_rest(move || {
            heard.received(SIGINT, &stoppers);
            ControlFlow::Continue(())
        });
    }

    fn received(&self, signal: i32, stoppers: &[Stopper]) {
        let before = i32::from(self.0.signal.swap(signal as u8, Ordering::Relaxed));
        let again = before != 0 && ![before, signal].contains(&SIGHUP);
        if again || self.0.measured.load(Ordering::Relaxed) {
            std::process::exit(128 + signal);
        }
        stoppers.iter().for_each(Stopper::stop);
    }

    /// All is measured and recorded: from now on the first signal ends the program.
    pub(super) fn measured(&self) {
        self.0.measured.store(true, Ordering::Relaxed);
    }

    /// The exit code that the shell expects after a signal, 128 plus its number, if one was
    /// received.
    pub(super) fn exit_code(&self) -> Option<u8> {
        let signal = self.0.signal.load(Ordering::Relaxed);
        (signal != 0).then_some(128 + signal)
    }
}
