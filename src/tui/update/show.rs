//! Replaces the shown run, or starts the second one of the comparison.

use crate::kernel::Problem;
use crate::launch::Dim3;
use crate::tui::app::{App, Overlay};
use crate::tui::kernel_cache::KernelIndex;
use crate::tui::session::{Goal, Session};
use crate::tui::task::{Recording, RunId, Task};

/// A new run and the task that records it.
pub(super) type Made = (Session, Recording);

impl App {
    /// Replaces the shown run by a new one, at its start.
    pub(super) fn show(&mut self, make: impl FnOnce(&Session, RunId) -> Made) {
        self.show_at(make, |_, _| 0);
    }

    /// Replaces the shown run by a new one, after the same amount of work.
    pub(super) fn show_at_work(&mut self, make: impl FnOnce(&Session, RunId) -> Made) {
        self.show_at(make, Session::work_of);
    }

    /// Replaces the shown run by a new one, after the same amount of work and as many steps of it.
    pub(super) fn show_in_place(&mut self, make: impl FnOnce(&Session, RunId) -> Made) {
        let (fma, beyond) = (self.session.work(), self.session.beyond_work());
        self.show_at_work(make);
        self.session.go(Goal::Beyond(fma, beyond));
        self.here = (self.session.id(), self.session.at());
    }

    /// Shows another kernel, after the same amount of work: at once, or as soon as it is loaded.
    pub(super) fn turn_to(&mut self, place: KernelIndex) {
        let Some(loaded) = self.shelf.loaded(place).cloned() else {
            self.turning = Some(place);
            return self.load(place);
        };
        self.turning = None;
        let was = std::mem::replace(&mut self.kernel, place);
        self.settle_tile(was);
        let block = self.block_at_corner(&loaded.problem);
        self.show_at_work(|was, id| Session::new(id, loaded, block, was.order()));
    }

    /// After a change of the tile: compares with the tile before, and says what has changed.
    fn settle_tile(&mut self, was: KernelIndex) {
        let [now, then] = [self.kernel, was].map(|place| self.shelf.problem(place).name());
        self.before = Some(was).filter(|_| now == then && was != self.kernel);
        if self.before.is_some() {
            self.measures.turn_to(&self.shelf.problems());
            self.overlay = self.overlay.take().or(Some(Overlay::Tile));
        }
    }

    /// Returns the block of another problem that computes the element of C that is watched. That
    /// stays the same while the tile grows and shrinks, so that the block is found again.
    fn block_at_corner(&mut self, other: &Problem) -> Dim3 {
        let (session, grid) = (&self.session, other.launch.grid);
        let part = session.problem().part(session.block());
        let own = part.as_ref().map(|(rows, columns)| (rows.start, columns.start));
        let inside = |(row, column): &(u32, u32)| {
            part.as_ref()
                .is_some_and(|(rows, columns)| rows.contains(row) && columns.contains(column))
        };
        self.corner = self.corner.filter(inside).or(own);
        let block = self.corner.and_then(|(row, column)| other.block_of(row, column));
        block.filter(|block| grid.contains(*block)).unwrap_or(session.block())
    }

    fn load(&mut self, place: KernelIndex) {
        let problem = self.shelf.ask(place);
        self.tasks.extend(problem.map(|problem| Task::Load(place, Box::new(problem))));
    }

    /// Replaces the shown run by a new one, after the number of multiply-adds that `work` computes
    /// from both runs.
    fn show_at(
        &mut self,
        make: impl FnOnce(&Session, RunId) -> Made,
        work: impl FnOnce(&Session, &Session) -> u32,
    ) {
        let id = RunId(self.runs);
        self.runs += 1;
        let (session, recording) = make(&self.session, id);
        self.tasks.push(Task::Check(Box::new(session.checking())));
        let work = work(&session, &self.session);
        self.session = session;
        self.session.go(Goal::Work(work));
        self.here = (id, self.session.at());
        self.tasks.push(Task::Record(Box::new(recording)));
        self.other = None;
        (self.pointed, self.pointing) = (None, false);
        self.warp = self.warp.min(self.session.place().warps.len().saturating_sub(1));
        self.scroll = 0;
        self.ask();
    }

    /// Brings the other kernel's run to the same amount of work, or to its end beside the end.
    pub(super) fn settle_comparison(&mut self) {
        if self.other.is_none() {
            self.start_other();
        }
        let Some(other) = &mut self.other else { return };
        if self.session.at_end() {
            if !other.at_end() {
                other.go(Goal::End);
            }
            return;
        }
        let work = other.work_of(&self.session);
        if other.work() != work || other.at_end() {
            other.go(Goal::Work(work));
        }
    }

    /// Starts the other kernel's run at once, or loads the kernel first.
    fn start_other(&mut self) {
        let Some(place) = self.compared() else { return };
        let Some(loaded) = self.shelf.loaded(place).cloned() else { return self.load(place) };
        let id = RunId(self.runs);
        self.runs += 1;
        let block = self.session.block_in(&loaded.problem);
        let (other, recording) = Session::new(id, loaded, block, self.session.order());
        self.tasks.push(Task::Record(Box::new(Recording { beside: true, ..recording })));
        self.other = Some(other);
    }
}
