//! The actions of a page's dials.

use super::{lesson, stage};
use crate::lesson::walk::{Turning, Walk};
use crate::tui::action::DialAction;
use crate::tui::app::App;
use crate::tui::layout::Panel;
use crate::tui::lesson::{Board, Known, News};
use crate::tui::task::Task;
use std::sync::Weak;

/// Performs an action of the dials.
pub(super) fn update(app: &mut App, action: DialAction) {
    match action {
        DialAction::Choose(by) => with(app, |board, _| board.choose(by.into())),
        DialAction::Select(dial) => with(app, |board, turning| {
            let last = turning.at.len().saturating_sub(1);
            board.chosen = dial.min(last);
        }),
        DialAction::Turn(by) => with(app, |board, turning| board.turn(&turning.dials, by.into())),
        DialAction::Reset => with(app, |board, turning| board.at.clone_from(&turning.dials.start)),
        DialAction::Count => return count(app),
        DialAction::Back => return close(app),
        DialAction::Watch => return watch(app),
        DialAction::Source => return source(app),
        DialAction::Answer => return answer(app),
        DialAction::GoOn => return lesson::walk(app, Walk::go_on),
    }
    ask(app);
}

/// Opens the page's dials; returns whether it has any that are still to be turned.
pub(super) fn open(app: &mut App) -> bool {
    let board = app.lesson.as_mut().and_then(|lesson| lesson.board.as_mut());
    let Some(board) = board else { return false };
    board.open = true;
    app.playback.playing = false;
    ask(app);
    true
}

impl App {
    /// Takes in what was found out about settings of the dials.
    pub(super) fn hear_dials(&mut self, news: News, which: &Weak<()>) {
        let board = self.lesson.as_mut().and_then(|lesson| lesson.board.as_mut());
        if let Some(board) = board.filter(|_| which.strong_count() > 0) {
            board.hear(news);
        }
    }
}

/// Does something with the dials, if the page has any.
fn with(app: &mut App, act: impl FnOnce(&mut Board, &Turning)) {
    let Some(lesson) = &mut app.lesson else { return };
    if let (Some(board), Some(turning)) = (&mut lesson.board, &lesson.walk.now().dials) {
        act(board, turning);
    }
}

/// Has the setting simulated, unless what it does is known.
fn ask(app: &mut App) {
    let mut work = None;
    with(app, |board, turning| work = board.wanted(turning));
    app.tasks.extend(work.map(|work| Task::Dial(Box::new(work))));
}

fn count(app: &mut App) {
    let mut work = None;
    with(app, |board, turning| work = board.count(turning));
    app.tasks.extend(work.map(|work| Task::Dial(Box::new(work))));
}

fn close(app: &mut App) {
    with(app, |board, _| board.open = false);
}

/// Brings the lesson to where the dials stand; returns whether that is known and compiles.
fn settle(app: &mut App) -> bool {
    let Some(lesson) = &mut app.lesson else { return false };
    let Some(board) = &lesson.board else { return false };
    let known = board.known.get(&board.at);
    let Some(Ok(tried)) = known.map(Known::as_ref) else {
        app.message = Some(match known {
            None => "it is still being simulated".to_owned(),
            Some(_) => "this setting does not compile".to_owned(),
        });
        return false;
    };
    let judged = tried.iter().map(|tried| tried.judged.clone()).collect();
    let at = board.at.clone();
    if lesson.now().dials.as_ref().is_some_and(|turning| turning.at != at) {
        lesson.walk.dial(at, Ok(judged));
    }
    true
}

/// Shows the run of this setting, and plays it.
fn watch(app: &mut App) {
    if settle(app) {
        close(app);
        stage::bring(app);
        app.playback.playing = true;
    }
}

/// Shows the source of this setting on the whole screen.
fn source(app: &mut App) {
    if settle(app) {
        close(app);
        stage::bring(app);
        app.wanted.zoomed = Some(Panel::Source);
    }
}

/// Says that this setting is the one.
fn answer(app: &mut App) {
    if settle(app) {
        lesson::judged(app, |walk| walk.answer("y"));
    }
}
