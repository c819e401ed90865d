//! The kinds of things that can be pointed at, and their names.

use crate::lesson::target::Target;

/// A kind of thing that can be pointed at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TargetKind {
    /// An element of A, B or C.
    Element,
    /// A thread of the block.
    Thread,
    Warp,
    Lane,
    /// A bank of shared memory.
    Bank,
    /// A word of a shared array.
    Word,
    /// A sector of the request.
    Sector,
    Line,
    /// A panel of the screen.
    Panel,
}

impl TargetKind {
    /// Every kind, with its name, its plural and how one is typed.
    const ALL: [(Self, &'static str, &'static str, &'static str); 9] = [
        (Self::Element, "element", "elements", "C[35][37]"),
        (Self::Thread, "thread", "threads", "thread 5,3"),
        (Self::Warp, "warp", "warps", "warp 3"),
        (Self::Lane, "lane", "lanes", "lanes 0-7"),
        (Self::Bank, "bank", "banks", "bank 4"),
        (Self::Word, "word", "words", "sA[17]"),
        (Self::Sector, "sector", "sectors", "sector 2"),
        (Self::Line, "line", "lines", "line 34"),
        (Self::Panel, "panel", "panels", "panel 3"),
    ];

    /// The kind of a thing.
    pub const fn of(target: &Target) -> Self {
        match target {
            Target::Element(_) => Self::Element,
            Target::Thread { .. } => Self::Thread,
            Target::Warp(_) => Self::Warp,
            Target::Lane(_) => Self::Lane,
            Target::Bank(_) => Self::Bank,
            Target::Word { .. } => Self::Word,
            Target::Sector(_) => Self::Sector,
            Target::Line(_) => Self::Line,
            Target::Panel(_) => Self::Panel,
        }
    }

    /// The names of all kinds.
    pub fn all() -> impl Iterator<Item = &'static str> + Clone {
        Self::ALL.into_iter().map(|(_, name, ..)| name)
    }

    /// The kind of this name, as an `ask` has it: `lane`.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(_, one, ..)| *one == name).map(|(sort, ..)| sort)
    }

    /// The thing with this number, if one number is enough for it.
    pub(super) const fn numbered(self, number: u32) -> Option<Target> {
        match self {
            Self::Warp => Some(Target::Warp(number)),
            Self::Lane => Some(Target::Lane(number)),
            Self::Bank => Some(Target::Bank(number)),
            Self::Sector => Some(Target::Sector(number)),
            Self::Line => Some(Target::Line(number)),
            Self::Element | Self::Thread | Self::Word | Self::Panel => None,
        }
    }

    /// Its plural, and how one is typed.
    pub(super) fn names(self) -> (&'static str, &'static str) {
        let row = Self::ALL.into_iter().find(|(sort, ..)| *sort == self);
        row.map_or(("things", ""), |(_, _, many, sample)| (many, sample))
    }

    /// Whether a word is its name, whole or shortened.
    pub(super) fn is_called(self, word: &str) -> bool {
        self.names().0.starts_with(word)
    }
}
