//! The user's own settings: `config.toml` in the user's configuration directory.
//!
//! ```toml
//! theme = "stage"          # dark, light, stage
//! glyphs = "ascii"         # ascii, basic
//! mouse = false
//! pace = "even"            # even, meaning
//! view = "workbench"       # stage, workbench
//! reduced_motion = true    # nothing moves between two steps
//!
//! [keys]                   # the help (?) shows every command's name in brackets
//! play = ["Space", "Ctrl-p"]
//! ```

use super::keymap::Keymap;
use super::layout::ScreenView;
use super::playback::Pace;
use super::theme::{Glyphs, Theme};
use crate::file;
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The settings, and how they are written.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The theme, if chosen.
    pub theme: Option<Theme>,
    /// The characters, if chosen.
    pub glyphs: Option<Glyphs>,
    /// Whether to capture the mouse, if chosen.
    pub mouse: Option<bool>,
    /// How the run plays, if chosen.
    pub pace: Option<Pace>,
    /// Whether the screen opens with the stage, if chosen.
    pub view: Option<ScreenView>,
    /// Whether nothing is to be shown between two steps, if chosen.
    pub reduced_motion: Option<bool>,
    /// The key bindings.
    #[serde(rename = "keys", deserialize_with = "keymap")]
    pub keymap: Keymap,
}

/// An error in the settings.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error("{}: {error}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The cause.
        error: std::io::Error,
    },
    /// The file is not valid TOML, or not of the expected form.
    #[error("{}: {reason}", path.display())]
    Toml {
        /// The file.
        path: PathBuf,
        /// The place and the cause, on one line.
        reason: String,
    },
}

/// One key or several.
#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a key or a list of keys, in quotes")]
enum KeyList {
    One(String),
    Several(Vec<String>),
}

/// The settings that a command line may give, with their values.
pub const SETTINGS: &[(&str, &str)] = &[
    ("theme=dark", ""),
    ("theme=light", ""),
    ("theme=stage", "for projectors"),
    ("glyphs=basic", ""),
    ("glyphs=ascii", ""),
    ("mouse=false", "the mouse is the terminal's, to select text with it"),
    ("mouse=true", ""),
    ("pace=meaning", "what is new is slow, what repeats is fast"),
    ("pace=even", ""),
    ("view=stage", "what happens now, large"),
    ("view=workbench", "all panels"),
    ("reduced_motion=true", "nothing moves between two steps"),
    ("reduced_motion=false", ""),
];

/// Why a setting cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingError {
    #[error(
        "there is no setting `{0}`: give one of theme, glyphs, mouse, pace, view, reduced_motion"
    )]
    Name(String),
    #[error("{0} is one of {1}")]
    Value(&'static str, String),
}

/// Reads one setting, `theme=stage`.
///
/// # Errors
/// There is no such setting, or it has no such value.
pub fn setting(text: &str) -> Result<Config, SettingError> {
    let (name, value) = text.split_once('=').unwrap_or((text, ""));
    let all = SETTINGS.iter().filter_map(|(setting, _)| setting.split_once('='));
    let own: Vec<_> = all.filter(|(known, _)| *known == name).collect();
    let Some((known, _)) = own.first() else { return Err(SettingError::Name(name.to_owned())) };
    let values = || own.iter().map(|(_, value)| *value).collect::<Vec<_>>().join(", ");
    let is_word = !matches!(*known, "mouse" | "reduced_motion");
    let value = if is_word { format!("'{value}'") } else { value.to_owned() };
    let wrong = |_| SettingError::Value(known, values());
    parse(&format!("{name} = {value}"), Path::new("")).map_err(wrong)
}

impl Config {
    /// What these settings say, and otherwise others.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            theme: self.theme.or(other.theme),
            glyphs: self.glyphs.or(other.glyphs),
            mouse: self.mouse.or(other.mouse),
            pace: self.pace.or(other.pace),
            view: self.view.or(other.view),
            reduced_motion: self.reduced_motion.or(other.reduced_motion),
            // A command line gives no keys.
            keymap: other.keymap,
        }
    }
}

/// The most bytes of a settings file.
const MOST: u64 = 1 << 20;

/// Reads the user's settings; without a file, returns the defaults.
///
/// # Errors
/// The file cannot be read or is invalid; the error names its path and the reason.
pub fn load() -> Result<Config, ConfigError> {
    let Some(path) = path() else { return Ok(Config::default()) };
    match file::read(&path, MOST) {
        Ok(text) => parse(&String::from_utf8_lossy(&text), &path),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Config::default()),
        Err(error) => Err(ConfigError::Read { path, error }),
    }
}

/// Returns the path of the settings file, or `None` if there is no home directory.
pub fn path() -> Option<PathBuf> {
    Some(file::settings_folder()?.join("config.toml"))
}

/// Reads the text of the settings file at `path`.
///
/// # Errors
/// The text is invalid; the error names the path and the reason.
pub fn parse(text: &str, path: &Path) -> Result<Config, ConfigError> {
    toml::from_str(text).map_err(|error: toml::de::Error| {
        let line = error.span().map(|span| text[..span.start].matches('\n').count() + 1);
        let line = line.map(|line| format!("line {line}: ")).unwrap_or_default();
        let reason = format!("{line}{}", error.message().replace('\n', " "));
        ConfigError::Toml { path: path.to_owned(), reason }
    })
}

/// Reads the table of keys.
fn keymap<'de, D: Deserializer<'de>>(table: D) -> Result<Keymap, D::Error> {
    let keys = BTreeMap::<String, KeyList>::deserialize(table)?.into_iter();
    let keys = keys.map(|(name, keys)| match keys {
        KeyList::One(key) => (name, vec![key]),
        KeyList::Several(keys) => (name, keys),
    });
    Keymap::new(&keys.collect::<Vec<_>>()).map_err(D::Error::custom)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::action::Action;
    use crate::tui::keymap::Context;

    fn read(text: &str) -> Result<Config, String> {
        parse(text, Path::new("config.toml")).map_err(|error| error.to_string())
    }

    fn error(text: &str) -> String {
        read(text).expect_err("bad settings")
    }

    #[test]
    fn settings_are_taken() {
        let config = read(
            "theme = 'stage'\nglyphs = 'ascii'\nmouse = false\npace = 'even'\nview = 'workbench'\n[keys]\nplay = 'F6'\nhelp = ['?', 'H']",
        )
        .expect("good settings");
        assert_eq!((config.theme, config.glyphs), (Some(Theme::Stage), Some(Glyphs::Ascii)));
        assert_eq!((config.mouse, config.pace), (Some(false), Some(Pace::Even)));
        assert_eq!(config.view, Some(ScreenView::Workbench));
        let action = |key: &str| config.keymap.action(Context::Main, key.parse().expect("a key"));
        assert_eq!(action("F6"), Some(Action::PlayPause));
        assert_eq!(action("H"), Some(Action::Help));
        assert_eq!(action("F1"), None);
    }

    #[test]
    fn a_setting_of_a_command_line_stands_over_the_file() {
        let file = read("theme = 'light'\nmouse = false\n[keys]\nplay = 'F6'").expect("good");
        let one = setting("theme=stage").expect("there is one").or(file);
        assert_eq!((one.theme, one.mouse), (Some(Theme::Stage), Some(false)));
        assert_eq!(
            one.keymap.action(Context::Main, "F6".parse().expect("a key")),
            Some(Action::PlayPause)
        );
        for (row, _) in SETTINGS {
            assert!(setting(row).is_ok(), "{row}");
        }
        let error = |text: &str| setting(text).expect_err(text).to_string();
        assert_eq!(error("theme=drak"), "theme is one of dark, light, stage");
        assert!(error("keys=x").starts_with("there is no setting `keys`"));
    }

    #[test]
    fn bad_settings_say_where_and_what() {
        insta::assert_snapshot!(error("theme = 'blue'"), @"config.toml: line 1: unknown variant `blue`, expected one of `dark`, `light`, `stage`");
        insta::assert_snapshot!(error("\nthem = 'dark'"), @"config.toml: line 2: unknown field `them`, expected one of `theme`, `glyphs`, `mouse`, `pace`, `view`, `reduced_motion`, `keys`");
        insta::assert_snapshot!(error("[keys]\nplay = 'q'"), @"config.toml: line 1: [keys] q is given to both play and quit");
        insta::assert_snapshot!(error("[keys]\nplay = 1"), @"config.toml: line 2: expected a key or a list of keys, in quotes");
        insta::assert_snapshot!(error("theme = "), @"config.toml: line 1: string values must be quoted, expected literal string");
    }
}
