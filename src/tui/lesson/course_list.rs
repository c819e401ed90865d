//! The list of the course's lessons while it is open.

use crate::lesson::document::Course;
use crate::lesson::progress::{LessonStatus, Row, SavedProgress, list};

#[derive(Clone, Debug)]
pub struct CourseList {
    /// The lessons, with what is done of each.
    pub rows: Vec<Row>,
    /// The chosen one's line, from 0.
    pub chosen: usize,
    /// Whether there is nothing else to go back to.
    pub alone: bool,
}

impl CourseList {
    /// The list with the first lesson chosen that is not done.
    pub fn new(course: &Course, kept: &SavedProgress, alone: bool) -> Self {
        let rows = list(course, kept);
        let chosen = rows.iter().position(|row| row.state != LessonStatus::Done).unwrap_or(0);
        Self { rows, chosen, alone }
    }

    /// Moves the choice by this many lessons, at most to the last.
    pub fn choose(&mut self, by: isize) {
        let last = self.rows.len().saturating_sub(1);
        self.chosen = self.chosen.saturating_add_signed(by).min(last);
    }

    /// Where the chosen lesson stands: its number, and the page that was opened last.
    pub fn place(&self) -> Option<(u32, usize)> {
        let row = self.rows.get(self.chosen)?;
        let begun = row.page.filter(|_| row.state == LessonStatus::Begun);
        Some((row.number, begun.unwrap_or(1).clamp(1, row.pages.max(1))))
    }
}
