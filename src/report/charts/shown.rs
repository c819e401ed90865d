//! The facts that the pictures show, and the sources of figures.

use super::counts::Counts;
use super::traffic::Traffic;
use crate::gpu::pack::Pack;
use crate::matrix::Size;
use crate::report::ladder::{self, Rung};

/// Where a figure comes from: it stands beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A clock, or the hardware's own counters.
    Measured,
    /// Counted by the simulator, of the same PTX.
    Simulated,
    /// The loaded module, as the driver tells of it.
    Module,
    /// Worked out from the size alone.
    Model,
}

impl Source {
    /// In a word.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Measured => "measured",
            Self::Simulated => "simulated",
            Self::Module => "module",
            Self::Model => "model",
        }
    }
}

/// What the pictures show.
#[derive(Clone, Debug)]
pub struct Shown<'a> {
    /// What was measured.
    pub pack: &'a Pack,
    /// At which size.
    pub size: Size,
    /// The rungs at that size.
    pub rungs: Vec<Rung<'a>>,
    /// The chosen one.
    pub rung: usize,
    /// The one that it is compared with; none for the first of the story.
    pub beside: Option<usize>,
    /// What was simulated so far.
    pub counts: &'a Counts,
    /// Whose traffic the roofline shows.
    pub traffic: Traffic,
}

impl<'a> Shown<'a> {
    /// Rung number `rung` of a pack at a size, beside number `beside` or else the one before it in
    /// the story.
    pub fn new(
        pack: &'a Pack,
        counts: &'a Counts,
        size: Size,
        (rung, beside): (usize, Option<usize>),
        traffic: Traffic,
    ) -> Self {
        let rungs = ladder::rungs(&pack.rows, size);
        let other = beside.filter(|other| *other != rung && *other < rungs.len());
        let beside = other.or_else(|| rung.checked_sub(1));
        Self { pack, size, rungs, rung, beside, counts, traffic }
    }

    /// The chosen rung, if anything was measured.
    pub fn current(&self) -> Option<&Rung<'a>> {
        self.rungs.get(self.rung)
    }

    /// The chosen rung, and before it the one that it is compared with.
    pub fn pair(&self) -> Option<[&Rung<'a>; 2]> {
        Some([self.rungs.get(self.beside?)?, self.current()?])
    }
}
