//! The reconvergence stack: which divergent path runs, and where the others wait.

use super::access::Pc;
use super::barrier::Wait;
use super::mask::LaneMask;

/// Lanes that run together.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Path {
    pc: Pc,
    lanes: LaneMask,
    /// The reconvergence point at which these lanes wait for the others.
    reconverge_at: Option<Pc>,
    /// The barrier wait at `pc`, if the lanes are waiting at one.
    wait: Option<Wait>,
    /// The member mask of the instruction at `pc`, if the lanes wait for other members.
    members: Option<LaneMask>,
    /// The number of backward jumps since the lanes diverged from others.
    turns: u32,
    /// Whether the path has yielded to lanes that were waiting for it.
    paused: bool,
    /// Call depth.
    depth: u16,
    /// The instruction of the innermost call.
    call: Pc,
}

/// The divergent paths of a warp's live lanes.
///
/// This is the classic stack of reconvergence points (Fung and others, "Dynamic Warp Formation",
/// 2007, section 2): a divergent branch leaves an entry at the immediate post-dominator and pushes
/// both paths on top of it; the topmost path runs. Independent thread scheduling adds to this (CUDA
/// Programming Guide, "Independent Thread Scheduling"): while a path waits at a barrier or for
/// other members of a `.sync` instruction, the others continue, past their reconvergence point if
/// nothing else can run. They also continue while a path keeps looping, because it may be spinning
/// on something that they have to do.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ReconvergenceStack {
    /// The lanes of a path are also among those of the entry below it at which they will
    /// reconverge.
    paths: Vec<Path>,
    /// The index of the running path, or `NONE`.
    running: usize,
}

const NONE: usize = usize::MAX;

/// Number of backward jumps after which a path yields to others. On hardware every lane makes
/// progress; how soon is not documented. Yielding too early would split lanes that should be
/// counted together.
const PATIENCE: u32 = 1 << 13;

impl Path {
    fn new(pc: Pc, lanes: LaneMask) -> Self {
        let (meet, wait, members, call) = (None, None, None, Pc(0));
        Self {
            pc,
            lanes,
            reconverge_at: meet,
            wait,
            members,
            turns: 0,
            paused: false,
            depth: 0,
            call,
        }
    }

    /// Whether it cannot run, regardless of the other paths.
    fn is_held(&self) -> bool {
        self.wait.is_some() || self.members.is_some() || self.paused
    }
}

impl ReconvergenceStack {
    pub(super) fn new(lanes: LaneMask) -> Self {
        Self { paths: vec![Path::new(Pc(0), lanes)], running: 0 }
    }

    /// The next instruction and the lanes that execute it, or `None` when every lane has exited or
    /// waits.
    #[inline]
    pub(super) fn top(&self) -> Option<(Pc, LaneMask)> {
        self.paths.get(self.running).map(|path| (path.pc, path.lanes))
    }

    /// The instructions at which the lanes of its paths stand.
    pub(super) fn places(&self) -> Vec<Pc> {
        self.paths.iter().map(|path| path.pc).collect()
    }

    /// The paths that wait at a barrier: pc, lanes and wait.
    pub(super) fn waits(&self) -> impl DoubleEndedIterator<Item = (Pc, LaneMask, Wait)> {
        self.paths.iter().filter_map(|path| path.wait.map(|wait| (path.pc, path.lanes, wait)))
    }

    /// The paths that wait for other members of an instruction: pc, lanes and member mask.
    pub(super) fn members(&self) -> impl DoubleEndedIterator<Item = (Pc, LaneMask, LaneMask)> {
        self.paths.iter().filter_map(|path| path.members.map(|all| (path.pc, path.lanes, all)))
    }

    /// In the running path, the lanes of each of `groups` wait for the other members on paths of
    /// their own; the remaining lanes reconverge with them after the instruction.
    pub(super) fn wait_for(&mut self, groups: &[(LaneMask, LaneMask)]) {
        let Some(path) = self.paths.get_mut(self.running) else { return };
        let (here, at) = (*path, self.running + 1);
        match groups {
            [(lanes, all)] if *lanes == here.lanes => path.members = Some(*all),
            _ => {
                path.pc.0 += 1;
                let meet = Some(path.pc);
                for (lanes, all) in groups {
                    let waiting =
                        Path { lanes: *lanes, members: Some(*all), reconverge_at: meet, ..here };
                    self.paths.insert(at, waiting);
                }
            }
        }
        self.select();
    }

    /// Resumes the paths that wait for the members `all`, after their instruction.
    pub(super) fn resume_members(&mut self, all: LaneMask) {
        for path in self.paths.iter_mut().filter(|path| path.members == Some(all)) {
            path.members = None;
            path.pc.0 += 1;
        }
    }

    /// Records a backward jump of the running path, which occasionally yields to paths that wait
    /// for it.
    pub(super) fn jump_back(&mut self) {
        if self.paths.len() < 2 {
            return;
        }
        let Some(path) = self.paths.get_mut(self.running) else { return };
        path.turns += 1;
        if path.turns >= PATIENCE {
            self.yield_in_turn();
        }
    }

    /// The running path yields to the others, also to those that have yielded before.
    pub(super) fn yield_in_turn(&mut self) {
        if self.paths.len() < 2 || self.running == NONE {
            return;
        }
        self.paths.iter_mut().for_each(|path| path.paused = false);
        let path = &mut self.paths[self.running];
        (path.turns, path.paused) = (0, true);
        self.select();
    }

    /// The running path yields to the others until it alone can run.
    pub(super) fn yield_to_others(&mut self) {
        let Some(path) = self.paths.get_mut(self.running) else { return };
        path.paused = true;
        self.select();
    }

    /// The number of paths.
    pub(super) fn len(&self) -> usize {
        self.paths.len()
    }

    /// The paths whose lanes are at no barrier: pc and lanes.
    pub(super) fn moving(&self) -> impl Iterator<Item = (Pc, LaneMask)> {
        self.paths.iter().filter(|path| !path.is_held()).map(|path| (path.pc, path.lanes))
    }

    /// The running path continues at `pc` as a whole.
    #[inline]
    pub(super) fn advance(&mut self, pc: Pc) {
        let Some(path) = self.paths.get_mut(self.running) else { return };
        path.pc = pc;
        if path.reconverge_at == Some(pc) {
            self.select();
        }
    }

    /// `taken` go to `target`, the rest falls through to `next`; they reconverge at `meet`.
    pub(super) fn diverge(&mut self, taken: LaneMask, target: Pc, next: Pc, meet: Option<Pc>) {
        let Some(path) = self.paths.get_mut(self.running) else { return };
        let (rest, outer, parted) = (path.lanes.without(taken), path.reconverge_at, *path);
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
                self.paths
                    .insert(above, Path { pc, lanes, reconverge_at: meet, turns: 0, ..parted });
            }
        }
        self.select();
    }

    /// Removes lanes that have exited, wherever they are.
    pub(super) fn end(&mut self, lanes: LaneMask) {
        for path in &mut self.paths {
            path.lanes = path.lanes.without(lanes);
            // Paths that waited for them check again whether members are missing.
            path.members = None;
        }
        self.paths.retain(|path| !path.lanes.is_empty());
        self.select();
    }

    /// `lanes` of the running path enter a function at `target`; the others wait for them after the
    /// call.
    pub(super) fn call(&mut self, lanes: LaneMask, target: Pc, call: Pc) {
        let Some(path) = self.paths.get_mut(self.running) else { return };
        path.pc = Pc(call.0 + 1);
        let depth = path.depth + 1;
        let inside = Path { depth, call, ..Path::new(target, lanes) };
        self.paths.insert(self.running + 1, inside);
        self.select();
    }

    /// The call site of the running path, or `None` in the kernel itself.
    pub(super) fn caller(&self) -> Option<Pc> {
        let path = self.paths.get(self.running)?;
        (path.depth > 0).then_some(path.call)
    }

    /// `lanes` of the running path return from their function.
    pub(super) fn return_from(&mut self, lanes: LaneMask) {
        let Some(depth) = self.paths.get(self.running).map(|path| path.depth) else { return };
        for path in self.paths.iter_mut().filter(|path| path.depth == depth) {
            path.lanes = path.lanes.without(lanes);
        }
        self.paths.retain(|path| !path.lanes.is_empty());
        self.select();
    }

    /// `lanes` of the running path wait here; the rest, if any, reconverges with them after the
    /// barrier.
    pub(super) fn wait(&mut self, lanes: LaneMask, wait: Wait) {
        let Some(path) = self.paths.get_mut(self.running) else { return };
        if lanes == path.lanes {
            path.wait = Some(wait);
        } else {
            let pc = path.pc;
            path.pc = Pc(pc.0 + 1);
            let waiting =
                Path { pc, lanes, reconverge_at: Some(path.pc), wait: Some(wait), ..*path };
            self.paths.insert(self.running + 1, waiting);
        }
        self.select();
    }

    /// Marks every waiting path as counted by its barrier.
    pub(super) fn count(&mut self) {
        self.paths.iter_mut().flat_map(|path| &mut path.wait).for_each(|wait| wait.counted = true);
    }

    /// Resumes the paths whose wait satisfies `which`, after their barrier.
    pub(super) fn release(&mut self, which: impl Fn(&Wait) -> bool) {
        for path in &mut self.paths {
            if path.wait.is_some_and(|wait| which(&wait)) {
                path.wait = None;
                path.pc.0 += 1;
            }
        }
        self.select();
    }

    /// Selects the topmost path that can run: one that does not wait and with which no path above
    /// it will reconverge. A path at its reconvergence point is merged into the entry below.
    fn select(&mut self) {
        self.reselect();
        if self.running == NONE && self.paths.iter().any(|path| path.paused) {
            self.paths.iter_mut().for_each(|path| path.paused = false);
            self.reselect();
        }
    }

    fn reselect(&mut self) {
        self.running = NONE;
        let mut above = LaneMask::NONE;
        for index in (0..self.paths.len()).rev() {
            let path = self.paths[index];
            let runs = !path.is_held() && above.and(path.lanes).is_empty();
            if runs && path.reconverge_at == Some(path.pc) {
                self.paths.remove(index);
            } else if runs {
                self.running = index;
                return;
            } else {
                above = LaneMask(above.0 | path.lanes.0);
            }
        }
        self.run_past_reconvergence();
    }

    /// Every path either waits or must reconverge with one that waits. Lanes at a reconvergence
    /// point then stop waiting for lanes at a barrier.
    fn run_past_reconvergence(&mut self) {
        let mut above = LaneMask::NONE;
        for index in (0..self.paths.len()).rev() {
            let path = self.paths[index];
            let here = path.lanes.without(above);
            if !path.is_held() && !here.is_empty() {
                self.paths[index].lanes = path.lanes.without(here);
                if path.reconverge_at != Some(path.pc) {
                    self.paths.insert(index + 1, Path { lanes: here, ..path });
                    self.running = index + 1;
                    return;
                }
            }
            above = LaneMask(above.0 | self.paths[index].lanes.0);
        }
    }
}
