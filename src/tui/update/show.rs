//! Replaces the shown run, or starts the second one of the comparison.

use crate::tui::app::App;
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

    /// Shows another kernel, after the same amount of work: at once, or as soon as it is loaded.
    pub(super) fn turn_to(&mut self, place: KernelIndex) {
        let Some(loaded) = self.shelf.loaded(place).cloned() else {
            self.turning = Some(place);
            return self.load(place);
        };
        (self.kernel, self.turning) = (place, None);
        let block = self.session.block_in(&loaded.problem);
        self.show_at_work(|was, id| Session::new(id, loaded, block, was.order()));
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

    /// Brings the other kernel's run to the same amount of work.
    pub(super) fn settle_comparison(&mut self) {
        if self.other.is_none() {
            self.start_other();
        }
        let Some(other) = &mut self.other else { return };
        let work = other.work_of(&self.session);
        if other.work() != work {
            other.go(Goal::Work(work));
        }
    }

    /// Starts the other kernel's run at once, or loads the kernel first.
    fn start_other(&mut self) {
        let Some(place) = self.beside() else { return };
        let Some(loaded) = self.shelf.loaded(place).cloned() else { return self.load(place) };
        let id = RunId(self.runs);
        self.runs += 1;
        let block = self.session.block_in(&loaded.problem);
        let (other, recording) = Session::new(id, loaded, block, self.session.order());
        self.tasks.push(Task::Record(Box::new(Recording { beside: true, ..recording })));
        self.other = Some(other);
    }
}
