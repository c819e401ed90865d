//! Another run in the place of the one that is shown, or beside it.

use crate::tui::app::App;
use crate::tui::session::{Goal, Session};
use crate::tui::shelf::Place;
use crate::tui::task::{Recording, RunId, Task};

/// A new run and what is to be recorded of it.
pub(super) type Made = (Session, Recording);

impl App {
    /// A new run takes the place of the one that is shown.
    pub(super) fn show(&mut self, make: impl FnOnce(&Session, RunId) -> Made) {
        self.show_at(make, |_, _| 0);
    }

    /// The same, and it stands at the same place of the work.
    pub(super) fn show_at_work(&mut self, make: impl FnOnce(&Session, RunId) -> Made) {
        self.show_at(make, Session::work_of);
    }

    /// Another kernel, at the same place of the work: at once, or as soon as it is loaded.
    pub(super) fn turn_to(&mut self, place: Place) {
        let Some(loaded) = self.shelf.loaded(place).cloned() else {
            self.turning = Some(place);
            return self.load(place);
        };
        (self.kernel, self.turning) = (place, None);
        let block = self.session.block_in(&loaded.problem);
        self.show_at_work(|was, id| Session::new(id, loaded, block, was.order()));
    }

    fn load(&mut self, place: Place) {
        let problem = self.shelf.ask(place);
        self.tasks.extend(problem.map(|problem| Task::Load(place, Box::new(problem))));
    }

    /// A new run, after as many multiply-adds as `work` says of it and of the one before.
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
        self.warp = self.warp.min(self.session.place().warps.len().saturating_sub(1));
        self.scroll = 0;
        self.ask();
    }

    /// The other kernel's run, at the same place of the work.
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

    /// At once, or as soon as it is loaded.
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
