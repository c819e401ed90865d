//! The work on an edited file outside the state: watching, compiling, judging, and what comes of it.

use super::command::EditorError;
use super::{CompileFailure, EditGoal};
use crate::analysis::vectorise::SmemVectorisation;
use crate::file::watch::{self, FileWatch};
use crate::lesson::edit::copy::{self, KernelCopy};
use crate::lesson::edit::judgement::{Judgement, searched};
use crate::lesson::edit::mistake::MistakeKind;
use crate::lesson::edit::version::{EditRequest, Version};
use crate::sim::Order;
use crate::tui::kernel_cache::Loaded;
use crate::work::WorkToken;
use cudac::{Error, LARGEST};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Work on an edited file.
#[derive(Debug)]
pub enum EditJob {
    /// Look at the file again and again, until nobody edits it any more.
    Watch(Box<FileWatch>, WorkToken),
    /// Compile and judge a text.
    Compile(Box<Compiling>),
    /// Open the file in the user's editor, at a line.
    Open(PathBuf, Option<u32>),
    /// Read the file now.
    Look(PathBuf),
    /// Write a kernel to a new file.
    Copy(Box<KernelCopy>),
}

/// What has come of it.
#[derive(Debug)]
pub enum EditEvent {
    /// Something happened to this file, at this time.
    File(PathBuf, watch::FileEvent, String),
    /// The text of this number compiles, or does not.
    Compiled(u64, Box<Result<Built, CompileFailure>>),
    /// What the version of this number does.
    Judged(u64, Box<Judgement>),
    /// What the version of this number is to do in the end, if that is known.
    Goal(u64, Option<Box<EditGoal>>),
    /// What other orders of its warps do.
    Searched(u64, String),
    /// The editor has ended, or could not be started for this reason.
    Left(Result<(), EditorError>),
    /// The copy has been written and read, or not for this reason.
    Copied(Result<Box<Opened>, CopyError>),
}

/// Why a copy is not made.
#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    /// It does not compile.
    #[error("{}", .0.message)]
    Source(Error),
    #[error(transparent)]
    File(#[from] io::Error),
}

/// A file with its first text.
#[derive(Debug)]
pub struct Opened {
    /// The file.
    pub path: PathBuf,
    /// What the command line says of it.
    pub request: EditRequest,
    pub text: String,
    pub read: String,
    /// What looks at it from now on; a text without a file has none.
    pub watch: Option<Box<FileWatch>>,
}

/// A text to be compiled and judged.
#[derive(Debug)]
pub struct Compiling {
    pub number: u64,
    pub text: String,
    pub saved: String,
    /// What the command line says of it.
    pub request: EditRequest,
    /// The number of the stage that is shown.
    pub stage: usize,
    /// The order of the warps in runs that are shown.
    pub order: Order,
    /// The goal that is known already.
    pub goal: Option<EditGoal>,
    /// Cancelled once there is a newer text.
    pub token: WorkToken,
}

/// A version that is ready to be shown.
#[derive(Debug)]
pub struct Built {
    pub version: Arc<Version>,
    pub saved: String,
    /// The number of the stage that is to be shown.
    pub stage: usize,
    /// The kernel of this stage.
    pub loaded: Loaded,
    /// The order of its warps.
    pub order: Order,
}

impl Opened {
    /// Reads a file, now.
    ///
    /// # Errors
    /// It cannot be read, for this reason.
    pub fn read(path: PathBuf, request: EditRequest, now: String) -> io::Result<Self> {
        let mut watch = Box::new(watched(path.clone()));
        let text = watch.read()?;
        Ok(Self { path, request, text, read: now, watch: Some(watch) })
    }

    /// Writes a copy of a kernel into the current folder, and reads it.
    fn copy(copy: &KernelCopy, now: String) -> Result<Self, CopyError> {
        let request = EditRequest { file: format!("{}.cu", copy.name), ..EditRequest::default() };
        Version::of(&copy.text, &request).map_err(|unready| CopyError::Source(unready.into()))?;
        let path = copy::write(Path::new("."), copy)?;
        let path = path.strip_prefix(".").map(Path::to_owned).unwrap_or(path);
        let request = EditRequest { file: file_name(&path), ..EditRequest::default() };
        Ok(Self::read(path, request, now)?)
    }
}

/// The name of a file without its folders.
pub fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// A file that is looked at, as far as it can be compiled.
fn watched(path: PathBuf) -> FileWatch {
    FileWatch::new(path, LARGEST as u64)
}

/// Reads a file now, whether or not it is watched.
pub fn look(path: PathBuf, now: String) -> EditEvent {
    let read = watched(path.clone()).read();
    let unreadable = |error: io::Error| watch::FileEvent::Unreadable(error.to_string());
    EditEvent::File(path, read.map_or_else(unreadable, watch::FileEvent::Saved), now)
}

/// Writes a copy of a kernel.
pub fn copied(copy: &KernelCopy, now: String) -> EditEvent {
    EditEvent::Copied(Opened::copy(copy, now).map(Box::new))
}

impl Compiling {
    /// Compiles the text, then judges it, then searches orders of the warps if it races; tells
    /// each as soon as it is known, until there is a newer text.
    pub fn run(self, mut tell: impl FnMut(EditEvent)) {
        let Self { number, text, saved, request, stage, order, goal, token } = self;
        if token.is_cancelled() {
            return;
        }
        let version = match Version::of(&text, &request) {
            Ok(version) => Arc::new(version),
            Err(unready) => {
                let broken = CompileFailure { text, error: unready.into(), saved };
                return tell(EditEvent::Compiled(number, Box::new(Err(broken))));
            }
        };
        let stage = stage.min(version.stages.len().saturating_sub(1));
        let Some(loaded) = loaded(&version, stage) else { return };
        let warps = loaded.problem.launch.warps();
        let fits = order.fits(&loaded.program, warps).is_ok();
        let order = if fits { order } else { Order::ByPhase };
        let built = {
            let (version, order) = (Arc::clone(&version), order.clone());
            Built { version, saved, stage, loaded, order }
        };
        tell(EditEvent::Compiled(number, Box::new(Ok(built))));
        let Some(judgement) = Judgement::of(&version, &order, &token) else { return };
        let races = judgement.mistakes.iter().any(|mistake| mistake.kind == MistakeKind::Unsound);
        tell(EditEvent::Judged(number, Box::new(judgement)));
        let goal = EditGoal::of(&version, goal, &token);
        tell(EditEvent::Goal(number, goal.map(Box::new)));
        let searches = races && !token.is_cancelled();
        if let Some(orders) = searches.then(|| searched(&version, &token)).flatten() {
            tell(EditEvent::Searched(number, orders));
        }
    }
}

/// The kernel of a stage, ready to run.
pub fn loaded(version: &Version, stage: usize) -> Option<Loaded> {
    let stage = version.stages.get(stage)?;
    let (problem, program) = (stage.problem.clone(), Arc::clone(&stage.program));
    let joins = Arc::new(SmemVectorisation::of(&program));
    Some(Loaded { problem, program, joins })
}
