//! A question with all that is known about it, and what can be made of an answer.

use super::targets::Pointed;
use crate::lesson::answer::{Answer, Value};
use crate::lesson::document::{Ask, AskKind, Piece, Tolerance};

/// A question, ready to be asked.
#[derive(Clone, Debug)]
pub struct Question {
    /// Its name in the progress.
    pub id: String,
    pub kind: AskKind,
    /// The unit that is shown after a number.
    pub unit: String,
    pub right: Answer,
    /// What there is to choose from, or in an order to be sorted; none for other kinds.
    pub offers: Vec<Offer>,
    /// How often one may try before it is shown.
    pub tries: u32,
    /// What counts as right for a number.
    pub within: Tolerance,
    /// Whether every one of the things is wanted, not any.
    pub all: bool,
    /// What is put between two lines of the source, for a gap.
    pub insert: Option<String>,
    /// What is pointed at, for a pick.
    pub pointed: Option<Pointed>,
    /// What the ideas say that give another answer.
    pub ideas: Vec<WrongAnswer>,
    /// The moments of an order's items, in the order of the offers.
    pub moments: Vec<usize>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Offer {
    /// The key: its place in the list, from `1`.
    pub key: char,
    pub text: Vec<Piece>,
    pub right: bool,
    /// The wrong idea that chooses it, if one is known.
    pub idea: Option<String>,
}

/// A wrong answer, and the idea that gives it.
#[derive(Clone, Debug, PartialEq)]
pub struct WrongAnswer {
    /// The idea: a model's name.
    pub idea: String,
    /// What it says.
    pub value: Value,
}

/// What is made of an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum AnswerVerdict {
    Right,
    /// It is wrong, and this idea gives it, with the value that the idea says.
    Idea(String, Value),
    /// It is wrong, and no idea is known that gives it.
    Wrong,
    /// It is no answer: a sentence about what is expected.
    Unreadable(String),
}

impl Question {
    /// A question without anything to choose from.
    pub(super) fn plain(ask: &Ask, kind: AskKind, right: Answer) -> Self {
        Self {
            id: ask.id.clone(),
            kind,
            unit: ask.unit.clone(),
            right,
            offers: Vec::new(),
            tries: ask.tries.max(1),
            within: ask.within,
            all: ask.all,
            insert: ask.insert.clone(),
            pointed: None,
            ideas: Vec::new(),
            moments: Vec::new(),
        }
    }
}
