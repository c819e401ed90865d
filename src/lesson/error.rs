//! Why a kernel of a lesson cannot be run.

use super::query_error::QueryError;
use crate::kernel::{Source, Tile};
use crate::launch::MAX_THREADS_PER_BLOCK;
use crate::matrix::{Size, SizeError};
use crate::own::OpenError;
use crate::sim::ParseOrderError;

/// Why a kernel cannot be run, or be judged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RunError {
    #[error("there is no kernel `{name}`; the catalogue has {known}")]
    NoKernel { name: String, known: String },
    #[error("{kernel} has no tile {tile}: give {tiles}")]
    NoTile { kernel: &'static str, tile: Tile, tiles: String },
    #[error("{0} cannot be changed: its A and B are halves")]
    Halves(&'static str),
    #[error(transparent)]
    Change(#[from] ChangeError),
    #[error(transparent)]
    Size(#[from] SizeError),
    #[error("size {size} is too large here: M, N and K are at most {most}")]
    Large { size: Size, most: u32 },
    /// What a compiler or the reader of PTX says, with the line and a caret.
    #[error("{0}")]
    Source(String),
    #[error("{file}: {told}")]
    Launch { file: String, told: String },
    #[error(
        "{0} does not say how many threads a block has: give it a line `// launch: <<<,16x16>>>`, \
         or the host's code that launches it"
    )]
    NoBlock(String),
    #[error("a block has 1 to {MAX_THREADS_PER_BLOCK} threads")]
    BlockTooLarge,
    #[error("the grid has no blocks")]
    NoBlocks,
    #[error("there is no block ({block}): the grid has {grid} blocks")]
    NoSuchBlock { block: String, grid: String },
    #[error("there is no warp {warp}: a block has {warps} warps")]
    NoSuchWarp { warp: u32, warps: u32 },
    #[error("order {order}: {why}")]
    Order { order: String, why: String },
    #[error(transparent)]
    ParseOrder(#[from] ParseOrderError),
    #[error("size {0} is too large to check every block: ask at a smaller one")]
    TooLargeToCheck(Size),
    #[error("size {0} is too large to run every block: ask at a smaller one")]
    TooLargeToRun(Size),
    #[error("{0}")]
    Fault(String),
    #[error("a kernel without a source has no gaps")]
    NoSource,
    #[error("{0} has no kernel")]
    NoBody(String),
}

/// Why a change cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChangeError {
    #[error("there is no change `{id}`: give {known}")]
    Unknown { id: String, known: String },
    #[error("`{id}`: there is no kernel `{kernel}`")]
    NoKernel { id: String, kernel: String },
    #[error(
        "`{id}` changes {} of this text, and the source has {}; it is a change of {kernel}:\n{}",
        .why.times, .why.found, .why.find
    )]
    NotThere { id: String, kernel: String, why: EditError },
    /// The table is no TOML, or has other keys.
    #[error("{0}")]
    Toml(String),
    #[error("two changes are called `{0}`")]
    Twice(String),
    #[error("`{id}`: {size} is not one of the table's sizes")]
    NoSize { id: String, size: Size },
}

/// A text that is not there as often as it is to be replaced.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it replaces {times} of this text, and the source has {found}:\n{find}")]
pub struct EditError {
    pub find: String,
    pub times: u32,
    pub found: usize,
}

impl RunError {
    /// That a source cannot be opened.
    pub(super) fn unopened(why: OpenError, source: &Source) -> Self {
        let Source { file, text, .. } = source;
        match why {
            OpenError::Source(error) => Self::Source(error.render(text, file)),
            OpenError::Comment(_, error) => Self::Source(error.render(text, file)),
            OpenError::NotCompiled(told) | OpenError::Ptx(told) => Self::Source(told),
            OpenError::NoBlock(_) => Self::NoBlock(file.clone()),
            OpenError::Launch(_) | OpenError::Lacks(_) | OpenError::Python(_) => {
                Self::Launch { file: file.clone(), told: why.to_string() }
            }
        }
    }
}

impl From<RunError> for QueryError {
    fn from(error: RunError) -> Self {
        Self::new(error.to_string())
    }
}
