//! The lesson that is being taken, as the screen knows it, and the list of the course.

mod course_list;
mod input;
mod pointer;
mod stage;
mod view;

pub use course_list::CourseList;
pub use input::{Input, Takes};
pub use pointer::{kind, of_point, typed};
pub use stage::{Staged, same_kernel};
pub use view::{panel_of, view_of};

use super::playback::Playback;
use crate::lesson::document::{Course, Kind};
use crate::lesson::progress::{Kept, Progress};
use crate::lesson::question::Question;
use crate::lesson::walk::{Now, Walk};
use std::fmt;
use std::sync::{Arc, Mutex};

/// The lessons that the screen offers.
#[derive(Clone, Debug)]
pub struct Lessons {
    /// The course, or `None` for the one that comes with matviz, which is read when it is needed.
    pub course: Option<Arc<Course>>,
    /// What the screen opens with, if not with a run.
    pub open: Option<Opening>,
    /// The seed of the questions' numbers, or `None` for the learner's own.
    pub seed: Option<u64>,
    /// What the learner has done.
    pub kept: Kept,
    /// The day of today: `2026-11-22`.
    pub day: String,
    /// Where what the learner does is kept, if it is.
    pub progress: Option<Arc<Mutex<Progress>>>,
}

/// What a screen opens with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opening {
    /// The list of lessons.
    List,
    /// A page of a lesson, both from 1.
    Page(u32, usize),
}

impl Default for Lessons {
    /// The course of matviz for somebody who has done nothing, and of whom nothing is kept: always
    /// with the same numbers, so that a picture of it is the same each time.
    fn default() -> Self {
        let kept = Progress::nowhere().kept().clone();
        Self { course: None, open: None, seed: Some(0), kept, day: String::new(), progress: None }
    }
}

impl Lessons {
    /// Of whom the progress is, on a day.
    pub fn of(progress: Progress, day: String) -> Self {
        let kept = progress.kept().clone();
        let progress = progress.file().is_some().then(|| Arc::new(Mutex::new(progress)));
        Self { seed: None, kept, day, progress, ..Self::default() }
    }

    /// Begins a lesson at a page; with its first one, an idea missed before comes first.
    ///
    /// # Errors
    /// There is no such lesson or page.
    pub fn begin(&self, (lesson, page): (u32, usize)) -> Result<Walk, String> {
        let course = self.course.clone().unwrap_or_default();
        let mut walk = Walk::begin(course, lesson, page, self.seed.unwrap_or(self.kept.seed))?;
        if let Some(idea) = self.kept.due(lesson).filter(|_| page == 1) {
            walk.review(idea);
        }
        Ok(walk)
    }
}

/// A lesson that is being taken.
pub struct Taking {
    /// The lesson.
    pub walk: Walk,
    /// The answer that is being given.
    pub input: Input,
    /// The question that was answered last on this page, and its answer.
    pub asked: Option<(Question, Input)>,
    /// The first line of the text in view, if the reader has turned it.
    pub turned: Option<u16>,
    /// Whether the text is hidden.
    pub hidden: bool,
    /// Whether the last command was refused, since a question is open.
    pub refused: bool,
    /// Where the run that plays stops, and how the user has it played.
    pub to: Option<(usize, Playback)>,
    /// What is known of the run on the screen.
    pub staged: Staged,
}

impl Taking {
    /// A lesson whose first page has just been opened.
    pub fn new(walk: Walk) -> Self {
        let mut taking = Self {
            walk,
            input: Input::default(),
            asked: None,
            turned: None,
            hidden: false,
            refused: false,
            to: None,
            staged: Staged::default(),
        };
        taking.renew();
        taking
    }

    /// What the lesson shows.
    pub fn now(&self) -> &Now {
        self.walk.now()
    }

    /// The open question.
    pub fn question(&self) -> Option<&Question> {
        self.now().question.as_ref().map(|open| &open.question)
    }

    /// Whether the lesson waits for an answer or for a proof.
    pub fn waits(&self) -> bool {
        let now = self.now();
        now.question.is_some() || now.proof.is_some()
    }

    /// Begins a new answer and a new page of text.
    pub fn renew(&mut self) {
        self.input = self.question().map_or_else(Input::default, Input::new);
        (self.asked, self.turned) = (None, None);
    }

    /// Whether the answer is pointed at, on the picture.
    pub fn is_pick(&self) -> bool {
        self.question().is_some_and(|question| matches!(question.kind, Kind::Pick | Kind::Gap))
    }

    /// Where it is, as it is typed on the command line: `12.5`.
    pub fn place(&self) -> String {
        format!("{}.{}", self.now().lesson.0, self.now().page)
    }
}

impl fmt::Debug for Taking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Taking").field("place", &self.place()).finish_non_exhaustive()
    }
}
