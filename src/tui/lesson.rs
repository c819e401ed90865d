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
            let starts_item =
                line.starts_with("- ") || line.starts_with(|c: char| c.is_ascii_digit());
            if line.is_empty() || line.starts_with('#') || starts_item {
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
