//! What the help says, and the room that it has.

mod glossary;

pub use glossary::{BOTH, GlossaryEntry, PICTURE, PicturePiece};

use super::keymap::{BOTH_WAYS, COMMANDS, Context, KeyCommand, Keymap, MOST};
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

/// A product that is small enough to see every number of it.
const TOY: &str = "Every number: matviz --size 8 --tile 4 --fill small; 1 enlarges the matrices";
/// What the steps are that are counted in the status bar.
const STEP: &str = "A step is one instruction of one warp. Steps are counted; they are not time.";

/// What a browser does with its keys.
const IN_PAGE: &str = "Ctrl-C copies the text of the screen; Esc and then Tab leaves the picture.";

/// Where the keys are that the first page leaves out.
const OTHERS: &str = "All others: `:` lists them by name, the last page with their keys.";

/// Returns three pages: the keys that matter here, the words, and all keys by group.
pub fn lines(keymap: &Keymap, here: Context) -> Vec<HelpLine> {
    let mut lines = vec![HelpLine::Page("Keys here")];
    let own = COMMANDS.iter().find(|command| command.context == here && here != Context::Main);
    lines.extend(own.map(|command| HelpLine::Heading(command.group.title().to_owned())));
    lines.extend(first_keys(keymap, here).map(|(keys, does)| HelpLine::Keys(keys, does)));
    lines.push(HelpLine::Text(OTHERS.to_owned()));
    let (in_page, toy) = if keymap.is_page() { (Some(IN_PAGE), None) } else { (None, Some(TOY)) };
    lines.extend(in_page.map(|text| HelpLine::Text(text.to_owned())));
    lines.push(HelpLine::Page("Words"));
    lines.extend(glossary::WORDS.map(HelpLine::Word));
    let texts = [Some(STEP), toy].into_iter().flatten();
    lines.extend(texts.map(|text| HelpLine::Text(text.to_owned())));
    lines.push(HelpLine::Page("All keys"));
    let mut group = None;
    // What has lost all its keys to the browser is still in the list of commands.
    let has_row = |(index, of): &(usize, &KeyCommand)| {
        keymap.offers(of) && !(keymap.is_page() && keys(keymap, *index).is_empty())
    };
    for (index, command) in COMMANDS.iter().enumerate().filter(has_row) {
        if group.replace(command.group) != Some(command.group) {
            if index > 0 {
                lines.push(HelpLine::Text(String::new()));
            }
            lines.push(HelpLine::Heading(command.group.title().to_owned()));
        }
        lines.push(HelpLine::Keys(keys(keymap, index), command.help.to_owned()));
    }
    lines
}

/// The keys of the footer, with the way back where there is one.
pub fn first_keys(keymap: &Keymap, here: Context) -> impl Iterator<Item = (String, String)> {
    keymap.footer(here, false).take(MOST).map(|(key, name, _)| {
        let both = BOTH_WAYS.iter().find(|(on, ..)| *on == name);
        let back = both.and_then(|(_, back, _)| keymap.first_key(back));
        let help = COMMANDS.iter().find(|command| command.name == name).map(|of| of.help);
        let told = both.filter(|_| back.is_some()).map(|(.., told)| *told).or(help);
        let keys = [Some(key.to_string()), back].into_iter().flatten().collect::<Vec<_>>();
        (keys.join(" "), told.unwrap_or_default().to_owned())
    })
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
