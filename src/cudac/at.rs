//! A place in a source.

/// A line of the source or of a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// 0 for the source, otherwise the header's number, from 1.
    pub file: u32,
    /// The line, from 1.
    pub number: u32,
}

impl Line {
    /// The first of the source.
    pub(super) const FIRST: Self = Self { file: 0, number: 1 };

    /// A place in it.
    pub(super) const fn at(self, column: u32, length: u32) -> At {
        At { file: self.file, line: self.number, column, length }
    }
}

/// A place in the source or in a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct At {
    /// 0 for the source, otherwise the header's number, from 1.
    pub file: u32,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1, in characters.
    pub column: u32,
    /// How many columns.
    pub length: u32,
}

impl At {
    /// The first character of the source.
    pub(super) const START: Self = Line::FIRST.at(1, 1);

    pub(super) const fn line(self) -> Line {
        Line { file: self.file, number: self.line }
    }

    /// The place just after this one.
    pub(super) const fn after(self) -> Self {
        Self { column: self.column + self.length, length: 1, ..self }
    }
}
