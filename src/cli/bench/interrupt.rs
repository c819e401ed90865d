//! Ctrl-C while the GPU measures: the measurement ends, and what was measured before it is kept.

use crate::gpu::client::Stopper;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What the shell expects of a program that Ctrl-C has ended: 128 and the signal's number.
pub(super) const EXIT_CODE: u8 = 130;

/// Whether Ctrl-C was pressed.
#[derive(Clone, Debug, Default)]
pub(super) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Ends the measuring processes at the first Ctrl-C, and this program at the second.
    #[cfg(unix)]
    pub(super) fn ends(stoppers: Vec<Stopper>) -> Self {
        use signal_hook::consts::{SIGINT, SIGTERM};
        let interrupt = Self::default();
        let pressed = interrupt.clone();
        // Without the signals the program ends as every other does.
        if let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGINT, SIGTERM]) {
            std::thread::spawn(move || {
                for _ in signals.forever() {
                    if pressed.0.swap(true, Ordering::Relaxed) {
                        std::process::exit(i32::from(EXIT_CODE));
                    }
                    stoppers.iter().for_each(Stopper::stop);
                }
            });
        }
        interrupt
    }

    /// Where there are no signals: never pressed.
    #[cfg(not(unix))]
    pub(super) fn ends(_: Vec<Stopper>) -> Self {
        Self::default()
    }

    /// Whether it was.
    pub(super) fn is_pressed(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
