//! Paragraphs of a lesson as lines of a width.

use crate::lesson::document::{Para, Piece};
use crate::tui::layout::code::wrapped;
use crate::tui::layout::text::{self, width};
use crate::tui::theme::{Look, Role};
use ratatui::style::Style;
use ratatui::text::{Line, Span};

/// The user's own key for the one that a text names: by its default, or by its command.
pub type Keys<'a> = &'a dyn Fn(&str) -> String;

/// How paragraphs become lines.
#[derive(Clone, Copy)]
pub struct Prose<'a> {
    /// Columns of a line.
    pub width: u16,
    /// Whether nothing stands between paragraphs.
    pub dense: bool,
    /// The keys that the text names.
    pub keys: Keys<'a>,
    pub look: Look,
}

/// Columns before a line of code.
const INDENT: u16 = 4;

/// A word: pieces without a blank between them, and the style of the blank before it.
#[derive(Clone, Debug, Default)]
struct StyledWord {
    pieces: Vec<(String, Style)>,
    blank: Style,
}

impl StyledWord {
    fn width(&self) -> u16 {
        self.pieces.iter().map(|(text, _)| width(text)).sum()
    }
}

/// An empty line.
pub fn blank() -> Line<'static> {
    Line::default()
}

/// A line that heads what follows it: `── Predict ──────`.
pub fn rule(title: &str, columns: u16, look: Look) -> Line<'static> {
    let stroke = look.pick("─", "-");
    let rest = columns.saturating_sub(width(title) + 4);
    Line::from(vec![
        Span::styled(stroke.repeat(2) + " ", look.border()),
        Span::styled(title.to_owned(), look.chosen()),
        Span::styled(format!(" {}", stroke.repeat(rest.into())), look.border()),
    ])
}

impl Prose<'_> {
    /// The lines of some paragraphs.
    pub fn lines(&self, paras: &[Para]) -> Vec<Line<'static>> {
        let mut lines = Vec::new();
        for (index, para) in paras.iter().enumerate() {
            let joins = matches!(
                (para, index.checked_sub(1).map(|before| &paras[before])),
                (Para::Item(..), Some(Para::Item(..)))
            );
            if index > 0 && !self.dense && !joins {
                lines.push(blank());
            }
            lines.extend(self.para(para));
        }
        lines
    }

    fn para(&self, para: &Para) -> Vec<Line<'static>> {
        match para {
            Para::Text(pieces) => self.text(pieces),
            Para::Code(code) => self.code(code),
            Para::Item(mark, paras) => {
                let lead = width(mark) + 1;
                self.hanging(paras, &format!("{mark} "), &" ".repeat(lead.into()))
            }
            Para::Quote(paras) => {
                let bar = self.look.pick("│ ", "| ");
                self.hanging(paras, bar, bar)
            }
        }
    }

    /// Paragraphs after a mark: one on their first line, and another one on the others.
    fn hanging(&self, paras: &[Para], first: &str, others: &str) -> Vec<Line<'static>> {
        let inside = Self { width: self.width.saturating_sub(width(first)), ..*self };
        let lines = inside.lines(paras).into_iter().enumerate();
        let marked = lines.map(|(index, mut line)| {
            let mark = if index == 0 { first } else { others };
            line.spans.insert(0, Span::styled(mark.to_owned(), self.look.dim()));
            line
        });
        marked.collect()
    }

    /// Code as it stands; a line that is too long goes on in the next one. The signs of a difference
    /// have a column of their own.
    fn code(&self, code: &[String]) -> Vec<Line<'static>> {
        let longest = code.iter().map(|line| width(line)).max().unwrap_or(0);
        let indent = self.width.saturating_sub(longest).min(if self.dense { 2 } else { INDENT });
        let signs = usize::from(code.iter().all(|line| line.starts_with(['+', '-', ' '])));
        let room = self.width.saturating_sub(indent + signs as u16).max(1);
        let line = |line: &String| {
            let (sign, code) = line.split_at(signs);
            let style = match sign {
                "-" => self.look.strong(Role::Bad),
                "+" => self.look.strong(Role::C),
                _ => self.look.text(),
            };
            let lead = format!("{}{sign}", " ".repeat(indent.into()));
            let pieces = wrapped(code, room).into_iter().enumerate();
            let piece = |(index, piece): (usize, String)| {
                let lead = if index == 0 { lead.clone() } else { " ".repeat(lead.len()) };
                Line::styled(lead + &piece, style)
            };
            pieces.map(piece).collect::<Vec<_>>()
        };
        code.iter().flat_map(line).collect()
    }

    /// Running text.
    pub fn text(&self, pieces: &[Piece]) -> Vec<Line<'static>> {
        let mut lines: Vec<Line<'static>> = Vec::new();
        let mut used = 0;
        for word in self.words(pieces) {
            let wide = word.width();
            if let Some(line) = lines.last_mut().filter(|_| used + 1 + wide <= self.width) {
                line.push_span(Span::styled(" ", word.blank));
                used += 1 + wide;
                for (text, style) in word.pieces {
                    line.push_span(Span::styled(text, style));
                }
            } else {
                used = wide;
                let spans = word.pieces.into_iter();
                lines.push(spans.map(|(text, style)| Span::styled(text, style)).collect());
            }
        }
        lines
    }

    /// The words of running text; one that is wider than a line is several.
    fn words(&self, pieces: &[Piece]) -> Vec<StyledWord> {
        let mut words: Vec<StyledWord> = vec![StyledWord::default()];
        for piece in pieces {
            let (text, style) = self.styled(piece);
            // Short code is not broken.
            let whole = matches!(piece, Piece::Code(_)) && width(&text) <= self.width / 2;
            if whole || matches!(piece, Piece::Key(_)) {
                push(&mut words, &text, style);
                continue;
            }
            let mut begins = true;
            for part in text.split(char::is_whitespace) {
                if !begins {
                    let inside = matches!(piece, Piece::Code(_));
                    let blank = if inside { style } else { Style::new() };
                    words.push(StyledWord { pieces: Vec::new(), blank });
                }
                begins = false;
                for (index, piece) in text::pieces(part, self.width).iter().enumerate() {
                    if index > 0 {
                        words.push(StyledWord::default());
                    }
                    push(&mut words, piece, style);
                }
            }
        }
        words.retain(|word| !word.pieces.is_empty());
        words
    }

    fn styled(&self, piece: &Piece) -> (String, Style) {
        let look = self.look;
        match piece {
            Piece::Plain(text) => (text.clone(), look.text()),
            Piece::Strong(text) => (text.clone(), look.chosen()),
            Piece::Code(text) => (text.clone(), look.text().bg(look.faint())),
            Piece::Key(name) => {
                let style = look.key_cap();
                (format!(" {} ", (self.keys)(name)), style)
            }
            Piece::Query(query) => (query.text.clone(), look.dim()),
        }
    }
}

/// Adds to the last word.
fn push(words: &mut [StyledWord], text: &str, style: Style) {
    if let Some(word) = words.last_mut().filter(|_| !text.is_empty()) {
        word.pieces.push((text.to_owned(), style));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(paras: &[Para], width: u16) -> String {
        let keys = |name: &str| name.to_owned();
        let prose = Prose { width, dense: false, keys: &keys, look: Look::default() };
        let text =
            |line: &Line<'_>| line.spans.iter().map(|span| &*span.content).collect::<String>();
        prose.lines(paras).iter().map(text).collect::<Vec<_>>().join("\n")
    }

    fn plain(text: &str) -> Piece {
        Piece::Plain(text.to_owned())
    }

    #[test]
    fn text_is_broken_at_blanks_and_nowhere_else() {
        let pieces = vec![
            plain("Rows of "),
            Piece::Code("sA".to_owned()),
            plain(": 17 words. Press "),
            Piece::Key("n".to_owned()),
            plain("."),
        ];
        insta::assert_snapshot!(lines(&[Para::Text(pieces)], 17), @r"
        Rows of sA: 17
        words. Press  n .
        ");
    }

    #[test]
    fn a_word_without_room_is_broken() {
        let long = vec![plain("a abcdefghij b")];
        assert_eq!(lines(&[Para::Text(long)], 4), "a\nabcd\nefgh\nij b");
    }

    #[test]
    fn items_hang_and_code_is_set_in() {
        let paras = [
            Para::Text(vec![plain("Two:")]),
            Para::Item("-".to_owned(), vec![Para::Text(vec![plain("the first of them")])]),
            Para::Item("-".to_owned(), vec![Para::Text(vec![plain("the second")])]),
            Para::Code(vec!["a = b;".to_owned()]),
        ];
        insta::assert_snapshot!(lines(&paras, 12), @r"
        Two:

        - the first
          of them
        - the second

            a = b;
        ");
    }
}
