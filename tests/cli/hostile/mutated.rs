//! Texts that are changed at random places, the same in every run of the tests.

use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any};
use proptest::prop_oneof;
use proptest::sample::select;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;
use std::{env, fs, process, thread};

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

/// Numbers with which a text often means something.
const SMALL: [&str; 8] = ["0", "1", "2", "3", "4", "7", "16", "33"];

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
    /// The line is left out.
    CutLine(u16),
    /// The line is there once more, before another one.
    CopyLine(u16, u16),
    /// The next number is another.
    Number(u16, &'static str),
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
            place().prop_map(Self::CutLine),
            (place(), place()).prop_map(|(from, to)| Self::CopyLine(from, to)),
            (place(), select(&WORDS[..7])).prop_map(|(at, word)| Self::Number(at, word)),
            (place(), select(&SMALL[..])).prop_map(|(at, word)| Self::Number(at, word)),
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
            Self::CutLine(place) => drop(text.drain(line(at(place, text), text))),
            Self::CopyLine(from, to) => {
                let copy = text[line(at(from, text), text)].to_vec();
                let to = line(at(to, text), text).start;
                text.splice(to..to, copy);
            }
            Self::Number(place, word) => {
                let (first, digits) = (at(place, text), |byte: &u8| byte.is_ascii_digit());
                let start =
                    text[first..].iter().position(digits).map_or(text.len(), |at| first + at);
                let len = text[start..].iter().take_while(|byte| digits(byte)).count();
                text.splice(start..start + len, word.bytes());
            }
        }
    }
}

/// The line in which a place is, with its end.
fn line(at: usize, text: &[u8]) -> Range<usize> {
    let ends = |byte: &u8| *byte == b'\n';
    let start = text[..at].iter().rposition(ends).map_or(0, |end| end + 1);
    let end = text[at..].iter().position(ends).map_or(text.len(), |end| at + end + 1);
    start..end
}

/// The address space of the tests, in bytes: a reader that asks for more ends them.
const MOST_MEMORY: u64 = 4 << 30;

/// Only a reader that never ends takes this long for one text.
const PATIENCE: Duration = Duration::from_secs(120);

/// Calls `check` with `times` changed forms of one of the texts, or `MATVIZ_FUZZ` times as many; the
/// number in `MATVIZ_SEED` chooses other changes. A panic fails, with the changes that lead to it. So
/// do a text that takes for ever and one that takes too much memory, which is then in the folder for
/// temporary files of the tests, in a file with the test's name.
pub(crate) fn each(texts: &[String], times: u32, check: impl Fn(&[u8])) {
    let number = |name| env::var(name).ok().and_then(|text| text.parse::<u32>().ok());
    limit_memory();
    let cases = times * number("MATVIZ_FUZZ").unwrap_or(1);
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let seed = number("MATVIZ_SEED").unwrap_or(0).to_le_bytes().repeat(8);
    let random = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
    let mut runner = TestRunner::new_with_rng(config, random);
    let text = (0..texts.len()).prop_flat_map(Just);
    let strategy = (text, vec(Change::any(), 1..5));
    let kept = kept();
    let lives = watch(kept.clone());
    let result = runner.run(&strategy, |(index, changes)| {
        let mut text = texts[index].clone().into_bytes();
        for change in &changes {
            change.apply(&mut text);
        }
        fs::write(&kept, &text).expect("written");
        _ = lives.send(());
        check(&text);
        Ok(())
    });
    assert!(
        result.is_ok(),
        "{}",
        result.map_or_else(|error| error.to_string(), |()| String::new())
    );
}

/// A file for the text that is being read.
fn kept() -> PathBuf {
    let test = thread::current().name().unwrap_or_default().replace("::", ".");
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(test)
}

/// Ends the tests if nobody says for long that the next text is read.
fn watch(kept: PathBuf) -> Sender<()> {
    let (lives, heard) = channel();
    thread::spawn(move || {
        loop {
            match heard.recv_timeout(PATIENCE) {
                Ok(()) => {}
                Err(RecvTimeoutError::Disconnected) => return,
                Err(RecvTimeoutError::Timeout) => {
                    eprintln!("reading {} does not end", kept.display());
                    process::abort();
                }
            }
        }
    });
    lives
}

fn limit_memory() {
    let now = getrlimit(Resource::As);
    let least = now.maximum.map_or(MOST_MEMORY, |most| most.min(MOST_MEMORY));
    setrlimit(Resource::As, Rlimit { current: Some(least), ..now })
        .expect("less is always allowed");
}
