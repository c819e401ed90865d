//! A place in a source.

/// A place in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct At {
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1, in characters.
    pub column: u32,
    /// How many columns.
    pub length: u32,
}

impl At {
    /// The first character of the source.
    pub(super) const START: Self = Self { line: 1, column: 1, length: 1 };

    /// The place just after this one.
    pub(super) const fn after(self) -> Self {
        Self { column: self.column + self.length, length: 1, ..self }
    }
}
