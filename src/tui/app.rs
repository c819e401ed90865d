//! The whole state of the screen, as one value: no terminal, no thread and no clock is in it.

use super::board::{Board, Times};
use super::follow::Followed;
use super::keymap::{Context, Keymap};
use super::layout::{Areas, Panel, Wanted, areas};
use super::live;
use super::measure::{Measures, measures};
use super::session::{Goal, Session};
use super::shelf::{Loaded, Place, Shelf};
use super::task::{AskId, Recording, RunId, Task};
use super::theme::Look;
use super::widget::matrices::Detail;
use super::widget::panel;
use super::widget::source::Language;
use super::widget::timeline::{Columns, Tick, chart, columns};
use crate::gpu::pack::Pack;
use crate::kernel::Problem;
use crate::launch::Dim3;
use crate::ptx::ParseError;
use crate::report::charts::counts::Subject as Counted;
use crate::report::value::Question;
use crate::sim::Order;
use crate::trace::cursor::Unit;
use ratatui::layout::Rect;
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

/// What the screen starts with.
#[derive(Clone, Debug)]
pub struct Options {
    /// The same problem for every kernel that can be shown, in the order of the story.
    pub problems: Vec<Problem>,
    /// Which of them is shown first.
    pub kernel: usize,
    /// The block that is watched first.
    pub block: Dim3,
    /// The order of its warps.
    pub order: Order,
    /// How everything is drawn.
    pub look: Look,
    /// Which keys do what.
    pub keymap: Keymap,
    /// Whether to listen to the mouse.
    pub mouse: bool,
    /// The GPU to measure on, counted from 0; none, to leave it alone.
    pub device: Option<u32>,
    /// Whether it plays from the start.
    pub playing: bool,
    /// Where it begins.
    pub begin: Begin,
    /// What the Measure screen shows, if there is anything.
    pub pack: Option<Cow<'static, Pack>>,
    /// What the user should be told at the start, for instance that the configuration is wrong.
    pub message: Option<String>,
}

/// The state.
#[derive(Debug)]
pub struct App {
    pub(super) shelf: Shelf,
    /// The kernel that the panels show.
    kernel: Place,
    /// The kernel that they will show as soon as it is loaded.
    pub(super) turning: Option<Place>,
    /// The run that the panels show.
    pub(super) session: Session,
    /// The run of the other kernel, for the comparison, once it was asked for.
    pub(super) other: Option<Session>,
    runs: u64,
    /// The value that is followed.
    pub(super) followed: Option<Followed>,
    asks: u64,
    pub(super) size: Rect,
    pub(super) look: Look,
    pub(super) keymap: Keymap,
    pub(super) wanted: Wanted,
    pub(super) overlay: Option<Overlay>,
    pub(super) message: Option<String>,
    pub(super) playing: bool,
    pub(super) begin: Begin,
    pub(super) speed: Speed,
    pub(super) unit: Unit,
    /// Units that are due, as a fraction.
    owed: f64,
    /// The warp that the panels show.
    pub(super) warp: usize,
    /// The warp to show at the place after so many steps.
    pub(super) aim: Option<(usize, usize)>,
    pub(super) watch: Watch,
    /// The place that the panels have followed the run to.
    here: (RunId, usize),
    pub(super) language: Language,
    pub(super) scroll: i32,
    pub(super) detail: Detail,
    /// How often the timeline's window has been halved.
    pub(super) closer: u32,
    pub(super) chart: Columns,
    /// The run and its length for which the chart was made.
    charted: (RunId, usize),
    pub(super) measures: Measures,
    /// What the Measure screen is made of.
    pub(super) times: Times,
    /// The Measure screen, while it is there.
    pub(super) board: Option<Board>,
    pub(super) device: Option<u32>,
    pub(super) mouse: bool,
    pub(super) over: bool,
    pub(super) tasks: Vec<Task>,
}

/// Where a screen begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Begin {
    /// At the first step.
    #[default]
    Start,
    /// At the first step at which something is wrong, as soon as that is known.
    Finding,
}

/// What lies over the panels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Overlay {
    /// The table of keys; the first line in view.
    Help(u16),
    /// A lesson by its number, from 0; the first line in view.
    Lesson(usize, u16),
    /// Every command by name: what was typed, and the selected match.
    Palette(String, usize),
    /// What is wrong with the run: the finding that is pointed at.
    Findings(usize),
    /// The grid of blocks: the one that is pointed at, and what was typed.
    Blocks(Dim3, String),
    /// Nothing at all.
    Blank,
}

/// How the warp that the panels show is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Watch {
    /// It is always the one that executed the last step.
    #[default]
    Issuing,
    /// The user has chosen it.
    Chosen,
}

/// How fast it plays: a power of two times the ordinary speed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Speed(i8);

/// The least time between two frames.
pub const FRAME: Duration = Duration::from_millis(33);

impl Speed {
    /// Half of it, down to 1/8.
    #[must_use]
    pub fn slower(self) -> Self {
        Self((self.0 - 1).max(-3))
    }

    /// Twice of it, up to 64.
    #[must_use]
    pub fn faster(self) -> Self {
        Self((self.0 + 1).min(6))
    }

    /// Units a second.
    fn rate(self, unit: Unit) -> f64 {
        let ordinary = match unit {
            Unit::Instruction => 8.0,
            Unit::Event | Unit::Line => 4.0,
            Unit::Barrier => 1.0,
            Unit::Tile => 0.5,
        };
        ordinary * f64::from(self.0).exp2()
    }
}

impl fmt::Display for Speed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 < 0 { write!(f, "1/{}x", 1 << -self.0) } else { write!(f, "{}x", 1 << self.0) }
    }
}

impl App {
    /// The screen before its first frame, and what has to be done for it.
    ///
    /// # Errors
    /// PTX that cannot be run.
    pub fn new(options: Options, size: (u16, u16)) -> Result<(Self, Vec<Task>), ParseError> {
        let Options { problems, kernel, block, order, look, keymap, mouse, .. } = options;
        let Options { device, playing, begin, message, pack, .. } = options;
        let mut shelf = Shelf::new(problems);
        let kernel = shelf.place(kernel);
        let loaded = Loaded::of(shelf.problem(kernel).clone())?;
        shelf.put(kernel, Some(loaded.clone()));
        let problems = shelf.problems();
        let closer = closeness(&loaded.problem);
        let (session, recording) = Session::new(RunId(0), loaded, block, order);
        let mut tasks =
            vec![Task::Record(Box::new(recording)), Task::Check(Box::new(session.checking()))];
        tasks.extend(device.map(|device| Task::Measure(measures(problems, device))));
        let mut app = Self {
            measures: Measures::recorded(problems),
            times: Times { recorded: pack, ..Times::default() },
            board: None,
            device,
            shelf,
            kernel,
            turning: None,
            session,
            other: None,
            runs: 1,
            followed: None,
            asks: 0,
            size: Rect::new(0, 0, size.0, size.1),
            look,
            keymap,
            wanted: Wanted {
                zoomed: None,
                focus: Panel::Shared,
                guest: Panel::Warps,
                following: false,
            },
            overlay: None,
            message,
            playing,
            begin,
            speed: Speed::default(),
            unit: Unit::default(),
            owed: 0.0,
            warp: 0,
            aim: None,
            here: (RunId(0), 0),
            watch: Watch::default(),
            language: Language::default(),
            scroll: 0,
            detail: Detail::default(),
            closer,
            chart: Columns::default(),
            charted: (RunId(0), 0),
            mouse,
            over: false,
            tasks,
        };
        app.settle();
        let tasks = std::mem::take(&mut app.tasks);
        Ok((app, tasks))
    }

    /// Whether the user has quit.
    pub fn is_over(&self) -> bool {
        self.over
    }

    /// Whether it plays.
    pub fn is_playing(&self) -> bool {
        self.playing
    }

    /// What happens at the place that is shown.
    pub fn sentence(&self) -> &str {
        self.session.sentence()
    }

    /// The screen's size.
    pub fn size(&self) -> Rect {
        self.size
    }

    /// How everything is drawn.
    pub fn look(&self) -> Look {
        self.look
    }

    /// Where keys are heard while nothing lies over the panels.
    pub fn context(&self) -> Context {
        if self.board.is_some() {
            return Context::Measure;
        }
        let elsewhere = matches!(self.wanted.zoomed, Some(zoomed) if zoomed != Panel::Value && zoomed != Panel::Matrices);
        if self.followed.is_some() && !elsewhere { Context::Value } else { Context::Main }
    }

    /// Where everything stands now.
    pub fn areas(&self) -> Areas {
        areas(self.size, self.wanted)
    }

    /// The screen has another size.
    pub fn resize(&mut self, width: u16, height: u16) -> Vec<Task> {
        self.size = Rect::new(0, 0, width, height);
        self.settled()
    }

    /// How long until there is something new to show; none while it does not play.
    pub fn next_frame(&self) -> Option<Duration> {
        let unit = Duration::from_secs_f64(1.0 / self.speed.rate(self.unit));
        self.playing.then(|| unit.mul_f64(1.0 - self.owed.fract()).max(FRAME))
    }

    /// Time has passed: what is to be done about it; none, if that changed nothing.
    pub fn tick(&mut self, passed: Duration) -> Option<Vec<Task>> {
        if !self.playing {
            return None;
        }
        // After a long pause (a suspended program) it goes on where it was.
        let passed = passed.min(Duration::from_secs(2)).as_secs_f64();
        self.owed += passed * self.speed.rate(self.unit) + 1e-9;
        let due = self.owed.floor();
        self.owed -= due;
        if due < 1.0 {
            return None;
        }
        self.session.play(self.unit, due as u32);
        self.playing = !self.session.at_end();
        self.moved();
        Some(self.settled())
    }

    /// A new run takes the place of the one that is shown.
    pub(super) fn show(&mut self, make: impl FnOnce(&Session, RunId) -> Made) {
        self.show_at(make, |_, _| 0);
    }

    /// The same, and it stands at the same place of the work.
    pub(super) fn show_at_work(&mut self, make: impl FnOnce(&Session, RunId) -> Made) {
        self.show_at(make, Session::work_of);
    }

    /// Another kernel, at the same place of the work: at once, or as soon as it is loaded.
    pub(super) fn turn_to(&mut self, place: Place) {
        let Some(loaded) = self.shelf.loaded(place).cloned() else {
            self.turning = Some(place);
            return self.load(place);
        };
        (self.kernel, self.turning) = (place, None);
        let block = self.session.block_in(&loaded.problem);
        self.show_at_work(|was, id| Session::new(id, loaded, block, was.order()));
    }

    fn load(&mut self, place: Place) {
        let problem = self.shelf.ask(place);
        self.tasks.extend(problem.map(|problem| Task::Load(place, Box::new(problem))));
    }

    /// A new run, after as many multiply-adds as `work` says of it and of the one before.
    fn show_at(
        &mut self,
        make: impl FnOnce(&Session, RunId) -> Made,
        work: impl FnOnce(&Session, &Session) -> u32,
    ) {
        let id = RunId(self.runs);
        self.runs += 1;
        let (session, recording) = make(&self.session, id);
        self.tasks.push(Task::Check(Box::new(session.checking())));
        let work = work(&session, &self.session);
        self.session = session;
        self.session.go(Goal::Work(work));
        self.here = (id, self.session.at());
        self.tasks.push(Task::Record(Box::new(recording)));
        self.other = None;
        self.warp = self.warp.min(self.session.place().warps.len().saturating_sub(1));
        self.scroll = 0;
        self.ask();
    }

    /// Asks where the value that is followed came from, or where it went.
    pub(super) fn ask(&mut self) {
        let Some(followed) = &mut self.followed else { return };
        let session = &self.session;
        let question = Question {
            problem: session.problem().clone(),
            program: Arc::clone(session.trace().program()),
            order: session.order(),
            block: session.block(),
            element: followed.element(),
        };
        self.asks += 1;
        let inquiry = followed.ask(AskId(self.asks), question);
        self.tasks.push(Task::Ask(Box::new(inquiry)));
    }

    /// The place has changed: whatever follows it does.
    pub(super) fn moved(&mut self) {
        self.here = (self.session.id(), self.session.at());
        self.scroll = 0;
        if let Some(followed) = self.followed.as_mut().filter(|_| self.playing) {
            followed.keep_up(self.session.at());
        }
        self.aim = self.aim.filter(|(step, _)| *step == self.session.heading());
        let aimed = self.aim.filter(|(step, _)| *step == self.session.at());
        match (self.watch, &self.session.place().step) {
            _ if aimed.is_some() => self.warp = aimed.map_or(self.warp, |(_, warp)| warp),
            (Watch::Issuing, Some(step)) => self.warp = usize::from(step.warp),
            (Watch::Issuing, None) | (Watch::Chosen, _) => {}
        }
    }

    /// Brings everything that is derived up to date, and hands out what is to be done.
    pub(super) fn settled(&mut self) -> Vec<Task> {
        self.settle();
        std::mem::take(&mut self.tasks)
    }

    fn settle(&mut self) {
        if self.here != (self.session.id(), self.session.at()) {
            self.moved();
        }
        let areas = self.areas();
        if areas.panel(Panel::Compare).is_some() {
            self.settle_comparison();
        }
        let wanted = match &self.board {
            Some(board) => self.times.wanted(board),
            None => self.settle_counters(),
        };
        let runs = [Some(&mut self.session), self.other.as_mut()];
        let journeys = runs.into_iter().flatten().filter_map(Session::depart);
        self.tasks.extend(journeys.map(Task::Seek));
        self.tasks.extend(self.times.next_count(&wanted).map(Task::Count));
        if let Some(area) = areas.panel(Panel::Timeline) {
            self.settle_chart(chart(panel::Panel::inner(area)).len());
        }
    }

    /// The hardware's counters beside the simulated counts, for whoever looks closely at what was
    /// measured: reads them here if that can be; what is to be simulated for them.
    fn settle_counters(&mut self) -> Vec<Counted> {
        if self.wanted.zoomed != Some(Panel::Measured) {
            return Vec::new();
        }
        let problem = self.session.problem();
        let measuring = self.times.live.as_ref().is_some_and(live::Live::is_running);
        if let Some(device) = self.device.filter(|_| !measuring) {
            let count = self.measures.ask_counters(problem, device);
            self.tasks.extend(count.map(|count| Task::ReadCounters(Box::new(count))));
        }
        let counted = self.measures.counted(problem).and_then(|row| Counted::of(&row.measurement));
        counted.into_iter().filter(|subject| self.times.counts.known(subject).is_none()).collect()
    }

    /// The other kernel's run, at the same place of the work.
    fn settle_comparison(&mut self) {
        if self.other.is_none() {
            self.start_other();
        }
        let Some(other) = &mut self.other else { return };
        let work = other.work_of(&self.session);
        if other.work() != work {
            other.go(Goal::Work(work));
        }
    }

    /// The kernel that is compared with the one that is shown, or will be.
    pub(super) fn beside(&self) -> Option<Place> {
        let shown = self.shelf.problem(self.turning.unwrap_or(self.kernel));
        self.shelf.named(shown.catalogue()?.beside)
    }

    /// The one after it in the story; after the last comes the first.
    pub(super) fn next_rung(&self) -> Option<Place> {
        self.shelf.after(self.turning.unwrap_or(self.kernel))
    }

    /// At once, or as soon as it is loaded.
    fn start_other(&mut self) {
        let Some(place) = self.beside() else { return };
        let Some(loaded) = self.shelf.loaded(place).cloned() else { return self.load(place) };
        let id = RunId(self.runs);
        self.runs += 1;
        let block = self.session.block_in(&loaded.problem);
        let (other, recording) = Session::new(id, loaded, block, self.session.order());
        self.tasks.push(Task::Record(Box::new(Recording { beside: true, ..recording })));
        self.other = Some(other);
    }

    fn settle_chart(&mut self, width: usize) {
        let trace = self.session.trace();
        let (len, at) = (trace.len(), self.session.at());
        let window = window(len, at, self.closer, &self.chart.window);
        let made_for = (self.session.id(), len);
        let fits = self.chart.window == window && self.chart.width() == width;
        if fits && self.charted == made_for {
            return;
        }
        let tick = |step: usize| {
            let mark = &trace.marks()[step];
            Tick { warp: mark.warp, kind: mark.kind, released: mark.released }
        };
        self.chart = columns(window, width, self.session.place().warps.len(), tick);
        self.charted = made_for;
    }
}

/// A new run and what is to be recorded of it.
pub(super) type Made = (Session, Recording);

/// Fewest steps that the timeline shows.
const LEAST_WINDOW: usize = 32;

/// How often to halve the timeline so that it shows about four tiles of work (of a foreign kernel,
/// as much of K as four tiles of the usual size; one where each is much work): of a long run, all
/// its steps at once would show nothing but multiply-adds.
fn closeness(problem: &Problem) -> u32 {
    let tiles = problem.k_tiles().unwrap_or(problem.size.k / 16);
    let much = problem.variant().is_some_and(|variant| variant.fma_per_thread() > 128);
    tiles.max(1).ilog2().saturating_sub(if much { 0 } else { 2 })
}

/// The steps that the timeline shows: all, halved `closer` times, with `at` among them. The window
/// stays where it was for as long as `at` is in it.
fn window(len: usize, at: usize, closer: u32, was: &Range<usize>) -> Range<usize> {
    let size = len.checked_shr(closer).unwrap_or(0).max(LEAST_WINDOW).min(len);
    if was.len() == size && was.end <= len && (was.start..=was.end).contains(&at) {
        return was.clone();
    }
    // A quarter of it before the place: what comes next matters more.
    let start = at.saturating_sub(size / 4).min(len - size);
    start..start + size
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_timelines_window_follows_by_pages() {
        assert_eq!(window(1000, 500, 0, &(0..0)), 0..1000);
        let page = window(1000, 500, 2, &(0..0));
        assert_eq!(page, 438..688);
        assert_eq!(window(1000, 600, 2, &page), page);
        assert_eq!(window(1000, 690, 2, &page), 628..878);
        assert_eq!(window(1000, 1000, 2, &page), 750..1000);
        assert_eq!(window(0, 0, 3, &(0..0)), 0..0);
        assert_eq!(window(1000, 0, 99, &(0..0)), 0..LEAST_WINDOW);
    }

    #[test]
    fn speeds_are_powers_of_two_with_ends() {
        let slowest = (0..20).fold(Speed::default(), |speed, _| speed.slower());
        let fastest = (0..20).fold(Speed::default(), |speed, _| speed.faster());
        assert_eq!(
            [slowest, Speed::default(), fastest].map(|s| s.to_string()),
            ["1/8x", "1x", "64x"]
        );
    }
}
