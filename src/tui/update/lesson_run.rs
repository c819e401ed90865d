//! The picture of a lesson: brought to where its text is, and played on to where an answer is seen.

use super::focus::focus;
use super::{follow, pick};
use crate::kernel::{BROKEN, KERNELS, Kernel, Problem};
use crate::launch::Dim3;
use crate::lesson::query_error::QueryError;
use crate::lesson::setting::Setting;
use crate::lesson::target::{Target, View};
use crate::sim::Order;
use crate::trace::cursor::StepSize;
use crate::tui::app::App;
use crate::tui::chart::Chart;
use crate::tui::kernel_cache::{Kernels, Loaded};
use crate::tui::layout::{Language, Panel};
use crate::tui::lesson::{DialRequest, SavedRun, panel_of, same_kernel};
use crate::tui::playback::{Pace, Playback, WarpSelection};
use crate::tui::run_view::RunView;
use crate::tui::session::{SeekGoal, Session};
use crate::tui::task::{SettingTask, Task};
use crate::work::{WorkOwner, WorkToken};

/// Brings the picture to where the lesson is: at once, or as soon as the kernel is ready.
pub(super) fn bring(app: &mut App) {
    let Some(taken) = app.mode.lesson_mut() else { return };
    let setting = taken.now().setting.clone();
    let shown = &mut taken.run;
    (shown.awaited, shown.failed) = (None, None);
    let known = shown.loaded.as_ref().filter(|(of, _)| same_kernel(of, &setting));
    if let Some(loaded) = known.map(|(_, loaded)| loaded.clone()) {
        return place(app, loaded);
    }
    let token = shown.awaited.insert(WorkOwner::default()).token();
    let cache = taken.session.cache().clone();
    app.tasks.push(Task::LoadSetting(Box::new(SettingTask { setting, cache, token })));
}

impl App {
    /// Installs the kernel that the lesson awaits; ignores any other.
    pub(super) fn hear_setting(
        &mut self,
        setting: Setting,
        loaded: Result<Loaded, QueryError>,
        which: &WorkToken,
    ) {
        let Some(taken) = self.mode.lesson_mut() else { return };
        let shown = &mut taken.run;
        if !shown.awaited.as_ref().is_some_and(|awaited| awaited.owns(which)) {
            return;
        }
        (shown.awaited, shown.id) = (None, None);
        match loaded {
            Err(why) => shown.failed = Some(why.message),
            Ok(loaded) => {
                shown.loaded = Some((setting, loaded.clone()));
                place(self, loaded);
            }
        }
    }

    /// Stops a run that has reached the place up to which it plays.
    pub(super) fn stop_at_evidence(&mut self) {
        let to = self.mode.lesson().and_then(|lesson| lesson.to);
        if to.is_some_and(|(to, _)| self.run.session.heading() >= to) {
            arrive(self);
        }
    }
}

/// Shows the lesson's run at its place.
fn place(app: &mut App, loaded: Loaded) {
    rest(app);
    let Some(taken) = app.mode.lesson() else { return };
    let now = taken.now();
    let (setting, step, ptx, beside) = (now.setting.clone(), now.step, now.ptx, now.beside.clone());
    let (look, joins) = (now.look.clone(), taken.joins());
    let run = taken.run.id;
    let grid = loaded.problem.launch.grid;
    let block = Some(setting.block.of(grid)).filter(|block| grid.contains(*block));
    let block = block.unwrap_or(Dim3::at(0, 0));
    let order = setting.order.clone().unwrap_or(Order::ByPhase);
    let shown = &app.run.session;
    if run != Some(shown.id()) || shown.block() != block || shown.order() != order {
        install(app, loaded, (block, order), beside.as_deref());
    }
    (app.run.followed, app.display.wanted.following, app.display.wanted.zoomed) =
        (None, false, None);
    (app.play.playback.playing, app.play.playback.ended) = (false, false);
    (app.run.pointed, app.run.pointing, app.run.pending_warp, app.display.scroll) =
        (None, false, None, 0);
    app.display.language = if ptx { Language::Ptx } else { Language::Cuda };
    app.run.session.go(SeekGoal::Step(step));
    app.run.watch = setting.warp.map_or(WarpSelection::Issuing, |_| WarpSelection::Chosen);
    app.run.warp = setting.warp.map_or(app.run.warp, |warp| warp as usize);
    app.moved();
    (app.display.stage.beside, app.display.stage.aside) = (false, None);
    app.display.stage.drawer = joins;
    app.settle();
    if let Some(view) = look.first() {
        look_at(app, *view);
    }
    let pointer = pick::first(app);
    let Some(taken) = app.mode.lesson_mut() else { return };
    taken.input.pointer = taken.input.pointer.take().or(pointer);
    // Without its change, the kernel does not do what the reply is about.
    let undone = taken.session.changed() == Some(false);
    if taken.now().reply.is_some() && !undone {
        show_evidence(app);
    }
    grant(app);
}

/// Does what is wanted of the picture of a setting, once it stands.
fn grant(app: &mut App) {
    let board = app.mode.lesson_mut().and_then(|lesson| lesson.dials.as_mut());
    match board.and_then(|board| board.request.take()) {
        Some(DialRequest::Play) => app.play.playback.playing = true,
        Some(DialRequest::Source) => app.display.wanted.zoomed = Some(Panel::Source),
        None => {}
    }
}

/// Replaces the run, and the kernels that can be shown beside it.
fn install(app: &mut App, loaded: Loaded, (block, order): (Dim3, Order), beside: Option<&str>) {
    let (problems, index) = neighbours(&loaded.problem);
    let kernels = Kernels::of(problems, index, &loaded);
    let was = std::mem::replace(&mut app.kernels, kernels);
    keep(app, was);
    app.kernels.before = beside.and_then(|name| app.kernels.cache.named(name));
    app.measuring.measures.turn_to(&app.kernels.cache.problems());
    app.display.chart = Chart::of(&loaded.problem);
    app.show(|_, id| Session::new(id, loaded, block, order));
    if let Some(taken) = app.mode.lesson_mut() {
        taken.run.id = Some(app.run.session.id());
    }
}

/// Every kernel of the catalogue with this one's size and tile, and its index among them; a kernel
/// that is not as the catalogue has it stands alone.
fn neighbours(shown: &Problem) -> (Vec<Problem>, usize) {
    let is_it = |kernel: &Kernel| kernel.name == shown.name();
    if shown.catalogue().is_none() || BROKEN.iter().any(is_it) {
        return (vec![shown.clone()], 0);
    }
    let of = |kernel: &'static Kernel| {
        let usual = kernel.problem_for(shown.size);
        let same = shown.tile().and_then(|tile| usual.with_tile(tile));
        let other = Problem { seed: shown.seed, ..same.unwrap_or(usual) };
        if is_it(kernel) { shown.clone() } else { other }
    };
    let problems = KERNELS.iter().map(of).collect();
    (problems, KERNELS.iter().position(is_it).unwrap_or(0))
}

/// Focuses a view; where the screen has no room for it, it fills the picture.
fn look_at(app: &mut App, view: View) {
    let panel = panel_of(view);
    if app.shows_stage() {
        return look_beside(app, panel);
    }
    if panel == Panel::Value && app.run.followed.is_none() {
        follow::start(app);
    }
    focus(app, panel);
    let areas = app.areas();
    if !areas.panels.is_empty() && areas.panel(panel).is_none() {
        app.display.wanted.zoomed = Some(panel);
    }
}

/// Lets a panel join the stage, unless the stage itself shows what is looked at.
fn look_beside(app: &mut App, panel: Panel) {
    match panel {
        Panel::Matrices | Panel::Shared | Panel::Warps | Panel::Value => {}
        _ => {
            focus(app, panel);
            app.display.stage.drawer = Some(panel);
        }
    }
}

/// Plays on to where the answer is seen, with the view that shows it in focus.
pub(super) fn show_evidence(app: &mut App) {
    let Some(reply) = app.mode.lesson().and_then(|lesson| lesson.now().reply.as_ref()) else {
        return;
    };
    let (warp, to) = (reply.warp, reply.play_to);
    // Where nothing is lit or played, the page's own picture stays; times have one panel only.
    let shows = |view: &View| to.is_some() || !reply.marks.is_empty() || *view == View::Measured;
    let view = reply.view.filter(shows);
    let element = reply.marks.iter().find_map(|mark| match mark {
        Target::Element(element) => Some(*element),
        _ => None,
    });
    if let (Some(View::Value), Some(element), false) = (view, element, app.shows_stage()) {
        follow::select(app, element);
    }
    if let Some(view) = view {
        look_at(app, view);
    }
    match (to, warp) {
        (Some(to), Some(warp)) => app.run.pending_warp = Some((to, warp as usize)),
        (None, Some(warp)) => {
            (app.run.warp, app.run.watch) = (warp as usize, WarpSelection::Chosen);
        }
        (_, None) => {}
    }
    if let Some(to) = to {
        play_to(app, to, StepSize::Event);
    }
}

/// The time that the way to the evidence takes at most, in steps at ordinary speed, and the steps of
/// a longer way that are played.
const LONGEST: usize = 16;
const LAST: usize = 12;
/// The longest way that is played from its beginning, at the greatest speed.
const PLAYED: usize = 512;

/// Plays on to a step, in units; without motion, goes there.
fn play_to(app: &mut App, to: usize, unit: StepSize) {
    let at = app.run.session.at();
    let all: Vec<_> = stops(&app.run.session, (at, to), unit).take(PLAYED + 1).collect();
    if app.play.motion.is_none() || all.is_empty() {
        app.run.session.go(SeekGoal::Step(to));
        return app.moved();
    }
    let mut playback = Playback::new(true, Pace::Even);
    playback.unit = unit;
    let mut left = all.len();
    if left > PLAYED {
        // Too far to be watched: from shortly before it.
        let near = to.saturating_sub(LAST).max(at);
        app.run.session.go(SeekGoal::Step(near));
        left = LAST;
    }
    while left > LONGEST && playback.speed != playback.speed.faster() {
        (playback.speed, left) = (playback.speed.faster(), left / 2);
    }
    let mut usual = app.play.playback;
    usual.playing = false;
    app.play.playback = playback;
    if let Some(taken) = app.mode.lesson_mut() {
        taken.to = Some((to, usual));
    }
}

/// The stops of a unit between two steps, the last of them at the second or after it.
fn stops(
    session: &Session,
    (from, to): (usize, usize),
    unit: StepSize,
) -> impl Iterator<Item = usize> + '_ {
    let next = move |at: &usize| Some(session.stop_after(*at, unit)).filter(|next| next > at);
    let known = to <= session.trace().len();
    let first = Some(from).filter(|from| known && *from < to);
    std::iter::successors(first, move |at| next(at).filter(|_| *at < to)).skip(1)
}

/// Goes to where the run was to be played, if it is still on its way; returns whether it was.
pub(super) fn arrive(app: &mut App) -> bool {
    let to = app.mode.lesson().and_then(|lesson| lesson.to);
    rest(app);
    if let Some((to, _)) = to {
        app.run.session.go(SeekGoal::Step(to));
        app.moved();
    }
    to.is_some()
}

/// Stops playing to a place; returns whether the run was on its way there.
pub(super) fn rest(app: &mut App) -> bool {
    let usual = app.mode.lesson_mut().and_then(|lesson| lesson.to.take());
    if let Some((_, usual)) = usual {
        app.play.playback = usual;
    }
    usual.is_some()
}

/// Keeps the run that a lesson is about to replace, unless that is a lesson's too.
fn keep(app: &mut App, kernels: Kernels) {
    let RunView { session, warp, watch, .. } = &app.run;
    let (block, order, step) = (session.block(), session.order(), session.at());
    let (warp, playback, wanted) = ((*warp, *watch), app.play.playback, app.display.wanted);
    app.run.stood.get_or_insert_with(|| {
        Box::new(SavedRun { kernels, block, order, step, warp, playback, wanted })
    });
}

/// Brings the run back, at its step and paused.
pub(super) fn bring_back(app: &mut App) {
    let Some(stood) = app.run.stood.take() else { return };
    let SavedRun { kernels, block, order, step, warp, playback, wanted } = *stood;
    let Some(loaded) = kernels.cache.loaded(kernels.shown).cloned() else { return };
    app.kernels = Kernels { loading: None, anchor: None, ..kernels };
    app.run.followed = None;
    app.measuring.measures.turn_to(&app.kernels.cache.problems());
    app.display.chart = Chart::of(&loaded.problem);
    app.show(|_, id| Session::new(id, loaded, block, order));
    app.run.session.go(SeekGoal::Step(step));
    (app.play.playback, app.display.wanted) = (playback, wanted);
    (app.play.playback.playing, app.display.wanted.text) = (false, false);
    app.moved();
    (app.run.warp, app.run.watch) = warp;
}
