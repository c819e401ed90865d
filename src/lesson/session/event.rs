//! What happened in a lesson, for the progress.

/// Something that is worth keeping.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LessonEvent {
    Page {
        lesson: String,
        /// The page, from 1.
        page: usize,
    },
    /// A question was answered, skipped or watched.
    Given(GivenAnswer),
    /// A question on an idea missed before was answered or skipped.
    Review {
        idea: String,
        /// The number of the lesson that asked it.
        lesson: u32,
        /// How it went.
        outcome: Outcome,
    },
    /// The last page was done.
    Done { lesson: String },
    /// An exercise was solved, with so many hints.
    Solved { exercise: String, hints: usize },
}

/// An answer to a question of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenAnswer {
    /// The lesson's name and its number.
    pub lesson: (String, u32),
    pub ask: String,
    /// How it went.
    pub outcome: Outcome,
    /// The wrong idea that says the same.
    pub model: Option<String>,
    /// What was typed; nothing if it was skipped.
    pub typed: Option<String>,
    /// What is right, with its unit.
    pub is: String,
    /// The tries so far, this one counted.
    pub tries: u32,
    /// The hints that were opened.
    pub hints: u32,
}

/// How a question went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    Right,
    /// It was answered otherwise.
    Wrong,
    /// It was shown without an answer.
    Skipped,
    /// It opened with its answer.
    Watched,
}
