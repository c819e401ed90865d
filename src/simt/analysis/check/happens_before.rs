//! The order that a block's barriers establish: epochs, and what each warp knows of the others.

use super::epoch::{Epoch, IN_FLIGHT, ThreadId};
use super::thread_clock::ThreadClock;
use crate::sim::LaneMask;
use std::collections::{BTreeMap, HashMap};

/// The happens-before order so far, as vector clocks (Mattern, "Virtual Time and Global States of
/// Distributed Systems", 1989) over the warps.
///
/// A barrier of the whole block, the common case, only moves `floor`.
#[derive(Debug, Default)]
pub(super) struct HappensBefore {
    /// The first epoch of this block: lower ones belong to earlier blocks.
    born: Epoch,
    now: Epoch,
    /// All epochs below are ordered before everything from now on.
    floor: Epoch,
    warps: usize,
    /// For each warp: its own accesses in epochs below are ordered before all that its lanes do
    /// now.
    own: Vec<Epoch>,
    /// `[warp * warps + other]`: accesses of `other` in epochs below are ordered before those of
    /// `warp`.
    known: Vec<Epoch>,
    /// Like `known`, but between the lanes of a warp, `[lane][other]`, if only some of them
    /// synchronised.
    lanes: Vec<Option<Box<[[Epoch; 32]; 32]>>>,
    /// The warps that have arrived at a barrier that is not yet complete.
    arrivals: Vec<Arrival>,
    /// Additional knowledge of threads, from other threads that released it to them.
    learnt: HashMap<ThreadId, ThreadClock>,
    /// The same of all threads of a warp.
    learnt_as_warp: Vec<ThreadClock>,
    /// Bit n: somebody knows what a single thread of warp n did.
    singled_out: u64,
}

#[derive(Debug)]
struct Arrival {
    id: u8,
    warp: usize,
    waits: bool,
    /// The clock of the warp at its arrival.
    known: Box<[Epoch]>,
    learnt: ThreadClock,
}

impl HappensBefore {
    /// Begins a block: nothing of the previous one matters.
    pub(super) fn start(&mut self, warps: usize) {
        self.now += 1;
        (self.born, self.floor, self.warps) = (self.now, self.now, warps);
        self.own = vec![0; warps];
        self.known = vec![0; warps * warps];
        self.lanes.clear();
        self.lanes.resize_with(warps, || None);
        self.arrivals.clear();
        self.learnt.clear();
        self.learnt_as_warp = vec![ThreadClock::default(); warps];
        self.singled_out = 0;
    }

    pub(super) fn now(&self) -> Epoch {
        self.now
    }

    pub(super) fn born(&self) -> Epoch {
        self.born
    }

    pub(super) fn floor(&self) -> Epoch {
        self.floor
    }

    /// Whether an access of `other` at `epoch` is ordered before what `thread` does now.
    pub(super) fn ordered(&self, thread: ThreadId, other: ThreadId, epoch: Epoch) -> bool {
        if epoch == IN_FLIGHT {
            return false;
        }
        if epoch < self.floor || thread == other {
            return true;
        }
        let (warp, by) = (thread.warp(), other.warp());
        let met = if other.is_engine() {
            0
        } else if warp == by {
            let lanes = self.lanes[warp].as_ref();
            let known = lanes.map_or(0, |lanes| lanes[thread.lane()][other.lane()]);
            self.own[warp].max(known)
        } else {
            self.known[warp * self.warps + by]
        };
        epoch < met
            || self.learnt_as_warp[warp].holds(other, epoch)
            || self.learnt.get(&thread).is_some_and(|view| view.holds(other, epoch))
    }

    /// Whether lanes of a warp may know something of each other that the warp as a whole does not.
    pub(super) fn is_parted(&self, warp: usize) -> bool {
        self.lanes[warp].is_some() || self.singled_out >> warp & 1 == 1
    }

    /// Begins an epoch, to distinguish later accesses from earlier ones.
    pub(super) fn tick(&mut self) {
        self.now += 1;
    }

    /// Returns what is ordered before all that `thread` does now.
    pub(super) fn view(&self, thread: ThreadId) -> ThreadClock {
        let warp = thread.warp();
        let mut warps = self.known[warp * self.warps..][..self.warps].to_vec();
        warps[warp] = self.own[warp];
        let lanes =
            self.lanes[warp].iter().flat_map(|lanes| lanes[thread.lane()].into_iter().enumerate());
        let lanes = lanes.filter(|(_, epoch)| *epoch > 0);
        let mut threads: BTreeMap<_, _> =
            lanes.map(|(lane, epoch)| (ThreadId::new(warp, lane), epoch)).collect();
        threads.insert(thread, self.now);
        let mut view = ThreadClock { floor: self.floor, warps, threads };
        view.join(&self.learnt_as_warp[warp]);
        self.learnt.get(&thread).into_iter().for_each(|learnt| view.join(learnt));
        view
    }

    /// Returns what is ordered before all that every lane of a warp does now, and all that they
    /// did themselves.
    pub(super) fn view_of_warp(&self, warp: usize) -> ThreadClock {
        let mut warps = self.known[warp * self.warps..][..self.warps].to_vec();
        warps[warp] = self.now;
        let mut view = ThreadClock { floor: self.floor, warps, threads: BTreeMap::new() };
        view.join(&self.learnt_of_warp(warp));
        view
    }

    /// What lanes of a warp have learnt.
    fn learnt_of_warp(&self, warp: usize) -> ThreadClock {
        let mut all = self.learnt_as_warp[warp].clone();
        let own = self.learnt.iter().filter(|(thread, _)| thread.warp() == warp);
        own.for_each(|(_, learnt)| all.join(learnt));
        all
    }

    /// All lanes of a warp have acquired `view`.
    pub(super) fn learn_as_warp(&mut self, warp: usize, view: &ThreadClock) {
        self.single_out(view);
        self.learnt_as_warp[warp].join(view);
    }

    fn single_out(&mut self, view: &ThreadClock) {
        let threads = view.threads.keys().filter(|thread| !thread.is_engine());
        self.singled_out = threads.fold(self.singled_out, |set, thread| set | 1 << thread.warp());
    }

    /// `thread` has acquired `view`.
    pub(super) fn learn(&mut self, thread: ThreadId, view: &ThreadClock) {
        self.single_out(view);
        self.learnt.entry(thread).or_default().join(view);
    }

    /// Lanes of a warp arrive at barrier `id`.
    pub(super) fn arrive(&mut self, id: u8, warp: usize, waits: bool) {
        self.now += 1;
        let mut known: Box<[Epoch]> = self.known[warp * self.warps..][..self.warps].into();
        known[warp] = self.now;
        if !waits {
            self.own[warp] = self.now;
        }
        let learnt = self.learnt_of_warp(warp);
        self.arrivals.push(Arrival { id, warp, waits, known, learnt });
    }

    /// Barrier `id` is complete; `whole` if all warps left in the block have waited at it. Returns
    /// whether all warps of the block have: accesses of a warp that exited earlier are not ordered
    /// with the rest.
    pub(super) fn release(&mut self, id: u8, whole: bool) -> bool {
        let here = |arrival: &mut Arrival| arrival.id == id;
        let arrived: Vec<_> = self.arrivals.extract_if(.., here).collect();
        self.now += 1;
        let came = |warp| arrived.iter().any(|arrival| arrival.warp == warp);
        if whole && (0..self.warps).all(came) {
            self.floor = self.now;
            self.learnt.clear();
            self.learnt_as_warp.fill(ThreadClock::default());
            self.singled_out = 0;
            return true;
        }
        for waiter in arrived.iter().filter(|arrival| arrival.waits) {
            let row = &mut self.known[waiter.warp * self.warps..][..self.warps];
            for arrival in &arrived {
                let known = row.iter_mut().zip(&arrival.known);
                known.for_each(|(mine, theirs)| *mine = (*mine).max(*theirs));
                self.learnt_as_warp[waiter.warp].join(&arrival.learnt);
            }
            self.own[waiter.warp] = self.now;
        }
        false
    }

    /// What one lane of `mask` has learnt, the others learn.
    fn share(&mut self, warp: usize, mask: LaneMask, whole: bool) {
        let threads = || mask.lanes().map(|lane| ThreadId::new(warp, lane));
        let mut all = ThreadClock::default();
        let learnt = threads().filter_map(|thread| self.learnt.get(&thread));
        learnt.for_each(|learnt| all.join(learnt));
        if all.is_empty() {
            return;
        }
        if whole {
            self.learnt_as_warp[warp].join(&all);
            threads().for_each(|thread| _ = self.learnt.remove(&thread));
        } else {
            threads().for_each(|thread| self.learn(thread, &all));
        }
    }

    /// The lanes of `mask` have synchronised (`bar.warp.sync`). `began` are all lanes that the warp
    /// had: accesses of lanes that have exited are not ordered with the rest.
    pub(super) fn meet(&mut self, warp: usize, mask: LaneMask, began: LaneMask) {
        self.now += 1;
        self.share(warp, mask, began.without(mask).is_empty());
        if began.without(mask).is_empty() {
            self.own[warp] = self.now;
            return;
        }
        let lanes = self.lanes[warp].get_or_insert_with(|| Box::new([[0; 32]; 32]));
        let mut joined = [0; 32];
        for lane in mask.lanes() {
            for (known, theirs) in joined.iter_mut().zip(lanes[lane]) {
                *known = theirs.max(*known);
            }
        }
        mask.lanes().for_each(|lane| joined[lane] = self.now);
        mask.lanes().for_each(|lane| lanes[lane] = joined);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether what `other` does now is ordered before what `thread` does after `sync`.
    fn ordered(
        clock: &mut HappensBefore,
        other: (usize, usize),
        thread: (usize, usize),
        sync: impl FnOnce(&mut HappensBefore),
    ) -> bool {
        let epoch = clock.now();
        sync(clock);
        let [other, thread] = [other, thread].map(|(warp, lane)| ThreadId::new(warp, lane));
        clock.ordered(thread, other, epoch)
    }

    #[test]
    fn barriers_order_those_that_take_part() {
        let mut clock = HappensBefore::default();
        clock.start(3);
        assert!(ordered(&mut clock, (1, 2), (1, 2), |_| ()), "a thread's own accesses");
        assert!(!ordered(&mut clock, (1, 2), (1, 3), |_| ()));
        let pair = |clock: &mut HappensBefore| {
            clock.arrive(4, 0, true);
            clock.arrive(4, 1, true);
            clock.release(4, false);
        };
        assert!(ordered(&mut clock, (0, 0), (1, 0), pair));
        assert!(ordered(&mut clock, (0, 0), (0, 1), pair), "also within a warp");
        assert!(!ordered(&mut clock, (0, 0), (2, 0), pair));
        let passing = |clock: &mut HappensBefore| {
            clock.arrive(5, 0, false);
            clock.arrive(5, 1, true);
            clock.release(5, false);
        };
        assert!(ordered(&mut clock, (0, 0), (1, 0), passing));
        assert!(!ordered(&mut clock, (1, 0), (0, 0), passing), "an arrival waits for nobody");
        let whole = |clock: &mut HappensBefore| {
            (0..3).for_each(|warp| clock.arrive(0, warp, true));
            clock.release(0, true);
        };
        assert!(ordered(&mut clock, (2, 9), (0, 0), whole));
    }

    #[test]
    fn order_goes_on_from_one_barrier_to_the_next() {
        let mut clock = HappensBefore::default();
        clock.start(3);
        let chain = |clock: &mut HappensBefore| {
            for [from, to] in [[0, 1], [1, 2]] {
                clock.arrive(1, from, false);
                clock.arrive(1, to, true);
                clock.release(1, false);
            }
        };
        assert!(ordered(&mut clock, (0, 0), (2, 0), chain));
        assert!(!ordered(&mut clock, (1, 0), (0, 0), chain));
    }

    #[test]
    fn lanes_synchronise_by_their_mask() {
        let mut clock = HappensBefore::default();
        clock.start(1);
        let meet = |mask: u32| {
            move |clock: &mut HappensBefore| clock.meet(0, LaneMask(mask), LaneMask::ALL)
        };
        assert!(ordered(&mut clock, (0, 3), (0, 4), meet(u32::MAX)));
        assert!(ordered(&mut clock, (0, 3), (0, 4), meet(0xff)));
        assert!(!ordered(&mut clock, (0, 3), (0, 9), meet(0xff)));
        let chain =
            |clock: &mut HappensBefore| [3, 6].into_iter().for_each(|mask| meet(mask)(clock));
        assert!(ordered(&mut clock, (0, 0), (0, 2), chain));
        assert!(!ordered(&mut clock, (0, 2), (0, 0), chain));
    }

    #[test]
    fn nothing_of_the_last_block_is_known() {
        let mut clock = HappensBefore::default();
        clock.start(2);
        let old = clock.now();
        clock.start(2);
        assert!(old < clock.born() && clock.born() == clock.floor());
    }
}
