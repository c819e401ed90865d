//! Clocks of the threads of many blocks; copies share what they have in common.

use super::ThreadClock;
use crate::analysis::check::epoch::{Epoch, ThreadId};
use std::sync::Arc;

/// Bits of a block's number that select a child at one level of the tree.
const BITS: u32 = 4;

/// Children of a node.
const WAYS: usize = 1 << BITS;

/// Thread clocks by block number. In a grid in which each block passes on to the next what all
/// earlier ones did, there are as many of these as blocks. So a copy costs nothing, and adding to
/// one costs only the nodes on the path to the block.
#[derive(Clone, Debug, Default)]
pub(in crate::analysis::check) struct GridClock(Option<Tree>);

/// A radix tree with `height` levels above its leaves.
#[derive(Clone, Debug)]
struct Tree {
    height: u32,
    root: Arc<ClockNode>,
}

#[derive(Clone, Debug)]
enum ClockNode {
    Inner([Option<Arc<Self>>; WAYS]),
    Leaf(ThreadClock),
}

impl GridClock {
    pub(in crate::analysis::check) const fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    pub(in crate::analysis::check) fn of_block(&self, block: u64) -> Option<&ThreadClock> {
        let tree = self.0.as_ref().filter(|tree| height(block) <= tree.height)?;
        let mut node = &tree.root;
        for level in (0..tree.height).rev() {
            let ClockNode::Inner(ways) = &**node else { return None };
            node = ways[way(block, level)].as_ref()?;
        }
        if let ClockNode::Leaf(view) = &**node { Some(view) } else { None }
    }

    /// Whether the access of `thread` of `block` at `epoch` is included.
    pub(in crate::analysis::check) fn holds(
        &self,
        block: u64,
        thread: ThreadId,
        epoch: Epoch,
    ) -> bool {
        self.of_block(block).is_some_and(|view| view.holds(thread, epoch))
    }

    pub(in crate::analysis::check) fn add(&mut self, block: u64, view: ThreadClock) {
        let mut tree = Tree { height: 0, root: Arc::new(ClockNode::Leaf(view)) };
        (0..height(block)).for_each(|level| tree.grow(way(block, level)));
        self.join(&Self(Some(tree)));
    }

    pub(in crate::analysis::check) fn join(&mut self, other: &Self) {
        let Some(theirs) = &other.0 else { return };
        let Some(mine) = &mut self.0 else {
            self.0 = Some(theirs.clone());
            return;
        };
        let mut theirs = theirs.clone();
        (mine.height..theirs.height).for_each(|_| mine.grow(0));
        (theirs.height..mine.height).for_each(|_| theirs.grow(0));
        join(&mut mine.root, &theirs.root);
    }
}

impl Tree {
    /// Adds a level: the present root becomes child `way` of a new root.
    fn grow(&mut self, way: usize) {
        let mut ways = [const { None }; WAYS];
        ways[way] = Some(Arc::clone(&self.root));
        *self = Self { height: self.height + 1, root: Arc::new(ClockNode::Inner(ways)) };
    }
}

/// Joins trees of the same height. Where one includes the other, they share it afterwards, so that it
/// costs nothing to join them again.
fn join(mine: &mut Arc<ClockNode>, theirs: &Arc<ClockNode>) {
    if Arc::ptr_eq(mine, theirs) {
        return;
    }
    if let (ClockNode::Leaf(own), ClockNode::Leaf(other)) = (&**mine, &**theirs) {
        if other.includes(own) {
            *mine = Arc::clone(theirs);
            return;
        }
        if own.includes(other) {
            return;
        }
    }
    match (Arc::make_mut(mine), &**theirs) {
        (ClockNode::Leaf(mine), ClockNode::Leaf(theirs)) => mine.join(theirs),
        (ClockNode::Inner(mine), ClockNode::Inner(theirs)) => {
            for (mine, theirs) in mine.iter_mut().zip(theirs) {
                match (mine, theirs) {
                    (_, None) => {}
                    (Some(mine), Some(theirs)) => join(mine, theirs),
                    (mine, theirs) => mine.clone_from(theirs),
                }
            }
        }
        (ClockNode::Leaf(_), ClockNode::Inner(_)) | (ClockNode::Inner(_), ClockNode::Leaf(_)) => {
            unreachable!("trees of the same height")
        }
    }
}

/// The height of a tree that holds a block of that number.
const fn height(block: u64) -> u32 {
    (u64::BITS - block.leading_zeros()).div_ceil(BITS)
}

/// Returns which child leads to `block`, from a node whose children are `level` levels above the
/// leaves.
const fn way(block: u64, level: u32) -> usize {
    (block >> (BITS * level)) as usize % WAYS
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(floor: Epoch) -> ThreadClock {
        ThreadClock { floor, ..ThreadClock::default() }
    }

    fn known(of: &[(u64, Epoch)]) -> GridClock {
        let mut known = GridClock::default();
        for (block, floor) in of {
            known.add(*block, view(*floor));
        }
        known
    }

    #[test]
    fn each_block_has_its_own_view_and_the_later_one_counts() {
        let mut mine = known(&[(0, 5), (17, 3), (u64::MAX, 9)]);
        let copy = mine.clone();
        mine.join(&known(&[(0, 2), (16, 4), (17, 8)]));
        let floors =
            [0, 16, 17, 18, u64::MAX].map(|block| mine.of_block(block).map(|view| view.floor));
        assert_eq!(floors, [Some(5), Some(4), Some(8), None, Some(9)]);
        assert_eq!(copy.of_block(17).map(|view| view.floor), Some(3), "a copy stays what it was");
        let mut low = known(&[(3, 1)]);
        assert!(
            low.of_block(3 + 16).is_none() && low.of_block(3 << 32).is_none(),
            "the digits alone do not do"
        );
        low.join(&mine);
        assert_eq!(
            [3, 17].map(|block| low.of_block(block).map(|view| view.floor)),
            [Some(1), Some(8)]
        );
    }
}
