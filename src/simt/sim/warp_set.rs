//! Sets of a machine's warps.

/// A set of warps, warp 0 in the lowest bit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct WarpSet(pub(super) u64);

impl WarpSet {
    pub(super) const NONE: Self = Self(0);

    /// The first `count` warps, at most 64.
    pub(super) const fn first(count: u32) -> Self {
        if count >= u64::BITS { Self(u64::MAX) } else { Self((1 << count) - 1) }
    }

    pub(super) const fn of(warp: u32) -> Self {
        Self(1 << warp)
    }

    pub(super) const fn has(self, warp: u32) -> bool {
        self.0 >> warp & 1 == 1
    }

    pub(super) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The warps in both sets.
    pub(super) const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(super) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The warps of this set that are not in `other`.
    pub(super) const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// This set, and `warp`.
    pub(super) const fn with(self, warp: u32) -> Self {
        Self(self.0 | 1 << warp)
    }

    /// The warps' numbers, ascending.
    pub(super) fn warps(self) -> impl Iterator<Item = usize> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            (rest != 0).then(|| {
                let warp = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                warp
            })
        })
    }
}
