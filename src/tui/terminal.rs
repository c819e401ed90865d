//! The terminal's life cycle: every exit path restores it, and restoring it twice is harmless.
//!
//! The signal thread ends the program itself instead of notifying the event loop, since crossterm's
//! poll never returns once its terminal has gone (crossterm#793).

mod backend;

use super::theme::Look;
use super::{TuiError, detect};
use ratatui::Terminal;
use ratatui::backend::{Backend, ClearType};
use ratatui::crossterm::{cursor, event, queue, terminal};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

pub use backend::SparingBackend;

/// The terminal, written once per frame: the standard library's 1 KB buffer costs twice the CPU
/// time.
pub(super) type Tty = Terminal<SparingBackend<BufWriter<io::Stdout>>>;

/// The size of the buffer in bytes: more than a frame of 200x60 takes.
const BUFFER: usize = 1 << 16;

/// Exit code after a panic in a thread.
const PANICKED: i32 = 101;

/// Reports clicks (1000), drags (1002) and large coordinates (1006), but not every motion.
const MOUSE_ON: &[u8] = b"\x1b[?1000h\x1b[?1002h\x1b[?1006h";
const MOUSE_OFF: &[u8] = b"\x1b[?1006l\x1b[?1002l\x1b[?1000l";
/// Ends a synchronised update that a signal may have interrupted.
const SYNC_OFF: &[u8] = b"\x1b[?2026l";

/// How long restoring the terminal may take before the program exits anyway.
const PATIENCE: Duration = Duration::from_millis(500);

static ENTERED: AtomicBool = AtomicBool::new(false);
static MOUSE: AtomicBool = AtomicBool::new(false);
/// Whether another program uses the terminal: its signals are for that.
static LENT: AtomicBool = AtomicBool::new(false);

/// Checks whether the screen can be shown.
///
/// # Errors
/// There is no terminal, or the terminal cannot position a cursor.
pub fn check() -> Result<(), TuiError> {
    if !io::stdout().is_terminal() {
        return Err(TuiError::NoTerminal);
    }
    if is_dumb() {
        return Err(TuiError::Dumb);
    }
    Ok(())
}

/// Whether a stream is a terminal on which a line can be erased: a dumb one shows the sequences.
pub fn erases(stream: &impl IsTerminal) -> bool {
    stream.is_terminal() && !is_dumb()
}

fn is_dumb() -> bool {
    variable("TERM").is_some_and(|term| term == "dumb")
}

/// A variable of the environment, unless it is empty.
pub fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// The look for the terminal that this program runs in.
pub fn look() -> Look {
    detect::look(&variable)
}

/// The terminal's columns, at least 1; 80 if unknown.
pub fn columns() -> usize {
    terminal::size().map_or(80, |(columns, _)| usize::from(columns)).max(1)
}

/// A change of the terminal while the program uses it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TerminalChange {
    /// The program was resumed after a suspend and has to redraw everything.
    Resumed,
    /// The terminal may have been resized. crossterm reports that too, but only when it reads, and
    /// not while it waits for the rest of an incomplete escape sequence.
    #[cfg(unix)]
    Resized,
}

/// Takes over the terminal; `on_change` is called on another thread.
///
/// # Errors
/// The terminal cannot be read or written.
pub(super) fn init(
    mouse: bool,
    on_change: impl Fn(TerminalChange) + Send + 'static,
) -> io::Result<Tty> {
    MOUSE.store(mouse, SeqCst);
    restore_on_panic();
    #[cfg(unix)]
    {
        unix::watch_signals(on_change)?;
        unix::watch_for_hang_up()?;
    }
    #[cfg(not(unix))]
    drop(on_change);
    enter()?;
    Terminal::new(SparingBackend::new(BufWriter::with_capacity(BUFFER, io::stdout())))
}

/// Restores the terminal. Undoes [`enter`] in reverse order, except that raw mode is left first:
/// that writes no byte, so it works even on a terminal that accepts no output.
pub(super) fn restore() {
    // A second caller waits for the first to finish, since it may then end the program.
    static RESTORING: Mutex<()> = Mutex::new(());
    let _restoring = RESTORING.lock().unwrap_or_else(PoisonError::into_inner);
    if !ENTERED.swap(false, SeqCst) {
        return;
    }
    // Errors are ignored: nothing can be done about a terminal that has gone.
    let _ = terminal::disable_raw_mode();
    let mut out = io::stdout();
    let _ = out.write_all(SYNC_OFF).and_then(|()| out.write_all(MOUSE_OFF));
    let _ = queue!(out, event::DisableBracketedPaste, event::DisableFocusChange);
    let _ = queue!(out, terminal::LeaveAlternateScreen, cursor::Show);
    let _ = out.write_all(b"\x1b[0m").and_then(|()| out.flush());
}

/// Restores the terminal and ends the program, even if the terminal accepts no output and another
/// thread is blocked on it.
#[cfg(unix)]
pub(super) fn leave(code: i32) -> ! {
    let (done, restored) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        restore();
        // Sending fails only after the timeout below.
        let _ = done.send(());
    });
    let _ = restored.recv_timeout(PATIENCE);
    std::process::exit(code);
}

/// Whether the program has taken over the terminal.
pub(super) fn is_ours() -> bool {
    ENTERED.load(SeqCst)
}

/// Clears the screen and discards the previous frame, so that the next one is drawn in full.
///
/// ratatui's own `clear` first queries the cursor position, and the answer goes to the thread that
/// reads the keys.
///
/// # Errors
/// The terminal cannot be written.
pub(super) fn clear(tty: &mut Tty) -> io::Result<()> {
    tty.backend_mut().clear_region(ClearType::All)?;
    tty.swap_buffers();
    Ok(())
}

/// Captures the mouse, or leaves it to the terminal so that text can be selected.
///
/// # Errors
/// The terminal cannot be written.
pub(super) fn set_mouse(on: bool) -> io::Result<()> {
    MOUSE.store(on, SeqCst);
    let mut out = io::stdout();
    out.write_all(if on { MOUSE_ON } else { MOUSE_OFF })?;
    out.flush()
}

/// What the thread that reads the keys passes between two of them: closed while another program
/// reads them.
#[derive(Debug, Default)]
pub(super) struct InputGate {
    state: Mutex<GateState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct GateState {
    closed: bool,
    /// Whether a thread waits at the closed gate.
    waits: bool,
}

impl InputGate {
    /// Waits while the gate is closed.
    pub(super) fn pass(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        while state.closed {
            state.waits = true;
            self.changed.notify_all();
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.waits = false;
    }

    /// Closes the gate, and waits until the thread that reads the keys has reached it.
    fn close(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.closed = true;
        #[cfg(unix)]
        unix::interrupt_reading();
        // If it does not come, the first key is lost, but nothing hangs.
        let _ = self.changed.wait_timeout_while(state, PATIENCE, |state| !state.waits);
    }

    fn open(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).closed = false;
        self.changed.notify_all();
    }
}

/// Gives the terminal to another program while `work` runs, and takes it back.
///
/// # Errors
/// The terminal cannot be taken over again.
pub(super) fn lend<T>(gate: &InputGate, work: impl FnOnce() -> T) -> io::Result<T> {
    gate.close();
    LENT.store(true, SeqCst);
    restore();
    let done = work();
    let entered = enter();
    LENT.store(false, SeqCst);
    gate.open();
    entered.map(|()| done)
}

/// Suspends the whole process group, so that `cargo run` and other wrappers stop too. The program
/// has to do this itself, since raw mode turns Ctrl-Z into a key.
pub(super) fn suspend() {
    #[cfg(unix)]
    unix::suspend();
}

fn enter() -> io::Result<()> {
    terminal::enable_raw_mode()?;
    ENTERED.store(true, SeqCst);
    #[cfg(unix)]
    unix::let_signals_through()?;
    let mut out = io::stdout();
    queue!(out, terminal::EnterAlternateScreen, cursor::Hide)?;
    // Pasted text arrives as a single event, which is not a command.
    queue!(out, event::EnableFocusChange, event::EnableBracketedPaste)?;
    if MOUSE.load(SeqCst) {
        out.write_all(MOUSE_ON)?;
    }
    out.flush()
}

/// Installs a panic hook that restores the terminal before the panic is reported. A panic outside
/// the main thread also ends the program: otherwise the main thread would keep drawing over the
/// shell.
fn restore_on_panic() {
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        restore();
        report(info);
        if std::thread::current().name() != Some("main") {
            std::process::exit(PANICKED);
        }
    }));
}

#[cfg(unix)]
mod unix {
    use super::{LENT, TerminalChange, enter, is_ours, leave, restore};
    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::process::{Signal, getpgrp, getpid, kill_current_process_group, kill_process};
    use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcgetpgrp, tcsetattr};
    use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGWINCH};
    use signal_hook::iterator::Signals;
    use std::io::{self, IsTerminal};
    use std::sync::atomic::Ordering::SeqCst;
    use std::thread::Builder;

    /// Exit code after a hang-up of the terminal.
    const HUNG_UP: i32 = 129;

    pub(super) fn watch_signals(
        on_change: impl Fn(TerminalChange) + Send + 'static,
    ) -> io::Result<()> {
        let watched = [SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH];
        let mut signals = Signals::new(watched)?;
        let watch = move || {
            for signal in signals.forever() {
                match signal {
                    // The keys of an editor: it stops the whole group by itself.
                    SIGINT | SIGQUIT | SIGCONT if LENT.load(SeqCst) => {}
                    SIGTSTP if LENT.load(SeqCst) => stop(),
                    SIGTSTP => suspend(),
                    SIGCONT => resume(&on_change),
                    SIGWINCH => on_change(TerminalChange::Resized),
                    ending => leave(128 + ending),
                }
            }
        };
        Builder::new().name("signals".into()).spawn(watch).map(drop)
    }

    /// Detects a terminal that goes away while SIGHUP is ignored (nohup, a wrapper): polling it is
    /// then the only sign.
    pub(super) fn watch_for_hang_up() -> io::Result<()> {
        let watch = || {
            let (stdin, stdout) = (io::stdin(), io::stdout());
            let terminal = if stdin.is_terminal() {
                PollFd::new(&stdin, PollFlags::empty())
            } else {
                PollFd::new(&stdout, PollFlags::empty())
            };
            let mut watched = [terminal];
            loop {
                match poll(&mut watched, None) {
                    Ok(_) if !watched[0].revents().is_empty() => std::process::exit(HUNG_UP),
                    Ok(_) | Err(rustix::io::Errno::INTR) => {}
                    Err(_) => return,
                }
            }
        };
        Builder::new().name("hang-up".into()).spawn(watch).map(drop)
    }

    /// Lets Ctrl-C and similar keys raise signals even in raw mode, if the terminal would send them
    /// to this process group: as keys they would wait behind others, and for the rest of an
    /// incomplete escape sequence.
    pub(super) fn let_signals_through() -> io::Result<()> {
        let stdin = io::stdin();
        if !stdin.is_terminal() || tcgetpgrp(&stdin).ok() != Some(getpgrp()) {
            return Ok(());
        }
        let mut settings = tcgetattr(&stdin)?;
        settings.local_modes |= LocalModes::ISIG;
        Ok(tcsetattr(&stdin, OptionalActions::Now, &settings)?)
    }

    pub(super) fn suspend() {
        restore();
        let _ = kill_current_process_group(Signal::STOP);
    }

    /// Stops this process alone, as the program does that the terminal is lent to.
    fn stop() {
        let _ = kill_process(getpid(), Signal::STOP);
    }

    /// Makes crossterm's reading return: it reports a change of the terminal's size.
    pub(super) fn interrupt_reading() {
        let _ = kill_process(getpid(), Signal::WINCH);
    }

    /// Handles SIGCONT: sent by `fg`, or after another process had stopped this one with SIGSTOP.
    fn resume(on_change: &impl Fn(TerminalChange)) {
        if is_ours() {
            restore();
        }
        if enter().is_ok() {
            on_change(TerminalChange::Resumed);
        }
    }
}
