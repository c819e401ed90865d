//! The progress as text, as CSV, and the wrong answers that no idea explains.

use super::places::asked;
use super::{Answered, LessonStatus, SavedProgress, list};
use crate::lesson::document::Course;
use crate::lesson::session::Outcome;
use std::fmt::Write as _;

/// An answer with where it was given.
struct AnswerRow<'a> {
    lesson: String,
    place: String,
    ask: &'a str,
    answered: &'a Answered,
}

/// Every answer, in the order of the course; those of questions that it does not have come last.
fn lines<'a>(course: &Course, kept: &'a SavedProgress) -> Vec<AnswerRow<'a>> {
    let mut lines: Vec<_> = Vec::new();
    for (id, taken) in &kept.lessons {
        let index = course.lessons.iter().position(|lesson| lesson.id == *id);
        let asked = index.map(|index| asked(&course.lessons[index])).unwrap_or_default();
        for (ask, answered) in &taken.asks {
            let at = asked.iter().position(|asked| asked.id == *ask);
            let place = at.map(|at| asked[at].place.clone()).unwrap_or_default();
            let order = (index.unwrap_or(usize::MAX), at.unwrap_or(usize::MAX));
            lines.push((order, AnswerRow { lesson: id.clone(), place, ask, answered }));
        }
    }
    lines.sort_by_key(|(order, _)| *order);
    lines.into_iter().map(|(_, line)| line).collect()
}

/// The progress in lines of text: each lesson that was begun, and its answers.
pub fn text(course: &Course, kept: &SavedProgress) -> String {
    let lines = lines(course, kept);
    let mut text = String::new();
    for row in list(course, kept).iter().filter(|row| row.state != LessonStatus::New) {
        _ = writeln!(text, "{:>3}  {}: {}", row.number, row.title, row.state.word());
        for line in lines.iter().filter(|line| line.lesson == row.id) {
            _ = writeln!(text, "       {:<7}{}", line.place, answer_text(line.answered));
        }
    }
    for (idea, review) in &kept.review {
        _ = writeln!(text, "{idea} comes back in lesson {} or later.", review.due);
    }
    if text.is_empty() {
        "Nothing yet: matviz learn --list lists the course.\n".to_owned()
    } else {
        text
    }
}

fn answer_text(answered: &Answered) -> String {
    let Answered { typed, is, model, tries, when, .. } = answered;
    let typed = typed.as_deref().unwrap_or_default();
    let model = model.as_ref().map(|model| format!(" ({model})")).unwrap_or_default();
    match answered.first {
        Outcome::Right => format!("{is}: right at once, {when}"),
        Outcome::Wrong if answered.last() == Outcome::Right => {
            format!("{is}: you said {typed}{model}, then right, {tries} tries, {when}")
        }
        Outcome::Wrong => format!("{is}: you said {typed}{model}, {when}"),
        Outcome::Skipped => format!("{is}: skipped, {when}"),
        Outcome::Watched => format!("{is}: watched, {when}"),
    }
}

/// The answers as CSV, with a line of titles.
pub fn csv(course: &Course, kept: &SavedProgress) -> String {
    let mut text = "lesson,place,ask,first,last,model,typed,is,tries,hints,when\n".to_owned();
    for AnswerRow { lesson, place, ask, answered } in lines(course, kept) {
        let tries = answered.tries.to_string();
        let hints = answered.hints.to_string();
        let cells = [
            lesson.as_str(),
            &place,
            ask,
            word(answered.first),
            word(answered.last()),
            answered.model.as_deref().unwrap_or_default(),
            answered.typed.as_deref().unwrap_or_default(),
            &answered.is,
            &tries,
            &hints,
            &answered.when,
        ];
        let cells = cells.map(cell);
        _ = writeln!(text, "{}", cells.join(","));
    }
    text
}

const fn word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Right => "right",
        Outcome::Wrong => "wrong",
        Outcome::Skipped => "skipped",
        Outcome::Watched => "watched",
    }
}

/// A cell in quotes where it needs them. One that a spreadsheet would take for a formula begins with
/// a quote; `-3` is a number.
fn cell(text: &str) -> String {
    let is_number = text.parse::<f64>().is_ok();
    let is_formula = !is_number && text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    let guard = if is_formula { "'" } else { "" };
    if guard.is_empty() && !text.contains([',', '"', '\n', '\r']) {
        return text.to_owned();
    }
    format!("\"{guard}{}\"", text.replace('"', "\"\""))
}

/// The wrong answers that no idea says: where new ideas may be found.
pub fn unknown(course: &Course, kept: &SavedProgress) -> String {
    let all = lines(course, kept);
    let unknown = all
        .iter()
        .filter(|line| line.answered.first == Outcome::Wrong && line.answered.model.is_none());
    let line = |line: &AnswerRow| {
        let Answered { typed, is, when, .. } = line.answered;
        let typed = typed.as_deref().unwrap_or_default();
        format!("{:<7}{}/{}: {typed}, it is {is}, {when}\n", line.place, line.lesson, line.ask)
    };
    unknown.map(line).collect()
}
