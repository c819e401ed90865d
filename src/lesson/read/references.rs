//! Whether what lessons name is there: other lessons, ideas, links.

use super::super::diagnostic::{Diagnostic, Diagnostics, NOT_THERE, OUT_OF_PLACE, TWICE};
use super::super::document::{Idea, SpannedText};
use super::folder::Folder;
use super::lesson::LessonDraft;
use super::words::meant;
use std::collections::BTreeSet;

/// What the lessons of a course may name.
pub(super) struct KnownNames<'k> {
    /// The ideas, of which each can be offered as a wrong answer.
    pub ideas: &'k [Idea],
    /// The names of lessons elsewhere that may be needed.
    pub lessons: &'k [String],
    /// Where links lead to.
    pub folder: &'k Folder,
}

/// Complains about what is not there, two lessons of one name, and lessons that need each other.
pub(super) fn check(drafts: &[LessonDraft], known: &KnownNames<'_>) -> Vec<Diagnostic> {
    let ids: BTreeSet<&str> = drafts.iter().map(|draft| &*draft.lesson.id).collect();
    let mut found = Vec::new();
    for (index, draft) in drafts.iter().enumerate() {
        let mut out = Diagnostics::new(&draft.lesson.file, &draft.lesson.text);
        twice(draft, &drafts[..index], &mut out);
        needs(draft, drafts, &ids, known, &mut out);
        ideas(&draft.ideas, known.ideas, &mut out);
        ideas(&draft.treats, known.ideas, &mut out);
        untreated(draft, &mut out);
        links(draft, known.folder, &mut out);
        found.extend(out.all());
    }
    found
}

/// Complains about ideas that are not among those that are known.
pub(super) fn ideas(named: &[SpannedText], known: &[Idea], out: &mut Diagnostics<'_>) {
    for SpannedText { text, span } in named {
        if !known.iter().any(|idea| idea.id == *text) {
            let hint = meant(text, known.iter().map(|idea| &*idea.id));
            let told = format!("there is no idea `{text}` in models.md");
            out.advise(NOT_THERE, span.clone(), told, hint);
        }
    }
}

fn twice(draft: &LessonDraft, before: &[LessonDraft], out: &mut Diagnostics<'_>) {
    let lesson = &draft.lesson;
    for other in before.iter().map(|other| &other.lesson) {
        if !lesson.id.is_empty() && other.id == lesson.id {
            out.add(TWICE, 0..0, format!("{} has the name `{}` as well", other.file, lesson.id));
        }
        if other.number == lesson.number {
            out.add(
                TWICE,
                0..0,
                format!("{} has the number {} as well", other.file, lesson.number),
            );
        }
    }
}

fn needs(
    draft: &LessonDraft,
    drafts: &[LessonDraft],
    ids: &BTreeSet<&str>,
    known: &KnownNames<'_>,
    out: &mut Diagnostics<'_>,
) {
    for SpannedText { text, span } in &draft.needs {
        if !ids.contains(&**text) && !known.lessons.contains(text) {
            let all = ids.iter().copied().chain(known.lessons.iter().map(String::as_str));
            let told = format!("there is no lesson `{text}`");
            out.advise(NOT_THERE, span.clone(), told, meant(text, all));
        } else if reaches(text, &draft.lesson.id, drafts) {
            let told =
                format!("`{text}` needs `{}` as well: neither can be the first", draft.lesson.id);
            out.add(OUT_OF_PLACE, span.clone(), told);
        } else {
            // It is there, and can come first.
        }
    }
}

/// Whether a lesson is another one, or needs it, perhaps by way of others.
fn reaches(from: &str, to: &str, drafts: &[LessonDraft]) -> bool {
    let (mut open, mut seen) = (vec![from], BTreeSet::new());
    while let Some(id) = open.pop().filter(|id| *id != to) {
        if seen.insert(id) {
            let lesson = drafts.iter().find(|draft| draft.lesson.id == id);
            open.extend(
                lesson.into_iter().flat_map(|draft| draft.needs.iter().map(|need| &*need.text)),
            );
        }
        if open.is_empty() {
            return false;
        }
    }
    true
}

/// Complains about ideas that a lesson treats and none of its questions offers.
fn untreated(draft: &LessonDraft, out: &mut Diagnostics<'_>) {
    for SpannedText { text, span } in &draft.treats {
        if !draft.ideas.iter().any(|idea| idea.text == *text) {
            let told = format!("no question of this lesson offers `{text}` as wrong");
            out.add(OUT_OF_PLACE, span.clone(), told);
        }
    }
}

/// Complains about links to files that are not there.
fn links(draft: &LessonDraft, folder: &Folder, out: &mut Diagnostics<'_>) {
    for (target, span) in &draft.links {
        let elsewhere = ["https://", "http://", "mailto:", "#"];
        if elsewhere.iter().any(|start| target.starts_with(start)) {
            continue;
        }
        let name = target.split('#').next().unwrap_or(target);
        if let Err(told) = folder.has(name) {
            out.add(NOT_THERE, span.clone(), format!("`{name}` {told}"));
        }
    }
}
