//! Places in a run, what happens there, and the accesses of warps.

use std::fmt;
use std::ops::Range;

/// A place in the run of a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunPosition {
    /// Before the first step.
    Start,
    /// After the last.
    End,
    /// After this many steps.
    Step(usize),
    /// At the last of some events, each searched from the one before.
    At {
        /// Whether the place is before that event.
        before: bool,
        /// The events, with their places in the text.
        events: Vec<(RunEvent, Range<usize>)>,
    },
}

/// Something that happens in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunEvent {
    Access(AccessQuery),
    Fma,
    /// The block passes a barrier, for the n-th time.
    Barrier(u32),
    /// The block completes a tile, for the n-th time.
    Tile(u32),
    Conflict,
    Finding,
    /// C is wrong, at the end.
    Wrong,
    /// An instruction of the line that contains a text.
    Line(String),
    /// A warp waits at a barrier.
    Waits,
}

/// An access of a warp to memory: `store sA #2 line "acc"`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessQuery {
    pub how: AccessVerb,
    /// The matrix, or the shared array.
    pub array: String,
    /// Which of the warp's accesses, from 1.
    pub number: u32,
    /// A text that only its line of the source contains.
    pub line: Option<String>,
    /// Its place in the query's text, in bytes.
    pub span: Range<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessVerb {
    /// Loads from global memory.
    Load,
    /// Reads from shared memory.
    Read,
    /// Stores to either.
    Store,
}

impl AccessVerb {
    pub const ALL: [Self; 3] = [Self::Load, Self::Read, Self::Store];

    pub const fn word(self) -> &'static str {
        match self {
            Self::Load => "load",
            Self::Read => "read",
            Self::Store => "store",
        }
    }
}

impl fmt::Display for AccessQuery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.how.word(), self.array)?;
        if self.number > 1 {
            write!(f, " #{}", self.number)?;
        }
        self.line.iter().try_for_each(|text| write!(f, " line \"{text}\""))
    }
}
