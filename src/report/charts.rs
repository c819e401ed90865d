//! The pictures of what was measured, as facts: what each shows, a sentence on it, and its table.

pub mod counts;
pub mod metrics;
pub mod occupancy;
pub mod roofline;
pub mod sizes;
pub mod table;
pub mod why;

use self::counts::Counts;
use self::roofline::Traffic;
use super::ladder::{self, Rung};
use crate::gpu::pack::{Freshness, Pack, freshness};
use crate::matrix::Size;
use std::str::FromStr;

/// A picture of what was measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Picture {
    /// Every kernel a bar.
    Ladder,
    /// GFLOP/s over the size.
    Sizes,
    /// Every kernel a point under the roofs.
    Roofline,
    /// What a kernel's blocks take of a multiprocessor.
    Occupancy,
    /// A kernel beside another.
    Why,
}

/// A word that names no picture.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no picture: give ladder, sizes, roofline, occupancy or why")]
pub struct NoPicture(String);

impl Picture {
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; 5] =
        [Self::Ladder, Self::Sizes, Self::Roofline, Self::Occupancy, Self::Why];

    /// What stands in its frame.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Ladder => "The ladder",
            Self::Sizes => "Sizes",
            Self::Roofline => "Roofline",
            Self::Occupancy => "Occupancy",
            Self::Why => "Why",
        }
    }

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ladder => "ladder",
            Self::Sizes => "sizes",
            Self::Roofline => "roofline",
            Self::Occupancy => "occupancy",
            Self::Why => "why",
        }
    }
}

impl FromStr for Picture {
    type Err = NoPicture;

    fn from_str(name: &str) -> Result<Self, NoPicture> {
        let found = Self::ALL.into_iter().find(|picture| picture.name() == name);
        found.ok_or_else(|| NoPicture(name.to_owned()))
    }
}

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

    /// A sentence on a picture, the longest wording first.
    pub fn sentence(&self, picture: Picture) -> Vec<String> {
        match picture {
            Picture::Ladder => ladder::sentence(&self.rungs, self.rung),
            Picture::Sizes => sizes::sentence(self),
            Picture::Roofline => roofline::sentence(self),
            Picture::Occupancy => occupancy::sentence(self),
            Picture::Why => why::sentence(self),
        }
    }
}

impl Rung<'_> {
    /// Whether it was measured with an older form of the kernel.
    pub fn is_stale(&self) -> bool {
        freshness(self.row) == Freshness::Stale
    }
}

/// The letter by which rung number `index` is found on charts.
pub fn letter(index: usize) -> char {
    char::from_u32('a' as u32 + index as u32 % 26).unwrap_or('?')
}
