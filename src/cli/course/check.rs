//! `matviz course check`: whether lessons are well formed and fit, and exercises hold what they promise,
//! the program's own or a teacher's.

use super::exercise::exercise;
use crate::cli::BadUse;
use crate::cli::form::FormArgs;
use crate::cli::output::{self, is_stdin, named, print};
use crate::cli::working::Working;
use crate::lesson::check::{self, CheckOptions};
use crate::lesson::diagnostic::{CODES, Diagnostic};
use crate::lesson::document::{Ask, Course, Lesson, PageBlock};
use crate::lesson::exercise::read::shipped;
use crate::lesson::exercise::{Exercise, prove};
use crate::lesson::read;
use crate::lesson::setting_runs::SettingCache;
use crate::report::number::Count;
use crate::tui::keymap::{COMMANDS, Key, KeyCommand};
use crate::tui::lesson_check;
use serde::Serialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

/// Arguments of `matviz course check`.
#[derive(Debug, clap::Args)]
#[command(after_long_help = codes())]
pub struct Args {
    /// Lessons (- is one on standard input), folders of them, or folders of exercises [default: the
    /// course that the program brings]
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Check less: only the first variant of each scene; each lesson taken by keys only once, with
    /// the right answers, on a screen of 80x24, without a look at it in ASCII characters, and the
    /// keys that it names pressed only there; exercises are only read
    #[arg(long)]
    quick: bool,
    #[command(flatten)]
    form: FormArgs,
}

/// The list of codes for the help.
fn codes() -> String {
    let lines: Vec<_> = CODES.iter().map(|(code, what)| format!("  {code}  {what}")).collect();
    format!("Codes:\n{}\n", lines.join("\n"))
}

/// Checks the lessons and prints what is wrong. Returns 0 if nothing is, and 1 if something is;
/// warnings alone are no error.
///
/// # Errors
/// A path that does not exist.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let is_json = args.form.is_json()?;
    let is_exercise = |path: &&PathBuf| path.join("rubric.toml").exists();
    let folders: Vec<_> = args.paths.iter().filter(is_exercise).collect();
    let lessons = args.paths.iter().filter(|path| !is_exercise(path));
    let mut read = lessons.map(|path| read(path)).collect::<Result<Vec<_>, _>>()?;
    let exercises = folders.iter().map(|path| exercise(&path.display().to_string()));
    let mut exercises = exercises.collect::<Result<Vec<_>, _>>()?;
    if args.paths.is_empty() {
        read.push(read::shipped());
        exercises.extend(shipped().map_err(BadUse::of)?.iter().cloned());
    }
    let lessons = read.iter().map(|(course, _)| course.lessons.len() as u64).sum();
    let working = Working::on(format!("checking {}", Count(lessons, "lesson")));
    for (course, found) in &mut read {
        let caches: Vec<_> = course.lessons.iter().map(|_| SettingCache::new()).collect();
        let token = &working.kept();
        let wanted = CheckOptions { quick: args.quick, caches: &caches, is_key: &is_key, token };
        found.extend(check::check(course, wanted));
        let (course, caches) = (Arc::new(course.clone()), (&*caches, args.quick));
        found.extend(lesson_check::check(&course, found, caches, token));
    }
    if !args.quick {
        let found = prove::all(&exercises, &working.kept());
        read.push((Course::default(), found));
    }
    let ended = working.ends();
    print(&if is_json {
        ended.json("course-check", &report(&read, &exercises))?
    } else {
        text(&read, exercises.len())
    })?;
    let wrong = read.iter().flat_map(|(_, found)| found).any(|told| !told.warning);
    Ok(ended.code(if wrong { ExitCode::FAILURE } else { ExitCode::SUCCESS }))
}

/// The lessons at a path, or the one that standard input holds.
///
/// # Errors
/// There is no such path, or standard input cannot be read.
pub(in crate::cli) fn read(path: &Path) -> Result<Checked, BadUse> {
    if is_stdin(path) {
        return Ok(read::text(&named(path), &output::read(path)?));
    }
    if path.symlink_metadata().is_err() {
        return Err(BadUse(format!("there is no {}", path.display())));
    }
    let read = read::read(path);
    if read.0.lessons.is_empty() && read.1.is_empty() {
        let told = format!("{} has no lesson: they are called 7-name.md", path.display());
        return Err(BadUse(told));
    }
    Ok(read)
}

/// Whether something has this key, or is a command of this name.
fn is_key(text: &str) -> bool {
    let Ok(key) = text.parse::<Key>() else { return COMMANDS.iter().any(|row| row.name == text) };
    let has = |row: &KeyCommand| row.keys.iter().any(|own| own.parse::<Key>().as_ref() == Ok(&key));
    COMMANDS.iter().any(|row| row.name == text || has(row))
}

/// A course, and what is wrong with it.
type Checked = (Course, Vec<Diagnostic>);

/// Each complaint with its line and a caret, and what was checked.
fn text(read: &[Checked], exercises: usize) -> String {
    let found: Vec<_> = read.iter().flat_map(|(_, found)| found).collect();
    let lessons = || read.iter().flat_map(|(course, _)| &course.lessons);
    let complaints: Vec<_> = found.iter().map(|told| format!("{told}\n\n")).collect();
    let warnings = found.iter().filter(|told| told.warning).count();
    let mut counted = vec![
        (lessons().count(), "lesson"),
        (lessons().flat_map(asks).count(), "question"),
        (found.len() - warnings, "error"),
        (warnings, "warning"),
    ];
    if exercises > 0 {
        counted.insert(2, (exercises, "exercise"));
    }
    let counted = counted
        .iter()
        .map(|(count, what)| format!("{count} {what}{}", if *count == 1 { "" } else { "s" }));
    let counted: Vec<_> = counted.collect();
    format!("{}{}\n", complaints.concat(), counted.join(", "))
}

/// The questions of a lesson, each with its page.
fn asks(lesson: &Lesson) -> impl Iterator<Item = (usize, &Ask)> {
    (1..).zip(&lesson.pages).flat_map(|(number, page)| {
        page.blocks.iter().filter_map(move |beat| match beat {
            PageBlock::Ask(ask) => Some((number, &**ask)),
            _ => None,
        })
    })
}

/// What `--json` prints.
#[derive(Serialize)]
struct CheckReport<'r> {
    lessons: Vec<LessonRow<'r>>,
    /// The wrong ideas of `models.md`.
    ideas: Vec<&'r str>,
    /// Those of them that are offered as a wrong answer.
    used: Vec<&'r str>,
    /// The exercises, by the names of their folders.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    exercises: Vec<&'r str>,
    complaints: Vec<&'r Diagnostic>,
}

#[derive(Serialize)]
struct LessonRow<'r> {
    number: u32,
    id: &'r str,
    title: &'r str,
    file: &'r str,
    minutes: u32,
    pages: usize,
    asks: Vec<AskRow<'r>>,
}

#[derive(Serialize)]
struct AskRow<'r> {
    id: &'r str,
    /// The page's number, from 1.
    page: usize,
    want: &'r str,
    /// The ideas whose answers are wrong.
    wrong: Vec<&'r str>,
}

fn report<'r>(read: &'r [Checked], exercises: &'r [Exercise]) -> CheckReport<'r> {
    let lessons: Vec<_> = read.iter().flat_map(|(course, _)| &course.lessons).map(row).collect();
    let asks = lessons.iter().flat_map(|lesson| &lesson.asks);
    let used: BTreeSet<_> = asks.flat_map(|ask| &ask.wrong).copied().collect();
    let used = used.into_iter().collect();
    let mut ideas: Vec<_> =
        read.iter().flat_map(|(course, _)| &course.ideas).map(|idea| &*idea.id).collect();
    ideas.sort_unstable();
    ideas.dedup();
    let complaints = read.iter().flat_map(|(_, found)| found).collect();
    let exercises = exercises.iter().map(|exercise| &*exercise.name).collect();
    CheckReport { lessons, ideas, used, exercises, complaints }
}

fn row(lesson: &Lesson) -> LessonRow<'_> {
    LessonRow {
        number: lesson.number,
        id: &lesson.id,
        title: &lesson.title,
        file: &lesson.file,
        minutes: lesson.minutes,
        pages: lesson.pages.len(),
        asks: asks(lesson).map(ask_row).collect(),
    }
}

fn ask_row((page, ask): (usize, &Ask)) -> AskRow<'_> {
    let by_option = ask.options.iter().filter_map(|choice| choice.idea.as_deref());
    let wrong = ask.wrong.iter().map(String::as_str).chain(by_option).collect();
    AskRow { id: &ask.id, page, want: &ask.want.text, wrong }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn what_is_wrong_is_shown_and_counted() {
        let folder = tempfile::tempdir().expect("a folder");
        let text = "# T\n```matviz lesson\nid = \"t\"\nminutes = 1\n```\n## P\n```matviz scene\n\
                    kernel = \"tiled\"\ntiel = 8\n```\n```matviz ask q\nwant = \"1\"\n```\n";
        fs::write(folder.path().join("7-t.md"), text).expect("written");
        let course = read::read(folder.path());
        let told = super::text(std::slice::from_ref(&course), 0);
        assert!(
            told.contains("7-t.md:9:1: error[L02]: there is no key `tiel` here\n 9 | tiel = 8\n")
        );
        assert!(told.ends_with("\n\n1 lesson, 1 question, 1 error, 0 warnings\n"), "{told}");
        let read = [course];
        let told = serde_json::to_value(report(&read, &[])).expect("JSON");
        assert_eq!(
            (&told["lessons"][0]["number"], &told["lessons"][0]["pages"]),
            (&7.into(), &1.into())
        );
        assert_eq!(told["lessons"][0]["asks"][0]["id"], "q");
        assert_eq!(told["complaints"][0]["code"], "L02");
    }
}
