//! The pictures of what was measured, as facts: what each shows, a sentence on it, and its table.

pub mod counts;
pub mod metrics;
pub mod occupancy;
pub mod roofline;
mod shown;
pub mod sizes;
pub mod table;
mod traffic;
pub mod why;

pub use self::shown::{Shown, Source};
pub use self::traffic::Traffic;
use super::ladder::{self, Rung};
use crate::gpu::pack::{Freshness, freshness};
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

impl Shown<'_> {
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
