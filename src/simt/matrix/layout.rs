//! How a matrix lies in memory: the type of its elements, their order, the leading dimension.

use super::ElementType;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Which elements are neighbours in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Major {
    /// Those of a row, as in C.
    #[default]
    Row,
    /// Those of a column, as in Fortran and in BLAS: the transposed matrix, row-major.
    Column,
}

/// How a matrix lies in memory; the default is float32, row-major, without gaps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Layout {
    pub of: ElementType,
    /// The order of its elements.
    pub major: Major,
    /// The elements from the start of a row (or column) to the next, if there is a gap between.
    pub lead: Option<u32>,
}

impl Layout {
    /// The leading dimension of a matrix of this shape (rows, columns), in elements.
    pub fn lead(self, shape: (u32, u32)) -> u32 {
        self.lead.unwrap_or(self.least_lead(shape))
    }

    /// The leading dimension without gaps, which is the least.
    pub const fn least_lead(self, (rows, columns): (u32, u32)) -> u32 {
        match self.major {
            Major::Row => columns,
            Major::Column => rows,
        }
    }

    /// The number of places for elements, including the gaps.
    pub fn places(self, shape: (u32, u32)) -> u64 {
        let lines = match self.major {
            Major::Row => shape.0,
            Major::Column => shape.1,
        };
        u64::from(lines) * u64::from(self.lead(shape))
    }

    /// The bytes that a matrix of this shape takes.
    pub fn bytes(self, shape: (u32, u32)) -> u64 {
        self.places(shape) * u64::from(self.of.bytes())
    }

    /// The place of an element in memory, counted in elements.
    pub fn place(self, shape: (u32, u32), row: u32, column: u32) -> u64 {
        let (line, along) = match self.major {
            Major::Row => (row, column),
            Major::Column => (column, row),
        };
        u64::from(line) * u64::from(self.lead(shape)) + u64::from(along)
    }

    /// The place of the element with this number, counted row by row.
    pub fn place_of(self, shape: (u32, u32), index: u64) -> u64 {
        if self.major == Major::Row && self.lead.is_none() {
            return index;
        }
        let columns = u64::from(shape.1);
        self.place(shape, (index / columns) as u32, (index % columns) as u32)
    }

    /// The row and the column of the element at a place, or `None` in a gap.
    pub fn at(self, shape: (u32, u32), place: u64) -> Option<(u32, u32)> {
        let lead = u64::from(self.lead(shape));
        let (line, along) = ((place / lead) as u32, (place % lead) as u32);
        let (row, column) = match self.major {
            Major::Row => (line, along),
            Major::Column => (along, line),
        };
        (row < shape.0 && column < shape.1).then_some((row, column))
    }

    /// Leaves out the words between its rows (or columns), which belong to no element, if each element
    /// is a word.
    pub fn without_gaps<W>(
        self,
        shape: (u32, u32),
        words: impl IntoIterator<Item = W>,
    ) -> impl Iterator<Item = W> {
        let is_whole = self.lead.is_none() || self.of.bytes() != 4;
        let is_kept = move |place| is_whole || self.at(shape, place).is_some();
        (0..).zip(words).filter(move |(place, _)| is_kept(*place)).map(|(_, word)| word)
    }
}

impl fmt::Display for Layout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.of.fmt(f)?;
        if self.major == Major::Column { f.write_str(", column-major") } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_has_a_place_of_its_own_and_is_found_there() {
        let shape = (3, 5);
        for major in [Major::Row, Major::Column] {
            for lead in [None, Some(7)] {
                let layout = Layout { major, lead, ..Layout::default() };
                let mut places = Vec::new();
                for index in 0..15 {
                    let (row, column) = (index as u32 / 5, index as u32 % 5);
                    let place = layout.place(shape, row, column);
                    assert_eq!(layout.place_of(shape, index), place);
                    assert_eq!(layout.at(shape, place), Some((row, column)));
                    places.push(place);
                }
                places.sort_unstable();
                places.dedup();
                assert_eq!(places.len(), 15);
                let gaps = (0..layout.places(shape)).filter(|at| layout.at(shape, *at).is_none());
                assert_eq!(gaps.count() as u64, layout.places(shape) - 15);
                let kept = layout.without_gaps(shape, 0..layout.places(shape));
                assert!(kept.eq(places), "the elements in the order of memory");
            }
        }
        let padded = Layout { major: Major::Column, lead: Some(4), ..Layout::default() };
        assert_eq!((padded.place(shape, 2, 1), padded.bytes(shape)), (6, 80));
    }
}
