//! What a learner hands in: the lessons, the first answers and the ideas, as Markdown.

use super::places::asked;
use super::{Answered, LessonStatus, SavedProgress, ShownIdea, list};
use crate::kernel::sha256;
use crate::lesson::document::{Course, Lesson};
use crate::lesson::session::Outcome;
use crate::report::csv as csv_text;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// The report on a course, whose text has the hash of `source`, on a day (`2026-11-22`).
pub fn report(course: &Course, source: &str, kept: &SavedProgress, day: &str) -> String {
    let rows = list(course, kept);
    let [done, right, made] = counts(course, kept);
    let mut text = format!(
        "# matviz: what was learnt\n\n{day}, matviz {}, seed {}, course {}\n\n\
         {done} of {} lessons done; {right} of {} predictions right at once or in the second try.\n",
        env!("CARGO_PKG_VERSION"),
        kept.seed,
        &sha256(source.as_bytes())[..16],
        rows.len(),
        made,
    );
    for (lesson, row) in
        course.lessons.iter().zip(&rows).filter(|(_, row)| row.state != LessonStatus::New)
    {
        _ = writeln!(text, "\n## {}  {}: {}\n", row.number, cell(&row.title), row.state.word());
        answered(&mut text, lesson, kept);
    }
    ideas(&mut text, course, kept);
    let solved = kept.exercises.keys().map(|id| cell(id)).collect::<Vec<_>>().join(", ");
    if !solved.is_empty() {
        _ = writeln!(text, "\nExercises solved: {solved}");
    }
    text
}

/// A class's sum, of the progress of each learner under the name of the file handed in: the learners,
/// the ideas that several of them showed, and the questions that most answered wrongly at first.
pub fn class(course: &Course, learners: &[(String, SavedProgress)]) -> String {
    let all = learners.len();
    let mut text = format!("# matviz: a class of {all}\n\n");
    text.push_str("| learner | lessons done | predictions | right | exercises | ideas left |\n");
    text.push_str("|-|-|-|-|-|-|\n");
    for (name, kept) in learners {
        let [done, right, made] = counts(course, kept);
        let (solved, left) = (kept.exercises.len(), kept.review.len());
        let name = cell(name);
        _ = writeln!(text, "| {name} | {done} | {made} | {right} | {solved} | {left} |");
    }
    text.push_str("\n## Ideas\n\n| idea | learners | stopped | last shown |\n|-|-|-|-|\n");
    for ShownByClass { id, shown } in shown_by(learners) {
        let stopped = shown.iter().filter(|idea| idea.stopped.is_some()).count();
        let last = shown.iter().map(|idea| &*idea.last).max().unwrap_or_default();
        let (says, last) = (cell(says(course, id)), cell(last));
        _ = writeln!(text, "| {says} | {} of {all} | {stopped} | {last} |", shown.len());
    }
    text.push_str("\n## Questions\n\n| question | right at once | commonest idea |\n|-|-|-|\n");
    for lesson in &course.lessons {
        for at in asked(lesson) {
            let of_lesson = learners.iter().filter_map(|(_, kept)| kept.lessons.get(&lesson.id));
            let answers = of_lesson.filter_map(|taken| taken.asks.get(&at.id));
            let made: Vec<_> = answers.filter(|answered| answered.was_answered()).collect();
            if made.is_empty() {
                continue;
            }
            let right = made.iter().filter(|answered| answered.first == Outcome::Right).count();
            let idea = commonest(&made).map(|id| cell(says(course, id))).unwrap_or_default();
            let (title, of) = (cell(&at.title), made.len());
            _ = writeln!(text, "| {} {title} | {right} of {of} | {idea} |", at.place);
        }
    }
    text
}

/// An idea, and what is known of it of each learner who showed it.
struct ShownByClass<'l> {
    id: &'l str,
    shown: Vec<&'l ShownIdea>,
}

/// Those first that most learners showed.
fn shown_by(learners: &[(String, SavedProgress)]) -> Vec<ShownByClass<'_>> {
    let mut by: BTreeMap<&str, Vec<&ShownIdea>> = BTreeMap::new();
    for (id, shown) in learners.iter().flat_map(|(_, kept)| &kept.ideas) {
        by.entry(id).or_default().push(shown);
    }
    let mut all: Vec<_> = by.into_iter().map(|(id, shown)| ShownByClass { id, shown }).collect();
    all.sort_by_key(|idea| Reverse(idea.shown.len()));
    all
}

/// The idea that most of some answers showed.
fn commonest<'a>(made: &[&'a Answered]) -> Option<&'a str> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for idea in made.iter().filter_map(|answered| answered.model.as_deref()) {
        *counts.entry(idea).or_default() += 1;
    }
    counts.into_iter().max_by_key(|(id, count)| (*count, Reverse(*id))).map(|(id, _)| id)
}

/// What each learner of a class has done, as CSV.
pub fn class_csv(course: &Course, learners: &[(String, SavedProgress)]) -> String {
    let head = ["learner", "lessons_done", "predictions", "right", "exercises", "ideas_shown"];
    let head = head.into_iter().chain(["ideas_stopped", "ideas_left"]).map(str::to_owned).collect();
    let row = |(name, kept): &(String, SavedProgress)| {
        let [done, right, made] = counts(course, kept);
        let stopped = kept.ideas.values().filter(|idea| idea.stopped.is_some()).count();
        let counts = [done, made, right, kept.exercises.len(), kept.ideas.len(), stopped];
        let counts = counts.into_iter().chain([kept.review.len()]);
        [name.clone()].into_iter().chain(counts.map(|count| count.to_string())).collect()
    };
    csv_text::text(head, learners.iter().map(row))
}

/// The lessons that are done, the predictions that were right at once or in the second try, and those
/// that were made.
fn counts(course: &Course, kept: &SavedProgress) -> [usize; 3] {
    let done = list(course, kept).iter().filter(|row| row.state == LessonStatus::Done).count();
    let answers = kept.lessons.values().flat_map(|taken| taken.asks.values());
    let made: Vec<_> = answers.filter(|answered| answered.was_answered()).collect();
    let right = made.iter().filter(|answered| answered.is_right()).count();
    [done, right, made.len()]
}

fn answered(text: &mut String, lesson: &Lesson, kept: &SavedProgress) {
    let asks = kept.lessons.get(&lesson.id).map(|taken| &taken.asks);
    text.push_str("| question | first answer | right | tries | hints | day |\n|-|-|-|-|-|-|\n");
    for at in asked(lesson) {
        let Some(answered) = asks.and_then(|asks| asks.get(&at.id)) else {
            _ = writeln!(text, "| {} {} | not asked |  |  |  |  |", at.place, cell(&at.title));
            continue;
        };
        let Answered { is, tries, hints, when, .. } = answered;
        _ = writeln!(
            text,
            "| {} {} | {} | {} | {tries} | {hints} | {} |",
            at.place,
            cell(&at.title),
            first(answered),
            cell(is),
            cell(when),
        );
    }
}

/// The first answer: `wrong: 1 (padding-helps)`.
fn first(answered: &Answered) -> String {
    let typed = answered.typed.as_deref().map(cell).unwrap_or_default();
    let model = answered.model.as_deref().map(|model| format!(" ({})", cell(model)));
    match answered.first {
        Outcome::Right => format!("right: {typed}"),
        Outcome::Wrong => format!("wrong: {typed}{}", model.unwrap_or_default()),
        Outcome::Skipped => "skipped".to_owned(),
        Outcome::Watched => "watched".to_owned(),
    }
}

fn ideas(text: &mut String, course: &Course, kept: &SavedProgress) {
    if kept.ideas.is_empty() && kept.review.is_empty() {
        return;
    }
    text.push_str("\n## Ideas\n\n| idea | shown | first | last | |\n|-|-|-|-|-|\n");
    let before = kept.review.keys().filter(|id| !kept.ideas.contains_key(*id));
    for id in kept.ideas.keys().chain(before) {
        let ShownIdea { times, first, last, stopped, .. } =
            kept.ideas.get(id).cloned().unwrap_or_default();
        let state = match (stopped, kept.review.get(id)) {
            (Some(day), _) => format!("stopped {day}"),
            (None, Some(review)) => format!("it comes back in lesson {}", review.due),
            (None, None) => String::new(),
        };
        let says = cell(says(course, id));
        _ = writeln!(
            text,
            "| {says} | {times} | {} | {} | {} |",
            cell(&first),
            cell(&last),
            cell(&state)
        );
    }
}

/// An idea in a sentence.
fn says<'c>(course: &'c Course, id: &'c str) -> &'c str {
    let idea = course.ideas.iter().find(|idea| idea.id == id);
    idea.map_or(id, |idea| &idea.says)
}

/// A text inside a table: on one line, without what Markdown would take for a cell, a link or HTML.
fn cell(text: &str) -> String {
    let mut cell = String::new();
    for char in text.chars() {
        match char {
            '|' | '<' | '>' | '[' | ']' | '`' | '*' | '_' | '\\' => cell.extend(['\\', char]),
            _ if char.is_control() => cell.push(' '),
            _ => cell.push(char),
        }
    }
    cell
}
