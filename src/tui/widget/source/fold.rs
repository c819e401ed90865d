//! The rows of a listing: lines of a text, those that are too long in several parts.

use super::token::{comment, expand};
use crate::tui::facts::listing::InsertionKind;
use crate::tui::layout::code::{HANG, indent, wrap};
use crate::tui::layout::text::width;
use cudac::{CudaSource, Lexeme};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

/// How much of a text a listing keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FoldLevel {
    /// Every line.
    All,
    /// Every line that is not blank.
    Written,
    /// Every line with code on it.
    Code,
}

impl FoldLevel {
    /// All of them, the most complete first.
    pub(super) const ALL: [Self; 3] = [Self::All, Self::Written, Self::Code];

    /// Yields the lines that are kept, each with its number from 1.
    pub(super) fn lines(self, text: &str) -> impl Iterator<Item = (u32, &str)> {
        let coded = if self == Self::Code { coded(text) } else { BTreeSet::new() };
        let numbered = (1..).zip(text.lines());
        numbered.filter(move |(number, line)| match self {
            Self::All => true,
            Self::Written => !line.trim().is_empty(),
            Self::Code => coded.contains(number) && comment(line.trim()) > 0,
        })
    }
}

/// The lines with code on them, and those that are a comment of Python's.
fn coded(text: &str) -> BTreeSet<u32> {
    let code = CudaSource::read(text).lexemes.into_iter();
    let lines = |one: Lexeme<'_>| one.line..=one.line + one.text.matches('\n').count() as u32;
    code.flat_map(lines).collect()
}

/// How lines are fitted into a listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FoldForm {
    /// The columns for a row.
    pub(super) room: u16,
    /// The columns of indentation that all lines of interest share, omitted.
    pub(super) base: u16,
    /// Whether the indentation that remains is halved.
    pub(super) halved: bool,
}

/// One row of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row<'a> {
    /// The line of the text that it shows, from 1.
    pub(super) line: u32,
    /// The columns before the text.
    pub(super) indent: u16,
    /// The byte of its line at which the text begins.
    pub(super) at: usize,
    /// The text without its indentation.
    pub(super) text: Cow<'a, str>,
    /// Whether the line begins on an earlier row.
    pub(super) continued: bool,
    /// What a text means that is put after the line, if this is one.
    pub(super) put: Option<InsertionKind>,
}

impl Row<'_> {
    /// The columns of these bytes of the line, if the row shows them.
    pub(super) fn columns(&self, bytes: &Range<usize>) -> Option<Range<usize>> {
        let (start, end) = (bytes.start.checked_sub(self.at)?, bytes.end.checked_sub(self.at)?);
        let column = |end: usize| self.text.get(..end).map(|before| expand(before).chars().count());
        Some(column(start)?..column(end)?)
    }

    /// The byte of the line that a column shows.
    pub(super) fn byte(&self, column: usize) -> Option<usize> {
        let mut chars = self.text.char_indices();
        let found =
            chars.find(|(at, c)| expand(&self.text[..at + c.len_utf8()]).chars().count() > column);
        found.map(|(at, _)| self.at + at)
    }
}

/// Columns from which an indentation aligns a line with the one above, and may be smaller.
const ALIGNED: u16 = 12;

impl FoldForm {
    /// The columns before the text of a line.
    pub(super) fn indent(self, line: &str) -> u16 {
        let rest = indent(line).saturating_sub(self.base);
        if self.halved { rest / 2 } else { rest }
    }

    pub(super) fn rows(self, text: &str, keep: FoldLevel) -> Vec<Row<'_>> {
        keep.lines(text).flat_map(|(number, line)| self.rows_of(number, line)).collect()
    }

    fn rows_of<'a>(self, line: u32, text: &'a str) -> Vec<Row<'a>> {
        let whole = text;
        let (mut indent, text) = (self.indent(text), text.trim());
        if indent >= ALIGNED {
            indent = indent.min(self.room.saturating_sub(width(text)));
        }
        let room = self.room.saturating_sub(indent);
        let begins = whole.len() - whole.trim_start().len();
        let row = |text| Row { line, indent, at: begins, text, continued: false, put: None };
        if width(text) <= room {
            return vec![row(Cow::Borrowed(text))];
        }
        // A comment that does not fit whole is left out: a part of it says something else.
        let code = text[..comment(text)].trim_end();
        if code.is_empty() {
            return Vec::new();
        }
        let parts = wrap(code, room).into_iter().enumerate();
        let part = |(number, (at, text)): (usize, (usize, &'a str))| {
            let (continued, hang) = (number > 0, if number > 0 { HANG } else { 0 });
            let text = Cow::Borrowed(text);
            Row { line, indent: indent + hang, at: begins + at, text, continued, put: None }
        };
        parts.map(part).collect()
    }
}

/// A line of code if it fits into `room` columns, if need be without its comment, or only what stands
/// before its first bracket: a function without its parameters, an instruction without its operands.
pub(super) fn head(line: &str, room: u16) -> &str {
    let code = line[..comment(line)].trim_end();
    let name = code.split_once(['(', '{']).map_or("", |(name, _)| name.trim_end());
    let fitting = [line, code, name].into_iter().find(|text| width(text) <= room);
    fitting.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOAD: &str = "sA[ty][tx] = t < endA ? A[row * K + t + tx] : 0.0f;";

    fn shown(text: &str, room: u16, keep: FoldLevel) -> Vec<String> {
        let form = FoldForm { room, base: 4, halved: false };
        let rows = form.rows(text, keep).into_iter();
        rows.map(|row| " ".repeat(row.indent.into()) + &row.text).collect()
    }

    #[test]
    fn code_breaks_at_operators_outside_of_brackets() {
        let line = format!("    {LOAD}");
        assert_eq!(shown(&line, 60, FoldLevel::All), [LOAD]);
        assert_eq!(
            shown(&line, 40, FoldLevel::All),
            ["sA[ty][tx] = t < endA", "  ? A[row * K + t + tx] : 0.0f;"]
        );
        assert_eq!(
            shown("    float4 x = load(first, second, third);", 24, FoldLevel::All),
            ["float4 x =", "  load(first, second,", "  third);"]
        );
        assert_eq!(
            shown("    *(float4*)&sB[buffer][k + step][tx * 4 + j];", 34, FoldLevel::All),
            ["*(float4*)&sB[buffer][k + step]", "  [tx * 4 + j];"]
        );
    }

    #[test]
    fn an_alignment_gives_way_to_the_code() {
        let line = format!("{}int M, int N, int K)", " ".repeat(33));
        assert_eq!(shown(&line, 60, FoldLevel::All), [" ".repeat(29) + "int M, int N, int K)"]);
        assert_eq!(shown(&line, 24, FoldLevel::All), ["    int M, int N, int K)"]);
    }

    #[test]
    fn a_comment_gives_way_to_the_code_and_is_never_cut() {
        let text = "    // Nobody may read the tiles before everybody has written.\n    int t;  // where it is";
        assert_eq!(shown(text, 31, FoldLevel::All), ["int t;  // where it is"]);
        assert_eq!(shown(text, 16, FoldLevel::Code), ["int t;"]);
        assert_eq!(head("acc += a[k] * b;  // in the order of k", 32), "acc += a[k] * b;");
        assert_eq!(head(LOAD, 40), "");
    }

    #[test]
    fn lines_without_code_can_be_left_out() {
        let text = "    a;\n\n    // why\n    b;\n";
        assert_eq!(shown(text, 20, FoldLevel::All).len(), 4);
        assert_eq!(shown(text, 20, FoldLevel::Written), ["a;", "// why", "b;"]);
        assert_eq!(shown(text, 20, FoldLevel::Code), ["a;", "b;"]);
    }

    #[test]
    fn no_code_is_taken_for_a_comment() {
        let text = "    /* what\n     * a is\n     */ a = b\n    * c;  /* in part */\n    # define N 2\n    \
                    # the rest\n    f(\"/*\");\n    // /*\n    d;\n    /* e */ f;\n";
        assert_eq!(
            shown(text, 40, FoldLevel::Code),
            [" */ a = b", "* c;  /* in part */", "# define N 2", "f(\"/*\");", "d;", "/* e */ f;"]
        );
    }
}
