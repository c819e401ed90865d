//! A source whose kernels have the sizes of their matrices compiled in, made for other sizes.

use super::item::{Item, ItemKind, has_word, is_kernel};
use super::value::{places, split, until_end};
use super::{CudaFile, FilePart};
use crate::source::CudaSource;
use std::ops::Range;

/// A source made for a size, and what was changed in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FittedSource {
    /// The source; every line keeps its number.
    pub text: String,
    /// Those of its headers that were changed, by the names that include them.
    pub headers: Vec<(String, String)>,
    pub changes: Vec<ChangedConstant>,
}

/// A constant that has another value now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedConstant {
    pub name: String,
    /// Its value in the file.
    pub from: i64,
    /// Its value now.
    pub to: i64,
    /// The header that defines it; empty for the source itself.
    pub header: String,
    pub line: u32,
}

impl CudaFile {
    /// The source with the value `size` gives for the constants by which its kernels multiply
    /// matrices of a fixed size: those that are three pointers and nothing else. `size` is given the
    /// name and the value. `None` if there is nothing to change.
    pub fn fitted(&self, size: &dyn Fn(&str, i64) -> Option<i64>) -> Option<FittedSource> {
        let constants = self.constants();
        let mut fitted = FittedSource::default();
        for (at, part) in self.parts.iter().enumerate() {
            let wanted = constants.iter().filter_map(|(name, from)| {
                let to = size(name, *from).filter(|to| to != from && self.is_a_side(name))?;
                let span = definition(part, name)?;
                let line = 1 + part.plain[..span.start].matches('\n').count() as u32;
                let header = part.name.clone();
                Some((span, ChangedConstant { name: name.clone(), from: *from, to, header, line }))
            });
            let mut wanted: Vec<_> = wanted.collect();
            wanted.sort_by_key(|(span, _)| span.start);
            let mut text = part.source.clone();
            for (span, change) in wanted.iter().rev() {
                text.replace_range(span.clone(), &change.to.to_string());
            }
            match at {
                0 => fitted.text = text,
                _ if !wanted.is_empty() => fitted.headers.push((part.name.clone(), text)),
                _ => {}
            }
            fitted.changes.extend(wanted.into_iter().map(|(_, change)| change));
        }
        (!fitted.changes.is_empty()).then_some(fitted)
    }

    /// Whether a name is one that kernels of three matrices alone compute with, and that is the
    /// extent of no array.
    fn is_a_side(&self, name: &str) -> bool {
        let used = self.used(&[]);
        let all = self.parts.iter().zip(&used.items);
        let all =
            all.flat_map(|(part, used)| part.items.iter().zip(used).map(move |one| (part, one)));
        let used =
            all.filter(|(_, (_, used))| **used).map(|(part, (item, _))| (part.text(item), item));
        let used: Vec<_> = used.collect();
        let is_extent = |text: &str| CudaSource::read(text).is_extent_of_shared(name);
        let kernels =
            used.iter().filter(|(text, item)| item.kind == ItemKind::Function && is_kernel(text));
        let mut kernels = kernels.filter(|(text, _)| has_word(text, name)).peekable();
        kernels.peek().is_some()
            && kernels.all(|(text, item)| multiplies(text, item))
            && !used.iter().any(|(text, _)| is_extent(text))
    }
}

/// Whether a kernel takes three pointers and nothing else.
fn multiplies(text: &str, kernel: &Item) -> bool {
    let Some(list) = super::launch::list(text, kernel) else { return false };
    let mut parameters = split(&list[1..list.len() - 1]);
    let is_pointer = |one: &str| one.contains('*') || one.contains('[');
    parameters.clone().count() == 3 && parameters.all(is_pointer)
}

/// Where the value stands that the file gives to a constant, if it does so once.
fn definition(part: &FilePart, name: &str) -> Option<Range<usize>> {
    let is_it = |item: &&Item| {
        matches!(item.kind, ItemKind::Directive | ItemKind::Other) && item.declares(name)
    };
    let mut found = part.items.iter().filter(is_it);
    let item = found.next().filter(|_| found.next().is_none())?;
    let text = part.text(item);
    let at = places(text, name).next()? + name.len();
    let rest = &text[at..];
    let value = match item.kind {
        ItemKind::Directive => Some(rest).filter(|rest| rest.starts_with([' ', '\t'])),
        _ => rest.trim_start().strip_prefix('=').map(until_end),
    };
    let value = value?.trim();
    let start = item.span.start + at + rest.find(value)?;
    let is_one_line = !value.is_empty() && !value.contains('\n');
    is_one_line.then(|| start..start + value.len())
}
