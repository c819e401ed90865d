//! The lanes' ways: which run, which wait where, after a branch has parted them.

use super::mask::LaneMask;
use super::step::Pc;

/// Lanes that run together.
#[derive(Clone, Copy, Debug)]
struct Path {
    pc: Pc,
    lanes: LaneMask,
    /// Where these lanes wait for the others.
    meet: Option<Pc>,
}

/// The ways of one warp's live lanes; the last one runs.
///
/// The classic stack of reconvergence points (Fung and others, "Dynamic Warp Formation", 2007,
/// section 2): a branch that parts the lanes leaves an entry at the immediate post-dominator and
/// puts both ways on top of it.
#[derive(Clone, Debug)]
pub(super) struct Stack {
    paths: Vec<Path>,
}

impl Stack {
    pub(super) fn new(lanes: LaneMask) -> Self {
        Self { paths: vec![Path { pc: Pc(0), lanes, meet: None }] }
    }

    /// The next instruction and the lanes that execute it; none when every lane has ended.
    pub(super) fn top(&self) -> Option<(Pc, LaneMask)> {
        self.paths.last().map(|path| (path.pc, path.lanes))
    }

    /// On to `pc`, together.
    pub(super) fn advance(&mut self, pc: Pc) {
        if let Some(path) = self.paths.last_mut() {
            path.pc = pc;
        }
        self.merge();
    }

    /// `taken` go to `target`, the rest falls through to `next`; they meet again at `meet`.
    pub(super) fn part(&mut self, taken: LaneMask, target: Pc, next: Pc, meet: Option<Pc>) {
        let Some(path) = self.paths.last_mut() else { return };
        let (rest, outer) = (path.lanes.without(taken), path.meet);
        match meet {
            Some(pc) => path.pc = pc,
            None => {
                self.paths.pop();
            }
        }
        let meet = meet.or(outer);
        for (pc, lanes) in [(target, taken), (next, rest)] {
            if meet != Some(pc) {
                self.paths.push(Path { pc, lanes, meet });
            }
        }
        self.merge();
    }

    /// `lanes` have ended, wherever they were.
    pub(super) fn end(&mut self, lanes: LaneMask) {
        for path in &mut self.paths {
            path.lanes = path.lanes.without(lanes);
        }
        self.paths.retain(|path| !path.lanes.is_empty());
    }

    /// Ways that have come to their meeting point give way to the entry that waits there.
    pub(super) fn merge(&mut self) {
        while let [.., path] = self.paths[..]
            && path.meet == Some(path.pc)
            && self.paths.len() > 1
        {
            self.paths.pop();
        }
    }
}
