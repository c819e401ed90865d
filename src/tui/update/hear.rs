//! Takes events into the state.

use super::show::first_finding;
use crate::kernel::Call;
use crate::report::found::{FindingInRun, RESULT};
use crate::report::number::Count;
use crate::study::findings::BlockRun;
use crate::timing::Timed;
use crate::tui::app::{App, StartAt};
use crate::tui::kernel_cache::{KernelIndex, Loaded};
use crate::tui::ladder_run::LadderEvent;
use crate::tui::measurements::MeasureStatus;
use crate::tui::own_time::OwnTime;
use crate::tui::task::{self, CheckedRun, Event, RunId, Task};
use ptx::ParseError;

impl App {
    /// Handles an event; returns the tasks that follow.
    pub fn hear(&mut self, event: Event) -> Vec<Task> {
        match event {
            Event::Loaded(place, loaded) => self.hear_loaded(place, *loaded),
            Event::Shrunk(of, small) => self.hear_shrunk(of, *small),
            Event::SettingLoaded(setting, loaded, which) => {
                self.hear_setting(*setting, *loaded, &which);
            }
            Event::Dialled(news, which) => self.hear_dials(*news, &which),
            Event::Walked(session, which) => self.hear_walked(*session, &which),
            Event::Recorded(id, chunk) => {
                if let Some(run) = self.run.with_id(id) {
                    run.append(chunk);
                }
            }
            Event::Arrived(id, journey, which) => {
                if let Some(run) = self.run.with_id(id) {
                    run.arrive(*journey, &which);
                }
            }
            Event::Planned(id, plan, which) => {
                self.display.stage.hear(id, *plan, &which);
                let why = self.display.stage.refusal(id).filter(|_| self.is_stage_wanted());
                self.message = why.map(str::to_owned).or_else(|| self.message.take());
            }
            Event::Checked(id, checked) => self.hear_findings(id, checked),
            Event::Answered(id, answer, widths) => {
                if let Some(followed) = &mut self.run.followed {
                    followed.hear(id, answer, widths, self.run.session.at());
                }
            }
            Event::Gpu(task::MeasureEvent::Timed(call, timed)) => self.hear_timed(&call, *timed),
            Event::Compared(which, compared) => {
                if let Some(own) = &mut self.measuring.measures.own {
                    own.hear(&which, compared);
                }
            }
            Event::Gpu(news) => {
                self.measuring.measures.hear(news.clone());
                self.tell_measured(&news);
            }
            Event::Ladder(number, news) => self.hear_ladder(number, news),
            Event::Counting(subject, progress) => {
                self.measuring.times.hear_progress(subject, progress);
            }
            Event::Counted(subject, counted) => self.measuring.times.hear(subject, *counted),
            Event::Tried(kernel, orders) => self.display.stage.luck.hear(kernel, orders),
            Event::NotKept(why) => self.message = Some(why),
            Event::Edit(news) => self.hear_edit(news),
            Event::Saved(Ok(path)) => self.message = Some(format!("saved {}", path.display())),
            Event::Saved(Err(why)) => self.message = Some(format!("not saved: {why}")),
        }
        self.settled()
    }

    fn hear_loaded(&mut self, place: KernelIndex, loaded: Result<Loaded, ParseError>) {
        let awaited = self.kernels.loading == Some(place);
        self.kernels.loading = self.kernels.loading.filter(|_| !awaited);
        // A lesson may have replaced the kernels since it was asked for.
        let label = |loaded: &Loaded| (loaded.problem.label(), loaded.problem.size);
        let asked = self.kernels.cache.get(place).map(|problem| (problem.label(), problem.size));
        if loaded.as_ref().is_ok_and(|loaded| Some(label(loaded)) != asked) {
            return;
        }
        let why = loaded.as_ref().err().map(|error| format!("this kernel cannot be run: {error}"));
        self.kernels.cache.put(place, loaded.ok());
        match why {
            Some(why) => self.message = Some(why),
            None if awaited => self.turn_to(place),
            None => {}
        }
    }

    /// Takes in events of the ladder; a row that arrives is selected, since the user is waiting for
    /// it.
    fn hear_ladder(&mut self, number: u64, news: LadderEvent) {
        let newest = match &news {
            LadderEvent::Measured(row) => Some(row.kernel.clone()),
            _ => None,
        };
        let Some(live) = &mut self.measuring.times.live else { return };
        if live.hear(number, news) {
            self.message = live.failure().or(self.message.take());
            let size = live.order().size;
            let board =
                self.measuring.measure_view.zip(newest).zip(self.measuring.times.pack(true));
            self.measuring.measure_view = board
                .map(|((board, name), pack)| board.at(pack, size, &name))
                .or(self.measuring.measure_view);
        }
    }

    /// Takes in the times of a launch, and has its buffers compared.
    fn hear_timed(&mut self, call: &Call, timed: Timed) {
        self.measuring.measures.status = MeasureStatus::Idle;
        let BlockRun { problem, program, .. } = self.run.session.checking().suspect;
        if problem.call() == *call {
            let own = self.measuring.measures.own.insert(OwnTime::new(&problem, timed));
            self.tasks.push(Task::Compare(Box::new(own.comparing(problem, program))));
        }
    }

    fn hear_findings(&mut self, id: RunId, checked: CheckedRun) {
        if id != self.run.session.id() {
            return;
        }
        let known = self.run.session.found().map_or(0, <[_]>::len);
        if checked.found.len() > known && self.mode.lesson().is_none() {
            self.message = Some(message(&checked.found));
        }
        self.run.session.hear(checked);
        if std::mem::take(&mut self.play.begin) == StartAt::Finding {
            first_finding(self);
        }
    }
}

/// What the footer says of findings that have just become known.
fn message(found: &[FindingInRun]) -> String {
    let (others, own): (Vec<_>, Vec<_>) = found.iter().partition(|of| of.elsewhere.is_some());
    let findings = Count(found.len() as u64, "finding");
    match (&own[..], others.len()) {
        ([only], 0) if only.kind == RESULT => {
            let verdict = only.message.split_once(':').map_or(&*only.message, |(head, _)| head);
            format!("{verdict}: ! says why, d goes to the end")
        }
        ([], 1) => format!("{findings} in another block: ! lists it"),
        ([], _) => format!("{findings} in other blocks: ! lists them"),
        _ if found.len() == 1 => format!("{findings}: ! lists it, d goes to it"),
        _ => format!("{findings}: ! lists them, d goes to the next"),
    }
}
