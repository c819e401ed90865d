//! The blocks of a lesson: five verbs and their keys.

use super::super::diagnostic::{Diagnostics, OUT_OF_PLACE, UNKNOWN, WRONG_VALUE};
use super::super::document::SpannedText;
use super::keys::TomlBody;
use super::words::{meant, one_of};
use std::ops::Range;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verb {
    /// Says what the lesson is.
    Lesson,
    /// Brings the picture to a place.
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

/// The verbs as they are written.
const VERBS: [(Verb, &str, Name); 5] = [
    (Verb::Lesson, "lesson", Name::Never),
    (Verb::Scene, "scene", Name::Perhaps),
    (Verb::Ask, "ask", Name::Always),
    (Verb::Change, "change", Name::Perhaps),
    (Verb::Dials, "dials", Name::Perhaps),
];

#[derive(Debug)]
pub(super) struct FencedBlock<'a> {
    pub verb: Verb,
    /// The name after its verb.
    pub name: Option<SpannedText>,
    pub body: TomlBody<'a>,
    /// Its first line, for messages.
    pub line: Range<usize>,
    /// Its place in the file, in bytes.
    pub span: Range<usize>,
}

impl<'a> FencedBlock<'a> {
    /// Reads the block with this first line and body; `None` if its verb is not known.
    pub(super) fn read(
        text: &'a str,
        info: Range<usize>,
        body: Range<usize>,
        span: Range<usize>,
        out: &mut Diagnostics<'_>,
    ) -> Option<Self> {
        let line = span.start..info.end;
        let words = words(text, &info);
        let Some(verb) = words.first() else {
            let told = format!("a `matviz` block has a verb: {}", one_of(verbs()));
            out.add(OUT_OF_PLACE, line, told);
            return None;
        };
        let Some((which, word, named)) = VERBS.into_iter().find(|row| row.1 == verb.text) else {
            let told = format!("there is no verb `{}`", verb.text);
            let hint = meant(&verb.text, verbs());
            let hint = hint.or_else(|| Some(format!("the verbs are {}", one_of(verbs()))));
            out.advise(UNKNOWN, verb.span.clone(), told, hint);
            return None;
        };
        let name = words.get(1).cloned().filter(|name| is_id(name, out));
        match (named, words.as_slice()) {
            (Name::Always, [_]) => {
                let told = format!("this block has a name: ```matviz {word} NAME");
                out.add(OUT_OF_PLACE, line.clone(), told);
            }
            (Name::Never, [_, more, ..]) | (_, [_, _, more, ..]) => {
                out.add(OUT_OF_PLACE, more.span.clone(), "nothing stands here");
            }
            _ => {}
        }
        let body = TomlBody::new(text, body, line.clone());
        Some(Self { verb: which, name, body, line, span })
    }
}

fn verbs() -> impl Iterator<Item = &'static str> {
    VERBS.into_iter().map(|(_, word, _)| word)
}

/// The words of a part of the file.
fn words(text: &str, range: &Range<usize>) -> Vec<SpannedText> {
    let mut at = range.start;
    let mut words = Vec::new();
    for word in text[range.clone()].split_inclusive(char::is_whitespace) {
        let text = word.trim_end().to_owned();
        if !text.is_empty() {
            words.push(SpannedText { span: at..at + text.len(), text });
        }
        at += word.len();
    }
    words
}

/// Whether a name is one: 1 to 32 of a-z, 0-9 and `-`; complains if not.
pub(super) fn is_id(name: &SpannedText, out: &mut Diagnostics<'_>) -> bool {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let fine = (1..=32).contains(&name.text.len()) && name.text.chars().all(fits);
    if !fine {
        let told = "a name has 1 to 32 letters of a-z, digits and `-`";
        out.add(WRONG_VALUE, name.span.clone(), told);
    }
    fine
}
