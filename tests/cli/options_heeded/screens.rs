//! Options of the screens, seen in a pseudo-terminal.

use crate::session::Session;
use rustix::process::Signal;
use std::path::Path;
use std::time::{Duration, Instant};
use vt100::MouseProtocolMode;

/// Only a failing test waits this long.
const PATIENCE: Duration = Duration::from_secs(60);

/// Runs matviz in a terminal, with a stand-in for four GPUs.
fn open(args: &[&str]) -> Session {
    let home = tempfile::tempdir().expect("a folder");
    let words = [&["MATVIZ_STAND_IN=four", env!("CARGO_BIN_EXE_matviz")], args].concat();
    Session::run(Path::new("/usr/bin/env"), &words, home, "xterm-256color", (120, 36))
}

impl Session {
    fn contents(&self) -> String {
        self.screen().contents()
    }

    /// Hears until the screen is as wanted; whether it came to that.
    fn comes_to(&mut self, is_so: impl Fn(&Self) -> bool) -> bool {
        let deadline = Instant::now() + PATIENCE;
        while !is_so(self) {
            if self.hear(deadline).is_err() {
                return is_so(self);
            }
        }
        true
    }

    /// Presses a key as soon as the screen has a text.
    fn at(&mut self, text: &str, key: &str) {
        assert!(self.comes_to(|it| it.contents().contains(text)), "{text}: {}", self.contents());
        self.send(key).expect("it runs");
    }

    /// Hears until the screen is as wanted, and presses Space whenever the run is paused. A second
    /// Space would pause it once more, so it waits for what the first one does. Whether it came to
    /// that.
    fn plays_to(&mut self, is_so: impl Fn(&Self) -> bool) -> bool {
        let is_paused =
            |it: &Self| it.contents().lines().next().is_some_and(|row| row.contains("||"));
        for _ in 0..30 {
            if !self.comes_to(|it| is_so(it) || is_paused(it)) {
                return false;
            }
            if is_so(self) {
                return true;
            }
            self.send(" ").expect("it runs");
            let deadline = Instant::now() + Duration::from_secs(20);
            while is_paused(self) && self.hear(deadline).is_ok() {}
        }
        false
    }

    fn leave(mut self) {
        self.signal(Signal::TERM);
        let deadline = Instant::now() + PATIENCE;
        while self.hear(deadline).is_ok() {}
    }
}

/// The screens take the mouse, unless it is left to the terminal.
#[test]
fn no_mouse_leaves_the_mouse_to_the_terminal() {
    let takes_mouse = |args: &[&str]| {
        let mut session = open(args);
        // The first frame is drawn after the modes are set.
        assert!(session.comes_to(|it| !it.contents().trim().is_empty()), "{args:?}");
        let takes = session.screen().mouse_protocol_mode() != MouseProtocolMode::None;
        session.leave();
        takes
    };
    for args in [&["--gpu", "none"][..], &["learn", "1"], &["learn", "--list"]] {
        assert!(takes_mouse(args), "{args:?}");
        assert!(
            !takes_mouse(&[args, &["--set", "mouse=false"]].concat()),
            "{args:?} --set mouse=false"
        );
    }
}

/// A way of words is drawn while a run plays, its head an arrow: `►·······`.
#[test]
fn still_shows_no_way_between_two_steps() {
    let moves = |open: &dyn Fn() -> Session| {
        let mut session = open();
        // The words of A have come by then.
        let is_far = |it: &Session| {
            ["The same for B.", "words of B."].iter().any(|told| it.contents().contains(told))
        };
        let is_moving = |it: &Session| it.contents().contains("►·");
        assert!(session.plays_to(|it| is_far(it) || is_moving(it)), "{}", session.contents());
        let moves = is_moving(&session);
        session.leave();
        moves
    };
    let screen = |still: &[&str]| {
        let args = ["--gpu", "none", "--size", "64", "--set", "view=stage"];
        let words = [&args[..], still].concat();
        moves(&|| open(&words))
    };
    let lesson = |still: &[&str]| {
        let words = [&["learn", "0"], still].concat();
        moves(&|| open(&words))
    };
    let list = |still: &[&str]| {
        let words = [&["learn", "--list"], still].concat();
        moves(&|| {
            let mut session = open(&words);
            session.at("0 of", "\r");
            session
        })
    };
    for (name, plays) in
        [("", &screen as &dyn Fn(&[&str]) -> bool), ("lesson", &lesson), ("lessons", &list)]
    {
        assert!(plays(&[]), "{name}");
        assert!(!plays(&["--set", "reduced_motion=true"]), "{name} --set reduced_motion=true");
    }
}

#[test]
fn plain_prints_a_lesson_and_the_list_where_a_screen_could_be() {
    for (args, printed) in
        [(&["learn", "0"][..], "page 1 of "), (&["learn", "--list"], "18 lessons, 237 minutes")]
    {
        let mut session = open(&[args, &["--format", "text"]].concat());
        assert!(session.comes_to(|it| it.contents().contains(printed)), "{}", session.contents());
        assert!(!session.screen().alternate_screen(), "{args:?}");
        session.leave();
        let mut screen = open(args);
        assert!(screen.comes_to(|it| it.screen().alternate_screen()), "{args:?}");
        screen.leave();
    }
}

#[test]
fn race_shows_the_order_that_spoils_c() {
    let args = ["check", "--prove", "tiled_no_load_barrier", "--size", "32", "--limit", "orders=5"];
    let mut text = open(&args);
    assert!(
        text.comes_to(|it| it.contents().contains("To see it happen: --show")),
        "{}",
        text.contents()
    );
    let deadline = Instant::now() + PATIENCE;
    while text.hear(deadline).is_ok() {}
    assert!(!text.screen().alternate_screen());
    let mut screen = open(&[&args[..], &["--show"]].concat());
    let is_shown =
        |it: &Session| it.screen().alternate_screen() && it.contents().contains("WRONG VALUE");
    assert!(screen.comes_to(is_shown), "{}", screen.contents());
    screen.leave();
}

#[test]
fn the_screen_measures_on_the_gpu_that_is_named() {
    for (device, told) in [("3", "measuring 1 of "), ("9", "there is no GPU 9: ")] {
        let mut session = open(&["--size", "64", "--gpu", device]);
        session.at("quit", "m");
        session.at("Measure", "r");
        let is_told = |it: &Session| it.contents().contains(told);
        assert!(session.comes_to(is_told), "--gpu {device}: {}", session.contents());
        session.leave();
    }
}
