//! Gathers what is wrong in several variants, so that it is said once.

use crate::lesson::diagnostic::{Diagnostic, SAYS_NOTHING};
use crate::lesson::document::Lesson;
use crate::lesson::setting::{BlockChoice, Setting};
use std::ops::Range;

/// What was found, each with the variants in which it is so.
#[derive(Default)]
pub(super) struct EachVariant {
    found: Vec<(VariantError, Vec<String>)>,
}

/// Something that is wrong in a variant.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct VariantError {
    pub code: &'static str,
    pub span: Range<usize>,
    pub message: String,
    pub warning: bool,
}

impl EachVariant {
    /// Something is wrong in a variant, which is one of several if it has a name.
    pub(super) fn add(&mut self, wrong: VariantError, variant: String) {
        match self.found.iter_mut().find(|(other, _)| *other == wrong) {
            Some((_, variants)) if variants.contains(&variant) => {}
            Some((_, variants)) => variants.push(variant),
            None => self.found.push((wrong, vec![variant])),
        }
    }

    /// Whether something is wrong, other than ideas that say nothing wrong.
    pub(super) fn is_broken(&self) -> bool {
        self.found.iter().any(|(wrong, _)| !wrong.warning && wrong.code != SAYS_NOTHING)
    }

    /// All that is wrong in a lesson.
    pub(super) fn complaints(&self, lesson: &Lesson) -> Vec<Diagnostic> {
        self.found.iter().map(|(wrong, variants)| complaint(lesson, wrong, variants)).collect()
    }
}

fn complaint(lesson: &Lesson, wrong: &VariantError, variants: &[String]) -> Diagnostic {
    let first = variants.first().map_or("", String::as_str);
    let message = match (first, variants.len()) {
        ("", _) => wrong.message.clone(),
        (first, 1) => format!("{} ({first})", wrong.message),
        (first, count) => format!("{} ({first}, and {} more)", wrong.message, count - 1),
    };
    let told = Diagnostic::at(wrong.code, &lesson.file, &lesson.text, wrong.span.clone(), message);
    if wrong.warning { told.warning() } else { told }
}

/// A part of a setting: its name, and how it is spelt.
type Part = (&'static str, fn(&Setting) -> String);

/// What tells a variant from the others: `tile 8, warp 1`; empty if it is the only one.
pub(super) fn name_of(setting: &Setting, all: &[Setting]) -> String {
    let [first, rest @ ..] = all else { return String::new() };
    let parts: [Part; 6] = [
        ("size", |setting| setting.size.to_string()),
        ("tile", |setting| setting.tile.map_or_else(String::new, |tile| tile.to_string())),
        ("warp", |setting| setting.warp.map_or_else(String::new, |warp| warp.to_string())),
        ("block", |setting| match setting.block {
            BlockChoice::At(block) => format!("{},{}", block.x, block.y),
            other => format!("{other:?}").to_lowercase(),
        }),
        ("change", |setting| setting.changes.join(" + ")),
        ("order", |setting| setting.order.as_ref().map_or_else(String::new, ToString::to_string)),
    ];
    let differs = |of: fn(&Setting) -> String| rest.iter().any(|other| of(other) != of(first));
    let told = parts.into_iter().filter(|(_, of)| differs(*of));
    let told = told.map(|(what, of)| match of(setting) {
        value if value.is_empty() => format!("no {what}"),
        value => format!("{what} {value}"),
    });
    told.collect::<Vec<_>>().join(", ")
}
