//! Which accesses have come before, as a thread knows it: of its own block and of others.

use super::clock::{Epoch, IN_FLIGHT, Thread};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Accesses of one block: all before `floor`; of each warp, and of single threads, some more.
#[derive(Clone, Debug, Default)]
pub(super) struct View {
    pub(super) floor: Epoch,
    pub(super) warps: Vec<Epoch>,
    pub(super) threads: BTreeMap<Thread, Epoch>,
}

impl View {
    /// Whether what `thread` did at `epoch` is among them.
    pub(super) fn holds(&self, thread: Thread, epoch: Epoch) -> bool {
        let warp = self.warps.get(thread.warp()).copied().unwrap_or(0);
        let own = self.threads.get(&thread).copied().unwrap_or(0);
        epoch != IN_FLIGHT && epoch < self.floor.max(warp).max(own)
    }

    pub(super) fn join(&mut self, other: &Self) {
        self.floor = self.floor.max(other.floor);
        if self.warps.len() < other.warps.len() {
            self.warps.resize(other.warps.len(), 0);
        }
        for (mine, theirs) in self.warps.iter_mut().zip(&other.warps) {
            *mine = (*mine).max(*theirs);
        }
        for (thread, theirs) in &other.threads {
            let mine = self.threads.entry(*thread).or_insert(0);
            *mine = (*mine).max(*theirs);
        }
    }
}

/// The same of many blocks, by their numbers; what threads share is kept once.
#[derive(Clone, Debug, Default)]
pub(super) struct Known(Option<Arc<BTreeMap<u64, Arc<View>>>>);

impl Known {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    pub(super) fn of(&self, block: u64) -> Option<&View> {
        self.0.as_ref()?.get(&block).map(|view| &**view)
    }

    /// Whether what `thread` of `block` did at `epoch` is among them.
    pub(super) fn holds(&self, block: u64, thread: Thread, epoch: Epoch) -> bool {
        self.of(block).is_some_and(|view| view.holds(thread, epoch))
    }

    pub(super) fn add(&mut self, block: u64, view: View) {
        let known = Arc::make_mut(self.0.get_or_insert_default());
        Self::join_one(known, block, &Arc::new(view));
    }

    pub(super) fn join(&mut self, other: &Self) {
        let Some(theirs) = &other.0 else { return };
        let Some(mine) = &mut self.0 else {
            self.0 = Some(Arc::clone(theirs));
            return;
        };
        if !Arc::ptr_eq(mine, theirs) {
            let mine = Arc::make_mut(mine);
            theirs.iter().for_each(|(block, view)| Self::join_one(mine, *block, view));
        }
    }

    fn join_one(known: &mut BTreeMap<u64, Arc<View>>, block: u64, view: &Arc<View>) {
        let mine = known.entry(block).or_insert_with(|| Arc::clone(view));
        if !Arc::ptr_eq(mine, view) {
            Arc::make_mut(mine).join(view);
        }
    }
}
