//! The runs that a setting decides, simulated when they are first asked about.
//!
//! ```text
//! Setting --problem--> Problem --of--> SettingRuns
//!   Grid   of all blocks: counts, findings, wrong elements of C, orders, who stores what
//!   Run    of the watched block: the recorded steps, the accesses of each instruction
//! ```
//!
//! Settings of one kernel at one size share the grid; those that watch one block share its recording as well.

mod accesses;
mod cache;
mod coverage;
mod evidence;
mod grid;
mod problem;
mod run;
mod tried;

pub use accesses::AccessSite;
pub use cache::SettingCache;
pub use coverage::{AccessTraffic, Coverage};
pub use evidence::{Evidence, LaneAccess};

use super::gap::Gap;
use super::proof::SpoilingOrder;
use super::query_error::QueryError;
use super::setting::Setting;
use crate::analysis::Counters;
use crate::analysis::check::Finding;
use crate::analysis::vectorise::SmemVectorisation;
use crate::kernel::{self, Problem, Tile};
use crate::launch::Dim3;
use crate::lesson::error::RunError;
use crate::lesson::judged::CheckedRun;
use crate::lesson::setting::KernelFrom;
use crate::matrix::Element;
use crate::matrix::judge::Wrong;
use crate::report::found::FindingInRun;
use crate::sim::{Order, Program};
use crate::study::value;
use crate::trace::{Replay, Trace};
use crate::work::WorkToken;
use grid::GridRuns;
use run::RecordedBlock;
use std::sync::Arc;

/// A setting that can be asked.
#[derive(Debug)]
pub struct SettingRuns {
    pub setting: Setting,
    /// The kernel and its launch.
    pub problem: Problem,
    grid: Arc<GridRuns>,
    run: Arc<RecordedBlock>,
}

impl SettingRuns {
    /// Prepares a setting. Nothing is run yet.
    ///
    /// # Errors
    /// Its source does not compile, or its block, its warp or its order do not fit its launch.
    pub fn of(setting: &Setting) -> Result<Self, RunError> {
        Self::with_progress(setting, WorkToken::default())
    }

    /// Like [`Self::of`], where it is told how far long work is.
    fn with_progress(setting: &Setting, token: WorkToken) -> Result<Self, RunError> {
        let grid = Arc::new(GridRuns::of(setting, token)?);
        Self::with_grid(setting, grid)
    }

    /// The runs of a problem whose grid was run with checks, whatever the setting says of its kernel.
    ///
    /// # Errors
    /// The block that the setting watches does not fit the launch.
    pub(in crate::lesson) fn of_run(
        setting: &Setting,
        run: &CheckedRun<'_>,
    ) -> Result<Self, RunError> {
        Self::with_grid(setting, Arc::new(GridRuns::of_run(run)))
    }

    fn with_grid(setting: &Setting, grid: Arc<GridRuns>) -> Result<Self, RunError> {
        let block = block_of(setting, &grid)?;
        let run = Arc::new(RecordedBlock::new(Arc::clone(&grid), block));
        Self::with_run(setting, grid, run)
    }

    fn with_run(
        setting: &Setting,
        grid: Arc<GridRuns>,
        run: Arc<RecordedBlock>,
    ) -> Result<Self, RunError> {
        let warps = grid.problem.launch.warps();
        if let Some(warp) = setting.warp.filter(|warp| *warp >= warps) {
            return Err(RunError::NoSuchWarp { warp, warps });
        }
        let problem = grid.problem.clone();
        Ok(Self { setting: setting.clone(), problem, grid, run })
    }

    pub fn program(&self) -> &Arc<Program> {
        &self.grid.program
    }

    /// How ptxas vectorises its shared accesses.
    pub fn joins(&self) -> &Arc<SmemVectorisation> {
        self.grid.joins()
    }

    /// The watched block.
    pub fn block(&self) -> Dim3 {
        self.run.block
    }

    /// The order of the warps where steps are watched.
    pub fn order(&self) -> Order {
        self.grid.watched_order()
    }

    /// The recorded run of the watched block, to its end or to as many steps as are recorded.
    pub fn trace(&self) -> &Trace {
        self.run.trace()
    }

    /// The run after so many steps, or at its end.
    pub fn at(&self, step: usize) -> Replay {
        self.run.at(step)
    }

    /// The instructions of the watched block that access global or shared memory, in the order of
    /// the program.
    pub fn sites(&self) -> impl Iterator<Item = &AccessSite> {
        self.run.accesses().sites.values()
    }

    /// The findings in the run of the watched block, with the steps at which they show.
    pub fn found(&self) -> &[FindingInRun] {
        self.run.found()
    }

    /// The sums over the grid.
    ///
    /// # Errors
    /// The kernel faults, or its blocks are too many to run each.
    pub fn counters(&self) -> Result<&Counters, QueryError> {
        self.grid.counters()
    }

    /// The sums over the watched block.
    pub fn block_counters(&self) -> Counters {
        self.at(usize::MAX).snapshot().totals
    }

    /// The findings of the checks in all blocks.
    ///
    /// # Errors
    /// The product is too large to run each block.
    pub fn findings(&self) -> Result<&[Finding], QueryError> {
        self.grid.findings()
    }

    /// How many elements of C are wrong, with the warps in the setting's order, or in turn.
    ///
    /// # Errors
    /// The product is too large to run each block, or the kernel is another one than A x B.
    pub fn wrong(&self) -> Result<u64, QueryError> {
        Ok(self.judged()?.elements)
    }

    /// The wrong elements of C.
    ///
    /// # Errors
    /// As for [`Self::wrong`].
    pub fn judged(&self) -> Result<Wrong, QueryError> {
        self.grid.judged()
    }

    /// The wrong elements of what the watched block has stored of C at its end; `None` if it does not
    /// end, or what it should store is not known.
    pub fn wrong_in_block(&self) -> Option<Wrong> {
        self.run.wrong()
    }

    /// In how many of so many random orders of the warps C is wrong.
    ///
    /// # Errors
    /// The product is too large to run each block, or so many orders take too long.
    pub fn spoilt(&self, orders: u32) -> Result<u32, QueryError> {
        self.grid.spoilt(orders)
    }

    /// What all blocks do to the matrices.
    ///
    /// # Errors
    /// The product is too large to run each block.
    pub fn coverage(&self) -> Result<&Coverage, QueryError> {
        self.grid.coverage()
    }

    /// Who stores which elements of C; nothing else of it need be that of this size.
    ///
    /// # Errors
    /// The product is too large to run each block.
    pub fn stored(&self) -> Result<&Coverage, QueryError> {
        self.grid.stored()
    }

    /// Where an element of A, B or C came from, or where it goes.
    ///
    /// # Errors
    /// A block does not end.
    pub fn history(&self, element: Element) -> Result<Arc<value::ValueAnswer>, QueryError> {
        self.run.history(element)
    }

    /// What the kernel does, at this size, with a text after each line of its source in turn.
    ///
    /// # Errors
    /// The source is missing, or does not compile as it is.
    pub fn gaps(&self, text: &str) -> Result<Arc<Vec<Gap>>, RunError> {
        self.grid.tried.gaps(&self.problem, text, &self.grid.token)
    }

    /// An order of the warps that spoils C, if one is found.
    ///
    /// # Errors
    /// PTX that cannot be run.
    pub fn spoiling_order(&self) -> Result<Option<&SpoilingOrder>, RunError> {
        self.grid.tried.spoiling_order(&self.problem, &self.grid.token)
    }

    /// The kernel of the catalogue that is run, perhaps with changes.
    pub fn kernel(&self) -> Option<&'static kernel::Kernel> {
        match &self.setting.kernel {
            KernelFrom::Catalogue(name) => kernel::find(name),
            KernelFrom::File { .. } => None,
        }
    }

    /// The tile: the catalogue's, also where its kernel is changed, or the one that is set.
    pub fn tile(&self) -> Option<Tile> {
        let size = self.problem.size;
        let of_kernel = || Some(self.kernel()?.variant_for(size).tile);
        self.problem.tile().or(self.setting.tile).or_else(of_kernel)
    }

    /// The multiply-adds by which the watched block computes one tile.
    pub fn fma_per_tile(&self) -> u32 {
        let variant = self.tile().and_then(|tile| self.kernel()?.variant(tile));
        let of_catalogue = self.kernel().zip(variant).map(|(kernel, variant)| {
            Problem::of(kernel, variant, self.problem.size, "".into()).fma_per_tile(self.block())
        });
        of_catalogue.unwrap_or_else(|| self.problem.fma_per_tile(self.block()))
    }

    /// The only line of the source that contains a text; white space counts as one blank.
    ///
    /// # Errors
    /// No line contains it, or several do, or there is no source.
    pub fn line(&self, text: &str) -> Result<u32, QueryError> {
        let no_source = || QueryError::new("this kernel has no source");
        let source = self.problem.source.as_ref().ok_or_else(no_source)?;
        let file = &source.file;
        let wanted = folded(text);
        let lines = (1..).zip(source.text.lines());
        let found: Vec<u32> = lines
            .filter(|(_, line)| folded(line).contains(&wanted))
            .map(|(number, _)| number)
            .collect();
        match found[..] {
            [line] => Ok(line),
            [] => Err(QueryError::new(format!("no line of {file} contains `{wanted}`"))),
            _ => {
                let all: Vec<_> = found.iter().map(u32::to_string).collect();
                let all = all.join(", ");
                Err(QueryError::new(format!(
                    "lines {all} of {file} contain `{wanted}`: only one may"
                )))
            }
        }
    }
}

/// A text with each run of white space as one blank.
fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The block that a setting watches.
fn block_of(setting: &Setting, grid: &GridRuns) -> Result<Dim3, RunError> {
    let blocks = grid.problem.launch.grid;
    let block = setting.block.of(blocks);
    if blocks.contains(block) {
        return Ok(block);
    }
    let grid = blocks.place_in(blocks).replace(',', " x ");
    Err(RunError::NoSuchBlock { block: block.place_in(blocks), grid })
}

#[cfg(test)]
pub(in crate::lesson) mod tests;
