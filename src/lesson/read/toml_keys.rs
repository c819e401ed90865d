//! The keys of a block's TOML, each with its place in the file.

use super::super::complaint::{Complaints, UNKNOWN, WRONG_VALUE};
use super::super::document::Spot;
use super::words::{meant, one_of};
use std::ops::{Range, RangeInclusive};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A TOML value with its place in the TOML.
pub(super) type Value<'a> = Spanned<DeValue<'a>>;

/// The table of a block.
#[derive(Debug)]
pub(super) struct Keys<'a> {
    text: &'a str,
    table: DeTable<'a>,
    /// Where the TOML begins in the file, in bytes.
    at: usize,
    /// Whether it is no TOML: then what is missing is no news.
    broken: bool,
    /// Where the block stands, for what is missing.
    block: Range<usize>,
}

impl<'a> Keys<'a> {
    /// Reads the TOML at `body`; complains about what is no TOML and about keys that are not known.
    pub(super) fn read(
        text: &'a str,
        body: Range<usize>,
        block: Range<usize>,
        known: &[&str],
        out: &mut Complaints<'_>,
    ) -> Self {
        let at = body.start;
        let (table, errors) = DeTable::parse_recoverable(&text[body]);
        if let Some(error) = errors.first() {
            let span = error.span().unwrap_or(0..0);
            let message = error.message().lines().collect::<Vec<_>>().join("; ");
            out.add(WRONG_VALUE, at + span.start..at + span.end, message);
        }
        let (table, broken) = (table.into_inner(), !errors.is_empty());
        let keys = Self { text, table, at, broken, block };
        for key in keys.table.keys().filter(|key| !known.contains(&key.get_ref().as_ref())) {
            let told = format!("there is no key `{}` here", key.get_ref());
            let hint = meant(key.get_ref(), known.iter().copied());
            let hint = hint.or_else(|| Some(format!("the keys are {}", known.join(", "))));
            out.advise(UNKNOWN, keys.place(&key.span()), told, hint);
        }
        keys
    }

    /// The place in the file of a place in the TOML.
    pub(super) fn place(&self, span: &Range<usize>) -> Range<usize> {
        self.at + span.start..self.at + span.end
    }

    pub(super) fn value(&self, key: &str) -> Option<&Value<'a>> {
        self.table.get(key)
    }

    /// The place of a key's value, otherwise that of the block.
    pub(super) fn place_of(&self, key: &str) -> Range<usize> {
        self.value(key).map_or_else(|| self.block.clone(), |value| self.place(&value.span()))
    }

    /// Complains that a value is not `wanted`.
    pub(super) fn refuse(
        &self,
        key: &str,
        value: &Value<'_>,
        wanted: &str,
        out: &mut Complaints<'_>,
    ) {
        let told = format!("`{key}` must be {wanted}, not {}", kind_of(value.get_ref()));
        out.add(WRONG_VALUE, self.place(&value.span()), told);
    }

    /// Complains that a key is missing.
    pub(super) fn miss(&self, key: &str, what: &str, out: &mut Complaints<'_>) {
        if !self.broken {
            out.add(WRONG_VALUE, self.block.clone(), format!("`{key}` is missing: {what}"));
        }
    }

    pub(super) fn text(&self, key: &str, out: &mut Complaints<'_>) -> Option<Spot> {
        let value = self.value(key)?;
        let spot = self.spot(value);
        if spot.is_none() {
            self.refuse(key, value, "a text in quotes", out);
        }
        spot
    }

    /// A text that must be there.
    pub(super) fn needed(&self, key: &str, what: &str, out: &mut Complaints<'_>) -> Option<Spot> {
        if self.value(key).is_none() {
            self.miss(key, what, out);
        }
        let spot = self.text(key, out)?;
        if spot.text.trim().is_empty() {
            out.add(WRONG_VALUE, self.place_of(key), format!("`{key}` is empty: {what}"));
            return None;
        }
        Some(spot)
    }

    /// A text that is one of some words.
    pub(super) fn word(&self, key: &str, words: &[&str], out: &mut Complaints<'_>) -> Option<Spot> {
        let spot = self.text(key, out)?;
        if words.contains(&&*spot.text) {
            return Some(spot);
        }
        let told = format!("`{key}` must be {}", one_of(words.iter().copied()));
        out.advise(WRONG_VALUE, spot.span, told, meant(&spot.text, words.iter().copied()));
        None
    }

    /// A list of texts; also a single one.
    pub(super) fn texts(&self, key: &str, out: &mut Complaints<'_>) -> Vec<Spot> {
        let Some(value) = self.value(key) else { return Vec::new() };
        let spots = match value.get_ref() {
            DeValue::Array(items) => items.iter().map(|item| self.spot(item)).collect(),
            _ => self.spot(value).map(|spot| vec![spot]),
        };
        spots.unwrap_or_else(|| {
            self.refuse(key, value, "a list of texts in quotes", out);
            Vec::new()
        })
    }

    /// A table of texts, in the order of the file: each key and its text.
    pub(super) fn table(&self, key: &str, out: &mut Complaints<'_>) -> Vec<(Spot, Spot)> {
        let Some(value) = self.value(key) else { return Vec::new() };
        let DeValue::Table(table) = value.get_ref() else {
            self.refuse(key, value, "a table of texts, { a = \"...\", b = \"...\" }", out);
            return Vec::new();
        };
        let mut rows = Vec::new();
        for (name, value) in table {
            let span = self.place(&name.span());
            let name = Spot { text: name.get_ref().to_string(), span };
            match self.spot(value) {
                Some(spot) => rows.push((name, spot)),
                None => self.refuse(&name.text, value, "a text in quotes", out),
            }
        }
        rows.sort_by_key(|(name, _)| name.span.start);
        rows
    }

    /// A whole number in a range.
    pub(super) fn number(
        &self,
        key: &str,
        range: RangeInclusive<u32>,
        out: &mut Complaints<'_>,
    ) -> Option<u32> {
        let value = self.value(key)?;
        let number = whole(value.get_ref()).filter(|number| range.contains(number));
        if number.is_none() {
            let wanted = format!("a whole number from {} to {}", range.start(), range.end());
            self.refuse(key, value, &wanted, out);
        }
        number
    }

    /// Whether something is so.
    pub(super) fn flag(&self, key: &str, out: &mut Complaints<'_>) -> Option<bool> {
        let value = self.value(key)?;
        let flag = value.get_ref().as_bool();
        if flag.is_none() {
            self.refuse(key, value, "true or false", out);
        }
        flag
    }

    /// A text without its quotes.
    pub(super) fn spot(&self, value: &Value<'_>) -> Option<Spot> {
        let text = value.get_ref().as_str()?.to_owned();
        let span = self.place(&value.span());
        let raw = self.text.get(span.clone()).unwrap_or_default();
        let long = raw.len() >= 6 && ["\"\"\"", "'''"].iter().any(|quotes| raw.starts_with(quotes));
        let quotes = if long { 3 } else { raw.len().min(2) / 2 };
        Some(Spot { text, span: span.start + quotes..span.end - quotes })
    }
}

/// A value as the command line has it: a text as it stands, a number in digits, a list of numbers
/// with commas.
pub(super) fn spelt(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(number) => Some(number.to_string()),
        DeValue::Array(items) => {
            let items: Option<Vec<_>> =
                items.iter().map(|item| whole(item.get_ref()).map(|n| n.to_string())).collect();
            items.map(|items| items.join(","))
        }
        _ => None,
    }
}

/// A whole number that is not negative.
fn whole(value: &DeValue<'_>) -> Option<u32> {
    let number = value.as_integer()?;
    u32::from_str_radix(number.as_str(), number.radix()).ok()
}

fn kind_of(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(_) => "a text".to_owned(),
        DeValue::Integer(number) => number.to_string(),
        DeValue::Float(number) => number.as_str().to_owned(),
        DeValue::Boolean(flag) => flag.to_string(),
        DeValue::Datetime(_) => "a date".to_owned(),
        DeValue::Array(_) => "a list".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
    }
}
