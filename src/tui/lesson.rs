//! The lessons: the documents in `lessons/`, each prepared as a page that scrolls.

use super::widget::help::Line;
use super::widget::wrapped;

/// A lesson.
#[derive(Clone, Copy, Debug)]
pub struct Lesson {
    /// The topic, in a word.
    pub about: &'static str,
    /// The document, in Markdown.
    text: &'static str,
}

/// All lessons, in reading order.
pub const LESSONS: &[Lesson] =
    &[Lesson { about: "tiling", text: include_str!("../../lessons/01-tiling.md") }];

impl Lesson {
    /// Renders the Markdown as plain text, in lines of at most `width` columns.
    pub fn lines(&self, width: u16) -> Vec<Line> {
        let mut lines = Vec::new();
        let mut paragraph = String::new();
        let flush = |paragraph: &mut String, lines: &mut Vec<Line>| {
            lines.extend(wrapped(paragraph, width.max(20)).into_iter().map(Line::Text));
            paragraph.clear();
        };
        for line in self.text.lines() {
            let line = line.trim_end();
            if line.is_empty() || line.starts_with('#') || starts_item(line) {
                flush(&mut paragraph, &mut lines);
            }
            if line.is_empty() {
                lines.push(Line::Text(String::new()));
            } else if line.starts_with('#') {
                lines.push(Line::Heading(line.trim_start_matches(['#', ' ']).to_owned()));
            } else {
                paragraph.push_str(&line.replace('`', "").replace("**", ""));
                paragraph.push(' ');
            }
        }
        flush(&mut paragraph, &mut lines);
        lines
    }
}

/// Whether a line begins an item of a list: "- one", "1. one".
fn starts_item(line: &str) -> bool {
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    line.starts_with("- ") || number.len() < line.len() && number.starts_with(". ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_that_begins_with_a_number_goes_on_with_the_paragraph() {
        assert!(starts_item("- one") && starts_item("12. twelve"));
        assert!(!starts_item("32 bytes, a quarter of a line") && !starts_item(". no"));
        let all: Vec<_> = LESSONS.iter().flat_map(|lesson| lesson.lines(76)).collect();
        let text = |line: &Line| match line {
            Line::Text(text) => text.trim_end().to_owned(),
            Line::Heading(_) | Line::Word(_) | Line::Keys(..) => String::new(),
        };
        let broken = all.windows(2).map(|two| [text(&two[0]), text(&two[1])]);
        let number = |line: &str| {
            let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
            rest.len() < line.len() && !rest.starts_with(". ")
        };
        // A line ends early only if the next word has no room in it.
        let early = |[line, next]: &[String; 2]| {
            let word = next.split_whitespace().next().unwrap_or("");
            let goes_on = number(next) && !line.is_empty();
            goes_on && line.chars().count() + 1 + word.chars().count() <= 76
        };
        let early: Vec<_> = broken.filter(early).collect();
        assert!(early.is_empty(), "{early:?}");
    }
}
