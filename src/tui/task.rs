//! The tasks that the screen requests, and the events that report on them.

use super::edit::job::{Job, News as EditNews};
use super::kernel_cache::{KernelIndex, Loaded};
use super::ladder_run::{self, Order};
use super::lesson::{self, Dialling};
use super::own_time::Comparing;
use crate::kernel::{Call, Problem, Tile, source_name};
use crate::lesson::progress::Progress as Kept;
use crate::lesson::setting::Setting;
use crate::lesson::stage::Stages;
use crate::lesson::walk::{self, Move, Walk};
use crate::matrix::judge::{Off, Wrong};
use crate::report::found::{FindingInRun, Reach};
use crate::report::ladder::called;
use crate::report::timed::Compared;
use crate::report::value::Column;
use crate::study::counts::{CountError, Simulated, Subject as Counted};
use crate::study::findings::{BlockRun, GridFindings};
use crate::study::hazards::Hazard;
use crate::study::value::{self, Question};
use crate::timing::GpuError;
use crate::timing::protocol::{Answer, Phase, Request};
use crate::timing::{
    self, Count, Counted as HardwareCounts, Measure, Measurement, Subject, Timing, is_library,
};
use crate::trace::{BackgroundSeek, Chunk, Recorder};
use crate::work::{WorkProgress, WorkToken};
use ptx::ParseError;
use std::ops::ControlFlow;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// Work that is long or has effects outside the state. The state requests it; the event loop has it
/// done.
#[derive(Debug)]
pub enum Task {
    /// Make a kernel ready to run.
    Load(KernelIndex, Box<Problem>),
    /// Make the kernel of a lesson's scene ready to run.
    Stage(Box<Staging>),
    /// Judge settings of a lesson's dials.
    Dial(Box<Dialling>),
    /// Do what the learner does in a lesson.
    Walk(Box<Walking>),
    /// Run what a lesson will need next.
    LookAhead(Box<LookingAhead>),
    /// Keep what has happened in a lesson.
    Keep(Box<Keeping>),
    /// Record a run.
    Record(Box<Recording>),
    /// Seek to a distant position of a run.
    Seek(Seeking),
    /// Check a run for everything that may be wrong with it.
    Check(Box<Checking>),
    /// Find out where a value came from, or where it went.
    Ask(Box<Inquiry>),
    /// Measure these, one after the other.
    Measure(Vec<Request>),
    /// Compare what a launch has left on the GPU with the simulation.
    Compare(Box<Comparing>),
    /// Read the hardware counters of a launch.
    ReadCounters(Box<Count>),
    MeasureLadder(Order),
    StopMeasuring,
    /// Simulate a kernel to count its events.
    Count(Counting),
    /// Work on the file that is edited.
    Edit(Job),
    /// Save the screen as a picture.
    SavePicture,
    /// Capture the mouse, or release it.
    Mouse(bool),
    /// Redraw the whole screen.
    Redraw,
    /// Suspend the program, as Ctrl-Z does in a shell.
    Suspend,
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
    pub token: WorkToken,
}

/// The kernel of a lesson's scene, to be made ready unless it is cancelled first.
#[derive(Debug)]
pub struct Staging {
    /// The scene's setting.
    pub setting: Setting,
    /// The runs that were recorded for the lesson.
    pub stages: Stages,
    pub token: WorkToken,
}

/// A move in a lesson, to be made unless it is cancelled first.
#[derive(Debug)]
pub struct Walking {
    /// The lesson before the move.
    pub walk: Walk,
    pub what: Move,
    /// Identifies the move.
    pub token: WorkToken,
}

/// A copy of a lesson that goes on, until that is cancelled.
#[derive(Debug)]
pub struct LookingAhead {
    /// The copy.
    pub walk: Walk,
    pub token: WorkToken,
}

/// What has happened in a lesson, to be kept.
#[derive(Debug)]
pub struct Keeping {
    /// The learner's progress.
    pub progress: Arc<Mutex<Kept>>,
    pub happened: Vec<walk::Event>,
    pub day: String,
}

/// A background seek that can be cancelled.
#[derive(Debug)]
pub struct Seeking {
    pub id: RunId,
    /// The start and the destination.
    pub journey: Box<BackgroundSeek>,
    pub token: WorkToken,
}

/// A question to be answered until it is cancelled.
#[derive(Debug)]
pub struct Inquiry {
    /// The question's identifier.
    pub id: AskId,
    pub question: Question,
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

/// A kernel to be simulated for its counts, until it is cancelled.
#[derive(Debug)]
pub struct Counting {
    /// The kernel, its tile and its size.
    pub subject: Counted,
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
    pub wrong: Vec<Off>,
    /// The words of shared memory that hold a wrong value for a warp that will load them.
    pub hazards: Vec<Hazard>,
    /// What has been checked.
    pub reach: Reach,
}

/// A result of work done outside of the state.
#[derive(Debug)]
pub enum Event {
    /// A kernel was loaded, or cannot be run.
    Loaded(KernelIndex, Box<Result<Loaded, ParseError>>),
    /// The kernel of a lesson's scene is ready, or cannot be run for this reason; the last field
    /// identifies it among those of the lesson.
    Staged(Box<Setting>, Box<Result<Loaded, String>>, WorkToken),
    /// What was found out about settings of a lesson's dials; the last field is cancelled if nobody
    /// awaits it any more.
    Dialled(Box<lesson::News>, WorkToken),
    /// A lesson after the move that the last field identifies.
    Walked(Box<Walk>, WorkToken),
    Recorded(RunId, Chunk),
    /// A background seek is complete; the last field identifies it among those of its run.
    Arrived(RunId, Box<BackgroundSeek>, WorkToken),
    /// What has been found wrong with a run so far.
    Checked(RunId, CheckedRun),
    /// What is known of a value, and the widths of the columns of its table.
    Answered(AskId, value::Answer, Vec<(Column, u16)>),
    /// News of a measurement.
    Gpu(News),
    /// News of the ladder order of that number.
    Ladder(u64, ladder_run::News),
    /// How the buffers of a launch compare with the simulation's; the first field identifies it.
    Compared(WorkToken, Result<Vec<Compared>, String>),
    /// The progress of a kernel's simulation.
    Counting(Counted, WorkProgress),
    /// The simulated counts of a kernel, or why there are none.
    Counted(Counted, Box<Result<Simulated, CountError>>),
    /// What happens in lessons cannot be kept, for this reason.
    NotKept(String),
    /// News of the file that is edited.
    Edit(EditNews),
    /// The picture was saved to this path, or failed for this reason.
    Saved(Result<PathBuf, String>),
}

/// A measured subject: a kernel with its tile, or a library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timed {
    kernel: String,
    tile: Option<Tile>,
}

impl Timed {
    fn of(subject: &Subject) -> Self {
        Self { kernel: subject.name().to_owned(), tile: subject.tile() }
    }

    /// The name of its row.
    pub fn name(&self) -> String {
        called(&self.kernel, self.tile)
    }

    /// Whether it is a library.
    pub fn is_library(&self) -> bool {
        is_library(&self.kernel)
    }
}

/// News of a measurement.
#[derive(Clone, Debug, PartialEq)]
pub enum News {
    /// The measurement of the subject has reached this phase.
    Progress(Timed, Phase),
    /// The measurement is complete.
    Measured(Box<Measurement>),
    /// The measurement failed.
    Failed(Timed, GpuError),
    /// The hardware counters of a kernel with its tile, at one size.
    Counted(Box<Count>, Box<HardwareCounts>),
    /// The counters cannot be read.
    NotCounted(GpuError),
    /// The times of a launch of any kind.
    Timed(Box<Call>, Box<timing::Timed>),
}

/// The number of steps per chunk: small at first and then doubling, so that the first steps arrive
/// soon and a long run does not keep the screen busy.
const PIECES: Range<usize> = 1 << 11..1 << 16;

impl Recording {
    /// Records to the end or until cancelled, and passes on the chunks.
    pub fn run(mut self, mut hand_out: impl FnMut(Event)) {
        let mut piece = PIECES.start;
        while !self.token.is_cancelled() {
            let chunk = self.recorder.record(piece);
            piece = PIECES.end.min(2 * piece);
            let done = chunk.is_last();
            hand_out(Event::Recorded(self.id, chunk));
            if done {
                return;
            }
        }
    }
}

impl Seeking {
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

impl Staging {
    /// Compiles and loads the kernel, and passes it on.
    pub fn run(self, mut hand_out: impl FnMut(Event)) {
        if self.token.is_cancelled() {
            return;
        }
        let stage = self.stages.of(&self.setting).map_err(|why| why.message);
        let loaded = stage.map(|stage| Loaded {
            problem: stage.problem.clone(),
            program: Arc::clone(stage.program()),
            joins: Arc::clone(stage.joins()),
        });
        hand_out(Event::Staged(Box::new(self.setting), Box::new(loaded), self.token));
    }
}

impl Walking {
    /// Makes the move, and passes on the lesson after it unless cancelled.
    pub fn run(mut self, mut hand_out: impl FnMut(Event)) {
        if !self.token.is_cancelled() {
            self.walk.perform(&self.what);
            hand_out(Event::Walked(Box::new(self.walk), self.token));
        }
    }
}

impl LookingAhead {
    /// Goes on to the next page.
    pub fn run(self) {
        self.walk.look_ahead(&self.token);
    }
}

impl Keeping {
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
                Event::Checked(self.id, CheckedRun { found, judged, wrong, hazards, reach })
            };
            if self.suspect.problem.known.is_some() {
                return hand_out(told(FindingInRun::all(&self.suspect, &looked), Reach::Block));
            }
            let diagnosis = self.suspect.diagnose(&looked);
            let found = |of_grid: Option<&GridFindings>| {
                FindingInRun::with_result(&self.suspect, &looked, diagnosis.as_ref(), of_grid)
            };
            if !self.suspect.has_small_grid(&looked) {
                return hand_out(told(found(None), Reach::Alone));
            }
            hand_out(told(found(None), Reach::SoFar));
            if let Some(of_grid) = self.suspect.look_at_grid(&looked, &self.token) {
                hand_out(told(found(Some(&of_grid)), Reach::Grid));
            }
        }
    }
}

impl Counting {
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

impl Inquiry {
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

/// Translates an answer of the measuring process into news for the screen.
pub fn news(request: &Request, answer: Answer) -> Option<News> {
    let row = match request {
        Request::Measure(Measure { subject, .. }) | Request::Count(Count { subject, .. }) => {
            Timed::of(subject)
        }
        Request::Time(Timing { call, .. }) => {
            Timed { kernel: source_name(&call.entry).to_owned(), tile: None }
        }
        _ => return None,
    };
    match (request, answer) {
        (_, Answer::Progress(phase)) => Some(News::Progress(row, phase)),
        (_, Answer::Measured(measurement)) => Some(News::Measured(measurement)),
        (Request::Count(count), Answer::Counted(counted)) => {
            Some(News::Counted(Box::new(count.clone()), Box::new(counted)))
        }
        (Request::Count(_), Answer::Failed(error)) => Some(News::NotCounted(error)),
        (Request::Time(timing), Answer::Timed(timed)) => {
            Some(News::Timed(Box::new(timing.call.clone()), timed))
        }
        (_, Answer::Failed(error)) => Some(News::Failed(row, error)),
        _ => None,
    }
}
