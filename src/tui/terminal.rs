//! The terminal's life cycle: every way out restores it, and restoring twice does no harm.
//!
//! Signals end the program inside the signal thread and not by a word to the event loop, since a
//! crossterm whose terminal has gone never returns from its poll (crossterm#793).

use super::TuiError;
use ratatui::Terminal;
use ratatui::backend::{Backend, ClearType, CrosstermBackend};
use ratatui::crossterm::{cursor, event, queue, terminal};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::mpsc::channel;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The screen, written in one go per frame: std's own buffer of 1 KB costs twice the CPU.
pub(super) type Tty = Terminal<CrosstermBackend<BufWriter<io::Stdout>>>;

/// Bytes gathered before they are written: more than a frame of 200x60 takes.
const BUFFER: usize = 1 << 16;

/// Exit codes of a panic in a thread and of a terminal that has gone.
const PANICKED: i32 = 101;
const HUNG_UP: i32 = 129;

/// Clicks (1000), drags (1002) and large screens (1006), but not every motion of the mouse.
const MOUSE_ON: &[u8] = b"\x1b[?1000h\x1b[?1002h\x1b[?1006h";
const MOUSE_OFF: &[u8] = b"\x1b[?1006l\x1b[?1002l\x1b[?1000l";
/// Ends a synchronised update that a signal cut short.
const SYNC_OFF: &[u8] = b"\x1b[?2026l";

/// How long the terminal may take to be given back before the program ends all the same.
const PATIENCE: Duration = Duration::from_millis(500);

static ENTERED: AtomicBool = AtomicBool::new(false);
static MOUSE: AtomicBool = AtomicBool::new(false);

/// Whether a screen can be shown here.
///
/// # Errors
/// No terminal, or one that cannot place a cursor.
pub fn check() -> Result<(), TuiError> {
    if !io::stdout().is_terminal() {
        return Err(TuiError::NoTerminal);
    }
    if std::env::var("TERM").is_ok_and(|term| term == "dumb") {
        return Err(TuiError::Dumb);
    }
    Ok(())
}

/// What becomes of the terminal while the program has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// It is ours again after a stop: everything has to be drawn.
    Resumed,
    /// It may have another size. crossterm says so too, but not before it reads, and not while it
    /// waits for the rest of a sequence that came cut short.
    Resized,
}

/// Takes the terminal over; `on_change` is called in another thread.
///
/// # Errors
/// The terminal cannot be read or written.
pub(super) fn init(mouse: bool, on_change: impl Fn(Change) + Send + 'static) -> io::Result<Tty> {
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
    Terminal::new(CrosstermBackend::new(BufWriter::with_capacity(BUFFER, io::stdout())))
}

/// Gives the terminal back as it was found. In reverse order of [`enter`], but for raw mode, which
/// is left without a byte being written: that works on a terminal that takes nothing, too.
pub(super) fn restore() {
    // Whoever comes second waits until the first is done, and may then end the program.
    static RESTORING: Mutex<()> = Mutex::new(());
    let _restoring = RESTORING.lock().unwrap_or_else(PoisonError::into_inner);
    if !ENTERED.swap(false, SeqCst) {
        return;
    }
    // Nothing can be done about a terminal that has gone.
    let _ = terminal::disable_raw_mode();
    let mut out = io::stdout();
    let _ = out.write_all(SYNC_OFF).and_then(|()| out.write_all(MOUSE_OFF));
    let _ = queue!(out, event::DisableBracketedPaste, event::DisableFocusChange);
    let _ = queue!(out, terminal::LeaveAlternateScreen, cursor::Show);
    let _ = out.write_all(b"\x1b[0m").and_then(|()| out.flush());
}

/// Restores the terminal and ends the program, even if the terminal takes nothing and somebody
/// waits for it to do so.
pub(super) fn leave(code: i32) -> ! {
    let (done, restored) = channel();
    std::thread::spawn(move || {
        restore();
        // Nobody waits for so long.
        let _ = done.send(());
    });
    let _ = restored.recv_timeout(PATIENCE);
    std::process::exit(code);
}

/// Whether the terminal is ours to draw on.
pub(super) fn is_ours() -> bool {
    ENTERED.load(SeqCst)
}

/// Clears the screen and forgets what is on it, so that the next frame is drawn whole.
///
/// ratatui's own `clear` first asks the terminal where its cursor is, and the answer goes to the
/// thread that reads the keys.
///
/// # Errors
/// The terminal cannot be written.
pub(super) fn clear(tty: &mut Tty) -> io::Result<()> {
    tty.backend_mut().clear_region(ClearType::All)?;
    tty.swap_buffers();
    Ok(())
}

/// Listens to the mouse, or leaves it to the terminal so that text can be selected.
///
/// # Errors
/// The terminal cannot be written.
pub(super) fn set_mouse(on: bool) -> io::Result<()> {
    MOUSE.store(on, SeqCst);
    let mut out = io::stdout();
    out.write_all(if on { MOUSE_ON } else { MOUSE_OFF })?;
    out.flush()
}

/// Stops the whole process group, so that `cargo run` and other wrappers stop too. Raw mode turns
/// Ctrl-Z into a key: the program has to do it itself.
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
    // What is pasted comes as one event, which is nobody's command.
    queue!(out, event::EnableFocusChange, event::EnableBracketedPaste)?;
    if MOUSE.load(SeqCst) {
        out.write_all(MOUSE_ON)?;
    }
    out.flush()
}

/// A panic in any thread gives the terminal back before it is reported; one outside the main
/// thread ends the program, or the main thread would go on drawing over the shell.
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
    use super::{Change, HUNG_UP, enter, is_ours, leave, restore};
    use rustix::event::{PollFd, PollFlags, poll};
    use rustix::process::{Signal, getpgrp, kill_current_process_group};
    use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcgetpgrp, tcsetattr};
    use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGWINCH};
    use signal_hook::iterator::Signals;
    use std::io::{self, IsTerminal};
    use std::thread::Builder;

    pub(super) fn watch_signals(on_change: impl Fn(Change) + Send + 'static) -> io::Result<()> {
        let watched = [SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH];
        let mut signals = Signals::new(watched)?;
        let watch = move || {
            for signal in signals.forever() {
                match signal {
                    SIGTSTP => suspend(),
                    SIGCONT => resume(&on_change),
                    SIGWINCH => on_change(Change::Resized),
                    ending => leave(128 + ending),
                }
            }
        };
        Builder::new().name("signals".into()).spawn(watch).map(drop)
    }

    /// A terminal that goes away while SIGHUP is ignored (nohup, a wrapper) leaves only this sign.
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

    /// Ctrl-C and its like come as signals even in raw mode, if the terminal would send them to us:
    /// as keys they would wait behind others, and for the rest of a sequence that came cut short.
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

    /// Continued: by `fg`, or by somebody who had stopped us without asking.
    fn resume(on_change: &impl Fn(Change)) {
        if is_ours() {
            restore();
        }
        if enter().is_ok() {
            on_change(Change::Resumed);
        }
    }
}
