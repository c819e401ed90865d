//! The traffic that the roofline counts.

/// The level of memory whose bytes are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Traffic {
    /// Between the L2 cache and DRAM.
    #[default]
    Dram,
    /// Between shared memory and the registers.
    Shared,
}

impl Traffic {
    /// The other level.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Dram => Self::Shared,
            Self::Shared => Self::Dram,
        }
    }

    pub const fn word(self) -> &'static str {
        match self {
            Self::Dram => "DRAM",
            Self::Shared => "shared memory",
        }
    }
}
