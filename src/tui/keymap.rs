//! The table of commands: their keys, and their texts in the footer, the help and the palette.

mod command;
mod dials;
mod footer;
mod key;
mod lesson;
mod measure;
mod run;
mod screen;

pub use command::{CommandGroup, Context, KeyCommand};
pub use footer::{BOTH_WAYS, DOWN, MOST, ON, PART, PLAY, POINT, QUIT, VIEW};
pub use key::{Key, KeyCode, UnknownKey};

use super::action::{Action, MeasureAction};
use super::layout::PANELS;
use super::widget::pictures::PICTURES;
use command::command;
use footer::FOUND_FOOTER;
use std::collections::HashMap;
use std::sync::LazyLock;

/// Every command, in the order of the help.
pub static COMMANDS: LazyLock<Vec<KeyCommand>> = LazyLock::new(|| {
    let pictures = PICTURES.iter().map(|row| {
        let (name, help) = row.command;
        let show = Action::Measure(MeasureAction::Show(row.picture));
        command(CommandGroup::Measure, name, std::slice::from_ref(&row.key), show, help)
    });
    let panels = PANELS.iter().filter_map(|row| {
        let (name, help) = row.command?;
        let zoom = Action::Zoom(row.panel);
        Some(command(CommandGroup::Panels, name, std::slice::from_ref(&row.key), zoom, help))
    });
    let watched =
        run::BEFORE_PANELS.iter().copied().chain(panels).chain(run::AFTER_PANELS.to_vec());
    let before = watched
        .chain([lesson::LESSONS, dials::DIALS].concat())
        .chain(measure::BEFORE_PICTURES.to_vec());
    let after = measure::AFTER_PICTURES.iter().chain(screen::SCREEN).copied();
    before.chain(pictures).chain(after).collect()
});

/// An invalid keymap.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeymapError {
    /// A name that is not a command's.
    #[error("[keys] `{0}` is not a command: the list of commands (`:`) names them")]
    UnknownCommand(String),
    /// A word that is not a key's name.
    #[error("[keys] {command}: {error}")]
    UnknownKey {
        /// The command to which the key was assigned.
        command: String,
        /// The invalid word.
        error: UnknownKey,
    },
    /// A key with two meanings in one context.
    #[error("[keys] {key} is given to both {first} and {second}")]
    Twice {
        key: Key,
        /// One of the commands.
        first: &'static str,
        /// The other command.
        second: &'static str,
    },
}

/// The key bindings: the table of commands with the user's changes.
#[derive(Clone, Debug)]
pub struct Keymap {
    /// The keys of each command, in the order of [`COMMANDS`].
    keys: Vec<Vec<Key>>,
    actions: HashMap<(Context, Key), Action>,
    is_page: bool,
}

impl Keymap {
    /// Builds the key bindings from the table and `changes`: a command's name and all its new keys.
    ///
    /// # Errors
    /// An unknown command, an unknown key, or a key with two meanings.
    pub fn new(changes: &[(String, Vec<String>)]) -> Result<Self, KeymapError> {
        let mut spelt: Vec<Vec<String>> = COMMANDS
            .iter()
            .map(|command| command.keys.iter().map(|key| (*key).to_owned()).collect())
            .collect();
        for (name, keys) in changes {
            let index = COMMANDS.iter().position(|command| command.name == name);
            let index = index.ok_or_else(|| KeymapError::UnknownCommand(name.clone()))?;
            spelt[index].clone_from(keys);
        }
        let mut keys = Vec::new();
        for (command, spelt) in COMMANDS.iter().zip(&spelt) {
            let parsed: Result<Vec<Key>, _> = spelt.iter().map(|key| key.parse()).collect();
            let unknown =
                |error| KeymapError::UnknownKey { command: command.name.to_owned(), error };
            keys.push(parsed.map_err(unknown)?);
        }
        let actions = actions(&keys)?;
        Ok(Self { keys, actions, is_page: false })
    }

    /// The key bindings of a page in a browser, which keeps Ctrl, Alt and the function keys for itself.
    pub fn of_page() -> Self {
        let all = Self::default();
        let keys: Vec<Vec<Key>> = COMMANDS
            .iter()
            .zip(all.keys)
            .map(|(command, keys)| {
                keys.into_iter().filter(|key| !command.is_native && key.is_of_page()).collect()
            })
            .collect();
        // What has no double meaning has none with fewer keys.
        let actions = actions(&keys).unwrap_or_default();
        Self { keys, actions, is_page: true }
    }

    /// Whether they are those of a page in a browser.
    pub const fn is_page(&self) -> bool {
        self.is_page
    }

    /// Whether a command can be given here.
    pub const fn offers(&self, command: &KeyCommand) -> bool {
        !(self.is_page && command.is_native)
    }

    /// Returns the matching commands, best match first, otherwise in the order of the table.
    pub fn found(&self, query: &str) -> Vec<&'static KeyCommand> {
        let query = query.to_lowercase();
        let mut found: Vec<_> = COMMANDS
            .iter()
            .filter(|command| command.context == Context::Main && self.offers(command))
            .filter_map(|command| {
                let text = format!("{} {}", command.name, command.help).to_lowercase();
                Some((matches(&query, &text)?, command))
            })
            .collect();
        found.sort_by_key(|(cost, _)| *cost);
        found.into_iter().map(|(_, command)| command).collect()
    }

    /// Returns the action bound to a key in a context.
    pub fn action(&self, context: Context, key: Key) -> Option<Action> {
        self.actions.get(&(context, key)).copied()
    }

    pub fn keys(&self, command: usize) -> &[Key] {
        self.keys.get(command).map_or(&[], Vec::as_slice)
    }

    /// Returns the first key of a command of the panels, by its name.
    pub fn key_of(&self, name: &str) -> Option<&Key> {
        let index = COMMANDS.iter().position(|command| command.name == name)?;
        self.heard(index, Context::Main)
    }

    /// Returns the first key of a command, by its name, as it is spelt.
    pub fn first_key(&self, name: &str) -> Option<String> {
        let index = COMMANDS.iter().position(|command| command.name == name)?;
        self.keys(index).first().map(Key::to_string)
    }

    /// Returns the user's own key for the one that a text names.
    pub fn own_key(&self, name: &str) -> String {
        let own = named(name).and_then(|command| self.first_key(command.name));
        own.unwrap_or_else(|| name.to_owned())
    }

    /// Returns the keys of those commands that are to be offered, each with what it does.
    pub fn offered(&self, offers: &[(&str, &str, bool)]) -> Vec<(String, String)> {
        let offers = offers.iter().filter(|(.., is)| *is);
        offers
            .filter_map(|(name, does, _)| Some((self.first_key(name)?, (*does).to_owned())))
            .collect()
    }

    /// Returns the first key that triggers a command in a context, or `None` if others hide them
    /// all.
    fn heard(&self, command: usize, context: Context) -> Option<&Key> {
        let action = COMMANDS[command].action;
        let means = |key: &&Key| self.meaning(context, **key) == Some(action);
        self.keys(command).iter().find(means)
    }

    /// Returns the action of a key in a context, including those inherited from the panels.
    pub fn meaning(&self, context: Context, key: Key) -> Option<Action> {
        let on_panels = || self.action(Context::Main, key);
        let on_screen = || on_panels().filter(|action| is_of_screen(*action));
        let here = self.action(context, key);
        match context {
            Context::Main | Context::Overlay => here,
            Context::Stage | Context::Value | Context::Lesson | Context::Edit => {
                here.or_else(on_panels)
            }
            Context::Question => {
                here.or_else(|| self.action(Context::Lesson, key)).or_else(on_panels)
            }
            Context::Measure | Context::Course | Context::Dials => here.or_else(on_screen),
        }
    }

    /// Yields (key, command, label) of the footer's commands, the most important first; if the run
    /// has findings, the commands that show them come before the others.
    pub fn footer(
        &self,
        context: Context,
        found: bool,
    ) -> impl Iterator<Item = (&Key, &'static str, &'static str)> {
        let names = footer::names(context);
        let wrong = found && matches!(context, Context::Main | Context::Stage);
        let wrong = &FOUND_FOOTER[..if wrong { FOUND_FOOTER.len() } else { 0 }];
        let others = names.iter().filter(move |name| !wrong.contains(name));
        wrong.iter().chain(others).filter_map(move |name| {
            let index = COMMANDS.iter().position(|command| command.name == *name)?;
            let key = self.heard(index, context)?;
            Some((key, COMMANDS[index].name, COMMANDS[index].label?))
        })
    }
}

impl Default for Keymap {
    fn default() -> Self {
        Self::new(&[]).expect("the table's own keys are tested to be keys, each with one meaning")
    }
}

/// The command of the panels whose key a text names: its default, or its command's name.
pub fn named(name: &str) -> Option<&'static KeyCommand> {
    let on_panels = |command: &&KeyCommand| command.context == Context::Main;
    let mut commands = COMMANDS.iter().filter(on_panels);
    commands.find(|command| command.name == name || command.keys.contains(&name))
}

/// Whether a command acts on the screen itself, whatever is shown.
pub fn is_of_screen(action: Action) -> bool {
    COMMANDS.iter().any(|command| command.group == CommandGroup::Screen && command.action == action)
}

fn actions(keys: &[Vec<Key>]) -> Result<HashMap<(Context, Key), Action>, KeymapError> {
    let mut owners: HashMap<(Context, Key), &KeyCommand> = HashMap::new();
    for (command, keys) in COMMANDS.iter().zip(keys) {
        for key in keys {
            if let Some(first) = owners.insert((command.context, *key), command) {
                let (first, second) = (first.name, command.name);
                return Err(KeymapError::Twice { key: *key, first, second });
            }
        }
    }
    Ok(owners.into_iter().map(|(place, command)| (place, command.action)).collect())
}

/// Returns the cost of matching `query` to `text`, or `None` if its letters do not occur in this
/// order; the fewer characters precede and separate them, the lower the cost.
fn matches(query: &str, text: &str) -> Option<usize> {
    if let Some(at) = text.find(query) {
        return Some(at);
    }
    let mut rest = text.char_indices();
    let mut cost = 0;
    let mut last = 0;
    for letter in query.chars() {
        let (at, _) = rest.find(|(_, other)| *other == letter)?;
        cost += at - last;
        last = at;
    }
    // Scattered letters cost more than a contiguous match anywhere.
    Some(text.len() + cost)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn letters_together_come_before_letters_apart() {
        let keymap = Keymap::default();
        let names = |query| keymap.found(query).iter().map(|c| c.name).collect::<Vec<_>>();
        assert_eq!(names("theme")[0], "theme");
        assert_eq!(names("cmpr")[0], "compare");
        assert_eq!(names("qqqq"), Vec::<&str>::new());
        assert_eq!(names("").len(), COMMANDS.iter().filter(|c| c.context == Context::Main).count());
    }

    #[test]
    fn every_command_has_its_own_name_and_its_own_keys() {
        let names: HashSet<_> = COMMANDS.iter().map(|command| command.name).collect();
        assert_eq!(names.len(), COMMANDS.len());
        Keymap::new(&[]).expect("no key twice");
        for command in COMMANDS.iter() {
            assert!(!command.keys.is_empty(), "{} has no key", command.name);
            assert!(!command.help.is_empty() && !command.help.ends_with('.'), "{}", command.name);
            assert!(command.help.len() <= 50, "{}: the help would be cut", command.name);
        }
    }

    #[test]
    fn no_key_is_one_that_terminals_and_multiplexers_keep_for_themselves() {
        for spelt in COMMANDS.iter().flat_map(|command| command.keys) {
            let key: Key = spelt.parse().expect("a key");
            for taken in ["Ctrl-s", "Ctrl-q", "Ctrl-a", "Ctrl-b", "F10", "F11"] {
                assert_ne!(key.to_string(), taken);
            }
            assert!(!spelt.starts_with("Alt-"), "{spelt}");
        }
    }

    #[test]
    fn every_label_stands_in_the_footer_or_is_not_given() {
        let keymap = Keymap::default();
        let footer =
            |context| keymap.footer(context, false).map(|(.., label)| label).collect::<Vec<_>>();
        assert_eq!(footer(Context::Main)[..5], [PLAY, "step", PART, "lesson", "help"]);
        for context in Context::ALL {
            assert_eq!(footer(context).len(), footer::names(context).len(), "{context:?}");
        }
    }

    #[test]
    fn a_change_replaces_the_keys_of_its_command() {
        let changes = [("play".to_owned(), vec!["F6".to_owned()])];
        let keymap = Keymap::new(&changes).expect("a good change");
        let key = |text: &str| text.parse::<Key>().expect("a key");
        assert_eq!(keymap.action(Context::Main, key("F6")), Some(Action::PlayPause));
        assert_eq!(keymap.action(Context::Main, key("Space")), None);
        assert_eq!(
            keymap.footer(Context::Main, false).next().map(|(key, ..)| key.to_string()),
            Some("F6".to_owned())
        );
    }

    #[test]
    fn a_bad_change_says_which() {
        let error = |name: &str, key: &str| {
            Keymap::new(&[(name.to_owned(), vec![key.to_owned()])]).expect_err("bad").to_string()
        };
        insta::assert_snapshot!(error("ply", "P"), @"[keys] `ply` is not a command: the list of commands (`:`) names them");
        insta::assert_snapshot!(error("play", "Blank"), @"[keys] play: `Blank` is not a key: give a character, a name such as Down, Enter or F2, or Ctrl-p");
        insta::assert_snapshot!(error("play", "q"), @"[keys] q is given to both play and quit");
    }
}
