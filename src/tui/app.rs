//! The whole state of the screen as one value, free of terminals, threads and clocks.

use super::chart::Chart;
use super::director::Director;
use super::edit::Editing;
use super::followed_value::Followed;
use super::kernel_cache::{KernelCache, KernelIndex, Loaded};
use super::keymap::{Context, Keymap};
use super::layout::{Areas, Class, Detail, Language, Panel, Wanted, areas};
use super::lesson::{Aside, Board, Busy, CourseList, Lessons, Stood, Taking};
use super::measure_view::{MeasureData, MeasureView};
use super::measurements::{Measurements, Status, requests};
use super::motion::Motion;
use super::playback::{FRAME, Pace, Playback, Watch};
use super::session::Session;
use super::task::{RunId, Task};
use super::theme::Look;
use crate::kernel::Problem;
use crate::launch::Dim3;
use crate::lesson::document::Kind;
use crate::lesson::thing::View;
use crate::report::pointed::Point;
use crate::sim::Order;
use crate::timing::pack::Pack;
use ptx::ParseError;
use ratatui::layout::Rect;
use std::borrow::Cow;
use std::time::Duration;

/// The settings with which the screen starts.
#[derive(Clone, Debug)]
pub struct Options {
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
    /// Where in the run the screen begins.
    pub begin: Begin,
    /// The recorded measurements for the Measure screen, or `None` if there are none.
    pub pack: Option<Cow<'static, Pack>>,
    /// The lessons, and whether the screen opens with one.
    pub lessons: Lessons,
    /// A message for the user at the start, for instance that the configuration is invalid.
    pub message: Option<String>,
}

/// The state of the screen.
#[derive(Debug)]
pub struct App {
    pub(super) shelf: KernelCache,
    /// The kernel that the panels show.
    pub(super) kernel: KernelIndex,
    /// The kernel that the panels will show as soon as it is loaded.
    pub(super) turning: Option<KernelIndex>,
    /// The run that the panels show.
    pub(super) session: Session,
    /// The kernel with the tile that it had before, after a change of the tile: `kernel` is compared
    /// with it.
    pub(super) before: Option<KernelIndex>,
    /// (row, column) of the element of C at which the watched block began before the tile grew.
    pub(super) corner: Option<(u32, u32)>,
    /// The run of the other kernel in the comparison, once the comparison has been opened.
    pub(super) other: Option<Session>,
    /// The number of runs so far, which numbers the next run; likewise `asks` for questions.
    pub(super) runs: u64,
    /// The followed value.
    pub(super) followed: Option<Followed>,
    pub(super) pointed: Option<Point>,
    /// Whether the arrow keys move the point.
    pub(super) pointing: bool,
    pub(super) asks: u64,
    pub(super) size: Rect,
    pub(super) look: Look,
    pub(super) keymap: Keymap,
    pub(super) wanted: Wanted,
    pub(super) overlay: Option<Overlay>,
    pub(super) message: Option<String>,
    pub(super) playback: Playback,
    pub(super) director: Director,
    /// The motion to the position shown; `None` if the user wants none.
    pub(super) motion: Option<Motion>,
    pub(super) begin: Begin,
    /// The warp that the panels show.
    pub(super) warp: usize,
    /// The lane of it that was pointed at last.
    pub(super) lane: usize,
    /// (step, warp): the warp to select when that step is reached.
    pub(super) aim: Option<(usize, usize)>,
    pub(super) watch: Watch,
    /// The position in the run that the panels last caught up with.
    pub(super) here: (RunId, usize),
    pub(super) language: Language,
    pub(super) scroll: i32,
    pub(super) detail: Detail,
    pub(super) chart: Chart,
    pub(super) measures: Measurements,
    /// The data behind the Measure screen.
    pub(super) times: MeasureData,
    /// The state of the Measure screen while it is open.
    pub(super) board: Option<MeasureView>,
    /// The lessons that are offered.
    pub(super) lessons: Lessons,
    /// The lesson that is being taken.
    pub(super) lesson: Option<Box<Taking>>,
    /// The lesson that waits while a copy of its kernel is edited.
    pub(super) aside: Option<Aside>,
    /// The run that stood before the lessons.
    pub(super) stood: Option<Box<Stood>>,
    /// The list of lessons while it is open.
    pub(super) courses: Option<CourseList>,
    /// The file that is edited, if one is.
    pub(super) editing: Option<Box<Editing>>,
    pub(super) device: Option<u32>,
    pub(super) mouse: bool,
    pub(super) over: bool,
    pub(super) tasks: Vec<Task>,
}

/// Where in the run a screen begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Begin {
    #[default]
    Start,
    /// At the first step at which a finding shows, as soon as it is known.
    Finding,
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
    pub fn new(options: Options, size: (u16, u16)) -> Result<(Self, Vec<Task>), ParseError> {
        let Options { problems, kernel, block, order, look, keymap, mouse, .. } = options;
        let Options { device, playing, pace, motion, begin, message, pack, lessons, .. } = options;
        let mut shelf = KernelCache::new(problems);
        let kernel = shelf.place(kernel);
        let loaded = Loaded::of(shelf.problem(kernel).clone())?;
        shelf.put(kernel, Some(loaded.clone()));
        let problems = &shelf.problems();
        let chart = Chart::of(&loaded.problem);
        let (session, recording) = Session::new(RunId(0), loaded, block, order);
        let mut tasks =
            vec![Task::Record(Box::new(recording)), Task::Check(Box::new(session.checking()))];
        tasks.extend(device.map(|device| Task::Measure(requests(problems, device))));
        let mut app = Self {
            measures: Measurements::recorded(problems),
            times: MeasureData { recorded: pack, ..MeasureData::default() },
            board: None,
            lessons,
            lesson: None,
            aside: None,
            stood: None,
            courses: None,
            editing: None,
            device,
            shelf,
            kernel,
            turning: None,
            before: None,
            corner: None,
            session,
            other: None,
            runs: 1,
            followed: None,
            pointed: None,
            pointing: false,
            asks: 0,
            size: Rect::new(0, 0, size.0, size.1),
            look,
            keymap,
            wanted: Wanted {
                zoomed: None,
                focus: Panel::Shared,
                guest: Panel::Warps,
                following: false,
                shared: true,
                text: false,
            },
            overlay: None,
            message,
            playback: Playback::new(playing, pace),
            director: Director::default(),
            motion: motion.then(Motion::default),
            begin,
            warp: 0,
            lane: 0,
            aim: None,
            here: (RunId(0), 0),
            watch: Watch::default(),
            language: Language::default(),
            scroll: 0,
            detail: Detail::default(),
            chart,
            mouse,
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
        self.session.at()
    }

    /// Whether the run plays; not while a card is to be read first.
    pub fn is_playing(&self) -> bool {
        self.playback.playing && !self.is_held()
    }

    /// Whether the run plays by meaning.
    pub(super) fn plays_by_meaning(&self) -> bool {
        self.is_playing() && self.playback.pace == Pace::Meaning
    }

    /// Returns the time until there is something new to show, or `None` while playback is paused.
    pub fn next_frame(&self) -> Option<Duration> {
        let step = self.next_step().filter(|_| !self.is_held());
        let frame = step.and_then(|_| self.in_motion()).and_then(Motion::next_frame);
        let busy = self.lesson.as_deref().and_then(|lesson| lesson.busy.as_ref());
        [step, frame, busy.map(Busy::next_frame)].into_iter().flatten().min()
    }

    /// Returns the time until the next step is shown, or `None` while playback is paused.
    pub(super) fn next_step(&self) -> Option<Duration> {
        if !self.plays_by_meaning() {
            return self.playback.next_frame();
        }
        let next = self.director.next_frame(self.session.sentence());
        Some(next.div_f64(self.playback.speed.factor()).max(FRAME))
    }

    /// The motion to the position shown, while the run plays.
    pub(super) fn in_motion(&self) -> Option<&Motion> {
        let here = (self.session.id(), self.session.at());
        self.motion.as_ref().filter(|motion| self.is_playing() && motion.place() == here)
    }

    /// Describes what happens at the position shown or, while what repeats plays faster than one
    /// can read, what repeats; a finding always for itself.
    pub fn sentence(&self) -> &str {
        let usual = self.plays_by_meaning() && self.session.worst().is_none();
        let caption = self.director.caption().filter(|_| usual);
        caption.unwrap_or_else(|| self.session.sentence())
    }

    /// Whether the keys that go from warp to warp scroll the listing instead.
    pub fn scrolls_listing(&self) -> bool {
        self.wanted.zoomed.unwrap_or(self.wanted.focus) == Panel::Source
    }

    /// The size of the screen.
    pub fn size(&self) -> Rect {
        self.size
    }

    /// The look of the screen.
    pub fn look(&self) -> Look {
        self.look
    }

    /// Returns the context whose keys apply while no overlay is open.
    pub fn context(&self) -> Context {
        if self.board.is_some() {
            return Context::Measure;
        }
        if self.courses.is_some() {
            return Context::Course;
        }
        if self.dialling().is_some() {
            return Context::Dials;
        }
        if self.asking().is_some() {
            return Context::Question;
        }
        match () {
            () if self.shows_edit() && !self.walks_value() => Context::Edit,
            () if self.shows_text() => Context::Lesson,
            () if self.walks_value() => Context::Value,
            () => Context::Main,
        }
    }

    /// Whether keys move the followed value; beside a lesson, those that the lesson leaves.
    pub(super) fn walks_value(&self) -> bool {
        let elsewhere = |panel: Panel| !matches!(panel, Panel::Value | Panel::Matrices);
        self.followed.is_some() && !self.wanted.zoomed.is_some_and(elsewhere)
    }

    /// Whether the text of a lesson is on the screen.
    pub(super) fn shows_text(&self) -> bool {
        self.lesson.is_some() && self.courses.is_none() && !self.areas().text.is_empty()
    }

    /// The lesson, if its text is on the screen and a question waits for its answer.
    pub(super) fn asking(&self) -> Option<&Taking> {
        let open = self.lesson.as_deref().filter(|lesson| lesson.waits() && lesson.busy.is_none());
        open.filter(|_| self.shows_text())
    }

    /// The dials, if they are on the screen.
    pub(super) fn dialling(&self) -> Option<&Board> {
        let lesson = self.lesson.as_deref().filter(|_| self.courses.is_none())?;
        lesson.board.as_ref().filter(|board| board.open)
    }

    /// Whether the text of the file that is edited is on the screen.
    pub(super) fn shows_edit(&self) -> bool {
        self.editing.is_some() && !self.areas().text.is_empty()
    }

    /// Returns the names of the commands that can do nothing now; their keys say why.
    pub(super) fn idle(&self) -> Vec<&'static str> {
        let gpu = self.device.is_some() && self.measures.status != Status::NoGpu;
        let (recorded, live) = (self.times.pack(false), self.times.pack(true));
        let alone = self.beside().is_none();
        let warps = self.session.place().warps.len();
        // A page covers most of the footer, and says itself how it is closed.
        let page = matches!(self.overlay, Some(Overlay::Help(_)));
        let question = self.lesson.as_deref().and_then(Taking::question);
        let lists = question.is_some_and(|question| !question.offers.is_empty());
        let orders = question.is_some_and(|question| question.kind == Kind::Order);
        let several = question.is_some_and(|question| question.all);
        let picks = self.lesson.as_deref().is_some_and(Taking::is_pick);
        let now = self.lesson.as_deref().map(Taking::now);
        let hints = now.and_then(|now| now.question.as_ref()).map_or(0, |open| open.hints_left);
        let lesson = self.lesson.as_deref();
        let changes = lesson.is_some_and(|lesson| lesson.walk.changed().is_some());
        let different = lesson.is_some_and(|lesson| lesson.walk.is_different());
        let over = lesson.is_some_and(|lesson| lesson.now().over);
        let waits = lesson.is_some_and(Taking::waits);
        let symptoms = lesson.is_some_and(|lesson| lesson.walk.shows_symptoms());
        let replied = now.is_some_and(|now| now.reply.is_some());
        [
            ("question-prove", now.is_none_or(|now| now.proof.is_none())),
            ("question-right", !picks),
            ("question-down", !lists),
            ("question-mark", !several),
            ("question-earlier", !orders),
            ("question-later", !orders),
            ("question-hint", hints == 0),
            ("findings", waits && !symptoms),
            ("next-finding", waits && !symptoms),
            ("lesson-on", lesson.is_some_and(Taking::is_starting)),
            ("lesson-again", !replied),
            ("lesson-change", !changes),
            ("lesson-difference", !different),
            ("lesson-text", over),
            ("forward", over),
            ("play", over),
            ("focus-next", over),
            ("zoom", over),
            ("lesson-edit", waits || over),
            ("follow", over),
            ("kernel", alone),
            ("compare", alone),
            ("down", warps < 2 || over),
            ("measure-screen", recorded.is_none()),
            ("measure-ladder", !gpu),
            ("overlay-down", page),
            ("overlay-page-down", page),
            ("overlay-accept", page),
            ("overlay-close", page),
            ("origin", recorded.is_none() || live.is_none()),
        ]
        .into_iter()
        .filter_map(|(name, idle)| idle.then_some(name))
        .collect()
    }

    /// Returns the current layout.
    pub fn areas(&self) -> Areas {
        self.areas_in(self.size)
    }

    /// Returns the layout of a screen.
    pub(super) fn areas_in(&self, screen: Rect) -> Areas {
        let usual = areas(screen, self.wanted);
        if self.wanted.zoomed.is_none() && usual.panels.len() > 1 && self.reads_source() {
            return areas(screen, Wanted { zoomed: Some(Panel::Source), ..self.wanted });
        }
        usual
    }

    /// Whether a question is open on a page that looks at nothing but the source: to be read, a
    /// kernel needs more rows than its place beside the other panels has.
    fn reads_source(&self) -> bool {
        let asks = |lesson: &&Taking| lesson.question().is_some();
        let open = self.lesson.as_deref().filter(asks);
        let only = open.is_some_and(|lesson| lesson.now().look == [View::Source]);
        only && self.wanted.focus == Panel::Source
    }

    /// Whether the card at the end of the run is shown.
    pub(super) fn shows_end_card(&self) -> bool {
        let covered = self.overlay.is_some() || self.board.is_some() || self.lesson.is_some();
        self.playback.ended && !covered && self.areas().class >= Class::Small
    }

    /// Whether playing waits until a card has been read.
    pub(super) fn is_held(&self) -> bool {
        self.overlay == Some(Overlay::Tile)
    }

    /// Returns the kernel to compare with the one that is shown: the same with the tile before, or
    /// another one.
    pub(super) fn compared(&self) -> Option<KernelIndex> {
        self.before.or_else(|| self.beside())
    }

    /// Returns the other kernel, which best shows what is new in the one that is shown or about to be
    /// shown.
    pub(super) fn beside(&self) -> Option<KernelIndex> {
        let shown = self.shelf.problem(self.turning.unwrap_or(self.kernel));
        self.shelf.named(shown.catalogue()?.beside)
    }

    /// Returns the next kernel in teaching order; after the last, the first.
    pub(super) fn next_rung(&self) -> Option<KernelIndex> {
        self.shelf.after(self.turning.unwrap_or(self.kernel))
    }
}
