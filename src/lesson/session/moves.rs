//! What a learner does in a lesson, as a value: whoever shows it can have it done elsewhere.

use super::state::LessonSession;
use crate::lesson::question::Attempt;
use crate::work::WorkToken;

/// Something that a learner does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Move {
    /// Opens the page that was chosen: first a question on an idea missed before, if there is one.
    Start(Option<String>),
    /// See [`LessonSession::go_on`].
    GoOn,
    /// See [`LessonSession::back`].
    Back,
    /// See [`LessonSession::again`].
    Again,
    /// See [`LessonSession::watch`].
    Watch,
    /// See [`LessonSession::hint`].
    Hint,
    /// See [`LessonSession::skip`].
    Skip,
    /// See [`LessonSession::answer`].
    Answer(Attempt),
    /// See [`LessonSession::alter`].
    Alter,
    /// See [`LessonSession::dial`].
    Dial(Vec<usize>),
    /// Says that a setting of the dials is the one: see [`LessonSession::choose`].
    Choose(Vec<usize>),
}

impl LessonSession {
    pub fn perform(&mut self, what: &Move) {
        match what {
            Move::Start(missed) => {
                self.open(self.page);
                if let Some(idea) = missed {
                    self.review(idea);
                }
            }
            Move::GoOn => self.go_on(),
            Move::Back => self.back(),
            Move::Again => self.again(),
            Move::Watch => self.watch(),
            Move::Hint => self.hint(),
            Move::Skip => self.skip(),
            Move::Answer(attempt) => self.answer(attempt.clone()),
            Move::Alter => self.alter(),
            Move::Dial(at) => self.dial(at),
            Move::Choose(at) => {
                self.dial(at);
                self.choose();
            }
        }
    }

    /// Goes on to the next page without an answer, unless cancelled: a copy of a lesson that
    /// does so has run what the lesson itself will need.
    pub fn look_ahead(mut self, token: &WorkToken) {
        let page = self.now.page;
        while !token.is_cancelled() && !self.now.over && self.now.page == page {
            if self.now.question.is_some() || self.now.proof.is_some() {
                self.skip();
            } else {
                self.go_on();
            }
        }
    }
}
