//! The actions of a page's dials.

use super::lesson;
use crate::lesson::session::{Move, OpenDials};
use crate::lesson::setting_runs::SettingCache;
use crate::tui::action::DialAction;
use crate::tui::app::App;
use crate::tui::lesson::{DialEvent, DialRequest, DialsState};
use crate::tui::task::Task;
use crate::work::WorkToken;

/// Performs an action of the dials.
pub(super) fn update(app: &mut App, action: DialAction) {
    match action {
        DialAction::Open => return open(app),
        DialAction::Choose(by) => with(app, |board, _| board.choose(by.into())),
        DialAction::Select(dial) => with(app, |board, turning| {
            let last = turning.at.len().saturating_sub(1);
            board.chosen = dial.min(last);
        }),
        DialAction::Turn(by) => with(app, |board, turning| board.turn(&turning.dials, by.into())),
        DialAction::Reset => with(app, |board, turning| board.at.clone_from(&turning.dials.start)),
        DialAction::Count => return count(app),
        DialAction::Back => return close(app),
        DialAction::Watch => return show(app, DialRequest::Play),
        DialAction::Source => return show(app, DialRequest::Source),
        DialAction::Answer => return answer(app),
        DialAction::GoOn => return lesson::perform(app, Move::GoOn),
    }
    ask(app);
}

/// Opens the page's dials.
fn open(app: &mut App) {
    with(app, |board, _| board.open = true);
    app.play.playback.playing = false;
    ask(app);
}

impl App {
    /// Takes in what was found out about settings of the dials.
    pub(super) fn hear_dials(&mut self, news: DialEvent, which: &WorkToken) {
        let board = self.mode.lesson_mut().and_then(|lesson| lesson.dials.as_mut());
        if let Some(board) = board.filter(|_| !which.is_cancelled()) {
            board.hear(news);
        }
    }
}

/// Does something with the dials, if the page has any.
fn with(app: &mut App, act: impl FnOnce(&mut DialsState, &OpenDials)) {
    let Some(lesson) = app.mode.lesson_mut() else { return };
    if let (Some(board), Some(turning)) = (&mut lesson.dials, &lesson.session.now().dials) {
        act(board, turning);
    }
}

/// Has the setting simulated, unless what it does is known.
fn ask(app: &mut App) {
    let mut work = None;
    let cache = cache(app);
    with(app, |board, turning| work = board.wanted(turning, &cache));
    app.tasks.extend(work.map(|work| Task::Dial(Box::new(work))));
}

fn count(app: &mut App) {
    let mut work = None;
    let cache = cache(app);
    with(app, |board, turning| work = board.count(turning, &cache));
    app.tasks.extend(work.map(|work| Task::Dial(Box::new(work))));
}

/// The runs that were recorded for the lesson.
fn cache(app: &App) -> SettingCache {
    app.mode.lesson().map_or_else(SettingCache::new, |lesson| lesson.session.cache().clone())
}

fn close(app: &mut App) {
    with(app, |board, _| board.open = false);
}

/// Shows the run of this setting, if it compiles.
fn show(app: &mut App, request: DialRequest) {
    if let Some(at) = compiled(app) {
        with(app, |board, _| (board.open, board.request) = (false, Some(request)));
        lesson::perform(app, Move::Dial(at));
    }
}

/// Says that this setting is the one.
fn answer(app: &mut App) {
    if let Some(at) = compiled(app) {
        lesson::perform(app, Move::Choose(at));
    }
}

/// The setting, if it is known to compile.
fn compiled(app: &mut App) -> Option<Vec<usize>> {
    let board = app.mode.lesson()?.dials.as_ref()?;
    let why = match board.known.get(&board.at) {
        Some(Ok(_)) => return Some(board.at.clone()),
        Some(Err(_)) => "this setting does not compile",
        None => "it is still being simulated",
    };
    app.message = Some(why.to_owned());
    None
}
