//! The Measure screen's state: which picture, which kernels, at which size, of which measurements.

use super::action::MeasureAction;
use super::ladder_run::LadderRun;
use super::task::Counting;
use super::theme::Look;
use super::widget::pictures::{Picture, Scene};
use crate::analysis::Counters;
use crate::analysis::block_classes::Progress;
use crate::gpu::pack::Pack;
use crate::matrix::Size;
use crate::report::charts::Shown;
use crate::report::charts::Traffic;
use crate::report::charts::counts::Counts;
use crate::report::ladder;
use crate::study::counts::Subject;
use std::borrow::Cow;
use std::sync::Arc;

/// What the Measure screen is made of.
#[derive(Debug, Default)]
pub struct MeasureData {
    /// What was recorded, if anything was.
    pub recorded: Option<Cow<'static, Pack>>,
    /// What was measured here, by a key of the screen.
    pub live: Option<LadderRun>,
    /// What was simulated of the kernels that were measured.
    pub counts: Counts,
    /// What is being simulated.
    pub counting: Option<Underway>,
}

/// A kernel that is being simulated; nobody wants its counts any more when this is gone.
#[derive(Debug)]
pub struct Underway {
    /// Which.
    pub subject: Subject,
    /// How far it is, as soon as it has taken a while.
    pub progress: Option<Progress>,
    _alive: Arc<()>,
}

impl Underway {
    /// How far it is, in a line.
    pub fn line(&self) -> String {
        let Subject { kernel, tile, size } = self.subject;
        let counts = format!("the simulator counts {} {tile} at {size}", kernel.name);
        match self.progress {
            None => format!("{counts} ..."),
            Some(Progress { known, blocks, instructions }) => format!(
                "{counts}: {known} of {blocks} blocks, {:.0} M instructions; Esc stops it",
                instructions as f64 / 1e6
            ),
        }
    }
}

/// Why a kernel has no counts that the user did not wait for.
const STOPPED: &str = "it was stopped";

/// Where the user is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeasureView {
    /// The picture that has the focus: where there is no room for all, it is shown.
    pub picture: Picture,
    /// Whether it is shown alone, whatever room there is.
    pub alone: bool,
    /// The selected rung.
    pub rung: usize,
    /// The rung that it is compared with; the one before it, if none was marked.
    pub beside: Option<usize>,
    /// The size whose rungs are shown.
    pub size: Size,
    /// Whose bytes the roofline counts.
    pub traffic: Traffic,
    /// Whether what was measured here is shown, and not what was recorded.
    pub live: bool,
}

impl MeasureData {
    /// What a board shows: nothing, if nothing was measured.
    pub fn pack(&self, live: bool) -> Option<&Pack> {
        let own = self.live.as_ref().and_then(|live| live.pack.as_ref());
        if live { own } else { self.recorded.as_deref() }
    }

    /// All that the pictures are made of.
    pub fn shown(&self, board: &MeasureView) -> Option<Shown<'_>> {
        let pack = self.pack(board.live)?;
        let chosen = (board.rung, board.beside);
        Some(Shown::new(pack, &self.counts, board.size, chosen, board.traffic))
    }

    /// The same, as pictures are drawn of it.
    pub fn scene(&self, board: &MeasureView, look: Look) -> Option<Scene<'_>> {
        let counting = self.counting.as_ref().map(Underway::line);
        Some(Scene { shown: self.shown(board)?, now: board.live, counting, look })
    }

    /// How far it is that is being simulated.
    pub fn hear_progress(&mut self, subject: Subject, progress: Progress) {
        let of_it = self.counting.as_mut().filter(|counting| counting.subject == subject);
        if let Some(counting) = of_it {
            counting.progress = Some(progress);
        }
    }

    /// What was counted of a kernel.
    pub fn hear(&mut self, subject: Subject, counted: Result<Counters, String>) {
        self.counts.put(subject, counted);
        self.counting.take_if(|counting| counting.subject == subject);
    }

    /// What is to be simulated for these: one kernel at a time, for each takes every core. What is
    /// being simulated and no longer among them is given up.
    pub fn next_count(&mut self, wanted: &[Subject]) -> Option<Counting> {
        self.counting.take_if(|counting| !wanted.contains(&counting.subject));
        if self.counting.is_some() {
            return None;
        }
        let subject = *wanted.first()?;
        let alive = Arc::new(());
        let counting = Counting { subject, alive: Arc::downgrade(&alive) };
        self.counting = Some(Underway { subject, progress: None, _alive: alive });
        Some(counting)
    }

    /// Gives up what is being simulated, if it has taken a while: it is not begun again. Whether
    /// there was such a thing.
    pub fn stop_counting(&mut self) -> bool {
        let stopped = self.counting.take_if(|counting| counting.progress.is_some());
        if let Some(Underway { subject, .. }) = &stopped {
            self.counts.put(*subject, Err(STOPPED.to_owned()));
        }
        stopped.is_some()
    }

    /// Simulates all that a board wants, however long it takes: where nobody waits at a screen.
    pub fn count(&mut self, board: &MeasureView) {
        while let Some(subject) = self.wanted(board).first().copied() {
            self.hear(subject, subject.count());
        }
    }

    /// What a board wants to know and is not yet known.
    pub fn wanted(&self, board: &MeasureView) -> Vec<Subject> {
        let Some(shown) = self.shown(board) else { return Vec::new() };
        let pair = shown.pair().into_iter().flatten();
        let all = shown.rungs.iter().filter(|_| board.traffic == Traffic::Shared);
        let subjects = pair.chain(all).filter_map(|rung| Subject::of(rung.row));
        subjects.filter(|subject| self.counts.known(subject).is_none()).collect()
    }
}

impl MeasureView {
    /// The rungs at the size of the story, `kernel` selected.
    pub fn new(pack: &Pack, kernel: &str) -> Self {
        let size = ladder::first_size(&pack.rows);
        let rungs = ladder::rungs(&pack.rows, size);
        let rung = rungs.iter().position(|rung| rung.row.kernel == kernel).unwrap_or(0);
        Self {
            picture: Picture::Ladder,
            alone: false,
            rung,
            beside: None,
            size,
            traffic: Traffic::default(),
            live: false,
        }
    }

    /// Where a key leads; what concerns more than the board is done elsewhere.
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
            MeasureAction::Traffic => Self { traffic: self.traffic.other(), ..self },
            MeasureAction::Measure | MeasureAction::Origin => self,
        }
    }

    /// That kernel, of what was measured here.
    #[must_use]
    pub fn at(self, pack: &Pack, size: Size, kernel: &str) -> Self {
        let rungs = ladder::rungs(&pack.rows, size);
        let rung = rungs.iter().position(|rung| rung.row.kernel == kernel).unwrap_or(0);
        Self { rung, size, beside: None, live: true, ..self }
    }

    /// The same kernels at the next size, or the last.
    fn resized(self, pack: &Pack, by: isize) -> Self {
        let sizes = ladder::sizes(&pack.rows);
        let at = sizes.iter().position(|size| *size == self.size).unwrap_or(0);
        let size = sizes.get(at.saturating_add_signed(by)).copied().unwrap_or(self.size);
        self.moved((pack, self.size), (pack, size))
    }

    /// The same kernels elsewhere; by their names, for not every kernel was measured everywhere.
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
