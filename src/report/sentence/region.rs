//! The elements that an access touches, in a few words: part of a matrix or of a shared array.

use crate::report::number::Range;
use crate::report::place::ArrayElement;
use std::collections::BTreeSet;
use std::fmt;

/// The bounding box of the elements of one array that an access touches.
pub(super) struct AccessRegion<'a> {
    name: &'a str,
    /// `None` for an array without rows.
    rows: Option<Range>,
    columns: Range,
    /// Whether every element of these rows and columns is touched.
    dense: bool,
    count: u64,
}

impl<'a> AccessRegion<'a> {
    /// The bounding box of these elements, if they are all known and in one array.
    pub(super) fn of(elements: impl Iterator<Item = Option<ArrayElement<'a>>>) -> Option<Self> {
        let elements: BTreeSet<ArrayElement<'a>> = elements.collect::<Option<_>>()?;
        let mut places = elements.iter().map(|element| element.place());
        let (name, row, column) = places.next()?;
        let (mut rows, mut columns) = (row.map(|row| Range(row, row)), Range(column, column));
        for (other, row, column) in places {
            if other != name {
                return None;
            }
            rows = rows.zip(row).map(|(rows, row)| rows.with(row));
            columns = columns.with(column);
        }
        let count = elements.len() as u64;
        let dense = rows.map_or(1, Range::count) * columns.count() == count;
        Some(Self { name, rows, columns, dense, count })
    }
}

impl fmt::Display for AccessRegion<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, rows, columns, dense, count } = self;
        match rows {
            Some(rows) if *dense => write!(f, "{name}[{rows}][{columns}]"),
            Some(rows) => write!(f, "parts of {name}[{rows}][{columns}]"),
            None if *count == 1 => write!(f, "word {columns} of {name}"),
            None if *dense => write!(f, "words {columns} of {name}"),
            None => write!(f, "{count} words of {name}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(elements: impl IntoIterator<Item = ArrayElement<'static>>) -> Option<String> {
        AccessRegion::of(elements.into_iter().map(Some)).map(|region| region.to_string())
    }

    fn cell(name: &'static str, row: u32, column: u32) -> ArrayElement<'static> {
        ArrayElement::Cell(name, row, column)
    }

    fn word(word: u64) -> ArrayElement<'static> {
        ArrayElement::Word("As", word)
    }

    #[test]
    fn a_box_says_whether_all_of_it_is_touched() {
        let rows =
            |step: u32| (0..3).flat_map(move |i| (0..4).map(move |j| cell("A", i * step, j)));
        assert_eq!(described(rows(1)).as_deref(), Some("A[0-2][0-3]"));
        assert_eq!(described(rows(2)).as_deref(), Some("parts of A[0-4][0-3]"));
        assert_eq!(described([cell("C", 7, 5), cell("C", 7, 5)]).as_deref(), Some("C[7][5]"));
        assert_eq!(described([cell("A", 0, 0), cell("B", 0, 0)]), None);
        assert_eq!(described([]), None);
    }

    #[test]
    fn of_an_array_without_a_shape_words_are_counted() {
        assert_eq!(described((32..64).map(word)).as_deref(), Some("words 32-63 of As"));
        assert_eq!(described((0..32).map(|i| word(i * 33))).as_deref(), Some("32 words of As"));
        assert_eq!(described([word(5)]).as_deref(), Some("word 5 of As"));
    }
}
