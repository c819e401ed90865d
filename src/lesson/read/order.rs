//! `course.toml`: the groups, and the order of the lessons.

use super::super::complaint::{Complaint, Complaints, NOT_THERE, OUT_OF_PLACE, TWICE, WRONG_VALUE};
use super::super::document::{Group, Spot};
use super::block::is_id;
use super::toml_keys::{Keys, Value};
use super::words::meant;
use toml::de::DeValue;

/// The file's name.
pub(super) const FILE: &str = "course.toml";

/// The keys of a group.
const KEYS: &[&str] = &["id", "lessons"];

/// Reads the groups; complains about those that name a lesson which is not among `lessons`, and
/// about lessons in no group.
pub(super) fn read(file: &str, text: &str, lessons: &[&str]) -> (Vec<Group>, Vec<Complaint>) {
    let mut out = Complaints::new(file, text);
    let keys = Keys::read(text, 0..text.len(), 0..0, &["group"], &mut out);
    let mut named: Vec<Spot> = Vec::new();
    let mut groups = Vec::new();
    let tables = keys.value("group").map(|value| match value.get_ref() {
        DeValue::Array(items) => items.iter().collect(),
        _ => vec![value],
    });
    for table in tables.unwrap_or_default() {
        let Some((id, of_group)) = group(&keys, table, &mut out) else { continue };
        let lessons = of_group.iter().map(|lesson| lesson.text.clone()).collect();
        groups.push(Group { id, lessons });
        named.extend(of_group);
    }
    for (index, Spot { text, span }) in named.iter().enumerate() {
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

/// The name and the lessons of a group.
fn group(
    keys: &Keys<'_>,
    table: &Value<'_>,
    out: &mut Complaints<'_>,
) -> Option<(String, Vec<Spot>)> {
    let DeValue::Table(rows) = table.get_ref() else {
        keys.refuse("group", table, "tables, each below `[[group]]`", out);
        return None;
    };
    for key in rows.keys().filter(|key| !KEYS.contains(&key.get_ref().as_ref())) {
        let hint = meant(key.get_ref(), KEYS.iter().copied());
        let told = format!("there is no key `{}` in a group", key.get_ref());
        out.advise(WRONG_VALUE, keys.place(&key.span()), told, hint);
    }
    let id = rows.get("id").and_then(|id| keys.spot(id)).filter(|id| is_id(id, out));
    if id.is_none() {
        out.add(WRONG_VALUE, keys.place(&table.span()), "a group has an `id`, a name");
    }
    let items = rows.get("lessons").and_then(|lessons| lessons.get_ref().as_array());
    let lessons = items.and_then(|items| items.iter().map(|item| keys.spot(item)).collect());
    if lessons.is_none() {
        let told = "a group has `lessons`, a list of their names";
        out.add(WRONG_VALUE, keys.place(&table.span()), told);
    }
    Some((id?.text, lessons?))
}
