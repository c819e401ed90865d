//! Brings derived state up to date after any change of time, position or size.

use crate::analysis::banks::wavefronts;
use crate::analysis::coalesce;
use crate::kernel::Problem;
use crate::matrix::SMALL;
use crate::report::sentence::{FetchedAgain, again, told_again};
use crate::study::counts::SizedSubject;
use crate::study::stage::{ActingRoom, EventProgress, StageFocus, StagePlan};
use crate::trace::OpKind;
use crate::trace::episodes::Episode;
use crate::tui::app::App;
use crate::tui::chart::across;
use crate::tui::director::{Director, ScreenContent, UserPosition};
use crate::tui::facts::{self, arrivals, counts, ending, passes, race};
use crate::tui::ladder_run::LadderRun;
use crate::tui::layout::{Joining, Panel, SizeClass, inner};
use crate::tui::motion::{MotionFrame, Place, ROOM, StagedEvent, TURNED_ROOM};
use crate::tui::remembered::ToRemember;
use crate::tui::session::{SeekGoal, Session};
use crate::tui::task::Task;
use ptx::Space;
use ratatui::layout::Rect;
use std::time::Duration;

/// The longest time that playback makes up for: after a long pause (a suspended program), it
/// continues where it was.
const LONGEST: Duration = Duration::from_secs(8);

impl App {
    /// Handles a resize.
    pub fn resize(&mut self, width: u16, height: u16) -> Vec<Task> {
        self.display.size = Rect::new(0, 0, width, height);
        self.settled()
    }

    /// Advances playback by the time passed; returns `None` if that changed nothing.
    pub fn tick(&mut self, passed: Duration) -> Option<Vec<Task>> {
        let said = self.wait_for_lesson(passed);
        if self.is_held() {
            return said;
        }
        if self.floor_slide().is_some_and(|slide| slide.part().is_some()) {
            self.play.slide.as_mut().map(|slide| slide.advance(passed));
            return Some(self.settled());
        }
        if self.finale_moves() {
            self.play.playback.since_end += passed.min(LONGEST).as_secs_f64();
            return Some(self.settled());
        }
        let plays = self.is_playing();
        let moves = self.play.motion.as_mut().is_some_and(|motion| plays && motion.advance(passed));
        let from = (self.run.session.id(), self.run.session.at());
        match self.advance(passed) {
            None => said.or_else(|| moves.then(Vec::new)),
            Some(ended) => {
                if ended {
                    self.has_ended();
                }
                self.stop_at_evidence();
                self.moved();
                if from.1 != self.run.session.at() {
                    self.start_motion(from);
                }
                Some(self.settled())
            }
        }
    }

    /// Sums the run up, which has been played to its end.
    fn has_ended(&mut self) {
        if self.is_directed() {
            self.play.director.has_told();
            self.tasks.push(Task::Remember(ToRemember::Told));
        }
        self.begin_finale();
    }

    /// Goes on, or back, to what is said next, or was before, and plays on from there.
    pub(super) fn turn_row(
        &mut self,
        turn: impl FnOnce(&mut Director, &str) -> usize,
    ) -> Vec<Task> {
        let from = (self.run.session.id(), self.run.session.at());
        let to = turn(&mut self.play.director, self.run.session.sentence());
        if to != from.1 {
            self.run.session.go(SeekGoal::Step(to));
            self.moved();
        }
        self.start_motion(from);
        self.settled()
    }

    /// Plays the steps due after `passed`; returns whether the run has ended, or `None` if no step is
    /// due.
    fn advance(&mut self, passed: Duration) -> Option<bool> {
        if self.plays_by_meaning() {
            return self.direct(passed);
        }
        let due = self.play.playback.due(passed)?;
        self.run.session.play(self.play.playback.unit, due);
        Some(self.run.session.at_end())
    }

    fn start_motion(&mut self, from: Place) {
        if self.plays_by_meaning() {
            self.settle_director();
        }
        if self.shows_stage() {
            return self.start_event(from);
        }
        let Some(mut motion) = self.play.motion.take() else { return };
        let stays = self.next_step().unwrap_or_default();
        let session = &self.run.session;
        let to = MotionFrame {
            place: (session.id(), session.at()),
            shared: session.place().shared.clone(),
        };
        motion.start(from, to, stays, passes::count(self));
        self.play.motion = Some(motion);
    }

    /// Starts the motion of an event on the stage.
    fn start_event(&mut self, from: Place) {
        let Some(mut motion) = self.play.motion.take() else { return };
        let speed = self.tempo();
        let by_meaning = self.plays_by_meaning();
        let (is_new, stays) = if by_meaning {
            self.play.director.event(self.run.session.sentence())
        } else {
            (false, self.next_step().unwrap_or_default().as_secs_f64() * speed)
        };
        let (passes, arrivals) = (passes::count(self), arrivals::count(&self.run.session, from.1));
        let step = self.run.session.place().step.as_ref();
        let opens = step.is_some_and(|step| step.released.is_some());
        let repeats = self.repeats(from.1);
        // All are at the door when it is said that they are.
        let is_new = is_new && !opens;
        let to = (self.run.session.id(), self.run.session.at());
        let stays = stays / speed;
        let room = if opens { self.room_change() } else { 0.0 };
        let event = StagedEvent { is_new, stays, passes, arrivals, opens, repeats, room, speed };
        motion.stage(from, to, event);
        self.play.motion = Some(motion);
    }

    /// Whether a warp acts that has acted last before.
    fn repeats(&self, from: usize) -> bool {
        let records = self.run.session.trace().records();
        let last = |at: usize| records.get(at.checked_sub(1)?);
        let both = last(from).zip(last(self.run.session.at()));
        both.is_some_and(|(before, now)| before.warp == now.warp && now.kind != OpKind::Barrier)
    }

    /// The seconds in which another room becomes the large one after a door has opened.
    fn room_change(&self) -> f64 {
        let hurries = self.is_narrated() && self.play.director.hurries();
        let told = |progress| (progress, hurries);
        let scene = |progress| {
            self.display.stage.scene(&self.run.session, told(progress), StageFocus::default())
        };
        let [before, after] = [EventProgress::Told, EventProgress::Settled].map(scene);
        match (before, after) {
            (Some(before), Some(after)) if before.acting != after.acting => {
                let turns = after.acting != ActingRoom::Above && after.turns();
                if turns { TURNED_ROOM } else { ROOM }
            }
            _ => 0.0,
        }
    }

    /// Advances playback by meaning; returns whether the run has ended, or `None` if nothing new is
    /// to be shown.
    fn direct(&mut self, passed: Duration) -> Option<bool> {
        if self.run.session.under_way().is_some() {
            return None;
        }
        let (fetches, tempo) = (self.fetches(), self.tempo());
        let (director, session) = (&mut self.play.director, &mut self.run.session);
        let (problem, trace) = (session.problem(), session.trace());
        let tell = |episode: &Episode| tell(problem, episode, fetches);
        let (at, before) = (session.heading(), director.caption().map(str::to_owned));
        let seconds = passed.min(LONGEST).as_secs_f64() * tempo;
        let finding = session.next_wrong(true).and_then(|step| {
            let worst = session.worst_at(step)?;
            Some((step, &*worst.sentence))
        });
        let shown = ScreenContent { sentence: session.sentence(), finding };
        let to = director.advance(seconds, trace.complete(), shown, tell);
        let ended = session.at_end() && director.is_over(session.sentence());
        let changed = to != at || director.caption() != before.as_deref() || ended;
        if to != at {
            session.go(SeekGoal::Step(to));
        }
        changed.then_some(ended)
    }

    /// Keeps playback by meaning where the run is.
    fn settle_director(&mut self) {
        if self.shows_stage() {
            self.display.stage.settle(&self.run.session);
        }
        let fetches = self.fetches();
        let (director, session) = (&mut self.play.director, &self.run.session);
        let (problem, trace) = (session.problem(), session.trace());
        let tell = |episode: &Episode| tell(problem, episode, fetches);
        let at = session.heading();
        let sentence = Some(session.sentence()).filter(|_| session.at() == at);
        let told = self.display.stage.told((session.id(), at)).filter(|_| fetches.is_some());
        let wrong = session.worst_at(at).is_some();
        let plan = self.display.stage.plan(session.id()).filter(|_| told.is_some());
        let rounds = plan.and_then(StagePlan::rounds);
        let place = UserPosition { at, sentence, wrong, told, rounds };
        director.settle(session.id(), trace, place, tell);
    }

    /// On the stage, whether and how often sectors are fetched again.
    fn fetches(&self) -> Option<FetchedAgain> {
        let place = (self.run.session.id(), self.run.session.at());
        let told = self.display.stage.told(place).filter(|_| self.shows_stage());
        told.map(|told| told.fetches)
    }

    /// Asks for the stage of the run that is shown, and brings what is said on it up to date.
    fn settle_stage(&mut self) {
        if !self.is_stage_wanted() {
            return;
        }
        let planning = self.display.stage.ask(&self.run.session, self.run.other.as_ref());
        self.tasks.extend(planning.map(|planning| Task::Plan(Box::new(planning))));
        self.display.stage.settle(&self.run.session);
    }

    /// Lets a panel join the stage where the run needs it: the access that costs more than it must and,
    /// where there is room for it, what has gone before.
    fn settle_drawer(&mut self) {
        let here = (self.run.session.id(), self.run.session.at());
        if self.display.stage.leaves_bricks(here) {
            self.display.stage.drawer = None;
        }
        let session = &self.run.session;
        let (id, interval) = (session.id(), session.place().interval);
        if let Some((run, since)) = self.display.stage.joined.as_mut().filter(|of| of.1.is_some()) {
            // The same access of the next kernel is compared; through the next door it leaves.
            match *run == id {
                false => (*run, *since) = (id, Some(interval)),
                true if *since == Some(interval) => {}
                true => (*since, self.display.stage.drawer) = (None, None),
            }
        }
        // Where every number is shown, they need the room.
        let numbers = session.problem().seed == SMALL;
        // What joins the stage of a lesson, its page says.
        let is_lesson = self.mode.lesson().is_some();
        if numbers
            || is_lesson
            || self.display.stage.drawer.is_some()
            || self.display.stage.closed == Some(id)
        {
            return;
        }
        let later = session.k_tile().is_some_and(|tile| tile > 0) && !session.at_end();
        let wide = SizeClass::of(self.display.size.width, self.display.size.height);
        let first = self.display.stage.joined.is_none_or(|(run, _)| run != id);
        let costly = costly(self).filter(|_| first && wide >= SizeClass::Tall);
        let past = (later && wide == SizeClass::Large).then_some(Panel::Timeline);
        let spoken = self.speaks_of_banks().filter(|_| wide >= SizeClass::Small);
        let spoken = spoken.filter(|_| costly.is_none()).map(|_| Panel::Banks);
        self.display.stage.bricks = spoken.map(|_| here);
        if costly.is_some() {
            self.display.stage.joined = Some((id, Some(interval)));
        }
        self.display.stage.drawer = costly.or(spoken).or(past);
    }

    /// Lays the panel that has joined over the stage if what happens is seen above it: then nothing moves.
    fn settle_joining(&mut self) {
        let here = (self.run.session.id(), self.run.session.at());
        let stage = &self.display.stage;
        if stage.drawer.is_none() || self.mode.lesson().is_some() {
            self.display.stage.joins = None;
            return;
        }
        if stage.joins.is_some_and(|(place, _)| place == here) {
            return;
        }
        let progress = (EventProgress::OnTheWay(0.5), false);
        let scene = stage.scene(&self.run.session, progress, StageFocus::default());
        let is_seen = scene.and_then(|scene| scene.moves_in_upper_half());
        // Once the stage has made room, it keeps it.
        let joining = match (stage.joins, is_seen) {
            (Some((_, Joining::Below)), _) | (_, Some(false)) | (None, None) => Joining::Below,
            _ => Joining::Over,
        };
        self.display.stage.joins = Some((here, joining));
    }

    /// Updates what follows the position of the run.
    pub(super) fn moved(&mut self) {
        self.run.here = (self.run.session.id(), self.run.session.at());
        self.display.scroll = 0;
        if let Some(followed) = self.run.followed.as_mut().filter(|_| self.play.playback.playing) {
            followed.keep_up(self.run.session.at());
        }
        self.run.settle_warp();
    }

    /// Updates all derived state, and returns the tasks to be done elsewhere.
    pub(super) fn settled(&mut self) -> Vec<Task> {
        self.settle();
        std::mem::take(&mut self.tasks)
    }

    pub(in crate::tui) fn settle(&mut self) {
        if self.run.here.0 != self.run.session.id() {
            self.display.wanted.needs = [0; 2];
        }
        if self.run.here != (self.run.session.id(), self.run.session.at()) {
            self.moved();
        }
        self.settle_stage();
        if self.plays_by_meaning() {
            self.settle_director();
        }
        if self.shows_stage() {
            let sentence = self.sentence().to_owned();
            if self.mode.lesson().is_none() {
                let knows = self.is_narrated() && self.play.director.is_known();
                let interval = self.run.session.place().interval;
                self.display.stage.explain(&sentence, interval, knows);
            }
            self.settle_drawer();
            self.settle_joining();
        }
        self.settle_room();
        let areas = self.areas();
        let beside = self.shows_stage() && self.display.stage.beside;
        if areas.panel(Panel::Compare).is_some() || beside {
            self.settle_comparison();
        }
        let wanted = match &self.measuring.measure_view {
            Some(board) => self.measuring.times.wanted(board),
            None if self.is_held() => counts::for_card(self),
            None if self.nears_finale() => self.settle_finale(),
            None => self.settle_counters(),
        };
        let journeys = self.run.sessions().filter_map(Session::depart);
        self.tasks.extend(journeys.map(Task::Seek));
        self.tasks.extend(self.measuring.times.next_count(&wanted).map(Task::Count));
        if let Some(area) = areas.panel(Panel::Timeline) {
            let width = across(inner(area)).len();
            self.display.chart.settle(&self.run.session, width);
        }
    }

    /// Whether the end is shown, or soon will be: what it says is found out on the way, so that nothing
    /// jumps there.
    fn nears_finale(&self) -> bool {
        let later = self.run.session.k_tile().is_some_and(|tile| tile > 0);
        let plays = self.shows_stage() && self.is_playing() && self.mode.lesson().is_none();
        self.shows_finale() || plays && later
    }

    /// Lets orders of the warps be tried; returns the kernels to count for the end.
    fn settle_finale(&mut self) -> Vec<SizedSubject> {
        let luck = self.display.stage.luck.ask(self.run.session.problem());
        self.tasks.extend(luck.map(Task::Try));
        race::to_count(self).into_iter().chain(ending::to_count(self)).collect()
    }

    /// Gives the panels of shared memory no room if the kernel has none: a kernel without any that
    /// comes after one with some takes it from them, and the focus leaves them.
    fn settle_room(&mut self) {
        let dead = |panel| matches!(panel, Panel::Shared | Panel::Banks);
        let shared = !self.run.session.place().shared.is_empty();
        let lost = std::mem::replace(&mut self.display.wanted.shared, shared) && !shared;
        if lost && dead(self.display.wanted.guest) {
            self.display.wanted.guest = Panel::Warps;
        }
        if lost && self.display.wanted.zoomed.is_some_and(dead) {
            self.display.wanted.zoomed = None;
        }
        // What has been seen to need room keeps it, so that nothing jumps to and fro.
        let needs = facts::needs(&self.run.session, self.run.warp);
        let known = self.display.wanted.needs.iter_mut().zip(needs);
        known.for_each(|(known, need)| *known = need.max(*known));
        let areas = self.areas();
        let alone = lost && areas.class == SizeClass::Single;
        if dead(self.display.wanted.focus)
            && (alone || areas.panel(self.display.wanted.focus).is_none())
        {
            let warps = alone || areas.panel(Panel::Warps).is_some();
            self.display.wanted.focus =
                if warps { Panel::Warps } else { self.display.wanted.guest };
        }
    }

    /// Requests the hardware counters if the zoomed panel shows them and they can be read here;
    /// returns the subjects to simulate for the comparison.
    fn settle_counters(&mut self) -> Vec<SizedSubject> {
        if self.display.wanted.zoomed != Some(Panel::Measured) {
            let visible = self.areas().panel(Panel::Measured).is_some();
            let wanted = counts::for_limit(self).filter(|_| visible);
            return wanted
                .filter(|subject| self.measuring.times.counts.known(subject).is_none())
                .into_iter()
                .collect();
        }
        let problem = self.run.session.problem();
        let measuring = self.measuring.times.live.as_ref().is_some_and(LadderRun::is_running);
        if let Some(device) = self.measuring.device.filter(|_| !measuring) {
            let count = self.measuring.measures.ask_counters(problem, device);
            self.tasks.extend(count.map(|count| Task::ReadCounters(Box::new(count))));
        }
        let counted = self
            .measuring
            .measures
            .counted(problem)
            .and_then(|row| SizedSubject::of(&row.measurement));
        counted
            .into_iter()
            .filter(|subject| self.measuring.times.counts.known(subject).is_none())
            .collect()
    }
}

/// The caption of an episode that has one of its own: on the stage, a plain one.
fn tell(problem: &Problem, episode: &Episode, fetches: Option<FetchedAgain>) -> Option<String> {
    let plain = fetches.and_then(|fetches| told_again(problem, episode, fetches));
    plain.or_else(|| again(problem, episode))
}

/// The panel that shows why the event cost more than it must, if it did.
fn costly(app: &App) -> Option<Panel> {
    let session = &app.run.session;
    let shares = !session.place().shared.is_empty();
    let access = session.place().accesses().next()?;
    match access.space {
        Space::Shared => (wavefronts(access).conflicts > 0).then_some(Panel::Banks),
        // Without shared memory the stage itself shows the sectors.
        Space::Global => {
            let cost = coalesce::sectors(access);
            (shares && cost.sectors > cost.ideal()).then_some(Panel::Lines)
        }
        _ => None,
    }
}
