//! A key as the table, the configuration and the help spell it: `j`, `Down`, `Ctrl-p`, `F1`.

use std::fmt;
use std::str::FromStr;

/// A key with its modifiers. A letter carries its own case, so Shift is never spelt with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    code: KeyCode,
    control: bool,
    alt: bool,
    shift: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeyCode {
    Char(char),
    /// A function key, by its number.
    F(u8),
    Enter,
    Esc,
    Tab,
    Backspace,
    Delete,
    Insert,
    Left,
    Right,
    Up,
    Down,
    Home,
    End,
    PageUp,
    PageDown,
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

const MODIFIERS: [&str; 3] = ["Ctrl-", "Alt-", "Shift-"];

impl From<KeyCode> for Key {
    fn from(code: KeyCode) -> Self {
        Self::of(code, [false; 3])
    }
}

impl Key {
    /// A key with Control, Alt and Shift as they were held. Terminals report some keys in several
    /// ways, which become one.
    pub fn of(code: KeyCode, [control, alt, shift]: [bool; 3]) -> Self {
        let (code, shift) = match code {
            KeyCode::Char(letter) if control => (KeyCode::Char(letter.to_ascii_lowercase()), false),
            KeyCode::Char(_) => (code, false),
            _ => (code, shift),
        };
        Self { code, control, alt, shift }
    }

    /// Whether a page in a browser gets it.
    pub const fn is_of_page(self) -> bool {
        !self.control && !self.alt && !matches!(self.code, KeyCode::F(_))
    }

    /// Returns the character that the key types, if any.
    pub fn typed(self) -> Option<char> {
        match self {
            Self { code: KeyCode::Char(letter), control: false, alt: false, .. } => Some(letter),
            _ => None,
        }
    }
}

impl FromStr for Key {
    type Err = UnknownKey;

    fn from_str(text: &str) -> Result<Self, UnknownKey> {
        let (mut rest, mut held) = (text, [false; 3]);
        while let Some(at) = MODIFIERS
            .iter()
            .position(|modifier| rest.len() > modifier.len() && rest.starts_with(modifier))
        {
            rest = &rest[MODIFIERS[at].len()..];
            held[at] = true;
        }
        let named = NAMES.iter().find(|(name, _)| name.eq_ignore_ascii_case(rest));
        let code = named.map(|(_, code)| *code).or_else(|| function(rest)).or_else(|| {
            let mut letters = rest.chars();
            letters.next().filter(|_| letters.next().is_none()).map(KeyCode::Char)
        });
        let code = code.ok_or_else(|| UnknownKey(text.to_owned()))?;
        Ok(Self::of(code, held))
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let held = [self.control, self.alt, self.shift];
        for (modifier, _) in MODIFIERS.iter().zip(held).filter(|(_, held)| *held) {
            f.write_str(modifier)?;
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
}
