//! What the screen wants done elsewhere, and the events that come of it.

use super::ladder_run::{self, Order};
use super::shelf::{Loaded, Place};
use crate::analysis::Counters;
use crate::analysis::block_classes::Progress;
use crate::gpu::GpuError;
use crate::gpu::protocol::{
    Answer, Count, Counted as HardwareCounts, Measure, Measurement, Phase, Request, Subject,
    is_library,
};
use crate::kernel::{Problem, Tile};
use crate::ptx::ParseError;
use crate::report::found::Found;
use crate::report::ladder::called;
use crate::report::value::Column;
use crate::study::counts::Subject as Counted;
use crate::study::findings::Suspect;
use crate::study::value::{self, Question};
use crate::trace::{Chunk, Journey, Recorder};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError, Weak};

/// Long or outward work. The state asks for it; the event loop has it done.
#[derive(Debug)]
pub enum Task {
    /// Make a kernel ready to run.
    Load(Place, Box<Problem>),
    /// Record a run.
    Record(Box<Recording>),
    /// Go to a place of a run that is far from where one is.
    Seek(Seeking),
    /// Check a run for everything that may be wrong with it.
    Check(Box<Checking>),
    /// Find out where a value came from, or where it went.
    Ask(Box<Inquiry>),
    /// Measure these, one after the other.
    Measure(Vec<Measure>),
    /// Read the hardware's counters of a launch.
    ReadCounters(Box<Count>),
    /// Measure the ladder.
    MeasureLadder(Order),
    /// Measure nothing any more.
    StopMeasuring,
    /// Count what a kernel does.
    Count(Counting),
    /// Save the screen as it is.
    SavePicture,
    /// Listen to the mouse, or not.
    Mouse(bool),
    /// Draw everything again.
    Redraw,
    /// Stop the program, as a shell does.
    Suspend,
}

/// Which run a chunk belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct RunId(pub u64);

/// Which question an answer belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct AskId(pub u64);

/// A run to be recorded for as long as somebody wants it.
#[derive(Debug)]
pub struct Recording {
    /// Which.
    pub id: RunId,
    /// Whether it is the run with which the one that is shown is compared.
    pub beside: bool,
    /// At its start.
    pub recorder: Recorder,
    /// Gone when nobody wants it any more.
    pub alive: Weak<()>,
}

/// A journey to be made for as long as somebody wants it.
#[derive(Debug)]
pub struct Seeking {
    /// Of which run.
    pub id: RunId,
    /// From where to where.
    pub journey: Box<Journey>,
    /// Gone when nobody wants it any more.
    pub alive: Weak<()>,
}

/// A question to be answered for as long as somebody wants to know.
#[derive(Debug)]
pub struct Inquiry {
    /// Which.
    pub id: AskId,
    /// What is to be found out.
    pub question: Question,
    /// Gone when nobody wants to know any more.
    pub alive: Weak<()>,
}

/// A run to be checked, if somebody still wants it then.
#[derive(Debug)]
pub struct Checking {
    /// Which.
    pub id: RunId,
    /// What is to be looked through.
    pub suspect: Suspect,
    /// Gone when nobody wants it any more.
    pub alive: Weak<()>,
}

/// A kernel to be simulated, if somebody still wants its counts then.
#[derive(Debug)]
pub struct Counting {
    /// Which.
    pub subject: Counted,
    /// Gone when nobody wants it any more.
    pub alive: Weak<()>,
}

/// What has happened elsewhere.
#[derive(Debug)]
pub enum Event {
    /// A kernel is ready to run, or cannot be run.
    Loaded(Place, Box<Result<Loaded, ParseError>>),
    /// A piece of a recording.
    Recorded(RunId, Chunk),
    /// The end of a journey, which the last word tells from others of that run.
    Arrived(RunId, Box<Journey>, Weak<()>),
    /// What is wrong with a run; nothing, if it is sound.
    Checked(RunId, Vec<Found>),
    /// What is known of a value, and how wide the columns of its table are.
    Answered(AskId, value::Answer, Vec<(Column, u16)>),
    /// News of a measurement.
    Gpu(News),
    /// News of the ladder of that number.
    Ladder(u64, ladder_run::News),
    /// How far the simulator is that counts a kernel.
    Counting(Counted, Progress),
    /// What the simulator counted of a kernel, or why it could not.
    Counted(Counted, Box<Result<Counters, String>>),
    /// The picture has been saved there, or not, for that reason.
    Saved(Result<PathBuf, String>),
}

/// What is measured: a kernel in its tile, or a library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timed {
    kernel: String,
    tile: Option<Tile>,
}

impl Timed {
    fn of(subject: &Subject) -> Self {
        Self { kernel: subject.name().to_owned(), tile: subject.tile() }
    }

    /// What its row is called.
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
    /// It is there.
    Progress(Timed, Phase),
    /// It is done.
    Measured(Box<Measurement>),
    /// It cannot be done.
    Failed(Timed, GpuError),
    /// The hardware's counters of a kernel with its tile, at a size.
    Counted(Box<Count>, Box<HardwareCounts>),
    /// They cannot be read.
    NotCounted(GpuError),
}

/// Steps that are recorded at a time: at first few, then more and more, so that what comes first is
/// there soon and what comes of a long run does not keep the screen busy.
const PIECES: Range<usize> = 1 << 11..1 << 16;

impl Recording {
    /// Records to the end, or until nobody wants it any more, and hands out the pieces.
    pub fn run(mut self, mut hand_out: impl FnMut(Event)) {
        let mut piece = PIECES.start;
        while self.alive.strong_count() > 0 {
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
    /// Goes there, and hands out the end of the journey.
    pub fn run(self, mut hand_out: impl FnMut(Event)) {
        let Self { id, mut journey, alive } = self;
        if journey.run(|| alive.strong_count() > 0) {
            hand_out(Event::Arrived(id, journey, alive));
        }
    }
}

/// Makes a kernel ready to run, and hands it out.
pub fn load(place: Place, problem: Problem, mut hand_out: impl FnMut(Event)) {
    hand_out(Event::Loaded(place, Box::new(Loaded::of(problem))));
}

impl Checking {
    /// Checks the run, and hands out what was found.
    pub fn run(self, mut hand_out: impl FnMut(Event)) {
        if self.alive.strong_count() > 0 {
            let found = Found::all(&self.suspect, &self.suspect.look());
            hand_out(Event::Checked(self.id, found));
        }
    }
}

impl Counting {
    /// Counts for as long as somebody wants it, says now and then how far it is, and hands out what
    /// came of it.
    pub fn run(self, hand_out: impl FnMut(Event) + Send) {
        let Self { subject, alive } = self;
        let wanted = || alive.strong_count() > 0;
        if !wanted() {
            return;
        }
        let hand_out = Mutex::new(hand_out);
        let say = |event| hand_out.lock().unwrap_or_else(PoisonError::into_inner)(event);
        let counted = subject.count_while(|progress| {
            say(Event::Counting(subject, progress));
            wanted()
        });
        if wanted() {
            say(Event::Counted(subject, Box::new(counted)));
        }
    }
}

impl Inquiry {
    /// Finds out, and hands out what is known, again and again, until all is.
    pub fn run(self, mut hand_out: impl FnMut(Event)) {
        let Self { id, question, alive } = self;
        // Who gives up has nobody to be told so.
        let _ = question.ask(
            || alive.strong_count() > 0,
            |answer| {
                let widths = answer.widths();
                hand_out(Event::Answered(id, answer, widths));
            },
        );
    }
}

/// What an answer of the measuring process means for the screen.
pub fn news(request: &Request, answer: Answer) -> Option<News> {
    let (Request::Measure(Measure { subject, .. }) | Request::Count(Count { subject, .. })) =
        request
    else {
        return None;
    };
    let row = Timed::of(subject);
    match (request, answer) {
        (_, Answer::Progress(phase)) => Some(News::Progress(row, phase)),
        (_, Answer::Measured(measurement)) => Some(News::Measured(measurement)),
        (Request::Count(count), Answer::Counted(counted)) => {
            Some(News::Counted(Box::new(count.clone()), Box::new(counted)))
        }
        (Request::Count(_), Answer::Failed(error)) => Some(News::NotCounted(error)),
        (_, Answer::Failed(error)) => Some(News::Failed(row, error)),
        _ => None,
    }
}
