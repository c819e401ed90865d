//! The TOML of a block: its keys, each with its place in the file.

use super::super::diagnostic::{Diagnostics, UNKNOWN, WRONG_VALUE};
use super::super::document::SpannedText;
use super::words::meant;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{self, Deserialize, DeserializeOwned, Deserializer, Visitor};
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use toml::Spanned;
use toml::de::Error;

/// A text with its place in the TOML.
pub(super) type Text = Spanned<String>;

/// Where a block's TOML stands in its file.
#[derive(Clone, Debug)]
pub(super) struct TomlBody<'a> {
    text: &'a str,
    toml: Range<usize>,
    /// The block's first line, for what is missing.
    line: Range<usize>,
}

/// A list of texts, also a single one; for some keys a table of them.
#[derive(Debug)]
pub(super) enum Texts {
    One(String),
    List(Vec<Text>),
    Table(BTreeMap<Text, Text>),
}

/// A value as the command line has it.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(untagged, expecting = "expected a text, a number, or a list of these")]
pub(super) enum TomlValue {
    Text(String),
    Number(i64),
    Texts(Vec<String>),
    Numbers(Vec<u32>),
}

impl<'a> TomlBody<'a> {
    pub(super) const fn new(text: &'a str, toml: Range<usize>, line: Range<usize>) -> Self {
        Self { text, toml, line }
    }

    /// The keys; complains about the first that is not known, is missing, or has a wrong value.
    pub(super) fn read<T: DeserializeOwned>(&self, out: &mut Diagnostics<'_>) -> Option<T> {
        let read = toml::from_str(self.text.get(self.toml.clone()).unwrap_or_default());
        read.map_err(|error| self.complain(&error, out)).ok()
    }

    /// Reports serde's error; for an unknown key, with advice.
    fn complain(&self, error: &Error, out: &mut Diagnostics<'_>) {
        let span = error.span().unwrap_or_default();
        let span = self.toml.start + span.start..self.toml.start + span.end;
        let message = error.message().lines().collect::<Vec<_>>().join("; ");
        let mut quoted = message.split('`').skip(1).step_by(2);
        let name = quoted.next().unwrap_or_default();
        let known: Vec<_> = quoted.collect();
        if message.starts_with("unknown field") {
            let hint = meant(name, known.iter().copied());
            let hint = hint.or_else(|| Some(format!("the keys are {}", known.join(", "))));
            out.advise(UNKNOWN, span, format!("there is no key `{name}` here"), hint);
        } else if message.starts_with("missing field") {
            out.add(WRONG_VALUE, self.line.clone(), format!("`{name}` is missing"));
        } else if message.starts_with("unknown variant") {
            let hint = meant(name, known.iter().copied());
            out.advise(WRONG_VALUE, span, message.replace("unknown variant", "there is no"), hint);
        } else {
            out.add(WRONG_VALUE, span, message);
        }
    }

    /// Complains that a key is missing.
    pub(super) fn miss(&self, key: &str, what: &str, out: &mut Diagnostics<'_>) {
        out.add(WRONG_VALUE, self.line.clone(), format!("`{key}` is missing: {what}"));
    }

    /// The place of a value in the file.
    pub(super) fn place<T>(&self, value: &Spanned<T>) -> Range<usize> {
        let span = value.span();
        self.toml.start + span.start..self.toml.start + span.end
    }

    /// A text with its place in the file, without its quotes.
    pub(super) fn spot(&self, text: &Text) -> SpannedText {
        self.unquoted(text.get_ref().clone(), self.place(text))
    }

    fn unquoted(&self, text: String, span: Range<usize>) -> SpannedText {
        let raw = self.text.get(span.clone()).unwrap_or_default();
        let long = raw.len() >= 6 && ["\"\"\"", "'''"].iter().any(|quotes| raw.starts_with(quotes));
        let quotes = match raw.starts_with(['"', '\'']) {
            true if long => 3,
            is_quoted => usize::from(is_quoted),
        };
        SpannedText { text, span: span.start + quotes..span.end - quotes }
    }

    /// A list of texts.
    pub(super) fn spots(
        &self,
        texts: Option<&Spanned<Texts>>,
        out: &mut Diagnostics<'_>,
    ) -> Vec<SpannedText> {
        let Some(texts) = texts else { return Vec::new() };
        let place = self.place(texts);
        match texts.get_ref() {
            Texts::One(text) => vec![self.unquoted(text.clone(), place)],
            Texts::List(all) => all.iter().map(|text| self.spot(text)).collect(),
            Texts::Table(_) => {
                out.add(WRONG_VALUE, place, "expected a list of texts in quotes");
                Vec::new()
            }
        }
    }

    /// A table of texts, in the order of the file: each key and its text.
    pub(super) fn rows(&self, table: &BTreeMap<Text, Text>) -> Vec<(SpannedText, SpannedText)> {
        let rows = table.iter().map(|(key, text)| (self.spot(key), self.spot(text)));
        let mut rows: Vec<_> = rows.collect();
        rows.sort_by_key(|(key, _)| key.span.start);
        rows
    }
}

impl TomlValue {
    /// As it is spelt on the command line: a list of numbers with commas. `None` for texts.
    pub(super) fn as_option(&self) -> Option<String> {
        match self {
            Self::Text(text) => Some(text.clone()),
            Self::Number(number) => Some(number.to_string()),
            Self::Numbers(all) => {
                Some(all.iter().map(u32::to_string).collect::<Vec<_>>().join(","))
            }
            Self::Texts(_) => None,
        }
    }
}

/// By hand, since of an untagged enum the places of what is inside are lost.
impl<'de> Deserialize<'de> for Texts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;

        impl<'de> Visitor<'de> for Any {
            type Value = Texts;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of texts in quotes")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Texts, E> {
                Ok(Texts::One(text.to_owned()))
            }

            fn visit_seq<A: de::SeqAccess<'de>>(self, items: A) -> Result<Texts, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(items)).map(Texts::List)
            }

            fn visit_map<A: de::MapAccess<'de>>(self, rows: A) -> Result<Texts, A::Error> {
                BTreeMap::deserialize(MapAccessDeserializer::new(rows)).map(Texts::Table)
            }
        }

        deserializer.deserialize_any(Any)
    }
}
