//! An error in a source, as a learner reads it: what is wrong, where, and what to try.

use super::at::Pos;
use super::subset;
use std::fmt::{self, Write as _};

/// The most columns of a line of the source that are shown.
const LONGEST: usize = 160;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// The header's number among the options, from 1.
    pub(super) number: usize,
    /// Its name, as it is included.
    pub name: String,
    pub text: String,
}

/// Something that is wrong, or not in the subset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The header in which it is, if it is in none of the source's own lines.
    pub header: Option<Header>,
    pub line: u32,
    pub column: u32,
    pub length: u32,
    pub message: String,
    pub hint: Option<String>,
    /// Whether it is CUDA C++ that other compilers accept.
    pub outside: bool,
}

impl Error {
    pub(super) fn at(at: Pos, message: impl Into<String>) -> Self {
        let Pos { file, line, column, length } = at;
        let header = Header { number: file as usize, ..Header::default() };
        let header = (file > 0).then_some(header);
        Self { header, line, column, length, message: message.into(), hint: None, outside: false }
    }

    /// The same with the name and the line of its header, if it is in one of `headers`.
    pub(super) fn within(mut self, headers: &[(String, String)]) -> Self {
        if let Some(header) = &mut self.header
            && let Some((name, text)) = headers.get(header.number.saturating_sub(1))
        {
            header.name.clone_from(name);
            nth(text, self.line).clone_into(&mut header.text);
        }
        self
    }

    /// Something is CUDA C++, but not in the subset.
    pub(super) fn outside(at: Pos, what: &str) -> Self {
        let message = format!("{what} is not in matviz's CUDA");
        let hint = Some(subset::ELSEWHERE.to_owned());
        Self { hint, outside: true, ..Self::at(at, message) }
    }

    pub(super) fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// The error with its line of the source, a caret under the place, and the hint. A long line is
    /// cut to what is around the place.
    pub fn render(&self, source: &str, file: &str) -> String {
        let (file, line) = match &self.header {
            Some(header) => (&*header.name, &*header.text),
            None => (file, nth(source, self.line)),
        };
        let mut text = format!("{file}:{self}");
        if !line.trim().is_empty() {
            let column = self.column.saturating_sub(1) as usize;
            let before = column.min(LONGEST / 2);
            let line: String = line.chars().skip(column - before).take(LONGEST).collect();
            let blank: String =
                line.chars().take(before).map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
            let room = line.chars().count().saturating_sub(before).max(1);
            let carets = "^".repeat((self.length.max(1) as usize).min(room));
            let number = self.line.to_string();
            let margin = " ".repeat(number.len());
            let _ = write!(text, "\n {number} | {line}\n {margin} | {blank}{carets}");
        }
        if let Some(hint) = &self.hint {
            let _ = write!(text, "\n   = {hint}");
        }
        text
    }
}

/// A line of a text, counted from 1; empty if there is none.
fn nth(text: &str, line: u32) -> &str {
    text.lines().nth(line.saturating_sub(1) as usize).unwrap_or("")
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for Error {}
