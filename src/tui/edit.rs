//! A kernel that the user edits in an editor of their own: what its text panel says.
//!
//! ```text
//! file --watch--> FileEvent --hear--> Task::Edit(Compile) --compile--> Built, Judged, Searched --hear-->
//!                                                                        the picture, the table
//! ```

pub mod command;
pub mod job;

use crate::lesson::edit::goal::goal;
use crate::lesson::edit::judgement::Judgement;
use crate::lesson::edit::mistake::Mistake;
use crate::lesson::edit::version::{EditRequest, Version};
use crate::lesson::exercise::Exercise;
use crate::sim::Order;
use crate::work::{WorkOwner, WorkToken};
use cudac::Error;
use std::path::PathBuf;
use std::sync::Arc;

/// The file that is edited, and its versions.
#[derive(Debug)]
pub struct Editing {
    /// The file.
    pub path: PathBuf,
    /// What the command line says of it.
    pub request: EditRequest,
    /// Whether it is looked at again and again.
    pub is_watched: bool,
    /// The version that is shown, or `None` if none has compiled so far.
    pub shown: Option<ShownVersion>,
    pub before: Option<PreviousVersion>,
    /// What the first version that compiled does, with which the others are compared unless there
    /// is a goal.
    pub first: Option<Judgement>,
    /// What it is to do in the end, if that is known.
    pub goal: Option<EditGoal>,
    /// The text that does not compile, if the newest does not.
    pub broken: Option<CompileFailure>,
    /// What has become of the file, if it cannot be read.
    pub lost: Option<String>,
    /// The mistake that is looked at.
    pub mistake: usize,
    /// Whether its place has been gone to.
    pub is_visited: bool,
    /// What the panel shows.
    pub page: EditPage,
    /// The hints of the exercise that were asked for.
    pub hints: usize,
    /// The first line in view.
    pub scroll: u16,
    /// The number of versions that have compiled.
    pub versions: u64,
    /// The newest text, whether or not it compiles.
    pub newest: String,
    /// The number of that text.
    pub number: u64,
    /// The work on the newest text.
    pub judging: WorkOwner,
    /// The file is watched until it is dropped.
    pub watching: WorkOwner,
    /// Whether the picture goes to the first mistake as soon as that is known.
    pub begins: bool,
}

/// A version on the screen.
#[derive(Debug)]
pub struct ShownVersion {
    pub version: Arc<Version>,
    /// When it was saved: `10:42:07`.
    pub saved: String,
    /// The number of the stage whose run is shown.
    pub stage: usize,
    /// What it does, as soon as that is known.
    pub judgement: Option<Judgement>,
    /// The order of the warps in the runs of its mistakes.
    pub order: Order,
    /// What other orders of its warps do, if it races and as soon as that is known.
    pub orders: Option<String>,
}

/// What is kept of the version before.
#[derive(Debug)]
pub struct PreviousVersion {
    pub text: String,
    pub judgement: Option<Judgement>,
}

/// What a kernel is to do in the end.
#[derive(Clone, Debug)]
pub struct EditGoal {
    /// What does that.
    pub version: Arc<Version>,
    pub judgement: Judgement,
}

/// A text that does not compile.
#[derive(Clone, Debug)]
pub struct CompileFailure {
    pub text: String,
    /// What is wrong with it.
    pub error: Error,
    pub saved: String,
}

/// What the panel shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EditPage {
    /// The table, and what is wrong.
    #[default]
    Table,
    /// What changed since the save before.
    Difference,
    /// The task of the exercise, with the hints that were asked for.
    Task,
    /// A solution of the exercise, as what differs from it.
    Solution,
}

impl EditPage {
    /// Whether it is a text to be read, and no table.
    pub const fn is_read(self) -> bool {
        matches!(self, Self::Task | Self::Solution)
    }
}

impl Editing {
    /// A file of which no version has been compiled.
    pub fn new(path: PathBuf, request: EditRequest, is_watched: bool) -> Self {
        let is_exercise = request.assignment.is_some();
        Self {
            path,
            request,
            is_watched,
            shown: None,
            before: None,
            first: None,
            goal: None,
            broken: None,
            lost: None,
            mistake: 0,
            is_visited: false,
            page: if is_exercise { EditPage::Task } else { EditPage::default() },
            hints: 0,
            scroll: 0,
            versions: 0,
            newest: String::new(),
            number: 0,
            judging: WorkOwner::default(),
            watching: WorkOwner::default(),
            begins: true,
        }
    }

    /// The mistakes of the version that is shown, if they are known.
    pub fn mistakes(&self) -> Option<&[Mistake]> {
        let judgement = self.shown.as_ref()?.judgement.as_ref()?;
        Some(&judgement.mistakes)
    }

    /// The mistake that is looked at.
    pub fn mistake(&self) -> Option<&Mistake> {
        self.mistakes()?.get(self.mistake)
    }

    /// The line at which to edit: that of the error, or of the mistake that is looked at.
    pub fn line(&self) -> Option<u32> {
        match &self.broken {
            Some(broken) => Some(broken.error.line).filter(|line| *line > 0),
            None => self.mistake()?.line,
        }
    }

    /// The exercise that it is to solve.
    pub fn exercise(&self) -> Option<&Exercise> {
        self.request.assignment.as_ref().map(|assignment| &*assignment.exercise)
    }

    /// Whether the version that is shown solves the exercise.
    pub fn is_solved(&self) -> bool {
        let judgement = self.shown.as_ref().and_then(|shown| shown.judgement.as_ref());
        self.broken.is_none() && judgement.is_some_and(Judgement::is_solved)
    }

    /// What the status bar says of the file.
    pub fn status(&self) -> String {
        let file = &self.request.file;
        let shown = self.shown.as_ref().map(|shown| minutes(&shown.saved));
        let version = shown.map_or_else(String::new, |at| format!(": showing the version of {at}"));
        match (&self.lost, &self.broken) {
            (Some(why), _) => format!("{file} {why}{version}"),
            (None, Some(CompileFailure { error, .. })) if error.line > 0 => {
                format!("line {} does not compile{version}", error.line)
            }
            (None, Some(_)) => format!("{file} cannot be launched{version}"),
            (None, None) if self.is_watched => format!("{file}, watched"),
            (None, None) => file.clone(),
        }
    }

    /// What the sentence says while no version has compiled.
    pub fn blank(&self) -> Option<String> {
        if self.shown.is_some() {
            return None;
        }
        let file = &self.request.file;
        Some(match &self.broken {
            Some(_) => format!("{file} does not compile yet: change it, and save it."),
            None => format!("{file} is being compiled."),
        })
    }
}

impl EditGoal {
    /// The goal of a version: the known one again, unless it is another one.
    pub fn of(version: &Version, known: Option<Self>, token: &WorkToken) -> Option<Self> {
        let version = goal(version)?;
        let same = |known: &Self| known.version.is_as(&version);
        if let Some(known) = known.filter(same) {
            return Some(known);
        }
        let judgement = Judgement::of(&version, &Order::ByPhase, token)?;
        Some(Self { version: Arc::new(version), judgement })
    }
}

/// `10:42` of `10:42:07`.
fn minutes(time: &str) -> &str {
    time.rsplit_once(':').map_or(time, |(minutes, _)| minutes)
}
