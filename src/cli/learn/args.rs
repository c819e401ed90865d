//! The arguments of `matviz learn`, and the lessons that they name.

use super::screen;
use crate::cli::BadUse;
use crate::cli::form::FormArgs;
use crate::cli::names::{NameParser, meant};
use crate::lesson::document::Course;
use crate::lesson::{exercise, read};
use std::sync::LazyLock;

/// What is named in the place of a lesson to ask about a published number.
pub(super) const CLAIMS: &str = "claims";

/// Arguments of `matviz learn`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Lesson and page, for example 12 or 12.5, an exercise: E1, or claims [default: the first lesson that
    /// is not done]
    #[arg(value_name = "LESSON[.PAGE]|EXERCISE", value_parser = PLACE, hide_possible_values = true)]
    pub(super) place: Option<PageArg>,
    /// After `claims`: a published number, its kernel and a size: '16x fewer loads' tiled 4096
    #[arg(value_name = "CLAIM", conflicts_with_all = ["list", "progress", "from", "seed"])]
    pub(super) claim: Vec<String>,
    /// List the lessons, with what is done of them
    #[arg(long, conflicts_with = "place")]
    pub(super) list: bool,
    /// Print what you have answered; -o me.md writes it as a report to hand in
    #[arg(long, conflicts_with_all = ["place", "list", "from", "seed"])]
    pub(super) progress: bool,
    /// Of the progress only: unknown, the wrong answers that no known idea explains
    // What conflicts with --progress would waive that it is required.
    #[arg(long, value_name = "PART", value_parser = ["unknown"], requires = "progress",
          conflicts_with_all = ["place", "list", "reset", "from", "seed"],
          hide_possible_values = true)]
    pub(super) only: Option<String>,
    /// Forget a lesson, or all of them; a terminal asks first
    #[arg(long, value_name = "LESSON|all", conflicts_with_all = ["place", "list", "progress", "from", "seed", "no_progress"])]
    pub(super) reset: Option<String>,
    /// Seed of the numbers that questions have [default: your own]
    #[arg(long, value_name = "S", hide_short_help = true)]
    pub(super) seed: Option<u64>,
    #[command(flatten)]
    pub(super) screen: screen::Args,
    #[command(flatten)]
    pub(super) form: FormArgs,
}

const PLACE: NameParser<PageArg> = NameParser {
    of: || LESSON_NAMES.iter().map(|(id, title)| (id.as_str(), title.as_str())).collect(),
    parse: str::parse,
};

/// The lessons and exercises that matviz brings, by name, each with its title.
static LESSON_NAMES: LazyLock<Vec<(String, String)>> = LazyLock::new(|| {
    let lessons = read::shipped().0.lessons;
    let lessons = lessons.into_iter().map(|lesson| (lesson.id, lesson.title));
    let exercises = exercise::read::shipped().unwrap_or_default().iter();
    let exercises = exercises.map(|exercise| (exercise.id.clone(), exercise.title.clone()));
    let claims = (CLAIMS.to_owned(), "what a published number is true of".to_owned());
    lessons.chain(exercises).chain([claims]).collect()
});

/// A lesson, by its number or name, and a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PageArg {
    pub(super) lesson: String,
    pub(super) page: Option<usize>,
}

impl std::str::FromStr for PageArg {
    type Err = BadUse;

    fn from_str(text: &str) -> Result<Self, BadUse> {
        let (lesson, page) = match text.split_once('.') {
            None => (text, None),
            Some((lesson, page)) => (lesson, Some(page)),
        };
        let wrong =
            || BadUse(format!("`{text}` is not a lesson: give its number, or 12.5 for its page 5"));
        let page = page.map(str::parse).transpose();
        let page = page.ok().filter(|_| !lesson.is_empty()).ok_or_else(wrong)?;
        Ok(Self { lesson: lesson.to_owned(), page })
    }
}

/// The number of a lesson that was named by its number or name.
pub(super) fn number(course: &Course, named: &str) -> Result<u32, BadUse> {
    let by_name = course.lessons.iter().find(|lesson| lesson.id == named);
    let number = by_name.map(|lesson| lesson.number).or_else(|| named.parse().ok());
    number.ok_or_else(|| {
        let meant = meant(named, course.lessons.iter().map(|lesson| lesson.id.as_str()));
        BadUse(format!(
            "there is no lesson `{named}`: `matviz learn --list` lists the course{meant}"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(text: &str) -> Result<(String, Option<usize>), BadUse> {
        text.parse().map(|PageArg { lesson, page }| (lesson, page))
    }

    #[test]
    fn a_place_is_a_lesson_and_perhaps_a_page() {
        assert_eq!(place("12"), Ok(("12".to_owned(), None)));
        assert_eq!(place("12.5"), Ok(("12".to_owned(), Some(5))));
        assert_eq!(place("padding.5"), Ok(("padding".to_owned(), Some(5))));
        for wrong in ["12.", ".5", "12.x", "12.5.1", "12.-1"] {
            assert!(place(wrong).is_err(), "{wrong}");
        }
    }
}
