//! For each unit of memory: its last write, and the reads since.

use crate::analysis::check::epoch::{Epoch, IN_FLIGHT, ThreadId};
use crate::analysis::check::happens_before::HappensBefore;
use crate::analysis::check::touch::{Met, PAGE, PastAccess, Touch, TouchedUnits, WarpAccess};
use crate::sim::{LaneMask, Pc};
use std::collections::HashMap;

/// 2^64 over the golden ratio, odd: the high half of a product with it depends on all bits of the
/// other factor (Knuth, "The Art of Computer Programming", 6.4).
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// Facts about units, a column for each kind of fact: most accesses need only a few of them, for
/// many units in a row.
#[derive(Debug, Default)]
pub(super) struct Cells {
    warps: usize,
    /// The number of units in each warp's part of the read columns, or `None` if each reading warp
    /// has pages of its own.
    per_warp: Option<usize>,
    /// The start of each such page, by page of units and within that by warp, or `NONE`.
    read_pages: Vec<usize>,
    /// The epoch of the last write.
    pub(super) written: Vec<Epoch>,
    /// The thread that wrote, and its instruction.
    pub(super) writer: Vec<ThreadId>,
    pub(super) write_pc: Vec<Pc>,
    pub(super) wrote: Vec<LastWrite>,
    /// The last epoch in which any warp read.
    pub(super) last_read: Vec<Epoch>,
    /// In a sparse shadow: the only thread that has read since the last barrier of the whole block.
    pub(super) reader: Vec<ThreadId>,
    /// For each warp: the last epoch in which it read, its lanes in that epoch, and its
    /// instruction.
    pub(super) read: Vec<Epoch>,
    pub(super) read_lanes: Vec<u32>,
    pub(super) read_pc: Vec<Pc>,
    /// Where the last write was an atomic: earlier atomics that are not ordered before it, with
    /// their epochs, the latest of each warp. No order among them is known.
    beside: HashMap<usize, Vec<(Epoch, PastAccess)>>,
    /// Reads that a later read of the same warp does not subsume, as its lanes are not ordered.
    older: HashMap<usize, Vec<(Epoch, LaneMask, Pc)>>,
    /// Where an atomic has overwritten a plain write of this block: that write.
    under: HashMap<usize, PastAccess>,
    /// Whether a copy has written since the current block began.
    copied: bool,
}

/// The kind and the value of a write.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LastWrite {
    pub(super) touch: Touch,
    /// Whether this block has ever written the unit without an atomic.
    pub(super) plain: bool,
    /// The value, folded, if it is known.
    pub(super) value: Option<u32>,
}

/// No single thread.
pub(super) const SEVERAL: ThreadId = ThreadId(u16::MAX);

/// No page.
const NONE: usize = usize::MAX;

impl Cells {
    pub(super) fn dense(warps: usize, units: usize) -> Self {
        let mut cells = Self { warps, per_warp: Some(units), ..Self::default() };
        cells.resize(units);
        cells.resize_reads(units * warps);
        cells
    }

    pub(super) fn sparse(warps: usize) -> Self {
        Self { warps, ..Self::default() }
    }

    pub(super) fn len(&self) -> usize {
        self.written.len()
    }

    /// Begins a block. What earlier blocks have written is older than all of it; copies that were
    /// never waited for are made so.
    pub(super) fn start(&mut self) {
        self.beside.clear();
        self.older.clear();
        self.under.clear();
        if std::mem::take(&mut self.copied) {
            let left = self.written.iter_mut().filter(|epoch| **epoch == IN_FLIGHT);
            left.for_each(|epoch| *epoch = 0);
        }
    }

    pub(super) fn clear(&mut self) {
        self.resize(0);
        self.resize_reads(0);
        self.read_pages.clear();
        self.beside.clear();
        self.older.clear();
        self.under.clear();
    }

    pub(super) fn add_page(&mut self) {
        self.resize(self.len() + PAGE);
        self.read_pages.resize(self.len() / PAGE * self.warps, NONE);
    }

    fn resize(&mut self, units: usize) {
        self.written.resize(units, 0);
        self.writer.resize(units, ThreadId(0));
        self.write_pc.resize(units, Pc(0));
        self.wrote.resize(units, LastWrite::default());
        self.last_read.resize(units, 0);
        self.reader.resize(units, SEVERAL);
    }

    fn resize_reads(&mut self, reads: usize) {
        self.read.resize(reads, 0);
        self.read_lanes.resize(reads, 0);
        self.read_pc.resize(reads, Pc(0));
    }

    /// Returns the index of a warp's reads of a unit, if the warp may have read it.
    pub(super) fn reader_index(&self, slot: usize, warp: usize) -> Option<usize> {
        match self.per_warp {
            Some(units) => Some(warp * units + slot),
            None => match self.read_pages[slot / PAGE * self.warps + warp] {
                NONE => None,
                start => Some(start + slot % PAGE),
            },
        }
    }

    /// Like [`Self::reader_index`], for a read to be stored: adds the page if needed.
    pub(super) fn of_read(&mut self, slot: usize, warp: usize) -> usize {
        self.reader_index(slot, warp).unwrap_or_else(|| {
            let start = self.read.len();
            self.resize_reads(start + PAGE);
            self.read_pages[slot / PAGE * self.warps + warp] = start;
            start + slot % PAGE
        })
    }

    /// Whether the last write of every unit is all that a later access must come after.
    pub(super) fn has_one_writer(&self) -> bool {
        self.beside.is_empty()
    }

    /// Whether it keeps the only readers of its units, which costs time: in shared memory most units
    /// have several.
    pub(super) const fn keeps_readers(&self) -> bool {
        self.per_warp.is_none()
    }

    /// Returns the last write of a unit.
    pub(super) fn last(&self, slot: usize) -> PastAccess {
        let (thread, epoch, pc) = (self.writer[slot], self.written[slot], self.write_pc[slot]);
        PastAccess { thread, epoch, pc, touch: self.wrote[slot].touch }
    }

    /// One lane reads; `hit` receives the write with which that races, or that the unit was not
    /// written.
    #[inline]
    pub(super) fn load(
        &mut self,
        clock: &HappensBefore,
        act: &WarpAccess<'_>,
        slot: usize,
        lane: usize,
        hit: &mut impl FnMut(Met),
    ) {
        let written = self.written[slot];
        if written < clock.born() && !act.filled {
            hit(Met::Unwritten);
        }
        if written >= clock.floor() {
            let thread = ThreadId::new(act.warp, lane);
            let last = Some((written, self.last(slot)));
            let writes =
                last.into_iter().chain(self.beside.get(&slot).into_iter().flatten().copied());
            let mut late = writes.filter(|(at, past)| !clock.ordered(thread, past.thread, *at));
            late.next().into_iter().for_each(|(_, past)| hit(Met::Race(past)));
        }
        self.read(clock, act, slot, lane);
    }

    /// Records that one lane has read.
    #[inline]
    pub(super) fn read(
        &mut self,
        clock: &HappensBefore,
        act: &WarpAccess<'_>,
        slot: usize,
        lane: usize,
    ) {
        let of = self.of_read(slot, act.warp);
        let lanes = if self.read[of] == clock.now() { self.read_lanes[of] } else { 0 };
        if lanes == 0 && self.read[of] >= clock.floor() && clock.is_parted(act.warp) {
            let older = self.older.entry(of).or_default();
            older.retain(|(epoch, ..)| *epoch >= clock.floor());
            older.push((self.read[of], LaneMask(self.read_lanes[of]), self.read_pc[of]));
        }
        self.read[of] = clock.now();
        self.read_lanes[of] = lanes | 1 << lane;
        self.read_pc[of] = act.pc;
        let thread = ThreadId::new(act.warp, lane);
        let is_only = self.last_read[slot] < clock.floor() || self.reader[slot] == thread;
        self.reader[slot] = if is_only { thread } else { SEVERAL };
        self.last_read[slot] = clock.now();
    }

    /// One lane writes; `hit` receives the accesses with which that races, or would with another
    /// value, and whether an atomic reads what was never written.
    #[inline]
    pub(super) fn store(
        &mut self,
        clock: &HappensBefore,
        act: &WarpAccess<'_>,
        slot: usize,
        lane: usize,
        hit: &mut impl FnMut(Met),
    ) {
        let thread = ThreadId::new(act.warp, lane);
        let (touch, value) = (act.touch, act.value(lane));
        if touch == Touch::Atomic && self.written[slot] < clock.born() {
            hit(Met::Unwritten);
        }
        if self.written[slot] >= clock.floor() {
            self.store_again(clock, (slot, thread), (touch, value), hit);
        }
        if self.last_read[slot] >= clock.floor() {
            self.reader(clock, slot, thread).into_iter().for_each(|past| hit(Met::Race(past)));
        }
        let before = self.written[slot] >= clock.born() && self.wrote[slot].plain;
        if before && touch == Touch::Atomic && self.wrote[slot].touch != Touch::Atomic {
            self.under.insert(slot, self.last(slot));
        }
        let plain = before || touch != Touch::Atomic || act.within;
        self.wrote[slot] = LastWrite { touch, plain, value };
        self.copied |= touch == Touch::Copy;
        self.written[slot] = if touch == Touch::Copy { IN_FLIGHT } else { clock.now() };
        self.writer[slot] = thread;
        self.write_pc[slot] = act.pc;
    }

    /// Writes a unit that was written since the last barrier of the whole block.
    fn store_again(
        &mut self,
        clock: &HappensBefore,
        (slot, thread): (usize, ThreadId),
        (touch, value): (Touch, Option<u32>),
        hit: &mut impl FnMut(Met),
    ) {
        let last = (self.written[slot], self.last(slot));
        let beside = (!self.beside.is_empty()).then(|| self.beside.remove(&slot));
        let before = beside.flatten().unwrap_or_default();
        let same = value.is_some() && self.wrote[slot].value == value;
        let mut beside: Vec<(Epoch, PastAccess)> = Vec::new();
        for (epoch, past) in before.into_iter().chain([last]) {
            if clock.ordered(thread, past.thread, epoch) {
                continue;
            }
            if past.touch == Touch::Atomic && touch == Touch::Atomic {
                beside.retain(|(_, other)| other.thread.warp() != past.thread.warp());
                beside.push((epoch, past));
                continue;
            }
            let is_same = same && epoch != IN_FLIGHT;
            hit(if is_same { Met::Same(past) } else { Met::Race(past) });
        }
        if !beside.is_empty() {
            self.beside.insert(slot, beside);
        }
    }

    /// Returns a read that is not ordered before what `thread` does now, of another warp if there
    /// is one.
    fn reader(&self, clock: &HappensBefore, slot: usize, thread: ThreadId) -> Option<PastAccess> {
        let warp = thread.warp();
        let warps = (0..self.warps).filter(|other| *other != warp).chain([warp]);
        let mut read = warps.filter_map(|warp| Some((warp, self.reader_index(slot, warp)?)));
        read.find_map(|(warp, of)| {
            let last = (self.read[of], LaneMask(self.read_lanes[of]), self.read_pc[of]);
            let older = self.older.get(&of).into_iter().flatten().copied();
            let mut reads = older.chain([last]).filter(|(epoch, ..)| *epoch >= clock.floor());
            reads.find_map(|(epoch, lanes, pc)| {
                let mut readers = lanes.lanes().map(|lane| ThreadId::new(warp, lane));
                let reader = readers.find(|reader| !clock.ordered(thread, *reader, epoch))?;
                Some(PastAccess { thread: reader, epoch, pc, touch: Touch::Load })
            })
        })
    }

    pub(super) fn land(&mut self, slot: usize, now: Epoch) {
        if self.written[slot] == IN_FLIGHT {
            self.written[slot] = now;
            self.wrote[slot].touch = Touch::Store;
        }
    }

    /// Returns which units of the page at `start` this block has touched.
    pub(super) fn touched(&self, clock: &HappensBefore, start: usize) -> TouchedUnits {
        let units = start..start + PAGE;
        let bits = |is: &mut dyn Iterator<Item = bool>| {
            is.zip(0..).fold(0, |bits, (is, unit)| bits | u32::from(is) << unit)
        };
        let here = |epoch: &Epoch| *epoch >= clock.born();
        let wrote = bits(&mut self.written[units.clone()].iter().map(here));
        let plain = bits(&mut self.wrote[units.clone()].iter().map(|wrote| wrote.plain));
        let read = bits(&mut self.last_read[units].iter().map(here));
        let written = wrote & (plain | read);
        TouchedUnits { read: read & !wrote, atomic: wrote & !written, written }
    }

    pub(super) fn trail(
        &self,
        clock: &HappensBefore,
        slot: usize,
    ) -> (Option<(PastAccess, Option<u32>)>, Option<PastAccess>) {
        let wrote = (self.written[slot] >= clock.born()).then(|| {
            let (LastWrite { plain, value, .. }, last) = (self.wrote[slot], self.last(slot));
            match self.under.get(&slot) {
                Some(plain) if last.touch == Touch::Atomic => (*plain, None),
                _ if plain => (PastAccess { touch: Touch::Store, ..last }, value),
                _ => (PastAccess { touch: Touch::Atomic, ..last }, value),
            }
        });
        let mut warps =
            (0..self.warps).filter_map(|warp| Some((warp, self.reader_index(slot, warp)?)));
        let read = (self.last_read[slot] >= clock.born()).then(|| {
            let (warp, of) = warps.find(|(_, of)| self.read[*of] >= clock.born())?;
            let lane = LaneMask(self.read_lanes[of]).lanes().next()?;
            let thread = ThreadId::new(warp, lane);
            let (epoch, pc) = (self.read[of], self.read_pc[of]);
            Some(PastAccess { thread, epoch, pc, touch: Touch::Load })
        });
        (wrote, read.flatten())
    }
}

impl WarpAccess<'_> {
    /// A 32-bit hash of a lane's stored value and its address: equal only if two accesses store the
    /// same value to the same bytes, or by a chance of one in 2^32.
    pub(in crate::analysis::check) fn value(&self, lane: usize) -> Option<u32> {
        let place = self.access.addrs[lane] ^ u64::from(self.access.bytes) << 56;
        let folded = |values: &[u64; 32]| (values[lane] ^ place).wrapping_mul(GOLDEN) >> 32;
        self.values.map(|values| folded(values) as u32)
    }
}
