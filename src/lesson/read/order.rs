//! `course.toml`: the groups, and the order of the lessons.

use super::super::diagnostic::{Diagnostic, Diagnostics, NOT_THERE, OUT_OF_PLACE, TWICE};
use super::super::document::{LessonGroup, SpannedText};
use super::block::is_id;
use super::keys::{Text, TomlBody};
use super::words::meant;

pub(super) const FILE: &str = "course.toml";

#[derive(Default, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct OrderKeys {
    #[serde(default)]
    group: Vec<GroupKeys>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct GroupKeys {
    id: Text,
    lessons: Vec<Text>,
}

/// Reads the groups; complains about those that name a lesson which is not among `lessons`, and
/// about lessons in no group.
pub(super) fn read(
    file: &str,
    text: &str,
    lessons: &[&str],
) -> (Vec<LessonGroup>, Vec<Diagnostic>) {
    let mut out = Diagnostics::new(file, text);
    let body = TomlBody::new(text, 0..text.len(), 0..0);
    let keys: OrderKeys = body.read(&mut out).unwrap_or_default();
    let mut named: Vec<SpannedText> = Vec::new();
    let mut groups = Vec::new();
    for group in keys.group.iter().filter(|group| is_id(&body.spot(&group.id), &mut out)) {
        let lessons = group.lessons.iter().map(|lesson| lesson.get_ref().clone()).collect();
        groups.push(LessonGroup { id: group.id.get_ref().clone(), lessons });
        named.extend(group.lessons.iter().map(|lesson| body.spot(lesson)));
    }
    for (index, SpannedText { text, span }) in named.iter().enumerate() {
        if named[..index].iter().any(|before| before.text == *text) {
            out.add(TWICE, span.clone(), format!("lesson `{text}` is already in a group"));
        } else if !lessons.contains(&&**text) {
            let hint = meant(text, lessons.iter().copied());
            out.advise(NOT_THERE, span.clone(), format!("there is no lesson `{text}`"), hint);
        } else {
            // It is there, and named once.
        }
    }
    let named = |lesson: &&&str| named.iter().any(|named| named.text == ***lesson);
    let alone: Vec<_> = lessons.iter().filter(|lesson| !named(lesson)).copied().collect();
    if !alone.is_empty() {
        out.add(OUT_OF_PLACE, 0..0, format!("no group has the lessons {}", alone.join(", ")));
    }
    (groups, out.all())
}
