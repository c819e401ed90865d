//! Reads exercises: those that matviz brings, or a teacher's folder.

use super::{Exercise, ExerciseGoal, Rubric, WrongTry};
use crate::file;
use crate::kernel;
use crate::lesson::change::{Edit, edited};
use crate::lesson::error::EditError;
use crate::lesson::expr::{Binary, Query, QueryNode};
use crate::lesson::read::exercises as shipped_files;
use crate::matrix::Size;
use crate::own::launch::StatedLaunch;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::OnceLock;

/// The files of an exercise.
pub const FILES: [&str; 4] = ["task.md", "rubric.toml", "solution.cu", "changes.toml"];

/// The most bytes of a file of an exercise.
const MOST: u64 = 64 << 10;

/// The most letters of a goal's label, which stands in a table.
const WIDEST: usize = 20;

/// What is judged before any goal.
pub const BEFORE_GOALS: [&str; 4] = ["compiles", "runs", "right", "sound"];

/// What is wrong with an exercise's files.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}: {told}")]
pub struct ExerciseError {
    /// The file, in the folder of the exercises.
    pub file: String,
    pub told: String,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct RubricKeys {
    launch: String,
    sizes: Vec<String>,
    hidden: usize,
    right: u32,
    sound: u32,
    like: String,
    #[serde(default)]
    is_naive: bool,
    goal: Vec<GoalKeys>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct GoalKeys {
    id: String,
    points: u32,
    want: String,
}

/// `changes.toml`: what is made from the solution.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct ChangesKeys {
    starter: StarterKeys,
    #[serde(default)]
    wrong: Vec<WrongKeys>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct StarterKeys {
    edit: Vec<Edit>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct WrongKeys {
    id: String,
    /// What it fails first.
    fails: String,
    title: String,
    edit: Vec<Edit>,
}

impl ExerciseError {
    /// Something that is wrong in a file that is yet to be named.
    fn new(told: impl Into<String>) -> Self {
        Self { file: String::new(), told: told.into() }
    }

    fn within(self, file: String) -> Self {
        Self { file, ..self }
    }
}

type Result<T> = std::result::Result<T, ExerciseError>;

/// The files of an exercise, by their paths in its folder.
type ExerciseFiles = BTreeMap<String, String>;

/// The exercises that matviz brings.
///
/// # Errors
/// None, unless one of them is broken.
pub fn shipped() -> std::result::Result<&'static [Exercise], &'static ExerciseError> {
    static ALL: OnceLock<Result<Vec<Exercise>>> = OnceLock::new();
    ALL.get_or_init(read_shipped).as_deref()
}

fn read_shipped() -> Result<Vec<Exercise>> {
    let mut folders: BTreeMap<&str, ExerciseFiles> = BTreeMap::new();
    for (path, text) in shipped_files() {
        let Some((name, file)) = path.split_once('/') else { continue };
        folders.entry(name).or_default().insert(file.to_owned(), text.to_owned());
    }
    folders.into_iter().map(|(name, files)| exercise(name, &files)).collect()
}

/// The exercise in a folder.
///
/// # Errors
/// What is missing or wrong in it.
pub fn folder(path: &Path) -> Result<Exercise> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut files = ExerciseFiles::new();
    for file in FILES {
        let failed = |told: String| ExerciseError { file: format!("{name}/{file}"), told };
        if !file::is_ordinary(&path.join(file)).unwrap_or(false) {
            continue;
        }
        let bytes = file::read(&path.join(file), MOST).map_err(|why| failed(why.to_string()))?;
        let text = String::from_utf8(bytes).ok();
        files.insert(file.to_owned(), text.ok_or_else(|| failed("it is not text".to_owned()))?);
    }
    exercise(&name, &files)
}

fn exercise(name: &str, files: &ExerciseFiles) -> Result<Exercise> {
    let failed = |file: &str, told: String| ExerciseError { file: format!("{name}/{file}"), told };
    let text = |file: &str| {
        let none = || failed(file, "this file of an exercise is missing".to_owned());
        files.get(file).ok_or_else(none)
    };
    let within = |file: &str| format!("{name}/{file}");
    let task = TaskText::read(text("task.md")?).map_err(|why| why.within(within("task.md")))?;
    let rubric = rubric(text("rubric.toml")?, &task);
    let rubric = rubric.map_err(|why| why.within(within("rubric.toml")))?;
    let solution = text("solution.cu")?;
    let changes = changes(text("changes.toml")?, solution, &rubric);
    let (starter, wrong) = changes.map_err(|why| why.within(within("changes.toml")))?;
    Ok(Exercise {
        id: name.split('-').next().unwrap_or(name).to_owned(),
        name: name.to_owned(),
        title: task.title,
        task: task.paragraphs,
        hints: task.hints,
        wrong,
        rubric,
        solution: solution.clone(),
        starter,
    })
}

/// The starter and the wrong tries, made from the solution.
fn changes(text: &str, solution: &str, rubric: &Rubric) -> Result<(String, Vec<WrongTry>)> {
    let keys: ChangesKeys =
        toml::from_str(text).map_err(|error| ExerciseError::new(error.to_string()))?;
    let made = |id: &str, edits: &[Edit]| {
        let failed = |why: EditError| ExerciseError::new(format!("`{id}`: {why}"));
        edited(solution, edits).map_err(failed)
    };
    let known = |fails: &str| {
        BEFORE_GOALS.contains(&fails) || rubric.goals.iter().any(|goal| goal.id == fails)
    };
    let wrong = keys.wrong.into_iter().map(|WrongKeys { id, fails, title, edit }| {
        if !known(&fails) {
            let told = format!("`{id}`: `fails` is {}, or a goal", BEFORE_GOALS.join(", "));
            return Err(ExerciseError::new(told));
        }
        Ok(WrongTry { text: made(&id, &edit)?, id, title, fails })
    });
    let wrong = wrong.collect::<Result<_>>()?;
    Ok((made("starter", &keys.starter.edit)?, wrong))
}

fn rubric(text: &str, task: &TaskText) -> Result<Rubric> {
    let keys: RubricKeys =
        toml::from_str(text).map_err(|error| ExerciseError::new(error.to_string()))?;
    let launch = StatedLaunch::read(&keys.launch);
    let launch = launch.map_err(|why| ExerciseError::new(why.to_string()))?;
    if launch.entry.is_none() || launch.block.is_none() || launch.args.is_none() {
        return Err(ExerciseError::new("`launch` names the kernel, its blocks and its arguments"));
    }
    let size = |text: &String| text.parse::<Size>();
    let sizes: std::result::Result<Vec<_>, _> = keys.sizes.iter().map(size).collect();
    let sizes = sizes.map_err(|why| ExerciseError::new(why.to_string()))?;
    let alike = |Size { m, n, k }: &Size| m == n || n == k || m == k;
    if sizes.is_empty() || sizes.iter().any(alike) {
        let told = "`sizes`: give one or more, with M, N and K all different";
        return Err(ExerciseError::new(told));
    }
    if kernel::find(&keys.like).is_none() {
        return Err(ExerciseError::new(format!("`like`: there is no kernel `{}`", keys.like)));
    }
    let goals = keys.goal.into_iter().map(|goal| task.goal(goal)).collect::<Result<_>>()?;
    let RubricKeys { hidden, right, sound, like, is_naive, .. } = keys;
    Ok(Rubric { launch, sizes, hidden, right, sound, goals, like, is_naive })
}

/// What `task.md` holds: `# Title`, the task, `## Hints` as a list, and `## id: label` for each goal.
struct TaskText {
    title: String,
    paragraphs: Vec<String>,
    hints: Vec<String>,
    /// The label and the text of each goal.
    goals: BTreeMap<String, (String, String)>,
}

impl TaskText {
    fn read(text: &str) -> Result<Self> {
        let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
        let none = || ExerciseError::new("it begins with `# ` and a title");
        let title = first.strip_prefix("# ").ok_or_else(none)?;
        let mut parts = rest.split("\n## ");
        let paragraphs = paragraphs(parts.next().unwrap_or_default());
        let (mut hints, mut goals) = (Vec::new(), BTreeMap::new());
        for part in parts {
            let (head, body) = part.split_once('\n').unwrap_or((part, ""));
            if head.trim() == "Hints" {
                hints = paragraphs_of_list(body);
                continue;
            }
            let none = || ExerciseError::new("a goal's heading is `## id: label`");
            let (id, label) = head.split_once(": ").ok_or_else(none)?;
            let why = self::paragraphs(body).join(" ");
            goals.insert(id.trim().to_owned(), (label.trim().to_owned(), why));
        }
        if paragraphs.is_empty() || hints.len() != 3 {
            let told = "it has a task, and three hints as a list below `## Hints`";
            return Err(ExerciseError::new(told));
        }
        Ok(Self { title: title.trim().to_owned(), paragraphs, hints, goals })
    }

    fn goal(&self, keys: GoalKeys) -> Result<ExerciseGoal> {
        let GoalKeys { id, points, want } = keys;
        let wrong = |told: &str| ExerciseError::new(format!("goal `{id}`: {told}"));
        let none = || wrong(&format!("task.md has no `## {id}: label` with its text"));
        let (label, why) = self.goals.get(&id).ok_or_else(none)?.clone();
        let want = Query::query(want, 0..0);
        let meaning = want.meaning().map_err(|why| wrong(&why.to_string()))?;
        let compares = matches!(
            &meaning.node,
            QueryNode::Binary(Binary::AtMost | Binary::AtLeast | Binary::Equal, _)
        );
        if label.chars().count() > WIDEST {
            return Err(wrong(&format!("`{label}` has more than {WIDEST} letters for a table")));
        }
        if !compares {
            return Err(wrong("`want` compares with `<=`, `>=` or `==`"));
        }
        Ok(ExerciseGoal { id, label, points, want, why })
    }
}

/// The paragraphs of a text, each in one line.
fn paragraphs(text: &str) -> Vec<String> {
    let one = |part: &str| part.split_whitespace().collect::<Vec<_>>().join(" ");
    text.split("\n\n").map(one).filter(|part| !part.is_empty()).collect()
}

/// The items of a numbered list.
fn paragraphs_of_list(text: &str) -> Vec<String> {
    let mut items: Vec<String> = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let number = line.split_once(". ").filter(|(head, _)| head.parse::<u32>().is_ok());
        match (number, items.last_mut()) {
            (Some((_, item)), _) => items.push(item.trim().to_owned()),
            (None, Some(item)) => *item = format!("{item} {}", line.trim()),
            (None, None) => {}
        }
    }
    items
}
