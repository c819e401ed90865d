//! The blocks of a lesson: five verbs and their keys.

use super::super::complaint::{Complaints, OUT_OF_PLACE, UNKNOWN, WRONG_VALUE};
use super::super::document::Spot;
use super::toml_keys::Keys;
use super::words::{meant, one_of};
use std::ops::Range;

/// What a block does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verb {
    /// Says what the lesson is.
    Lesson,
    /// Brings the stage to a place.
    Scene,
    Ask,
    /// Breaks the kernel.
    Change,
    /// Gives a kernel with dials.
    Dials,
}

/// Whether a block has a name after its verb.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Name {
    Never,
    Perhaps,
    Always,
}

/// A verb, as it is written.
struct Row {
    verb: Verb,
    word: &'static str,
    name: Name,
    keys: &'static [&'static str],
}

const VERBS: &[Row] = &[
    Row {
        verb: Verb::Lesson,
        word: "lesson",
        name: Name::Never,
        keys: &["id", "minutes", "needs", "models", "of"],
    },
    Row {
        verb: Verb::Scene,
        word: "scene",
        name: Name::Perhaps,
        keys: &[
            "kernel", "tile", "size", "grid", "threads", "args", "order", "unroll", "define",
            "change", "block", "warp", "at", "look", "listing", "beside", "measure", "vary",
        ],
    },
    Row {
        verb: Verb::Ask,
        word: "ask",
        name: Name::Always,
        keys: &[
            "want", "kind", "wrong", "options", "of", "within", "unit", "insert", "all", "tries",
            "show",
        ],
    },
    Row {
        verb: Verb::Change,
        word: "change",
        name: Name::Perhaps,
        keys: &["of", "sizes", "ask", "prove", "undo"],
    },
    Row {
        verb: Verb::Dials,
        word: "dials",
        name: Name::Perhaps,
        keys: &["kernel", "sizes", "goal"],
    },
];

#[derive(Debug)]
pub(super) struct Block<'a> {
    pub verb: Verb,
    /// The name after its verb.
    pub name: Option<Spot>,
    pub keys: Keys<'a>,
    /// Its first line, for messages.
    pub line: Range<usize>,
    /// Its place in the file, in bytes.
    pub span: Range<usize>,
}

impl<'a> Block<'a> {
    /// Reads the block with this first line and body; `None` if its verb is not known.
    pub(super) fn read(
        text: &'a str,
        info: Range<usize>,
        body: Range<usize>,
        span: Range<usize>,
        out: &mut Complaints<'_>,
    ) -> Option<Self> {
        let line = span.start..info.end;
        let words = words(text, &info);
        let Some(verb) = words.first() else {
            let told = format!("a `matviz` block has a verb: {}", one_of(verbs()));
            out.add(OUT_OF_PLACE, line, told);
            return None;
        };
        let Some(row) = VERBS.iter().find(|row| row.word == verb.text) else {
            let told = format!("there is no verb `{}`", verb.text);
            let hint = meant(&verb.text, verbs());
            let hint = hint.or_else(|| Some(format!("the verbs are {}", one_of(verbs()))));
            out.advise(UNKNOWN, verb.span.clone(), told, hint);
            return None;
        };
        let name = words.get(1).cloned().filter(|name| is_id(name, out));
        match (row.name, words.as_slice()) {
            (Name::Always, [_]) => {
                let told = format!("this block has a name: ```matviz {} NAME", row.word);
                out.add(OUT_OF_PLACE, line.clone(), told);
            }
            (Name::Never, [_, more, ..]) | (_, [_, _, more, ..]) => {
                out.add(OUT_OF_PLACE, more.span.clone(), "nothing stands here");
            }
            _ => {}
        }
        let keys = Keys::read(text, body, line.clone(), row.keys, out);
        Some(Self { verb: row.verb, name, keys, line, span })
    }
}

fn verbs() -> impl Iterator<Item = &'static str> {
    VERBS.iter().map(|row| row.word)
}

/// The words of a part of the file.
fn words(text: &str, range: &Range<usize>) -> Vec<Spot> {
    let mut at = range.start;
    let mut words = Vec::new();
    for word in text[range.clone()].split_inclusive(char::is_whitespace) {
        let text = word.trim_end().to_owned();
        if !text.is_empty() {
            words.push(Spot { span: at..at + text.len(), text });
        }
        at += word.len();
    }
    words
}

/// Whether a name is one: 1 to 32 of a-z, 0-9 and `-`; complains if not.
pub(super) fn is_id(name: &Spot, out: &mut Complaints<'_>) -> bool {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let fine = (1..=32).contains(&name.text.len()) && name.text.chars().all(fits);
    if !fine {
        let told = "a name has 1 to 32 letters of a-z, digits and `-`";
        out.add(WRONG_VALUE, name.span.clone(), told);
    }
    fine
}
