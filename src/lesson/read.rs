//! Reads a course, the program's own or a teacher's, and complains about its form.

mod ask;
mod block;
mod embedded;
mod folder;
mod html;
mod ideas;
mod keys;
mod lesson;
mod markdown;
mod order;
mod others;
mod page;
mod references;
mod scene;
mod settings;
mod words;

use super::diagnostic::{Diagnostic, Diagnostics, OUT_OF_PLACE, TOO_MUCH};
use super::document::{Course, Lesson};
use crate::file;
use folder::Folder;
use ideas::Ideas;
use lesson::LessonDraft;
use references::KnownNames;
use std::path::Path;

/// The file with the wrong ideas.
const IDEAS: &str = "models.md";

/// The folder of the exercises.
const EXERCISES: &str = "exercises/";

/// The most lessons of a course.
const MOST_LESSONS: usize = 100;

/// The course that the program brings.
pub fn shipped() -> (Course, Vec<Diagnostic>) {
    let folder = Folder::Embedded(embedded::FILES);
    let names = folder.names().unwrap_or_default();
    course(&folder, &names, &Course::default())
}

/// The text of all files of that course, by which a report tells which it was.
pub fn shipped_text() -> String {
    embedded::FILES.iter().map(|(_, text)| *text).collect()
}

/// All files that come with the course, by their paths in its folder: lessons, wrong ideas, kernels.
pub fn files() -> impl Iterator<Item = (&'static str, &'static str)> {
    embedded::FILES.iter().chain(embedded::BESIDE).chain(embedded::EXERCISES).copied()
}

/// The files of the exercises that come with it, by their paths in the folder of exercises.
pub fn exercises() -> impl Iterator<Item = (&'static str, &'static str)> {
    let below = |(path, text): &(&'static str, _)| Some((path.strip_prefix(EXERCISES)?, *text));
    embedded::EXERCISES.iter().filter_map(below)
}

/// A teacher's lesson or folder of lessons. What it does not bring, the wrong ideas and the lessons
/// that should come first, may be those of the program's course. A file or folder that cannot be
/// read is a diagnostic.
pub fn read(path: &Path) -> (Course, Vec<Diagnostic>) {
    if !file::is_folder(path) {
        return alone(path);
    }
    let folder = Folder::Disk(path.to_owned());
    match folder.names() {
        Ok(names) => course(&folder, &names, &shipped().0),
        Err(told) => (Course::default(), vec![*told]),
    }
}

/// A lesson alone, with the ideas that lie beside it.
fn alone(path: &Path) -> (Course, Vec<Diagnostic>) {
    // The name as it was given tells more than one that was put together again.
    match folder::text(path) {
        Ok(text) => text_of(path, &path.display().to_string(), &text),
        Err(told) => (Course::default(), vec![*told]),
    }
}

/// The text of a lesson alone, which is shown under this name and whose files lie in the current
/// folder.
pub fn text(shown: &str, text: &str) -> (Course, Vec<Diagnostic>) {
    text_of(Path::new(""), shown, text)
}

/// The text of the file at this path.
fn text_of(path: &Path, shown: &str, text: &str) -> (Course, Vec<Diagnostic>) {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let parent = path.parent().unwrap_or(Path::new(""));
    let folder = Folder::Disk(parent.to_owned());
    let base = shipped().0;
    if name == IDEAS {
        return with_ideas(shown, text);
    }
    let number = number_of(name).unwrap_or(1);
    let (draft, mut found) = lesson::read(shown, number, text, &folder);
    let beside = parent.join(IDEAS);
    let mut ideas = Ideas::default();
    if file::is_ordinary(&beside).unwrap_or(false) {
        match folder::text(&beside) {
            Ok(text) => ideas = ideas::read(IDEAS, &text).0,
            Err(told) => found.push(*told),
        }
    }
    let ideas = joined(ideas, &base);
    // The lessons that it needs may lie beside it: that is checked when the whole folder is.
    let needed: Vec<_> = draft.lesson.needs.clone();
    let drafts = [draft];
    let known = KnownNames { ideas: &ideas, lessons: &needed, folder: &folder };
    found.extend(references::check(&drafts, &known));
    let lessons = lessons(drafts);
    (Course { lessons, ideas, ..Course::default() }, found)
}

/// The ideas alone.
fn with_ideas(shown: &str, text: &str) -> (Course, Vec<Diagnostic>) {
    let (Ideas { ideas, named }, mut found) = ideas::read(shown, text);
    let mut out = Diagnostics::new(shown, text);
    references::ideas(&named, &ideas, &mut out);
    found.extend(out.all());
    let models = Some((shown.to_owned(), text.to_owned()));
    (Course { ideas, models, ..Course::default() }, found)
}

/// All lessons of a folder in which the files of these names lie.
fn course(folder: &Folder, names: &[String], base: &Course) -> (Course, Vec<Diagnostic>) {
    let mut found = Vec::new();
    let mut ideas = Ideas::default();
    let mut models = None;
    let mut drafts = Vec::new();
    if names.iter().any(|name| name == IDEAS) {
        match folder.text(IDEAS) {
            Ok(text) => {
                let (course, told) = with_ideas(&folder.shown(IDEAS), &text);
                (ideas.ideas, models) = (course.ideas, course.models);
                found.extend(told);
            }
            Err(told) => found.push(*told),
        }
    }
    for (number, name) in numbered(names, folder, &mut found) {
        match folder.text(name) {
            Ok(text) => {
                let (draft, told) = lesson::read(&folder.shown(name), number, &text, folder);
                found.extend(told);
                drafts.push(draft);
            }
            Err(told) => found.push(*told),
        }
    }
    let ideas = joined(ideas, base);
    let elsewhere: Vec<_> = base.lessons.iter().map(|lesson| lesson.id.clone()).collect();
    let known = KnownNames { ideas: &ideas, lessons: &elsewhere, folder };
    found.extend(references::check(&drafts, &known));
    let mut course = Course { lessons: lessons(drafts), ideas, models, ..Course::default() };
    if names.iter().any(|name| name == order::FILE) {
        found.extend(arrange(&mut course, folder));
    }
    (course, found)
}

/// The names that begin with a number, in its order.
fn numbered<'n>(
    names: &'n [String],
    folder: &Folder,
    found: &mut Vec<Diagnostic>,
) -> Vec<(u32, &'n str)> {
    let mut numbered = Vec::new();
    let is_text = |name: &&String| {
        Path::new(name).extension().is_some_and(|end| end == "md") && !name.contains('/')
    };
    let others = [IDEAS, "README.md"];
    for name in names.iter().filter(is_text).filter(|name| !others.contains(&&***name)) {
        if let Some(number) = number_of(name) {
            numbered.push((number, &**name));
        } else {
            let told = "this file is not read: the name of a lesson begins with its number";
            let told = Diagnostic::of_file(OUT_OF_PLACE, &folder.shown(name), told);
            found.push(told.warning());
        }
    }
    numbered.sort_unstable();
    if let Some((_, name)) = numbered.get(MOST_LESSONS) {
        let told = format!("a course has at most {MOST_LESSONS} lessons");
        found.push(Diagnostic::of_file(TOO_MUCH, &folder.shown(name), told));
    }
    numbered.truncate(MOST_LESSONS);
    numbered
}

/// The number with which a file's name begins: 12 of `12-padding.md`.
fn number_of(name: &str) -> Option<u32> {
    let digits = name.find(|c: char| !c.is_ascii_digit()).unwrap_or(name.len());
    name[..digits].parse().ok()
}

/// Puts the lessons into the groups and the order of `course.toml`.
fn arrange(course: &mut Course, folder: &Folder) -> Vec<Diagnostic> {
    let text = match folder.text(order::FILE) {
        Ok(text) => text,
        Err(told) => return vec![*told],
    };
    let ids: Vec<_> = course.lessons.iter().map(|lesson| &*lesson.id).collect();
    let (groups, found) = order::read(&folder.shown(order::FILE), &text, &ids);
    let place = |lesson: &Lesson| {
        let all = groups.iter().flat_map(|group| &group.lessons);
        all.into_iter().position(|id| *id == lesson.id).unwrap_or(usize::MAX)
    };
    course.lessons.sort_by_key(place);
    course.groups = groups;
    found
}

/// The ideas of a course; of the program's, those that it does not have itself.
fn joined(own: Ideas, base: &Course) -> Vec<super::document::Idea> {
    let mut ideas = own.ideas;
    let others = base.ideas.iter().filter(|other| !ideas.iter().any(|idea| idea.id == other.id));
    let others: Vec<_> = others.cloned().collect();
    ideas.extend(others);
    ideas
}

/// The lessons that can be taken: those with a name and a page.
fn lessons(drafts: impl IntoIterator<Item = LessonDraft>) -> Vec<Lesson> {
    let lessons = drafts.into_iter().map(|draft| draft.lesson);
    lessons.filter(|lesson| !lesson.id.is_empty() && !lesson.pages.is_empty()).collect()
}

#[cfg(test)]
mod tests;
