//! How far the SASS of an access is uncertain.

/// The least and the most that may be executed of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Doubt {
    /// The least, in sixteenths of what is written.
    pub least: u8,
    /// Bytes per lane of each of the accesses into which it may be split.
    pub unit: u8,
}

impl Doubt {
    /// Both doubts.
    pub(super) fn or(self, other: Self) -> Self {
        Self { least: self.least.min(other.least), unit: self.unit.min(other.unit) }
    }
}
