//! The tasks that the screen requests, and the events that report on them.

use super::edit::job::{EditEvent, EditJob};
use super::kernel_cache::{KernelIndex, Loaded};
use super::ladder_run::{self, LadderOrder};
use super::lesson::{self, DialsTask};
use super::luck::LuckTask;
use super::own_time::{Comparing, Uncompared};
use super::remembered::ToRemember;
use crate::kernel::{Call, Problem, Tile, source_name};
use crate::launch::Dim3;
use crate::lesson::progress::Progress as Kept;
use crate::lesson::query_error::QueryError;
use crate::lesson::session::{self, AskAhead, LessonSession, Move};
use crate::lesson::setting::Setting;
use crate::lesson::setting_runs::SettingCache;
use crate::matrix::judge::{Mismatch, Wrong};
use crate::report::found::{CheckedReach, FindingInRun};
use crate::report::ladder::called;
use crate::report::timed::ComparedBuffer;
use crate::report::value::Column;
use crate::study::counts::{CountError, LaunchCounts, SizedSubject};
use crate::study::findings::{BlockRun, GridFindings};
use crate::study::hazards::Hazard;
use crate::study::schedule::RandomOrders;
use crate::study::stage::{NoStage, StagePlan};
use crate::study::superstep::{Superstep, UnorderedAccesses};
use crate::study::value::{self, ValueQuestion};
use crate::timing::GpuError;
use crate::timing::protocol::{Phase, Request, Response};
use crate::timing::{
    self, CountRequest, HardwareCounts, Measure, Measurement, Subject, Timing, is_library,
};
use crate::trace::{BackgroundSeek, Chunk, Recorder};
use crate::work::{WorkProgress, WorkToken};
use ptx::ParseError;
use std::io;
use std::ops::{ControlFlow, Range};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// Work that is long or has effects outside the state. The state requests it; the event loop has it
/// done.
#[derive(Debug)]
pub enum Task {
    /// Make a kernel ready to run.
    Load(KernelIndex, Box<Problem>),
    /// Find a product of the same kernel whose numbers all fit a screen.
    Shrink(KernelIndex, Box<Problem>),
    /// Make the kernel of a lesson's scene ready to run.
    LoadSetting(Box<SettingTask>),
    /// Judge settings of a lesson's dials.
    Dial(Box<DialsTask>),
    /// Do what the learner does in a lesson.
    Walk(Box<MoveTask>),
    /// Run what a lesson will need next.
    LookAhead(Box<PrefetchTask>),
    /// Ask what a lesson will ask that takes long.
    AskAhead(Box<AskAhead>),
    /// Keep what has happened in a lesson.
    Keep(Box<SaveTask>),
    /// Record a run.
    Record(Box<Recording>),
    /// Seek to a distant position of a run.
    Seek(SeekTask),
    /// Derive the stage of a run.
    Plan(Box<Planning>),
    /// Check a run for everything that may be wrong with it.
    Check(Box<Checking>),
    /// Find out where a value came from, or where it went.
    Ask(Box<QuestionTask>),
    /// Measure these, one after the other.
    Measure(Vec<Request>),
    /// Compare what a launch has left on the GPU with the simulation.
    Compare(Box<Comparing>),
    /// Read the hardware counters of a launch.
    ReadCounters(Box<CountRequest>),
    MeasureLadder(LadderOrder),
    StopMeasuring,
    /// Simulate a kernel to count its events.
    Count(CountTask),
    /// Try orders of the warps of a kernel that lacks a barrier.
    Try(LuckTask),
    /// Work on the file that is edited.
    Edit(EditJob),
    /// Save the screen as a picture.
    SavePicture,
    /// Hand out the link to what is shown, where there is a page that others can open.
    CopyLink,
    /// Capture the mouse, or release it.
    Mouse(bool),
    /// Remember something for the next start.
    Remember(ToRemember),
    /// Redraw the whole screen.
    Redraw,
    /// Suspend the program, as Ctrl-Z does in a shell.
    Suspend,
}

/// The kinds of work: pieces of the same kind are done one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WorkKind {
    /// Moves in a lesson.
    Walk,
    Load,
    /// Comparing what a launch on the GPU has left with the simulation.
    Compare,
    Seek,
    Plan,
    Record,
    /// Recording the run with which the shown run is compared.
    RecordBeside,
    Edit,
    Ask,
    /// Judging a setting of a lesson's dials.
    Dial,
    Check,
    Count,
    /// Keeping what happens in lessons.
    Keep,
    Save,
    /// What a lesson will need next.
    LookAhead,
    /// What a lesson will ask that takes long.
    AskAhead,
}

/// Who hears what work has found.
pub type Listener = Box<dyn Fn(Event) + Send + Sync>;

/// Work that needs nothing but its own values: any loop can have it done, at any time and on any
/// thread.
pub type Work = Box<dyn FnOnce(Listener) + Send>;

impl Task {
    /// The work that it is.
    ///
    /// # Errors
    /// It has to do with what only the loop has: a terminal, files, a GPU, the time. It is handed
    /// back.
    pub fn work(self) -> Result<(WorkKind, Work), Self> {
        Ok(match self {
            Self::Load(place, problem) => {
                (WorkKind::Load, Box::new(move |tell| load(place, *problem, tell)))
            }
            Self::Shrink(of, problem) => {
                (WorkKind::Load, Box::new(move |tell| shrink(of, &problem, tell)))
            }
            Self::LoadSetting(setting) => (WorkKind::Load, Box::new(|tell| setting.run(tell))),
            Self::Dial(work) => {
                // To count all takes long: meanwhile single settings are judged.
                let kind = if work.at.is_some() { WorkKind::Dial } else { WorkKind::Count };
                let told = |(news, which)| Event::Dialled(Box::new(news), which);
                (kind, Box::new(move |tell| _ = work.run().map(told).map(tell)))
            }
            Self::Walk(walking) => (WorkKind::Walk, Box::new(|tell| walking.run(tell))),
            Self::LookAhead(ahead) => (WorkKind::LookAhead, Box::new(|_| ahead.run())),
            Self::AskAhead(ahead) => (WorkKind::AskAhead, Box::new(|_| ahead.run())),
            Self::Record(recording) => (recording.kind(), Box::new(|tell| recording.run(tell))),
            Self::Seek(seeking) => (WorkKind::Seek, Box::new(|tell| seeking.run(tell))),
            Self::Plan(planning) => (WorkKind::Plan, Box::new(|tell| planning.run(tell))),
            Self::Check(checking) => (WorkKind::Check, Box::new(|tell| checking.run(tell))),
            Self::Ask(question) => (WorkKind::Ask, Box::new(|tell| question.run(tell))),
            Self::Count(counting) => (WorkKind::Count, Box::new(|tell| counting.run(tell))),
            Self::Try(trying) => {
                let told = |kernel, orders| Event::Tried(kernel, orders);
                let run =
                    move |tell: Listener| trying.run(|kernel, orders| tell(told(kernel, orders)));
                (WorkKind::Count, Box::new(run))
            }
            Self::Edit(EditJob::Compile(compiling)) => {
                (WorkKind::Edit, Box::new(|tell| compiling.run(|news| tell(Event::Edit(news)))))
            }
            Self::Keep(_)
            | Self::Measure(_)
            | Self::Compare(_)
            | Self::ReadCounters(_)
            | Self::MeasureLadder(_)
            | Self::StopMeasuring
            | Self::Edit(_)
            | Self::SavePicture
            | Self::CopyLink
            | Self::Mouse(_)
            | Self::Remember(_)
            | Self::Redraw
            | Self::Suspend => return Err(self),
        })
    }
}

/// Identifies the run that a chunk belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct RunId(pub u64);

/// Identifies the question that an answer belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct AskId(pub u64);

/// A run to be recorded until it is cancelled.
#[derive(Debug)]
pub struct Recording {
    pub id: RunId,
    /// Whether it is the second run of the comparison.
    pub beside: bool,
    /// The recorder, at the start of the run.
    pub recorder: Recorder,
    /// The number of steps of the next chunk.
    pub steps: usize,
    pub token: WorkToken,
}

/// The kernel of a lesson's scene, to be made ready unless it is cancelled first.
#[derive(Debug)]
pub struct SettingTask {
    /// The scene's setting.
    pub setting: Setting,
    /// The runs that were recorded for the lesson.
    pub cache: SettingCache,
    pub token: WorkToken,
}

/// A move in a lesson, to be made unless it is cancelled first.
#[derive(Debug)]
pub struct MoveTask {
    /// The lesson before the move.
    pub session: LessonSession,
    pub what: Move,
    /// Identifies the move.
    pub token: WorkToken,
}

/// A copy of a lesson that goes on, until that is cancelled.
#[derive(Debug)]
pub struct PrefetchTask {
    /// The copy.
    pub session: LessonSession,
    pub token: WorkToken,
}

/// What has happened in a lesson, to be kept.
#[derive(Debug)]
pub struct SaveTask {
    /// The learner's progress.
    pub progress: Arc<Mutex<Kept>>,
    pub happened: Vec<session::LessonEvent>,
    pub day: String,
}

/// A background seek that can be cancelled.
#[derive(Debug)]
pub struct SeekTask {
    pub id: RunId,
    /// The start and the destination.
    pub journey: Box<BackgroundSeek>,
    pub token: WorkToken,
}

/// A question to be answered until it is cancelled.
#[derive(Debug)]
pub struct QuestionTask {
    /// The question's identifier.
    pub id: AskId,
    pub question: ValueQuestion,
    pub token: WorkToken,
}

/// A run to be checked, unless it is cancelled first.
#[derive(Debug)]
pub struct Checking {
    pub id: RunId,
    /// The kernel, block and order to check.
    pub suspect: BlockRun,
    pub token: WorkToken,
}

/// A run whose stage is to be derived, unless it is cancelled first.
#[derive(Debug)]
pub struct Planning {
    pub id: RunId,
    pub kernel: Loaded,
    pub block: Dim3,
    pub token: WorkToken,
}

/// A kernel to be simulated for its counts, until it is cancelled.
#[derive(Debug)]
pub struct CountTask {
    /// The kernel, its tile and its size.
    pub subject: SizedSubject,
    pub token: WorkToken,
}

/// What the check of a run has found.
#[derive(Clone, Debug, Default)]
pub struct CheckedRun {
    /// The findings; empty if it is sound.
    pub found: Vec<FindingInRun>,
    /// How many elements of the block's part of C are wrong, if that is known.
    pub judged: Option<Wrong>,
    /// The wrong elements of that part.
    pub wrong: Vec<Mismatch>,
    /// The words of shared memory that hold a wrong value for a warp that will load them.
    pub hazards: Vec<Hazard>,
    /// What the block executes between its barriers.
    pub supersteps: Vec<Superstep>,
    /// The accesses between which a barrier is missing.
    pub unordered: Vec<UnorderedAccesses>,
    /// What has been checked.
    pub reach: CheckedReach,
}

/// A result of work done outside of the state.
#[derive(Debug)]
pub enum Event {
    /// A kernel was loaded, or cannot be run.
    Loaded(KernelIndex, Box<Result<Loaded, ParseError>>),
    /// A product of the kernel at that place whose numbers all fit, if it has one.
    Shrunk(KernelIndex, Box<Option<Problem>>),
    /// The kernel of a lesson's scene is ready, or cannot be run for this reason; the last field
    /// identifies it among those of the lesson.
    SettingLoaded(Box<Setting>, Box<Result<Loaded, QueryError>>, WorkToken),
    /// What was found out about settings of a lesson's dials; the last field is cancelled if nobody
    /// awaits it any more.
    Dialled(Box<lesson::DialEvent>, WorkToken),
    /// A lesson after the move that the last field identifies.
    Walked(Box<LessonSession>, WorkToken),
    Recorded(RunId, Chunk),
    /// A background seek is complete; the last field identifies it among those of its run.
    Arrived(RunId, Box<BackgroundSeek>, WorkToken),
    /// The stage of a run, or why it has none; the last field identifies the task.
    Planned(RunId, Box<Result<StagePlan, NoStage>>, WorkToken),
    /// What has been found wrong with a run so far.
    Checked(RunId, CheckedRun),
    /// What is known of a value, and the widths of the columns of its table.
    Answered(AskId, value::ValueAnswer, Vec<(Column, u16)>),
    /// News of a measurement.
    Gpu(MeasureEvent),
    /// News of the ladder order of that number.
    Ladder(u64, ladder_run::LadderEvent),
    /// How the buffers of a launch compare with the simulation's; the first field identifies it.
    Compared(WorkToken, Result<Vec<ComparedBuffer>, Uncompared>),
    /// The progress of a kernel's simulation.
    Counting(SizedSubject, WorkProgress),
    /// The simulated counts of a kernel, or why there are none.
    Counted(SizedSubject, Box<Result<LaunchCounts, CountError>>),
    /// What random orders do to a kernel that lacks a barrier; `None` if nothing races there.
    Tried(&'static str, Option<RandomOrders>),
    /// What happens in lessons cannot be kept, for this reason.
    NotKept(String),
    /// News of the file that is edited.
    Edit(EditEvent),
    /// The picture was saved to this path, or failed for this reason.
    Saved(io::Result<PathBuf>),
}

/// A measured subject: a kernel with its tile, or a library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeasuredSubject {
    kernel: String,
    tile: Option<Tile>,
}

impl MeasuredSubject {
    fn of(subject: &Subject) -> Self {
        Self { kernel: subject.name().to_owned(), tile: subject.tile() }
    }

    /// The name of its row.
    pub fn name(&self) -> String {
        called(&self.kernel, self.tile)
    }

    pub fn is_library(&self) -> bool {
        is_library(&self.kernel)
    }
}

/// News of a measurement.
#[derive(Clone, Debug, PartialEq)]
pub enum MeasureEvent {
    /// The measurement of the subject has reached this phase.
    Progress(MeasuredSubject, Phase),
    /// The measurement is complete.
    Measured(Box<Measurement>),
    Failed(MeasuredSubject, GpuError),
    /// The hardware counters of a kernel with its tile, at one size.
    Counted(Box<CountRequest>, Box<HardwareCounts>),
    /// The counters cannot be read.
    NotCounted(GpuError),
    /// The times of a launch of any kind.
    Timed(Box<Call>, Box<timing::Timed>),
}

/// The number of steps per chunk: small at first and then doubling, so that the first steps arrive
/// soon and a long run does not keep the screen busy.
const PIECES: Range<usize> = 1 << 11..1 << 16;

impl Recording {
    /// The run that a recorder has begun, and which is the shown one.
    pub const fn new(id: RunId, recorder: Recorder, token: WorkToken) -> Self {
        Self { id, beside: false, recorder, steps: PIECES.start, token }
    }

    pub(super) const fn kind(&self) -> WorkKind {
        if self.beside { WorkKind::RecordBeside } else { WorkKind::Record }
    }

    /// Records to the end or until cancelled, and passes on the chunks.
    pub fn run(self, mut hand_out: impl FnMut(Event)) {
        let mut left = Some(self);
        while let Some(recording) = left {
            left = recording.record_chunk(&mut hand_out);
        }
    }

    /// Records the next chunk, and passes it on; returns what is left to be recorded.
    pub(super) fn record_chunk(mut self, mut hand_out: impl FnMut(Event)) -> Option<Self> {
        if self.token.is_cancelled() {
            return None;
        }
        let chunk = self.recorder.record(self.steps);
        self.steps = PIECES.end.min(2 * self.steps);
        let is_last = chunk.is_last();
        hand_out(Event::Recorded(self.id, chunk));
        (!is_last).then_some(self)
    }
}

impl SeekTask {
    /// Seeks, and passes on the result unless cancelled.
    pub fn run(self, mut hand_out: impl FnMut(Event)) {
        let Self { id, mut journey, token } = self;
        if journey.run(&token) {
            hand_out(Event::Arrived(id, journey, token));
        }
    }
}

/// Loads a kernel, and passes it on.
pub fn load(place: KernelIndex, problem: Problem, mut hand_out: impl FnMut(Event)) {
    hand_out(Event::Loaded(place, Box::new(Loaded::of(problem))));
}

/// Makes a kernel's product small, and passes it on.
pub fn shrink(of: KernelIndex, problem: &Problem, mut hand_out: impl FnMut(Event)) {
    hand_out(Event::Shrunk(of, Box::new(problem.shrunk())));
}

impl SettingTask {
    /// Compiles and loads the kernel, and passes it on.
    pub fn run(self, mut hand_out: impl FnMut(Event)) {
        if self.token.is_cancelled() {
            return;
        }
        let runs = self.cache.runs(&self.setting);
        let loaded = runs.map(|runs| Loaded {
            problem: runs.problem.clone(),
            program: Arc::clone(runs.program()),
            joins: Arc::clone(runs.joins()),
        });
        hand_out(Event::SettingLoaded(Box::new(self.setting), Box::new(loaded), self.token));
    }
}

impl MoveTask {
    /// Makes the move, and passes on the lesson after it unless cancelled.
    pub fn run(mut self, mut hand_out: impl FnMut(Event)) {
        if !self.token.is_cancelled() {
            self.session.perform(&self.what);
            hand_out(Event::Walked(Box::new(self.session), self.token));
        }
    }
}

impl PrefetchTask {
    /// Goes on to the next page.
    pub fn run(self) {
        self.session.look_ahead(&self.token);
    }
}

impl SaveTask {
    /// Adds it to the file; passes on what is to be said about that.
    pub fn run(self, mut hand_out: impl FnMut(Event)) {
        let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        progress.add(&self.happened, &self.day);
        progress.notices().into_iter().for_each(|notice| hand_out(Event::NotKept(notice)));
    }
}

impl Checking {
    /// Checks the run, and passes on the findings.
    pub fn run(self, mut hand_out: impl FnMut(Event)) {
        if !self.token.is_cancelled() {
            let looked = self.suspect.look();
            let told = |found, reach| {
                let (wrong, hazards) = (looked.wrong.clone(), looked.hazards.clone());
                let judged = looked.judged;
                let (supersteps, unordered) = (looked.supersteps.clone(), looked.unordered.clone());
                let checked =
                    CheckedRun { found, judged, wrong, hazards, supersteps, unordered, reach };
                Event::Checked(self.id, checked)
            };
            if self.suspect.problem.known.is_some() {
                return hand_out(told(
                    FindingInRun::all(&self.suspect, &looked),
                    CheckedReach::Block,
                ));
            }
            let diagnosis = self.suspect.diagnose(&looked);
            let found = |of_grid: Option<&GridFindings>| {
                FindingInRun::with_result(&self.suspect, &looked, diagnosis.as_ref(), of_grid)
            };
            if !self.suspect.has_small_grid(&looked) {
                return hand_out(told(found(None), CheckedReach::Alone));
            }
            hand_out(told(found(None), CheckedReach::SoFar));
            if let Some(of_grid) = self.suspect.look_at_grid(&looked, &self.token) {
                hand_out(told(found(Some(&of_grid)), CheckedReach::Grid));
            }
        }
    }
}

impl Planning {
    /// Derives the stage, and passes it on unless cancelled.
    pub fn run(self, mut hand_out: impl FnMut(Event)) {
        let Loaded { problem, program, .. } = &self.kernel;
        let plan = StagePlan::derive(problem, program, self.block, &self.token);
        if !self.token.is_cancelled() {
            hand_out(Event::Planned(self.id, Box::new(plan), self.token));
        }
    }
}

impl CountTask {
    /// Simulates until done or cancelled; passes on the progress now and then, and the result.
    pub fn run(self, hand_out: impl Fn(Event) + Send + Sync + 'static) {
        let Self { subject, token } = self;
        if token.is_cancelled() {
            return;
        }
        let hand_out = Arc::new(hand_out);
        let told = Arc::clone(&hand_out);
        let heard = token.heard_by(move |progress| {
            told(Event::Counting(subject, progress));
            ControlFlow::Continue(())
        });
        let counted = subject.count(&heard);
        if !token.is_cancelled() {
            hand_out(Event::Counted(subject, Box::new(counted)));
        }
    }
}

impl QuestionTask {
    /// Answers the question, and passes on what is known repeatedly until the answer is complete.
    pub fn run(self, mut hand_out: impl FnMut(Event)) {
        let Self { id, question, token } = self;
        // Who asks hears what is known until then.
        let _ = question.ask(&token, |answer| {
            let widths = answer.widths();
            hand_out(Event::Answered(id, answer, widths));
        });
    }
}

/// Translates an answer of the measuring process into an event for the screen.
pub fn event_of(request: &Request, answer: Response) -> Option<MeasureEvent> {
    let row = match request {
        Request::Measure(Measure { subject, .. })
        | Request::Count(CountRequest { subject, .. }) => MeasuredSubject::of(subject),
        Request::Time(Timing { call, .. }) => {
            MeasuredSubject { kernel: source_name(&call.entry).to_owned(), tile: None }
        }
        _ => return None,
    };
    match (request, answer) {
        (_, Response::Progress(phase)) => Some(MeasureEvent::Progress(row, phase)),
        (_, Response::Measured(measurement)) => Some(MeasureEvent::Measured(measurement)),
        (Request::Count(count), Response::Counted(counted)) => {
            Some(MeasureEvent::Counted(Box::new(count.clone()), Box::new(counted)))
        }
        (Request::Count(_), Response::Failed(error)) => Some(MeasureEvent::NotCounted(error)),
        (Request::Time(timing), Response::Timed(timed)) => {
            Some(MeasureEvent::Timed(Box::new(timing.call.clone()), timed))
        }
        (_, Response::Failed(error)) => Some(MeasureEvent::Failed(row, error)),
        _ => None,
    }
}
