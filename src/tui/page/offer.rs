//! The keys that a page offers, and the room that it has at most.

use crate::tui::app::App;
use crate::tui::keymap::{COMMANDS, Key, named};

/// The keys of those commands that are to be offered, each with what it does.
pub(in crate::tui) fn offered(app: &App, offers: &[(&str, &str, bool)]) -> Vec<(String, String)> {
    let offers = offers.iter().filter(|(.., is)| *is);
    offers.filter_map(|(name, does, _)| Some((key(app, name)?, (*does).to_owned()))).collect()
}

/// The first key of a command beside a lesson.
pub(in crate::tui) fn key(app: &App, name: &str) -> Option<String> {
    let index = COMMANDS.iter().position(|command| command.name == name)?;
    app.keymap.keys(index).first().map(Key::to_string)
}

/// The user's own key for the one that a text names.
pub(in crate::tui) fn own_key(app: &App, name: &str) -> String {
    named(name).and_then(|command| key(app, command.name)).unwrap_or_else(|| name.to_owned())
}
