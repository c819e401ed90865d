//! A place in a source.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SourceLine {
    /// 0 for the source, otherwise the header's number, from 1.
    pub file: u32,
    pub number: u32,
}

impl SourceLine {
    pub(super) const FIRST: Self = Self { file: 0, number: 1 };

    pub(super) const fn at(self, column: u32, length: u32) -> Pos {
        Pos { file: self.file, line: self.number, column, length }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pos {
    /// 0 for the source, otherwise the header's number, from 1.
    pub file: u32,
    pub line: u32,
    /// The column, from 1, in characters.
    pub column: u32,
    pub length: u32,
}

impl Pos {
    pub(super) const START: Self = SourceLine::FIRST.at(1, 1);

    pub(super) const fn line(self) -> SourceLine {
        SourceLine { file: self.file, number: self.line }
    }

    pub(super) const fn after(self) -> Self {
        Self { column: self.column + self.length, length: 1, ..self }
    }
}
