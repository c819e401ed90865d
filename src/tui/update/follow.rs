//! The actions on the followed value.

use super::focus::{focus, leave_zoom};
use super::show::{go_to_warp, select_block};
use crate::matrix::{Element, Operand};
use crate::study::value::{ValueAnswer, ValueQuestion};
use crate::tui::action::ValueAction;
use crate::tui::app::App;
use crate::tui::facts;
use crate::tui::followed_value::Followed;
use crate::tui::layout::Panel;
use crate::tui::session::Session;
use crate::tui::task::{AskId, Task};
use std::sync::Arc;

/// Follows the first element of C that the last step touched, or the block's first.
pub(super) fn start(app: &mut App) {
    let touched = facts::touched(&app.run.session);
    let of_c = touched.into_iter().find(|element| element.operand == Operand::C);
    let element = of_c.unwrap_or_else(|| first(&app.run.session));
    select(app, element);
}

/// Returns the first element of C that the block computes or, if that is unknown, the element at
/// the block's relative position in the grid.
fn first(session: &Session) -> Element {
    let (problem, block) = (session.problem(), session.block());
    let (rows, columns) = problem.size.shape(Operand::C);
    let grid = problem.launch.grid;
    let part = |at: u32, blocks: u32, all: u32| {
        (u64::from(at) * u64::from(all) / u64::from(blocks.max(1))) as u32
    };
    let (row, column) = match problem.part(block) {
        Some((rows, columns)) => (rows.start, columns.start),
        None => (part(block.y, grid.y, rows), part(block.x, grid.x, columns)),
    };
    Element { operand: Operand::C, row: row.min(rows - 1), column: column.min(columns - 1) }
}

/// Follows this element, if the kernel has the matrices.
pub(super) fn select(app: &mut App, element: Element) {
    if app.run.session.problem().operands.is_empty() {
        app.message =
            Some("values are followed in A, B and C, which this kernel has not".to_owned());
        return;
    }
    if let Some(followed) = &mut app.run.followed {
        followed.typed.clear();
        followed.select(element);
    } else {
        app.run.followed = Some(Followed::new(element));
        app.display.wanted.following = true;
        // A zoomed panel leaves no room for the Value panel; the zoomed matrices show the value as
        // well.
        app.display.wanted.zoomed =
            app.display.wanted.zoomed.filter(|panel| *panel == Panel::Matrices);
    }
    if app.display.wanted.zoomed.is_none() {
        focus(app, Panel::Value);
    }
    app.ask();
}

/// Performs an action.
pub(super) fn update(app: &mut App, action: ValueAction) {
    let size = app.run.session.problem().size;
    let Some(followed) = &mut app.run.followed else { return };
    match action {
        ValueAction::Up => followed.walk(size, -1, 0),
        ValueAction::Down => followed.walk(size, 1, 0),
        ValueAction::Left => followed.walk(size, 0, -1),
        ValueAction::Right => followed.walk(size, 0, 1),
        ValueAction::NextMatrix => followed.turn(true),
        ValueAction::PreviousMatrix => followed.turn(false),
        ValueAction::Type(letter) => followed.type_letter(letter, size),
        ValueAction::Erase => followed.erase(size),
        ValueAction::Row(by) => {
            return followed.point(followed.cursor.saturating_add_signed(by as isize));
        }
        ValueAction::SelectRow(row) => return followed.point(row),
        ValueAction::Go => return go(app),
        ValueAction::Leave => return leave(app),
    }
    if !matches!(action, ValueAction::Type(_) | ValueAction::Erase) {
        followed.typed.clear();
    }
    app.ask();
}

/// Goes to the first step of the selected row, or from one of its steps to the next; switches to
/// the block that executed it.
fn go(app: &mut App) {
    let session = &app.run.session;
    let Some(followed) = &mut app.run.followed else { return };
    followed.typed.clear();
    let row = followed.cursor;
    let of_this_run =
        |answer: &&ValueAnswer| answer.is_of(session.trace().program(), &session.order());
    let answer = followed.answer().filter(of_this_run);
    let told = answer.and_then(|answer| Some((answer.block()?, answer.stages(row))));
    let Some((block, stages)) = told else { return };
    let here = |index: u32| block == session.block() && index as usize == session.heading();
    let next = stages.iter().position(|stage| here(stage.at.index)).map_or(0, |stage| stage + 1);
    let Some(stage) = stages.get(next).or(stages.first()) else { return };
    let (step, warp) = (stage.at.index as usize, usize::from(stage.at.warp));
    if block != session.block() {
        select_block(app, block);
    }
    go_to_warp(app, step, Some(warp));
}

/// Undoes the zoom if there is one; otherwise stops following the value.
fn leave(app: &mut App) {
    if leave_zoom(app) {
        return;
    }
    app.run.followed = None;
    app.display.wanted.following = false;
    if app.display.wanted.focus == Panel::Value {
        focus(app, Panel::Matrices);
    }
}

impl App {
    /// Asks where the followed value came from, or where it went.
    pub(super) fn ask(&mut self) {
        let Some(followed) = &mut self.run.followed else { return };
        let session = &self.run.session;
        let question = ValueQuestion {
            problem: session.problem().clone(),
            program: Arc::clone(session.trace().program()),
            order: session.order(),
            block: session.block(),
            element: followed.element(),
        };
        self.run.asks += 1;
        let inquiry = followed.ask(AskId(self.run.asks), question);
        self.tasks.push(Task::Ask(Box::new(inquiry)));
    }
}
