//! What memory operations and fences promise about the order of others, and to whom.

/// Who sees an order (PTX ISA, "Scope"): `.cluster` is one block, for launches have no clusters
/// here, and `.sys` is the grid, for nobody else runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MemoryScope {
    /// The threads of the block: `.cta`, `.cluster`.
    Cta,
    /// All threads: `.gpu` (`.gl` of `membar`), `.sys`.
    Gpu,
}

/// How strong an operation is (PTX ISA, "Memory Operations", "Release and Acquire Patterns").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strength {
    /// Ordinary: others may not touch the place at the same time.
    Weak,
    /// `.volatile`, `.mmio`: done as written; otherwise as if `.relaxed.sys`.
    Volatile,
    /// Synchronises only together with fences.
    Relaxed(MemoryScope),
    /// What follows comes after what was released.
    Acquire(MemoryScope),
    /// What came before is released with it.
    Release(MemoryScope),
    /// Both: `.acq_rel`, `.sc`.
    AcquireRelease(MemoryScope),
}

impl MemoryScope {
    /// The scope that is spelt `word`.
    pub(in crate::ptx) fn from_word(word: &str) -> Option<Self> {
        match word {
            "cta" | "cluster" => Some(Self::Cta),
            "gpu" | "gl" | "sys" => Some(Self::Gpu),
            _ => None,
        }
    }
}

impl Strength {
    /// What a word such as `acquire` makes of an operation of this scope.
    pub(in crate::ptx) fn from_word(word: &str, scope: MemoryScope) -> Option<Self> {
        Some(match word {
            "weak" => Self::Weak,
            "volatile" | "mmio" => Self::Volatile,
            "relaxed" => Self::Relaxed(scope),
            "acquire" => Self::Acquire(scope),
            "release" => Self::Release(scope),
            "acq_rel" | "sc" => Self::AcquireRelease(scope),
            _ => return None,
        })
    }

    /// Between whom it can synchronise; a weak operation cannot.
    pub const fn scope(self) -> Option<MemoryScope> {
        match self {
            Self::Weak => None,
            Self::Volatile => Some(MemoryScope::Gpu),
            Self::Relaxed(scope)
            | Self::Acquire(scope)
            | Self::Release(scope)
            | Self::AcquireRelease(scope) => Some(scope),
        }
    }

    /// Whether what follows it comes after what it sees released.
    pub const fn acquires(self) -> bool {
        matches!(self, Self::Acquire(_) | Self::AcquireRelease(_))
    }

    /// Whether it releases what came before it.
    pub const fn releases(self) -> bool {
        matches!(self, Self::Release(_) | Self::AcquireRelease(_))
    }
}
