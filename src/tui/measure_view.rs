//! The state of the Measure screen: the picture, the kernels, the size and the data source shown.

use super::action::MeasureAction;
use super::ladder_run::LadderRun;
use super::task::CountTask;
use super::theme::Look;
use super::widget::pictures::{Picture, PictureScene};
use crate::matrix::Size;
use crate::report::charts::ChartData;
use crate::report::charts::Traffic;
use crate::report::charts::counts::ChartCounts;
use crate::report::charts::roofline::limiting;
use crate::report::ladder::{self, Rung};
use crate::study::counts::{CountError, LaunchCounts, SizedSubject};
use crate::timing::pack::Pack;
use crate::work::{WorkOwner, WorkProgress, WorkToken};
use std::borrow::Cow;
use std::ops::ControlFlow;

/// The data behind the Measure screen.
#[derive(Debug, Default)]
pub struct MeasureData {
    /// The recorded measurements, if any.
    pub recorded: Option<Cow<'static, Pack>>,
    /// The measurement taken on this machine, started from the Measure screen.
    pub live: Option<LadderRun>,
    /// The simulated counts of the measured kernels.
    pub counts: ChartCounts,
    /// The simulation in progress.
    pub counting: Option<RunningCount>,
}

/// A kernel that is being simulated; dropping this cancels the simulation.
#[derive(Debug)]
pub struct RunningCount {
    /// The kernel, its tile and its size.
    pub subject: SizedSubject,
    /// The progress, or `None` until the simulation has taken a while.
    pub progress: Option<WorkProgress>,
    _owner: WorkOwner,
}

impl RunningCount {
    /// Describes the progress in one line.
    pub fn line(&self) -> String {
        let SizedSubject { kernel, tile, size } = self.subject;
        let counts = format!("counting {} {tile} at {size}", kernel.name);
        match self.progress {
            None => format!("{counts} ..."),
            Some(WorkProgress { done, total, instructions, .. }) => format!(
                "{counts}: {done} of {total} blocks, {:.0} M instructions; Esc stops it",
                instructions as f64 / 1e6
            ),
        }
    }
}

/// A simulation that cannot be interrupted gives up after this many warp instructions: thirty times
/// those of the largest recorded matrices.
const MOST_INSTRUCTIONS: u64 = 1 << 28;

/// The user's position on the Measure screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeasureView {
    /// The focused picture, which is the one shown if there is no room for all.
    pub picture: Picture,
    /// Whether the picture is shown alone, even if there is room for more.
    pub alone: bool,
    /// The index of the selected rung.
    pub rung: usize,
    /// The rung to compare it with, or `None` for its predecessor.
    pub beside: Option<usize>,
    /// The size whose rungs are shown.
    pub size: Size,
    /// The memory whose traffic the roofline shows, or `None` for the one that limits the kernel.
    pub traffic: Option<Traffic>,
    /// Whether to show what was measured on this machine instead of the recorded measurements.
    pub live: bool,
}

impl MeasureData {
    /// Returns the measurements taken on this machine, or the recorded ones; `None` if there are
    /// none.
    pub fn pack(&self, live: bool) -> Option<&Pack> {
        let own = self.live.as_ref().and_then(|live| live.pack.as_ref());
        if live { own } else { self.recorded.as_deref() }
    }

    /// Returns the data from which the pictures are made.
    pub fn shown(&self, board: &MeasureView) -> Option<ChartData<'_>> {
        let pack = self.pack(board.live)?;
        let chosen = (board.rung, board.beside);
        let traffic = board.traffic.unwrap_or_default();
        let mut shown = ChartData::new(pack, &self.counts, board.size, chosen, traffic);
        shown.traffic = board.traffic.unwrap_or_else(|| limiting(&shown));
        Some(shown)
    }

    /// Returns the scene from which the pictures are drawn.
    pub fn scene(&self, board: &MeasureView, look: Look) -> Option<PictureScene<'_>> {
        let counting = self.counting.as_ref().map(RunningCount::line);
        Some(PictureScene { shown: self.shown(board)?, now: board.live, counting, look })
    }

    /// Handles the progress of the simulation.
    pub fn hear_progress(&mut self, subject: SizedSubject, progress: WorkProgress) {
        let of_it = self.counting.as_mut().filter(|counting| counting.subject == subject);
        if let Some(counting) = of_it {
            counting.progress = Some(progress);
        }
    }

    /// Handles the simulated counts of a kernel.
    pub fn hear(&mut self, subject: SizedSubject, counted: Result<LaunchCounts, CountError>) {
        self.counts.put(subject, counted);
        self.counting.take_if(|counting| counting.subject == subject);
    }

    /// Returns the next kernel to simulate out of `wanted`: one at a time, since each uses every
    /// core. A running simulation that is no longer wanted is cancelled.
    pub fn next_count(&mut self, wanted: &[SizedSubject]) -> Option<CountTask> {
        self.counting.take_if(|counting| !wanted.contains(&counting.subject));
        if self.counting.is_some() {
            return None;
        }
        let subject = *wanted.first()?;
        let owner = WorkOwner::default();
        let counting = CountTask { subject, token: owner.token() };
        self.counting = Some(RunningCount { subject, progress: None, _owner: owner });
        Some(counting)
    }

    /// Cancels the running simulation if it has taken a while, so that it is not started again.
    /// Returns whether one was cancelled.
    pub fn stop_counting(&mut self) -> bool {
        let stopped = self.counting.take_if(|counting| counting.progress.is_some());
        if let Some(RunningCount { subject, .. }) = &stopped {
            self.counts.put(*subject, Err(CountError::Stopped));
        }
        stopped.is_some()
    }

    /// Simulates everything that a view needs, without a screen and so without a way to interrupt it. Gives
    /// up kernels that take too long, as a pack may name any size.
    pub fn count(&mut self, board: &MeasureView, token: &WorkToken) {
        let kernels = self.wanted(board).len();
        loop {
            let wanted = self.wanted(board);
            _ = token.step("kernel", (kernels - wanted.len()) as u64, kernels as u64);
            let Some(subject) = wanted.first().copied() else { break };
            let short = WorkToken::default().heard_by(|progress| match progress.instructions {
                0..MOST_INSTRUCTIONS => ControlFlow::Continue(()),
                _ => ControlFlow::Break(()),
            });
            self.hear(subject, subject.count(&short));
        }
    }

    /// Returns the subjects whose counts a view needs and which are not known yet.
    pub fn wanted(&self, board: &MeasureView) -> Vec<SizedSubject> {
        let Some(shown) = self.shown(board) else { return Vec::new() };
        let beside = shown.beside.and_then(|rung| shown.rungs.get(rung));
        let pair = beside.into_iter().chain(shown.current());
        // Every kernel has a point in the roofline, which takes long: only for who looks at it.
        let looks = board.picture == Picture::Roofline;
        let unknown = |rung: &&Rung<'_>| looks && shown.bytes(rung).is_none();
        let all = shown.rungs.iter().filter(unknown);
        let subjects = pair.chain(all).filter_map(|rung| SizedSubject::of(rung.row));
        subjects.filter(|subject| self.counts.known(subject).is_none()).collect()
    }
}

impl MeasureView {
    /// Creates a view of the rungs at a measured size, with `kernel` selected.
    pub fn new(pack: &Pack, size: Size, kernel: &str) -> Self {
        let rungs = ladder::rungs(&pack.rows, size);
        let rung = rungs.iter().position(|rung| rung.row.kernel == kernel).unwrap_or(0);
        Self {
            // The answer first; the ladder stands beside it.
            picture: Picture::Why,
            alone: false,
            rung,
            beside: None,
            size,
            traffic: None,
            live: false,
        }
    }

    /// Returns the view after an action; actions that affect more than the view are handled
    /// elsewhere.
    #[must_use]
    pub fn turned(self, pack: &Pack, turn: MeasureAction) -> Self {
        let last = ladder::rungs(&pack.rows, self.size).len().saturating_sub(1);
        match turn {
            MeasureAction::NextKernel => Self { rung: (self.rung + 1).min(last), ..self },
            MeasureAction::PreviousKernel => Self { rung: self.rung.saturating_sub(1), ..self },
            MeasureAction::FirstKernel => Self { rung: 0, ..self },
            MeasureAction::LastKernel => Self { rung: last, ..self },
            MeasureAction::NextPicture => Self { picture: self.picture.by(1), ..self },
            MeasureAction::PreviousPicture => Self { picture: self.picture.by(-1), ..self },
            MeasureAction::Show(picture) => {
                let again = self.picture == picture && !self.alone;
                Self { picture, alone: again, ..self }
            }
            MeasureAction::Alone => Self { alone: !self.alone, ..self },
            MeasureAction::Larger => self.resized(pack, 1),
            MeasureAction::Smaller => self.resized(pack, -1),
            MeasureAction::Beside => {
                let beside = (self.beside != Some(self.rung)).then_some(self.rung);
                Self { beside, ..self }
            }
            MeasureAction::Measure | MeasureAction::Origin | MeasureAction::Traffic => self,
        }
    }

    /// Returns a view of this kernel in the measurements taken on this machine.
    #[must_use]
    pub fn at(self, pack: &Pack, size: Size, kernel: &str) -> Self {
        let rungs = ladder::rungs(&pack.rows, size);
        let rung = rungs.iter().position(|rung| rung.row.kernel == kernel).unwrap_or(0);
        Self { rung, size, beside: None, live: true, ..self }
    }

    /// Returns a view of the same kernels at the next size in direction `by`, or at the last size.
    fn resized(self, pack: &Pack, by: isize) -> Self {
        let sizes = ladder::sizes(&pack.rows);
        let at = sizes.iter().position(|size| *size == self.size).unwrap_or(0);
        let size = sizes.get(at.saturating_add_signed(by)).copied().unwrap_or(self.size);
        self.moved((pack, self.size), (pack, size))
    }

    /// Returns a view of the same kernels in other measurements or at another size, matched by
    /// name: not every kernel was measured at every size.
    #[must_use]
    pub fn moved(self, from: (&Pack, Size), to: (&Pack, Size)) -> Self {
        let [before, after] = [from, to].map(|(pack, size)| ladder::rungs(&pack.rows, size));
        let there = |rung: usize| {
            let name = &before.get(rung)?.row.kernel;
            after.iter().position(|other| other.row.kernel == *name)
        };
        let rung = there(self.rung).unwrap_or(0);
        Self { size: to.1, rung, beside: self.beside.and_then(there), ..self }
    }
}
