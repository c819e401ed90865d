//! The whole state of the screen, as one value: no terminal, no thread and no clock is in it.

use super::chart::Chart;
use super::followed_value::Followed;
use super::keymap::{Context, Keymap};
use super::layout::{Areas, Panel, Wanted, areas};
use super::measure_view::{MeasureData, MeasureView};
use super::measurements::{Measurements, measures};
use super::playback::Playback;
use super::session::Session;
use super::shelf::{Loaded, Place, Shelf};
use super::task::{RunId, Task};
use super::theme::Look;
use super::widget::matrices::Detail;
use super::widget::source::Language;
use crate::gpu::pack::Pack;
use crate::kernel::Problem;
use crate::launch::Dim3;
use crate::ptx::ParseError;
use crate::sim::Order;
use ratatui::layout::Rect;
use std::borrow::Cow;
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
    pub(super) kernel: Place,
    /// The kernel that they will show as soon as it is loaded.
    pub(super) turning: Option<Place>,
    /// The run that the panels show.
    pub(super) session: Session,
    /// The run of the other kernel, for the comparison, once it was asked for.
    pub(super) other: Option<Session>,
    /// Runs and questions so far: each has a number of its own.
    pub(super) runs: u64,
    /// The value that is followed.
    pub(super) followed: Option<Followed>,
    pub(super) asks: u64,
    pub(super) size: Rect,
    pub(super) look: Look,
    pub(super) keymap: Keymap,
    pub(super) wanted: Wanted,
    pub(super) overlay: Option<Overlay>,
    pub(super) message: Option<String>,
    pub(super) playback: Playback,
    pub(super) begin: Begin,
    /// The warp that the panels show.
    pub(super) warp: usize,
    /// The warp to show at the place after so many steps.
    pub(super) aim: Option<(usize, usize)>,
    pub(super) watch: Watch,
    /// The place that the panels have followed the run to.
    pub(super) here: (RunId, usize),
    pub(super) language: Language,
    pub(super) scroll: i32,
    pub(super) detail: Detail,
    pub(super) chart: Chart,
    pub(super) measures: Measurements,
    /// What the Measure screen is made of.
    pub(super) times: MeasureData,
    /// The Measure screen, while it is there.
    pub(super) board: Option<MeasureView>,
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
        let chart = Chart::of(&loaded.problem);
        let (session, recording) = Session::new(RunId(0), loaded, block, order);
        let mut tasks =
            vec![Task::Record(Box::new(recording)), Task::Check(Box::new(session.checking()))];
        tasks.extend(device.map(|device| Task::Measure(measures(problems, device))));
        let mut app = Self {
            measures: Measurements::recorded(problems),
            times: MeasureData { recorded: pack, ..MeasureData::default() },
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
            playback: Playback::new(playing),
            begin,
            warp: 0,
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
        self.playback.playing
    }

    /// How long until there is something new to show; `None` while it does not play.
    pub fn next_frame(&self) -> Option<Duration> {
        self.playback.next_frame()
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

    /// The kernel that is compared with the one that is shown, or will be.
    pub(super) fn beside(&self) -> Option<Place> {
        let shown = self.shelf.problem(self.turning.unwrap_or(self.kernel));
        self.shelf.named(shown.catalogue()?.beside)
    }

    /// The one after it in the story; after the last comes the first.
    pub(super) fn next_rung(&self) -> Option<Place> {
        self.shelf.after(self.turning.unwrap_or(self.kernel))
    }
}
