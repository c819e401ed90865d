//! The results of a lesson: what was predicted, the ideas to watch, and what comes next.

use super::places::{AskedAt, asked};
use super::{Answered, SavedProgress, list};
use crate::lesson::document::{Course, Lesson};
use crate::lesson::progress::LessonStatus;
use crate::lesson::session::Outcome;
use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Results {
    /// The lesson's number and title.
    pub lesson: (u32, String),
    /// Its questions, in order.
    pub lines: Vec<QuestionResult>,
    /// The ideas that were missed here.
    pub ideas: Vec<WatchedIdea>,
    /// The number, title and minutes of the lesson that comes next.
    pub next: Option<(u32, String, u32)>,
    /// The lessons that are done, and those of the course.
    pub done: (usize, usize),
    /// The predictions right at once or in the second try, and all that were made.
    pub right: (usize, usize),
}

/// A question of a lesson, and how it was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuestionResult {
    /// Its place: `12.5`, or `12.7b` for the second of a page.
    pub place: String,
    pub title: String,
    /// What was right, with its unit.
    pub is: String,
    /// How it was answered: `at once`, `second try`, `you said 1`, `skipped`.
    pub how: String,
    /// Whether it was right, or nothing was predicted.
    pub right: Option<bool>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WatchedIdea {
    /// Its sentence.
    pub says: String,
    /// Where it was missed: `here, twice in lesson 11`.
    pub missed: String,
    /// The lesson at whose start it comes back.
    pub due: Option<u32>,
}

pub fn results(course: &Course, lesson: &Lesson, kept: &SavedProgress) -> Results {
    let taken = kept.lessons.get(&lesson.id);
    let line = |asked: AskedAt| {
        let answered = taken.and_then(|taken| taken.asks.get(&asked.id));
        QuestionResult {
            place: asked.place,
            title: asked.title,
            is: answered.map(|answered| answered.is.clone()).unwrap_or_default(),
            how: answered.map_or_else(|| "not asked".to_owned(), how),
            right: answered.filter(|answered| answered.was_answered()).map(Answered::is_right),
        }
    };
    let rows = list(course, kept);
    // Those that the lessons list, and no others that the file may hold.
    let answers = course.lessons.iter().flat_map(|lesson| {
        let taken = kept.lessons.get(&lesson.id);
        asked(lesson).into_iter().filter_map(move |asked| taken?.asks.get(&asked.id))
    });
    let made: Vec<_> = answers.filter(|answered| answered.was_answered()).collect();
    let next = course.lessons.iter().find(|other| other.number > lesson.number);
    Results {
        lesson: (lesson.number, lesson.title.clone()),
        lines: asked(lesson).into_iter().map(line).collect(),
        ideas: ideas(course, lesson, kept),
        next: next.map(|next| (next.number, next.title.clone(), next.minutes)),
        done: (rows.iter().filter(|row| row.state == LessonStatus::Done).count(), rows.len()),
        right: (made.iter().filter(|answered| answered.is_right()).count(), made.len()),
    }
}

/// How a question was answered, in words.
fn how(answered: &Answered) -> String {
    match (answered.first, &answered.typed) {
        (Outcome::Right, _) => "at once".to_owned(),
        (Outcome::Wrong, _) if answered.is_right() => "second try".to_owned(),
        (Outcome::Wrong, _) if answered.tries == 3 && answered.last() == Outcome::Right => {
            "third try".to_owned()
        }
        (Outcome::Wrong, Some(typed)) => format!("you said {typed}"),
        (Outcome::Wrong, None) => "wrong".to_owned(),
        (Outcome::Skipped, _) => "skipped".to_owned(),
        (Outcome::Watched, _) => "watched".to_owned(),
    }
}

/// The ideas that were missed in a lesson, with how often and where.
fn ideas(course: &Course, lesson: &Lesson, kept: &SavedProgress) -> Vec<WatchedIdea> {
    let missed = |other: &Lesson| {
        let taken = kept.lessons.get(&other.id);
        let models = taken.into_iter().flat_map(|taken| taken.asks.values());
        let models = models.filter_map(|answered| answered.model.clone());
        models.fold(BTreeMap::<String, usize>::new(), |mut counts, model| {
            *counts.entry(model).or_default() += 1;
            counts
        })
    };
    let elsewhere = course.lessons.iter().filter(|other| other.id != lesson.id);
    let elsewhere: Vec<_> = elsewhere.map(|other| (other.number, missed(other))).collect();
    let watched = |(model, here): (String, usize)| {
        let idea = course.ideas.iter().find(|idea| idea.id == model);
        let others = elsewhere.iter().filter_map(|(number, counts)| {
            counts.get(&model).map(|count| format!(", {} in lesson {number}", times(*count)))
        });
        WatchedIdea {
            says: idea.map_or_else(|| model.clone(), |idea| idea.says.clone()),
            missed: format!("{} here{}", times(here), others.collect::<String>()),
            // The first lesson that there is from then on.
            due: kept.review.get(&model).and_then(|review| {
                let numbers = course.lessons.iter().map(|lesson| lesson.number);
                numbers.filter(|number| *number >= review.due).min()
            }),
        }
    };
    missed(lesson).into_iter().map(watched).collect()
}

fn times(count: usize) -> String {
    match count {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        _ => format!("{count} times"),
    }
}

/// The columns of a line.
const WIDTH: usize = 78;

impl fmt::Display for Results {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { lesson: (number, title), lines, ideas, next, done, right } = self;
        writeln!(f, "Lesson {number}, {title}: what you predicted\n")?;
        for line in lines {
            let mark = match line.right {
                Some(true) => "right",
                Some(false) => "wrong",
                None => "-",
            };
            let mut text = format!("  {mark:<6}{:<7}{}", line.place, line.title);
            if !line.is.is_empty() {
                write!(text, ": {}", line.is)?;
            }
            // A long line says how it went on the next one.
            let fits = text.chars().count() + 2 + line.how.chars().count() <= WIDTH;
            let between = if fits { " ".to_owned() } else { format!("\n{:15}", "") };
            writeln!(f, "{text},{between}{}", line.how)?;
        }
        if !ideas.is_empty() {
            writeln!(f, "\nIdeas to watch\n")?;
        }
        for idea in ideas {
            let back = idea.due.map(|due| format!("; it comes back in lesson {due}"));
            writeln!(f, "  \"{}\" ({}{})", idea.says, idea.missed, back.unwrap_or_default())?;
        }
        if let Some((number, title, minutes)) = next {
            writeln!(f, "\nNext: {number}  {title}, {minutes} minutes.")?;
        }
        let (done, of) = done;
        let (right, made) = right;
        writeln!(
            f,
            "\nProgress: {done} of {of} lessons, {right} of {made} predictions right at once or in the\nsecond try."
        )
    }
}
