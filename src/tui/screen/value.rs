//! Builds the Value panel, and the highlights that the followed value has in the other panels.

use crate::report::value::{Column, Stage};
use crate::sim::LaneMask;
use crate::study::value::{Answer, Came, Known, Term, Went};
use crate::trace::provenance::EventKind;
use crate::tui::action::{Action, ValueAction};
use crate::tui::app::App;
use crate::tui::facts::Lit;
use crate::tui::followed_value::Followed;
use crate::tui::keymap::Context;
use crate::tui::session::Session;
use crate::tui::widget::value::{State, Value, View, folded, list_rows, row_at};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::Widget;

/// Draws the panel; returns the title and the note of its frame.
pub fn draw(app: &App, area: Rect, buf: &mut Buffer) -> (String, String) {
    let Some(followed) = &app.followed else { return (String::new(), String::new()) };
    Value { view: &view(app, area), look: app.look }.render(area, buf);
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
pub fn click(app: &App, area: Rect, (_, y): (u16, u16)) -> Option<Action> {
    row_at(&view(app, area), area, y).map(|row| Action::Value(ValueAction::SelectRow(row)))
}

/// Builds the contents of a panel with this area inside.
fn view(app: &App, area: Rect) -> View {
    let Some(followed) = &app.followed else { return View::default() };
    let Some((answer, columns)) = followed.last_answer() else {
        let heading = vec![format!("{} ...", followed.element())];
        return View { heading, ..View::default() };
    };
    let session = &app.session;
    let heading = folded(&heading(app, followed, answer, area.width), area.width);
    let cursor = followed.cursor;
    let way = way(session, answer, cursor);
    let room = list_rows(area.height, heading.len(), way.len());
    let first = cursor.saturating_sub(room / 2).min(answer.rows().saturating_sub(room));
    let cells = |row| columns.iter().map(|(column, _)| answer.cell(row, *column)).collect();
    let state = |row| state(session, answer, row);
    let rows = first..answer.rows().min(first + room);
    View {
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

/// Whether the answer describes the run that is shown.
fn is_here(session: &Session, answer: &Answer) -> bool {
    answer.block() == Some(session.block()) && is_of(session, answer)
}

/// Whether the answer is about the program and the warp order that are shown.
fn is_of(session: &Session, answer: &Answer) -> bool {
    answer.is_of(session.trace().program(), &session.order())
}

/// Returns the answer's heading with the progress of the run.
fn heading(app: &App, followed: &Followed, answer: &Answer, width: u16) -> Vec<String> {
    let (session, enters) = (&app.session, app.context() == Context::Value);
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
fn way(session: &Session, answer: &Answer, row: usize) -> Vec<(bool, String)> {
    let Known::Came(came) = &answer.known else { return Vec::new() };
    let Some(term) = came.terms.get(row) else { return Vec::new() };
    let here = |index: u32| is_here(session, answer) && session.at() == index as usize;
    let steps = answer.stages(row).into_iter().map(|Stage { text, at }| {
        let (step, warp, lane) = (at.index, at.warp, at.lane);
        (here(step), format!("{step:<6}{:<8}{text}", format!("w{warp} l{lane}")))
    });
    let address = answer.cell(row, Column::Address);
    let tile = format!("tile {} of {}", term.round + 1, came.rounds);
    let tile = if came.rounds > 1 { format!(", {tile}") } else { String::new() };
    steps.chain([(false, format!("at {address}{tile}"))]).collect()
}

fn state(session: &Session, answer: &Answer, row: usize) -> State {
    if !is_here(session, answer) {
        return State::Elsewhere;
    }
    match &answer.known {
        Known::Came(Came { terms, .. }) => terms.get(row).map(|term| of_term(session.at(), term)),
        Known::Went(Went { here, .. }) => here.events.get(row).map(|event| {
            let over = event.index as usize <= session.at();
            match event.what {
                _ if !over => State::Ahead,
                EventKind::Loaded | EventKind::Read(_) => State::Loaded,
                EventKind::Kept(_) => State::Kept,
                EventKind::Used | EventKind::Stored => State::Used,
            }
        }),
        Known::Nobody(..) => None,
    }
    .unwrap_or(State::Elsewhere)
}

fn of_term(at: usize, term: &Term) -> State {
    let over = |step: u32| step as usize <= at;
    let load = &term.load;
    if load.used.is_some_and(|used| over(used.index)) {
        State::Used
    } else if load.shared.is_some_and(|slot| over(slot.stored.index)) {
        State::Kept
    } else if over(load.loaded.index) {
        State::Loaded
    } else {
        State::Ahead
    }
}

/// Returns the highlighted elements of the matrices, if a value is followed.
pub fn lit(app: &App) -> Option<Lit> {
    let followed = app.followed.as_ref()?;
    let ((row, column), k) = (followed.place(), followed.k());
    let element = followed.element();
    let mut lit = Lit { element, centre: [row, column, k], parts: Vec::new(), pointed: None };
    // Until the answer arrives, use the previous answer's parts: otherwise each key would flicker.
    let Some((answer, _)) = followed.last_answer() else { return Some(lit) };
    let at = if is_here(&app.session, answer) { app.session.at() } else { 0 };
    match &answer.known {
        Known::Came(came) => {
            let part = |term: &Term| Some((term.element?, of_term(at, term) == State::Used));
            lit.parts = came.terms.iter().filter_map(part).collect();
            lit.pointed = came.terms.get(followed.cursor).and_then(|term| term.element);
        }
        Known::Went(went) => {
            let uses = went.here.events.iter().filter(|event| event.what == EventKind::Used);
            let used = uses.map(|event| event.index as usize).next_back();
            let done = used.is_some_and(|used| used <= at);
            lit.parts = went.outputs.iter().map(|element| (*element, done)).collect();
            // Keep the elements that the value went into in view, not the value followed before.
            if let Some(middle) = went.outputs.get(went.outputs.len() / 2) {
                lit.centre = [middle.row, middle.column, k];
            }
        }
        Known::Nobody(..) => {}
    }
    Some(lit)
}

/// Returns the words of shared memory that currently hold data involved with the followed value.
pub fn slots(app: &App) -> Option<Vec<u32>> {
    let answer = app.followed.as_ref()?.answer()?;
    if !is_here(&app.session, answer) {
        return Some(Vec::new());
    }
    let at = app.session.at();
    Some(match &answer.known {
        Known::Came(came) => {
            let kept = came.terms.iter().filter(|term| of_term(at, term) == State::Kept);
            kept.filter_map(|term| Some(term.load.shared?.addr / 4)).collect()
        }
        Known::Went(went) => kept(went, at).into_iter().map(|addr| addr / 4).collect(),
        Known::Nobody(..) => Vec::new(),
    })
}

/// Returns the byte of shared memory that holds the value after `at` steps, until its last use.
fn kept(went: &Went, at: usize) -> Option<u32> {
    let events = &went.here.events;
    let (past, ahead) = events.split_at(events.partition_point(|event| event.index as usize <= at));
    let last = past.iter().rev().find_map(|event| match event.what {
        EventKind::Kept(addr) => Some(addr),
        EventKind::Loaded | EventKind::Read(_) | EventKind::Used | EventKind::Stored => None,
    })?;
    let next =
        ahead.iter().find(|event| matches!(event.what, EventKind::Kept(_) | EventKind::Read(_)));
    next.filter(|event| event.what == EventKind::Read(last)).map(|_| last)
}

/// Returns the lanes involved with the selected row: those that load the value and, once it is in
/// shared memory, those that use it.
pub fn lanes(app: &App) -> Option<(usize, LaneMask)> {
    let followed = app.followed.as_ref()?;
    let answer = followed.answer().filter(|answer| is_here(&app.session, answer))?;
    match &answer.known {
        Known::Came(came) => {
            let term = came.terms.get(followed.cursor)?;
            let at = match of_term(app.session.at(), term) {
                State::Elsewhere | State::Ahead | State::Loaded => term.load.loaded,
                State::Kept | State::Used => term.load.used.unwrap_or(term.load.loaded),
            };
            Some((at.warp.into(), LaneMask(1 << at.lane)))
        }
        Known::Went(went) => {
            let event = went.here.events.get(followed.cursor)?;
            Some((event.warp.into(), event.lanes))
        }
        Known::Nobody(..) => None,
    }
}
