//! Ctrl-C handlers: what must be printed before the program ends.

use std::ops::ControlFlow;

/// Calls `then` at each Ctrl-C. If it breaks off, the program ends as it would have without.
///
/// Whoever has had the program started with the signal ignored does not want to be heard.
#[cfg(unix)]
pub(super) fn on_interrupt(then: impl Fn() -> ControlFlow<()> + Send + 'static) {
    use signal_hook::consts::SIGINT;
    use signal_hook::low_level::emulate_default_handler;
    if is_ignored(SIGINT) {
        return;
    }
    // Without a handler, the program ends at once.
    if let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGINT]) {
        std::thread::spawn(move || {
            for signal in signals.forever() {
                if then().is_break() {
                    _ = emulate_default_handler(signal);
                }
            }
        });
    }
}

/// The same on Windows, where a signal only sets a flag, which is looked at.
#[cfg(windows)]
pub(super) fn on_interrupt(then: impl Fn() -> ControlFlow<()> + Send + 'static) {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Duration;
    const INTERRUPTED: i32 = 130;
    const LOOKED_AT: Duration = Duration::from_millis(50);
    let is_pressed = Arc::new(AtomicBool::new(false));
    // Without a handler, the program ends at once.
    if signal_hook::flag::register(signal_hook::consts::SIGINT, Arc::clone(&is_pressed)).is_err() {
        return;
    }
    std::thread::spawn(move || {
        loop {
            std::thread::sleep(LOOKED_AT);
            if is_pressed.swap(false, Ordering::Relaxed) && then().is_break() {
                std::process::exit(INTERRUPTED);
            }
        }
    });
}

/// Whether a signal was ignored when the program started, as `nohup` does with SIGHUP. Only Linux
/// reports this.
#[cfg(unix)]
pub(super) fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}
