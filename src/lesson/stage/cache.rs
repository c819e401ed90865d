//! The stages that were asked about, so that each run is made once.

use super::{Stage, block_of};
use crate::lesson::clock::Clock;
use crate::lesson::setting::{BlockChoice, Setting};
use crate::lesson::unanswered::Unanswered;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;

/// The stages that are kept; a page asks a few.
const KEPT: usize = 32;

/// A cache of stages, the last one asked about at the end. A copy has the same stages: what one of
/// them has run, the other need not.
#[derive(Clone, Debug, Default)]
pub struct Stages {
    all: RefCell<Vec<Rc<Stage>>>,
    clock: Option<Arc<dyn Clock>>,
    /// Whether its times are taken.
    is_timed: Cell<bool>,
}

impl Stages {
    /// An empty one.
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty one whose times are measured, where that can be done.
    pub fn timed_by(clock: Option<Arc<dyn Clock>>) -> Self {
        Self { clock, ..Self::default() }
    }

    /// Who measures times, if somebody does.
    pub fn clock(&self) -> Option<&Arc<dyn Clock>> {
        self.clock.as_ref()
    }

    /// From here on times are measured ones if all that were asked for are known by now, else
    /// recorded ones.
    pub fn look_at_clock(&self) {
        self.is_timed.set(self.clock.as_ref().is_some_and(|clock| clock.is_ready()));
    }

    /// Whether measured times are taken.
    pub fn is_timed(&self) -> bool {
        self.is_timed.get()
    }

    /// The stage of a setting.
    ///
    /// # Errors
    /// The setting cannot be run: see [`Stage::of`].
    pub fn of(&self, setting: &Setting) -> Result<Rc<Stage>, Unanswered> {
        let mut all = self.all.borrow_mut();
        if let Some(at) = all.iter().position(|stage| stage.setting == *setting) {
            let stage = all.remove(at);
            all.push(Rc::clone(&stage));
            return Ok(stage);
        }
        let like = all.iter().rfind(|stage| alike(&stage.setting, setting)).map(Rc::clone);
        let stage = like.map_or_else(|| Stage::of(setting), |like| beside(&all, &like, setting));
        let stage = Rc::new(stage.map_err(Unanswered::new)?);
        if all.len() == KEPT {
            all.remove(0);
        }
        all.push(Rc::clone(&stage));
        Ok(stage)
    }
}

/// The stage of a setting whose grid is that of another.
fn beside(all: &[Rc<Stage>], like: &Stage, setting: &Setting) -> Result<Stage, String> {
    let block = block_of(setting, &like.grid)?;
    let same_run =
        |stage: &&Rc<Stage>| Rc::ptr_eq(&stage.grid, &like.grid) && stage.block() == block;
    let grid = Rc::clone(&like.grid);
    match all.iter().find(same_run) {
        Some(stage) => Stage::with_run(setting, grid, Rc::clone(&stage.run)),
        None => Stage::with_grid(setting, grid),
    }
}

/// Whether two settings differ in nothing but what is watched.
fn alike(one: &Setting, other: &Setting) -> bool {
    let unwatched =
        |setting: &Setting| Setting { block: BlockChoice::Middle, warp: None, ..setting.clone() };
    unwatched(one) == unwatched(other)
}
