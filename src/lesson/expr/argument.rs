//! Reads the arguments of functions, each of the kind that its function takes.

use super::reader::ExprReader;
use super::tree::{Argument, ArgumentKind, QueryFunction};
use crate::lesson::nearest::nearest;
use crate::lesson::query::functions::function;
use crate::lesson::query_error::QueryError;
use crate::matrix::Element;
use std::ops::Range;

impl ExprReader<'_> {
    /// An argument of this kind.
    pub(super) fn argument(
        &mut self,
        takes: ArgumentKind,
        function: &QueryFunction,
    ) -> Result<Argument, QueryError> {
        let start = self.start();
        match takes {
            ArgumentKind::Access => self.access_argument(function),
            ArgumentKind::Matrix if self.is_access() => self.access_argument(function),
            ArgumentKind::Matrix | ArgumentKind::Name | ArgumentKind::Kernel => {
                self.name_argument(takes, function)
            }
            ArgumentKind::Element => {
                let (element, span) = self.element()?;
                Ok(Argument::Element(element, span))
            }
            ArgumentKind::Thread => self.thread(),
            ArgumentKind::Place => {
                let place = self.place(true)?;
                Ok(Argument::Place(place, self.since(start)))
            }
            ArgumentKind::Value => Ok(Argument::Value(self.expr()?)),
            ArgumentKind::Query => self.query(),
        }
    }

    fn access_argument(&mut self, function: &QueryFunction) -> Result<Argument, QueryError> {
        let start = self.start();
        if self.takes_word("a") {
            return Ok(Argument::Given(self.since(start)));
        }
        if self.is_access() {
            return Ok(Argument::Access(self.access()?));
        }
        Err(self.unexpected(&format!("an access: {}", function.usage())))
    }

    /// A word, or a text in quotes.
    fn name_argument(
        &mut self,
        takes: ArgumentKind,
        function: &QueryFunction,
    ) -> Result<Argument, QueryError> {
        let start = self.start();
        if let Some(text) = self.quoted()? {
            return Ok(Argument::Name(text.to_owned(), self.since(start)));
        }
        let is_part = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        let word = self.clone().run(is_part);
        if word.is_empty() {
            let kind = if takes == ArgumentKind::Matrix { "a matrix" } else { "a name" };
            return Err(self.unexpected(&format!("{kind}: {}", function.usage())));
        }
        self.takes(word);
        Ok(Argument::Name(word.to_owned(), self.since(start)))
    }

    /// `A[5][33]`.
    pub(super) fn element(&mut self) -> Result<(Element, Range<usize>), QueryError> {
        let start = self.start();
        let text = self.run(|letter| letter.is_ascii_alphanumeric() || "[]".contains(letter));
        let span = self.since(start);
        let wrong = |_| {
            QueryError::at(span.clone(), "an element is a matrix, a row and a column: A[5][33]")
        };
        let element = text.parse().map_err(wrong)?;
        Ok((element, span))
    }

    /// `thread 5,3`.
    fn thread(&mut self) -> Result<Argument, QueryError> {
        let start = self.start();
        let named = self.takes_word("thread");
        let place = self.whole().zip(if self.takes(",") { self.whole() } else { None });
        match place.filter(|_| named) {
            Some(place) => Ok(Argument::Thread(place, self.since(start))),
            None => Err(self.unexpected("a thread: `thread X,Y`")),
        }
    }

    /// A function of a kernel by its name alone, or an expression.
    fn query(&mut self) -> Result<Argument, QueryError> {
        let (start, word) = (self.start(), self.word());
        let mut ahead = self.clone();
        ahead.takes_word(word);
        let alone = !ahead.rest().starts_with('(');
        match function(word).filter(|function| alone && function.is_of_kernels()) {
            Some(function) => {
                *self = ahead;
                Ok(Argument::Function(function, self.since(start)))
            }
            None => Ok(Argument::Value(self.expr()?)),
        }
    }

    /// A word that should have been one of these.
    pub(super) fn no_such(&mut self, what: &str, known: &[&'static str]) -> QueryError {
        let (start, word) = (self.start(), self.word());
        let hint = nearest(word, known.iter().copied()).map_or_else(
            || format!("there are {}", known.join(", ")),
            |near| format!("did you mean `{near}`?"),
        );
        if word.is_empty() {
            return self.unexpected(what);
        }
        QueryError::at(start..start + word.len(), format!("`{word}` is not {what}: {hint}"))
    }
}
