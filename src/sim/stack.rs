//! The lanes' ways: which runs, which wait where, after a branch has parted them.

use super::barrier::Wait;
use super::mask::LaneMask;
use super::step::Pc;

/// Lanes that run together.
#[derive(Clone, Copy, Debug)]
struct Path {
    pc: Pc,
    lanes: LaneMask,
    /// Where these lanes wait for the others.
    meet: Option<Pc>,
    /// The barrier, at `pc`, at which they wait.
    wait: Option<Wait>,
    /// How many calls they are in.
    depth: u16,
    /// The innermost of them.
    call: Pc,
}

/// The ways of one warp's live lanes.
///
/// The classic stack of reconvergence points (Fung and others, "Dynamic Warp Formation", 2007,
/// section 2): a branch that parts the lanes leaves an entry at the immediate post-dominator and
/// puts both ways on top of it; the last way runs. To this comes what independent thread
/// scheduling adds (CUDA Programming Guide, "Independent Thread Scheduling"): while a way waits
/// at a barrier, the others go on, past their meeting point if nothing else can run.
#[derive(Clone, Debug)]
pub(super) struct Stack {
    /// A way's lanes are also among those of the entry below it at which it will be met.
    paths: Vec<Path>,
    /// The way that runs; none is `NONE`.
    running: usize,
}

const NONE: usize = usize::MAX;

impl Stack {
    pub(super) fn new(lanes: LaneMask) -> Self {
        let path = Path { pc: Pc(0), lanes, meet: None, wait: None, depth: 0, call: Pc(0) };
        Self { paths: vec![path], running: 0 }
    }

    /// The next instruction and the lanes that execute it; none when every lane has ended or
    /// waits.
    pub(super) fn top(&self) -> Option<(Pc, LaneMask)> {
        self.paths.get(self.running).map(|path| (path.pc, path.lanes))
    }

    /// The ways that wait at a barrier: where, who, for what.
    pub(super) fn waits(&self) -> impl DoubleEndedIterator<Item = (Pc, LaneMask, Wait)> {
        self.paths.iter().filter_map(|path| path.wait.map(|wait| (path.pc, path.lanes, wait)))
    }

    /// On to `pc`, together.
    pub(super) fn advance(&mut self, pc: Pc) {
        let Some(path) = self.paths.get_mut(self.running) else { return };
        path.pc = pc;
        if path.meet == Some(pc) {
            self.choose();
        }
    }

    /// `taken` go to `target`, the rest falls through to `next`; they meet again at `meet`.
    pub(super) fn part(&mut self, taken: LaneMask, target: Pc, next: Pc, meet: Option<Pc>) {
        let Some(path) = self.paths.get_mut(self.running) else { return };
        let (rest, outer, parted) = (path.lanes.without(taken), path.meet, *path);
        let mut above = self.running;
        match meet {
            Some(pc) => {
                path.pc = pc;
                above += 1;
            }
            None => {
                self.paths.remove(self.running);
            }
        }
        let meet = meet.or(outer);
        for (pc, lanes) in [(next, rest), (target, taken)] {
            if meet != Some(pc) {
                self.paths.insert(above, Path { pc, lanes, meet, ..parted });
            }
        }
        self.choose();
    }

    /// `lanes` have ended, wherever they were.
    pub(super) fn end(&mut self, lanes: LaneMask) {
        for path in &mut self.paths {
            path.lanes = path.lanes.without(lanes);
        }
        self.paths.retain(|path| !path.lanes.is_empty());
        self.choose();
    }

    /// `lanes` of the running way enter a function at `target`; the others wait for them behind
    /// the call.
    pub(super) fn call(&mut self, lanes: LaneMask, target: Pc, call: Pc) {
        let Some(path) = self.paths.get_mut(self.running) else { return };
        path.pc = Pc(call.0 + 1);
        let depth = path.depth + 1;
        let inside = Path { pc: target, lanes, meet: None, wait: None, depth, call };
        self.paths.insert(self.running + 1, inside);
        self.choose();
    }

    /// Where the running way was called from; none in the kernel itself.
    pub(super) fn caller(&self) -> Option<Pc> {
        let path = self.paths.get(self.running)?;
        (path.depth > 0).then_some(path.call)
    }

    /// `lanes` of the running way leave their function.
    pub(super) fn back(&mut self, lanes: LaneMask) {
        let Some(depth) = self.paths.get(self.running).map(|path| path.depth) else { return };
        for path in self.paths.iter_mut().filter(|path| path.depth == depth) {
            path.lanes = path.lanes.without(lanes);
        }
        self.paths.retain(|path| !path.lanes.is_empty());
        self.choose();
    }

    /// `lanes` of the running way wait here; the rest, if any, meets them behind the barrier.
    pub(super) fn wait(&mut self, lanes: LaneMask, wait: Wait) {
        let Some(path) = self.paths.get_mut(self.running) else { return };
        if lanes == path.lanes {
            path.wait = Some(wait);
        } else {
            let pc = path.pc;
            path.pc = Pc(pc.0 + 1);
            let waiting = Path { pc, lanes, meet: Some(path.pc), wait: Some(wait), ..*path };
            self.paths.insert(self.running + 1, waiting);
        }
        self.choose();
    }

    /// Every way that waits has been counted by its barrier.
    pub(super) fn count(&mut self) {
        self.paths.iter_mut().flat_map(|path| &mut path.wait).for_each(|wait| wait.counted = true);
    }

    /// The ways that wait as `which` says go on behind their barrier.
    pub(super) fn release(&mut self, which: impl Fn(&Wait) -> bool) {
        for path in &mut self.paths {
            if path.wait.is_some_and(|wait| which(&wait)) {
                path.wait = None;
                path.pc.0 += 1;
            }
        }
        self.choose();
    }

    /// The last way that can run does so: one that neither waits nor is to be met by others.
    /// One that has come to its meeting point gives way to the entry that waits there.
    fn choose(&mut self) {
        self.running = NONE;
        let mut above = LaneMask::NONE;
        for index in (0..self.paths.len()).rev() {
            let path = self.paths[index];
            let runs = path.wait.is_none() && above.and(path.lanes).is_empty();
            if runs && path.meet == Some(path.pc) {
                self.paths.remove(index);
            } else if runs {
                self.running = index;
                return;
            } else {
                above = LaneMask(above.0 | path.lanes.0);
            }
        }
        self.go_alone();
    }

    /// Every way waits or is to be met by one that waits: lanes that have come to a meeting point
    /// no longer wait there for those at a barrier.
    fn go_alone(&mut self) {
        let mut above = LaneMask::NONE;
        for index in (0..self.paths.len()).rev() {
            let path = self.paths[index];
            let here = path.lanes.without(above);
            if path.wait.is_none() && !here.is_empty() {
                self.paths[index].lanes = path.lanes.without(here);
                if path.meet != Some(path.pc) {
                    self.paths.insert(index + 1, Path { lanes: here, ..path });
                    self.running = index + 1;
                    return;
                }
            }
            above = LaneMask(above.0 | self.paths[index].lanes.0);
        }
    }
}
