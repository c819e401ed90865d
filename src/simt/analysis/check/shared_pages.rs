//! Finds the units of memory that several blocks touch, one of them by a write. Of most memory only
//! a few bits per unit are kept; of groups of pages in which each unit was written by one block
//! alone, not even those.

use super::happens_before::HappensBefore;
use super::shadow::Shadow;
use super::touch::{SharedWords, TouchedUnits};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Number of locks, so that blocks that end at the same time seldom wait for each other.
const SHARDS: u64 = 64;

/// The number of pages of a shadow whose marks are stored together.
const GROUP: usize = 32;

/// The marks of a group of pages.
#[derive(Debug)]
enum Marks {
    /// Every unit was written, by one block only.
    Written,
    Each(Box<[TouchedUnits; GROUP]>),
}

/// The marks of all memory that blocks have touched and that one of them writes.
#[derive(Debug)]
pub(super) struct SharedPages {
    shards: Vec<Mutex<HashMap<u64, Marks>>>,
    suspects: Mutex<SharedWords>,
}

impl TouchedUnits {
    /// Returns the units that another block touches as well, at least one of the two by a write,
    /// and not both by atomics.
    fn clashes(self, other: Self) -> u32 {
        self.written & (other.read | other.atomic | other.written)
            | self.atomic & (other.read | other.written)
            | self.read & (other.atomic | other.written)
    }

    fn join(self, other: Self) -> Self {
        Self {
            read: self.read | other.read,
            atomic: self.atomic | other.atomic,
            written: self.written | other.written,
        }
    }
}

impl Marks {
    fn new() -> Self {
        Self::Each(Box::new([TouchedUnits::default(); GROUP]))
    }

    /// Adds a block's accesses to a page and returns the units that clash with those of others.
    fn add(&mut self, page: usize, mine: TouchedUnits) -> u32 {
        let all = TouchedUnits { written: u32::MAX, ..TouchedUnits::default() };
        let Self::Each(pages) = self else {
            *self = Self::Each(Box::new([all; GROUP]));
            return self.add(page, mine);
        };
        let clashes = pages[page].clashes(mine);
        pages[page] = pages[page].join(mine);
        let is_full =
            |page: &TouchedUnits| (page.read, page.atomic, page.written) == (0, 0, u32::MAX);
        if is_full(&pages[page]) && pages.iter().all(is_full) {
            *self = Self::Written;
        }
        clashes
    }
}

impl SharedPages {
    pub(super) fn new() -> Self {
        let shards = (0..SHARDS).map(|_| Mutex::default()).collect();
        Self { shards, suspects: Mutex::default() }
    }

    /// Adds the accesses of a block that has ended.
    pub(super) fn publish(&self, clock: &HappensBefore, shadow: &Shadow) {
        for (page, start) in shadow.pages() {
            let (group, within) = (page / GROUP as u64, page as usize % GROUP);
            let shard = &self.shards[(group % SHARDS) as usize];
            let mut shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
            let marks = shard.entry(group).or_insert_with(Marks::new);
            let clashes = marks.add(within, shadow.touched(clock, start));
            drop(shard);
            if clashes != 0 {
                let mut suspects = self.suspects.lock().unwrap_or_else(PoisonError::into_inner);
                *suspects.entry(page).or_insert(0) |= clashes;
            }
        }
    }

    /// Returns every unit that several blocks touch, one of them by a write.
    pub(super) fn suspects(&self) -> SharedWords {
        self.suspects.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Adds `more` and returns whether any of it was new.
pub(super) fn extend(suspects: &mut SharedWords, more: SharedWords) -> bool {
    let mut new = false;
    for (page, units) in more {
        let known = suspects.entry(page).or_insert(0);
        new |= units & !*known != 0;
        *known |= units;
    }
    new
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(units: u32) -> TouchedUnits {
        TouchedUnits { written: units, ..TouchedUnits::default() }
    }

    #[test]
    fn what_two_blocks_touch_is_suspect_if_one_of_them_writes() {
        let read = TouchedUnits { read: 0b0110, ..TouchedUnits::default() };
        let atomic = TouchedUnits { atomic: 0b1100, ..TouchedUnits::default() };
        let mut marks = Marks::new();
        let told = [
            (read, 0),
            (read, 0),
            (atomic, 0b0100),
            (atomic, 0b0100),
            (written(0b1011), 0b1010),
            (written(0b0001), 0b0001),
        ];
        for (mine, clashes) in told {
            assert_eq!(marks.add(3, mine), clashes, "{mine:?}");
        }
        assert_eq!(marks.add(4, written(0b1111)), 0, "a page of its own");
    }

    #[test]
    fn nothing_is_kept_of_what_blocks_have_written_each_for_itself() {
        let mut marks = Marks::new();
        for page in 0..GROUP {
            assert!(matches!(marks, Marks::Each(_)));
            assert_eq!(marks.add(page, written(0xffff)), 0);
            assert_eq!(marks.add(page, written(0xffff_0000)), 0, "the unit next to it");
        }
        assert!(matches!(marks, Marks::Written));
        assert_eq!(marks.add(7, written(0b100)), 0b100, "and still it is known");
        let read = TouchedUnits { read: 0b11, ..TouchedUnits::default() };
        assert_eq!(marks.add(31, read), 0b11);
    }
}
