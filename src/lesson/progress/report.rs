//! What a learner hands in: the lessons, the first answers and the ideas, as Markdown.

use super::places::asked;
use super::{Answered, LessonStatus, SavedProgress, list};
use crate::kernel::sha256;
use crate::lesson::document::{Course, Lesson};
use crate::lesson::session::Outcome;
use std::fmt::Write as _;

/// The report on a course, whose text has the hash of `source`, on a day (`2026-11-22`).
pub fn report(course: &Course, source: &str, kept: &SavedProgress, day: &str) -> String {
    let rows = list(course, kept);
    let done = rows.iter().filter(|row| row.state == LessonStatus::Done).count();
    let answers = kept.lessons.values().flat_map(|taken| taken.asks.values());
    let made: Vec<_> = answers.filter(|answered| answered.was_answered()).collect();
    let right = made.iter().filter(|answered| answered.is_right()).count();
    let mut text = format!(
        "# matviz: what was learnt\n\n{day}, matviz {}, seed {}, course {}\n\n\
         {done} of {} lessons done; {right} of {} predictions right at once or in the second try.\n",
        env!("CARGO_PKG_VERSION"),
        kept.seed,
        &sha256(source.as_bytes())[..16],
        rows.len(),
        made.len(),
    );
    for (lesson, row) in
        course.lessons.iter().zip(&rows).filter(|(_, row)| row.state != LessonStatus::New)
    {
        _ = writeln!(text, "\n## {}  {}: {}\n", row.number, cell(&row.title), row.state.word());
        answered(&mut text, lesson, kept);
    }
    ideas(&mut text, course, kept);
    text
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
    if kept.review.is_empty() {
        return;
    }
    text.push_str("\n## Ideas to watch\n\n");
    for (id, review) in &kept.review {
        let idea = course.ideas.iter().find(|idea| idea.id == *id);
        let says = idea.map_or(id, |idea| &idea.says);
        _ = writeln!(text, "- {} (it comes back in lesson {})", cell(says), review.due);
    }
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
