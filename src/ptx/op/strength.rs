//! What memory operations and fences promise about the order of others, and to whom.

/// Who sees an order (PTX ISA, "Scope"): `.cluster` is one block, for launches have no clusters
/// here, and `.sys` is the grid, for nobody else runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reach {
    /// The threads of the block: `.cta`, `.cluster`.
    Block,
    /// All threads: `.gpu` (`.gl` of `membar`), `.sys`.
    Grid,
}

/// How strong an operation is (PTX ISA, "Memory Operations", "Release and Acquire Patterns").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strength {
    /// Ordinary: others may not touch the place at the same time.
    Weak,
    /// `.volatile`, `.mmio`: done as written; otherwise as if `.relaxed.sys`.
    Volatile,
    /// Synchronises only together with fences.
    Relaxed(Reach),
    /// What follows comes after what was released.
    Acquire(Reach),
    /// What came before is released with it.
    Release(Reach),
    /// Both.
    Both(Reach),
}

impl Reach {
    /// The reach that is spelt `word`.
    pub(in crate::ptx) fn from_word(word: &str) -> Option<Self> {
        match word {
            "cta" | "cluster" => Some(Self::Block),
            "gpu" | "gl" | "sys" => Some(Self::Grid),
            _ => None,
        }
    }
}

impl Strength {
    /// What a word such as `acquire` makes of an operation of this reach.
    pub(in crate::ptx) fn from_word(word: &str, reach: Reach) -> Option<Self> {
        Some(match word {
            "weak" => Self::Weak,
            "volatile" | "mmio" => Self::Volatile,
            "relaxed" => Self::Relaxed(reach),
            "acquire" => Self::Acquire(reach),
            "release" => Self::Release(reach),
            "acq_rel" | "sc" => Self::Both(reach),
            _ => return None,
        })
    }

    /// Between whom it can synchronise; a weak operation cannot.
    pub const fn reach(self) -> Option<Reach> {
        match self {
            Self::Weak => None,
            Self::Volatile => Some(Reach::Grid),
            Self::Relaxed(reach)
            | Self::Acquire(reach)
            | Self::Release(reach)
            | Self::Both(reach) => Some(reach),
        }
    }

    /// Whether what follows it comes after what it sees released.
    pub const fn acquires(self) -> bool {
        matches!(self, Self::Acquire(_) | Self::Both(_))
    }

    /// Whether it releases what came before it.
    pub const fn releases(self) -> bool {
        matches!(self, Self::Release(_) | Self::Both(_))
    }
}
