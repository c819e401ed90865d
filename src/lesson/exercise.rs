//! An exercise: a kernel that a learner writes or mends, and what is judged of it.
//!
//! ```text
//! lessons/exercises/E1-coalesce/   task.md, rubric.toml, solution.cu, changes.toml  --read--> Exercise
//! Exercise with inputs = Assignment --version--> Version --Judgement--> mistakes, goals --grade--> Grade
//! ```
//!
//! The screen on which a file is edited, `course grade` and `course check` ask the same `Judgement`.
//! The starter and the wrong tries are no files: they are made from the solution, by changes of its
//! text as those of the course's kernels are, so that they cannot drift apart.

pub mod assignment;
pub mod goals;
pub mod grade;
pub mod prove;
pub mod read;

use super::expr::Query;
use crate::matrix::Size;
use crate::own::launch::StatedLaunch;

/// An exercise as its folder has it.
#[derive(Clone, Debug)]
pub struct Exercise {
    /// `E1`, by which a learner calls it.
    pub id: String,
    /// The name of its folder: `E1-coalesce`.
    pub name: String,
    pub title: String,
    /// What is to be done, paragraph by paragraph.
    pub task: Vec<String>,
    /// Each says more than the one before; the last names the line.
    pub hints: Vec<String>,
    pub rubric: Rubric,
    pub solution: String,
    /// What a learner begins with.
    pub starter: String,
    /// Tries that fail, each for a reason of its own.
    pub wrong: Vec<WrongTry>,
}

/// What is judged, and for how many points.
#[derive(Clone, Debug)]
pub struct Rubric {
    /// How the kernel is launched, whatever the submission says.
    pub launch: StatedLaunch,
    /// The sizes that everybody sees; costs are counted at the first.
    pub sizes: Vec<Size>,
    /// How many more are drawn when it is graded.
    pub hidden: usize,
    /// The points for C at each size.
    pub right: u32,
    /// The points for a run in which the checks find nothing, at any size.
    pub sound: u32,
    /// What counts once C is right and nothing was found.
    pub goals: Vec<ExerciseGoal>,
    /// The kernel of the catalogue that is like the solution: its picture, its recorded time.
    pub like: String,
    /// Whether the naive kernel meets the goals.
    pub is_naive: bool,
}

/// A cost that has to stay within a limit.
#[derive(Clone, Debug)]
pub struct ExerciseGoal {
    pub id: String,
    /// What is counted, as the table calls it.
    pub label: String,
    pub points: u32,
    /// A comparison: what is counted, and its limit.
    pub want: Query,
    /// What it means to miss it.
    pub why: String,
}

#[derive(Clone, Debug)]
pub struct WrongTry {
    pub id: String,
    /// What is wrong with it.
    pub title: String,
    pub text: String,
    /// What it fails first: `compiles`, `runs`, `right`, `sound`, or a goal.
    pub fails: String,
}

impl Exercise {
    pub fn points(&self) -> u32 {
        let Rubric { sizes, hidden, right, sound, goals, .. } = &self.rubric;
        let sizes = (sizes.len() + hidden) as u32;
        right * sizes + sound + goals.iter().map(|goal| goal.points).sum::<u32>()
    }

    /// Whether it is called so: by its id or by its folder, in any case.
    pub fn is_called(&self, name: &str) -> bool {
        [&self.id, &self.name].iter().any(|own| own.eq_ignore_ascii_case(name))
    }
}
