//! A page of text over the panels: the help's words and keys, or a lesson.

use super::panel::{Panel, middle};
use super::pen::Pen;
use crate::tui::help::glossary;
use crate::tui::keymap::{COMMANDS, Keymap};
use crate::tui::theme::Look;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Modifier;
use ratatui::widgets::Widget;

/// A scrollable page.
#[derive(Clone, Copy, Debug)]
pub struct Page<'a> {
    pub title: &'a str,
    pub lines: &'a [Line],
    /// The first line in view.
    pub first: u16,
    pub look: Look,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    Heading(String),
    Text(String),
    Word(glossary::Word),
    /// Keys, and what they do.
    Keys(String, String),
}

/// Columns for the keys.
const KEYS: u16 = 24;
/// The widest page that is easy to read.
const WIDEST: u16 = 100;

/// Returns the area of a page without its frame.
pub fn inner(screen: Rect) -> Rect {
    let area = outer(screen);
    let frame = Panel::inner(area);
    Rect { x: frame.x + 1, width: frame.width.saturating_sub(2), ..frame }
}

/// The number of lines that a page shows.
pub fn page(screen: Rect) -> u16 {
    inner(screen).height.max(1)
}

/// The keys that a new user needs first.
const FIRST: [&str; 2] = ["lesson", "follow"];
/// A product that is small enough to see every number of it.
const TOY: &str = "Every number: matviz --size 8 --tile 4 --fill small; 1 enlarges the matrices";
/// What the steps are that are counted in the status bar.
const STEP: &str = "A step is one instruction of one warp. Steps are counted; they are not time.";

/// Returns the glossary, what to press first, and the table of keys, by group.
pub fn lines(keymap: &Keymap) -> Vec<Line> {
    let mut lines = vec![Line::Heading("Words".to_owned())];
    lines.extend(glossary::WORDS.map(Line::Word));
    lines.extend([Line::Text(STEP.to_owned()), Line::Text(String::new())]);
    lines.push(Line::Heading("Press first".to_owned()));
    let commands = || COMMANDS.iter().enumerate();
    let named = |name: &&str| commands().find(|(_, command)| command.name == *name);
    for (index, command) in FIRST.iter().filter_map(named) {
        lines.push(Line::Keys(keys(keymap, index), command.help.to_owned()));
    }
    lines.extend([Line::Text(TOY.to_owned()), Line::Text(String::new())]);
    for (index, command) in COMMANDS.iter().enumerate() {
        if index == 0 || COMMANDS[index - 1].group != command.group {
            if index > 0 {
                lines.push(Line::Text(String::new()));
            }
            lines.push(Line::Heading(command.group.title().to_owned()));
        }
        lines.push(Line::Keys(keys(keymap, index), command.help.to_owned()));
    }
    lines
}

/// Returns the keys of a command as text.
fn keys(keymap: &Keymap, command: usize) -> String {
    keymap.keys(command).iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

fn outer(screen: Rect) -> Rect {
    middle(screen, (WIDEST, screen.height))
}

impl Widget for Page<'_> {
    fn render(self, area: Rect, buf: &mut Buffer) {
        let look = self.look;
        let shown = inner(area);
        let last = (self.first + shown.height).min(self.lines.len() as u16);
        let note = format!("{}-{last} of {}, Esc closes", self.first + 1, self.lines.len());
        Panel { number: None, title: self.title, note: &note, focused: true, look }
            .popup(outer(area), buf);
        let mut pen = Pen::new(shown, buf, look);
        let lines = self.lines.iter().skip(self.first.into());
        for (y, line) in (0..shown.height).zip(lines) {
            match line {
                Line::Heading(text) => {
                    _ = pen.text(
                        0,
                        y,
                        text,
                        glossary::bold(look).add_modifier(Modifier::UNDERLINED),
                    );
                }
                Line::Text(text) => _ = pen.text(0, y, text, look.text()),
                Line::Word(word) => word.draw(&mut pen, y),
                Line::Keys(keys, does) => {
                    let end = pen.text(0, y, keys, glossary::bold(look));
                    pen.text(KEYS.max(end + 1), y, does, look.text());
                }
            }
        }
    }
}
