//! Runs one scene until its time is over or the program fails.

use super::event::{Event, REPEAT, bytes, events};
use super::memory::Memory;
use super::scene::Scene;
use super::session::Session;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use rustix::process::Signal;
use std::collections::VecDeque;
use std::fmt;
use std::fs;
use std::path::Path;
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

/// The time limit of an answer. Only a program that hangs takes this long, even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

/// The number of events between two checks that the program still answers.
const QUESTION: u64 = 8;

/// The wait after the last event: recordings for it have then finished or been given up.
const REST: Duration = Duration::from_secs(1);

/// The time from one event to the next.
const NEXT: Duration = Duration::from_millis(5);

/// The number of last events that a failure lists.
const TOLD: usize = 40;

/// The exit code after Ctrl-C.
const INTERRUPTED: u32 = 130;

const SIZE: (u16, u16) = (120, 36);

/// The response to a new size: the screen is cleared, whatever it shows.
const CLEARED: &[u8] = b"\x1b[2J";

/// The result of a scene that ran to its end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tally {
    events: u64,
    /// How often the program quit because it was asked to, and was started again.
    restarts: u64,
    worst_answer: Duration,
    end: Duration,
    memory: Memory,
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { events, restarts, worst_answer, end, memory } = self;
        write!(f, "{events} events, {restarts} restarts, ")?;
        write!(f, "worst answer {} ms, end {} ms, ", worst_answer.as_millis(), end.as_millis())?;
        write!(f, "{memory}")
    }
}

/// A scene while it runs.
struct Run<'a> {
    scene: &'a Scene,
    program: &'a Path,
    session: Session,
    size: (u16, u16),
    done: VecDeque<Event>,
    tally: Tally,
}

/// Runs a scene for this time, always in the same way for one seed.
///
/// # Errors
/// The failure, the events before it, and the screen at that moment.
pub(crate) fn play(
    scene: &Scene,
    program: &Path,
    seed: u64,
    length: Duration,
) -> Result<Tally, String> {
    let mut run = Run::new(scene, program);
    run.play(seed, length).map_err(|problem| run.report(&problem))?;
    Ok(run.tally)
}

/// Each scene has its own events.
fn random(scene: &str, seed: u64) -> TestRunner {
    let drawn_from = seed.to_le_bytes().into_iter().chain(scene.bytes());
    let mut bytes = [0; 32];
    bytes.iter_mut().zip(drawn_from).for_each(|(byte, value)| *byte = value);
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    TestRunner::new_with_rng(Config::default(), rng)
}

impl<'a> Run<'a> {
    fn new(scene: &'a Scene, program: &'a Path) -> Self {
        let (zero, memory) = (Duration::ZERO, Memory::default());
        let tally = Tally { events: 0, restarts: 0, worst_answer: zero, end: zero, memory };
        let session = start(scene, program);
        Self { scene, program, session, size: SIZE, done: VecDeque::new(), tally }
    }

    fn play(&mut self, seed: u64, length: Duration) -> Result<(), String> {
        let (mut random, events) = (random(self.scene.name, seed), events(self.scene));
        self.open()?;
        let start = Instant::now();
        while start.elapsed() < length {
            let event = events.new_tree(&mut random).expect("nothing is filtered").current();
            let long = matches!(event, Event::Hold(..));
            self.act(event)?;
            if long || self.tally.events.is_multiple_of(QUESTION) {
                self.ask()?;
                let part = start.elapsed().div_duration_f64(length);
                self.tally.memory.measure(self.session.pid(), part);
                self.clear_home();
            }
        }
        self.ask()?;
        self.listen(REST)?;
        self.tally.memory.measure(self.session.pid(), 1.0);
        self.end()?;
        self.tally.memory.check()
    }

    fn act(&mut self, event: Event) -> Result<(), String> {
        self.tally.events += 1;
        if self.done.len() == TOLD {
            self.done.pop_front();
        }
        self.done.push_back(event.clone());
        match event {
            Event::Press(key) => self.press(key, NEXT),
            Event::Hold(key, times) => (0..times).try_for_each(|_| self.press(key, REPEAT)),
            Event::Type(text) => self.send(&text, NEXT),
            Event::Resize(columns, rows) => {
                self.size = (columns, rows);
                self.session.resize(columns, rows);
                self.listen(NEXT)
            }
            Event::Reopen => {
                let keys = ["Esc", "Esc", "Esc"].iter().chain(self.scene.opening);
                keys.copied().try_for_each(|key| self.press(key, NEXT))
            }
            Event::Wait(time) => self.listen(time),
        }
    }

    fn press(&mut self, key: &str, pause: Duration) -> Result<(), String> {
        self.send(&bytes(key), pause)
    }

    /// A program that has ended reads nothing, which `listen` detects.
    fn send(&mut self, text: &str, pause: Duration) -> Result<(), String> {
        let _ = self.session.send(text);
        self.listen(pause)
    }

    /// Reads the program's output for that time. If the program has quit, starts it again.
    fn listen(&mut self, time: Duration) -> Result<(), String> {
        let deadline = Instant::now() + time;
        loop {
            match self.session.hear(deadline) {
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout) => return Ok(()),
                Err(RecvTimeoutError::Disconnected) => return self.restart(),
            }
        }
    }

    fn restart(&mut self) -> Result<(), String> {
        let status = self.session.status();
        if !status.success() {
            return Err(format!("it ended with {status}"));
        }
        self.tally.restarts += 1;
        self.session = start(self.scene, self.program);
        self.size = SIZE;
        self.open()
    }

    /// Brings a program that has just been started to the scene's view. A key requests the first
    /// frame: a new size might come before the program listens for one.
    fn open(&mut self) -> Result<(), String> {
        let asked = Instant::now();
        while !self.session.screen().alternate_screen() && asked.elapsed() < PATIENCE {
            self.listen(REPEAT)?;
        }
        let _ = self.session.send(&bytes("Ctrl-l"));
        self.answer(asked)?;
        self.act(Event::Reopen)
    }

    /// Checks that the program still answers: a new size is drawn, whatever is on the screen, after
    /// all keys that came before. Waits for those keys to arrive first, since sizes take another
    /// path.
    fn ask(&mut self) -> Result<(), String> {
        self.listen(REPEAT)?;
        let (columns, rows) = self.size;
        // Adds one to an odd number and subtracts one from an even one.
        self.size = (((columns - 1) ^ 1) + 1, rows);
        let asked = Instant::now();
        self.session.resize(self.size.0, rows);
        self.answer(asked)?;
        self.tally.worst_answer = self.tally.worst_answer.max(asked.elapsed());
        Ok(())
    }

    /// Waits for a frame that begins with a cleared screen.
    fn answer(&mut self, asked: Instant) -> Result<(), String> {
        let mut heard = Vec::new();
        while !heard.windows(CLEARED.len()).any(|bytes| bytes == CLEARED) {
            heard.drain(..heard.len().saturating_sub(CLEARED.len() - 1));
            match self.session.hear(Instant::now() + REPEAT) {
                Ok(bytes) => heard.extend(bytes),
                Err(RecvTimeoutError::Timeout) if asked.elapsed() < PATIENCE => self.resume(),
                Err(RecvTimeoutError::Timeout) => return Err("it does not answer".to_owned()),
                Err(RecvTimeoutError::Disconnected) => return self.restart(),
            }
        }
        Ok(())
    }

    /// The list of commands can suspend it; it is then continued, as with a shell's `fg`.
    fn resume(&self) {
        if !self.session.screen().alternate_screen() {
            self.session.signal(Signal::CONT);
        }
    }

    /// Numbers of saved pictures have three digits: makes room for new ones.
    fn clear_home(&self) {
        let entries = fs::read_dir(self.session.home.path()).expect("it is a folder");
        for entry in entries {
            // A file that is being written now is removed the next time.
            let _ = fs::remove_file(entry.expect("it can be read").path());
        }
    }

    /// Ctrl-C ends it, in any view.
    fn end(&mut self) -> Result<(), String> {
        self.done.push_back(Event::Press("Ctrl-c"));
        let asked = Instant::now();
        let _ = self.session.send("\x03");
        loop {
            match self.session.hear(asked + PATIENCE) {
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout) => return Err("Ctrl-C does not end it".to_owned()),
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        self.tally.end = asked.elapsed();
        let status = self.session.status();
        if status.exit_code() != INTERRUPTED {
            return Err(format!("it ended with {status}"));
        }
        self.session.assert_restored();
        Ok(())
    }

    fn report(&self, problem: &str) -> String {
        let done: Vec<_> = self.done.iter().map(|event| format!("    {event:?}")).collect();
        let (columns, rows) = self.size;
        let (screen, events) = (self.session.screen().contents(), self.tally.events);
        format!(
            "{problem} after {events} events, the last:\n{}\nthe screen, {columns}x{rows}:\n{screen}",
            done.join("\n")
        )
    }
}

fn start(scene: &Scene, program: &Path) -> Session {
    let args = scene.args();
    let args: Vec<_> = args.iter().map(String::as_str).collect();
    let home = tempfile::tempdir().expect("a folder");
    Session::run(program, &args, home, "xterm-256color", SIZE)
}
