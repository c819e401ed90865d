//! Shadow memory: who touched each unit of memory last, and the races that this shows.

mod cells;
mod pattern;

use super::epoch::ThreadId;
use super::happens_before::HappensBefore;
use super::touch::{Hit, PAGE, PastAccess, SharedWords, Touch, TouchedUnits, WarpAccess};
use crate::sim::{Access, OfNumbers, Program};
use cells::Cells;
use pattern::Patterns;
use ptx::{MemoryOp, Op, Space};
use std::collections::HashMap;
use std::ops::Range;

/// The shadow of shared memory, or of those parts of global memory that a block touches.
#[derive(Debug)]
pub(super) struct Shadow {
    /// Bytes of a unit: the smallest access of the program, at most 4.
    unit: u64,
    /// The slot at which each page of a sparse shadow starts, or `None` for a dense one, which
    /// holds all units in order.
    pages: Option<HashMap<u64, usize, OfNumbers>>,
    /// The page that was touched last, and its slot: neighbouring lanes touch neighbouring units.
    latest: Option<(u64, usize)>,
    cells: Cells,
    patterns: Patterns,
}

impl Shadow {
    /// A shadow of `bytes` bytes, all of which may be touched.
    pub(super) fn dense(bytes: u64, unit: u64, warps: usize) -> Self {
        let pages = bytes.div_ceil(unit * PAGE as u64) as usize;
        let (cells, patterns) = (Cells::dense(warps, pages * PAGE), Patterns::default());
        Self { unit, pages: None, latest: None, cells, patterns }
    }

    /// A shadow of a memory of which a block touches only a little.
    pub(super) fn sparse(unit: u64, warps: usize) -> Self {
        let (cells, patterns) = (Cells::sparse(warps), Patterns::default());
        Self { unit, pages: Some(HashMap::default()), latest: None, cells, patterns }
    }

    /// Begins a block, which has no use for the contents of a sparse shadow.
    pub(super) fn start(&mut self) {
        match &mut self.pages {
            Some(pages) => {
                pages.clear();
                self.latest = None;
                self.cells.clear();
            }
            None => self.cells.start(),
        }
    }

    /// Returns the slot of unit number `unit`.
    fn slot(&mut self, unit: u64) -> usize {
        slot(&mut self.pages, &mut self.latest, &mut self.cells, unit)
    }

    /// Returns the units of an access of one lane.
    pub(super) fn units(&self, access: &Access, addr: u64) -> Range<u64> {
        let first = addr / self.unit;
        first..first + u64::from(access.bytes).div_ceil(self.unit)
    }

    /// Adds one warp's access and reports what is wrong with it.
    #[inline]
    pub(super) fn add(&mut self, clock: &HappensBefore, act: &WarpAccess<'_>, hits: &mut Vec<Hit>) {
        let Self { unit, pages, latest, cells, patterns } = self;
        let in_pages = pages.is_some().then_some(|cells: &mut Cells, units: Range<usize>| {
            let start = slot(pages, latest, cells, units.start as u64);
            start..start + units.len().min(PAGE - units.start % PAGE)
        });
        if !patterns.add(cells, clock, act, *unit, in_pages) {
            self.add_each(clock, act, hits);
        }
    }

    /// Like [`Self::add`], lane by lane.
    fn add_each(&mut self, clock: &HappensBefore, act: &WarpAccess<'_>, hits: &mut Vec<Hit>) {
        for (lane, addr) in act.access.touched() {
            for unit in self.units(act.access, addr) {
                let (slot, addr) = (self.slot(unit), unit * self.unit);
                let mut hit = |met| hits.push(Hit { addr, lane, met });
                if act.touch == Touch::Load {
                    self.cells.load(clock, act, slot, lane, &mut hit);
                } else {
                    self.cells.store(clock, act, slot, lane, &mut hit);
                }
            }
        }
    }

    /// Adds the write of a transfer that one lane starts and an engine performs.
    pub(super) fn write_as(
        &mut self,
        clock: &HappensBefore,
        act: &WarpAccess<'_>,
        engine: ThreadId,
        hits: &mut Vec<Hit>,
    ) {
        self.add_each(clock, act, hits);
        for (_, addr) in act.access.touched() {
            for unit in self.units(act.access, addr) {
                let slot = self.slot(unit);
                self.cells.writer[slot] = engine;
            }
        }
    }

    /// A `wgmma` begins to read; of the writes that it may read, those for which `shown` is false
    /// go to `unseen`.
    pub(super) fn product(
        &mut self,
        clock: &HappensBefore,
        act: &WarpAccess<'_>,
        mut shown: impl FnMut(PastAccess) -> bool,
        (hits, unseen): (&mut Vec<Hit>, &mut Vec<(u64, PastAccess)>),
    ) {
        for (lane, addr) in act.access.touched() {
            for unit in self.units(act.access, addr) {
                let (slot, addr, before) = (self.slot(unit), unit * self.unit, hits.len());
                let mut hit = |met| hits.push(Hit { addr, lane, met });
                self.cells.load(clock, act, slot, lane, &mut hit);
                if hits.len() == before {
                    let past = self.cells.last(slot);
                    unseen.extend((!shown(past)).then_some((addr, past)));
                }
            }
        }
    }

    /// A `wgmma` has read until now.
    pub(super) fn has_read(&mut self, clock: &HappensBefore, act: &WarpAccess<'_>) {
        for (lane, addr) in act.access.touched() {
            for unit in self.units(act.access, addr) {
                let slot = self.slot(unit);
                self.cells.read(clock, act, slot, lane);
            }
        }
    }

    /// The copy that wrote there has landed: from now on it counts as a store of its own thread.
    pub(super) fn land(&mut self, clock: &HappensBefore, access: &Access) {
        for (_, addr) in access.touched() {
            for unit in self.units(access, addr) {
                let slot = self.slot(unit);
                self.cells.land(slot, clock.now());
            }
        }
    }

    /// Returns every page of a sparse shadow that was touched: its number, and the slot of its
    /// first unit.
    pub(super) fn pages(&self) -> impl Iterator<Item = (u64, usize)> {
        self.pages.iter().flatten().map(|(page, start)| (*page, *start))
    }

    /// Returns the address of a unit of a page.
    pub(super) fn addr(&self, page: u64, index: usize) -> u64 {
        (page * PAGE as u64 + index as u64) * self.unit
    }

    /// Returns the addresses of those units of one lane's access that are in `suspects`.
    pub(super) fn suspects<'a>(
        &'a self,
        access: &Access,
        addr: u64,
        suspects: &'a SharedWords,
    ) -> impl Iterator<Item = u64> + 'a {
        let is_suspect = |unit: &u64| {
            let page = suspects.get(&(unit / PAGE as u64));
            page.is_some_and(|units| units >> (unit % PAGE as u64) & 1 != 0)
        };
        self.units(access, addr).filter(is_suspect).map(|unit| unit * self.unit)
    }

    /// Returns which units of a page, whose first is in slot `start`, the block has touched.
    pub(super) fn touched(&self, clock: &HappensBefore, start: usize) -> TouchedUnits {
        self.cells.touched(clock, start)
    }

    /// Returns the block's accesses to a unit: its last write, with the value if that is known, and
    /// one of its reads.
    pub(super) fn trail(
        &self,
        clock: &HappensBefore,
        slot: usize,
    ) -> (Option<(PastAccess, Option<u32>)>, Option<PastAccess>) {
        self.cells.trail(clock, slot)
    }
}

/// Returns the slot of unit number `unit`; adds its page if a sparse shadow does not have it yet.
#[inline]
fn slot(
    pages: &mut Option<HashMap<u64, usize, OfNumbers>>,
    latest: &mut Option<(u64, usize)>,
    cells: &mut Cells,
    unit: u64,
) -> usize {
    let Some(pages) = pages else { return unit as usize };
    let (page, within) = (unit / PAGE as u64, unit as usize % PAGE);
    if let Some((_, start)) = latest.filter(|(latest, _)| *latest == page) {
        return start + within;
    }
    let next = cells.len();
    let start = *pages.entry(page).or_insert(next);
    if start == next {
        cells.add_page();
    }
    *latest = Some((page, start));
    start + within
}

/// Whether these are distributed shared memory and that of a block.
fn is_shared(of: Space, space: Space) -> bool {
    of == Space::Distributed && space == Space::Shared
}

/// Returns the size in bytes of the smallest access that the program makes to `space`, at most 4:
/// the unit in which memory is watched.
pub(super) fn unit(program: &Program, space: Space) -> u64 {
    let sizes = program.insts.iter().filter_map(|inst| match &inst.op {
        Op::Memory(MemoryOp::Ld { space: of, ty, .. } | MemoryOp::St { space: of, ty, .. })
            if *of == space || *of == Space::Generic || is_shared(*of, space) =>
        {
            Some(u64::from(ty.bytes()))
        }
        _ => None,
    });
    sizes.fold(4, u64::min)
}
