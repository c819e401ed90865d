//! What the help says, and the room that it has.

mod glossary;

pub use glossary::{BOTH, GlossaryEntry, PICTURE, PicturePiece};

use super::keymap::{COMMANDS, Keymap};
use super::layout::{middle, text_area};
use ratatui::layout::Rect;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HelpLine {
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

/// Returns the glossary, what to press first, and the table of keys, by group.
pub fn lines(keymap: &Keymap) -> Vec<HelpLine> {
    let mut lines = vec![HelpLine::Heading("Words".to_owned())];
    lines.extend(glossary::WORDS.map(HelpLine::Word));
    lines.extend([HelpLine::Text(STEP.to_owned()), HelpLine::Text(String::new())]);
    lines.push(HelpLine::Heading("Press first".to_owned()));
    let commands = || COMMANDS.iter().enumerate();
    let named = |name: &&str| commands().find(|(_, command)| command.name == *name);
    for (index, command) in FIRST.iter().filter_map(named) {
        lines.push(HelpLine::Keys(keys(keymap, index), command.help.to_owned()));
    }
    lines.extend([HelpLine::Text(TOY.to_owned()), HelpLine::Text(String::new())]);
    for (index, command) in COMMANDS.iter().enumerate() {
        if index == 0 || COMMANDS[index - 1].group != command.group {
            if index > 0 {
                lines.push(HelpLine::Text(String::new()));
            }
            lines.push(HelpLine::Heading(command.group.title().to_owned()));
        }
        lines.push(HelpLine::Keys(keys(keymap, index), command.help.to_owned()));
    }
    lines
}

/// Returns the keys of a command as text.
fn keys(keymap: &Keymap, command: usize) -> String {
    keymap.keys(command).iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}
