//! The actions of a lesson: its text, its questions, and what they do to the picture.

use super::focus::leave_zoom;
use super::{lesson_run, pick};
use crate::lesson::edit::copy;
use crate::lesson::question::Attempt;
use crate::lesson::read;
use crate::lesson::session::{LessonEvent, LessonSession, Move, WatchMode};
use crate::lesson::target::Target;
use crate::trace::cursor::Want;
use crate::tui::action::{Action, CourseAction, DialAction, LessonAction};
use crate::tui::app::App;
use crate::tui::edit::job::EditJob;
use crate::tui::facts;
use crate::tui::layout::paging::END;
use crate::tui::lesson::{ActiveLesson, CourseList, Opening, PendingMove, SuspendedLesson, typed};
use crate::tui::mode::Mode;
use crate::tui::page;
use crate::tui::task::{MoveTask, PrefetchTask, SaveTask, Task};
use crate::work::{WorkOwner, WorkToken};
use std::sync::Arc;
use std::time::Duration;

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
    match &mut app.mode {
        Mode::Watch | Mode::List(_) => open_list(app),
        Mode::Lesson(lesson) => {
            lesson.hidden = !lesson.hidden;
            app.display.wanted.text = !lesson.hidden;
        }
        Mode::Copy(_) | Mode::Edit(..) => {}
    }
}

fn open_list(app: &mut App) {
    let course = app.course();
    if course.lessons.is_empty() {
        app.message = Some("there are no lessons".to_owned());
        return;
    }
    let alone = app.lessons.open.is_some();
    app.mode = Mode::List(CourseList::new(&course, &app.lessons.kept, alone));
    app.play.playback.playing = false;
}

/// Begins a lesson at a page, or says why it cannot.
fn begin(app: &mut App, place: (u32, usize)) {
    app.course();
    match app.lessons.begin(place) {
        Err(why) => app.message = Some(why.to_string()),
        Ok((session, open)) => {
            let ahead = session.ask_ahead().map(|ahead| Task::AskAhead(Box::new(ahead)));
            app.tasks.extend(ahead);
            app.mode = Mode::Lesson(Box::new(ActiveLesson::new(session)));
            app.measuring.measure_view = None;
            app.display.wanted.text = true;
            perform(app, open);
        }
    }
}

/// Leaves the lesson for the list; returns whether there was one.
pub(super) fn leave(app: &mut App) -> bool {
    lesson_run::rest(app);
    let Some(lesson) = app.mode.take_lesson() else { return false };
    app.display.wanted.text = false;
    let number = lesson.now().lesson.0;
    let course = app.course();
    if course.lessons.is_empty() {
        // Nothing else was to be seen than this page.
        return app.lessons.open.is_none();
    }
    open_list(app);
    if let Some(list) = app.mode.list_mut() {
        let here = list.rows.iter().position(|row| row.number == number);
        list.chosen = here.unwrap_or(list.chosen);
        list.choose(isize::from(lesson.now().over));
    }
    true
}

/// Performs an action of the list of lessons.
pub(super) fn on_list(app: &mut App, action: CourseAction) {
    let Some(list) = app.mode.list_mut() else { return };
    match action {
        CourseAction::Choose(by) => list.choose(by.into()),
        CourseAction::First => list.chosen = 0,
        CourseAction::Last => list.choose(isize::MAX),
        CourseAction::Select(line) if list.chosen == line => start(app),
        CourseAction::Select(line) => list.chosen = line,
        CourseAction::Start => start(app),
        CourseAction::Leave if list.alone => app.over = true,
        CourseAction::Leave => {
            app.mode = Mode::Watch;
            lesson_run::bring_back(app);
        }
    }
}

fn start(app: &mut App) {
    if let Some(place) = app.mode.list().and_then(CourseList::place) {
        begin(app, place);
    }
}

/// Performs an action of the lesson; returns what it means without one, if it does not concern the
/// question.
pub(super) fn act(app: &mut App, action: LessonAction) -> Option<Action> {
    if page::reads(app) && reading(app, action) {
        return None;
    }
    match action {
        LessonAction::GoOn => return go_on(app),
        LessonAction::PageBefore => perform(app, Move::Back),
        LessonAction::Again => perform(app, Move::Again),
        LessonAction::Turn(by) => turn(app, by),
        LessonAction::Hint => perform(app, Move::Hint),
        LessonAction::Answer => answer(app),
        // A panel that is zoomed is a level of its own.
        LessonAction::Show if leave_zoom(app) => {}
        LessonAction::Show => perform(app, Move::Skip),
        LessonAction::Prove if proves(app) => perform(app, Move::Skip),
        LessonAction::Prove => return Some(Action::SwitchPace),
        LessonAction::Watch if is_offered(app) => perform(app, Move::Watch),
        LessonAction::Watch => return Some(Action::PreviousMatch(Want::Barrier)),
        LessonAction::Difference if is_different(app) => difference(app),
        LessonAction::Change | LessonAction::Difference | LessonAction::Edit if asks(app) => {
            if let Some(lesson) = app.mode.lesson_mut() {
                lesson.refused = true;
            }
        }
        LessonAction::Change if changes(app) => perform(app, Move::Alter),
        LessonAction::Difference => {
            app.message = Some("nothing is changed in this kernel".to_owned());
        }
        // Without a change, both lead to a kernel of the learner's own.
        LessonAction::Change | LessonAction::Edit => edit_copy(app),
        LessonAction::Type(letter) => type_letter(app, letter),
        LessonAction::Erase => erase(app),
        LessonAction::Move(down, right) => return move_by(app, down.into(), right.into()),
        LessonAction::Shift(by) => {
            if let Some(lesson) = app.mode.lesson_mut() {
                lesson.input.shift(by.into());
            }
        }
        LessonAction::Mark => return mark(app),
    }
    None
}

/// While the text is read before its question: an answer that is begun brings the question, and the
/// key that would give it reads on. Returns whether that is all that the action does.
fn reading(app: &mut App, action: LessonAction) -> bool {
    let is_answer = matches!(
        action,
        LessonAction::Type(_)
            | LessonAction::Move(..)
            | LessonAction::Shift(_)
            | LessonAction::Mark
    );
    match (action, app.mode.lesson_mut()) {
        (LessonAction::Answer, _) => turn(app, 1),
        (_, Some(lesson)) if is_answer => lesson.turned = Some(END),
        _ => {}
    }
    action == LessonAction::Answer
}

/// Whether the lesson waits for an answer.
fn asks(app: &App) -> bool {
    app.mode.lesson().is_some_and(ActiveLesson::waits)
}

/// Whether the page's kernel has a change that can be undone, or made again.
fn changes(app: &App) -> bool {
    app.mode.lesson().is_some_and(|lesson| lesson.session.changed().is_some())
}

/// Whether it may be seen what is changed in the page's kernel.
fn is_different(app: &App) -> bool {
    app.mode.lesson().is_some_and(|lesson| lesson.session.is_different())
}

/// Toggles between the text and the changed lines.
fn difference(app: &mut App) {
    let Some(lesson) = app.mode.lesson_mut() else { return };
    lesson.turned = None;
    lesson.different = match lesson.different.take() {
        Some(_) => None,
        None => Some(lesson.session.difference()).filter(|lines| !lines.is_empty()),
    };
}

/// Whether a proof is asked for.
fn proves(app: &App) -> bool {
    app.mode.lesson().is_some_and(|lesson| lesson.now().proof.is_some())
}

/// Whether the lesson offers to be only watched.
fn is_offered(app: &App) -> bool {
    app.mode.lesson().is_some_and(|lesson| lesson.now().watch == WatchMode::Offered)
}

/// Goes on: to the end of what plays, else to the next block; returns the action that opens dials, if
/// these come next.
fn go_on(app: &mut App) -> Option<Action> {
    if lesson_run::arrive(app) {
        return None;
    }
    let lesson = app.mode.lesson()?;
    match (lesson.now().over, lesson.waits()) {
        (false, false) if lesson.dials.is_some() => return Some(Action::Dial(DialAction::Open)),
        (true, _) => _ = leave(app),
        (false, true) => {}
        (false, false) => perform(app, Move::GoOn),
    }
    None
}

/// Has a move of the learner made, unless another one is being made; what stands stays until then.
pub(super) fn perform(app: &mut App, what: Move) {
    if app.mode.lesson().is_none_or(|lesson| lesson.busy.is_some()) {
        return;
    }
    if goes_elsewhere(&what) {
        lesson_run::rest(app);
    }
    let Some(lesson) = app.mode.lesson_mut() else { return };
    let busy = PendingMove::new(what.clone());
    let walking = MoveTask { session: lesson.session.clone(), what, token: busy.owner.token() };
    (lesson.busy, lesson.ahead) = (Some(busy), None);
    app.tasks.push(Task::Walk(Box::new(walking)));
}

/// Whether a move leads to another moment of the lesson, rather than to a reply.
const fn goes_elsewhere(what: &Move) -> bool {
    !matches!(what, Move::Answer(_) | Move::Skip | Move::Hint)
}

/// Stops what is being computed: the lesson stays where it is, or is left if it was to begin.
/// Returns whether there was anything.
pub(super) fn stop(app: &mut App) -> bool {
    let Some(busy) = app.mode.lesson_mut().and_then(|lesson| lesson.busy.take()) else {
        return false;
    };
    if matches!(busy.what, Move::Start(_)) {
        app.over = !leave(app);
    }
    true
}

impl App {
    /// Installs the lesson after the awaited move; ignores any other.
    pub(super) fn hear_walked(&mut self, session: LessonSession, which: &WorkToken) {
        let Some(lesson) = self.mode.lesson_mut() else { return };
        let Some(busy) = lesson.busy.take_if(|busy| busy.owner.owns(which)) else { return };
        let before = std::mem::replace(&mut lesson.session, session);
        match busy.what {
            // Hints are at the end of the text.
            Move::Hint => lesson.turned = Some(END),
            what if goes_elsewhere(&what) => {
                // The reply to a question stays beside the kernel without its change.
                let asked = lesson.asked.take_if(|_| what == Move::Alter);
                lesson.renew();
                lesson.asked = asked;
                keep(self);
                lesson_run::bring(self);
            }
            _ => judged(self, &before),
        }
        look_ahead(self);
    }

    /// Notes that time has passed while something is computed for a lesson; returns `None` if
    /// nothing is.
    pub(super) fn wait_for_lesson(&mut self, passed: Duration) -> Option<Vec<Task>> {
        let busy = self.mode.lesson_mut()?.busy.as_mut()?;
        busy.wait(passed);
        Some(Vec::new())
    }
}

/// Shows what is said to an answer, or instead of one; the run goes on to the evidence.
fn judged(app: &mut App, before: &LessonSession) {
    let Some(lesson) = app.mode.lesson_mut() else { return };
    let asked = before.now().question.as_ref().map(|open| open.question.clone());
    let asked = asked.map(|question| (question, lesson.input.clone()));
    let replied = lesson.now().reply.is_some();
    if replied {
        lesson.renew();
        lesson.asked = asked;
    } else {
        lesson.input.typed.clear();
        lesson.turned = Some(END);
    }
    let stands = |session: &LessonSession| (session.now().setting.clone(), session.now().step);
    let moved = stands(before) != stands(&lesson.session);
    keep(app);
    // The page may have told to look at another kernel meanwhile.
    let shown = app.run.session.id();
    let away = app.mode.lesson().and_then(|lesson| lesson.run.id).is_some_and(|it| it != shown);
    match (moved || replied && away, replied) {
        (true, _) => lesson_run::bring(app),
        (false, true) => lesson_run::show_evidence(app),
        (false, false) => {}
    }
}

/// Has run what the lesson will need next, while the learner reads.
fn look_ahead(app: &mut App) {
    let Some(lesson) = app.mode.lesson_mut() else { return };
    let token = lesson.ahead.insert(WorkOwner::default()).token();
    let ahead = PrefetchTask { session: lesson.session.clone(), token };
    app.tasks.push(Task::LookAhead(Box::new(ahead)));
}

fn answer(app: &mut App) {
    let Some(lesson) = app.mode.lesson() else { return };
    // A number that is typed means the thing of that number.
    let meant = Some(&lesson.input.typed).filter(|typed| lesson.is_pick() && !typed.is_empty());
    let target = meant.and_then(|text| typed(&pick::first(app)?, text));
    let picked = target.map(|target| Attempt::Picked([target].into()));
    let attempt = picked.unwrap_or_else(|| lesson.input.attempt());
    perform(app, Move::Answer(attempt));
}

/// Has what happened kept, and notes in the list which lessons are done.
fn keep(app: &mut App) {
    let Some(lesson) = app.mode.lesson_mut() else { return };
    let happened = lesson.session.events();
    keep_events(app, happened);
}

/// Has these events kept.
pub(super) fn keep_events(app: &mut App, happened: Vec<LessonEvent>) {
    let lessons = &mut app.lessons;
    for event in &happened {
        lessons.kept.add(event, &lessons.day);
    }
    if let Some(progress) = lessons.progress.clone().filter(|_| !happened.is_empty()) {
        let day = lessons.day.clone();
        app.tasks.push(Task::Keep(Box::new(SaveTask { progress, happened, day })));
    }
}

fn turn(app: &mut App, by: i8) {
    let Some(laid) = page::laid(app, &app.areas()) else { return };
    if let Some(lesson) = app.mode.lesson_mut() {
        lesson.turned = Some(laid.paging.turned(lesson.turned, by));
    }
}

/// Types a letter; where the answer is a place, what is typed is pointed at.
fn type_letter(app: &mut App, letter: char) {
    let Some(lesson) = app.mode.lesson_mut() else { return };
    lesson.input.type_letter(letter);
    point_at_typed(app);
}

fn point_at_typed(app: &mut App) {
    let Some(lesson) = app.mode.lesson() else { return };
    let kind = pick::first(app);
    let target = kind.and_then(|kind| typed(&kind, &lesson.input.typed));
    if let Some(lesson) = app.mode.lesson_mut().filter(|_| target.is_some()) {
        lesson.input.pointer = target;
    }
}

fn erase(app: &mut App) {
    let Some(lesson) = app.mode.lesson_mut() else { return };
    if lesson.input.erase() {
        point_at_typed(app);
    }
}

/// Moves the choice or the pointer; beside a number, the arrows mean what they always mean.
fn move_by(app: &mut App, down: isize, right: isize) -> Option<Action> {
    let lesson = app.mode.lesson_mut()?;
    let steps = right != 0 && lesson.session.shows_symptoms();
    if lesson.is_pick() && !steps {
        lesson.input.typed.clear();
        pick::walk(app, down as i32, right as i32);
    } else if lesson.input.order.is_empty() || steps {
        return Some(match (down, right) {
            (1.., _) => Action::Down,
            (..0, _) => Action::Up,
            (0, ..0) => Action::Back,
            (0, _) => Action::Forward,
        });
    } else {
        lesson.input.choose(down + right);
    }
    None
}

/// Marks what is pointed at; if nothing is, the key keeps its usual meaning.
fn mark(app: &mut App) -> Option<Action> {
    let lesson = app.mode.lesson_mut()?;
    if !lesson.is_pick() || lesson.session.shows_symptoms() {
        return Some(Action::PlayPause);
    }
    lesson.input.mark();
    None
}

/// Points at something that was clicked; at the second click, answers with it.
pub(super) fn point_at(app: &mut App, target: Target) {
    let Some(lesson) = app.mode.lesson_mut() else { return };
    lesson.input.typed.clear();
    lesson.turned = Some(END);
    let again = lesson.input.pointer.as_ref() == Some(&target);
    match (again, lesson.input.marked.is_empty()) {
        (false, _) => lesson.input.pointer = Some(target),
        (true, true) => answer(app),
        (true, false) => lesson.input.mark(),
    }
}

/// Has a copy of the lesson's kernel written, to be opened in the user's editor at the line that is
/// shown.
fn edit_copy(app: &mut App) {
    let Some(copy) = copy::of_problem(app.run.session.problem()) else {
        app.message = Some("the source of this kernel is not known".to_owned());
        return;
    };
    let line =
        copy.above + facts::CurrentInstruction::of(&app.run.session, app.run.warp).line.max(1);
    if let Some(lesson) = app.mode.take_lesson() {
        app.mode = Mode::Copy(SuspendedLesson { lesson, line });
    }
    app.display.wanted.text = false;
    app.tasks.push(Task::Edit(EditJob::Copy(Box::new(copy))));
}

/// Goes back to the lesson that waits; returns whether one does.
pub(super) fn return_from_copy(app: &mut App) -> bool {
    let returns = app.mode.return_to_lesson();
    if let Some(lesson) = app.mode.lesson().filter(|_| returns) {
        app.display.wanted.text = !lesson.hidden;
        lesson_run::bring(app);
    }
    returns
}
