//! The colours of text: verdicts, kinds of findings, states, headings. JSON, CSV and pictures have none.

use clap::builder::styling::{AnsiColor, Style};
use std::fmt::Write;

const GOOD: Style = AnsiColor::Green.on_default().bold();
const BAD: Style = AnsiColor::Red.on_default().bold();
const COSTLY: Style = AnsiColor::Yellow.on_default().bold();
const NOTE: Style = AnsiColor::Cyan.on_default().bold();
const HEADING: Style = Style::new().bold();

/// What a line begins with, up to a colon or a blank.
const STARTS: &[(&str, Style)] = &[
    ("race", BAD),
    ("memory", BAD),
    ("barrier", BAD),
    ("assertion", BAD),
    ("no-end", BAD),
    ("error", BAD),
    ("warning", COSTLY),
    ("note", NOTE),
    ("wrong  ", BAD),
    ("missing", COSTLY),
    ("ok     ", GOOD),
];

/// What is coloured wherever it stands in a line.
const WORDS: &[(&str, Style)] = &[
    ("C is right", GOOD),
    ("C is WRONG", BAD),
    ("C is INCOMPLETE", BAD),
    ("the checks find nothing", GOOD),
    (": error: ", BAD),
    (": warning: ", COSTLY),
    ("not coalesced", COSTLY),
    ("bank conflicts", COSTLY),
];

/// The lines that are headings.
const HEADINGS: &[&str] = &["Costly accesses", "Simulated  ", "tile  load", "At "];

/// A text that people read, in colours; of figures for programs, and of pictures, the text as it is.
pub(super) fn painted(text: &str) -> String {
    if text.starts_with(['{', '[', '<', '\u{1b}']) {
        return text.to_owned();
    }
    text.split_inclusive('\n').fold(String::new(), |mut all, line| {
        paint(&mut all, line);
        all
    })
}

fn paint(all: &mut String, line: &str) {
    let is_start = |(word, _): &&(&str, Style)| {
        let rest = line.strip_prefix(word).unwrap_or_default();
        rest.starts_with(": ")
            || rest.starts_with(" at ")
            || word.len() == "missing".len() && !rest.is_empty()
    };
    if let Some((word, style)) = STARTS.iter().find(is_start) {
        let _ = write!(all, "{style}{word}{style:#}");
        return words(all, &line[word.len()..]);
    }
    if let Some(heading) = HEADINGS.iter().find(|heading| line.starts_with(**heading)) {
        let _ = write!(all, "{HEADING}{heading}{HEADING:#}");
        return words(all, &line[heading.len()..]);
    }
    words(all, line);
}

/// Colours the first of the words in a line.
fn words(all: &mut String, line: &str) {
    let found = WORDS.iter().filter_map(|(word, style)| Some((line.find(word)?, word, style)));
    let Some((at, word, style)) = found.min_by_key(|(at, ..)| *at) else {
        return all.push_str(line);
    };
    let (before, rest) = line.split_at(at);
    let _ = write!(all, "{before}{style}{word}{style:#}");
    words(all, &rest[word.len()..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words that are coloured.
    fn coloured(text: &str) -> Vec<String> {
        let painted = painted(text);
        let parts = painted.split("\u{1b}[0m").filter_map(|part| part.split_once("\u{1b}["));
        let word = |part: &str| {
            let (_, last) = part.rsplit_once("\u{1b}[").unwrap_or(("", part));
            last.split_once('m').map(|(_, word)| word.to_owned())
        };
        parts.filter_map(|(_, part)| word(part)).collect()
    }

    #[test]
    fn what_is_judged_is_coloured_and_what_programs_read_is_not() {
        assert_eq!(coloured("\nrace: two threads\n    block (0,0)\n"), ["race"]);
        assert_eq!(coloured("memory at 60x52x84: lane 8"), ["memory"]);
        assert_eq!(coloured("wrong    settings  x"), ["wrong  "]);
        assert_eq!(coloured("raced 3 times"), [""; 0]);
        let json = "{\n  \"kind\": \"race\"\n}\n";
        assert_eq!(painted(json), json);
    }
}
