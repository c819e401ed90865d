//! One line about what the user points at: where it lives, and what the run does with it.

mod lane;
mod part;
mod place;
mod related;
mod source;
mod token;
mod words;

use crate::kernel::{Owned, Problem};
use crate::matrix::Element;
use crate::sim::{Machine, Program};
use crate::trace::{Replay, Snapshot};
use std::fmt;
use words::Clause;

pub use related::Related;
pub use source::{cuda, names, thread_names};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointedAt {
    /// A lane of a warp of the block.
    Lane {
        /// The warp's number in its block.
        warp: usize,
        /// The lane, from 0 to 31.
        lane: usize,
    },
    /// A 4-byte word of the block's shared memory, by its number.
    Word(u32),
    /// A bank of shared memory, from 0 to 31.
    Bank(usize),
    /// A sector of global memory, by the address of its first byte.
    Sector(u64),
    /// An element of A, B or C.
    Element(Element),
    /// A name in the kernel's own source.
    Token(SourcePosition),
}

/// Where a name stands in a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourcePosition {
    /// Its line, from 1.
    pub line: u32,
    /// The byte of the line at which it begins.
    pub at: usize,
}

/// A moment of a run, with what is known of its kernel.
#[derive(Clone, Copy)]
pub struct PointedMoment<'a> {
    /// The launch.
    pub problem: &'a Problem,
    pub program: &'a Program,
    /// The run, at that moment.
    pub replay: &'a Replay,
    /// The elements of C that each thread computes.
    pub owned: &'a Owned,
    /// Returns the element of A or B that a word of shared memory holds, or will hold next, if
    /// known.
    pub held: &'a dyn Fn(u32) -> Option<Element>,
    /// The warp whose accesses are shown: a bank and a sector are described by those.
    pub warp: usize,
    /// The lane of it for which names of the source are described.
    pub lane: usize,
}

impl<'a> PointedMoment<'a> {
    /// Describes a point in at most `room` columns: in full, in fewer words, or less of it.
    pub fn line(&self, point: PointedAt, room: usize) -> String {
        let clauses = match point {
            PointedAt::Lane { warp, lane } => self.lane(warp, lane),
            PointedAt::Word(word) => self.word(word),
            PointedAt::Bank(bank) => self.bank(bank),
            PointedAt::Sector(address) => self.sector(address),
            PointedAt::Element(element) => self.element(element),
            PointedAt::Token(spot) => self.token(spot),
        };
        fitted(&clauses, room)
    }

    fn now(&self) -> &'a Snapshot {
        self.replay.snapshot()
    }

    fn machine(&self) -> &'a Machine {
        self.replay.machine()
    }
}

impl fmt::Debug for PointedMoment<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { problem, replay, warp, .. } = self;
        let index = replay.snapshot().index;
        write!(f, "Moment({} at step {index}, warp {warp})", problem.label())
    }
}

/// Joins as many clauses as fit into `room` columns, in the longest wordings with which all fit.
fn fitted(clauses: &[Clause], room: usize) -> String {
    let joined = |clauses: &[Clause], wording: usize| -> String {
        clauses.iter().map(|clause| clause.0[wording].as_str()).collect()
    };
    let fits = |text: &String| text.chars().count() <= room;
    let whole = (0..3).map(|wording| joined(clauses, wording)).find(fits);
    let less = || (1..clauses.len()).rev().map(|end| joined(&clauses[..end], 2)).find(fits);
    whole.or_else(less).unwrap_or_else(|| joined(clauses, 2).chars().take(room).collect())
}
