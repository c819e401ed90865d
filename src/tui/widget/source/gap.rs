//! A text that may belong between two lines.

/// A text that is put after a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap<'a> {
    /// The line after which it stands, from 1.
    pub line: u32,
    pub text: &'a str,
    /// What it means there.
    pub means: Means,
}

/// What a text means where it is put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Means {
    /// The user moves it.
    Here,
    /// It belongs there.
    Right,
    /// It does not.
    Wrong,
}
