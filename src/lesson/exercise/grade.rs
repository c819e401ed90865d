//! The points of a submission: a sum over what the judgement of it says.

use super::assignment::Assignment;
use crate::lesson::edit::judgement::Judgement;
use crate::lesson::edit::mistake::{Mistake, MistakeKind};
use crate::lesson::edit::run::SizeResult;
use crate::lesson::edit::version::Version;
use crate::matrix::judge::Wrong;
use crate::sim::Order;
use crate::work::WorkToken;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::sync::Arc;

/// The most bytes of a message.
const MOST: usize = 2048;

/// The largest submission, in bytes.
pub const LARGEST: usize = 256 << 10;

/// What a submission is worth.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub struct Grade {
    pub file: String,
    /// The exercise: `E1-coalesce`.
    pub assignment: String,
    pub points: u32,
    pub of: u32,
    /// What it fails first; nothing if it has all points.
    pub fails: Option<String>,
    /// What is judged, in its order: the same for each submission to an exercise.
    pub parts: Vec<GradedPart>,
}

/// Something that is judged.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq, Serialize)]
pub struct GradedPart {
    /// `right`, `sound`, or a goal's.
    pub id: String,
    /// What it is: `C at 48x64x80`, or `C at hidden size 1`.
    pub name: String,
    pub points: u32,
    pub of: u32,
    /// Whether it is fulfilled.
    pub passed: bool,
    pub told: String,
    /// Whether it is about a hidden size.
    pub hidden: bool,
}

/// Why a submission was not judged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotJudged {
    #[error("it is no text")]
    NotText,
    #[error("it is empty")]
    Empty,
    #[error("it is larger than {} KiB", LARGEST >> 10)]
    TooLarge,
    #[error("it cannot be read: {0}")]
    Unreadable(String),
    #[error("matviz stopped while it judged this file ({0}): nothing of it counts")]
    Crashed(String),
    #[error("it was not judged within {0} seconds: nothing of it counts")]
    TooLong(u64),
}

impl Grade {
    /// Grades a text: by the same judgement as on the screen on which it is written.
    pub fn of(assignment: &Arc<Assignment>, file: &str, text: &str) -> Self {
        if text.trim().is_empty() {
            return Self::not_judged(assignment, file, &NotJudged::Empty);
        }
        let version = match Version::submitted(file, text, assignment) {
            Ok(version) => version,
            Err(why) => {
                let error = cudac::Error::from(why);
                let told = if error.line > 0 { error.render(text, file) } else { error.message };
                return Self::none(assignment, file, "compiles", &told);
            }
        };
        let judged = Judgement::of(&version, &Order::ByPhase, &WorkToken::default());
        judged.map_or_else(
            || Self::not_judged(assignment, file, &NotJudged::Crashed("stopped".to_owned())),
            |judgement| Self::judged(assignment, file, &version, &judgement),
        )
    }

    /// That of a submission that could not be judged.
    pub fn not_judged(assignment: &Assignment, file: &str, why: &NotJudged) -> Self {
        Self::none(assignment, file, "judged", &why.to_string())
    }

    fn none(assignment: &Assignment, file: &str, fails: &str, told: &str) -> Self {
        let mut parts = parts(assignment);
        for (number, part) in parts.iter_mut().enumerate() {
            part.told = if number == 0 { shortened(told) } else { "not run".to_owned() };
        }
        let exercise = &assignment.exercise;
        Self {
            file: file.to_owned(),
            assignment: exercise.name.clone(),
            points: 0,
            of: exercise.points(),
            fails: Some(fails.to_owned()),
            parts,
        }
    }

    fn judged(
        assignment: &Assignment,
        file: &str,
        version: &Version,
        judgement: &Judgement,
    ) -> Self {
        let mut parts = parts(assignment);
        let found = judgement.mistakes.iter().find(|mistake| mistake.kind.is_found());
        let sizes = version.stages.len();
        let is_right = |product: &SizeResult| product.is_right == Some(true);
        let products = &judgement.products;
        let all_right = products.len() == sizes && products.iter().all(is_right);
        for (number, part) in parts.iter_mut().enumerate() {
            let (passed, told) = match number.cmp(&sizes) {
                Ordering::Less => right(assignment, judgement, number),
                Ordering::Equal => match found {
                    Some(found) => (false, finding(assignment, found)),
                    // A kernel that does nothing does nothing wrong.
                    None if !all_right => (false, "counts once C is right".to_owned()),
                    None => (true, NOTHING_FOUND.to_owned()),
                },
                Ordering::Greater => goal(judgement, number - sizes - 1),
            };
            (part.passed, part.told) = (passed, shortened(&told));
            part.points = if passed { part.of } else { 0 };
        }
        let first = parts.iter().find(|part| !part.passed);
        let fault = |mistake: &&Mistake| mistake.kind == MistakeKind::Fault;
        let runs = found.filter(fault).map(|_| "runs".to_owned());
        Self {
            file: file.to_owned(),
            assignment: assignment.exercise.name.clone(),
            points: parts.iter().map(|part| part.points).sum(),
            of: assignment.exercise.points(),
            fails: runs.or_else(|| first.map(|part| part.id.clone())),
            parts,
        }
    }
}

/// What is said where the checks find nothing.
const NOTHING_FOUND: &str =
    "no race in any order of the warps, no barrier left out, no access outside";

/// What is said of a goal while something else is wrong.
const NOT_COUNTED: &str = "counts once C is right and the checks find nothing";

/// Whether a goal is met, by its number.
fn goal(judgement: &Judgement, number: usize) -> (bool, String) {
    let Some(goal) = judgement.goals.get(number) else { return (false, NOT_COUNTED.to_owned()) };
    let Some(now) = &goal.now else { return (false, NOT_COUNTED.to_owned()) };
    let missed = |it: &&Mistake| it.kind == MistakeKind::Goal(number);
    let why = judgement.mistakes.iter().find(missed);
    let why = why.map_or_else(String::new, |why| format!(". {}", why.why));
    (goal.is_met == Some(true), format!("{now}; the goal is {}{why}", goal.limit))
}

/// Whether C is right at a size, by its number.
fn right(assignment: &Assignment, judgement: &Judgement, number: usize) -> (bool, String) {
    let Some(size) = assignment.sizes.get(number) else { return (false, String::new()) };
    let product = judgement.products.iter().find(|product| product.size == *size);
    let Some(product) = product else {
        return (false, "not run, since a block cannot continue at another size".to_owned());
    };
    match product.is_right {
        Some(true) => (true, "right".to_owned()),
        _ if assignment.is_hidden(number) => (false, product.verdict.to_string()),
        _ => {
            let Wrong { elements, of, .. } = product.wrong;
            let what = judgement
                .mistakes
                .iter()
                .find(|it| it.kind == MistakeKind::WrongProduct && it.stage == number);
            let counted = format!("{}: {elements} of {of} elements", product.verdict);
            (false, what.map_or(counted, |mistake| format!("{} {}", mistake.what, mistake.why)))
        }
    }
}

/// What was found; at a hidden size without what tells that size.
fn finding(assignment: &Assignment, mistake: &Mistake) -> String {
    if !assignment.is_hidden(mistake.stage) {
        return format!("{} {}", mistake.what, mistake.why);
    }
    let kind = mistake.what.split(':').next().unwrap_or_default();
    let kind = kind.split(" at ").next().unwrap_or_default();
    let line = mistake.line.map_or_else(String::new, |line| format!(", line {line}"));
    format!("{kind} at a hidden size{line}")
}

/// What is judged, with no points so far.
fn parts(assignment: &Assignment) -> Vec<GradedPart> {
    let rubric = &assignment.exercise.rubric;
    let part = |id: &str, name: String, of: u32, hidden: bool| GradedPart {
        id: id.to_owned(),
        name,
        points: 0,
        of,
        passed: false,
        told: String::new(),
        hidden,
    };
    let seen = rubric.sizes.len();
    let sizes = assignment.sizes.iter().enumerate().map(|(number, size)| {
        let hidden = assignment.is_hidden(number);
        let name = if hidden {
            format!("C at hidden size {}", number + 1 - seen)
        } else {
            format!("C at {size}")
        };
        part("right", name, rubric.right, hidden)
    });
    let sound = part("sound", "nothing found".to_owned(), rubric.sound, false);
    let goals = rubric.goals.iter();
    let goals = goals.map(|goal| part(&goal.id, goal.label.clone(), goal.points, false));
    sizes.chain([sound]).chain(goals).collect()
}

/// The beginning of a message that is too long.
fn shortened(text: &str) -> String {
    if text.len() <= MOST {
        return text.to_owned();
    }
    let end = (0..=MOST).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    format!("{} ...", &text[..end])
}
