//! Brings derived state up to date after any change of time, position or size.

use crate::study::counts::Subject;
use crate::tui::app::{App, Watch};
use crate::tui::ladder_run::LadderRun;
use crate::tui::layout::Panel;
use crate::tui::session::Session;
use crate::tui::task::Task;
use crate::tui::widget::panel;
use crate::tui::widget::timeline::chart;
use ratatui::layout::Rect;
use std::time::Duration;

impl App {
    /// Takes in a new size of the screen.
    pub fn resize(&mut self, width: u16, height: u16) -> Vec<Task> {
        self.size = Rect::new(0, 0, width, height);
        self.settled()
    }

    /// Advances playback by the time passed; returns `None` if that changed nothing.
    pub fn tick(&mut self, passed: Duration) -> Option<Vec<Task>> {
        let due = self.playback.due(passed)?;
        self.session.play(self.playback.unit, due);
        self.playback.playing = !self.session.at_end();
        self.moved();
        Some(self.settled())
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
        let areas = self.areas();
        if areas.panel(Panel::Compare).is_some() {
            self.settle_comparison();
        }
        let wanted = match &self.board {
            Some(board) => self.times.wanted(board),
            None => self.settle_counters(),
        };
        let runs = [Some(&mut self.session), self.other.as_mut()];
        let journeys = runs.into_iter().flatten().filter_map(Session::depart);
        self.tasks.extend(journeys.map(Task::Seek));
        self.tasks.extend(self.times.next_count(&wanted).map(Task::Count));
        if let Some(area) = areas.panel(Panel::Timeline) {
            let width = chart(panel::Panel::inner(area)).len();
            self.chart.settle(&self.session, width);
        }
    }

    /// Requests the hardware counters if the zoomed panel shows them and they can be read here;
    /// returns the subjects to simulate for the comparison.
    fn settle_counters(&mut self) -> Vec<Subject> {
        if self.wanted.zoomed != Some(Panel::Measured) {
            return Vec::new();
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
