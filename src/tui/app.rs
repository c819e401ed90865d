//! The whole state of the screen as one value, free of terminals, threads and clocks.

use super::action::Action;
use super::chart::Chart;
use super::config::Config;
use super::director::{Director, RunPace};
use super::kernel_cache::{Kernels, Loaded};
use super::keymap::{Context, Keymap};
use super::layout::{
    Areas, Detail, Language, Panel, PanelChoice, ScreenView, SizeClass, areas, stage_areas,
};
use super::lesson::{ActiveLesson, Lessons, PendingMove};
use super::measure_view::{MeasureData, MeasureView};
use super::measurements::{MeasureStatus, Measurements, requests};
use super::mode::Mode;
use super::motion::{FloorSlide, Motion, Place};
use super::playback::{FRAME, Pace, Playback};
use super::run_view::RunView;
use super::session::Session;
use super::stage_plans::StagePlans;
use super::task::{RunId, Task};
use super::theme::Look;
use crate::kernel::Problem;
use crate::launch::Dim3;
use crate::lesson::session::Topic;
use crate::matrix::Operand;
use crate::report::sentence::BankTalk;
use crate::sim::Order;
use crate::study::stage::{EventProgress, StageFocus, StageScene};
use crate::timing::pack::Pack;
use ptx::ParseError;
use ratatui::layout::Rect;
use std::borrow::Cow;
use std::time::Duration;

/// The settings with which the screen starts.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a wish of its own")]
pub struct StartOptions {
    /// One problem for each kernel that can be shown, in teaching order.
    pub problems: Vec<Problem>,
    /// The index of the kernel that is shown first.
    pub kernel: usize,
    /// The block that is shown first.
    pub block: Dim3,
    /// The scheduling order of its warps.
    pub order: Order,
    /// The look of the screen.
    pub look: Look,
    /// The key bindings.
    pub keymap: Keymap,
    /// Whether to capture the mouse.
    pub mouse: bool,
    /// The index of the GPU to measure on, or `None` to leave the GPU alone.
    pub device: Option<u32>,
    /// Whether the run plays from the start.
    pub playing: bool,
    /// How long each step is shown while it plays.
    pub pace: Pace,
    /// Whether the way between two steps is shown, too.
    pub motion: bool,
    /// Whether the screen opens with the stage.
    pub view: ScreenView,
    /// The panel that fills the screen, if any.
    pub panel: Option<Panel>,
    /// Whether the user has seen a run on the stage before: what is known is told faster.
    pub told: bool,
    /// Where in the run the screen begins.
    pub begin: StartAt,
    /// The recorded measurements for the Measure screen, or `None` if there are none.
    pub pack: Option<Cow<'static, Pack>>,
    /// The lessons, and whether the screen opens with one.
    pub lessons: Lessons,
    /// A message for the user at the start, for instance that the configuration is invalid.
    pub message: Option<String>,
}

/// The run with which a screen starts.
#[derive(Debug)]
pub struct FirstRun {
    pub problems: Vec<Problem>,
    /// The index of the problem that is shown first.
    pub kernel: usize,
    pub block: Dim3,
    pub order: Order,
}

impl StartOptions {
    /// A run, paused, with a user's settings and an appearance; without a GPU, recorded times and a message.
    pub fn new(run: FirstRun, config: &Config, look: Look, lessons: Lessons) -> Self {
        let FirstRun { problems, kernel, block, order } = run;
        Self {
            problems,
            kernel,
            block,
            order,
            look,
            keymap: config.keymap.clone(),
            mouse: config.mouse.unwrap_or(true),
            device: None,
            playing: false,
            pace: config.pace.unwrap_or_default(),
            motion: !config.reduced_motion.unwrap_or(false),
            view: config.view.unwrap_or_default(),
            panel: None,
            told: true,
            begin: StartAt::default(),
            pack: None,
            lessons,
            message: None,
        }
    }
}

/// The state of the screen.
#[derive(Debug)]
pub struct App {
    pub(super) mode: Mode,
    pub(super) kernels: Kernels,
    pub(super) run: RunView,
    pub(super) play: Play,
    pub(super) display: Display,
    pub(super) measuring: Measuring,
    /// The lessons that are offered.
    pub(super) lessons: Lessons,
    pub(super) overlay: Option<Overlay>,
    pub(super) message: Option<String>,
    pub(super) keymap: Keymap,
    pub(super) over: bool,
    pub(super) tasks: Vec<Task>,
}

/// How the run plays.
#[derive(Debug)]
pub struct Play {
    pub playback: Playback,
    pub director: Director,
    /// The motion to the position shown; `None` if the user wants none.
    pub motion: Option<Motion>,
    /// Where a directed run was stopped: there its picture and its sentence stay as they are.
    pub stopped: Option<Place>,
    /// Bricks that fall again after a switch of the kernel.
    pub slide: Option<FloorSlide>,
    pub begin: StartAt,
}

/// How the screen shows it.
#[derive(Debug)]
pub struct Display {
    pub size: Rect,
    pub look: Look,
    pub view: ScreenView,
    /// The stages of the runs that are shown.
    pub stage: StagePlans,
    pub wanted: PanelChoice,
    pub language: Language,
    pub scroll: i32,
    pub detail: Detail,
    pub chart: Chart,
    pub mouse: bool,
}

/// What is measured of the kernels.
#[derive(Debug)]
pub struct Measuring {
    pub measures: Measurements,
    /// The data behind the Measure screen.
    pub times: MeasureData,
    /// The state of the Measure screen while it is open, over whatever the screen is for.
    pub measure_view: Option<MeasureView>,
    pub device: Option<u32>,
}

/// Where in the run a screen begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StartAt {
    #[default]
    Start,
    /// At the first step at which a finding shows, as soon as it is known.
    Finding,
    /// At that step.
    Step(usize),
}

impl StartAt {
    /// What a loop has the screen do first.
    pub(super) const fn first_action(self) -> Option<Action> {
        match self {
            Self::Step(step) => Some(Action::Seek(step)),
            Self::Start | Self::Finding => None,
        }
    }
}

/// The overlay over the panels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Overlay {
    /// The table of keys: the first line in view.
    Help(u16),
    /// The command palette: the text typed and the selected match.
    Palette(String, usize),
    /// The findings of the run: the index of the selected one.
    Findings(usize),
    /// The block picker: the selected block and the text typed.
    Blocks(Dim3, String),
    /// What the change of the tile has changed. Playing waits until it is closed.
    Tile,
    /// A blank screen.
    Blank,
}

impl App {
    /// Returns the state before the first frame, and the tasks it has to start with.
    ///
    /// # Errors
    /// The kernel's PTX cannot be run.
    pub fn new(options: StartOptions, size: (u16, u16)) -> Result<(Self, Vec<Task>), ParseError> {
        let StartOptions { problems, kernel, block, order, look, keymap, mouse, .. } = options;
        let StartOptions { device, playing, pace, motion, view, told, begin, .. } = options;
        let StartOptions { message, pack, lessons, panel, .. } = options;
        let mut kernels = Kernels::new(problems, kernel);
        let loaded = Loaded::of(kernels.cache.problem(kernels.shown).clone())?;
        kernels.cache.put(kernels.shown, Some(loaded.clone()));
        let problems = &kernels.cache.problems();
        let chart = Chart::of(&loaded.problem);
        let (session, recording) = Session::new(RunId(0), loaded, block, order);
        let mut tasks =
            vec![Task::Record(Box::new(recording)), Task::Check(Box::new(session.checking()))];
        tasks.extend(device.map(|device| Task::Measure(requests(problems, device))));
        let times = MeasureData { recorded: pack, ..MeasureData::default() };
        let mut app = Self {
            mode: Mode::default(),
            measuring: Measuring {
                measures: Measurements::recorded(problems),
                times,
                measure_view: None,
                device,
            },
            kernels,
            run: RunView::new(session),
            play: Play {
                playback: Playback::new(playing, pace),
                director: Director::new(told),
                motion: motion.then(Motion::default),
                stopped: None,
                slide: None,
                begin,
            },
            display: Display {
                size: Rect::new(0, 0, size.0, size.1),
                look,
                view,
                stage: StagePlans::default(),
                wanted: PanelChoice::of(panel),
                language: Language::default(),
                scroll: 0,
                detail: Detail::default(),
                chart,
                mouse,
            },
            lessons,
            overlay: None,
            message,
            keymap,
            over: false,
            tasks,
        };
        app.open_lessons();
        app.settle();
        let tasks = std::mem::take(&mut app.tasks);
        Ok((app, tasks))
    }

    /// Whether the user has quit.
    pub fn is_over(&self) -> bool {
        self.over
    }

    /// The position shown: the number of steps done.
    pub fn at(&self) -> usize {
        self.run.session.at()
    }

    /// Whether the run plays; not while a card is to be read first.
    pub fn is_playing(&self) -> bool {
        self.play.playback.playing && !self.is_held()
    }

    /// Whether the run plays by meaning.
    pub(super) fn plays_by_meaning(&self) -> bool {
        self.is_playing() && self.play.playback.pace == Pace::Meaning
    }

    /// Whether the run is directed on the stage.
    pub(super) fn is_directed(&self) -> bool {
        self.plays_by_meaning() && self.shows_stage() && matches!(self.mode, Mode::Watch)
    }

    /// Whether a directed run has been stopped where it is.
    pub(super) fn is_stopped(&self) -> bool {
        let here = (self.run.session.id(), self.run.session.at());
        let stands = !self.play.playback.playing && self.play.stopped == Some(here);
        stands && self.shows_stage() && matches!(self.mode, Mode::Watch)
    }

    /// Whether what is said is the director's: the run plays by meaning, or was stopped while it did.
    pub(super) fn is_narrated(&self) -> bool {
        self.plays_by_meaning() || self.is_stopped()
    }

    /// How many times faster than usual it plays by meaning.
    pub(super) fn tempo(&self) -> f64 {
        let known = if self.is_directed() { self.play.director.tempo() } else { 1.0 };
        self.play.playback.speed.factor() * known
    }

    /// Returns the time until there is something new to show, or `None` while playback is paused.
    pub fn next_frame(&self) -> Option<Duration> {
        let step = self.next_step().filter(|_| !self.is_held());
        let frame = step.and_then(|_| self.in_motion()).and_then(Motion::next_frame);
        let busy = self.mode.lesson().and_then(|lesson| lesson.busy.as_ref());
        let finale = self.finale_moves().then_some(FRAME);
        let slide = self.floor_slide().and_then(FloorSlide::next_frame);
        [step, finale, slide, frame, busy.map(PendingMove::next_frame)].into_iter().flatten().min()
    }

    /// Returns the time until the next step is shown, or `None` while playback is paused.
    pub(super) fn next_step(&self) -> Option<Duration> {
        if !self.plays_by_meaning() {
            return self.play.playback.next_frame();
        }
        let next = self.play.director.next_frame(self.run.session.sentence());
        Some(next.div_f64(self.tempo()).max(FRAME))
    }

    /// The motion to the position shown, while the run plays, or as far as it had come when it was
    /// stopped.
    pub(super) fn in_motion(&self) -> Option<&Motion> {
        let here = (self.run.session.id(), self.run.session.at());
        let moves = self.is_playing() || self.is_stopped();
        self.play.motion.as_ref().filter(|motion| moves && motion.place() == here)
    }

    /// The bricks that fall again at the position shown, or have.
    pub(super) fn floor_slide(&self) -> Option<&FloorSlide> {
        let here = (self.run.session.id(), self.run.session.at());
        self.play.slide.as_ref().filter(|slide| slide.before(here).is_some())
    }

    /// The caption of the current step or, while repetitions play too fast to read, of the whole episode;
    /// a finding always has its own.
    pub fn sentence(&self) -> &str {
        let session = &self.run.session;
        let usual = session.worst().is_none();
        let narrated = self.is_narrated() && usual;
        let caption = self.play.director.caption().filter(|_| narrated);
        caption
            .or_else(|| self.told_still().filter(|_| usual))
            .unwrap_or_else(|| session.sentence())
    }

    /// What the stage says of the position shown, while it stands still.
    fn told_still(&self) -> Option<&str> {
        let place = (self.run.session.id(), self.run.session.at());
        self.display.stage.told(place).filter(|_| self.shows_stage())?.still()
    }

    /// Whether the stage is shown, or will be as soon as it is known.
    pub fn shows_stage(&self) -> bool {
        self.is_stage_wanted() && self.display.stage.refusal(self.run.session.id()).is_none()
    }

    /// Whether the stage is to be shown and is being derived.
    pub(super) fn awaits_stage(&self) -> bool {
        self.is_stage_wanted() && self.display.stage.awaits(self.run.session.id())
    }

    /// Whether the stage is to be shown, if the run has one.
    pub(super) fn is_stage_wanted(&self) -> bool {
        let Display { view, wanted, size, .. } = &self.display;
        let large = SizeClass::of(size.width, size.height) > SizeClass::Micro;
        let alone = wanted.zoomed.is_none() && self.measuring.measure_view.is_none();
        let shows = match &self.mode {
            Mode::Watch => *view == ScreenView::Stage,
            // A page names what it shows.
            Mode::Lesson(lesson) => !lesson.places().is_empty(),
            Mode::List(_) | Mode::Copy(_) | Mode::Edit(..) => false,
        };
        shows && large && alone
    }

    /// What the stage shows now.
    pub(super) fn stage_scene(&self) -> Option<StageScene> {
        let hurries = self.is_narrated() && self.play.director.hurries();
        let (session, told) = (&self.run.session, (self.event_progress(), hurries));
        let marks = self.stage_marks();
        let focus = StageFocus { followed: followed_thread(self), marks: &marks };
        let scene = || self.display.stage.scene(session, told, focus);
        let mut scene = self.shows_stage().then(scene).flatten()?;
        let mut hides_costs = self.speaks_of_banks() > Some(BankTalk::AsStored);
        if let Some(lesson) = self.mode.lesson() {
            scene.keep(&lesson.parts());
            hides_costs |= lesson.session.asks(Topic::Cost);
        }
        if hides_costs {
            scene.hide_costs();
        }
        if self.is_narrated() {
            match self.play.director.pace() {
                RunPace::Events => {}
                // Each goes by too fast to be lit.
                RunPace::Warps => scene.phases.now = None,
                RunPace::Tiles => scene.phases.settle(),
            }
        }
        Some(scene)
    }

    /// In a directed run, what the sentence says of banks.
    pub(super) fn speaks_of_banks(&self) -> Option<BankTalk> {
        let here = (self.run.session.id(), self.run.session.at());
        let told = self.display.stage.told(here)?;
        let narrated = self.is_narrated() && self.mode.lesson().is_none();
        told.talk(self.play.director.saying()).filter(|_| narrated)
    }

    /// Whether warps take turns at the same things, too fast to name each.
    pub(super) fn takes_turns(&self) -> bool {
        self.is_narrated() && self.play.director.takes_turns()
    }

    /// What the stage of the other kernel shows, if it stands beside.
    pub(super) fn scene_beside(&self) -> Option<StageScene> {
        let other =
            self.run.other.as_ref().filter(|_| self.shows_stage() && self.display.stage.beside)?;
        self.display.stage.scene(other, (EventProgress::Settled, false), StageFocus::default())
    }

    /// How far the event that led to the position shown has been told.
    pub(super) fn event_progress(&self) -> EventProgress {
        self.in_motion().map_or(EventProgress::Settled, Motion::progress)
    }

    /// Whether the keys that go from warp to warp scroll the listing instead.
    pub fn scrolls_listing(&self) -> bool {
        self.display.wanted.shown() == Panel::Source
    }

    /// The size of the screen.
    pub fn size(&self) -> Rect {
        self.display.size
    }

    /// The look of the screen.
    pub fn look(&self) -> Look {
        self.display.look
    }

    /// Returns the context whose keys apply while no overlay is open.
    pub fn context(&self) -> Context {
        let text = !self.areas().text.is_empty();
        match &self.mode {
            _ if self.measuring.measure_view.is_some() => Context::Measure,
            Mode::List(_) => Context::Course,
            Mode::Lesson(_) if self.mode.dials().is_some() => Context::Dials,
            Mode::Lesson(_) if self.asking().is_some() => Context::Question,
            Mode::Lesson(_) if text => Context::Lesson,
            Mode::Edit(..) if text && !self.walks_value() => Context::Edit,
            _ if self.walks_value() => Context::Value,
            _ if self.shows_stage() => Context::Stage,
            _ => Context::Main,
        }
    }

    /// Whether keys move the followed value; beside a lesson, those that the lesson leaves.
    pub(super) fn walks_value(&self) -> bool {
        let elsewhere = |panel: Panel| !matches!(panel, Panel::Value | Panel::Matrices);
        self.run.followed.is_some() && !self.display.wanted.zoomed.is_some_and(elsewhere)
    }

    /// The lesson, if its text is on the screen and a question waits for its answer.
    pub(super) fn asking(&self) -> Option<&ActiveLesson> {
        let open = self.mode.lesson().filter(|lesson| lesson.waits() && lesson.busy.is_none());
        open.filter(|_| !self.areas().text.is_empty())
    }

    /// Returns the names of the commands that can do nothing now; their keys say why.
    pub(super) fn idle(&self) -> Vec<&'static str> {
        let Measuring { measures, times, device, .. } = &self.measuring;
        let gpu = device.is_some() && measures.status != MeasureStatus::NoGpu;
        let (recorded, live) = (times.pack(false), times.pack(true));
        let alone = self.kernels.beside().is_none();
        // A page covers most of the footer, and says itself how it is closed.
        let page = matches!(self.overlay, Some(Overlay::Help(_)));
        // The first picture of the stage offers what one needs first.
        let begins = self.shows_stage() && self.run.session.at() == 0;
        let idle = [
            ("kernel", alone),
            ("next-phase", begins),
            ("follow", begins),
            ("numbers", begins),
            ("faster", begins),
            ("commands", begins),
            ("compare", begins),
            ("compare", alone),
            ("down", self.run.session.place().warps.len() < 2),
            ("measure-screen", recorded.is_none()),
            ("measure-ladder", !gpu),
            ("overlay-down", page),
            ("overlay-page-down", page),
            ("overlay-accept", page),
            ("overlay-close", page),
            ("task", self.mode.editing().is_none_or(|editing| editing.exercise().is_none())),
            ("origin", recorded.is_none() || live.is_none()),
        ];
        let of_lesson = self.mode.lesson().map_or_else(Vec::new, ActiveLesson::idle);
        let idle = idle.into_iter().filter_map(|(name, idle)| idle.then_some(name));
        idle.chain(of_lesson).collect()
    }

    /// Returns the current layout.
    pub fn areas(&self) -> Areas {
        self.areas_in(self.display.size)
    }

    /// Returns the layout of a screen.
    pub(super) fn areas_in(&self, screen: Rect) -> Areas {
        if self.shows_stage() {
            // What is to be predicted joins when it is answered.
            let lesson = self.mode.lesson();
            let joins = |panel: &Panel| lesson.is_none_or(|lesson| !lesson.hides(*panel));
            let drawer = self.display.stage.drawer.filter(joins);
            let drawer = drawer.map(|panel| (panel, self.display.stage.joining()));
            return stage_areas(screen, drawer, self.display.wanted.text);
        }
        let usual = areas(screen, self.display.wanted);
        let Some(mut named) = self.mode.lesson().map(ActiveLesson::panels_named) else {
            return usual;
        };
        let PanelChoice { focus, following, .. } = self.display.wanted;
        match &mut named[..] {
            [] => return usual,
            // Where there is one place, it is that of the panel in focus.
            [only] if !following => *only = focus,
            _ => {}
        }
        named.extend(following.then_some(Panel::Value));
        usual.with_only(named)
    }

    /// Whether the end of the run is summed up.
    pub fn shows_finale(&self) -> bool {
        // The help lies over it, and leaves it as it was.
        let covers = |overlay: &Overlay| !matches!(overlay, Overlay::Help(_));
        let covered = self.overlay.as_ref().is_some_and(covers)
            || self.measuring.measure_view.is_some()
            || self.run.followed.is_some()
            || self.mode.lesson().is_some();
        let there = self.run.session.at_end() && self.run.session.under_way().is_none();
        self.play.playback.ended && there && !covered && self.areas().class >= SizeClass::Small
    }

    /// Whether something lies over the end of a run that is summed up.
    pub(super) fn covers_finale(&self) -> bool {
        let covered = self.overlay.as_ref().is_some_and(|overlay| *overlay != Overlay::Tile);
        covered || self.measuring.measure_view.is_some()
    }

    /// Whether playing waits: until a card has been read, or until there is a stage to play on.
    pub(super) fn is_held(&self) -> bool {
        self.overlay == Some(Overlay::Tile) || self.awaits_stage()
    }
}

/// The warp and the lane that compute the element of C whose value is followed.
fn followed_thread(app: &App) -> Option<(u16, u8)> {
    let element = app.run.followed.as_ref()?.element();
    let session = &app.run.session;
    let threads = session.problem().launch.threads() as usize;
    let owns =
        |thread: &usize| session.owned().by(*thread).contains(&(element.row, element.column));
    let thread = (0..threads).find(owns).filter(|_| element.operand == Operand::C)?;
    Some(((thread / 32) as u16, (thread % 32) as u8))
}
