//! The run on the screen: the run itself, and what is looked at in it.

use super::followed_value::Followed;
use super::lesson::SavedRun;
use super::playback::WarpSelection;
use super::session::Session;
use super::task::RunId;
use crate::report::pointed::PointedAt;
use crate::trace::{Last, WarpNow};

#[derive(Debug)]
pub struct RunView {
    pub session: Session,
    /// The run of the other kernel in the comparison, once the comparison has been opened.
    pub other: Option<Session>,
    /// The number of runs so far, which numbers the next run; likewise `asks` for questions.
    pub runs: u64,
    pub asks: u64,
    /// The followed value.
    pub followed: Option<Followed>,
    pub pointed: Option<PointedAt>,
    /// What the mouse points at, without a click: it goes as the mouse does.
    pub hovered: Option<PointedAt>,
    /// Whether the arrow keys move the point.
    pub pointing: bool,
    /// The warp that the panels show.
    pub warp: usize,
    /// The lane of it that was pointed at last.
    pub lane: usize,
    /// (step, warp): the warp to select when that step is reached.
    pub pending_warp: Option<(usize, usize)>,
    pub watch: WarpSelection,
    /// The position in the run that the panels last caught up with.
    pub here: (RunId, usize),
    /// The run that stood before the lessons.
    pub stood: Option<Box<SavedRun>>,
}

impl RunView {
    /// The first run of a screen.
    pub fn new(session: Session) -> Self {
        Self {
            here: (RunId(0), 0),
            session,
            other: None,
            runs: 1,
            asks: 0,
            followed: None,
            pointed: None,
            hovered: None,
            pointing: false,
            warp: 0,
            lane: 0,
            pending_warp: None,
            watch: WarpSelection::default(),
            stood: None,
        }
    }

    /// The number of the next run.
    pub fn next_id(&mut self) -> RunId {
        self.runs += 1;
        RunId(self.runs - 1)
    }

    /// Yields the runs that are shown.
    pub fn sessions(&mut self) -> impl Iterator<Item = &mut Session> {
        [Some(&mut self.session), self.other.as_mut()].into_iter().flatten()
    }

    /// Returns the run with this identifier, if it still exists.
    pub fn with_id(&mut self, id: RunId) -> Option<&mut Session> {
        self.sessions().find(|run| run.id() == id)
    }

    /// Returns the selected warp's last access in the given memory space.
    pub fn last(&self, of: impl Fn(&WarpNow) -> &Option<Last>) -> Option<&Last> {
        self.session.place().warps.get(self.warp).and_then(|warp| of(warp).as_ref())
    }

    /// Selects a warp, no further than the last.
    pub fn select(&mut self, warp: usize) {
        self.warp = warp.min(self.session.place().warps.len().saturating_sub(1));
    }

    /// Whether what is under the mouse may be pointed at: nothing else is.
    pub fn can_hover(&self) -> bool {
        !self.pointing && (self.pointed.is_none() || self.pointed == self.hovered)
    }

    /// Points at nothing; returns whether something was pointed at.
    pub fn leave_point(&mut self) -> bool {
        (self.pointing, self.hovered) = (false, None);
        self.pointed.take().is_some()
    }

    /// Selects the warp that is aimed at or, unless the user chose one, that which issued the step.
    pub fn settle_warp(&mut self) {
        self.pending_warp = self.pending_warp.filter(|(step, _)| *step == self.session.heading());
        let aimed = self.pending_warp.filter(|(step, _)| *step == self.session.at());
        match (self.watch, &self.session.place().step) {
            _ if aimed.is_some() => self.warp = aimed.map_or(self.warp, |(_, warp)| warp),
            (WarpSelection::Issuing, Some(step)) => self.warp = usize::from(step.warp),
            (WarpSelection::Issuing, None) | (WarpSelection::Chosen, _) => {}
        }
    }
}
