//! The pictures of the Measure screen: a table with a row for each, and a module that draws it.

mod bars;
mod ladder;
mod memory;
mod occupancy;
mod roofline;
mod scene;
mod sizes;
mod why;

pub use scene::PictureScene;

use crate::report::charts::table::ChartTable;
use crate::report::charts::{self, ChartData};
use ratatui::buffer::Buffer;
use ratatui::layout::Constraint::{self, Fill, Length};
use ratatui::layout::Rect;
use std::str::FromStr;

/// A picture of the measurements, by its index in [`PICTURES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Picture {
    /// A bar for every kernel.
    Ladder,
    /// GFLOP/s by size.
    Sizes,
    /// A point for every kernel below the roofs.
    Roofline,
    /// The share of a multiprocessor that a kernel's blocks take.
    Occupancy,
    /// A comparison of two kernels.
    Why,
    /// The levels of the memory hierarchy.
    Memory,
}

/// The properties of a picture.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub picture: Picture,
    /// The key that shows it, drawn in its frame.
    pub key: &'static str,
    /// Its name on the command line.
    pub name: &'static str,
    /// The title of its frame.
    pub title: &'static str,
    /// The name and help text of the command that shows it.
    pub command: (&'static str, &'static str),
    /// Summarises it in a sentence, the longest wording first.
    pub sentence: fn(&ChartData<'_>) -> Vec<String>,
    /// Returns its figures.
    pub table: fn(&ChartData<'_>) -> ChartTable,
    /// Draws it, and returns the note of its frame.
    pub draw: fn(&PictureScene<'_>, Rect, &mut Buffer) -> String,
    /// Whether it needs simulated counts.
    pub counted: bool,
    /// The options of the command line that choose what is drawn.
    pub options: &'static [&'static str],
    /// Those of them that choose its figures as well.
    pub table_options: &'static [&'static str],
}

/// Every picture, in the order of [`Picture`] and of the keys.
#[rustfmt::skip]
pub const PICTURES: &[Row] = &[
    Row {
        picture: Picture::Ladder, key: "1", name: "ladder", title: "The ladder",
        command: ("picture-ladder", "The ladder: kernels as bars; again: alone"),
        sentence: charts::ladder::sentence, table: charts::ladder::table, draw: ladder::draw,
        counted: false,
        options: &["kernel", "size"], table_options: &["size"],
    },
    Row {
        picture: Picture::Sizes, key: "2", name: "sizes", title: "Sizes",
        command: ("picture-sizes", "Sizes: GFLOP/s over the size"),
        sentence: charts::sizes::sentence, table: charts::sizes::table, draw: sizes::draw,
        counted: false,
        options: &["kernel", "size"], table_options: &[],
    },
    Row {
        picture: Picture::Roofline, key: "3", name: "roofline", title: "Roofline",
        command: ("picture-roofline", "The roofline: what memory and arithmetic allow"),
        sentence: charts::roofline::sentence, table: charts::roofline::table, draw: roofline::draw,
        counted: true,
        options: &["kernel", "size", "memory"], table_options: &["kernel", "size", "memory"],
    },
    Row {
        picture: Picture::Occupancy, key: "4", name: "occupancy", title: "Occupancy",
        command: ("picture-occupancy", "Occupancy: what limits the blocks of an SM"),
        sentence: charts::occupancy::sentence, table: charts::occupancy::table, draw: occupancy::draw,
        counted: false,
        options: &["kernel", "size"], table_options: &["size"],
    },
    Row {
        picture: Picture::Why, key: "5", name: "why", title: "Why",
        command: ("picture-why", "Why: the unit that limits, of two kernels"),
        sentence: charts::why::sentence, table: charts::why::table, draw: why::draw,
        counted: true,
        options: &["kernel", "beside", "size"], table_options: &["kernel", "beside", "size"],
    },
    Row {
        picture: Picture::Memory, key: "6", name: "memory", title: "Memory",
        command: ("picture-memory", "Memory: how soon a word comes, and from where"),
        sentence: charts::memory::sentence, table: charts::memory::table, draw: memory::draw,
        counted: true,
        options: &["kernel", "beside", "size"], table_options: &["kernel", "beside", "size"],
    },
];

/// The pictures on the left of a screen with room for all, and their heights. They are tables,
/// which need no more rows than they have lines; the heights include the frames.
pub const LEFT: &[(Picture, Constraint)] =
    &[(Picture::Ladder, Length(21)), (Picture::Why, Fill(1)), (Picture::Occupancy, Length(12))];

/// The pictures on the right: charts, each of which needs the whole of a smaller screen.
pub const RIGHT: &[(Picture, Constraint)] =
    &[(Picture::Roofline, Fill(1)), (Picture::Sizes, Fill(1)), (Picture::Memory, Length(18))];

impl Picture {
    /// Returns the picture's row of [`PICTURES`].
    pub const fn row(self) -> &'static Row {
        &PICTURES[self as usize]
    }

    /// Returns the picture `step` places after this one, cyclically.
    #[must_use]
    pub fn by(self, step: isize) -> Self {
        let next = (self as isize + step).rem_euclid(PICTURES.len() as isize);
        PICTURES[next as usize].picture
    }
}

/// A word that does not name a picture.
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

/// Returns all names, as in `a, b or c`.
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
