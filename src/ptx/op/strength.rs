//! Memory ordering of operations and fences, and its scope.

/// The threads that observe an ordering (PTX ISA, "Scope"). `.sys` is the grid, because nothing else
/// runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MemoryScope {
    /// The threads of the block: `.cta`.
    Cta,
    /// The threads of the blocks that run together: `.cluster`.
    Group,
    /// All threads: `.gpu` (`.gl` of `membar`), `.sys`.
    Gpu,
}

/// The ordering semantics of an operation (PTX ISA, "Memory Operations", "Release and Acquire
/// Patterns").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strength {
    /// Ordinary: a concurrent conflicting access is a data race.
    Weak,
    /// `.volatile`, `.mmio`: performed exactly as written; otherwise like `.relaxed.sys`.
    Volatile,
    /// Synchronises only in combination with fences.
    Relaxed(MemoryScope),
    /// Later operations are ordered after those that were released.
    Acquire(MemoryScope),
    /// Releases the operations before it.
    Release(MemoryScope),
    /// Both: `.acq_rel`, `.sc`.
    AcquireRelease(MemoryScope),
}

impl MemoryScope {
    /// The scope spelt `word`.
    pub(crate) fn from_word(word: &str) -> Option<Self> {
        match word {
            "cta" => Some(Self::Cta),
            "cluster" => Some(Self::Group),
            "gpu" | "gl" | "sys" => Some(Self::Gpu),
            _ => None,
        }
    }
}

impl Strength {
    /// The strength spelt `word` (for example `acquire`), at the given scope.
    pub(crate) fn from_word(word: &str, scope: MemoryScope) -> Option<Self> {
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

    /// The scope at which it can synchronise; `None` for a weak operation.
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

    /// Whether later operations are ordered after the release that it observes.
    pub const fn acquires(self) -> bool {
        matches!(self, Self::Acquire(_) | Self::AcquireRelease(_))
    }

    /// Whether it releases the operations before it.
    pub const fn releases(self) -> bool {
        matches!(self, Self::Release(_) | Self::AcquireRelease(_))
    }
}
