//! The lessons of the course with what is done of each.

use super::places::asked;
use super::{Answered, SavedProgress};
use crate::lesson::document::Course;
use crate::lesson::session::Outcome;
use serde::Serialize;

/// A lesson of the course, and how far it was taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Row {
    pub number: u32,
    pub id: String,
    pub title: String,
    /// One line about it.
    pub about: String,
    /// Minutes that it takes.
    pub minutes: u32,
    pub pages: usize,
    pub questions: usize,
    /// How far it was taken.
    pub state: LessonStatus,
    /// The page that was opened last, from 1, if any.
    pub page: Option<usize>,
    /// The places of questions that were only ever skipped: `6.3`.
    pub open: Vec<String>,
}

/// How far a lesson was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LessonStatus {
    /// Not at all.
    New,
    Begun,
    /// Its last page was done.
    Done,
}

/// Every lesson of the course, in its order.
pub fn list(course: &Course, kept: &SavedProgress) -> Vec<Row> {
    course
        .lessons
        .iter()
        .map(|lesson| {
            let taken = kept.lessons.get(&lesson.id);
            let asked = asked(lesson);
            let is_open = |id: &str| {
                let answered = taken.and_then(|taken| taken.asks.get(id));
                let skipped = |answered: &Answered| answered.last() == Outcome::Skipped;
                answered.is_some_and(|answered| skipped(answered) && !answered.was_answered())
            };
            let open = asked.iter().filter(|asked| is_open(&asked.id));
            Row {
                number: lesson.number,
                id: lesson.id.clone(),
                title: lesson.title.clone(),
                about: lesson.about.clone(),
                minutes: lesson.minutes,
                pages: lesson.pages.len(),
                questions: asked.len(),
                state: match taken {
                    None => LessonStatus::New,
                    Some(taken) if taken.done => LessonStatus::Done,
                    Some(_) => LessonStatus::Begun,
                },
                page: taken.map(|taken| taken.page),
                open: open.map(|asked| asked.place.clone()).collect(),
            }
        })
        .collect()
}

impl LessonStatus {
    /// The state as a word, and nothing for a new lesson.
    pub const fn word(self) -> &'static str {
        match self {
            Self::New => "",
            Self::Begun => "begun",
            Self::Done => "done",
        }
    }
}
