//! The blocks that run at the same time: one that waits for another has company as long as one of
//! them may still write.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// The blocks that run at present.
#[derive(Debug, Default)]
pub(super) struct Company(Mutex<Blocks>);

#[derive(Debug, Default)]
struct Blocks {
    /// Counts what happens here.
    now: u64,
    /// When a block last began, began to wait, or found that it no longer waits.
    changed: u64,
    /// For each block: `None` unless it waits; when its last proof began that it does, and when that
    /// proof ended.
    waits: HashMap<u64, Option<(u64, u64)>>,
}

impl Company {
    /// Block `number` begins, or goes on because what it waited for has come.
    pub(super) fn runs(&self, number: u64) {
        self.change(|blocks| blocks.waits.insert(number, None));
    }

    /// Block `number` has ended.
    pub(super) fn ends(&self, number: u64) {
        self.change(|blocks| blocks.waits.remove(&number));
    }

    fn change<T>(&self, change: impl FnOnce(&mut Blocks) -> T) {
        let mut blocks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        blocks.now += 1;
        blocks.changed = blocks.now;
        change(&mut blocks);
    }

    /// Once more block `number` has come back to its state, and waits for a write. Returns whether
    /// it waits in vain: every block that runs has come back to its state since all of them wait,
    /// so that none writes anything new.
    pub(super) fn waits(&self, number: u64) -> bool {
        let mut blocks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        blocks.now += 1;
        let now = blocks.now;
        let before = blocks.waits.insert(number, None).flatten();
        if before.is_none() {
            blocks.changed = now;
        }
        // This proof began where the last one ended.
        let began = before.map_or(0, |(_, ended)| ended);
        blocks.waits.insert(number, Some((began, now)));
        let since = blocks.changed;
        blocks.waits.values().all(|proof| proof.is_some_and(|(began, _)| began >= since))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_waits_in_vain_once_all_have_come_back_to_their_states_since_all_wait() {
        let company = Company::default();
        company.runs(0);
        company.runs(1);
        assert!(!company.waits(0) && !company.waits(0), "block 1 may write");
        assert!(!company.waits(1), "its proof began before it waited");
        assert!(!company.waits(1), "block 0 may have seen what block 1 has written");
        assert!(!company.waits(0), "its proof began before block 1 waited");
        assert!(company.waits(0) && company.waits(1));
        company.runs(1);
        assert!(!company.waits(0), "block 1 goes on");
        company.ends(1);
        assert!(!company.waits(0) && company.waits(0), "nobody else is there");
    }
}
