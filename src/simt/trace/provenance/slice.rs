//! Backwards: from the store that wrote an element to the loads that fed it.

mod together;

use super::backwards::BackwardsRun;
use super::flow::{Edge, ValueFlow};
use super::moment::StepValues;
use super::moves::moves;
use super::product::products;
use super::{
    ByteRange, GlobalLoad, LaneStep, MOST, MemoryWord, ProvenanceError, SharedSlot, Slice, words,
};
use crate::sim::in_flight::TransferPiece;
use crate::sim::{Access, Direction, Effect, LaneMask, Machine, Reg, Step};
use crate::work::WorkToken;
use ptx::Space;
use std::collections::HashMap;

/// The path of some bytes, as far as it is known from its end backwards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct BytePath {
    used: Option<LaneStep>,
    read: Option<LaneStep>,
    stored: Option<(LaneStep, u32)>,
    loaded: Option<(LaneStep, ByteRange, u32)>,
    /// The bytes of a register that they were when combined with another value. This keeps elements
    /// apart that lie in one register and are used at once.
    part: u8,
}

/// Bytes of a lane's register that fed the element.
#[derive(Clone, Copy, Debug)]
struct HeldBytes {
    lane: u8,
    mask: u8,
    way: BytePath,
}

/// Everything that fed the element, at one point of the run.
#[derive(Debug, Default)]
struct Live {
    regs: HashMap<(u16, Reg), Vec<HeldBytes>>,
    words: HashMap<MemoryWord, Vec<(u8, BytePath)>>,
    /// The number of words of global memory among them.
    loads: usize,
}

impl Slice {
    /// Returns where the last value came from that the block of `machine`, which has not run yet,
    /// stores to these bytes of global memory, or `None` if it stores nothing there.
    ///
    /// The block is run twice: to the end, and again piece by piece from the last to the first. A
    /// block that faults is followed as far as it ran.
    ///
    /// # Errors
    /// It is cancelled, or the block does not end.
    pub fn of(
        machine: Machine,
        bytes: ByteRange,
        token: &WorkToken,
    ) -> Result<Option<Self>, ProvenanceError> {
        origin(machine, bytes, token)
    }
}

fn origin(
    machine: Machine,
    bytes: ByteRange,
    token: &WorkToken,
) -> Result<Option<Slice>, ProvenanceError> {
    let mut run = BackwardsRun::new(machine);
    let mut last = None;
    let mut atomic = false;
    let mut checkpoints = run.finish(token, |step, index| {
        if let Some((lane, direction)) = writer(step, bytes) {
            let (pc, warp) = (step.pc, step.warp);
            last = Some(LaneStep { index: index as u32, pc, warp, lane });
            atomic = direction == Direction::Atomic;
        }
    })?;
    let Some(stored) = last else { return Ok(None) };
    let mut live = Live::default();
    for (index, _, mask) in words(bytes.addr, bytes.count) {
        live.word(MemoryWord::Global(index), mask, BytePath::default());
    }
    let steps = stored.index as usize;
    let mut end = steps;
    while end > 0 && !live.is_full() {
        if token.step("step", (steps - end) as u64, steps as u64).is_break() {
            return Err(ProvenanceError::Cancelled);
        }
        for moment in run.piece(&mut checkpoints, &mut end).iter().rev() {
            live.back(&run.flows[moment.step.pc.0 as usize], moment);
        }
    }
    Ok(Some(live.origin(stored, atomic)))
}

/// Returns the lane whose store to these bytes remains, which is the highest of those that store
/// there, and the kind of access.
fn writer(step: &Step, bytes: ByteRange) -> Option<(u8, Direction)> {
    let global = |access: &&Access| !matches!(access.space, Space::Shared | Space::Local);
    let writes = |access: &&Access| access.direction.writes();
    let end = bytes.addr + u64::from(bytes.count);
    let stores = step.accesses().iter().filter(global).filter(writes);
    let lanes = stores.flat_map(|access| {
        let size = u64::from(access.bytes);
        let hits = move |addr: u64| addr < end && bytes.addr < addr.saturating_add(size);
        let lanes = access.touched().filter(move |(_, addr)| hits(*addr));
        lanes.map(|(lane, _)| (lane as u8, access.direction))
    });
    lanes.last().or_else(|| sender(step, bytes))
}

/// Returns the lane that starts a transfer to these bytes.
fn sender(step: &Step, bytes: ByteRange) -> Option<(u8, Direction)> {
    let Effect::Async(effect) = &step.effect else { return None };
    let end = bytes.addr + u64::from(bytes.count);
    let hits = |piece: &TransferPiece| {
        let [first, last] = piece.inside.map(|byte| piece.other.wrapping_add(byte.into()));
        first < end && bytes.addr < last
    };
    let mut started = effect.started().iter().filter(|copy| !copy.is_to_shared());
    let copy = started.rfind(|copy| copy.pieces.iter().any(hits))?;
    let direction = if copy.reduces.is_some() { Direction::Atomic } else { Direction::Store };
    Some((copy.lane, direction))
}

impl Live {
    /// Whether the limit on listed loads has been reached.
    fn is_full(&self) -> bool {
        self.loads >= MOST
    }

    /// Goes back from after a step to before it.
    fn back(&mut self, flow: &ValueFlow, moment: &StepValues) {
        match flow {
            ValueFlow::Nothing => {}
            ValueFlow::Pass { edges, .. } => self.pass(moment, edges),
            ValueFlow::Reduce { from, to } => self.reduce(moment, *from, *to),
            ValueFlow::Multiply(_) | ValueFlow::Product(_) => {
                self.multiply(moment, &products(flow, moment));
            }
            ValueFlow::Atomic { to, from, each, size, replaces } => {
                self.atomic(moment, (to, from), (*each, *size), *replaces);
            }
            ValueFlow::Load { to, .. } | ValueFlow::Exchange { to, .. }
                if !self.needs(moment, to) => {}
            _ => {
                for moves in moves(flow, moment).iter().rev() {
                    self.shift(moment, &moves.shifts);
                }
            }
        }
    }

    /// Whether any of these registers is live; true if none are given.
    fn needs(&self, moment: &StepValues, of: &[Reg]) -> bool {
        let held = |reg: &Reg| self.regs.contains_key(&(moment.step.warp, *reg));
        of.is_empty() || of.iter().any(held)
    }

    fn pass(&mut self, moment: &StepValues, edges: &[Edge]) {
        let held = |live: &mut Self, edge: &Edge| (edge.to, live.take(moment, edge.to));
        // All destinations before any source: a register may be both.
        let held: Vec<_> = edges.iter().map(|edge| held(self, edge)).collect();
        for (edge, (to, held)) in edges.iter().flat_map(|e| held.iter().map(move |h| (e, h))) {
            let lanes = edge.lanes(moment);
            let passed = |held: &&HeldBytes| *to == edge.to && lanes.has(held.lane.into());
            for HeldBytes { lane, mask, way } in held.iter().filter(passed) {
                let (part, used) = (edge.back(*mask), Some(moment.at(*lane)));
                let combined = BytePath { used, part, ..BytePath::default() };
                let way = if edge.combines() { combined } else { *way };
                self.reg(moment, edge.from, *lane, part, way);
            }
        }
    }

    /// A lane read these bytes, counted from an address.
    fn memory(
        &mut self,
        moment: &StepValues,
        (space, first): (Space, u64),
        lane: u8,
        mask: u8,
        mut way: BytePath,
    ) {
        let bytes = spanned(first, mask);
        match space {
            Space::Shared | Space::Distributed => way.read = Some(moment.at(lane)),
            Space::Local => {}
            Space::Global | Space::Generic | Space::Param | Space::Const => {
                way.loaded = Some((moment.at(lane), bytes, moment.interval));
            }
        }
        for (index, _, mask) in words(bytes.addr, bytes.count) {
            self.word(MemoryWord::new(space, index, moment.step.warp, lane.into()), mask, way);
        }
    }

    /// Takes out the bytes that a lane wrote from an address on, counted from there.
    fn written(
        &mut self,
        moment: &StepValues,
        (space, addr): (Space, u64),
        lane: usize,
        size: u8,
    ) -> Vec<(u8, BytePath)> {
        let mut taken = Vec::new();
        for (index, skip, bytes) in words(addr, size) {
            let shift = bytes.trailing_zeros();
            let word = MemoryWord::new(space, index, moment.step.warp, lane);
            for (mask, mut way) in self.take_word(word, bytes) {
                if space == Space::Shared {
                    way.stored =
                        Some((moment.at(lane as u8), spanned(4 * index, mask).addr as u32));
                }
                taken.push((mask >> shift << skip, way));
            }
        }
        taken
    }

    /// Takes out the live bytes of a register in the lanes that a step wrote.
    fn take(&mut self, moment: &StepValues, reg: Reg) -> Vec<HeldBytes> {
        let key = (moment.step.warp, reg);
        let Some(held) = self.regs.get_mut(&key) else { return Vec::new() };
        let written: LaneMask = moment.step.active;
        let taken = held.extract_if(.., |held| written.has(held.lane.into())).collect();
        if held.is_empty() {
            self.regs.remove(&key);
        }
        taken
    }

    /// Takes out these bytes of a word.
    fn take_word(&mut self, word: MemoryWord, bytes: u8) -> Vec<(u8, BytePath)> {
        let Some(held) = self.words.get_mut(&word) else { return Vec::new() };
        let both = held.iter().map(|(mask, way)| (mask & bytes, *way));
        let taken: Vec<_> = both.filter(|(mask, _)| *mask != 0).collect();
        held.retain_mut(|(mask, _)| {
            *mask &= !bytes;
            *mask != 0
        });
        if held.is_empty() {
            self.words.remove(&word);
        }
        taken
    }

    fn reg(&mut self, moment: &StepValues, reg: Reg, lane: u8, mask: u8, way: BytePath) {
        if mask == 0 {
            return;
        }
        let held = self.regs.entry((moment.step.warp, reg)).or_default();
        match held.iter_mut().find(|held| held.lane == lane && held.way == way) {
            Some(held) => held.mask |= mask,
            None => held.push(HeldBytes { lane, mask, way }),
        }
    }

    fn word(&mut self, word: MemoryWord, mask: u8, way: BytePath) {
        // Usually one: room for four would be most of the memory that this takes.
        let held = self.words.entry(word).or_insert_with(|| Vec::with_capacity(1));
        if let Some((held, _)) = held.iter_mut().find(|(_, held)| *held == way) {
            *held |= mask;
        } else {
            self.loads += usize::from(matches!(word, MemoryWord::Global(_)));
            held.push((mask, way));
        }
    }

    /// Makes the result from what is live at the start of the run: words that the block found in
    /// memory.
    fn origin(self, stored: LaneStep, atomic: bool) -> Slice {
        let cut = self.is_full();
        let mut loads = Vec::new();
        let mut unwritten = 0;
        for (word, ways) in self.words {
            match word {
                MemoryWord::Global(_) => {
                    loads.extend(ways.iter().filter_map(|(_, way)| way.load()));
                }
                MemoryWord::Shared(_) => unwritten += ways.len(),
                MemoryWord::Local(..) | MemoryWord::Copied(..) => {}
            }
        }
        loads.sort_unstable();
        // A load of several words left one entry for each.
        loads.dedup();
        Slice { stored, loads, unwritten, cut, atomic }
    }
}

/// Returns the range of bytes from the first to the last of a mask, counted from an address.
fn spanned(addr: u64, mask: u8) -> ByteRange {
    let skip = mask.trailing_zeros();
    let count = (u8::BITS - mask.leading_zeros()).saturating_sub(skip) as u8;
    ByteRange { addr: addr + u64::from(skip), count }
}

impl BytePath {
    fn load(&self) -> Option<GlobalLoad> {
        let (loaded, bytes, interval) = self.loaded?;
        let slot = |(stored, addr)| Some(SharedSlot { addr, stored, read: self.read? });
        let shared = self.stored.and_then(slot);
        Some(GlobalLoad { used: self.used, loaded, bytes, interval, shared })
    }
}
