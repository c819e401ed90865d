//! What the help says, and the room that it has.

mod glossary;

pub use glossary::{BOTH, GlossaryEntry, PICTURE, PicturePiece};

use super::keymap::{COMMANDS, Context, KeyCommand, Keymap};
use super::layout::{middle, text_area};
use ratatui::layout::Rect;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HelpLine {
    /// The title of a page, which begins with it.
    Page(&'static str),
    Heading(String),
    Text(String),
    Word(GlossaryEntry),
    /// Keys, and what they do.
    Keys(String, String),
}

/// The widest page that is easy to read.
const WIDEST: u16 = 100;

/// Returns the area of the page.
pub fn outer(screen: Rect) -> Rect {
    middle(screen, (WIDEST, screen.height))
}

/// The number of lines that a page shows.
pub fn page(screen: Rect) -> u16 {
    text_area(outer(screen)).height.max(1)
}

/// The keys that a new user needs first.
const FIRST: [&str; 2] = ["lesson", "follow"];
/// A product that is small enough to see every number of it.
const TOY: &str = "Every number: matviz --size 8 --tile 4 --fill small; 1 enlarges the matrices";
/// What the steps are that are counted in the status bar.
const STEP: &str = "A step is one instruction of one warp. Steps are counted; they are not time.";

/// Returns three pages: the words, the keys that matter here, and all keys by group.
pub fn lines(keymap: &Keymap, here: Context) -> Vec<HelpLine> {
    let mut lines = vec![HelpLine::Page("Words")];
    lines.extend(glossary::WORDS.map(HelpLine::Word));
    lines.extend([STEP, TOY].map(|text| HelpLine::Text(text.to_owned())));
    lines.push(HelpLine::Page("Keys here"));
    let row = |(index, command): (usize, &KeyCommand)| {
        HelpLine::Keys(keys(keymap, index), command.help.to_owned())
    };
    let commands = || COMMANDS.iter().enumerate();
    // Of the keys of the panels, those that the footer names.
    let own = |command: &KeyCommand| command.context == here && here != Context::Main;
    let title = commands().find(|(_, command)| own(command)).map(|(_, of)| of.group.title());
    lines.extend(title.map(|title| HelpLine::Heading(title.to_owned())));
    lines.extend(commands().filter(|(_, command)| own(command)).map(row));
    let named = |name: &&str| commands().find(|(_, command)| command.name == *name);
    lines.extend(FIRST.iter().filter_map(named).map(row));
    let common = |command: &KeyCommand| {
        let is_named = command.label.is_some() && !FIRST.contains(&command.name);
        command.context == Context::Main && is_named
    };
    lines.extend(commands().filter(|(_, command)| common(command)).map(row));
    lines.push(HelpLine::Page("All keys"));
    for (index, command) in commands() {
        if index == 0 || COMMANDS[index - 1].group != command.group {
            if index > 0 {
                lines.push(HelpLine::Text(String::new()));
            }
            lines.push(HelpLine::Heading(command.group.title().to_owned()));
        }
        lines.push(row((index, command)));
    }
    lines
}

/// Returns the numbers of the lines with which pages begin.
pub fn starts(lines: &[HelpLine]) -> Vec<u16> {
    let is_start = |line: &&(u16, &HelpLine)| matches!(line.1, HelpLine::Page(_));
    let numbered: Vec<_> = (0..).zip(lines).collect();
    numbered.iter().filter(is_start).map(|(number, _)| *number).collect()
}

/// Returns the number of the page on which a line stands, from 0.
pub fn page_of(starts: &[u16], line: u16) -> usize {
    starts.partition_point(|start| *start <= line).saturating_sub(1)
}

/// Returns the keys of a command as text.
fn keys(keymap: &Keymap, command: usize) -> String {
    keymap.keys(command).iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}
