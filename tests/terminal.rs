//! The real program in a real pseudo-terminal: keys, mouse, sizes, and every way out.

#![cfg(unix)]
#![expect(clippy::panic, reason = "a screen that does not come fails the test")]

use portable_pty::{
    Child, CommandBuilder, ExitStatus, MasterPty, PtyPair, PtySize, native_pty_system,
};
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
use std::io::{Read, Write};
use std::num::NonZero;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};
use vt100::MouseProtocolMode;

/// How long anything may take. Only a failing test waits so long.
const PATIENCE: Duration = Duration::from_secs(30);

/// The program and the terminal that it runs in.
struct Session {
    master: Box<dyn MasterPty + Send>,
    child: Box<dyn Child + Send + Sync>,
    writer: Box<dyn Write + Send>,
    output: Receiver<Vec<u8>>,
    terminal: vt100::Parser,
    /// Settings and pictures go here, not into this machine's.
    home: tempfile::TempDir,
}

impl Session {
    /// The main job on small matrices, in a terminal of `columns` x `rows`: the whole view, the
    /// block's run recorded to its end.
    fn start(columns: u16, rows: u16) -> Self {
        let mut session = Self::with_term("xterm-256color", columns, rows);
        session.wait("the whole view", |session| {
            let contents = session.screen().contents();
            let complete = contents.lines().last().is_some_and(|footer| footer.contains("quit"));
            complete && session.is_recorded()
        });
        session
    }

    fn with_term(term: &str, columns: u16, rows: u16) -> Self {
        Self::at_home(tempfile::tempdir().expect("a folder"), term, columns, rows)
    }

    fn at_home(home: tempfile::TempDir, term: &str, columns: u16, rows: u16) -> Self {
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_matviz"));
        command.args(["--tile", "16", "--size", "64", "--no-gpu"]);
        command.env_clear();
        command.env("TERM", term);
        command.env("COLORTERM", "truecolor");
        command.env("LANG", "C.UTF-8");
        command.env("HOME", home.path());
        command.cwd(home.path());
        let PtyPair { master, slave } =
            native_pty_system().openpty(size(columns, rows)).expect("a pty");
        let child = slave.spawn_command(command).expect("the binary runs");
        // Ours must be closed, or the end of the program would not be the end of its output.
        drop(slave);
        let mut reader = master.try_clone_reader().expect("a reader");
        let (sender, output) = channel();
        thread::spawn(move || {
            let mut buffer = [0; 1 << 12];
            while let Ok(read @ 1..) = reader.read(&mut buffer) {
                if sender.send(buffer[..read].to_vec()).is_err() {
                    return;
                }
            }
        });
        let writer = master.take_writer().expect("a writer");
        let terminal = vt100::Parser::new(cells(rows), cells(columns), 0);
        Self { master, child, writer, output, terminal, home }
    }

    fn screen(&self) -> &vt100::Screen {
        self.terminal.screen()
    }

    fn shows(&self, text: &str) -> bool {
        self.screen().contents().contains(text)
    }

    /// Takes in what the program writes until `seen`.
    fn wait(&mut self, what: &str, seen: impl Fn(&Self) -> bool) {
        let deadline = Instant::now() + PATIENCE;
        while !seen(self) {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.output.recv_timeout(left) {
                Ok(bytes) => self.terminal.process(&bytes),
                Err(error) => panic!("{what}: {error}\n{}", self.screen().contents()),
            }
        }
    }

    fn wait_for(&mut self, text: &str) {
        self.wait(text, |session| session.shows(text));
    }

    fn press(&mut self, keys: &str) {
        self.writer.write_all(keys.as_bytes()).expect("the terminal listens");
    }

    fn resize(&mut self, columns: u16, rows: u16) {
        self.terminal.screen_mut().set_size(cells(rows), cells(columns));
        self.master.resize(size(columns, rows)).expect("resized");
    }

    /// Whether the block's run is known to its end: no `+` follows the number of its steps.
    fn is_recorded(&self) -> bool {
        self.screen().contents().lines().next().is_some_and(|status| !status.contains('+'))
    }

    /// The number of steps done, as the status bar says it.
    fn step(&self) -> Option<u32> {
        let contents = self.screen().contents();
        let (_, rest) = contents.lines().next()?.split_once("step ")?;
        rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
    }

    fn wait_for_step(&mut self, what: &str, seen: impl Fn(u32) -> bool) -> u32 {
        self.wait(what, |session| session.step().is_some_and(&seen));
        self.step().expect("it has just been seen")
    }

    fn pid(&self) -> Pid {
        let pid = self.child.process_id().and_then(|pid| i32::try_from(pid).ok());
        pid.and_then(Pid::from_raw).expect("it runs")
    }

    fn signal(&self, signal: Signal) {
        kill_process(self.pid(), signal).expect("it runs");
    }

    /// Takes in the rest, and gives the exit code.
    fn end(&mut self) -> u32 {
        let deadline = Instant::now() + PATIENCE;
        loop {
            match self.output.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(bytes) => self.terminal.process(&bytes),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {
                    panic!("it does not end\n{}", self.screen().contents())
                }
            }
        }
        let status: ExitStatus = self.child.wait().expect("it has ended");
        assert_eq!(status.signal(), None);
        status.exit_code()
    }

    /// The terminal is as a shell wants it back.
    fn assert_restored(&self) {
        let screen = self.screen();
        assert!(!screen.alternate_screen(), "the alternate screen is left behind");
        assert!(!screen.hide_cursor(), "the cursor is hidden");
        assert_eq!(screen.mouse_protocol_mode(), MouseProtocolMode::None);
        assert!(self.is_cooked(), "raw mode is left behind");
    }

    /// Whether the terminal's settings are those of a new one.
    fn is_cooked(&self) -> bool {
        let new = native_pty_system().openpty(size(80, 24)).expect("a pty");
        self.master.get_termios() == new.master.get_termios()
    }
}

/// A test that fails must not leave the program behind.
impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}

fn size(columns: u16, rows: u16) -> PtySize {
    PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 }
}

fn cells(number: u16) -> NonZero<u16> {
    NonZero::new(number).expect("no test has an empty terminal")
}

const RIGHT: &str = "\x1b[C";
const LEFT: &str = "\x1b[D";

#[test]
fn the_whole_view_appears_and_q_leaves_the_terminal_as_it_was() {
    for (columns, rows) in [(80, 24), (120, 36), (200, 60)] {
        let mut session = Session::start(columns, rows);
        for part in [
            "tiled 16x16",
            "block (2,2)",
            "1 Matrices",
            "2  Shared memory",
            "3 Warps",
            "8 Measured",
            "quit",
        ] {
            assert!(session.shows(part), "{part}:\n{}", session.screen().contents());
        }
        let screen = session.screen();
        assert!(screen.alternate_screen() && screen.hide_cursor() && !session.is_cooked());
        assert_eq!(screen.mouse_protocol_mode(), MouseProtocolMode::ButtonMotion);
        session.press("q");
        assert_eq!(session.end(), 0);
        session.assert_restored();
    }
}

#[test]
fn keys_and_the_wheel_step_on_and_back() {
    let mut session = Session::start(120, 36);
    session.press("g");
    session.wait_for_step("the start", |step| step == 0);
    session.press(RIGHT);
    let first = session.wait_for_step("a step on", |step| step > 0);
    session.wait_for("load A[32-47][0-15]: 32 sectors");
    session.press(RIGHT);
    session.wait_for_step("another", |step| step > first);
    session.press(LEFT);
    session.wait_for_step("back", |step| step == first);
    session.press("n");
    session.wait_for("All 8 warps are at the barrier: the tiles are complete");
    session.press("g");
    session.wait_for_step("the start again", |step| step == 0);
    session.press("\x1b[<65;60;2M");
    session.wait_for_step("a step by the wheel", |step| step > 0);
}

#[test]
fn it_plays_until_it_is_paused() {
    let mut session = Session::start(120, 36);
    session.wait_for("► 1x");
    session.press("]]]]");
    session.wait_for("► 16x");
    session.wait_for_step("well into the run", |step| step > 1000);
    session.press(" ");
    session.wait_for("|| 16x");
    session.press(" ");
    session.wait_for("► 16x");
    session.press(LEFT);
    session.wait("paused by a step", |session| session.shows("|| 16x"));
}

#[test]
fn help_and_lesson_open_and_close() {
    let mut session = Session::start(120, 36);
    session.press("?");
    session.wait_for("Play and step");
    session.press("L");
    session.wait_for("A first walk");
    session.press("q");
    session.wait("closed", |session| !session.shows("A first walk") && session.shows("1 Matrices"));
    session.press("q");
    assert_eq!(session.end(), 0);
}

/// Every `key` of a line of the lesson that begins with "Press" is pressed; every line that begins
/// with > must then be on the screen.
#[test]
fn the_lesson_says_what_the_screen_shows_key_by_key() {
    let lesson = include_str!("../lessons/01-tiling.md");
    let walk = lesson.split("\n## Questions").next().expect("a first part");
    let mut session = Session::start(120, 36);
    for line in walk.lines() {
        if let Some(said) = line.strip_prefix("> ") {
            session.wait(said, |session| session.shows(said) && session.is_recorded());
        }
        if line.starts_with("Press `") {
            line.split('`').skip(1).step_by(2).for_each(|key| session.press(spelt(key)));
        }
    }
}

/// What a terminal sends for a key of the lesson.
fn spelt(key: &str) -> &str {
    if key == "Right" { RIGHT } else { key }
}

#[test]
fn s_saves_the_screen_as_a_picture_and_as_text() {
    let mut session = Session::start(120, 36);
    session.press("go");
    session.wait("another order", |session| {
        session.shows("each to its barrier") && session.is_recorded()
    });
    session.press(&RIGHT.repeat(17));
    session.wait_for("Warp 3 stores sA[6-7][0-15]");
    session.press("s");
    session.wait_for("matviz-001.svg");
    let read = |name| std::fs::read_to_string(session.home.path().join(name)).expect("saved");
    assert!(read("matviz-001.svg").starts_with("<svg"));
    assert!(read("matviz-001.txt").contains("Warp 3 stores sA[6-7][0-15]"));
}

#[test]
fn s_leaves_alone_what_has_a_name_of_its_pictures() {
    let home = tempfile::tempdir().expect("a folder");
    let inside = |name: &str| home.path().join(name);
    let (mine, link, nowhere) =
        (inside("matviz-001.txt"), inside("matviz-002.txt"), inside("nowhere"));
    std::fs::write(&mine, "mine").expect("written");
    std::os::unix::fs::symlink(&nowhere, &link).expect("a link");
    let mut session = Session::at_home(home, "xterm-256color", 120, 36);
    session.wait_for("1 Matrices");
    session.press("s");
    session.wait_for("saved matviz-003.svg");
    assert_eq!(std::fs::read_to_string(mine).expect("still there"), "mine");
    assert!(link.is_symlink() && !nowhere.exists());
    let entries = std::fs::read_dir(session.home.path()).expect("a folder");
    let mut names: Vec<_> = entries.map(|entry| entry.expect("readable").file_name()).collect();
    names.sort();
    assert_eq!(names, ["matviz-001.txt", "matviz-002.txt", "matviz-003.svg", "matviz-003.txt"]);
}

#[test]
fn the_smallest_terminal_shows_the_sentence_and_a_larger_one_all_again() {
    let mut session = Session::start(120, 36);
    session.resize(20, 5);
    session
        .wait("the sentence", |session| session.shows("Block (2,2)") && !session.shows("Matrices"));
    session.resize(80, 24);
    session.wait_for("Cost, simulated");
    session.resize(200, 60);
    session.wait_for("7 Timeline");
    session.press("q");
    assert_eq!(session.end(), 0);
}

#[test]
fn signals_and_ctrl_c_end_it_with_the_terminal_restored() {
    let ways = [
        (Some(Signal::TERM), 143),
        (Some(Signal::HUP), 129),
        (Some(Signal::INT), 130),
        (Some(Signal::QUIT), 131),
        (None, 0),
    ];
    for (signal, code) in ways {
        let mut session = Session::start(80, 24);
        match signal {
            Some(signal) => session.signal(signal),
            None => session.press("\x03"),
        }
        assert_eq!(session.end(), code, "{signal:?}");
        session.assert_restored();
    }
}

#[test]
fn ctrl_z_stops_it_with_the_terminal_restored_and_it_continues_where_it_was() {
    let mut session = Session::start(120, 36);
    session.press("n");
    session.wait_for("the tiles are complete");
    let pid = session.pid();
    let (sender, stopped) = channel();
    thread::spawn(move || sender.send(waitpid(Some(pid), WaitOptions::UNTRACED)));
    session.press("\x1a");
    let status = stopped.recv_timeout(PATIENCE).expect("it stops").expect("it is our child");
    assert!(status.is_some_and(|(_, status)| status.stopped()), "{status:?}");
    session.wait("the shell's screen", |session| !session.screen().alternate_screen());
    session.assert_restored();
    session.signal(Signal::CONT);
    session.wait_for("the tiles are complete");
    assert!(session.screen().alternate_screen() && session.shows("1 Matrices"));
    session.press("q");
    assert_eq!(session.end(), 0);
}

#[test]
fn wrong_settings_are_told_once_and_the_rest_works() {
    let home = tempfile::tempdir().expect("a folder");
    let settings = home.path().join(".config/matviz");
    std::fs::create_dir_all(&settings).expect("a folder");
    std::fs::write(settings.join("config.toml"), "[keys]\nplay = 'q'").expect("written");
    let mut session = Session::at_home(home, "xterm-256color", 160, 36);
    session.wait_for("q is given to both play and quit");
    session.press("n");
    session.wait("the message gone", |session| session.shows("Space  play"));
    session.press("q");
    assert_eq!(session.end(), 0);
}

#[test]
fn a_dumb_terminal_gets_a_hint_and_no_escape_sequence() {
    let mut session = Session::with_term("dumb", 80, 24);
    assert_eq!(session.end(), 2);
    let said = session.screen().contents();
    let hint = "matviz: TERM=dumb cannot show the screen; use --plain for the run as text";
    assert_eq!(said.trim(), hint);
}
