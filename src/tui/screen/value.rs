//! Builds the Value panel, and the highlights that the followed value has in the other panels.

use crate::report::value::{Column, HistoryStep};
use crate::study::value::{Known, ValueAnswer};
use crate::tui::action::{Action, ValueAction};
use crate::tui::facts::value::{is_here, is_of, state};
use crate::tui::followed_value::Followed;
use crate::tui::keymap::Context;
use crate::tui::session::Session;
use crate::tui::view_model::ViewModel;
use crate::tui::widget::value::{ValuePanel, ValueView, folded, list_rows, row_at};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;

/// Draws the panel; returns the title and the note of its frame.
pub fn draw(view: &ViewModel<'_>, area: Rect, buf: &mut Buffer) -> (String, String) {
    let Some(followed) = &view.run.followed else { return (String::new(), String::new()) };
    ValuePanel { view: &contents(view, area), look: view.look }.render(area, buf);
    let what = match followed.last_answer().map(|(answer, _)| &answer.known) {
        Some(Known::Went(_)) => "where it went",
        Some(Known::Came(_) | Known::Nobody(..)) | None => "where it came from",
    };
    let note = match &*followed.typed {
        "" if followed.answer().is_none() => "...".to_owned(),
        "" => "simulated".to_owned(),
        typed => format!("row,column: {typed}"),
    };
    (format!("{}: {what}", followed.element()), note)
}

/// Returns the action of a click: it selects a row of the list.
pub fn click(view: &ViewModel<'_>, area: Rect, (_, y): (u16, u16)) -> Option<Action> {
    row_at(&contents(view, area), area, y).map(|row| Action::Value(ValueAction::SelectRow(row)))
}

/// Builds the contents of a panel with this area inside.
fn contents(view: &ViewModel<'_>, area: Rect) -> ValueView {
    let Some(followed) = &view.run.followed else { return ValueView::default() };
    let Some((answer, columns)) = followed.last_answer() else {
        let heading = vec![format!("{} ...", followed.element())];
        return ValueView { heading, ..ValueView::default() };
    };
    let session = view.session;
    let heading = folded(&heading(view, followed, answer, area.width), area.width);
    let cursor = followed.cursor;
    let way = way(session, answer, cursor);
    let room = list_rows(area.height, heading.len(), way.len());
    let first = cursor.saturating_sub(room / 2).min(answer.rows().saturating_sub(room));
    let cells = |row| columns.iter().map(|(column, _)| answer.cell(row, *column)).collect();
    let state = |row| state(session, answer, row);
    let rows = first..answer.rows().min(first + room);
    ValueView {
        heading,
        columns: columns.to_vec(),
        rows: answer.rows(),
        first,
        lines: rows.map(|row| (state(row), cells(row))).collect(),
        cursor,
        way,
        stale: followed.answer().is_none(),
    }
}

/// Returns the answer's heading with the progress of the run.
fn heading(
    view: &ViewModel<'_>,
    followed: &Followed,
    answer: &ValueAnswer,
    width: u16,
) -> Vec<String> {
    let (session, enters) = (view.session, view.context == Context::Value);
    let mut heading = answer.heading(width.into());
    if followed.answer().is_none() {
        // Keep the number of lines, so that nothing jumps until the answer arrives.
        heading[0] = format!("{} ...", followed.element());
    }
    let at = session.at();
    match &answer.known {
        Known::Came(came) if is_here(session, answer) => {
            let used = came.used_by(at);
            let k = used.checked_sub(1).and_then(|last| answer.k(last));
            let now = match k {
                None => "none done yet".to_owned(),
                Some(_) if used == came.terms.len() => "all done".to_owned(),
                Some(k) => format!("now at k = {k}"),
            };
            match heading.get_mut(1) {
                Some(line) if line.len() + 2 + now.len() <= width.into() => {
                    line.push_str("; ");
                    line.push_str(&now);
                }
                Some(_) | None => heading.push(now),
            }
        }
        Known::Came(_) | Known::Went(_) if is_of(session, answer) && !is_here(session, answer) => {
            let enter = "another block's: Enter goes there";
            let line = if enters { enter } else { "the steps of another block" };
            heading.insert(1, line.to_owned());
        }
        Known::Came(_) | Known::Went(_) | Known::Nobody(..) => {}
    }
    heading
}

/// Returns the steps of the selected row, and for each whether the run is at it.
fn way(session: &Session, answer: &ValueAnswer, row: usize) -> Vec<(bool, String)> {
    let Known::Came(came) = &answer.known else { return Vec::new() };
    let Some(term) = came.terms.get(row) else { return Vec::new() };
    let here = |index: u32| is_here(session, answer) && session.at() == index as usize;
    let steps = answer.stages(row).into_iter().map(|HistoryStep { text, at }| {
        let (step, warp, lane) = (at.index, at.warp, at.lane);
        (here(step), format!("{step:<6}{:<8}{text}", format!("w{warp} l{lane}")))
    });
    let address = answer.cell(row, Column::Address);
    let tile = format!("tile {} of {}", term.round + 1, came.rounds);
    let tile = if came.rounds > 1 { format!(", {tile}") } else { String::new() };
    steps.chain([(false, format!("at {address}{tile}"))]).collect()
}
