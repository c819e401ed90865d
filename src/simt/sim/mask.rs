//! Sets of a warp's 32 lanes, as used by guards, branches and exits.

/// A set of lanes, lane 0 in the lowest bit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct LaneMask(pub u32);

impl LaneMask {
    pub const NONE: Self = Self(0);
    pub const ALL: Self = Self(u32::MAX);

    /// The first `count` lanes, at most 32.
    pub const fn first(count: u32) -> Self {
        if count >= 32 { Self::ALL } else { Self((1 << count) - 1) }
    }

    /// Number of lanes in the set.
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether `lane` is in the set.
    pub const fn has(self, lane: usize) -> bool {
        self.0 >> lane & 1 == 1
    }

    /// Whether no lane is in the set.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The lanes in both sets.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// The lanes in one set or the other.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The lanes of this set that are not in `other`.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The lane numbers, ascending.
    pub fn lanes(self) -> impl Iterator<Item = usize> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            (rest != 0).then(|| {
                let lane = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                lane
            })
        })
    }
}

impl FromIterator<usize> for LaneMask {
    fn from_iter<I: IntoIterator<Item = usize>>(lanes: I) -> Self {
        Self(lanes.into_iter().fold(0, |mask, lane| mask | 1 << lane))
    }
}
