//! A program in a pseudo-terminal: its input and its screen.

use portable_pty::{
    Child, CommandBuilder, ExitStatus, MasterPty, PtyPair, PtySize, native_pty_system,
};
use rustix::process::{Pid, Signal, kill_process};
use std::io::{Read, Write};
use std::num::NonZero;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Instant;
use tempfile::TempDir;
use vt100::MouseProtocolMode;

/// The program and the terminal that it runs in.
pub(crate) struct Session {
    master: Box<dyn MasterPty + Send>,
    child: Box<dyn Child + Send + Sync>,
    writer: Box<dyn Write + Send>,
    output: Receiver<Vec<u8>>,
    terminal: vt100::Parser,
    /// The folder for settings and pictures, instead of this machine's.
    pub(crate) home: TempDir,
}

impl Session {
    /// Starts it in a terminal of `columns` x `rows`, without this machine's environment.
    pub(crate) fn run(
        program: &Path,
        args: &[&str],
        home: TempDir,
        term: &str,
        (columns, rows): (u16, u16),
    ) -> Self {
        let mut command = CommandBuilder::new(program);
        command.args(args);
        command.env_clear();
        command.env("TERM", term);
        command.env("COLORTERM", "truecolor");
        command.env("LANG", "C.UTF-8");
        command.env("HOME", home.path());
        command.cwd(home.path());
        let PtyPair { master, slave } =
            native_pty_system().openpty(size(columns, rows)).expect("a pty");
        let child = slave.spawn_command(command).expect("the binary runs");
        // Our end must be closed, or its output would not end when the program ends.
        drop(slave);
        let output = listen(master.try_clone_reader().expect("a reader"));
        let writer = master.take_writer().expect("a writer");
        let terminal = vt100::Parser::new(cells(rows), cells(columns), 0);
        Self { master, child, writer, output, terminal, home }
    }

    pub(crate) fn screen(&self) -> &vt100::Screen {
        self.terminal.screen()
    }

    /// Reads the program's next output.
    ///
    /// # Errors
    /// It has written nothing by the deadline, or it has ended.
    pub(crate) fn hear(&mut self, deadline: Instant) -> Result<Vec<u8>, RecvTimeoutError> {
        let left = deadline.saturating_duration_since(Instant::now());
        let bytes = self.output.recv_timeout(left)?;
        self.terminal.process(&bytes);
        Ok(bytes)
    }

    /// # Errors
    /// It has ended.
    pub(crate) fn send(&mut self, keys: &str) -> std::io::Result<()> {
        self.writer.write_all(keys.as_bytes())
    }

    pub(crate) fn resize(&mut self, columns: u16, rows: u16) {
        self.terminal.screen_mut().set_size(cells(rows), cells(columns));
        self.master.resize(size(columns, rows)).expect("resized");
    }

    pub(crate) fn pid(&self) -> Pid {
        let pid = self.child.process_id().and_then(|pid| i32::try_from(pid).ok());
        pid.and_then(Pid::from_raw).expect("it was started")
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(self.pid(), signal).expect("it runs");
    }

    /// Its exit status, after the end of its output.
    pub(crate) fn status(&mut self) -> ExitStatus {
        self.child.wait().expect("it has ended")
    }

    /// Checks that the terminal is in the state that a shell expects.
    pub(crate) fn assert_restored(&self) {
        let screen = self.screen();
        assert!(!screen.alternate_screen(), "the alternate screen is left behind");
        assert!(!screen.hide_cursor(), "the cursor is hidden");
        assert_eq!(screen.mouse_protocol_mode(), MouseProtocolMode::None);
        assert!(!screen.bracketed_paste(), "pasted text comes in brackets");
        assert!(self.is_cooked(), "raw mode is left behind");
    }

    /// Whether the terminal's settings are those of a new one.
    pub(crate) fn is_cooked(&self) -> bool {
        let new = native_pty_system().openpty(size(80, 24)).expect("a pty");
        self.master.get_termios() == new.master.get_termios()
    }
}

/// Ends the program even if the test fails.
impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}

/// The program's output, piece by piece, until it ends.
fn listen(mut reader: Box<dyn Read + Send>) -> Receiver<Vec<u8>> {
    let (sender, output) = channel();
    thread::spawn(move || {
        let mut buffer = [0; 1 << 12];
        while let Ok(read @ 1..) = reader.read(&mut buffer) {
            if sender.send(buffer[..read].to_vec()).is_err() {
                return;
            }
        }
    });
    output
}

fn size(columns: u16, rows: u16) -> PtySize {
    PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 }
}

fn cells(number: u16) -> NonZero<u16> {
    NonZero::new(number).expect("no test has an empty terminal")
}
