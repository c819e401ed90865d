//! The moves of a step to, from or within memory, or between lanes: which bytes come from which.

use super::exchange::{ByteMove, BytePlace, passed, shifts};
use super::flow::ValueFlow;
use super::moment::StepValues;
use crate::sim::{Access, AsyncTransfer, Effect, OtherEnd, Reg, TRANSFER_PIECE};
use ptx::Space;
use std::sync::Arc;

/// Simultaneous moves.
pub(super) struct Moves<'a> {
    /// The accesses that make them.
    pub(super) accesses: &'a [Access],
    /// A later one overwrites the result of an earlier one.
    pub(super) shifts: Vec<ByteMove>,
}

/// Returns the moves of a step, in order; empty if it moves nothing.
pub(super) fn moves<'a>(flow: &ValueFlow, moment: &'a StepValues) -> Vec<Moves<'a>> {
    let accesses = moment.step.accesses();
    let at_once = |shifts| vec![Moves { accesses, shifts }];
    match flow {
        ValueFlow::Load { to, size } => at_once(loaded(moment, to, *size)),
        ValueFlow::Store { from, size } => at_once(stored(moment, from, *size)),
        ValueFlow::Exchange { op, .. } => at_once(shifts(op, moment)),
        ValueFlow::Enter(args) => at_once(passed(args, true, moment)),
        ValueFlow::Leave => at_once(passed(&moment.results, false, moment)),
        ValueFlow::Copy => copied(moment).into_iter().chain([landed(moment)]).collect(),
        ValueFlow::Land => vec![landed(moment)],
        ValueFlow::Transfers => transferred(moment),
        ValueFlow::Send { from, size } => sent_from(moment, from, *size),
        _ => Vec::new(),
    }
}

/// Elements of `size` bytes, each of which a lane loads into a register of its own. Values that are
/// not read from memory, such as parameters, come from nowhere.
fn loaded(moment: &StepValues, to: &[Reg], size: u8) -> Vec<ByteMove> {
    let accesses = moment.step.accesses();
    let of_lane = |lane: usize, offset: u64| {
        let access = accesses.iter().position(|access| access.active.has(lane));
        let from = access.map_or(BytePlace::Nowhere, |access| {
            BytePlace::Memory(accesses[access].space, accesses[access].addrs[lane] + offset)
        });
        (from, access.unwrap_or(0))
    };
    let elements = to.iter().zip((0..).step_by(size.into()));
    let each = elements.flat_map(|(reg, offset)| {
        moment.step.active.lanes().map(move |lane| {
            let (from, access) = of_lane(lane, offset);
            let (to, lane) = (BytePlace::Register(*reg, lane as u8, 0), lane as u8);
            ByteMove { from, to, count: size, lane, access, extends: true }
        })
    });
    each.collect()
}

/// Elements of `size` bytes, each of which a lane stores from a register of its own.
fn stored(moment: &StepValues, from: &[Reg], size: u8) -> Vec<ByteMove> {
    let mut shifts = Vec::new();
    for (index, access) in moment.step.accesses().iter().enumerate() {
        for (reg, offset) in from.iter().zip((0..).step_by(size.into())) {
            shifts.extend(access.touched().map(|(lane, addr)| {
                let to = BytePlace::Memory(access.space, addr + offset);
                let shift =
                    ByteMove::new(BytePlace::Register(*reg, lane as u8, 0), to, size, lane as u8);
                ByteMove { access: index, ..shift }
            }));
        }
    }
    shifts
}

/// The reads of an asynchronous copy when it begins; beyond the bytes that it reads, it writes
/// zeros.
fn copied(moment: &StepValues) -> Option<Moves<'_>> {
    let Effect::Async(effect) = &moment.step.effect else { return None };
    let copy = effect.copy()?;
    let [from, into] = copy;
    let shift = |(lane, index): (u8, u64)| {
        let number = usize::from(lane);
        let addr = from.addrs[number] + (4 * index - into.addrs[number]);
        let reads = from.active.has(number);
        let from = if reads { BytePlace::Memory(Space::Global, addr) } else { BytePlace::Nowhere };
        ByteMove::new(from, BytePlace::Copied(moment.step.warp, index), 4, lane)
    };
    Some(Moves { accesses: &copy[..1], shifts: lane_words(into).map(shift).collect() })
}

/// The writes to shared memory of asynchronous copies that began earlier.
fn landed(moment: &StepValues) -> Moves<'_> {
    let of_access = |(access, landed): (usize, &Access)| {
        let shift = |(lane, index)| {
            let to = BytePlace::Memory(Space::Shared, 4 * index);
            let from = BytePlace::Copied(moment.step.warp, index);
            ByteMove { access, ..ByteMove::new(from, to, 4, lane) }
        };
        lane_words(landed).map(shift).collect::<Vec<_>>()
    };
    let shifts = moment.landed.iter().enumerate().flat_map(of_access).collect();
    Moves { accesses: &moment.landed, shifts }
}

/// The moves of transfers: of those that land, at a wait, and of those that go to global memory. What
/// comes from another place than global memory is in flight until it lands.
fn transferred(moment: &StepValues) -> Vec<Moves<'_>> {
    let alone = |shifts| Moves { accesses: &[], shifts };
    let Effect::Async(effect) = &moment.step.effect else { return Vec::new() };
    let (stores, transfers) = effect.brought();
    let copied = (!stores.is_empty()).then(|| landed(moment));
    let come = transfers.iter().map(|landed| alone(brought(&landed.copy)));
    let start = |copy: &Arc<AsyncTransfer>| match copy.other {
        _ if !copy.is_to_shared() => pairs(copy).filter_map(BytePair::into_global).collect(),
        OtherEnd::Shared => sent(copy, |_, from| BytePlace::Memory(Space::Shared, from)),
        OtherEnd::Global | OtherEnd::Registers => Vec::new(),
    };
    let started = effect.started().iter().map(|copy| alone(start(copy)));
    copied.into_iter().chain(come).chain(started).collect()
}

/// The asynchronous stores of a warp's lanes, of elements of `size` bytes, as they start.
fn sent_from<'a>(moment: &StepValues, regs: &[Reg], size: u8) -> Vec<Moves<'a>> {
    let Effect::Async(effect) = &moment.step.effect else { return Vec::new() };
    let of = |copy: &Arc<AsyncTransfer>| {
        sent(copy, |word, _| {
            let (reg, byte) = (4 * word / u64::from(size), 4 * word % u64::from(size));
            BytePlace::Register(regs[reg as usize], copy.lane, byte as u8)
        })
    };
    vec![Moves { accesses: &[], shifts: effect.started().iter().flat_map(of).collect() }]
}

/// The words of a copy as they start, each from where `from` says: it receives the number of the word in
/// its piece, and its address at the other end.
fn sent(copy: &AsyncTransfer, from: impl Fn(u64, u64) -> BytePlace) -> Vec<ByteMove> {
    let each = u64::from(copy.each) / 4;
    let shift = |(number, index): (u64, usize)| {
        let (piece, word) = (&copy.pieces[(number / each) as usize], number % each);
        let from = from(word, piece.other + 4 * word);
        ByteMove::new(from, BytePlace::Copied(copy.warp, index as u64), 4, copy.lane)
    };
    (0..).zip(copy.words()).map(shift).collect()
}

/// The words of a copy as they land.
fn brought(copy: &AsyncTransfer) -> Vec<ByteMove> {
    if copy.other == OtherEnd::Global {
        return pairs(copy).map(BytePair::into_shared).collect();
    }
    let shift = |index: usize| {
        let index = index as u64;
        let to = BytePlace::Memory(Space::Shared, 4 * index);
        ByteMove::new(BytePlace::Copied(copy.warp, index), to, 4, copy.lane)
    };
    copy.words().map(shift).collect()
}

/// Two bytes of a transfer, the least that one of its elements has but for those of one byte.
struct BytePair {
    shared: u64,
    /// `None` beyond the edges of the tensor.
    global: Option<u64>,
    lane: u8,
}

fn pairs(copy: &AsyncTransfer) -> impl Iterator<Item = BytePair> + '_ {
    copy.pieces.iter().flat_map(|piece| {
        (0..TRANSFER_PIECE as u8).step_by(2).map(|byte| {
            let inside = (piece.inside[0]..piece.inside[1]).contains(&byte);
            let global = inside.then(|| piece.other.wrapping_add(byte.into()));
            BytePair { shared: u64::from(piece.shared) + u64::from(byte), global, lane: copy.lane }
        })
    })
}

impl BytePair {
    fn into_shared(self) -> ByteMove {
        let from =
            self.global.map_or(BytePlace::Nowhere, |addr| BytePlace::Memory(Space::Global, addr));
        ByteMove::new(from, BytePlace::Memory(Space::Shared, self.shared), 2, self.lane)
    }

    fn into_global(self) -> Option<ByteMove> {
        let to = BytePlace::Memory(Space::Global, self.global?);
        Some(ByteMove::new(BytePlace::Memory(Space::Shared, self.shared), to, 2, self.lane))
    }
}

/// Returns every word of each lane of an access to shared memory as (lane, number of the word), the
/// highest lane last.
fn lane_words(access: &Access) -> impl Iterator<Item = (u8, u64)> {
    let count = u64::from(access.bytes) / 4;
    let words =
        move |(lane, addr)| (addr / 4..addr / 4 + count).map(move |word| (lane as u8, word));
    access.touched().flat_map(words)
}
