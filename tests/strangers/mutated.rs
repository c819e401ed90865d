//! Texts that are changed at random places, the same in every run of the tests.

use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any};
use proptest::prop_oneof;
use proptest::sample::select;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::env;

/// What is put into a text: numbers that overflow, ends of strings, brackets, marks.
const WORDS: [&str; 24] = [
    "0",
    "-1",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "1e308",
    "1e-300",
    "nan",
    "\"",
    "'",
    "{",
    "}",
    "[",
    "]",
    "((((((((",
    "\\",
    "\0",
    "\u{1b}[2J",
    "\u{202e}",
    "\u{fffd}",
    "\r\n",
    "#",
    "```",
    "/*",
];

/// A change of a text. Places are parts of its length, out of 65,536.
#[derive(Clone, Debug)]
enum Change {
    /// So many bytes are left out.
    Cut(u16, u8),
    /// So many bytes are there twice.
    Double(u16, u8),
    /// A word is put in.
    Put(u16, &'static str),
    /// A byte is another.
    Byte(u16, u8),
    /// The text ends here.
    End(u16),
    /// So many bytes of another place are put in.
    Splice(u16, u16, u8),
}

impl Change {
    fn any() -> impl Strategy<Value = Self> {
        let place = any::<u16>;
        prop_oneof![
            (place(), any::<u8>()).prop_map(|(at, len)| Self::Cut(at, len)),
            (place(), any::<u8>()).prop_map(|(at, len)| Self::Double(at, len)),
            (place(), select(&WORDS[..])).prop_map(|(at, word)| Self::Put(at, word)),
            (place(), select(&WORDS[..])).prop_map(|(at, word)| Self::Put(at, word)),
            (place(), any::<u8>()).prop_map(|(at, byte)| Self::Byte(at, byte)),
            place().prop_map(Self::End),
            (place(), place(), any::<u8>()).prop_map(|(at, from, len)| Self::Splice(at, from, len)),
        ]
    }

    fn apply(&self, text: &mut Vec<u8>) {
        let at = |place: u16, text: &[u8]| usize::from(place) * text.len() / (1 << 16);
        let part = |place: u16, len: u8, text: &[u8]| {
            let start = at(place, text);
            start..(start + usize::from(len)).min(text.len())
        };
        match *self {
            Self::Cut(place, len) => drop(text.drain(part(place, len, text))),
            Self::Double(place, len) => {
                let range = part(place, len, text);
                let copy = text[range.clone()].to_vec();
                text.splice(range.end..range.end, copy);
            }
            Self::Put(place, word) => {
                let at = at(place, text);
                text.splice(at..at, word.bytes());
            }
            Self::Byte(place, byte) => {
                let at = at(place, text);
                if let Some(found) = text.get_mut(at) {
                    *found = byte;
                }
            }
            Self::End(place) => text.truncate(at(place, text)),
            Self::Splice(place, from, len) => {
                let copy = text[part(from, len, text)].to_vec();
                let at = at(place, text);
                text.splice(at..at, copy);
            }
        }
    }
}

/// Calls `check` with `times` changed forms of one of the texts, or `MATVIZ_FUZZ` times as many. A
/// panic fails, with the changes that lead to it.
pub(crate) fn each(texts: &[String], times: u32, check: impl Fn(&[u8])) {
    let more = env::var("MATVIZ_FUZZ").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    let config = Config { cases: times * more, failure_persistence: None, ..Config::default() };
    let mut runner =
        TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let text = (0..texts.len()).prop_flat_map(Just);
    let strategy = (text, vec(Change::any(), 1..5));
    let result = runner.run(&strategy, |(index, changes)| {
        let mut text = texts[index].clone().into_bytes();
        for change in &changes {
            change.apply(&mut text);
        }
        check(&text);
        Ok(())
    });
    assert!(
        result.is_ok(),
        "{}",
        result.map_or_else(|error| error.to_string(), |()| String::new())
    );
}
