//! Reads places, events and accesses.

use super::access::{AccessQuery, AccessVerb, RunEvent, RunPosition};
use super::reader::ExprReader;
use crate::lesson::query_error::QueryError;

/// The words with which an event begins.
const EVENTS: [&str; 11] = [
    "load", "read", "store", "fma", "barrier", "tile", "conflict", "finding", "wrong", "line",
    "waits",
];

/// The words with which a place begins, other than events.
const PLACES: [&str; 4] = ["start", "end", "before", "after"];

/// Reads a whole text as a place.
pub(super) fn whole(text: &str) -> Result<RunPosition, QueryError> {
    let mut reader = ExprReader::new(text)?;
    let place = reader.place(false)?;
    if reader.is_at_end() {
        Ok(place)
    } else {
        Err(reader.unexpected("`,` and an event, or the end"))
    }
}

impl ExprReader<'_> {
    /// A place; as an argument it ends before what belongs to the call, such as `, tile 16`.
    pub(super) fn place(&mut self, as_argument: bool) -> Result<RunPosition, QueryError> {
        if self.takes_word("start") {
            return Ok(RunPosition::Start);
        }
        if self.takes_word("end") {
            return Ok(RunPosition::End);
        }
        if let Some(step) = self.whole() {
            return Ok(RunPosition::Step(step as usize));
        }
        let before = self.takes_word("before");
        if !before {
            self.takes_word("after");
        }
        let mut events = Vec::new();
        loop {
            let start = self.start();
            let event = self.event()?;
            events.push((event, self.since(start)));
            let mut ahead = self.clone();
            let goes_on = ahead.takes(",");
            let is_event = EVENTS.contains(&ahead.word());
            if !goes_on || as_argument && (!is_event || ahead.is_elsewhere()) {
                return Ok(RunPosition::At { before, events });
            }
            *self = ahead;
        }
    }

    fn event(&mut self) -> Result<RunEvent, QueryError> {
        if self.is_access() {
            return self.access().map(RunEvent::Access);
        }
        let word = self.word();
        if !EVENTS.contains(&word) {
            let known: Vec<_> = PLACES.iter().chain(&EVENTS).copied().collect();
            return Err(self.no_such("a place or an event", &known));
        }
        self.takes_word(word);
        Ok(match word {
            "fma" => RunEvent::Fma,
            "barrier" => RunEvent::Barrier(self.count()?),
            "tile" => RunEvent::Tile(self.count()?),
            "conflict" => RunEvent::Conflict,
            "finding" => RunEvent::Finding,
            "wrong" => RunEvent::Wrong,
            "line" => RunEvent::Line(self.line_text()?),
            _ => RunEvent::Waits,
        })
    }

    /// A number from 1, or 1 if none is next.
    fn count(&mut self) -> Result<u32, QueryError> {
        let start = self.start();
        match self.whole() {
            Some(0) => Err(QueryError::at(self.since(start), "they are counted from 1")),
            number => Ok(number.unwrap_or(1)),
        }
    }

    fn line_text(&mut self) -> Result<String, QueryError> {
        let text = self.quoted()?.map(str::to_owned);
        text.ok_or_else(|| self.unexpected("a text of the line, in quotes"))
    }

    /// Whether an access is next.
    pub(super) fn is_access(&mut self) -> bool {
        let word = self.word();
        AccessVerb::ALL.iter().any(|how| how.word() == word)
    }

    pub(super) fn access(&mut self) -> Result<AccessQuery, QueryError> {
        let (start, word) = (self.start(), self.word());
        let Some(how) = AccessVerb::ALL.into_iter().find(|how| how.word() == word) else {
            return Err(self.unexpected("load, read or store"));
        };
        self.takes_word(word);
        let array = self.word();
        if array.is_empty() {
            return Err(self.unexpected("A, B, C or a shared array"));
        }
        self.takes_word(array);
        let number = if self.takes("#") { self.count()? } else { 1 };
        let mut ahead = self.clone();
        let line = if ahead.takes_word("line") && ahead.rest().starts_with('"') {
            *self = ahead;
            Some(self.line_text()?)
        } else {
            None
        };
        Ok(AccessQuery { how, array: array.to_owned(), number, line, span: self.since(start) })
    }
}
