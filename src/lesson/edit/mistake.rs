//! Something that is wrong with a version, and the step at which to see it.

use crate::launch::Dim3;
use crate::matrix::Element;

/// Something that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    pub kind: MistakeKind,
    /// What is wrong, in a sentence.
    pub what: String,
    /// Why, and what to try.
    pub why: String,
    /// Its line in the source.
    pub line: Option<u32>,
    /// Where it is to be seen, if at a step of a run.
    pub place: Option<RunLocation>,
    /// The number of the stage in whose run it is.
    pub stage: usize,
}

/// The kinds of mistakes, in the order in which they are best put right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MistakeKind {
    /// A block cannot continue, or does not end.
    Fault,
    /// An element of C is wrong.
    WrongProduct,
    /// A race, an error at a barrier, a value that was never written.
    Unsound,
    /// A goal of the exercise is not met: its number.
    Goal(usize),
    /// A request brings more sectors than its bytes fill.
    Sectors,
    /// An access to shared memory takes more passes than its bytes need.
    Conflicts,
}

impl MistakeKind {
    /// Whether it is an error of the run that the checks find.
    pub const fn is_found(self) -> bool {
        matches!(self, Self::Fault | Self::Unsound)
    }
}

/// A step of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunLocation {
    /// The number of the stage.
    pub stage: usize,
    pub block: Dim3,
    /// The number of steps done once it has been executed.
    pub step: usize,
    /// The warp that executes it.
    pub warp: u16,
    /// The element of C that it is about, if it is about one.
    pub element: Option<Element>,
}
