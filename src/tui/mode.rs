//! The modes of the screen, of which it is in one.

use super::edit::Editing;
use super::lesson::{ActiveLesson, CourseList, DialsState, SuspendedLesson};
use std::mem;

/// What the screen is for.
#[derive(Debug, Default)]
pub enum Mode {
    /// A kernel is watched.
    #[default]
    Watch,
    /// A lesson is chosen.
    List(CourseList),
    /// A lesson is taken.
    Lesson(Box<ActiveLesson>),
    /// A copy of the lesson's kernel is written, to be edited.
    Copy(SuspendedLesson),
    /// A file is edited; if it is such a copy, the lesson waits.
    Edit(Box<Editing>, Option<SuspendedLesson>),
}

impl Mode {
    /// The lesson that is being taken.
    pub fn lesson(&self) -> Option<&ActiveLesson> {
        match self {
            Self::Lesson(lesson) => Some(lesson),
            _ => None,
        }
    }

    pub fn lesson_mut(&mut self) -> Option<&mut ActiveLesson> {
        match self {
            Self::Lesson(lesson) => Some(lesson),
            _ => None,
        }
    }

    /// The list of lessons.
    pub fn list(&self) -> Option<&CourseList> {
        match self {
            Self::List(list) => Some(list),
            _ => None,
        }
    }

    pub fn list_mut(&mut self) -> Option<&mut CourseList> {
        match self {
            Self::List(list) => Some(list),
            _ => None,
        }
    }

    /// The file that is edited.
    pub fn editing(&self) -> Option<&Editing> {
        match self {
            Self::Edit(editing, _) => Some(editing),
            _ => None,
        }
    }

    pub fn editing_mut(&mut self) -> Option<&mut Editing> {
        match self {
            Self::Edit(editing, _) => Some(editing),
            _ => None,
        }
    }

    /// The dials of a lesson's page, while they are turned.
    pub fn dials(&self) -> Option<&DialsState> {
        self.lesson()?.dials.as_ref().filter(|board| board.open)
    }

    /// The line at which the editor is to open the copy that is being written.
    pub const fn copied_line(&self) -> Option<u32> {
        match self {
            Self::Copy(aside) => Some(aside.line),
            _ => None,
        }
    }

    /// Ends the lesson, if one is being taken.
    pub fn take_lesson(&mut self) -> Option<Box<ActiveLesson>> {
        match mem::take(self) {
            Self::Lesson(lesson) => Some(lesson),
            other => {
                *self = other;
                None
            }
        }
    }

    /// Goes back to the lesson that waits; returns whether one does.
    pub fn return_to_lesson(&mut self) -> bool {
        match mem::take(self) {
            Self::Copy(SuspendedLesson { lesson, .. })
            | Self::Edit(_, Some(SuspendedLesson { lesson, .. })) => {
                *self = Self::Lesson(lesson);
                true
            }
            other => {
                *self = other;
                false
            }
        }
    }

    /// Begins to edit a file; a lesson waits meanwhile.
    pub fn edit(&mut self, editing: Editing) {
        let aside = match mem::take(self) {
            Self::Copy(aside) | Self::Edit(_, Some(aside)) => Some(aside),
            Self::Lesson(lesson) => Some(SuspendedLesson { lesson, line: 1 }),
            Self::Watch | Self::List(_) | Self::Edit(_, None) => None,
        };
        *self = Self::Edit(Box::new(editing), aside);
    }
}
