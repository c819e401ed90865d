//! Accesses that repeat: an instruction in a loop touches the same units again, only shifted.

#![expect(
    clippy::inline_always,
    reason = "the loops over units are compiled once more for each set of vector instructions, with all they call"
)]

use super::cells::{Cells, LastWrite, SEVERAL};
use crate::analysis::check::epoch::{Epoch, IN_FLIGHT, ThreadId};
use crate::analysis::check::happens_before::HappensBefore;
use crate::analysis::check::touch::{Touch, WarpAccess};
use crate::sim::{LaneMask, all_shifted};
use std::ops::Range;

/// For each instruction, the units that it touched when its pattern was recorded.
#[derive(Debug, Default)]
pub(super) struct Patterns {
    seen: Vec<Option<Box<UnitPattern>>>,
    /// Where the units of the current access lie; kept for its storage.
    pieces: Vec<SlotRange>,
}

/// The units that the lanes of an access touch.
#[derive(Debug)]
struct UnitPattern {
    active: LaneMask,
    addrs: [u64; 32],
    /// Consecutive units, and the index in `lanes` of the lanes that touch the first of them.
    spans: Vec<(Range<usize>, usize)>,
    lanes: Vec<u32>,
    /// Whether every unit is touched by one lane only.
    apart: bool,
    /// Grows as this instruction's pattern changes, and falls as it repeats.
    misses: u32,
}

/// Consecutive slots of the cells, and the index in the pattern's `lanes` of the lanes that touch the
/// first of them.
#[derive(Clone, Debug)]
struct SlotRange {
    slots: Range<usize>,
    first: usize,
}

/// The misses from which on an instruction is treated lane by lane, and those at which its pattern is
/// recorded once more: it may have got a new one.
const PATIENCE: u32 = 32;
const AGAIN: u32 = 256;

/// The misses that a change counts, where a repetition takes one away: a record costs more than it
/// saves at once.
const CHANGE: u32 = 2;

impl Patterns {
    /// Adds an access as a whole if it is certain to be ordered: every unit was last written, and
    /// for a store also last read, before the last barrier of the whole block or by the same thread.
    /// Returns whether it did. In a sparse shadow, `place` tells the slots of consecutive units, as
    /// many as lie together; in a dense one, units are slots.
    pub(super) fn add(
        &mut self,
        cells: &mut Cells,
        clock: &HappensBefore,
        act: &WarpAccess<'_>,
        unit: u64,
        place: Option<impl FnMut(&mut Cells, Range<usize>) -> Range<usize>>,
    ) -> bool {
        if act.touch != Touch::Load && act.touch != Touch::Store {
            return false;
        }
        let Self { seen, pieces } = self;
        let Some((seen, by)) = shifted(seen, act, unit) else { return false };
        let spans = seen.spans.iter().map(|(span, first)| {
            let slots = span.start.wrapping_add_signed(by)..span.end.wrapping_add_signed(by);
            SlotRange { slots, first: *first }
        });
        let Some(mut place) = place else { return touch(cells, clock, act, (spans, seen)) };
        pieces.clear();
        for SlotRange { slots: mut units, mut first } in spans {
            while !units.is_empty() {
                let slots = place(cells, units.clone());
                let count = slots.len();
                pieces.push(SlotRange { slots, first });
                (units.start, first) = (units.start + count, first + count);
            }
        }
        touch(cells, clock, act, (pieces.iter().cloned(), seen))
    }
}

/// Adds a load or store whose units lie in these pieces, if it is certain to be ordered.
fn touch<P: Iterator<Item = SlotRange> + Clone>(
    cells: &mut Cells,
    clock: &HappensBefore,
    act: &WarpAccess<'_>,
    (pieces, seen): (P, &UnitPattern),
) -> bool {
    match act.touch {
        Touch::Load => load(cells, clock, act, (pieces, &seen.lanes)),
        _ => seen.apart && store(cells, clock, act, (pieces, &seen.lanes)),
    }
}

/// Returns the pattern of an access and the units by which it is shifted, if the instruction's last
/// pattern was the same; otherwise records this one.
fn shifted<'a>(
    seen: &'a mut Vec<Option<Box<UnitPattern>>>,
    act: &WarpAccess<'_>,
    unit: u64,
) -> Option<(&'a UnitPattern, isize)> {
    let index = act.pc.0 as usize;
    if seen.len() <= index {
        seen.resize_with(index + 1, || None);
    }
    let seen = &mut seen[index];
    let shift = match seen {
        Some(seen) if seen.active == act.access.active => seen.shift(&act.access.addrs),
        _ => None,
    };
    let Some(shift) = shift.filter(|shift| shift % unit as i64 == 0) else {
        match seen {
            Some(seen) if (PATIENCE..AGAIN).contains(&seen.misses) => seen.misses += CHANGE,
            _ => {
                let misses = seen.as_ref().map_or(0, |seen| seen.misses).min(PATIENCE);
                *seen = Some(Box::new(UnitPattern::of(act, unit, misses + CHANGE)));
            }
        }
        return None;
    };
    let seen = seen.as_mut()?;
    seen.misses = seen.misses.saturating_sub(1);
    Some((seen, (shift / unit as i64) as isize))
}

impl UnitPattern {
    fn of(act: &WarpAccess<'_>, unit: u64, misses: u32) -> Self {
        let access = act.access;
        let count = u64::from(access.bytes).div_ceil(unit);
        let units = |(lane, addr): (usize, u64)| {
            (addr / unit..addr / unit + count).map(move |unit| (unit as usize, lane))
        };
        let mut touched: Vec<_> = access.touched().flat_map(units).collect();
        touched.sort_unstable();
        let (mut spans, mut lanes) = (Vec::<(Range<usize>, usize)>::new(), Vec::new());
        for (unit, lane) in touched {
            match spans.last_mut() {
                Some((span, _)) if span.end == unit + 1 => {
                    lanes.last_mut().into_iter().for_each(|last| *last |= 1_u32 << lane);
                }
                Some((span, _)) if span.end == unit => {
                    span.end += 1;
                    lanes.push(1 << lane);
                }
                _ => {
                    spans.push((unit..unit + 1, lanes.len()));
                    lanes.push(1 << lane);
                }
            }
        }
        let apart = lanes.iter().all(|lanes| lanes.is_power_of_two());
        Self { active: access.active, addrs: access.addrs, spans, lanes, apart, misses }
    }

    /// Returns by how many bytes all addresses are shifted, if by the same number. Those of lanes that
    /// are not active mean nothing.
    fn shift(&self, addrs: &[u64; 32]) -> Option<i64> {
        let first = self.active.0.trailing_zeros() as usize % 32;
        let shift = addrs[first].wrapping_sub(self.addrs[first]);
        let is_shifted = |lane: usize| addrs[lane].wrapping_sub(self.addrs[lane]) == shift;
        let all = if self.active == LaneMask::ALL {
            all_shifted(&self.addrs, addrs, shift)
        } else {
            self.active.lanes().all(is_shifted)
        };
        all.then_some(shift as i64)
    }
}

#[multiversion::multiversion(targets("x86_64+avx2"))]
fn load<P: Iterator<Item = SlotRange> + Clone>(
    cells: &mut Cells,
    clock: &HappensBefore,
    act: &WarpAccess<'_>,
    (pieces, lanes): (P, &[u32]),
) -> bool {
    let (floor, now) = (clock.floor(), clock.now());
    // What the host has filled may be read without having been written.
    let from = if act.filled { 0 } else { clock.born() };
    let parted = clock.is_parted(act.warp);
    for SlotRange { slots, first } in pieces.clone() {
        let is_ordered = all_within(&cells.written[slots.clone()], from, floor)
            || cells.is_written_by(clock, act.warp, (&slots, &lanes[first..]), from);
        if !is_ordered || parted && !cells.is_read_before(clock, act.warp, &slots) {
            return false;
        }
    }
    let keeps_readers = cells.keeps_readers();
    for SlotRange { slots, first } in pieces {
        let of = cells.of_read(slots.start, act.warp);
        if keeps_readers {
            cells.keep_readers(clock, act.warp, (&slots, &lanes[first..]));
        }
        cells.last_read[slots.clone()].fill(now);
        let of = of..of + slots.len();
        cells.read_pc[of.clone()].fill(act.pc);
        let known = cells.read_lanes[of.clone()].iter_mut().zip(&mut cells.read[of]);
        for ((known, epoch), lanes) in known.zip(&lanes[first..]) {
            *known = if *epoch == now { *known | lanes } else { *lanes };
            *epoch = now;
        }
    }
    true
}

#[multiversion::multiversion(targets("x86_64+avx2"))]
fn store<P: Iterator<Item = SlotRange> + Clone>(
    cells: &mut Cells,
    clock: &HappensBefore,
    act: &WarpAccess<'_>,
    (pieces, lanes): (P, &[u32]),
) -> bool {
    let (floor, now) = (clock.floor(), clock.now());
    for SlotRange { slots, first } in pieces.clone() {
        let lanes = &lanes[first..];
        let is_ordered = all_within(&cells.written[slots.clone()], 0, floor)
            || cells.is_written_by(clock, act.warp, (&slots, lanes), 0);
        let is_unread = all_within(&cells.last_read[slots.clone()], 0, floor);
        if !is_ordered || !(is_unread || cells.is_read_by(clock, act.warp, (&slots, lanes))) {
            return false;
        }
    }
    for SlotRange { slots, first } in pieces {
        cells.written[slots.clone()].fill(now);
        cells.write_pc[slots.clone()].fill(act.pc);
        for (slot, lanes) in slots.clone().zip(&lanes[first..]) {
            let lane = lanes.trailing_zeros() as usize;
            cells.writer[slot] = ThreadId::new(act.warp, lane);
            cells.wrote[slot] = LastWrite { touch: act.touch, plain: true, value: act.value(lane) };
        }
    }
    true
}

impl Cells {
    /// Whether each unit was last written in an epoch from `from` on, and before the last barrier of
    /// the whole block or by the only lane of the warp that `lanes` has for it.
    #[inline(always)]
    fn is_written_by(
        &self,
        clock: &HappensBefore,
        warp: usize,
        (slots, lanes): (&Range<usize>, &[u32]),
        from: Epoch,
    ) -> bool {
        let written = self.written[slots.clone()].iter().zip(&self.writer[slots.clone()]);
        self.has_one_writer()
            && written.zip(lanes).all(|((epoch, writer), lanes)| {
                let is_own = *writer == only(warp, *lanes);
                from <= *epoch && (*epoch < clock.floor() || is_own && *epoch != IN_FLIGHT)
            })
    }

    /// Whether since the last barrier of the whole block each unit was read only by the one lane of the
    /// warp that `lanes` has for it.
    #[inline(always)]
    fn is_read_by(
        &self,
        clock: &HappensBefore,
        warp: usize,
        (slots, lanes): (&Range<usize>, &[u32]),
    ) -> bool {
        let reads = self.last_read[slots.clone()].iter().zip(&self.reader[slots.clone()]);
        self.keeps_readers()
            && reads.zip(lanes).all(|((epoch, reader), lanes)| {
                *epoch < clock.floor() || *reader == only(warp, *lanes)
            })
    }

    /// Whether the warp read each unit only before the last barrier of the whole block, or in the
    /// current epoch.
    #[inline(always)]
    fn is_read_before(&self, clock: &HappensBefore, warp: usize, slots: &Range<usize>) -> bool {
        let Some(of) = self.reader_index(slots.start, warp) else { return true };
        let mut read = self.read[of..of + slots.len()].iter();
        read.all(|epoch| *epoch < clock.floor() || *epoch == clock.now())
    }

    /// Lanes of a warp are about to read these units.
    #[inline(always)]
    fn keep_readers(
        &mut self,
        clock: &HappensBefore,
        warp: usize,
        (slots, lanes): (&Range<usize>, &[u32]),
    ) {
        let known = self.reader[slots.clone()].iter_mut().zip(&self.last_read[slots.clone()]);
        for ((reader, epoch), lanes) in known.zip(lanes) {
            let mine = only(warp, *lanes);
            let is_only = *epoch < clock.floor() || *reader == mine;
            *reader = if is_only { mine } else { SEVERAL };
        }
    }
}

/// The only thread among these lanes of a warp.
#[inline(always)]
const fn only(warp: usize, lanes: u32) -> ThreadId {
    if lanes.is_power_of_two() {
        ThreadId::new(warp, lanes.trailing_zeros() as usize)
    } else {
        SEVERAL
    }
}

/// Whether all epochs are at least `from` and below `to`.
#[inline(always)]
fn all_within(epochs: &[Epoch], from: Epoch, to: Epoch) -> bool {
    let width = to - from;
    epochs.iter().fold(true, |all, epoch| all & (epoch.wrapping_sub(from) < width))
}
