//! Text of files that others wrote, made harmless for a terminal.
//!
//! A kernel's name, a comment or a compiler's log may hold escape sequences, which move the cursor,
//! set the title or answer in the user's place, and marks that turn the order of the characters. They
//! are shown as `\u001b`, which in JSON means the same character.

use std::borrow::Cow;
use std::fmt::Write;

/// The text with every character that a terminal would obey written as `\u` and its number. Line
/// ends and tabs stay.
pub fn harmless(text: &str) -> Cow<'_, str> {
    if !text.contains(is_obeyed) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for char in text.chars() {
        if is_obeyed(char) {
            _ = write!(shown, "\\u{:04x}", u32::from(char));
        } else {
            shown.push(char);
        }
    }
    Cow::Owned(shown)
}

/// Whether a terminal obeys the character where it should show it: a control character, a mark that
/// turns the direction of what follows, or one that ends a line.
pub const fn is_obeyed(char: char) -> bool {
    match char {
        '\n' | '\t' => false,
        '\0'..='\x1f' | '\x7f'..='\u{9f}' => true,
        _ => turns(char),
    }
}

/// Whether the character shows nothing, and changes how its neighbours are arranged (Unicode
/// Standard Annex 9, and the separators of lines and paragraphs).
const fn turns(char: char) -> bool {
    matches!(
        char,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_obey_is_spelt_and_the_rest_stays() {
        assert_eq!(harmless("\x1b]0;x\x07 \r\u{9b}2J"), "\\u001b]0;x\\u0007 \\u000d\\u009b2J");
        assert_eq!(harmless("a\u{202e}b\u{2066}\u{61c}\u{2028}"), "a\\u202eb\\u2066\\u061c\\u2028");
        let plain = "zwei Zeilen\n\tmit \u{fc} \u{4e2d}\u{6587} \u{2500} und \u{1f642}";
        assert!(matches!(harmless(plain), Cow::Borrowed(same) if same == plain));
    }

    #[test]
    fn in_json_the_text_means_the_same() {
        let name = "k\u{7f}\u{202e}\u{9b}";
        let json = serde_json::to_string(name).expect("a string is JSON");
        let shown = harmless(&json);
        assert!(!shown.contains(is_obeyed));
        assert_eq!(serde_json::from_str::<String>(&shown).expect("still JSON"), name);
    }
}
