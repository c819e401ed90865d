//! The real program in a real pseudo-terminal: keys, mouse, sizes, and every way out.

#![cfg(unix)]
#![expect(clippy::panic, reason = "a screen that does not come fails the test")]

use crate::session::Session;
use rustix::process::{Signal, WaitOptions, waitpid};
use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};
use vt100::MouseProtocolMode;

/// The time limit of everything. Only a failing test waits this long.
const PATIENCE: Duration = Duration::from_secs(30);

/// Runs matviz and reads its screen.
impl Session {
    /// The main view of a small product, in a terminal of `columns` x `rows`, with the block's run
    /// recorded to its end.
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
        Self::with_args(&["--tile", "16", "--size", "64"], home, term, (columns, rows))
    }

    /// A kernel whose block takes a while, with its run recorded to its end.
    fn of_kernel(kernel: &str) -> Self {
        let home = tempfile::tempdir().expect("a folder");
        let args = [kernel, "--size", "1024"];
        let mut session = Self::with_args(&args, home, "xterm-256color", (120, 36));
        session.wait("the whole run", |session| session.shows("step ") && session.is_recorded());
        session
    }

    fn with_args(args: &[&str], home: tempfile::TempDir, term: &str, size: (u16, u16)) -> Self {
        let program = Path::new(env!("CARGO_BIN_EXE_matviz"));
        Self::run(
            program,
            &[args, &["--gpu", "none", "--set", "view=workbench"]].concat(),
            home,
            term,
            size,
        )
    }

    fn shows(&self, text: &str) -> bool {
        self.screen().contents().contains(text)
    }

    /// Reads the program's output until `seen`.
    fn wait(&mut self, what: &str, seen: impl Fn(&Self) -> bool) {
        let deadline = Instant::now() + PATIENCE;
        while !seen(self) {
            if let Err(error) = self.hear(deadline) {
                panic!("{what}: {error}\n{}", self.screen().contents());
            }
        }
    }

    fn wait_for(&mut self, text: &str) {
        self.wait(text, |session| session.shows(text));
    }

    fn press(&mut self, keys: &str) {
        self.send(keys).expect("the terminal listens");
    }

    /// Whether the block's run is recorded to its end: no `+` follows the number of its steps.
    fn is_recorded(&self) -> bool {
        self.screen().contents().lines().next().is_some_and(|status| !status.contains('+'))
    }

    /// The number of steps done, from the status bar.
    fn step(&self) -> Option<u32> {
        let contents = self.screen().contents();
        let (_, rest) = contents.lines().next()?.split_once("step ")?;
        rest.split_once(" of ")?.0.trim().replace(',', "").parse().ok()
    }

    fn wait_for_step(&mut self, what: &str, seen: impl Fn(u32) -> bool) -> u32 {
        self.wait(what, |session| session.step().is_some_and(&seen));
        self.step().expect("it has just been seen")
    }

    /// Reads the remaining output and returns the exit code.
    fn end(&mut self) -> u32 {
        self.last_words().0
    }

    /// The exit code, and the output before it.
    fn last_words(&mut self) -> (u32, Vec<u8>) {
        let deadline = Instant::now() + PATIENCE;
        let mut words = Vec::new();
        loop {
            match self.hear(deadline) {
                Ok(bytes) => words.extend(bytes),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {
                    panic!("it does not end\n{}", self.screen().contents())
                }
            }
        }
        let status = self.status();
        assert_eq!(status.signal(), None);
        (status.exit_code(), words)
    }
}

const RIGHT: &str = "\x1b[C";
const LEFT: &str = "\x1b[D";

#[test]
fn the_whole_view_appears_and_q_leaves_the_terminal_as_it_was() {
    for (columns, rows) in [(80, 24), (120, 36), (200, 60)] {
        let mut session = Session::start(columns, rows);
        for part in
            ["tiled 16x16", "block (2,2)", "1 Matrices", "2  Shared", "3 Threads", "8 ", "quit"]
        {
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
    session.wait_for("Warp 0 loads A[32-33][0-15]");
    session.press(RIGHT);
    session.wait_for_step("another", |step| step > first);
    session.press(LEFT);
    session.wait_for_step("back", |step| step == first);
    session.press("n");
    session.wait_for("All 8 warps have arrived, the barrier opens: the tiles are complete");
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
    session.wait_for("page 1 of 3");
    session.press("L");
    session.wait_for("From one thread to cuBLAS");
    session.press("q");
    let closed =
        |session: &Session| !session.shows("From one thread") && session.shows("1 Matrices");
    session.wait("closed", closed);
    session.press("q");
    assert_eq!(session.end(), 0);
}

#[test]
fn s_saves_the_screen_as_a_picture_and_as_text() {
    let mut session = Session::start(120, 36);
    session.press("goo");
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
        (None, 130),
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

/// In these kernels each key takes a while: 400 of them would take more than a minute.
#[test]
fn ctrl_c_ends_it_at_once_while_a_key_is_held() {
    for (kernel, key) in [("half_wgmma", LEFT), ("sgemm", "o")] {
        let mut session = Session::of_kernel(kernel);
        session.press("G");
        session.press(&key.repeat(400));
        session.press("\x03");
        assert_eq!(session.end(), 130, "{kernel}");
        session.assert_restored();
    }
}

#[test]
fn frames_are_drawn_while_a_key_is_held() {
    const FRAME: &[u8] = b"\x1b[?2026h";
    let mut session = Session::of_kernel("sgemm");
    session.press(&"o".repeat(60));
    session.press("q");
    let (code, words) = session.last_words();
    let frames = words.windows(FRAME.len()).filter(|bytes| *bytes == FRAME).count();
    assert!(code == 0 && frames > 2, "{frames} frames, exit code {code}");
}

/// After a question mark crossterm waits for a letter that may never come, and reads no further
/// key.
#[test]
fn half_an_answer_of_the_terminal_makes_it_neither_deaf_nor_blind() {
    let mut session = Session::start(120, 36);
    session.press("\x1b[?2026;2$y");
    session.resize(200, 60);
    session.wait_for("7 Timeline: steps, not time");
    session.press("\x03");
    assert_eq!(session.end(), 130);
    session.assert_restored();
}

#[test]
fn text_that_is_pasted_is_not_taken_for_keys() {
    let mut session = Session::start(120, 36);
    session.press("g");
    session.wait_for_step("the start", |step| step == 0);
    assert!(session.screen().bracketed_paste(), "the terminal is asked to tell pasted text");
    session.press("\x1b[200~qqGV\x1b[201~\x1b[C");
    let step = session.wait_for_step("a step on, and no other key", |step| step > 0);
    assert!(session.shows("tiled 16x16") && step < 1000, "{step}");
    session.press("q");
    assert_eq!(session.end(), 0);
    session.assert_restored();
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
fn a_lesson_gives_the_terminal_back_and_fits_any_size() {
    let home = tempfile::tempdir().expect("a folder");
    let args = ["learn", "12.5", "--seed", "3", "--no-progress"];
    let program = Path::new(env!("CARGO_BIN_EXE_matviz"));
    let mut session = Session::run(program, &args, home, "xterm-256color", (120, 36));
    session.wait_for("this is my answer");
    session.resize(20, 5);
    session.wait("the place of the lesson", |session| {
        let contents = session.screen().contents();
        let words: Vec<_> = contents.split_whitespace().collect();
        words.join(" ").contains("lesson 12.5: widen the window")
    });
    session.resize(40, 15);
    session.wait_for("12.5");
    session.resize(120, 36);
    session.wait_for("this is my answer");
    session.signal(Signal::TERM);
    assert_eq!(session.end(), 143);
    session.assert_restored();
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
    let hint = "error: TERM=dumb cannot show the screen; use --format text for the run as text";
    assert_eq!(said.trim(), hint);
}

/// The terminal is the editor's until it ends: what is typed goes to it, and its Ctrl-C and Ctrl-Z
/// are its own.
#[test]
fn an_editor_has_the_terminal_for_itself_and_gives_it_back() {
    let home = tempfile::tempdir().expect("a folder");
    let file = home.path().join("t.cu");
    std::fs::write(&file, include_str!("../../kernels/tiled.cu")).expect("written");
    // `env` sets what the session has cleared.
    let line = "printf 'here\\n'; read word; printf %s \"$word\" > typed; \
                sed -i 's/sA\\[ty\\]\\[tx\\] =/sA[tx][ty] =/' t.cu";
    std::fs::write(home.path().join("ed.sh"), line).expect("written");
    let program = env!("CARGO_BIN_EXE_matviz");
    let args = ["EDITOR=sh ed.sh", "PATH=/usr/bin:/bin", program, "t.cu"];
    let (term, size) = ("xterm-256color", (120, 36));
    let mut session = Session::run(Path::new("/usr/bin/env"), &args, home, term, size);
    session.wait_for("Nothing is wrong");
    session.press("E");
    session.wait("the editor", |session| {
        session.shows("here") && !session.screen().alternate_screen()
    });
    session.press("qhello\r");
    session.wait_for("WRONG");
    assert!(session.screen().alternate_screen());
    let typed = std::fs::read_to_string(session.home.path().join("typed")).expect("it was typed");
    assert_eq!(typed, "qhello");
    session.press("S");
    session.wait_for("What changed since the save before");
    session.press("q");
    assert_eq!(session.end(), 0);
}

/// Every way in which editors save is seen, and a file that is gone is said to be.
#[test]
fn a_save_is_shown_within_a_moment() {
    let home = tempfile::tempdir().expect("a folder");
    let (file, new) = (home.path().join("t.cu"), home.path().join("new"));
    let right = include_str!("../../kernels/tiled.cu");
    let wrong = right.replace("sA[ty][tx] =", "sA[tx][ty] =");
    std::fs::write(&file, right).expect("written");
    let program = Path::new(env!("CARGO_BIN_EXE_matviz"));
    let mut session = Session::run(program, &["t.cu"], home, "xterm-256color", (120, 36));
    session.wait_for("Nothing is wrong");
    std::fs::write(&new, &wrong).and_then(|()| std::fs::rename(&new, &file)).expect("renamed");
    session.wait_for("WRONG");
    std::fs::write(&file, right.replace("int tx =", "int tx")).expect("written");
    session.wait_for("line 18 does not compile: showing the version of ");
    std::fs::remove_file(&file).expect("deleted");
    session.wait_for("t.cu has been deleted");
    std::fs::write(&file, right).expect("written");
    session.wait("it is back", |session| {
        session.shows("Nothing is wrong") && session.shows("t.cu, watched")
    });
    session.press("q");
    assert_eq!(session.end(), 0);
}
