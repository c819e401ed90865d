//! Parse errors: their location in the text and their display.

use std::fmt::Write;

/// The most columns of a line of the text that are shown.
const LONGEST: usize = 160;

/// A range of the text, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// The first byte.
    pub start: u32,
    /// The end, exclusive.
    pub end: u32,
}

impl Span {
    /// The span from this one's start to the other's end.
    #[must_use]
    pub const fn to(self, other: Self) -> Self {
        Self { start: self.start, end: other.end }
    }

    /// The spanned part of `text`.
    pub fn of(self, text: &str) -> &str {
        text.get(self.start as usize..self.end as usize).unwrap_or("")
    }

    /// The line on which it starts, from 1.
    pub fn line(self, text: &str) -> usize {
        let before = text.get(..self.start as usize).unwrap_or(text);
        before.bytes().filter(|byte| *byte == b'\n').count() + 1
    }
}

/// An error in the text and its location.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ParseError {
    /// What was found and what was expected.
    pub message: String,
    /// Its location.
    pub span: Span,
    /// Whether the text may be valid PTX that the simulator cannot execute. This matters only if
    /// the code is to be executed.
    pub unsupported: bool,
}

impl ParseError {
    /// An error at `span`.
    pub fn new(span: Span, message: impl Into<String>) -> Self {
        Self { message: message.into(), span, unsupported: false }
    }

    /// Text at `span` that may be valid PTX but that the simulator cannot execute.
    pub fn unsupported(span: Span, message: impl Into<String>) -> Self {
        Self { unsupported: true, ..Self::new(span, message) }
    }

    /// The message with the line of the text and carets under the error. A long line is cut to what
    /// is around the error.
    pub fn render(&self, text: &str, file: &str) -> String {
        let start = (self.span.start as usize).min(text.len());
        let line_start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
        let line = text[line_start..].lines().next().unwrap_or("");
        let column = text[line_start..start].chars().count();
        let before = column.min(LONGEST / 2);
        let line: String = line.chars().skip(column - before).take(LONGEST).collect();
        let number = self.span.line(text).to_string();
        let mut shown = format!("{file}:{number}: {}\n", self.message);
        let indent: String =
            line.chars().take(before).map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
        let width = (self.span.end as usize).saturating_sub(start).max(1);
        let room = line.chars().count().saturating_sub(before).max(1);
        let _ = write!(shown, "{number} | {line}\n{:1$} | ", "", number.len());
        shown + &indent + &"^".repeat(width.min(room))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_long_line_only_what_is_around_the_error_is_shown() {
        let text = format!("\t{}bad {}\nnext", "x ".repeat(5_000_000), "y ".repeat(1000));
        let start = text.find("bad").expect("it is there") as u32;
        let shown = ParseError::new(Span { start, end: start + 3 }, "it is bad").render(&text, "f");
        assert!(shown.len() < 500, "{} bytes", shown.len());
        let [told, line, carets] = shown.lines().collect::<Vec<_>>()[..] else { panic!("{shown}") };
        assert_eq!(told, "f:1: it is bad");
        assert_eq!(carets.find("^^^"), line.find("bad"), "{shown}");
        assert!(carets.ends_with(" ^^^"), "{shown}");
    }
}
