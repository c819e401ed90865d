//! The actions of a lesson: its text, its questions, and what they do to the picture.

use super::focus::leave_zoom;
use super::{pick, stage};
use crate::lesson::read;
use crate::lesson::thing::Thing;
use crate::lesson::walk::{Walk, Watch};
use crate::trace::cursor::Want;
use crate::tui::action::{Action, CourseAction, LessonAction, ValueAction};
use crate::tui::app::App;
use crate::tui::lesson::{CourseList, Opening, Taking, typed};
use crate::tui::screen;
use crate::tui::task::{Keeping, Task};
use std::sync::Arc;

impl App {
    /// Opens what the screen is to open with.
    pub(in crate::tui) fn open_lessons(&mut self) {
        match self.lessons.open {
            None => {}
            Some(Opening::List) => open_list(self),
            Some(Opening::Page(lesson, page)) => begin(self, (lesson, page)),
        }
    }

    /// The course, which is read when it is first needed.
    fn course(&mut self) -> Arc<crate::lesson::document::Course> {
        let course = self.lessons.course.get_or_insert_with(|| Arc::new(read::shipped().0));
        Arc::clone(course)
    }
}

/// Opens the list of lessons; in a lesson, hides its text or brings it back.
pub(super) fn open(app: &mut App) {
    match &mut app.lesson {
        None => open_list(app),
        Some(lesson) => {
            lesson.hidden = !lesson.hidden;
            app.wanted.text = !lesson.hidden;
        }
    }
}

fn open_list(app: &mut App) {
    let course = app.course();
    if course.lessons.is_empty() {
        app.message = Some("there are no lessons".to_owned());
        return;
    }
    let alone = app.lessons.open.is_some();
    app.courses = Some(CourseList::new(&course, &app.lessons.kept, alone));
    app.playback.playing = false;
}

/// Begins a lesson at a page, or says why it cannot.
fn begin(app: &mut App, place: (u32, usize)) {
    app.course();
    match app.lessons.begin(place) {
        Err(why) => app.message = Some(why),
        Ok(walk) => {
            app.lesson = Some(Box::new(Taking::new(walk)));
            app.courses = None;
            app.board = None;
            app.wanted.text = true;
            keep(app);
            stage::bring(app);
        }
    }
}

/// Leaves the lesson for the list; returns whether there was one.
pub(super) fn leave(app: &mut App) -> bool {
    stage::rest(app);
    let Some(lesson) = app.lesson.take() else { return false };
    app.wanted.text = false;
    let number = lesson.now().lesson.0;
    let course = app.course();
    if course.lessons.is_empty() {
        // Nothing else was to be seen than this page.
        return app.lessons.open.is_none();
    }
    open_list(app);
    if let Some(list) = &mut app.courses {
        let here = list.rows.iter().position(|row| row.number == number);
        list.chosen = here.unwrap_or(list.chosen);
        list.choose(isize::from(lesson.now().over));
    }
    true
}

/// Performs an action of the list of lessons.
pub(super) fn on_list(app: &mut App, action: CourseAction) {
    let Some(list) = &mut app.courses else { return };
    match action {
        CourseAction::Choose(by) => list.choose(by.into()),
        CourseAction::First => list.chosen = 0,
        CourseAction::Last => list.choose(isize::MAX),
        CourseAction::Select(line) if list.chosen == line => start(app),
        CourseAction::Select(line) => list.chosen = line,
        CourseAction::Start => start(app),
        CourseAction::Leave if list.alone => app.over = true,
        CourseAction::Leave => app.courses = None,
    }
}

fn start(app: &mut App) {
    if let Some(place) = app.courses.as_ref().and_then(CourseList::place) {
        begin(app, place);
    }
}

/// Performs an action of the lesson; returns what it means without one, if it does not concern the
/// question.
pub(super) fn act(app: &mut App, action: LessonAction) -> Option<Action> {
    match action {
        LessonAction::GoOn => go_on(app),
        LessonAction::PageBefore => walk(app, Walk::back),
        LessonAction::Again => walk(app, Walk::again),
        LessonAction::Turn(by) => turn(app, by),
        LessonAction::Hint => hint(app),
        LessonAction::Answer => answer(app),
        // A panel that is zoomed is a level of its own.
        LessonAction::Show if leave_zoom(app) => {}
        LessonAction::Show => judged(app, Walk::skip),
        LessonAction::Prove if proves(app) => judged(app, Walk::skip),
        LessonAction::Prove => return Some(Action::SwitchPace),
        LessonAction::Watch if is_offered(app) => walk(app, Walk::watch),
        LessonAction::Watch => return Some(Action::PreviousMatch(Want::Barrier)),
        LessonAction::Type(letter) => type_letter(app, letter),
        LessonAction::Erase => erase(app),
        LessonAction::Move(down, right) => return move_by(app, down.into(), right.into()),
        LessonAction::Shift(by) => {
            if let Some(lesson) = &mut app.lesson {
                lesson.input.shift(by.into());
            }
        }
        LessonAction::Mark => mark(app),
    }
    None
}

/// Whether a proof is asked for.
fn proves(app: &App) -> bool {
    app.lesson.as_deref().is_some_and(|lesson| lesson.now().proof.is_some())
}

/// Whether the lesson offers to be only watched.
fn is_offered(app: &App) -> bool {
    app.lesson.as_deref().is_some_and(|lesson| lesson.now().watch == Watch::Offered)
}

/// Goes on: first to the end of what plays, then to what follows.
fn go_on(app: &mut App) {
    if stage::arrive(app) {
        return;
    }
    let Some(lesson) = &app.lesson else { return };
    match (lesson.now().over, lesson.waits()) {
        (true, _) => _ = leave(app),
        (false, true) => {}
        (false, false) => walk(app, Walk::go_on),
    }
}

/// Goes elsewhere in the lesson, and brings the picture there.
fn walk(app: &mut App, go: impl FnOnce(&mut Walk)) {
    stage::rest(app);
    let Some(lesson) = &mut app.lesson else { return };
    go(&mut lesson.walk);
    lesson.renew();
    keep(app);
    stage::bring(app);
}

/// Answers the question, or has it shown; the run goes on to the evidence.
fn judged(app: &mut App, answer: impl FnOnce(&mut Walk)) {
    let Some(lesson) = &mut app.lesson else { return };
    let stood = (lesson.now().setting.clone(), lesson.now().step);
    let asked = lesson.question().cloned().map(|question| (question, lesson.input.clone()));
    answer(&mut lesson.walk);
    let replied = lesson.now().reply.is_some();
    if replied {
        lesson.renew();
        lesson.asked = asked;
    } else {
        lesson.input.typed.clear();
        lesson.turned = None;
    }
    let moved = stood != (lesson.now().setting.clone(), lesson.now().step);
    keep(app);
    match (moved, replied) {
        (true, _) => stage::bring(app),
        (false, true) => stage::show_evidence(app),
        (false, false) => {}
    }
}

fn answer(app: &mut App) {
    let Some(lesson) = &app.lesson else { return };
    let spelt = lesson.input.spelt();
    judged(app, |walk| walk.answer(&spelt));
}

/// Has what happened kept, and notes in the list which lessons are done.
fn keep(app: &mut App) {
    let Some(lesson) = &mut app.lesson else { return };
    let happened = lesson.walk.events();
    let lessons = &mut app.lessons;
    for event in &happened {
        lessons.kept.add(event, &lessons.day);
    }
    if let Some(progress) = lessons.progress.clone().filter(|_| !happened.is_empty()) {
        let day = lessons.day.clone();
        app.tasks.push(Task::Keep(Box::new(Keeping { progress, happened, day })));
    }
}

fn hint(app: &mut App) {
    let Some(lesson) = &mut app.lesson else { return };
    lesson.walk.hint();
    // Hints are at the end of the text.
    lesson.turned = Some(u16::MAX);
}

fn turn(app: &mut App, by: i8) {
    let Some(turned) = screen::lesson::turned(app, by) else { return };
    if let Some(lesson) = &mut app.lesson {
        lesson.turned = Some(turned);
    }
}

/// Types a letter; where the answer is a place, what is typed is pointed at.
fn type_letter(app: &mut App, letter: char) {
    let Some(lesson) = &mut app.lesson else { return };
    lesson.input.type_letter(letter);
    point_at_typed(app);
}

fn point_at_typed(app: &mut App) {
    let Some(lesson) = &app.lesson else { return };
    let kind = pick::first(app);
    let thing = kind.and_then(|kind| typed(&kind, &lesson.input.typed));
    if let Some(lesson) = app.lesson.as_mut().filter(|_| thing.is_some()) {
        lesson.input.pointer = thing;
    }
}

fn erase(app: &mut App) {
    let Some(lesson) = &mut app.lesson else { return };
    if lesson.input.erase() {
        point_at_typed(app);
    } else {
        walk(app, Walk::back);
    }
}

/// Moves the choice or the pointer; beside a number, the arrows mean what they always mean.
fn move_by(app: &mut App, down: isize, right: isize) -> Option<Action> {
    let lesson = app.lesson.as_mut()?;
    if lesson.is_pick() {
        lesson.input.typed.clear();
        pick::walk(app, down as i32, right as i32);
    } else if lesson.input.order.is_empty() {
        return Some(match (down, right) {
            (1.., _) => Action::Down,
            (..0, _) => Action::Up,
            (0, _) => Action::Forward,
        });
    } else {
        lesson.input.choose(down + right);
    }
    None
}

fn mark(app: &mut App) {
    let Some(lesson) = &mut app.lesson else { return };
    if lesson.is_pick() {
        lesson.input.mark();
    } else {
        lesson.refused = true;
    }
}

/// Whether an action is not performed since it would move the run, and a question is open. A click
/// on what can be picked points there instead.
pub(super) fn takes(app: &mut App, action: Action) -> bool {
    if !app.lesson.as_deref().is_some_and(Taking::waits) {
        return false;
    }
    if let Some(thing) = pick::hit(app, action) {
        point_at(app, thing);
        return !matches!(action, Action::Focus(_));
    }
    let refused = moves(action);
    if let Some(lesson) = app.lesson.as_mut().filter(|_| refused) {
        lesson.refused = true;
    }
    refused
}

/// Points at something that was clicked; at the second click, answers with it.
fn point_at(app: &mut App, thing: Thing) {
    let Some(lesson) = &mut app.lesson else { return };
    lesson.input.typed.clear();
    let again = lesson.input.pointer.as_ref() == Some(&thing);
    match (again, lesson.input.marked.is_empty()) {
        (false, _) => lesson.input.pointer = Some(thing),
        (true, true) => answer(app),
        (true, false) => lesson.input.mark(),
    }
}

/// Whether an action moves the run, or replaces it by another one.
pub(super) const fn moves(action: Action) -> bool {
    matches!(
        action,
        Action::PlayPause
            | Action::Forward
            | Action::Back
            | Action::NextPhase
            | Action::PreviousPhase
            | Action::NextMatch(_)
            | Action::PreviousMatch(_)
            | Action::NextFinding
            | Action::PreviousFinding
            | Action::OpenFindings
            | Action::First
            | Action::Last
            | Action::Restart
            | Action::Seek(_)
            | Action::NextKernel
            | Action::NextRung
            | Action::NextTile
            | Action::PreviousTile
            | Action::NextOrder
            | Action::OpenBlocks
            | Action::SelectBlock(_)
            | Action::Value(ValueAction::Go)
    )
}
