//! Turns keys and mouse events into actions, using the keymap and what is under the mouse.

use super::action::{
    Action, CourseAction, DialAction, LessonAction, MeasureAction, OverlayAction, ValueAction,
};
use super::app::{App, Overlay};
use super::chart;
use super::facts::redacted::asks;
use super::keymap::{Context, Key};
use super::layout::{Areas, Panel, inner};
use super::measure_view::MeasureView;
use super::screen;
use super::update;
use super::view_model::ViewModel;
use super::widget::scrubber;
use crate::report::pointed::PointedAt;

/// What the mouse did at a cell of the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mouse {
    pub act: MouseAct,
    pub column: u16,
    pub row: u16,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MouseAct {
    /// With the left button.
    Click,
    OtherClick,
    /// With the left button held.
    Drag,
    /// Without a button.
    Move,
    ScrollUp,
    ScrollDown,
}

/// Returns the action of a key in the current context.
pub fn key(app: &App, key: Key) -> Option<Action> {
    match &app.overlay {
        None if app.shows_finale() => Some(on_finale(app, key)),
        // Any key stops the directed run, also one that does nothing else.
        None => on_panels(app, key).or_else(|| app.is_directed().then_some(Action::PlayPause)),
        Some(Overlay::Blank) => {
            let known = app.keymap.action(Context::Overlay, key);
            Some(known.unwrap_or(Action::Overlay(OverlayAction::Close)))
        }
        Some(Overlay::Help(_)) => app.keymap.action(Context::Overlay, key),
        Some(Overlay::Findings(_)) => on_findings(app, key),
        Some(Overlay::Tile) => Some(on_tile(app, key)),
        Some(Overlay::Palette(..)) => {
            key.typed().map(typed).or_else(|| app.keymap.action(Context::Overlay, key))
        }
        Some(Overlay::Blocks(..)) => {
            let digit = key.typed().filter(|letter| letter.is_ascii_digit() || *letter == ',');
            digit.map(typed).or_else(|| app.keymap.action(Context::Overlay, key))
        }
    }
}

/// At the end of the run, `Enter` leads on and `r` runs the race again; any other key leaves it, also
/// one that does nothing else.
fn on_finale(app: &App, key: Key) -> Action {
    let overlay = app.keymap.action(Context::Overlay, key);
    match (overlay, key.typed()) {
        (Some(Action::Overlay(OverlayAction::Accept)), _) => Action::ClimbOn,
        (_, Some(AGAIN)) => Action::RaceAgain,
        _ => on_panels(app, key).unwrap_or(Action::Escape),
    }
}

/// The key that runs the race at the end again.
pub(super) const AGAIN: char = 'r';

/// On the card of the tile, the keys that close an overlay do so, and those of playing: it goes on
/// where it was. Other keys do what they do without the card.
fn on_tile(app: &App, key: Key) -> Action {
    let overlay = app.keymap.action(Context::Overlay, key);
    let closes =
        matches!(overlay, Some(Action::Overlay(OverlayAction::Close | OverlayAction::Accept)));
    let other = on_panels(app, key).filter(|action| !closes && *action != Action::PlayPause);
    other.unwrap_or(Action::Overlay(OverlayAction::Close))
}

/// In the list of findings, the keys that go from one to the next leave it for its step.
fn on_findings(app: &App, key: Key) -> Option<Action> {
    let goes = |action: &Action| matches!(action, Action::NextFinding | Action::PreviousFinding);
    let overlay = app.keymap.action(Context::Overlay, key);
    overlay.or_else(|| app.keymap.action(Context::Main, key).filter(goes))
}

/// While a value is followed, digits type an element's position.
fn on_panels(app: &App, key: Key) -> Option<Action> {
    let context = app.context();
    let asked = || on_question(app, key).or_else(|| on_capital(app, key));
    if let Some(action) = on_point(app, key).or_else(asked) {
        return Some(action);
    }
    let digit = key.typed().filter(|letter| letter.is_ascii_digit() || *letter == ',');
    let busy = app.mode.lesson().is_some_and(|lesson| lesson.busy.is_some());
    let walks = app.walks_value() && !busy;
    let walks = walks && matches!(context, Context::Value | Context::Lesson);
    match digit {
        Some(letter) if walks => Some(Action::Value(ValueAction::Type(letter))),
        // The lesson goes on with the keys that it names, also while a value is followed.
        _ if walks && context == Context::Lesson => {
            let of_lesson = app.keymap.action(context, key);
            of_lesson.or_else(|| app.keymap.meaning(Context::Value, key))
        }
        _ => app.keymap.meaning(context, key),
    }
}

/// While a question is open, what can be a part of its answer is typed.
fn on_question(app: &App, key: Key) -> Option<Action> {
    let lesson = app.asking().filter(|_| app.measuring.measure_view.is_none())?;
    let letter = key.typed()?;
    lesson.input.wants(letter).then_some(Action::Walk(LessonAction::Type(letter)))
}

/// While a question is open, a letter that would move the run is heard as its capital, if that is a
/// key of the question: `h` asks for a hint.
fn on_capital(app: &App, key: Key) -> Option<Action> {
    if app.context() != Context::Question || !asks(app) {
        return None;
    }
    let capital = key.typed()?.to_ascii_uppercase().to_string().parse().ok()?;
    app.keymap.meaning(Context::Question, key).filter(|action| update::moves(*action))?;
    app.keymap.action(Context::Question, capital)
}

/// While something is pointed at with the keys, those that move a followed value move the point.
fn on_point(app: &App, key: Key) -> Option<Action> {
    if !app.run.pointing || app.measuring.measure_view.is_some() {
        return None;
    }
    match app.keymap.action(Context::Value, key)? {
        Action::Value(ValueAction::Up) => Some(Action::MovePoint(-1, 0)),
        Action::Value(ValueAction::Down) => Some(Action::MovePoint(1, 0)),
        Action::Value(ValueAction::Left) => Some(Action::MovePoint(0, -1)),
        Action::Value(ValueAction::Right) => Some(Action::MovePoint(0, 1)),
        _ => None,
    }
}

/// Returns the actions of a mouse event: a click that both focuses and selects is two.
pub fn mouse(app: &App, event: Mouse) -> Vec<Action> {
    let (x, y) = (event.column, event.row);
    let areas = app.areas();
    let over = areas.at(x, y);
    if event.act == MouseAct::Move {
        return hover(app, &areas, x, y);
    }
    if let (None, Some(board)) = (&app.overlay, &app.measuring.measure_view) {
        return on_board(app, board, event);
    }
    if app.overlay.is_none() && app.shows_finale() {
        return on_finale_click(event);
    }
    if app.overlay.is_none() && app.mode.list().is_some() {
        return on_list(app, event);
    }
    if app.overlay.is_none() && app.mode.dials().is_some() {
        return on_dials(app, event);
    }
    if app.overlay.is_none() && areas.text.contains((x, y).into()) {
        return on_text(event);
    }
    match event.act {
        MouseAct::ScrollDown if app.overlay.is_some() => {
            vec![Action::Overlay(OverlayAction::Down)]
        }
        MouseAct::ScrollUp if app.overlay.is_some() => {
            vec![Action::Overlay(OverlayAction::Up)]
        }
        MouseAct::Click | MouseAct::OtherClick if app.overlay.is_some() => {
            vec![Action::Overlay(OverlayAction::Close)]
        }
        MouseAct::ScrollDown => wheel(over, true),
        MouseAct::ScrollUp => wheel(over, false),
        MouseAct::Click => click(app, &areas, x, y),
        MouseAct::Drag if app.overlay.is_none() => drag(app, &areas, x, y),
        MouseAct::OtherClick | MouseAct::Drag | MouseAct::Move => Vec::new(),
    }
}

/// A click leaves the end of the run, and does nothing to the panels that it covers.
fn on_finale_click(event: Mouse) -> Vec<Action> {
    let clicks = matches!(event.act, MouseAct::Click | MouseAct::OtherClick);
    clicks.then_some(Action::Escape).into_iter().collect()
}

/// What the wheel does, down by 1 or up by -1, and a click.
fn turned_or_clicked(
    event: Mouse,
    wheel: impl FnOnce(i8) -> Action,
    click: impl FnOnce() -> Option<Action>,
) -> Vec<Action> {
    let action = match event.act {
        MouseAct::ScrollDown => Some(wheel(1)),
        MouseAct::ScrollUp => Some(wheel(-1)),
        MouseAct::Click => click(),
        MouseAct::OtherClick | MouseAct::Drag | MouseAct::Move => None,
    };
    action.into_iter().collect()
}

/// In the list of lessons, the wheel and a click choose; a click on the chosen one begins it.
fn on_list(app: &App, event: Mouse) -> Vec<Action> {
    let choose = |by| Action::Course(CourseAction::Choose(by));
    let line = || screen::course::line_at(&view(app), app.size(), event.row);
    turned_or_clicked(event, choose, || Some(Action::Course(CourseAction::Select(line()?))))
}

/// On the dials, the wheel and a click choose one; a click on the chosen one turns it.
fn on_dials(app: &App, event: Mouse) -> Vec<Action> {
    let chosen = app.mode.dials().map(|board| board.chosen);
    let choose = |by| Action::Dial(DialAction::Choose(by));
    turned_or_clicked(event, choose, || {
        let dial = screen::lesson::dial_at(&view(app), (event.column, event.row))?;
        let again = Some(dial) == chosen;
        Some(Action::Dial(if again { DialAction::Turn(1) } else { DialAction::Select(dial) }))
    })
}

/// On the text of a lesson, the wheel turns it.
fn on_text(event: Mouse) -> Vec<Action> {
    turned_or_clicked(event, |by| Action::Walk(LessonAction::Turn(by)), || None)
}

/// On the Measure screen, the wheel selects kernels and a click selects a picture.
fn on_board(app: &App, board: &MeasureView, event: Mouse) -> Vec<Action> {
    let turn = |by| match by {
        1 => Action::Measure(MeasureAction::NextKernel),
        _ => Action::Measure(MeasureAction::PreviousKernel),
    };
    turned_or_clicked(event, turn, || {
        let at = screen::measure::picture_at(board, app.size(), (event.column, event.row));
        let picture = at.filter(|picture| *picture != board.picture)?;
        Some(Action::Measure(MeasureAction::Show(picture)))
    })
}

/// What is under the mouse is what was drawn.
fn view(app: &App) -> ViewModel<'_> {
    ViewModel::of(app, app.size())
}

fn typed(letter: char) -> Action {
    Action::Overlay(OverlayAction::Type(letter))
}

/// The wheel scrolls a list; elsewhere it steps through the run.
fn wheel(over: Option<Panel>, down: bool) -> Vec<Action> {
    match over {
        Some(panel @ (Panel::Source | Panel::Warps)) => {
            vec![Action::Focus(panel), if down { Action::Down } else { Action::Up }]
        }
        Some(Panel::Value) => vec![Action::Value(ValueAction::Row(if down { 1 } else { -1 }))],
        _ => vec![if down { Action::Forward } else { Action::Back }],
    }
}

fn click(app: &App, areas: &Areas, x: u16, y: u16) -> Vec<Action> {
    if let Some(seek) = on_scrubber(app, areas, x, y) {
        return vec![seek];
    }
    let Some(panel) = areas.at(x, y) else { return Vec::new() };
    let chosen = in_panel(app, areas, panel, (x, y));
    [Action::Focus(panel)].into_iter().chain(chosen).collect()
}

/// What a click there does beside giving its panel the focus.
fn in_panel(app: &App, areas: &Areas, panel: Panel, at: (u16, u16)) -> Option<Action> {
    let inside = areas.panel(panel).map(inner).filter(|area| area.contains(at.into()))?;
    screen::panels::click(&view(app), panel, inside, at)
}

/// While the run stands, what is under the mouse is pointed at, unless a question asks for it.
fn hover(app: &App, areas: &Areas, x: u16, y: u16) -> Vec<Action> {
    let is_covered = app.overlay.is_some() || app.measuring.measure_view.is_some();
    let is_other = app.shows_finale() || app.mode.list().is_some() || app.mode.dials().is_some();
    if is_covered || is_other || app.is_playing() || app.asking().is_some() || !app.run.can_hover()
    {
        return Vec::new();
    }
    let under = areas.at(x, y).and_then(|panel| in_panel(app, areas, panel, (x, y)));
    let point = under.and_then(|action| match action {
        Action::Point(point) => Some(point),
        Action::FollowElement(element) => Some(PointedAt::Element(element)),
        _ => None,
    });
    let is_new = point != app.run.pointed;
    is_new.then_some(Action::Hover(point)).into_iter().collect()
}

fn drag(app: &App, areas: &Areas, x: u16, y: u16) -> Vec<Action> {
    let on_timeline = || {
        let area = areas.panel(Panel::Timeline).map(inner)?;
        area.contains((x, y).into()).then(|| chart::step_at(area, &app.display.chart.columns, x))?
    };
    let seek = on_scrubber(app, areas, x, y);
    seek.or_else(|| on_timeline().map(Action::Seek)).into_iter().collect()
}

fn on_scrubber(app: &App, areas: &Areas, x: u16, y: u16) -> Option<Action> {
    let inside = areas.scrubber.contains((x, y).into());
    let step = scrubber::step_at(areas.scrubber, app.run.session.trace().len(), x);
    step.filter(|_| inside).map(Action::Seek)
}
