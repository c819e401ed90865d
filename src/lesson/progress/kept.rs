//! What the progress file holds, and how answers are added to it.

use crate::lesson::session::{GivenAnswer, LessonEvent, Outcome};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::hash::{BuildHasher, Hasher, RandomState};

/// The format that is written.
pub const FORMAT: u32 = 1;

/// How many lessons later a missed idea is asked about: at first, after one answer, after another.
const BOXES: [u32; 3] = [1, 3, 7];

/// How often a missed idea must be answered rightly.
const ENOUGH: u32 = 2;

/// The largest seed of a learner who has none yet, so that it is easily typed.
const SEEDS: u64 = 10_000;

/// All that is kept. What another version wrote beside it is kept as well.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct SavedProgress {
    /// The version of the format: 1.
    pub format: u32,
    /// The learner's seed, so that neighbours see different numbers.
    #[serde(default)]
    pub seed: u64,
    /// The lessons that were begun, by their names.
    #[serde(default)]
    pub lessons: BTreeMap<String, LessonProgress>,
    /// The exercises that were solved, by their names.
    #[serde(default)]
    pub exercises: Map<String, Value>,
    /// The ideas that were missed and come back, by their names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub review: BTreeMap<String, Review>,
    /// The ideas that answers showed, by their names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub ideas: BTreeMap<String, ShownIdea>,
    #[serde(flatten)]
    other: Map<String, Value>,
}

/// An idea that answers showed: when, and until when. Days are written as `2026-11-22`.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct ShownIdea {
    #[serde(default)]
    pub times: u32,
    #[serde(default)]
    pub first: String,
    #[serde(default)]
    pub last: String,
    /// The day when it had been asked about again, and answered rightly often enough.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped: Option<String>,
    #[serde(flatten)]
    other: Map<String, Value>,
}

/// A lesson that was begun.
#[derive(Clone, Debug, Default, Deserialize, PartialEq, Serialize)]
pub struct LessonProgress {
    /// The page that was opened last, from 1.
    #[serde(default)]
    pub page: usize,
    /// Whether the last page was done.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub done: bool,
    /// The questions that were answered or skipped, by their names.
    #[serde(default)]
    pub asks: BTreeMap<String, Answered>,
    #[serde(flatten)]
    other: Map<String, Value>,
}

/// A question that was answered or skipped.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Answered {
    pub first: Outcome,
    /// The wrong idea that says the same as the first answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The first answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub typed: Option<String>,
    /// What was right, with its unit.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub is: String,
    /// The tries when it was first asked.
    #[serde(default)]
    pub tries: u32,
    /// The hints that were opened then.
    #[serde(default)]
    pub hints: u32,
    /// How the last answer was, also when it was asked again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<Outcome>,
    /// The day of the first answer: `2026-11-22`.
    #[serde(default)]
    pub when: String,
    #[serde(flatten)]
    other: Map<String, Value>,
}

/// A missed idea that comes back.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
pub struct Review {
    /// The number of the first lesson that may ask about it.
    pub due: u32,
    /// The questions on it since it was missed.
    #[serde(default)]
    pub asked: usize,
    /// The right answers to them.
    #[serde(default)]
    pub right: u32,
    #[serde(flatten)]
    other: Map<String, Value>,
}

impl SavedProgress {
    /// Nothing yet, but a seed.
    pub(super) fn new() -> Self {
        Self {
            format: FORMAT,
            seed: RandomState::new().build_hasher().finish() % SEEDS,
            lessons: BTreeMap::new(),
            exercises: Map::new(),
            review: BTreeMap::new(),
            ideas: BTreeMap::new(),
            other: Map::new(),
        }
    }

    /// Adds what happened on a day.
    pub fn add(&mut self, event: &LessonEvent, day: &str) {
        match event {
            LessonEvent::Page { lesson, page } => self.lesson(lesson).page = *page,
            LessonEvent::Done { lesson } => self.lesson(lesson).done = true,
            LessonEvent::Review { idea, lesson, outcome } => {
                self.reviewed(idea, (*lesson, day), *outcome);
            }
            LessonEvent::Given(given) => self.given(given, day),
            LessonEvent::Solved { exercise, hints } => {
                // The first time is kept.
                let solved = json!({ "when": day, "hints": hints });
                self.exercises.entry(exercise.clone()).or_insert(solved);
            }
        }
    }

    /// The idea that a lesson is to begin with: missed before, and due.
    pub fn due(&self, lesson: u32) -> Option<&str> {
        let due = self.review.iter().filter(|(_, review)| review.due <= lesson);
        due.min_by_key(|(_, review)| review.due).map(|(idea, _)| idea.as_str())
    }

    fn lesson(&mut self, id: &str) -> &mut LessonProgress {
        self.lessons.entry(id.to_owned()).or_default()
    }

    fn given(&mut self, given: &GivenAnswer, day: &str) {
        if let (Outcome::Wrong, Some(idea)) = (given.outcome, &given.model) {
            self.miss(idea, given.lesson.1, day);
        }
        let asks = &mut self.lesson(&given.lesson.0).asks;
        match asks.get_mut(&given.ask).filter(|known| known.was_answered() || given.typed.is_none())
        {
            Some(known) => known.again(given),
            None => _ = asks.insert(given.ask.clone(), Answered::first(given, day)),
        }
    }

    /// An idea was missed: it comes back in the next lesson.
    fn miss(&mut self, idea: &str, lesson: u32, day: &str) {
        let shown = self.ideas.entry(idea.to_owned()).or_default();
        shown.times = shown.times.saturating_add(1);
        (shown.last, shown.stopped) = (day.to_owned(), None);
        if shown.first.is_empty() {
            day.clone_into(&mut shown.first);
        }
        let review =
            Review { due: lesson.saturating_add(BOXES[0]), asked: 0, right: 0, other: Map::new() };
        self.review.insert(idea.to_owned(), review);
    }

    /// A missed idea was asked about again.
    fn reviewed(&mut self, idea: &str, (lesson, day): (u32, &str), outcome: Outcome) {
        if outcome == Outcome::Wrong {
            return self.miss(idea, lesson, day);
        }
        let Some(review) = self.review.get_mut(idea) else { return };
        review.asked = review.asked.saturating_add(1);
        review.right = review.right.saturating_add(u32::from(outcome == Outcome::Right));
        review.due = lesson.saturating_add(BOXES[review.asked.min(BOXES.len() - 1)]);
        if review.right >= ENOUGH {
            self.review.remove(idea);
            self.ideas.entry(idea.to_owned()).or_default().stopped = Some(day.to_owned());
        }
    }
}

impl Answered {
    fn first(given: &GivenAnswer, day: &str) -> Self {
        Self {
            first: given.outcome,
            model: given.model.clone(),
            typed: given.typed.clone(),
            is: given.is.clone(),
            tries: given.tries,
            hints: given.hints,
            last: None,
            when: day.to_owned(),
            other: Map::new(),
        }
    }

    /// Another try, or another time.
    fn again(&mut self, given: &GivenAnswer) {
        let same_time =
            self.last() == Outcome::Wrong && given.tries.checked_sub(1) == Some(self.tries);
        if same_time {
            self.tries = given.tries;
            self.hints = given.hints;
        }
        self.last = Some(given.outcome);
    }

    pub fn last(&self) -> Outcome {
        self.last.unwrap_or(self.first)
    }

    /// Whether something was typed, be it wrong.
    pub fn was_answered(&self) -> bool {
        matches!(self.first, Outcome::Right | Outcome::Wrong)
    }

    /// Whether it was right at once, or in the second try of the first time.
    pub fn is_right(&self) -> bool {
        self.first == Outcome::Right
            || self.first == Outcome::Wrong && self.tries == 2 && self.last == Some(Outcome::Right)
    }
}
