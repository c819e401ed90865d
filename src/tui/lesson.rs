//! The lesson that is being taken, as the screen knows it, and the list of the course.

mod busy;
mod course_list;
mod dials;
mod input;
mod lesson_run;
mod pointer;
mod view;

pub use busy::PendingMove;
pub use course_list::CourseList;
pub use dials::{DialEvent, DialRequest, DialsState, DialsTask, Effects};
pub use input::{AnswerInput, Input};
pub use lesson_run::{LessonRun, same_kernel};
pub use pointer::{kind, of_point, typed};
pub use view::{panel_of, view_of};

use super::kernel_cache::Kernels;
use super::layout::{Panel, PanelChoice};
use super::playback::{self, Playback};
use crate::launch::Dim3;
use crate::lesson::document::{AskKind, Course};
use crate::lesson::edit::difference::DiffLine;
use crate::lesson::progress::{Progress, SavedProgress};
use crate::lesson::question::Question;
use crate::lesson::session::{LessonSession, Move, NoPage, SessionView, Topic};
use crate::lesson::setting_runs::SettingCache;
use crate::lesson::target::{PagePlace, View};
use crate::sim::Order;
use crate::study::stage::StagePart;
use crate::work::WorkOwner;
use std::fmt;
use std::sync::{Arc, Mutex};

/// The lessons that the screen offers.
#[derive(Clone, Debug)]
pub struct Lessons {
    /// The course, or `None` for the one that comes with matviz, which is read when it is needed.
    pub course: Option<Arc<Course>>,
    /// What the screen opens with, if not with a run.
    pub open: Option<Opening>,
    /// The seed of the questions' numbers, or `None` for the learner's own.
    pub seed: Option<u64>,
    /// What the learner has done.
    pub kept: SavedProgress,
    /// The runs that were recorded for them so far.
    pub cache: SettingCache,
    /// The day of today: `2026-11-22`.
    pub day: String,
    /// Where what the learner does is kept, if it is.
    pub progress: Option<Arc<Mutex<Progress>>>,
}

/// What a screen opens with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opening {
    List,
    /// A page of a lesson, both from 1.
    Page(u32, usize),
}

impl Default for Lessons {
    /// The built-in course without any progress, none of which is saved. Its seed is fixed, so that its
    /// pictures are reproducible.
    fn default() -> Self {
        let kept = Progress::nowhere().kept().clone();
        let (course, open, progress) = Default::default();
        let (seed, cache) = (Some(0), SettingCache::new());
        Self { course, open, seed, kept, cache, day: String::new(), progress }
    }
}

impl Lessons {
    /// Of whom the progress is, on a day.
    pub fn of(progress: Progress, day: String) -> Self {
        let kept = progress.kept().clone();
        let progress = progress.file().is_some().then(|| Arc::new(Mutex::new(progress)));
        Self { seed: None, kept, day, progress, ..Self::default() }
    }

    /// Chooses a page of a lesson, and says how it is opened: before the first one, there may be a
    /// question on an idea missed before.
    ///
    /// # Errors
    /// There is no such lesson or page.
    pub fn begin(&self, (lesson, page): (u32, usize)) -> Result<(LessonSession, Move), NoPage> {
        let course = self.course.clone().unwrap_or_default();
        let seed = self.seed.unwrap_or(self.kept.seed);
        let session = LessonSession::unopened(self.cache.clone(), course, (lesson, page), seed)?;
        let missed = self.kept.due(lesson).filter(|_| page == 1);
        Ok((session, Move::Start(missed.map(str::to_owned))))
    }
}

/// A lesson that waits while a copy of its kernel is edited.
#[derive(Debug)]
pub struct SuspendedLesson {
    pub lesson: Box<ActiveLesson>,
    /// The line of the copy at which the editor opens.
    pub line: u32,
}

/// A run, with its kernels and the way it was looked at.
#[derive(Debug)]
pub struct SavedRun {
    pub kernels: Kernels,
    /// The block that was watched.
    pub block: Dim3,
    /// The order of its warps.
    pub order: Order,
    /// The steps that were done.
    pub step: usize,
    /// The warp that was shown, and how it was chosen.
    pub warp: (usize, playback::WarpSelection),
    pub playback: Playback,
    /// How the screen was arranged.
    pub wanted: PanelChoice,
}

/// A lesson that is being taken.
pub struct ActiveLesson {
    pub session: LessonSession,
    /// The answer that is being given.
    pub input: Input,
    /// The question that was answered last on this page, and its answer.
    pub asked: Option<(Question, Input)>,
    /// The lines in which the kernel differs from the one without its changes, while they stand in
    /// the place of the text.
    pub different: Option<Vec<DiffLine>>,
    /// The first line of the text in view, if the reader has turned it: [`END`](super::layout::paging::END) for the last
    /// that can be, and what is asked after it.
    pub turned: Option<u16>,
    /// Whether all panels stand in the place of what the page names.
    pub panels: bool,
    /// Whether the text is hidden.
    pub hidden: bool,
    /// Whether the last command was refused, since a question is open.
    pub refused: bool,
    /// Where the run that plays stops, and how the user has it played.
    pub to: Option<(usize, Playback)>,
    /// What is known of the run on the screen.
    pub run: LessonRun,
    /// The dials of the page, if it has any that are still to be turned.
    pub dials: Option<DialsState>,
    /// What is being computed for the next moment of the lesson, if something is.
    pub busy: Option<PendingMove>,
    /// What is computed ahead.
    pub ahead: Option<WorkOwner>,
}

impl ActiveLesson {
    /// A lesson at a page.
    pub fn new(session: LessonSession) -> Self {
        let mut taking = Self {
            session,
            input: Input::default(),
            asked: None,
            different: None,
            turned: None,
            panels: false,
            hidden: false,
            refused: false,
            to: None,
            run: LessonRun::default(),
            dials: None,
            busy: None,
            ahead: None,
        };
        taking.renew();
        taking
    }

    pub fn now(&self) -> &SessionView {
        self.session.now()
    }

    /// The open question.
    pub fn question(&self) -> Option<&Question> {
        self.now().question.as_ref().map(|open| &open.question)
    }

    /// Whether the lesson waits for an answer or for a proof.
    pub fn waits(&self) -> bool {
        let now = self.now();
        now.question.is_some() || now.proof.is_some()
    }

    /// Whether its first page is being computed.
    pub fn is_starting(&self) -> bool {
        self.busy.as_ref().is_some_and(|busy| matches!(busy.what, Move::Start(_)))
    }

    /// Begins a new answer and a new page of text.
    pub fn renew(&mut self) {
        self.input = self.question().map_or_else(Input::default, Input::new);
        (self.asked, self.turned, self.different) = (None, None, None);
        let dials = self.session.now().dials.as_ref();
        let was = self.dials.take();
        self.dials = dials.map(|dials| match was {
            Some(board) if board.id == dials.id => board,
            _ => DialsState::new(dials),
        });
    }

    /// Whether the answer is pointed at, on the picture.
    pub fn is_pick(&self) -> bool {
        self.question()
            .is_some_and(|question| matches!(question.kind, AskKind::Pick | AskKind::Gap))
    }

    /// The names of the commands that can do nothing at this moment of the lesson.
    pub fn idle(&self) -> Vec<&'static str> {
        let (now, question, session) = (self.now(), self.question(), &self.session);
        let (over, waits, symptoms) = (now.over, self.waits(), session.shows_symptoms());
        let hints = now.question.as_ref().map_or(0, |open| open.hints_left);
        let orders = question.is_some_and(|question| question.kind == AskKind::Order);
        let idle = [
            ("question-prove", now.proof.is_none()),
            ("question-right", !self.is_pick()),
            ("question-down", question.is_none_or(|question| question.offers.is_empty())),
            ("question-mark", !question.is_some_and(|question| question.all)),
            ("question-earlier", !orders),
            ("question-later", !orders),
            ("question-hint", hints == 0),
            ("findings", waits && !symptoms),
            ("next-finding", waits && !symptoms),
            ("lesson-on", self.is_starting()),
            ("lesson-again", now.reply.is_none()),
            ("lesson-change", session.changed().is_none()),
            ("lesson-difference", !session.is_different()),
            ("lesson-text", over),
            ("forward", over),
            ("play", over),
            ("focus-next", over),
            ("zoom", over),
            ("lesson-edit", waits || over),
            ("follow", over),
            ("down", over),
        ];
        idle.into_iter().filter_map(|(name, idle)| idle.then_some(name)).collect()
    }

    /// What is shown of the stage; nothing where there are panels instead.
    pub fn places(&self) -> &[PagePlace] {
        let dials = self.dials.as_ref().is_some_and(|dials| dials.open);
        let elsewhere = self.panels || dials || self.now().over || self.is_pick();
        if elsewhere { &[] } else { &self.now().places }
    }

    /// The panels that the page names, if it names any and no more are wanted.
    pub fn panels_named(&self) -> Vec<Panel> {
        let named = if self.panels { &[] } else { &self.now().look[..] };
        named.iter().map(|view| panel_of(*view)).collect()
    }

    /// The parts of the stage that are shown.
    pub fn parts(&self) -> Vec<StagePart> {
        let part = |place: &PagePlace| match place {
            PagePlace::Part(part) => Some(*part),
            PagePlace::Panel(_) => None,
        };
        self.places().iter().filter_map(part).collect()
    }

    /// The panel that joins them.
    pub fn joins(&self) -> Option<Panel> {
        self.places().iter().find_map(|place| match place {
            PagePlace::Panel(view) => Some(panel_of(*view)),
            PagePlace::Part(_) => None,
        })
    }

    /// Whether what a panel shows is to be predicted: it would show the answer, or an access that is not
    /// the one that the question is about.
    pub fn hides(&self, panel: Panel) -> bool {
        if panel == Panel::Measured {
            let shown = self.now().reply.as_ref().and_then(|reply| reply.view);
            return shown != Some(View::Measured) && self.session.will_ask(Topic::Time);
        }
        let open = self.question();
        // It compares two runs to their ends.
        if panel == Panel::Compare {
            return open.is_some();
        }
        if matches!(panel, Panel::Warps | Panel::Timeline) {
            return self.session.asks(Topic::Block);
        }
        open.is_some_and(|question| {
            let about = question.right.view;
            let about =
                about.filter(|view| matches!(view, View::Lines | View::Banks | View::Value));
            let costs = panel == Panel::Cost && self.session.asks(Topic::Cost);
            question.kind != AskKind::Pick && (costs || about.map(panel_of) == Some(panel))
        })
    }

    /// Whether the open question asks what an access costs.
    pub fn asks_cost(&self) -> bool {
        let view = self.question().and_then(|question| question.right.view);
        view.is_some_and(|view| matches!(view, View::Lines | View::Banks))
    }

    /// Whether it points between lines, not at them.
    pub fn points_between(&self) -> bool {
        let asked = self.asked.as_ref().map(|(question, _)| question);
        self.question().or(asked).is_some_and(|question| question.kind == AskKind::Gap)
    }

    /// What is being computed, if that takes long.
    pub fn computed(&self) -> Option<String> {
        self.busy.as_ref()?.said(self.session.cache().progress())
    }

    /// Where it is, as it is typed on the command line: `12.5`; ahead of its pages, `12`.
    pub fn place(&self) -> String {
        let SessionView { lesson: (number, _), page, review, .. } = self.now();
        if *review { number.to_string() } else { format!("{number}.{page}") }
    }
}

impl fmt::Debug for ActiveLesson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ActiveLesson").field("place", &self.place()).finish_non_exhaustive()
    }
}
