//! The lanes' ways: which runs, which wait where, after a branch has parted them.

use super::barrier::Wait;
use super::mask::LaneMask;
use super::step::Pc;

/// Lanes that run together.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Path {
    pc: Pc,
    lanes: LaneMask,
    /// Where these lanes wait for the others.
    reconverge_at: Option<Pc>,
    /// The barrier, at `pc`, at which they wait.
    wait: Option<Wait>,
    /// The lanes that are to execute the instruction at `pc` with them, if they wait for some.
    members: Option<LaneMask>,
    /// How often they have jumped back since they parted from others.
    turns: u32,
    /// Whether they have given way to lanes that waited for them.
    paused: bool,
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
/// at a barrier or for the other members of a `.sync` instruction, the others go on, past their
/// meeting point if nothing else can run; and so they do while a way turns round and round, for it
/// may be they that it waits for.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ReconvergenceStack {
    /// A way's lanes are also among those of the entry below it at which it will be met.
    paths: Vec<Path>,
    /// The way that runs; none is `NONE`.
    running: usize,
}

const NONE: usize = usize::MAX;

/// Jumps back after which a way gives way to others. Every lane makes progress on hardware; how
/// soon is not documented, and lanes that part too soon would be counted apart.
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

    /// Whether it cannot run, whoever else does.
    fn is_held(&self) -> bool {
        self.wait.is_some() || self.members.is_some() || self.paused
    }
}

impl ReconvergenceStack {
    pub(super) fn new(lanes: LaneMask) -> Self {
        Self { paths: vec![Path::new(Pc(0), lanes)], running: 0 }
    }

    /// The next instruction and the lanes that execute it; none when every lane has ended or
    /// waits.
    #[inline]
    pub(super) fn top(&self) -> Option<(Pc, LaneMask)> {
        self.paths.get(self.running).map(|path| (path.pc, path.lanes))
    }

    /// The ways that wait at a barrier: where, who, for what.
    pub(super) fn waits(&self) -> impl DoubleEndedIterator<Item = (Pc, LaneMask, Wait)> {
        self.paths.iter().filter_map(|path| path.wait.map(|wait| (path.pc, path.lanes, wait)))
    }

    /// The ways that wait for other members of an instruction: where, who, and all members.
    pub(super) fn members(&self) -> impl DoubleEndedIterator<Item = (Pc, LaneMask, LaneMask)> {
        self.paths.iter().filter_map(|path| path.members.map(|all| (path.pc, path.lanes, all)))
    }

    /// Of the running way, the lanes of each of `groups` wait for the other members, which stand
    /// beside them; the rest meets them behind the instruction.
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

    /// The ways that wait for the members `all` go on behind their instruction.
    pub(super) fn resume_members(&mut self, all: LaneMask) {
        for path in self.paths.iter_mut().filter(|path| path.members == Some(all)) {
            path.members = None;
            path.pc.0 += 1;
        }
    }

    /// The running way jumps back. Now and then it gives way to those that wait for it.
    pub(super) fn jump_back(&mut self) {
        if self.paths.len() < 2 {
            return;
        }
        let Some(path) = self.paths.get_mut(self.running) else { return };
        path.turns += 1;
        if path.turns < PATIENCE {
            return;
        }
        self.paths.iter_mut().for_each(|path| path.paused = false);
        let path = &mut self.paths[self.running];
        (path.turns, path.paused) = (0, true);
        self.select();
    }

    /// On to `pc`, together.
    #[inline]
    pub(super) fn advance(&mut self, pc: Pc) {
        let Some(path) = self.paths.get_mut(self.running) else { return };
        path.pc = pc;
        if path.reconverge_at == Some(pc) {
            self.select();
        }
    }

    /// `taken` go to `target`, the rest falls through to `next`; they meet again at `meet`.
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

    /// `lanes` have ended, wherever they were.
    pub(super) fn end(&mut self, lanes: LaneMask) {
        for path in &mut self.paths {
            path.lanes = path.lanes.without(lanes);
            // Who waited for them looks again whether anybody is missing.
            path.members = None;
        }
        self.paths.retain(|path| !path.lanes.is_empty());
        self.select();
    }

    /// `lanes` of the running way enter a function at `target`; the others wait for them behind
    /// the call.
    pub(super) fn call(&mut self, lanes: LaneMask, target: Pc, call: Pc) {
        let Some(path) = self.paths.get_mut(self.running) else { return };
        path.pc = Pc(call.0 + 1);
        let depth = path.depth + 1;
        let inside = Path { depth, call, ..Path::new(target, lanes) };
        self.paths.insert(self.running + 1, inside);
        self.select();
    }

    /// Where the running way was called from; none in the kernel itself.
    pub(super) fn caller(&self) -> Option<Pc> {
        let path = self.paths.get(self.running)?;
        (path.depth > 0).then_some(path.call)
    }

    /// `lanes` of the running way leave their function.
    pub(super) fn return_from(&mut self, lanes: LaneMask) {
        let Some(depth) = self.paths.get(self.running).map(|path| path.depth) else { return };
        for path in self.paths.iter_mut().filter(|path| path.depth == depth) {
            path.lanes = path.lanes.without(lanes);
        }
        self.paths.retain(|path| !path.lanes.is_empty());
        self.select();
    }

    /// `lanes` of the running way wait here; the rest, if any, meets them behind the barrier.
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
        self.select();
    }

    /// The last way that can run does so: one that neither waits nor is to be met by others.
    /// One that has come to its meeting point gives way to the entry that waits there.
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

    /// Every way waits or is to be met by one that waits: lanes that have come to a meeting point
    /// no longer wait there for those at a barrier.
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
