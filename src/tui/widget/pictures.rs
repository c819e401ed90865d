//! The pictures of the Measure screen: one row of a table for each, and a file that draws it.

mod ladder;
mod occupancy;
mod roofline;
mod scene;
mod sizes;
mod why;

pub use scene::Scene;

use crate::report::charts::table::Table;
use crate::report::charts::{self, Shown, Traffic};
use ratatui::buffer::Buffer;
use ratatui::layout::Constraint::{self, Fill, Length};
use ratatui::layout::Rect;
use std::str::FromStr;

/// A picture of what was measured, by its number in [`PICTURES`].
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

/// All that is known of a picture.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Which.
    pub picture: Picture,
    /// The key that shows it: it stands in its frame.
    pub key: &'static str,
    /// Its name on the command line.
    pub name: &'static str,
    /// What stands in its frame.
    pub title: &'static str,
    /// The name of the command that shows it, and what the help says of that.
    pub command: (&'static str, &'static str),
    /// What it says in a sentence, the longest wording first.
    pub sentence: fn(&Shown<'_>) -> Vec<String>,
    /// Its figures.
    pub table: fn(&Shown<'_>) -> Table,
    /// Draws it, and returns the note for its frame.
    pub draw: fn(&Scene<'_>, Rect, &mut Buffer) -> String,
    /// Whether it needs counts of the simulator, where bytes of that traffic are shown.
    pub counted: fn(Traffic) -> bool,
}

/// Every picture, in the order of [`Picture`] and of the keys.
#[rustfmt::skip]
pub const PICTURES: &[Row] = &[
    Row {
        picture: Picture::Ladder, key: "1", name: "ladder", title: "The ladder",
        command: ("picture-ladder", "The ladder: kernels as bars; again: alone"),
        sentence: charts::ladder::sentence, table: charts::ladder::table, draw: ladder::draw,
        counted: |_| false,
    },
    Row {
        picture: Picture::Sizes, key: "2", name: "sizes", title: "Sizes",
        command: ("picture-sizes", "Sizes: GFLOP/s over the size"),
        sentence: charts::sizes::sentence, table: charts::sizes::table, draw: sizes::draw,
        counted: |_| false,
    },
    Row {
        picture: Picture::Roofline, key: "3", name: "roofline", title: "Roofline",
        command: ("picture-roofline", "The roofline: what memory and arithmetic allow"),
        sentence: charts::roofline::sentence, table: charts::roofline::table, draw: roofline::draw,
        counted: |traffic| traffic == Traffic::Shared,
    },
    Row {
        picture: Picture::Occupancy, key: "4", name: "occupancy", title: "Occupancy",
        command: ("picture-occupancy", "Occupancy: what limits the blocks of an SM"),
        sentence: charts::occupancy::sentence, table: charts::occupancy::table, draw: occupancy::draw,
        counted: |_| false,
    },
    Row {
        picture: Picture::Why, key: "5", name: "why", title: "Why",
        command: ("picture-why", "Why: two kernels beside each other"),
        sentence: charts::why::sentence, table: charts::why::table, draw: why::draw,
        counted: |_| true,
    },
];

/// Where there is room for all, those on the left, the ladder first, and their heights: of tables
/// that need no more rows than they have lines, frames included.
pub const LEFT: &[(Picture, Constraint)] =
    &[(Picture::Ladder, Length(21)), (Picture::Why, Fill(1)), (Picture::Occupancy, Length(12))];

/// Those on the right: charts, which need the whole of a smaller screen.
pub const RIGHT: &[(Picture, Constraint)] =
    &[(Picture::Roofline, Fill(1)), (Picture::Sizes, Fill(1))];

impl Picture {
    /// All that is known of it.
    pub const fn row(self) -> &'static Row {
        &PICTURES[self as usize]
    }

    /// The picture so many after this one; after the last comes the first.
    #[must_use]
    pub fn by(self, step: isize) -> Self {
        let next = (self as isize + step).rem_euclid(PICTURES.len() as isize);
        PICTURES[next as usize].picture
    }
}

/// A word that names no picture.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a picture: give {names}", names = names())]
pub struct ParsePictureError(String);

impl FromStr for Picture {
    type Err = ParsePictureError;

    fn from_str(name: &str) -> Result<Self, ParsePictureError> {
        let found = PICTURES.iter().find(|row| row.name == name);
        found.map(|row| row.picture).ok_or_else(|| ParsePictureError(name.to_owned()))
    }
}

/// The names of all, as in `a, b or c`.
pub fn names() -> String {
    let names: Vec<_> = PICTURES.iter().map(|row| row.name).collect();
    names
        .split_last()
        .map_or_else(String::new, |(last, names)| format!("{} or {last}", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_picture_has_its_row_and_its_place() {
        for row in PICTURES {
            assert_eq!(row.picture.row().name, row.name);
            let places = LEFT.iter().chain(RIGHT).filter(|(picture, _)| *picture == row.picture);
            assert_eq!(places.count(), 1, "{}", row.name);
        }
    }
}
