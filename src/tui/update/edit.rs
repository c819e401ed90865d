//! The actions and the events of the file that the user edits.

use super::focus::focus;
use super::lesson;
use super::show::go_to_warp;
use crate::file::watch;
use crate::lesson::edit::copy;
use crate::lesson::edit::mistake::{Mistake, MistakeKind, RunLocation};
use crate::lesson::session::LessonEvent;
use crate::report::ladder;
use crate::report::pointed::PointedAt;
use crate::timing::GpuError;
use crate::timing::Measurement;
use crate::trace::cursor::Want;
use crate::tui::action::EditAction;
use crate::tui::app::App;
use crate::tui::edit::job::{self, Built, Compiling, EditEvent, EditJob, Opened};
use crate::tui::edit::{CompileFailure, EditPage, Editing, PreviousVersion, ShownVersion};
use crate::tui::kernel_cache::{Kernels, Loaded};
use crate::tui::layout::Panel;
use crate::tui::session::{SeekGoal, Session};
use crate::tui::task::{self, Task};
use crate::work::WorkOwner;
use std::mem;

/// Performs an action.
pub(super) fn update(app: &mut App, action: EditAction) {
    if action == EditAction::Copy {
        return copy(app);
    }
    let Some(editing) = app.mode.editing_mut() else { return };
    match action {
        EditAction::NextMistake => next_mistake(app),
        EditAction::NextLaunch => next_launch(app),
        EditAction::Open => {
            let job = EditJob::Open(editing.path.clone(), editing.line());
            app.tasks.push(Task::Edit(job));
        }
        EditAction::Difference => {
            editing.scroll = 0;
            editing.page = match editing.page {
                EditPage::Difference => EditPage::Table,
                EditPage::Table | EditPage::Task | EditPage::Solution => EditPage::Difference,
            };
        }
        EditAction::Task => show_task(app),
        EditAction::Scroll(by) => {
            editing.scroll = editing.scroll.min(999).saturating_add_signed(i16::from(by));
        }
        EditAction::Copy => {}
    }
}

/// Hides the text beside the panels, or brings it back; returns whether there is one.
pub(super) fn hide(app: &mut App) -> bool {
    let edits = app.mode.editing().is_some();
    app.display.wanted.text ^= edits;
    edits
}

/// Writes the kernel that is shown to a new file, to be edited.
fn copy(app: &mut App) {
    let problem = app.run.session.problem();
    if app.mode.editing().is_some() || problem.known.is_none() {
        app.message = Some("this kernel is in a file of yours already".to_owned());
        return;
    }
    if let Some(copy) = copy::of_problem(problem) {
        app.tasks.push(Task::Edit(EditJob::Copy(Box::new(copy))));
    }
}

/// Shows the task of the exercise; where that is shown one hint more, and after the last a solution.
fn show_task(app: &mut App) {
    let Some(editing) = app.mode.editing_mut() else { return };
    let Some(hints) = editing.exercise().map(|exercise| exercise.hints.len()) else {
        app.message = Some("this file is no exercise: matviz learn --list lists them".to_owned());
        return;
    };
    editing.scroll = 0;
    match editing.page {
        EditPage::Task if editing.hints == hints => editing.page = EditPage::Solution,
        EditPage::Task => {
            editing.hints += 1;
            // The newest hint stands last.
            editing.scroll = u16::MAX;
        }
        EditPage::Table | EditPage::Difference | EditPage::Solution => {
            editing.page = EditPage::Task;
        }
    }
}

/// Goes to the first mistake, or to the one after that which was gone to.
fn next_mistake(app: &mut App) {
    let Some(editing) = app.mode.editing_mut() else { return };
    let before = mem::replace(&mut editing.page, EditPage::Table);
    if let Some(CompileFailure { error, .. }) = &editing.broken {
        let line = error.line;
        app.message = Some(match line {
            0 => "it cannot be launched: change that first".to_owned(),
            _ => format!("line {line} does not compile: change that first"),
        });
        return;
    }
    let Some(mistakes) = editing.mistakes() else {
        app.message = Some("it is still being checked".to_owned());
        return;
    };
    if mistakes.is_empty() && editing.exercise().is_some() {
        let shows = before == EditPage::Table && editing.is_solved();
        editing.page = if shows { EditPage::Solution } else { EditPage::Table };
        editing.scroll = 0;
        return;
    }
    if mistakes.is_empty() {
        app.message = Some("nothing is wrong: C is right, and nothing was found".to_owned());
        return;
    }
    let visited = usize::from(editing.is_visited);
    editing.mistake = (editing.mistake + visited) % mistakes.len();
    (editing.is_visited, editing.scroll) = (true, 0);
    visit(app);
}

/// Goes to the step of the mistake that is looked at, and focuses the panel that shows it.
fn visit(app: &mut App) {
    let mistake = app.mode.editing().and_then(|editing| editing.mistake()).cloned();
    let Some(Mistake { kind, place, .. }) = mistake else { return };
    let Some(place) = place else {
        if matches!(kind, MistakeKind::Goal(_)) {
            return;
        }
        app.message = Some("there is no step of a run that shows it".to_owned());
        return;
    };
    stand(app, place);
    let shared = !app.run.session.place().shared.is_empty();
    focus(
        app,
        match kind {
            MistakeKind::Fault => Panel::Source,
            MistakeKind::WrongProduct => Panel::Matrices,
            MistakeKind::Unsound if shared => Panel::Shared,
            MistakeKind::Sectors | MistakeKind::Unsound | MistakeKind::Goal(_) => Panel::Lines,
            MistakeKind::Conflicts => Panel::Banks,
        },
    );
    app.run.pointed = place.element.map(PointedAt::Element);
    app.run.pointing = false;
}

/// Goes to a place: to the run of its size and of its block, in the order of the warps in which it
/// was found, and there to its step.
fn stand(app: &mut App, place: RunLocation) {
    let Some(shown) = app.mode.editing_mut().and_then(|editing| editing.shown.as_mut()) else {
        return;
    };
    let RunLocation { stage, block, step, warp, .. } = place;
    let order = shown.order.clone();
    let at_hand = app.run.session.block() == block && app.run.session.order() == order;
    match stage == shown.stage {
        false => {
            let Some(loaded) = job::loaded(&shown.version, stage) else { return };
            shown.stage = stage;
            replace(app, &loaded);
            app.show(|_, id| Session::new(id, loaded, block, order));
        }
        true if at_hand => {}
        true => app.show(|was, id| was.again(id, block, order)),
    }
    go_to_warp(app, step, Some(warp.into()));
}

/// Shows the next launch of the file's host, from its start, and says which it is of how many.
fn next_launch(app: &mut App) {
    let Some(shown) = app.mode.editing_mut().and_then(|editing| editing.shown.as_mut()) else {
        return;
    };
    let launches: Vec<_> = shown.version.launches().collect();
    let at = launches.iter().position(|(stage, _)| *stage == shown.stage);
    let next = at.map_or(0, |at| (at + 1) % launches.len());
    let Some((stage, (kernel, line))) = launches.get(next).copied() else {
        app.message = Some("the file launches one kernel".to_owned());
        return;
    };
    let told = format!("launch {} of {}: {kernel}, line {line}", next + 1, launches.len());
    let order = shown.order.clone();
    if let Some(loaded) = job::loaded(&shown.version, stage) {
        shown.stage = stage;
        replace(app, &loaded);
        let block = loaded.problem.launch.grid.middle();
        app.show(|_, id| Session::new(id, loaded, block, order));
        app.message = Some(told);
    }
}

/// Puts a kernel in the place of all that could be shown.
fn replace(app: &mut App, loaded: &Loaded) {
    app.kernels = Kernels::of(vec![loaded.problem.clone()], 0, loaded);
    app.measuring.measures.turn_to(&app.kernels.cache.problems());
}

impl App {
    /// Begins to edit a file; returns the tasks to be done elsewhere. It is measured only when that
    /// is asked for.
    pub fn edit(&mut self, opened: Opened) -> Vec<Task> {
        self.measuring.device.get_or_insert(0);
        self.open_file(opened);
        self.settled()
    }

    fn open_file(&mut self, opened: Opened) {
        let Opened { path, request, text, read, watch } = opened;
        let editing = Editing::new(path, request, watch.is_some());
        let edited = editing.watching.token();
        self.mode.edit(editing);
        self.display.wanted.text = true;
        self.tasks.extend(watch.map(|watch| Task::Edit(EditJob::Watch(watch, edited))));
        self.compile(text, read);
    }

    /// Takes in events of the edited file.
    pub(super) fn hear_edit(&mut self, news: EditEvent) {
        match news {
            EditEvent::File(path, ..)
                if self.mode.editing().is_none_or(|editing| editing.path != path) => {}
            EditEvent::File(_, news, time) => self.hear_file(news, time),
            EditEvent::Copied(Ok(opened)) => {
                let told = format!("{} is yours: E edits it", opened.path.display());
                // A lesson has asked for it to be opened.
                let line = self.mode.copied_line();
                let opens = line.map(|line| EditJob::Open(opened.path.clone(), Some(line)));
                self.open_file(*opened);
                self.tasks.extend(opens.map(Task::Edit));
                // The picture stays where it is.
                self.play.playback.playing = false;
                if let Some(editing) = self.mode.editing_mut() {
                    editing.begins = false;
                }
                self.message = Some(told);
            }
            EditEvent::Copied(Err(why)) => {
                lesson::return_from_copy(self);
                self.message = Some(format!("not written: {why}"));
            }
            EditEvent::Left(left) => {
                self.message = left.err().map(|why| why.to_string()).or(self.message.take());
                let path = self.mode.editing().map(|editing| editing.path.clone());
                self.tasks.extend(path.map(|path| Task::Edit(EditJob::Look(path))));
            }
            EditEvent::Compiled(number, _)
            | EditEvent::Judged(number, _)
            | EditEvent::Goal(number, _)
            | EditEvent::Searched(number, _)
                if self.mode.editing().is_none_or(|editing| editing.number != number) => {}
            EditEvent::Compiled(_, compiled) => match *compiled {
                Ok(built) => self.show_version(built),
                Err(broken) => self.hear_broken(broken),
            },
            EditEvent::Judged(_, judgement) => self.hear_judgement(*judgement),
            EditEvent::Goal(_, goal) => {
                if let Some(editing) = self.mode.editing_mut() {
                    editing.goal = goal.map(|goal| *goal);
                }
            }
            EditEvent::Searched(_, orders) => {
                let shown = self.mode.editing_mut().and_then(|editing| editing.shown.as_mut());
                if let Some(shown) = shown {
                    shown.orders = Some(orders);
                }
            }
        }
    }

    /// Says how fast the edited kernel is, or that it cannot be measured here: the panel of the times
    /// may have no room.
    pub(super) fn tell_measured(&mut self, news: &task::MeasureEvent) {
        let Some(editing) = self.mode.editing() else { return };
        let file = &editing.request.file;
        self.message = match news {
            task::MeasureEvent::Measured(row)
                if self
                    .measuring
                    .measures
                    .row(self.run.session.problem())
                    .is_some_and(|own| own.measurement == **row) =>
            {
                let Measurement { size, device, gflops, .. } = &**row;
                let name = ladder::name(row);
                Some(format!("{name}: {gflops:.0} GFLOP/s at {size}, measured on {device}"))
            }
            task::MeasureEvent::Failed(_, GpuError::NoDriver | GpuError::NoGpu { .. }) => {
                Some(format!("no GPU here: {file} cannot be measured"))
            }
            _ => return,
        };
    }

    fn hear_file(&mut self, news: watch::FileEvent, time: String) {
        let Some(editing) = self.mode.editing_mut() else { return };
        match news {
            watch::FileEvent::Saved(text) => {
                editing.lost = None;
                if editing.newest != text {
                    self.message = None;
                    self.compile(text, time);
                }
            }
            watch::FileEvent::Back => editing.lost = None,
            watch::FileEvent::Deleted => editing.lost = Some("has been deleted".to_owned()),
            watch::FileEvent::Unreadable(why) => {
                editing.lost = Some(format!("cannot be read ({why})"));
            }
        }
    }

    /// Has a text compiled and judged, instead of the one before.
    fn compile(&mut self, text: String, saved: String) {
        let order = self.run.session.order();
        let Some(editing) = self.mode.editing_mut() else { return };
        editing.number += 1;
        editing.newest.clone_from(&text);
        editing.judging = WorkOwner::default();
        let compiling = Compiling {
            number: editing.number,
            text,
            saved,
            request: editing.request.clone(),
            stage: editing.shown.as_ref().map_or(0, |shown| shown.stage),
            order,
            goal: editing.goal.clone(),
            token: editing.judging.token(),
        };
        self.tasks.push(Task::Edit(EditJob::Compile(Box::new(compiling))));
    }

    /// A text that does not compile: the version before stays on the screen.
    fn hear_broken(&mut self, broken: CompileFailure) {
        let Some(editing) = self.mode.editing_mut() else { return };
        editing.broken = Some(broken);
        (editing.page, editing.scroll) = (EditPage::Table, 0);
    }

    /// Shows a new version, at the same place of the work.
    fn show_version(&mut self, built: Built) {
        let Some(editing) = self.mode.editing_mut() else { return };
        let Built { version, saved, stage, loaded, order } = built;
        (editing.broken, editing.mistake, editing.is_visited) = (None, 0, false);
        (editing.scroll, editing.versions) = (0, editing.versions + 1);
        let judgement = None;
        let text = version.text.clone();
        let launches: Vec<_> = version.launches().map(|(_, (kernel, _))| &**kernel).collect();
        let listed = launches.join(", ");
        let several = (launches.len() > 1)
            .then(|| format!("{} launches: {listed}; V shows the next", launches.len()));
        let shown =
            ShownVersion { version, saved, stage, judgement, order: order.clone(), orders: None };
        let first = match editing.shown.replace(shown) {
            None => true,
            // What is between the two did not compile.
            Some(old) if old.version.text == text => false,
            Some(ShownVersion { version, judgement, .. }) => {
                let known = editing.before.take().and_then(|before| before.judgement);
                let judgement = judgement.or(known);
                editing.before = Some(PreviousVersion { text: version.text.clone(), judgement });
                false
            }
        };
        let begins = first && editing.begins;
        if first {
            // Who edits reads the source; the threads are a key away.
            self.display.wanted.guest = Panel::Source;
            self.message = several.or(self.message.take());
        }
        replace(self, &loaded);
        let grid = loaded.problem.launch.grid;
        let middle = grid.middle();
        self.show_in_place(|was, id| {
            let block = Some(was.block()).filter(|block| !begins && grid.contains(*block));
            Session::new(id, loaded, block.unwrap_or(middle), order)
        });
        if begins {
            self.run.session.go(SeekGoal::Step(0));
            let load = self.run.session.next_match(Want::Memory);
            self.run.session.go(SeekGoal::Step(load.unwrap_or(0)));
            self.moved();
        }
    }

    fn hear_judgement(&mut self, judgement: crate::lesson::edit::judgement::Judgement) {
        let Some(editing) = self.mode.editing_mut() else { return };
        let Some(shown) = editing.shown.as_mut() else { return };
        editing.first.get_or_insert_with(|| judgement.clone());
        shown.judgement = Some(judgement);
        let solved = editing.exercise().filter(|_| editing.is_solved());
        let solved = solved.map(|exercise| exercise.id.clone());
        let solved = solved.map(|exercise| LessonEvent::Solved { exercise, hints: editing.hints });
        let begins = mem::take(&mut editing.begins);
        let first = editing.mistake().and_then(|mistake| mistake.place);
        // Who begins an exercise reads the task first.
        let is_exercise = editing.exercise().is_some();
        if let Some(place) = first.filter(|_| begins && !is_exercise) {
            stand(self, place);
        }
        if let Some(solved) = solved {
            lesson::keep_events(self, vec![solved]);
        }
    }
}
