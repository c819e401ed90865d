//! Tensor maps that host code encodes with `cuTensorMapEncodeTiled`, directly or in a function.

use super::item::{ItemKind, closed, named, words};
use super::value::{HostValue, NameScope, places, split};

/// What the driver is told of a two-dimensional tensor map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostTensorMap {
    /// The name of the pointer to the matrix, in the function that launches the kernel.
    pub matrix: String,
    /// The constant that names the type of the elements: `CU_TENSOR_MAP_DATA_TYPE_BFLOAT16`.
    pub of: String,
    /// Elements of a row, and rows.
    pub extents: Option<[i64; 2]>,
    /// Elements of a row of a box, and its rows.
    pub boxes: [i64; 2],
    /// The constant that names the swizzle: `CU_TENSOR_MAP_SWIZZLE_128B`.
    pub swizzle: String,
}

/// How many functions may call one another on the way to the driver.
const DEEPEST: u32 = 4;

/// Names, and what the caller passed for them.
type Passed = Vec<(String, String)>;

impl NameScope<'_> {
    /// The map that a launch passes as `arg`, by value or as a pointer.
    pub(super) fn tensor_map(&self, arg: &str) -> Option<HostTensorMap> {
        let name = words(arg.trim_start_matches(['&', '*'])).next()?;
        let made = |at: usize| {
            let (before, rest) = (&self.before[..at], self.before[at + name.len()..].trim_start());
            let scope = NameScope { before, ..*self };
            if let Some(value) = rest.strip_prefix('=').filter(|rest| !rest.starts_with('=')) {
                return scope.called(value.trim_start(), &Passed::new(), DEEPEST);
            }
            // `encode(&map, ...)`: back to the call around it.
            let open = before.trim_end().strip_suffix('&')?.trim_end().strip_suffix('(')?.len();
            scope.called(&self.before[callee(&self.before[..open])..], &Passed::new(), DEEPEST)
        };
        let places: Vec<_> = places(self.before, name).collect();
        places.into_iter().rev().find_map(made)
    }

    /// The map that the call at the beginning of a text makes.
    fn called(&self, text: &str, passed: &Passed, depth: u32) -> Option<HostTensorMap> {
        let (name, template, args) = call(text)?;
        if let Some(map) = self.encoded(&args, passed) {
            return Some(map);
        }
        let function = self.file.text_of(name, ItemKind::Function, self.space)?;
        let (parameters, own, body) = parts(function)?;
        let given: Vec<_> = parameters
            .zip(template.into_iter().flat_map(split))
            .chain(own.iter().copied().zip(args.iter().copied()))
            .filter_map(|(name, text)| Some((name.to_owned(), self.value(text)?)))
            .collect();
        let handed = |(name, text): (&&str, &&str)| ((*name).to_owned(), self.origin(text, passed));
        let handed: Passed = own.iter().zip(&args).map(handed).collect();
        let next = depth.checked_sub(1)?;
        let inside = |open: usize| {
            let start = callee(&body[..open]);
            let scope = NameScope { before: &body[..start], given: &given, ..*self };
            scope.called(&body[start..], &handed, next)
        };
        body.match_indices('(').find_map(|(open, _)| inside(open))
    }

    /// The map that these arguments describe, if they are those of the driver's function, by
    /// whatever name the host calls it.
    fn encoded(&self, args: &[&str], passed: &Passed) -> Option<HostTensorMap> {
        let [_, of, rank, address, extents, _, boxes, _, interleave, swizzle, ..] = args[..] else {
            return None;
        };
        let is_it = interleave.contains("CU_TENSOR_MAP_INTERLEAVE");
        if !is_it || self.value(rank) != Some(HostValue::Int(2)) {
            return None;
        }
        Some(HostTensorMap {
            matrix: self.origin(address, passed),
            of: self.origin(of, passed),
            extents: self.pair(extents),
            boxes: self.pair(boxes)?,
            swizzle: self.origin(swizzle, passed),
        })
    }

    /// The first two elements of an array by its name.
    fn pair(&self, name: &str) -> Option<[i64; 2]> {
        let list = |at: usize| {
            let rest = &self.before[at + name.len()..];
            let open = rest.find('{').filter(|open| !rest[..*open].contains([';', '(', ',']))?;
            Some((at, &rest[open + 1..closed(rest, open)? - 1]))
        };
        let (at, list) = places(self.before, name).filter_map(list).last()?;
        let scope = NameScope { before: &self.before[..at], ..*self };
        let int = |text| match scope.value(text)? {
            HostValue::Int(value) => Some(value),
            HostValue::Float(_) | HostValue::Shape(_) => None,
        };
        let mut both = split(list).map(int);
        Some([both.next()??, both.next()??])
    }

    /// Where a value comes from: the last name before it that has no other origin.
    fn origin(&self, text: &str, passed: &Passed) -> String {
        let name = words(text).last().unwrap_or("");
        let set = |at: usize| {
            let value = self.before[at + name.len()..].trim_start().strip_prefix('=')?;
            value.split(';').next().filter(|value| !value.starts_with('='))
        };
        let set = places(self.before, name).filter_map(set).last();
        // `void* address = (void*)p;`
        let inner = set.and_then(|value| words(value).last()).filter(|inner| *inner != name);
        let name = inner.unwrap_or(name);
        let from_caller = passed.iter().find(|(own, _)| own == name).map(|(_, origin)| origin);
        from_caller.cloned().unwrap_or_else(|| name.to_owned())
    }
}

/// Where the name of a call, with the arguments of its template, begins before its bracket.
fn callee(before: &str) -> usize {
    let start = |(name, _): (&str, _)| name.as_ptr() as usize - before.as_ptr() as usize;
    named(before).map_or(before.len(), start)
}

/// Reads `name<template>(args)` at the beginning of a text.
fn call(text: &str) -> Option<(&str, Option<&str>, Vec<&str>)> {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && !matches!(c, '_' | ':'))?;
    let (name, mut rest) = (text[..end].rsplit("::").next()?, text[end..].trim_start());
    let mut template = None;
    if rest.starts_with('<') {
        let end = closed(rest, 0)?;
        template = Some(&rest[1..end - 1]);
        rest = rest[end..].trim_start();
    }
    let end = closed(rest, 0).filter(|_| rest.starts_with('('))?;
    (!name.is_empty()).then(|| (name, template, split(&rest[1..end - 1]).collect()))
}

/// The names of a function's template parameters and of its parameters, and its body.
fn parts(text: &str) -> Option<(impl Iterator<Item = &str>, Vec<&str>, &str)> {
    let opens = text.trim_start().starts_with("template").then(|| text.find('<')).flatten();
    let (list, rest) = match opens {
        Some(open) => {
            let end = closed(text, open)?;
            (&text[open + 1..end - 1], &text[end..])
        }
        None => ("", text),
    };
    let open = rest.find('(')?;
    let end = closed(rest, open)?;
    let own = split(&rest[open + 1..end - 1]).map(declared).collect();
    Some((split(list).map(declared), own, &rest[end..]))
}

fn declared(parameter: &str) -> &str {
    words(parameter.split('=').next().unwrap_or("")).last().unwrap_or("")
}
