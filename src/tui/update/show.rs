//! Goes to another step or block, replaces the shown run, or starts the second one of the comparison.

use crate::analysis::banks;
use crate::kernel::Problem;
use crate::launch::Dim3;
use crate::report::found::FindingStep;
use crate::sim::Access;
use crate::trace::cursor::StepSize;
use crate::tui::app::{App, Overlay};
use crate::tui::facts::passes;
use crate::tui::kernel_cache::KernelIndex;
use crate::tui::motion::FloorSlide;
use crate::tui::session::{SeekGoal, Session};
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
        let (fma, beyond) = (self.run.session.work(), self.run.session.beyond_work());
        self.show_at_work(make);
        self.run.session.go(SeekGoal::Beyond(fma, beyond));
        self.run.here = (self.run.session.id(), self.run.session.at());
    }

    /// Shows another kernel, after the same amount of work: at once, or as soon as it is loaded.
    pub(super) fn turn_to(&mut self, place: KernelIndex) {
        let Some(loaded) = self.kernels.cache.loaded(place).cloned() else {
            self.kernels.loading = Some(place);
            return self.load(place);
        };
        self.kernels.loading = None;
        let was = std::mem::replace(&mut self.kernels.shown, place);
        self.settle_tile(was);
        let block = self.block_at_corner(&loaded.problem);
        let (shared, events) = (passes::own(self).cloned(), self.run.session.events_beyond_work());
        self.show_at_work(|was, id| Session::new(id, loaded, block, was.order()));
        if let Some(access) = shared {
            self.slide_floor(access, events);
        }
    }

    /// After a switch of the kernel from an access to shared memory, that many events after the work
    /// before it: goes on to the same access if the other kernel has it there, and shows what its rows
    /// change.
    fn slide_floor(&mut self, before: Access, events: u32) {
        let from = self.run.session.at();
        self.run.session.play(StepSize::Event, events);
        let alike = |now: &&Access| {
            (now.direction, now.bytes, now.active)
                == (before.direction, before.bytes, before.active)
        };
        let Some(now) = passes::own(self).filter(alike) else {
            return self.run.session.go(SeekGoal::Step(from));
        };
        let differs = banks::wavefronts(now) != banks::wavefronts(&before);
        self.run.here = (self.run.session.id(), self.run.session.at());
        let slides = differs && self.play.motion.is_some();
        self.play.slide = slides.then(|| FloorSlide::new(self.run.here, before));
    }

    /// After a change of the tile: compares with the tile before, and says what has changed.
    fn settle_tile(&mut self, was: KernelIndex) {
        let of = |place| self.kernels.cache.problem(place);
        let [now, then] = [self.kernels.shown, was].map(|place| (of(place).name(), of(place).size));
        self.kernels.before = Some(was).filter(|_| now == then && was != self.kernels.shown);
        if self.kernels.before.is_some() {
            self.measuring.measures.turn_to(&self.kernels.cache.problems());
            self.overlay = self.overlay.take().or(Some(Overlay::Tile));
        }
    }

    /// Returns the block of another problem that computes the element of C that is watched. That
    /// stays the same while the tile grows and shrinks, so that the block is found again.
    fn block_at_corner(&mut self, other: &Problem) -> Dim3 {
        let (session, grid) = (&self.run.session, other.launch.grid);
        let part = session.problem().part(session.block());
        let own = part.as_ref().map(|(rows, columns)| (rows.start, columns.start));
        let inside = |(row, column): &(u32, u32)| {
            part.as_ref()
                .is_some_and(|(rows, columns)| rows.contains(row) && columns.contains(column))
        };
        self.kernels.anchor = self.kernels.anchor.filter(inside).or(own);
        let block = self.kernels.anchor.and_then(|(row, column)| other.block_of(row, column));
        block.filter(|block| grid.contains(*block)).unwrap_or_else(|| within(session.block(), grid))
    }

    fn load(&mut self, place: KernelIndex) {
        let problem = self.kernels.cache.ask(place);
        self.tasks.extend(problem.map(|problem| Task::Load(place, Box::new(problem))));
    }

    /// Replaces the shown run by a new one, after the number of multiply-adds that `work` computes
    /// from both runs.
    fn show_at(
        &mut self,
        make: impl FnOnce(&Session, RunId) -> Made,
        work: impl FnOnce(&Session, &Session) -> u32,
    ) {
        let id = self.run.next_id();
        let (session, recording) = make(&self.run.session, id);
        self.tasks.push(Task::Check(Box::new(session.checking())));
        let work = work(&session, &self.run.session);
        self.run.session = session;
        self.run.session.go(SeekGoal::Work(work));
        self.run.here = (id, self.run.session.at());
        self.tasks.push(Task::Record(Box::new(recording)));
        self.run.other = None;
        self.run.leave_point();
        self.run.select(self.run.warp);
        self.display.scroll = 0;
        self.ask();
    }

    /// Brings the other kernel's run to the same amount of work, or to its end beside the end.
    pub(super) fn settle_comparison(&mut self) {
        if self.run.other.is_none() {
            self.start_other();
        }
        let Some(other) = &mut self.run.other else { return };
        if self.run.session.at_end() {
            if !other.at_end() {
                other.go(SeekGoal::End);
            }
            return;
        }
        // On two stages as far beyond it, too: what one brings before it multiplies, the other brings
        // meanwhile. Sums are compared at the same point.
        let steps = if self.display.stage.beside { self.run.session.beyond() } else { 0 };
        let work = other.work_of(&self.run.session);
        other.go_beside(work, steps);
    }

    /// Starts the other kernel's run at once, or loads the kernel first.
    fn start_other(&mut self) {
        let Some(place) = self.kernels.compared() else { return };
        let Some(loaded) = self.kernels.cache.loaded(place).cloned() else {
            return self.load(place);
        };
        let id = self.run.next_id();
        let block = self.run.session.block_in(&loaded.problem);
        let (other, recording) = Session::new(id, loaded, block, self.run.session.order());
        self.tasks.push(Task::Record(Box::new(Recording { beside: true, ..recording })));
        self.run.other = Some(other);
    }
}

/// The block of a grid that is nearest to one of another grid.
fn within(block: Dim3, grid: Dim3) -> Dim3 {
    let side = |at: u32, count: u32| at.min(count.saturating_sub(1));
    Dim3::new(side(block.x, grid.x), side(block.y, grid.y), side(block.z, grid.z))
}

/// Goes to the first step at which warps conflict or, if there is none, at which any finding shows.
pub(super) fn first_finding(app: &mut App) {
    let all = || app.run.session.found().into_iter().flatten();
    let between = all().filter(|found| found.is_between_warps());
    let first = |shows: &FindingStep| shows.step;
    let step = between.flat_map(|found| &found.shows).map(first).min();
    let step = step.or_else(|| all().flat_map(|found| &found.shows).map(first).min());
    if let Some(step) = step {
        go_to(app, step);
    }
}

/// Goes to a step at which a finding may show, and selects the warp that it is about.
pub(super) fn go_to(app: &mut App, step: usize) {
    let warp = app.run.session.shows_at(step).next().map(|shows| shows.warp);
    go_to_warp(app, step, warp.map(usize::from));
}

pub(super) fn go_to_warp(app: &mut App, step: usize, warp: Option<usize>) {
    app.play.playback.playing = false;
    app.run.pending_warp = warp.map(|warp| (step, warp));
    app.run.session.go(SeekGoal::Step(step));
    app.moved();
}

pub(super) fn select_block(app: &mut App, block: Dim3) {
    if app.run.session.problem().launch.grid.contains(block) {
        let at = app.run.session.heading();
        app.show(|was, id| was.again(id, block, was.order()));
        app.run.session.go(SeekGoal::Step(at));
    }
}
