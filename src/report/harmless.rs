//! Text of files that others wrote, made harmless for a terminal.
//!
//! A kernel's name, a comment or a compiler's log may hold escape sequences, which move the cursor,
//! set the title or answer in the user's place, and marks that turn the order of the characters. They
//! are shown as `\u001b`, which in JSON means the same character.

use super::number::grouped;
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

/// The most characters of a line of a message.
const LONGEST: usize = 1000;

/// The text with the end of each line left out that no screen has room for: a name in a file may have
/// any length.
pub fn shortened(text: &str) -> Cow<'_, str> {
    if text.lines().all(|line| line.len() <= LONGEST) {
        return Cow::Borrowed(text);
    }
    let short = |line: &str| match line.char_indices().nth(LONGEST) {
        None => line.to_owned(),
        Some((end, _)) => {
            let more = grouped(line[end..].trim_end().chars().count() as u64);
            let ends = if line.ends_with('\n') { "\n" } else { "" };
            format!("{}... ({more} characters more){ends}", &line[..end])
        }
    };
    Cow::Owned(text.split_inclusive('\n').map(short).collect())
}

/// Whether a terminal obeys the character where it should show it: a control character, a mark that
/// turns the direction of what follows, or one that ends a line. Also what is no character, which a
/// file of XML may not hold.
pub const fn is_obeyed(char: char) -> bool {
    match char {
        '\n' | '\t' => false,
        '\0'..='\x1f' | '\x7f'..='\u{9f}' | '\u{fffe}' | '\u{ffff}' => true,
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
    fn a_line_that_no_screen_has_room_for_is_cut_and_the_others_stay() {
        let long = format!("short\n{}\nlast", "\u{fc}".repeat(4000));
        let lines = shortened(&long);
        let lines: Vec<_> = lines.lines().collect();
        assert_eq!((lines[0], lines[2]), ("short", "last"));
        let end = lines[1].trim_start_matches('\u{fc}');
        assert_eq!(end, "... (3,000 characters more)");
        assert!(matches!(shortened("as it is\n"), Cow::Borrowed("as it is\n")));
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
