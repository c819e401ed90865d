//! Brings derived state up to date after any change of time, position or size.

use crate::report::sentence::again;
use crate::study::counts::Subject;
use crate::trace::scenes::Scene;
use crate::tui::app::App;
use crate::tui::chart::across;
use crate::tui::director::{Here, Shown};
use crate::tui::facts::counts;
use crate::tui::facts::motion::{seen, turns};
use crate::tui::ladder_run::LadderRun;
use crate::tui::layout::{Class, Panel, inner};
use crate::tui::motion::Place;
use crate::tui::playback::Watch;
use crate::tui::session::{Goal, Session};
use crate::tui::task::Task;
use ratatui::layout::Rect;
use std::time::Duration;

/// The longest time that playback makes up for: after a long pause (a suspended program), it
/// continues where it was.
const LONGEST: Duration = Duration::from_secs(8);

impl App {
    /// Takes in a new size of the screen.
    pub fn resize(&mut self, width: u16, height: u16) -> Vec<Task> {
        self.size = Rect::new(0, 0, width, height);
        self.settled()
    }

    /// Advances playback by the time passed; returns `None` if that changed nothing.
    pub fn tick(&mut self, passed: Duration) -> Option<Vec<Task>> {
        let said = self.wait_for_lesson(passed);
        if self.is_held() {
            return said;
        }
        let moves = self.motion.as_mut().is_some_and(|motion| motion.advance(passed));
        let from = (self.session.id(), self.session.at());
        match self.play(passed) {
            None => said.or_else(|| moves.then(Vec::new)),
            Some(ended) => {
                self.playback.playing = !ended;
                self.playback.ended = ended;
                self.stop_at_evidence();
                self.moved();
                if from.1 != self.session.at() {
                    self.start_motion(from);
                }
                Some(self.settled())
            }
        }
    }

    /// Goes on by what is due after `passed`; returns whether the run has ended, or `None` if no
    /// step is due.
    fn play(&mut self, passed: Duration) -> Option<bool> {
        if self.plays_by_meaning() {
            return self.direct(passed);
        }
        let due = self.playback.due(passed)?;
        self.session.play(self.playback.unit, due);
        Some(self.session.at_end())
    }

    fn start_motion(&mut self, from: Place) {
        if self.plays_by_meaning() {
            self.settle_director();
        }
        let Some(mut motion) = self.motion.take() else { return };
        let stays = self.next_step().unwrap_or_default();
        motion.start(from, seen(self), stays, turns(self, from.1));
        self.motion = Some(motion);
    }

    /// Advances playback by meaning; returns whether the run has ended, or `None` if nothing new is
    /// to be shown.
    fn direct(&mut self, passed: Duration) -> Option<bool> {
        if self.session.under_way().is_some() {
            return None;
        }
        let Self { director, session, playback, .. } = self;
        let (problem, trace) = (session.problem(), session.trace());
        let tell = |scene: &Scene| again(problem, scene);
        let (at, before) = (session.heading(), director.caption().map(str::to_owned));
        let seconds = passed.min(LONGEST).as_secs_f64() * playback.speed.factor();
        let finding = session.next_wrong(true).and_then(|step| {
            let worst = session.worst_at(step)?;
            Some((step, &*worst.sentence))
        });
        let shown = Shown { sentence: session.sentence(), finding };
        let to = director.advance(seconds, trace.complete(), shown, tell);
        let ended = session.at_end() && director.is_over(session.sentence());
        let changed = to != at || director.caption() != before.as_deref() || ended;
        if to != at {
            session.go(Goal::Step(to));
        }
        changed.then_some(ended)
    }

    /// Keeps playback by meaning where the run is.
    fn settle_director(&mut self) {
        let Self { director, session, .. } = self;
        let (problem, trace) = (session.problem(), session.trace());
        let tell = |scene: &Scene| again(problem, scene);
        let at = session.heading();
        let sentence = Some(session.sentence()).filter(|_| session.at() == at);
        let place = Here { at, sentence, wrong: session.worst_at(at).is_some() };
        director.settle(session.id(), trace, place, tell);
    }

    /// Updates what follows the position of the run.
    pub(super) fn moved(&mut self) {
        self.here = (self.session.id(), self.session.at());
        self.scroll = 0;
        if let Some(followed) = self.followed.as_mut().filter(|_| self.playback.playing) {
            followed.keep_up(self.session.at());
        }
        self.aim = self.aim.filter(|(step, _)| *step == self.session.heading());
        let aimed = self.aim.filter(|(step, _)| *step == self.session.at());
        match (self.watch, &self.session.place().step) {
            _ if aimed.is_some() => self.warp = aimed.map_or(self.warp, |(_, warp)| warp),
            (Watch::Issuing, Some(step)) => self.warp = usize::from(step.warp),
            (Watch::Issuing, None) | (Watch::Chosen, _) => {}
        }
    }

    /// Updates all derived state, and returns the tasks to be done elsewhere.
    pub(super) fn settled(&mut self) -> Vec<Task> {
        self.settle();
        std::mem::take(&mut self.tasks)
    }

    pub(in crate::tui) fn settle(&mut self) {
        if self.here != (self.session.id(), self.session.at()) {
            self.moved();
        }
        if self.plays_by_meaning() {
            self.settle_director();
        }
        self.settle_room();
        let areas = self.areas();
        if areas.panel(Panel::Compare).is_some() {
            self.settle_comparison();
        }
        let wanted = match &self.board {
            Some(board) => self.times.wanted(board),
            None if self.is_held() => counts::for_card(self),
            None => self.settle_counters(),
        };
        let runs = [Some(&mut self.session), self.other.as_mut()];
        let journeys = runs.into_iter().flatten().filter_map(Session::depart);
        self.tasks.extend(journeys.map(Task::Seek));
        self.tasks.extend(self.times.next_count(&wanted).map(Task::Count));
        if let Some(area) = areas.panel(Panel::Timeline) {
            let width = across(inner(area)).len();
            self.chart.settle(&self.session, width);
        }
    }

    /// Gives the panels of shared memory no room if the kernel has none: a kernel without any that
    /// comes after one with some takes it from them, and the focus leaves them.
    fn settle_room(&mut self) {
        let dead = |panel| matches!(panel, Panel::Shared | Panel::Banks);
        let shared = !self.session.place().shared.is_empty();
        let lost = std::mem::replace(&mut self.wanted.shared, shared) && !shared;
        if lost && dead(self.wanted.guest) {
            self.wanted.guest = Panel::Warps;
        }
        if lost && self.wanted.zoomed.is_some_and(dead) {
            self.wanted.zoomed = None;
        }
        let areas = self.areas();
        let alone = lost && areas.class == Class::Single;
        if dead(self.wanted.focus) && (alone || areas.panel(self.wanted.focus).is_none()) {
            let warps = alone || areas.panel(Panel::Warps).is_some();
            self.wanted.focus = if warps { Panel::Warps } else { self.wanted.guest };
        }
    }

    /// Requests the hardware counters if the zoomed panel shows them and they can be read here;
    /// returns the subjects to simulate for the comparison.
    fn settle_counters(&mut self) -> Vec<Subject> {
        if self.wanted.zoomed != Some(Panel::Measured) {
            let visible = self.areas().panel(Panel::Measured).is_some();
            let wanted = counts::for_limit(self).filter(|_| visible);
            return wanted
                .filter(|subject| self.times.counts.known(subject).is_none())
                .into_iter()
                .collect();
        }
        let problem = self.session.problem();
        let measuring = self.times.live.as_ref().is_some_and(LadderRun::is_running);
        if let Some(device) = self.device.filter(|_| !measuring) {
            let count = self.measures.ask_counters(problem, device);
            self.tasks.extend(count.map(|count| Task::ReadCounters(Box::new(count))));
        }
        let counted = self.measures.counted(problem).and_then(|row| Subject::of(&row.measurement));
        counted.into_iter().filter(|subject| self.times.counts.known(subject).is_none()).collect()
    }
}
