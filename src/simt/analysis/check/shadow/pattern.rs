//! Accesses that repeat: an instruction in a loop touches the same units again, only shifted.

#![expect(
    clippy::inline_always,
    reason = "the loops over units are compiled once more for each set of vector instructions, with all they call"
)]

use super::cells::{Cells, Wrote};
use crate::analysis::check::epoch::{Epoch, Thread};
use crate::analysis::check::happens_before::HappensBefore;
use crate::analysis::check::touch::{Act, Touch};
use crate::sim::{LaneMask, all_shifted};
use std::ops::Range;

/// For each instruction, the units that it touched when its pattern was recorded.
#[derive(Debug, Default)]
pub(super) struct Patterns {
    seen: Vec<Option<Box<Pattern>>>,
}

/// The units that the lanes of an access touch.
#[derive(Debug)]
struct Pattern {
    active: LaneMask,
    addrs: [u64; 32],
    /// Consecutive units, and the index in `lanes` of the lanes that touch the first of them.
    spans: Vec<(Range<usize>, usize)>,
    lanes: Vec<u32>,
    /// Whether every unit is touched by one lane only.
    apart: bool,
    /// How often this instruction's pattern has changed.
    misses: u32,
}

/// How often an instruction may change its pattern before it is treated lane by lane.
const PATIENCE: u32 = 16;

impl Patterns {
    /// Adds an access as a whole if it is certain to be ordered: every unit was last written, and
    /// for a store also last read, before the last barrier of the whole block. Returns whether it
    /// did.
    pub(super) fn add(
        &mut self,
        cells: &mut Cells,
        clock: &HappensBefore,
        act: &Act<'_>,
        unit: u64,
    ) -> bool {
        let index = act.pc.0 as usize;
        if self.seen.len() <= index {
            self.seen.resize_with(index + 1, || None);
        }
        let seen = &mut self.seen[index];
        let misses = seen.as_ref().map_or(0, |seen| seen.misses);
        let shift = match seen {
            Some(seen) if seen.active == act.access.active => seen.shift(&act.access.addrs),
            _ => None,
        };
        let Some(shift) = shift.filter(|shift| shift % unit as i64 == 0) else {
            if misses < PATIENCE {
                *seen = Some(Box::new(Pattern::of(act, unit, misses + 1)));
            }
            return false;
        };
        let Some(seen) = seen else { return false };
        let by = (shift / unit as i64) as isize;
        match act.touch {
            Touch::Load => load(cells, clock, act, seen, by),
            Touch::Store if seen.apart => store(cells, clock, act, seen, by),
            _ => false,
        }
    }
}

impl Pattern {
    fn of(act: &Act<'_>, unit: u64, misses: u32) -> Self {
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

    /// Returns by how many bytes all addresses are shifted, if by the same number.
    fn shift(&self, addrs: &[u64; 32]) -> Option<i64> {
        let shift = addrs[0].wrapping_sub(self.addrs[0]);
        all_shifted(&self.addrs, addrs, shift).then_some(shift as i64)
    }

    /// Returns the spans, shifted, and the lanes of their units.
    #[inline(always)]
    fn spans(&self, by: isize) -> impl Iterator<Item = (Range<usize>, &[u32])> {
        self.spans.iter().map(move |(span, first)| {
            let start = span.start.wrapping_add_signed(by);
            (start..start + span.len(), &self.lanes[*first..*first + span.len()])
        })
    }
}

#[multiversion::multiversion(targets("x86_64+avx2"))]
fn load(
    cells: &mut Cells,
    clock: &HappensBefore,
    act: &Act<'_>,
    seen: &Pattern,
    by: isize,
) -> bool {
    let (born, floor, now) = (clock.born(), clock.floor(), clock.now());
    if !seen.spans(by).all(|(span, _)| all_within(&cells.written[span], born, floor)) {
        return false;
    }
    for (span, lanes) in seen.spans(by) {
        let Some(of) = cells.of(span.start, act.warp) else { return false };
        cells.last_read[span.clone()].fill(now);
        let of = of..of + span.len();
        cells.read_pc[of.clone()].fill(act.pc);
        let known = cells.read_lanes[of.clone()].iter_mut().zip(&mut cells.read[of]);
        for ((known, epoch), lanes) in known.zip(lanes) {
            *known = if *epoch == now { *known | lanes } else { *lanes };
            *epoch = now;
        }
    }
    true
}

#[multiversion::multiversion(targets("x86_64+avx2"))]
fn store(
    cells: &mut Cells,
    clock: &HappensBefore,
    act: &Act<'_>,
    seen: &Pattern,
    by: isize,
) -> bool {
    let (floor, now) = (clock.floor(), clock.now());
    let in_order = |(span, _): (Range<usize>, &[u32])| {
        all_within(&cells.written[span.clone()], 0, floor)
            && all_within(&cells.last_read[span], 0, floor)
    };
    if !seen.spans(by).all(in_order) {
        return false;
    }
    for (span, lanes) in seen.spans(by) {
        cells.written[span.clone()].fill(now);
        cells.write_pc[span.clone()].fill(act.pc);
        for (slot, lanes) in span.zip(lanes) {
            let lane = lanes.trailing_zeros() as usize;
            cells.writer[slot] = Thread::new(act.warp, lane);
            cells.wrote[slot] = Wrote { touch: act.touch, plain: true, value: act.value(lane) };
        }
    }
    true
}

/// Whether all epochs are at least `from` and below `to`.
#[inline(always)]
fn all_within(epochs: &[Epoch], from: Epoch, to: Epoch) -> bool {
    let width = to - from;
    epochs.iter().fold(true, |all, epoch| all & (epoch.wrapping_sub(from) < width))
}
