//! What is wrong in a course's file, with the place and a caret.

use serde::Serialize;
use std::fmt;
use std::ops::Range;

/// What is wrong, by its code: the code, and a few words for the help.
pub const CODES: &[(&str, &str)] = &[
    (UNREADABLE, "a file that cannot be read, is no text, or is too large"),
    (UNKNOWN, "an unknown verb, key or comment"),
    (WRONG_VALUE, "a value of a wrong type, or TOML that is none"),
    (OUT_OF_PLACE, "something that is missing, or stands at a wrong place"),
    (NOT_THERE, "a kernel, file, lesson, idea or link that is not there, or outside the folder"),
    (TWICE, "two things with the same name"),
    (IMAGE, "an image: a picture here is the program's"),
    (HTML, "HTML other than <details>, <summary> and comments"),
    (TOO_MUCH, "more pages, blocks, variants or nesting than there may be"),
    (NO_RUN, "a scene that does not run"),
    (NOT_REACHED, "a place that is not reached, or a line that is none or several"),
    (NO_ANSWER, "a query that cannot be answered"),
    (OPTIONS, "options of which not exactly one is true"),
    (SAYS_NOTHING, "an idea that says what is right, or nothing, or what another one says"),
    (SAME_ANSWER, "a question with one answer in every variant"),
    (TELLS, "a number in the text that is an answer of the page"),
    (WRITTEN, "a number in the text that is neither a query nor given by the scene"),
    (NO_KEY, "a key that does nothing, or not what the page says"),
    (NO_ROOM, "text that does not fit on the screen"),
    (MINUTES, "minutes that do not add up, or more than 50"),
    (UNSEEN, "an answer whose evidence is not seen at 80x24 with this `look`"),
    (SHOWS, "a page that shows what the lesson asks later"),
    (NOT_SHOWN, "a panel, or a part of the stage, that a text names and its scene does not show"),
    (EXERCISE, "an exercise that cannot be read, or whose proof fails"),
    (WALK, "a page that cannot be taken: an answer is not understood, or the page does not end"),
];

/// A file that cannot be read, is no text, or is too large.
pub const UNREADABLE: &str = "L01";
/// An unknown verb, key or comment.
pub const UNKNOWN: &str = "L02";
/// A value of a wrong type, or TOML that is none.
pub const WRONG_VALUE: &str = "L03";
/// Something that is missing, or stands at a wrong place.
pub const OUT_OF_PLACE: &str = "L04";
/// A kernel, file, lesson, idea or link that is not there, or outside the folder.
pub const NOT_THERE: &str = "L05";
/// Two things with the same name.
pub const TWICE: &str = "L06";
pub const IMAGE: &str = "L07";
/// HTML other than allowed.
pub const HTML: &str = "L08";
/// More pages, blocks, variants or nesting than there may be.
pub const TOO_MUCH: &str = "L09";
/// A scene that does not run.
pub const NO_RUN: &str = "L10";
/// A place that the run does not reach, or a line that is none or several.
pub const NOT_REACHED: &str = "L11";
/// A query that cannot be answered.
pub const NO_ANSWER: &str = "L12";
/// Options of which not exactly one is true.
pub const OPTIONS: &str = "L13";
/// An idea that says what is right, or nothing, or what another one says.
pub const SAYS_NOTHING: &str = "L14";
/// A question with one answer in every variant.
pub const SAME_ANSWER: &str = "L15";
/// A number in the text that is an answer of the page.
pub const TELLS: &str = "L16";
/// A number in the text that is neither a query nor given by the scene.
pub const WRITTEN: &str = "L17";
/// A key that does nothing, or not what the page says of it.
pub const NO_KEY: &str = "L18";
/// Text that does not fit on the screen.
pub const NO_ROOM: &str = "L20";
/// Minutes that do not add up, or too many.
pub const MINUTES: &str = "L21";
/// An answer whose evidence is not seen on a small screen.
pub const UNSEEN: &str = "L22";
/// A page that shows what the lesson asks later.
pub const SHOWS: &str = "L23";
/// A part of the screen that a text names and its scene does not show.
pub const NOT_SHOWN: &str = "L24";
/// An exercise that cannot be read, or that does not hold what it promises.
pub const EXERCISE: &str = "L40";
/// A page that cannot be taken.
pub const WALK: &str = "L30";

/// How many characters of a line are shown.
const SHOWN: usize = 120;

/// How many diagnostics about one file are kept.
const MOST: usize = 100;

/// Something wrong in a course's file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    /// The rule, as `L07`.
    pub code: &'static str,
    /// The file's name, as it was given.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1, in characters.
    pub column: u32,
    /// The number of characters it spans in the line, at least 1.
    pub length: u32,
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
    /// Whether it is only a warning.
    pub warning: bool,
    /// The line's text; of a long one, what is around the place.
    pub shown: String,
    /// How many characters of that stand before the place.
    #[serde(skip)]
    before: usize,
}

impl Diagnostic {
    /// Something wrong at a place of `text`, in bytes.
    pub fn at(
        code: &'static str,
        file: &str,
        text: &str,
        span: Range<usize>,
        message: impl Into<String>,
    ) -> Self {
        let start = boundary(text, span.start);
        let (before, after) = text.split_at(start);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line_end = after.find('\n').map_or(text.len(), |at| start + at);
        let end = boundary(text, span.end).clamp(start, line_end.max(start));
        let column = text[line_start..start].chars().count();
        let whole = text[line_start..line_end].trim_end();
        let is_long = whole.chars().count() > SHOWN;
        let cut = if is_long { column.saturating_sub(SHOWN / 2) } else { 0 };
        let shown = whole.chars().skip(cut).take(SHOWN);
        Self {
            code,
            file: printable(file.chars()),
            line: 1 + before.bytes().filter(|byte| *byte == b'\n').count() as u32,
            column: 1 + column as u32,
            length: text[start..end].chars().count().max(1) as u32,
            message: printable(message.into().chars()),
            hint: None,
            warning: false,
            shown: printable(shown),
            before: column - cut,
        }
    }

    /// Something wrong with a whole file.
    pub fn of_file(code: &'static str, file: &str, message: impl Into<String>) -> Self {
        Self::at(code, file, "", 0..0, message)
    }

    /// The same as a warning only.
    #[must_use]
    pub fn warning(self) -> Self {
        Self { warning: true, ..self }
    }

    #[must_use]
    pub fn hint(self, hint: Option<String>) -> Self {
        let hint = hint.map(|hint| printable(hint.chars()));
        Self { hint, ..self }
    }
}

/// The last place at or before `at` where a character begins.
fn boundary(text: &str, at: usize) -> usize {
    let at = at.min(text.len());
    (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// The text without characters that steer a terminal.
fn printable(text: impl Iterator<Item = char>) -> String {
    text.map(|c| if c.is_control() { ' ' } else { c }).collect()
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { code, file, line, column, message, before, .. } = self;
        let kind = if self.warning { "warning" } else { "error" };
        write!(f, "{file}:{line}:{column}: {kind}[{code}]: {message}")?;
        let room = self.shown.chars().count().saturating_sub(*before);
        if !self.shown.trim().is_empty() {
            let number = line.to_string();
            let margin = " ".repeat(number.len());
            write!(f, "\n {number} | {}", self.shown)?;
            if room > 0 {
                let carets = "^".repeat((self.length as usize).min(room));
                write!(f, "\n {margin} | {}{carets}", " ".repeat(*before))?;
            }
        }
        self.hint.iter().try_for_each(|hint| write!(f, "\n   = {hint}"))
    }
}

/// The diagnostics about a file while it is read; of many, the first.
#[derive(Debug)]
pub struct Diagnostics<'a> {
    file: &'a str,
    text: &'a str,
    found: Vec<Diagnostic>,
}

impl<'a> Diagnostics<'a> {
    /// None yet about the file of this name and text.
    pub const fn new(file: &'a str, text: &'a str) -> Self {
        Self { file, text, found: Vec::new() }
    }

    /// Something is wrong at a place.
    pub fn add(&mut self, code: &'static str, span: Range<usize>, message: impl Into<String>) {
        self.advise(code, span, message, None);
    }

    /// Something is wrong at a place, with advice.
    pub fn advise(
        &mut self,
        code: &'static str,
        span: Range<usize>,
        message: impl Into<String>,
        hint: Option<String>,
    ) {
        if self.found.len() < MOST {
            self.found.push(Diagnostic::at(code, self.file, self.text, span, message).hint(hint));
        }
    }

    /// All of them, by their places.
    pub fn all(mut self) -> Vec<Diagnostic> {
        self.found.sort_by_key(|diagnostic| (diagnostic.line, diagnostic.column));
        self.found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_and_a_caret_are_shown_also_after_letters_of_two_bytes() {
        let text = "one\nßß want = 3\nthree";
        let at = text.find("want").expect("there");
        let told = Diagnostic::at(WRONG_VALUE, "a.md", text, at..at + 4, "no");
        let told = told.hint(Some("yes".to_owned())).to_string();
        let drawn = "a.md:2:4: error[L03]: no\n 2 | ßß want = 3\n   |    ^^^^\n   = yes";
        assert_eq!(told, drawn);
    }

    #[test]
    fn of_a_long_line_what_is_around_the_place_is_shown() {
        let text = format!("{}want{}", "a ".repeat(200), " b".repeat(200));
        let told = Diagnostic::at(WRONG_VALUE, "a.md", &text, 400..404, "no").to_string();
        let lines: Vec<_> = told.lines().collect();
        assert!(lines[0].starts_with("a.md:1:401:"), "{told}");
        assert!(lines[1].chars().count() < SHOWN + 10, "{told}");
        assert_eq!(lines[1].find("want"), lines[2].find("^^^^"), "{told}");
    }

    #[test]
    fn no_place_and_no_letter_can_do_harm() {
        let text = "\u{1b}[2Jé\u{7}\r\n";
        for start in 0..20 {
            for end in 0..20 {
                let told = Diagnostic::at(HTML, "\u{1b}", text, start..end, "\u{1b}c").to_string();
                assert!(!told.replace('\n', "").contains(char::is_control), "{told:?}");
            }
        }
        let long = "x".repeat(1 << 20);
        assert!(Diagnostic::at(HTML, "a", &long, 900_000..900_001, "long").to_string().len() < 300);
    }
}
