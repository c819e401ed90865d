//! The work on an edited file outside the state: watching, compiling, judging, and what comes of it.

use super::{Broken, Goal};
use crate::analysis::vectorise::SmemVectorisation;
use crate::lesson::edit::copy::{self, Copy};
use crate::lesson::edit::judgement::{Judgement, searched};
use crate::lesson::edit::mistake::Kind;
use crate::lesson::edit::version::{Version, Wish};
use crate::lesson::edit::watch::{self, Watch};
use crate::sim::Order;
use crate::tui::kernel_cache::Loaded;
use crate::work::WorkToken;
use cudac::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Work on an edited file.
#[derive(Debug)]
pub enum Job {
    /// Look at the file again and again, until nobody edits it any more.
    Watch(Box<Watch>, WorkToken),
    /// Compile and judge a text.
    Compile(Box<Compiling>),
    /// Open the file in the user's editor, at a line.
    Open(PathBuf, Option<u32>),
    /// Read the file now.
    Look(PathBuf),
    /// Write a kernel to a new file.
    Copy(Box<Copy>),
}

/// What has come of it.
#[derive(Debug)]
pub enum News {
    /// Something happened to this file, at this time.
    File(PathBuf, watch::News, String),
    /// The text of this number compiles, or does not.
    Compiled(u64, Box<Result<Built, Broken>>),
    /// What the version of this number does.
    Judged(u64, Box<Judgement>),
    /// What the version of this number is to do in the end, if that is known.
    Goal(u64, Option<Box<Goal>>),
    /// What other orders of its warps do.
    Searched(u64, String),
    /// The editor has ended, or could not be started for this reason.
    Left(Result<(), String>),
    /// The copy has been written and read, or not for this reason.
    Copied(Result<Box<Opened>, String>),
}

/// A file with its first text.
#[derive(Debug)]
pub struct Opened {
    /// The file.
    pub path: PathBuf,
    /// What the command line says of it.
    pub wish: Wish,
    pub text: String,
    /// When it was read.
    pub read: String,
    /// What looks at it from now on, unless nothing is to.
    pub watch: Option<Box<Watch>>,
}

/// A text to be compiled and judged.
#[derive(Debug)]
pub struct Compiling {
    pub number: u64,
    pub text: String,
    /// When it was saved.
    pub saved: String,
    /// What the command line says of it.
    pub wish: Wish,
    /// The number of the stage that is shown.
    pub stage: usize,
    /// The order of the warps in runs that are shown.
    pub order: Order,
    /// The goal that is known already.
    pub goal: Option<Goal>,
    /// Cancelled once there is a newer text.
    pub token: WorkToken,
}

/// A version that is ready to be shown.
#[derive(Debug)]
pub struct Built {
    pub version: Arc<Version>,
    /// When it was saved.
    pub saved: String,
    /// The number of the stage that is to be shown.
    pub stage: usize,
    /// The kernel of this stage.
    pub loaded: Loaded,
    /// The order of its warps.
    pub order: Order,
}

impl Opened {
    /// Reads a file.
    ///
    /// # Errors
    /// It cannot be read, for this reason.
    pub fn read(path: PathBuf, wish: Wish, is_watched: bool) -> Result<Self, String> {
        let mut watch = Watch::new(path.clone());
        let text = watch.read().map_err(|why| why.to_string())?;
        let watch = is_watched.then(|| Box::new(watch));
        Ok(Self { path, wish, text, read: now(), watch })
    }

    /// Writes a copy of a kernel into the current folder, and reads it.
    fn copy(copy: &Copy) -> Result<Self, String> {
        let wish = Wish { file: format!("{}.cu", copy.name), ..Wish::default() };
        Version::of(&copy.text, &wish).map_err(|unready| Error::from(unready).message)?;
        let written = copy::write(Path::new("."), copy);
        let path = written.map_err(|error| error.to_string())?;
        let path = path.strip_prefix(".").map(Path::to_owned).unwrap_or(path);
        Self::read(path.clone(), Wish { file: file_name(&path), ..Wish::default() }, true)
    }
}

/// The name of a file without its folders.
pub fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The time of day here.
pub fn now() -> String {
    jiff::Zoned::now().strftime("%H:%M:%S").to_string()
}

/// Looks at a file for as long as somebody edits it and listens.
pub fn watch(mut watch: Watch, edited: &WorkToken, mut tell: impl FnMut(News) -> bool) {
    while !edited.is_cancelled() {
        let (news, wait) = watch.look();
        let path = watch.path().to_owned();
        if news.is_some_and(|news| !tell(News::File(path, news, now()))) {
            return;
        }
        std::thread::sleep(wait);
    }
}

/// Reads a file now, whether or not it is watched.
pub fn look(path: PathBuf) -> News {
    let read = Watch::new(path.clone()).read();
    let unread = |why: watch::NotRead| watch::News::Unreadable(why.to_string());
    News::File(path, read.map_or_else(unread, watch::News::Saved), now())
}

/// Writes a copy of a kernel.
pub fn copied(copy: &Copy) -> News {
    News::Copied(Opened::copy(copy).map(Box::new))
}

impl Compiling {
    /// Compiles the text, then judges it, then searches orders of the warps if it races; tells
    /// each as soon as it is known, until there is a newer text.
    pub fn run(self, mut tell: impl FnMut(News)) {
        let Self { number, text, saved, wish, stage, order, goal, token } = self;
        if token.is_cancelled() {
            return;
        }
        let version = match Version::of(&text, &wish) {
            Ok(version) => Arc::new(version),
            Err(unready) => {
                let broken = Broken { text, error: unready.into(), saved };
                return tell(News::Compiled(number, Box::new(Err(broken))));
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
        tell(News::Compiled(number, Box::new(Ok(built))));
        let Some(judgement) = Judgement::of(&version, &order, &token) else { return };
        let races = judgement.mistakes.iter().any(|mistake| mistake.kind == Kind::Unsound);
        tell(News::Judged(number, Box::new(judgement)));
        let goal = Goal::of(&version, goal, &token);
        tell(News::Goal(number, goal.map(Box::new)));
        let searches = races && !token.is_cancelled();
        if let Some(orders) = searches.then(|| searched(&version, &token)).flatten() {
            tell(News::Searched(number, orders));
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
