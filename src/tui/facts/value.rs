//! What the panels highlight of the followed value.

use crate::matrix::Element;
use crate::sim::LaneMask;
use crate::study::value::{ElementSource, ElementUses, Known, Term, ValueAnswer};
use crate::trace::provenance::EventKind;
use crate::tui::app::App;
use crate::tui::session::Session;
use crate::tui::theme::{Tone, role};

/// The state of a row in the run that is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueRowState {
    /// Unknown: the row belongs to another block.
    Elsewhere,
    /// Not loaded yet.
    Ahead,
    /// In a register.
    Loaded,
    /// In shared memory.
    Kept,
    Used,
}

/// The elements that are involved with one value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LitElements {
    /// The element whose value is followed.
    pub element: Element,
    /// The position to keep in view, in elements: along M, N and K.
    pub centre: [u32; 3],
    /// The elements that the value came from or went into, and whether the run has reached that
    /// point.
    pub parts: Vec<(Element, bool)>,
    /// The selected one of them.
    pub pointed: Option<Element>,
}

impl LitElements {
    /// Yields the elements that the value came from or went into.
    pub(in crate::tui) fn tones(&self) -> impl Iterator<Item = (Element, Tone)> {
        let part = |(element, done): &(Element, bool)| {
            let role = role(element.operand);
            (*element, if *done { Tone::Full(role) } else { Tone::Half(role) })
        };
        self.parts.iter().map(part)
    }
}

/// Whether the answer describes the run that is shown.
pub fn is_here(session: &Session, answer: &ValueAnswer) -> bool {
    answer.block() == Some(session.block()) && is_of(session, answer)
}

/// Whether the answer is about the program and the warp order that are shown.
pub fn is_of(session: &Session, answer: &ValueAnswer) -> bool {
    answer.is_of(session.trace().program(), &session.order())
}

fn of_term(at: usize, term: &Term) -> ValueRowState {
    let over = |step: u32| step as usize <= at;
    let load = &term.load;
    if load.used.is_some_and(|used| over(used.index)) {
        ValueRowState::Used
    } else if load.shared.is_some_and(|slot| over(slot.stored.index)) {
        ValueRowState::Kept
    } else if over(load.loaded.index) {
        ValueRowState::Loaded
    } else {
        ValueRowState::Ahead
    }
}

pub fn state(session: &Session, answer: &ValueAnswer, row: usize) -> ValueRowState {
    if !is_here(session, answer) {
        return ValueRowState::Elsewhere;
    }
    match &answer.known {
        Known::Came(ElementSource { terms, .. }) => {
            terms.get(row).map(|term| of_term(session.at(), term))
        }
        Known::Went(ElementUses { here, .. }) => here.events.get(row).map(|event| {
            let over = event.index as usize <= session.at();
            match event.what {
                _ if !over => ValueRowState::Ahead,
                EventKind::Loaded | EventKind::Read(_) => ValueRowState::Loaded,
                EventKind::Kept(_) => ValueRowState::Kept,
                EventKind::Used | EventKind::Stored => ValueRowState::Used,
            }
        }),
        Known::Nobody(..) => None,
    }
    .unwrap_or(ValueRowState::Elsewhere)
}

/// Returns the highlighted elements of the matrices, if a value is followed.
pub fn lit(app: &App) -> Option<LitElements> {
    let followed = app.run.followed.as_ref()?;
    let ((row, column), k) = (followed.place(), followed.k());
    let element = followed.element();
    let mut lit =
        LitElements { element, centre: [row, column, k], parts: Vec::new(), pointed: None };
    // Until the answer arrives, use the previous answer's parts: otherwise each key would flicker.
    let Some((answer, _)) = followed.last_answer() else { return Some(lit) };
    let at = if is_here(&app.run.session, answer) { app.run.session.at() } else { 0 };
    match &answer.known {
        Known::Came(came) => {
            let part =
                |term: &Term| Some((term.element?, of_term(at, term) == ValueRowState::Used));
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
    let answer = app.run.followed.as_ref()?.answer()?;
    if !is_here(&app.run.session, answer) {
        return Some(Vec::new());
    }
    let at = app.run.session.at();
    Some(match &answer.known {
        Known::Came(came) => {
            let kept = came.terms.iter().filter(|term| of_term(at, term) == ValueRowState::Kept);
            kept.filter_map(|term| Some(term.load.shared?.addr / 4)).collect()
        }
        Known::Went(went) => kept(went, at).into_iter().map(|addr| addr / 4).collect(),
        Known::Nobody(..) => Vec::new(),
    })
}

/// Returns the byte of shared memory that holds the value after `at` steps, until its last use.
fn kept(went: &ElementUses, at: usize) -> Option<u32> {
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
    let followed = app.run.followed.as_ref()?;
    let answer = followed.answer().filter(|answer| is_here(&app.run.session, answer))?;
    match &answer.known {
        Known::Came(came) => {
            let term = came.terms.get(followed.cursor)?;
            let at = match of_term(app.run.session.at(), term) {
                ValueRowState::Elsewhere | ValueRowState::Ahead | ValueRowState::Loaded => {
                    term.load.loaded
                }
                ValueRowState::Kept | ValueRowState::Used => {
                    term.load.used.unwrap_or(term.load.loaded)
                }
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
