//! The real program in a real pseudo-terminal: it starts, hears keys, follows the size, and gives
//! the terminal back on every way out.
#![cfg(unix)]

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use std::io::{Read, Write};
use std::num::NonZero;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// Far longer than anything here takes, even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

struct Terminal {
    master: Box<dyn MasterPty + Send>,
    keys: Box<dyn Write + Send>,
    output: Receiver<Vec<u8>>,
    screen: vt100::Parser,
    raw: Vec<u8>,
    child: Box<dyn Child + Send + Sync>,
}

impl Terminal {
    fn start(arguments: &[&str], environment: &[(&str, &str)]) -> Self {
        let size = PtySize { rows: 24, cols: 80, pixel_width: 0, pixel_height: 0 };
        let pty = native_pty_system().openpty(size).expect("a pseudo-terminal");
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_matviz"));
        command.args(arguments);
        // The tests must not depend on the settings of who runs them.
        let nowhere = std::env::temp_dir().join("matviz-has-no-settings-here");
        command.env("XDG_CONFIG_HOME", nowhere);
        command.env("TERM", "xterm-256color");
        command.env("LC_ALL", "C.UTF-8");
        for (name, value) in environment {
            command.env(name, value);
        }
        let child = pty.slave.spawn_command(command).expect("the program starts");
        drop(pty.slave);
        let mut reader = pty.master.try_clone_reader().expect("a reader");
        let keys = pty.master.take_writer().expect("a writer");
        let (sender, output) = channel();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = reader.read(&mut bytes) {
                if sender.send(bytes[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        let screen = vt100::Parser::new(side(24), side(80), 0);
        Self { master: pty.master, keys, output, screen, raw: Vec::new(), child }
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).and_then(|()| self.keys.flush()).expect("keys go in");
    }

    fn resize(&mut self, cols: u16, rows: u16) {
        let size = PtySize { rows, cols, pixel_width: 0, pixel_height: 0 };
        self.master.resize(size).expect("the size changes");
        self.screen.screen_mut().set_size(side(rows), side(cols));
    }

    /// Reads on until `text` is on the screen.
    fn wait_for(&mut self, text: &str) {
        let deadline = Instant::now() + PATIENCE;
        while !self.screen.screen().contents().contains(text) {
            let left = deadline.saturating_duration_since(Instant::now());
            let bytes = self.output.recv_timeout(left).unwrap_or_else(|_| {
                panic!("no `{text}` on the screen:\n{}", self.screen.screen().contents())
            });
            self.hear(&bytes);
        }
    }

    /// Waits for the end and reads the rest; the exit code.
    fn end(&mut self) -> u32 {
        while let Ok(bytes) = self.output.recv_timeout(PATIENCE) {
            self.hear(&bytes);
        }
        self.child.wait().expect("the program has ended").exit_code()
    }

    fn hear(&mut self, bytes: &[u8]) {
        self.raw.extend_from_slice(bytes);
        self.screen.process(bytes);
    }

    /// Whether everything that was switched on has been switched off again.
    fn is_restored(&self) -> bool {
        let screen = self.screen.screen();
        !screen.alternate_screen()
            && !screen.hide_cursor()
            && screen.mouse_protocol_mode() == vt100::MouseProtocolMode::None
            && String::from_utf8_lossy(&self.raw).contains("\x1b[?1004l")
    }
}

fn side(cells: u16) -> NonZero<u16> {
    NonZero::new(cells).expect("no screen is without cells")
}

const SMALL: [&str; 4] = ["--tile", "16", "--size", "64"];

#[test]
fn it_starts_hears_keys_follows_the_size_and_quits() {
    let mut terminal = Terminal::start(&SMALL, &[]);
    terminal.wait_for("step 0/");
    terminal.wait_for("Shared memory");
    terminal.press("n");
    terminal.wait_for("the tiles are complete");
    terminal.resize(120, 36);
    terminal.wait_for("Timeline");
    terminal.press("?");
    terminal.wait_for("Play and step");
    terminal.press("qq");
    assert_eq!(terminal.end(), 0);
    assert!(terminal.is_restored());
}

#[test]
fn signals_end_it_with_their_code_and_the_terminal_restored() {
    use rustix::process::{Pid, Signal, kill_process};
    for (signal, code) in
        [(Signal::TERM, 143), (Signal::HUP, 129), (Signal::INT, 130), (Signal::QUIT, 131)]
    {
        let mut terminal = Terminal::start(&SMALL, &[]);
        terminal.wait_for("step 0/");
        let id = terminal.child.process_id().and_then(|id| Pid::from_raw(id as i32));
        kill_process(id.expect("it runs"), signal).expect("a signal goes out");
        assert_eq!(terminal.end(), code);
        assert!(terminal.is_restored());
    }
}

#[test]
fn control_c_is_a_key_and_quits() {
    let mut terminal = Terminal::start(&SMALL, &[]);
    terminal.wait_for("step 0/");
    terminal.press("\x03");
    assert_eq!(terminal.end(), 0);
    assert!(terminal.is_restored());
}

#[test]
fn a_dumb_terminal_gets_a_hint_and_is_left_alone() {
    let mut terminal = Terminal::start(&SMALL, &[("TERM", "dumb")]);
    assert_eq!(terminal.end(), 2);
    let said = String::from_utf8_lossy(&terminal.raw).into_owned();
    assert!(said.contains("--plain") && !said.contains('\x1b'), "{said}");
}

#[test]
fn wrong_settings_are_told_once_and_the_rest_works() {
    let directory = tempfile::tempdir().expect("a directory");
    let settings = directory.path().join("matviz");
    std::fs::create_dir(&settings).expect("a directory");
    std::fs::write(settings.join("config.toml"), "[keys]\nplay = 'q'").expect("a file");
    let path = directory.path().to_str().expect("a path in UTF-8");
    let mut terminal = Terminal::start(&SMALL, &[("XDG_CONFIG_HOME", path)]);
    terminal.resize(160, 36);
    terminal.wait_for("q is given to both play and quit");
    terminal.press("n");
    terminal.wait_for("Space play");
    terminal.press("q");
    assert_eq!(terminal.end(), 0);
}
