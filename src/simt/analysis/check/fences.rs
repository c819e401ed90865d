//! The order that fences establish (PTX ISA, "Memory Consistency Model", "Release and Acquire
//! Patterns").
//!
//! A fence followed by a strong write (an atomic operation, a volatile store) releases what came
//! before the fence; a strong read of the written value followed by a fence acquires it. Either
//! pair may be one operation, `.release` or `.acquire`. A release includes what other threads had
//! released to the thread, or done before a barrier at which they met.
//!
//! In the manual only the thread that executed the fence releases; here so do all threads that meet
//! it at a barrier afterwards: `__threadfence(); __syncthreads(); if (thread == 0) atomicAdd(..)`
//! is the common idiom, and hardware has written everything out by then.

use super::epoch::{Epoch, ThreadId};
use super::happens_before::HappensBefore;
use super::sync_points;
use super::thread_clock::GridClock;
use crate::sim::{LaneMask, Program};
use ptx::{AtomicOp, MemoryOp, MemoryScope, Op, Space, Strength};
use std::collections::HashMap;

/// The accesses of others that one or more threads know of.
#[derive(Clone, Debug, Default)]
struct FenceState {
    /// Those ordered before all that the threads do now.
    before: GridClock,
    /// Those ordered before their last fence, by its scope.
    fenced: [GridClock; 3],
    /// Released accesses that strong reads have observed, but that only a fence of this scope acquires.
    pending: [GridClock; 3],
}

/// A memory location through which threads synchronise.
#[derive(Clone, Debug, Default)]
struct Sync {
    /// The block that wrote it last, or the first of those that run with it, and the rank of the block
    /// among these; what that write released to the block's own threads, and to all of these.
    block: u64,
    rank: usize,
    within: GridClock,
    group: GridClock,
    /// Everything released to the whole grid.
    grid: GridClock,
    /// The last atomic operation whose result was used: block, thread and epoch. It has seen all
    /// earlier ones.
    last: Option<(u64, ThreadId, Epoch)>,
}

/// An arrival at a barrier that is not yet complete.
#[derive(Debug)]
struct PendingArrival {
    id: u8,
    warp: usize,
    waits: bool,
    state: FenceState,
}

/// The order that fences have established so far, in this block and before it.
#[derive(Debug, Default)]
pub(super) struct Fences {
    /// The block's number in the grid, and the number of its warps.
    block: u64,
    per_block: usize,
    /// The common knowledge of all its threads, and the additional knowledge of single ones.
    all: FenceState,
    threads: HashMap<ThreadId, FenceState>,
    arrivals: Vec<PendingArrival>,
    /// By space and 4-byte word.
    places: HashMap<(u8, u64), Sync>,
}

/// Returns the widest scope of a program's fences, or of its other means of ordering accesses, or
/// `None` if it has none. It is the grid only if some access can carry what the fences release.
/// Spin loads order accesses even without a fence.
pub(super) fn scope(program: &Program) -> Option<MemoryScope> {
    let fence = |op: &Op<_, _>| match op {
        Op::Memory(MemoryOp::Fence(how)) => how.scope(),
        Op::Memory(
            MemoryOp::Ld { strength: Strength::Volatile, .. }
            | MemoryOp::St { strength: Strength::Volatile, .. }
            | MemoryOp::Atom { strength: Strength::Relaxed(_), .. },
        ) => None,
        op => strength(op).scope(),
    };
    let far = program.insts.iter().filter_map(|inst| fence(&inst.op)).max();
    let far =
        far.max(sync_points::spin_loads(program).contains(&true).then_some(MemoryScope::Gpu))?;
    let carries = |op: &Op<_, _>| {
        strength(op).scope() == Some(MemoryScope::Gpu)
            && !matches!(space(op), Some(Space::Shared | Space::Distributed))
    };
    let carried = program.insts.iter().any(|inst| carries(&inst.op));
    Some(if carried { far } else { MemoryScope::Cta })
}

/// Returns the strength of an instruction's memory access.
pub(super) const fn strength<O, L>(op: &Op<O, L>) -> Strength {
    match op {
        Op::Memory(
            MemoryOp::Ld { strength, .. }
            | MemoryOp::St { strength, .. }
            | MemoryOp::Atom { strength, .. },
        ) => *strength,
        _ => Strength::Weak,
    }
}

const fn space<O, L>(op: &Op<O, L>) -> Option<Space> {
    match op {
        Op::Memory(
            MemoryOp::Ld { space, .. } | MemoryOp::St { space, .. } | MemoryOp::Atom { space, .. },
        ) => Some(*space),
        _ => None,
    }
}

/// One lane's strong access to a word.
#[derive(Clone, Copy, Debug)]
pub(super) struct Strong {
    pub(super) thread: ThreadId,
    pub(super) place: (Space, u64),
    pub(super) how: Strength,
    pub(super) reads: bool,
    pub(super) writes: bool,
    /// Whether the value that it read is used: then the thread knows who came before.
    pub(super) told: bool,
}

impl FenceState {
    fn join(&mut self, other: &Self) {
        self.before.join(&other.before);
        for scope in 0..3 {
            self.fenced[scope].join(&other.fenced[scope]);
            self.pending[scope].join(&other.pending[scope]);
        }
    }

    /// Orders everything seen released so far before all that follows.
    fn acquire(&mut self, scope: MemoryScope) {
        for seen in &self.pending[..=scope as usize] {
            self.before.join(seen);
        }
    }
}

impl Fences {
    /// Begins a block, which knows of earlier blocks only what they have left in memory.
    pub(super) fn start(&mut self, block: u64, per_block: usize) {
        (self.block, self.per_block, self.all) = (block, per_block, FenceState::default());
        self.threads.clear();
        self.arrivals.clear();
        self.places.retain(|(space, _), _| *space != Space::Shared as u8);
    }

    fn state(&self, thread: ThreadId) -> FenceState {
        let mut state = self.all.clone();
        self.threads.get(&thread).into_iter().for_each(|own| state.join(own));
        state
    }

    /// Returns all that the threads of a warp know.
    fn states(&self, warp: usize, lanes: LaneMask) -> FenceState {
        let mut state = FenceState::default();
        let threads = lanes.lanes().filter_map(|lane| self.threads.get(&ThreadId::new(warp, lane)));
        threads.for_each(|own| state.join(own));
        state
    }

    fn learn(&self, clock: &mut HappensBefore, thread: ThreadId, state: &FenceState) {
        state.before.of_block(self.block).into_iter().for_each(|view| clock.learn(thread, view));
    }

    fn tell(&mut self, clock: &mut HappensBefore, thread: ThreadId, state: &FenceState) {
        self.learn(clock, thread, state);
        self.threads.entry(thread).or_default().join(state);
    }

    /// Lanes of a warp execute a fence.
    pub(super) fn fence(
        &mut self,
        clock: &mut HappensBefore,
        warp: usize,
        lanes: LaneMask,
        how: Strength,
    ) {
        clock.tick();
        for thread in lanes.lanes().map(|lane| ThreadId::new(warp, lane)) {
            let Some(scope) = how.scope() else { return };
            let mut state = self.state(thread);
            if how.acquires() {
                state.acquire(scope);
            }
            self.learn(clock, thread, &state);
            if how.releases() {
                let seen = self.seen(clock, thread, &state);
                state.fenced[..=scope as usize].fill(seen);
            }
            self.threads.insert(thread, state);
        }
    }

    /// Returns everything ordered before what a thread does now.
    fn seen(&self, clock: &HappensBefore, thread: ThreadId, state: &FenceState) -> GridClock {
        let mut seen = state.before.clone();
        seen.add(self.block, clock.view(thread));
        seen
    }

    /// One lane has made a strong access to a word.
    pub(super) fn strong(&mut self, clock: &mut HappensBefore, access: Strong) {
        let Strong { thread, place: (space, addr), how, reads, writes, told } = access;
        let Some(scope) = how.scope() else { return };
        let key = (space as u8, addr);
        let mut state = self.state(thread);
        let mut place = self.places.remove(&key).unwrap_or_default();
        let now = clock.now();
        if reads {
            self.read(&mut state, &place, (self.rank(thread), scope));
            // Otherwise it has learnt before all that it knows.
            if how.acquires() {
                state.acquire(scope);
                self.learn(clock, thread, &state);
            }
        }
        if writes {
            let mut out = state.fenced.clone();
            if how.releases() {
                clock.tick();
                let seen = self.seen(clock, thread, &state);
                out[..=scope as usize].iter_mut().for_each(|out| out.join(&seen));
            }
            self.write(&mut place, &out, (reads, self.rank(thread), scope));
            place.last = (reads && told).then_some((self.block, thread, now));
        }
        if reads {
            self.threads.insert(thread, state);
        }
        self.places.insert(key, place);
    }

    /// The rank of a thread's block.
    fn rank(&self, thread: ThreadId) -> usize {
        thread.warp() / self.per_block.max(1)
    }

    fn read(&self, state: &mut FenceState, place: &Sync, (rank, scope): (usize, MemoryScope)) {
        if place.block == self.block && place.rank == rank {
            state.pending[MemoryScope::Cta as usize].join(&place.within);
        }
        if place.block == self.block && scope >= MemoryScope::Group {
            state.pending[MemoryScope::Group as usize].join(&place.group);
        }
        if scope == MemoryScope::Gpu {
            state.pending[MemoryScope::Gpu as usize].join(&place.grid);
        }
    }

    /// An atomic operation adds to what others have released there; a store replaces it.
    fn write(
        &self,
        place: &mut Sync,
        out: &[GridClock; 3],
        (adds, rank, scope): (bool, usize, MemoryScope),
    ) {
        if !adds || place.block != self.block {
            place.group = GridClock::default();
        }
        if !adds || (place.block, place.rank) != (self.block, rank) {
            place.within = GridClock::default();
        }
        if !adds {
            place.grid = GridClock::default();
        }
        (place.block, place.rank) = (self.block, rank);
        place.within.join(&out[MemoryScope::Cta as usize]);
        if scope >= MemoryScope::Group {
            place.group.join(&out[MemoryScope::Group as usize]);
        }
        if scope == MemoryScope::Gpu {
            place.grid.join(&out[MemoryScope::Gpu as usize]);
        }
    }

    /// An ordinary store has written a word: no thread synchronises through its old value any more.
    pub(super) fn weak_store(&mut self, space: Space, addr: u64) {
        if !self.places.is_empty() {
            self.places.remove(&(space as u8, addr));
        }
    }

    /// A warp arrives at barrier `id`.
    pub(super) fn arrive(&mut self, id: u8, warp: usize, waits: bool) {
        let state = self.states(warp, LaneMask::ALL);
        self.arrivals.push(PendingArrival { id, warp, waits, state });
    }

    /// Barrier `id` is complete; `whole` if the whole block has waited at it.
    pub(super) fn release(&mut self, clock: &mut HappensBefore, id: u8, whole: bool) {
        let here = |arrival: &mut PendingArrival| arrival.id == id;
        let arrived: Vec<_> = self.arrivals.extract_if(.., here).collect();
        let mut joined = FenceState::default();
        for arrival in &arrived {
            joined.join(&arrival.state);
        }
        if whole {
            self.all.join(&joined);
            self.threads.clear();
            return;
        }
        for warp in arrived.iter().filter(|arrival| arrival.waits).map(|arrival| arrival.warp) {
            (0..32).for_each(|lane| self.tell(clock, ThreadId::new(warp, lane), &joined));
        }
    }

    /// The lanes of `mask` have synchronised.
    pub(super) fn meet(&mut self, clock: &mut HappensBefore, warp: usize, mask: LaneMask) {
        if self.threads.is_empty() {
            return;
        }
        let joined = self.states(warp, mask);
        mask.lanes().for_each(|lane| self.tell(clock, ThreadId::new(warp, lane), &joined));
    }

    /// Whether an access of another block's thread is ordered before what `thread` does now.
    pub(super) fn ordered(&self, thread: ThreadId, other: (u64, ThreadId, Epoch)) -> bool {
        let (block, by, epoch) = other;
        let own = self.threads.get(&thread).map(|state| &state.before);
        own.into_iter().chain([&self.all.before]).any(|known| known.holds(block, by, epoch))
    }

    /// Whether `thread` has seen that access released, so that only a fence of its own is missing.
    pub(super) fn is_pending(&self, thread: ThreadId, other: (u64, ThreadId, Epoch)) -> bool {
        let (block, by, epoch) = other;
        let own = self.threads.get(&thread).map(|state| &state.pending);
        let pending = own.into_iter().chain([&self.all.pending]).flatten();
        pending.into_iter().any(|known| known.holds(block, by, epoch))
    }

    /// Whether all atomic operations on a word so far are ordered before what `thread` does now:
    /// the last one has seen them all.
    pub(super) fn has_seen_all(
        &self,
        clock: &HappensBefore,
        thread: ThreadId,
        place: (Space, u64),
    ) -> bool {
        let last = self.places.get(&(place.0 as u8, place.1)).and_then(|place| place.last);
        last.is_some_and(|(block, by, epoch)| {
            let here = block == self.block && clock.ordered(thread, by, epoch);
            here || self.ordered(thread, (block, by, epoch))
        })
    }

    /// Whether the last write of a word has released something.
    pub(super) fn is_released(&self, place: (Space, u64)) -> bool {
        let place = self.places.get(&(place.0 as u8, place.1));
        place.is_some_and(|place| !place.within.is_empty() || !place.grid.is_empty())
    }

    /// Whether a strong write by `thread` would release something now.
    pub(super) fn releases(&self, thread: ThreadId) -> bool {
        let own = self.threads.get(&thread).map(|state| &state.fenced);
        own.into_iter().chain([&self.all.fenced]).flatten().any(|known| !known.is_empty())
    }
}

/// Whether the operation writes: a `cas` does only if it finds the value that it compares with.
pub(super) const fn swaps(op: AtomicOp, found: u64, compared: u64) -> bool {
    !matches!(op, AtomicOp::CompareAndSwap) || found == compared
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLAG: (Space, u64) = (Space::Global, 64);

    /// Begins a block with its clock; `fences` persist from one block to the next.
    fn block(fences: &mut Fences, number: u64) -> HappensBefore {
        let mut clock = HappensBefore::default();
        clock.start(2);
        fences.start(number, 2);
        clock
    }

    fn add(fences: &mut Fences, clock: &mut HappensBefore, warp: usize, how: Strength) {
        let (thread, place) = (ThreadId::new(warp, 0), FLAG);
        let strong = Strong { thread, place, how, reads: true, writes: true, told: true };
        fences.strong(clock, strong);
    }

    fn fence(fences: &mut Fences, clock: &mut HappensBefore, warp: usize, scope: MemoryScope) {
        fences.fence(clock, warp, LaneMask(1), Strength::AcquireRelease(scope));
    }

    /// Whether a block knows what another did before a fence of scope `out`, once it has seen the
    /// flag that was raised after that fence and has executed a fence of scope `into`.
    fn known(out: MemoryScope, flag: MemoryScope, into: MemoryScope) -> bool {
        let mut fences = Fences::default();
        let mut clock = block(&mut fences, 0);
        let (thread, epoch) = (ThreadId::new(0, 0), clock.now());
        fence(&mut fences, &mut clock, 0, out);
        add(&mut fences, &mut clock, 0, Strength::Relaxed(flag));
        let late = clock.now();
        let mut clock = block(&mut fences, 1);
        let reader = ThreadId::new(1, 0);
        add(&mut fences, &mut clock, 1, Strength::Relaxed(flag));
        assert!(!fences.ordered(reader, (0, thread, epoch)), "the second fence is missing");
        fence(&mut fences, &mut clock, 1, into);
        assert!(!fences.ordered(reader, (0, thread, late)), "what came after the fence");
        assert!(!fences.ordered(ThreadId::new(1, 1), (0, thread, epoch)), "another lane");
        fences.ordered(reader, (0, thread, epoch))
    }

    #[test]
    fn fences_of_the_grid_order_blocks_and_those_of_a_block_do_not() {
        use MemoryScope::{Cta, Gpu};
        assert!(known(Gpu, Gpu, Gpu));
        for [out, flag, into] in [[Cta, Gpu, Gpu], [Gpu, Cta, Gpu], [Gpu, Gpu, Cta]] {
            assert!(!known(out, flag, into), "{out:?} {flag:?} {into:?}");
        }
    }

    #[test]
    fn within_a_block_its_own_fences_will_do_and_a_store_between_breaks_the_chain() {
        let mut fences = Fences::default();
        let mut clock = block(&mut fences, 0);
        let (writer, reader, epoch) = (ThreadId::new(0, 0), ThreadId::new(1, 0), clock.now());
        fence(&mut fences, &mut clock, 0, MemoryScope::Cta);
        add(&mut fences, &mut clock, 0, Strength::Relaxed(MemoryScope::Cta));
        let mut broken = Fences { places: HashMap::new(), ..Fences::default() };
        std::mem::swap(&mut broken.places, &mut fences.places);
        broken.weak_store(FLAG.0, FLAG.1);
        assert!(!broken.is_released(FLAG));
        add(&mut fences, &mut clock, 0, Strength::Relaxed(MemoryScope::Cta));
        add(&mut fences, &mut clock, 1, Strength::Acquire(MemoryScope::Cta));
        assert!(clock.ordered(reader, writer, epoch), "acquired without a fence of its own");
        assert!(!clock.ordered(ThreadId::new(1, 1), writer, epoch));
        fences.meet(&mut clock, 1, LaneMask(3));
        assert!(clock.ordered(ThreadId::new(1, 1), writer, epoch), "its warp goes on from there");
    }

    /// The pattern of a reduction that the last block completes.
    #[test]
    fn the_last_of_a_grid_whose_blocks_count_themselves_knows_all() {
        const BLOCKS: u64 = 40_000;
        let mut fences = Fences::default();
        for number in 0..BLOCKS {
            let mut clock = block(&mut fences, number);
            for warp in 0..2 {
                fence(&mut fences, &mut clock, warp, MemoryScope::Gpu);
                add(&mut fences, &mut clock, warp, Strength::Relaxed(MemoryScope::Gpu));
            }
        }
        let mut clock = block(&mut fences, BLOCKS);
        add(&mut fences, &mut clock, 1, Strength::Acquire(MemoryScope::Gpu));
        let known =
            |block: u64| fences.ordered(ThreadId::new(1, 0), (block, ThreadId::new(0, 0), 0));
        assert!((0..BLOCKS).all(known));
    }
}
