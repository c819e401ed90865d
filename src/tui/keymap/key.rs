//! A key as the table, the configuration and the help spell it: `j`, `Down`, `Ctrl-p`, `F1`.

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::fmt;
use std::str::FromStr;

/// A key with its modifiers. A letter carries its own case, so Shift is never spelt with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    code: KeyCode,
    modifiers: KeyModifiers,
}

/// A word that is not a key's name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a key: give a character, a name such as Down, Enter or F2, or Ctrl-p")]
pub struct UnknownKey(pub String);

const NAMES: [(&str, KeyCode); 15] = [
    ("Space", KeyCode::Char(' ')),
    ("Enter", KeyCode::Enter),
    ("Esc", KeyCode::Esc),
    ("Tab", KeyCode::Tab),
    ("Backspace", KeyCode::Backspace),
    ("Delete", KeyCode::Delete),
    ("Insert", KeyCode::Insert),
    ("Left", KeyCode::Left),
    ("Right", KeyCode::Right),
    ("Up", KeyCode::Up),
    ("Down", KeyCode::Down),
    ("Home", KeyCode::Home),
    ("End", KeyCode::End),
    ("PageUp", KeyCode::PageUp),
    ("PageDown", KeyCode::PageDown),
];

const MODIFIERS: [(&str, KeyModifiers); 3] = [
    ("Ctrl-", KeyModifiers::CONTROL),
    ("Alt-", KeyModifiers::ALT),
    ("Shift-", KeyModifiers::SHIFT),
];

impl Key {
    /// Returns the key of a terminal event.
    pub fn of(event: &KeyEvent) -> Self {
        let known = KeyModifiers::CONTROL | KeyModifiers::ALT | KeyModifiers::SHIFT;
        Self::normal(event.code, event.modifiers & known)
    }

    /// Returns the event that a terminal sends for the key.
    pub fn event(self) -> KeyEvent {
        KeyEvent::new(self.code, self.modifiers)
    }

    /// Returns the character that the key types, if any.
    pub fn typed(self) -> Option<char> {
        match self.code {
            KeyCode::Char(letter) if self.modifiers.is_empty() => Some(letter),
            _ => None,
        }
    }

    /// Normalises a key, since terminals report some keys in several ways.
    fn normal(code: KeyCode, modifiers: KeyModifiers) -> Self {
        match code {
            KeyCode::BackTab => Self { code: KeyCode::Tab, modifiers: KeyModifiers::SHIFT },
            KeyCode::Char(letter) if modifiers.contains(KeyModifiers::CONTROL) => {
                let code = KeyCode::Char(letter.to_ascii_lowercase());
                Self { code, modifiers: modifiers - KeyModifiers::SHIFT }
            }
            KeyCode::Char(_) => Self { code, modifiers: modifiers - KeyModifiers::SHIFT },
            _ => Self { code, modifiers },
        }
    }
}

impl FromStr for Key {
    type Err = UnknownKey;

    fn from_str(text: &str) -> Result<Self, UnknownKey> {
        let (mut rest, mut modifiers) = (text, KeyModifiers::NONE);
        while let Some((name, modifier)) =
            MODIFIERS.iter().find(|(name, _)| rest.len() > name.len() && rest.starts_with(name))
        {
            rest = &rest[name.len()..];
            modifiers |= *modifier;
        }
        let named = NAMES.iter().find(|(name, _)| name.eq_ignore_ascii_case(rest));
        let code = named.map(|(_, code)| *code).or_else(|| function(rest)).or_else(|| {
            let mut letters = rest.chars();
            letters.next().filter(|_| letters.next().is_none()).map(KeyCode::Char)
        });
        let code = code.ok_or_else(|| UnknownKey(text.to_owned()))?;
        Ok(Self::normal(code, modifiers))
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, modifier) in MODIFIERS {
            if self.modifiers.contains(modifier) {
                f.write_str(name)?;
            }
        }
        match (NAMES.iter().find(|(_, code)| *code == self.code), self.code) {
            (Some((name, _)), _) => f.write_str(name),
            (None, KeyCode::Char(letter)) => write!(f, "{letter}"),
            (None, KeyCode::F(number)) => write!(f, "F{number}"),
            (None, other) => write!(f, "{other:?}"),
        }
    }
}

fn function(name: &str) -> Option<KeyCode> {
    let number = name.strip_prefix(['F', 'f'])?.parse().ok()?;
    (1..=12).contains(&number).then_some(KeyCode::F(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(text: &str) -> Key {
        text.parse().expect("a key")
    }

    #[test]
    fn a_key_is_spelt_in_one_way() {
        for text in ["j", "G", "?", "-", "Space", "Ctrl-p", "Shift-Tab", "F1", "PageDown", "["] {
            assert_eq!(key(text).to_string(), text);
        }
        assert_eq!(key("ctrl-P".replace("ctrl", "Ctrl").as_str()), key("Ctrl-p"));
        assert_eq!(key("pagedown"), key("PageDown"));
        assert_eq!("Hyper-x".parse::<Key>(), Err(UnknownKey("Hyper-x".to_owned())));
        assert!("".parse::<Key>().is_err());
    }

    #[test]
    fn what_the_terminal_sends_is_what_the_table_says() {
        let event = |code, modifiers| Key::of(&KeyEvent::new(code, modifiers));
        assert_eq!(event(KeyCode::Char('G'), KeyModifiers::SHIFT), key("G"));
        assert_eq!(event(KeyCode::BackTab, KeyModifiers::SHIFT), key("Shift-Tab"));
        assert_eq!(event(KeyCode::Char('c'), KeyModifiers::CONTROL), key("Ctrl-c"));
        assert_eq!(event(KeyCode::Char('?'), KeyModifiers::NONE).typed(), Some('?'));
        assert_eq!(key("Ctrl-c").typed(), None);
    }
}
