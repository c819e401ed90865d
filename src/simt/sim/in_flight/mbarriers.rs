//! A block's mbarrier objects: phases that complete when all have arrived and all bytes have come.

use super::fault::{AsyncFault, Awaited};
use super::transfers::{LandedTransfer, Transfers};
use crate::matrix::mixed;
use std::collections::BTreeMap;

/// Maximum number of arrivals, and of bytes, that a phase waits for (PTX ISA, "mbarrier: Contents
/// of the mbarrier object").
const MOST: u32 = (1 << 20) - 1;

/// Size of an object in bytes.
pub(in crate::sim) const MBARRIER_BYTES: u8 = 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct MbarrierObject {
    /// The arrivals that each phase waits for.
    expected: u32,
    /// Those that the current phase still waits for.
    pending: u32,
    /// The bytes that it still waits for; negative if more have come than were announced.
    bytes: i64,
    /// The number of completed phases.
    phase: u32,
}

/// The valid mbarrier objects of a block, and the bulk copies that will signal them.
///
/// An object also lies in shared memory, where its bits mean nothing to the kernel: if they are not
/// those that the last operation left, the kernel has overwritten it.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::sim) struct Mbarriers {
    objects: BTreeMap<u32, MbarrierObject>,
    pub(in crate::sim) copies: Transfers,
}

impl Mbarriers {
    pub(in crate::sim) fn new(early: bool) -> Self {
        Self { objects: BTreeMap::new(), copies: Transfers::new(early) }
    }

    /// `mbarrier.init`
    pub(in crate::sim) fn init(
        &mut self,
        shared: &mut [u32],
        addr: u32,
        count: u32,
    ) -> Result<(), AsyncFault> {
        if !(1..=MOST).contains(&count) {
            return Err(AsyncFault::MbarrierCount(count));
        }
        if self.is_intact(shared, addr) {
            return Err(AsyncFault::MbarrierAgain(addr));
        }
        let object = MbarrierObject { expected: count, pending: count, bytes: 0, phase: 0 };
        self.objects.insert(addr, object);
        object.write(shared, addr);
        Ok(())
    }

    /// `mbarrier.inval`
    pub(in crate::sim) fn invalidate(
        &mut self,
        shared: &[u32],
        addr: u32,
    ) -> Result<(), AsyncFault> {
        self.object(shared, addr)?;
        self.objects.remove(&addr);
        Ok(())
    }

    /// The phase to which an operation now belongs, and the state before it: the phase in the upper
    /// half, the pending arrivals in the lower.
    pub(in crate::sim) fn state(
        &self,
        shared: &[u32],
        addr: u32,
    ) -> Result<(u32, u64), AsyncFault> {
        let object = self.object(shared, addr)?;
        Ok((object.phase, u64::from(object.phase) << 32 | u64::from(object.pending)))
    }

    /// So many threads arrive; with `drops`, later phases do not wait for them.
    pub(in crate::sim) fn arrive(
        &mut self,
        shared: &mut [u32],
        addr: u32,
        (count, drops): (u32, bool),
    ) -> Result<(), AsyncFault> {
        let mut object = self.object(shared, addr)?;
        if count == 0 || count > object.pending {
            let pending = object.pending;
            return Err(AsyncFault::MbarrierArrivals { addr, count, pending });
        }
        object.pending -= count;
        object.expected -= if drops { count } else { 0 };
        self.update(shared, addr, object);
        Ok(())
    }

    /// The phase waits for so many bytes more, or less.
    pub(in crate::sim) fn expect(
        &mut self,
        shared: &mut [u32],
        addr: u32,
        bytes: i64,
    ) -> Result<(), AsyncFault> {
        let mut object = self.object(shared, addr)?;
        object.bytes += bytes;
        if object.bytes.unsigned_abs() > u64::from(MOST) {
            return Err(AsyncFault::MbarrierBytes { addr, bytes: object.bytes });
        }
        self.update(shared, addr, object);
        Ok(())
    }

    /// Lands the bulk copies that signal an mbarrier; returns each with the phase that it counted
    /// in.
    pub(in crate::sim) fn land(
        &mut self,
        shared: &mut [u32],
        addr: u32,
    ) -> Result<Vec<LandedTransfer>, AsyncFault> {
        let mut landed = Vec::new();
        for copy in self.copies.take(addr) {
            let (phase, _) = self.state(shared, addr)?;
            self.copies.land(&copy, shared);
            self.expect(shared, addr, -i64::from(copy.bytes()))?;
            landed.push(LandedTransfer { copy: copy.started(), phase });
        }
        Ok(landed)
    }

    /// Whether the phase before `phase` is complete, or will be as soon as the copies in flight
    /// have landed.
    pub(in crate::sim) fn is_complete(&self, addr: u32, phase: AwaitedPhase) -> bool {
        self.with_copies(addr).is_none_or(|object| phase.is_before(object.phase))
    }

    /// What the current phase waits for that the copies in flight do not bring.
    pub(in crate::sim) fn awaited(&self, addr: u32) -> Option<Awaited> {
        let object = self.with_copies(addr)?;
        Some(Awaited::Phase { addr, arrivals: object.pending, bytes: object.bytes })
    }

    /// An object as it will be when the copies in flight have landed.
    fn with_copies(&self, addr: u32) -> Option<MbarrierObject> {
        let mut object = self.objects.get(&addr).copied()?;
        for bytes in self.copies.coming(addr) {
            object.bytes -= i64::from(bytes);
            object.settle();
        }
        Some(object)
    }

    fn is_intact(&self, shared: &[u32], addr: u32) -> bool {
        self.objects.get(&addr).is_some_and(|object| object.is_at(shared, addr))
    }

    fn object(&self, shared: &[u32], addr: u32) -> Result<MbarrierObject, AsyncFault> {
        let object = self.objects.get(&addr).copied().ok_or(AsyncFault::NoMbarrier(addr))?;
        if object.is_at(shared, addr) {
            Ok(object)
        } else {
            Err(AsyncFault::MbarrierOverwritten(addr))
        }
    }

    fn update(&mut self, shared: &mut [u32], addr: u32, mut object: MbarrierObject) {
        object.settle();
        object.write(shared, addr);
        self.objects.insert(addr, object);
    }
}

/// A phase that a thread waits for.
#[derive(Clone, Copy, Debug)]
pub(in crate::sim) enum AwaitedPhase {
    Number(u32),
    /// The current one or the one before it, whichever has this parity.
    Parity(bool),
}

impl AwaitedPhase {
    /// Whether it is complete while phase `now` is current.
    fn is_before(self, now: u32) -> bool {
        match self {
            Self::Number(number) => number != now,
            Self::Parity(odd) => (now % 2 == 1) != odd,
        }
    }
}

impl MbarrierObject {
    /// Completes the phase if nothing is missing.
    fn settle(&mut self) {
        if (self.pending, self.bytes) == (0, 0) {
            self.pending = self.expected;
            self.phase = self.phase.wrapping_add(1);
        }
    }

    /// Its bits in shared memory, which are opaque.
    fn bits(self) -> u64 {
        let counts = u64::from(self.expected) << 32 | u64::from(self.pending);
        mixed(mixed(counts) ^ self.bytes as u64 ^ u64::from(self.phase) << 24)
    }

    fn write(self, shared: &mut [u32], addr: u32) {
        let (index, bits) = (addr as usize / 4, self.bits());
        (shared[index], shared[index + 1]) = (bits as u32, (bits >> 32) as u32);
    }

    fn is_at(self, shared: &[u32], addr: u32) -> bool {
        let index = addr as usize / 4;
        u64::from(shared[index + 1]) << 32 | u64::from(shared[index]) == self.bits()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether phase 0 is complete after each operation.
    fn complete(barriers: &Mbarriers) -> bool {
        barriers.is_complete(8, AwaitedPhase::Number(0))
    }

    #[test]
    fn a_phase_is_complete_with_the_last_arrival_and_the_last_byte() {
        let (mut barriers, mut shared) = (Mbarriers::default(), [0; 8]);
        barriers.init(&mut shared, 8, 2).unwrap();
        barriers.expect(&mut shared, 8, 64).unwrap();
        barriers.arrive(&mut shared, 8, (2, false)).unwrap();
        assert!(!complete(&barriers));
        barriers.expect(&mut shared, 8, -64).unwrap();
        assert!(complete(&barriers));
        assert_eq!(barriers.state(&shared, 8), Ok((1, 1 << 32 | 2)));
        let odd = |parity| barriers.is_complete(8, AwaitedPhase::Parity(parity));
        assert!(odd(false) && !odd(true));
    }

    #[test]
    fn bytes_may_come_before_they_are_announced() {
        let (mut barriers, mut shared) = (Mbarriers::default(), [0; 8]);
        barriers.init(&mut shared, 8, 1).unwrap();
        barriers.expect(&mut shared, 8, -16).unwrap();
        barriers.expect(&mut shared, 8, 16).unwrap();
        assert!(!complete(&barriers), "nobody has arrived");
        barriers.arrive(&mut shared, 8, (1, false)).unwrap();
        assert!(complete(&barriers));
    }

    #[test]
    fn those_that_drop_out_are_not_waited_for_again() {
        let (mut barriers, mut shared) = (Mbarriers::default(), [0; 8]);
        barriers.init(&mut shared, 8, 3).unwrap();
        barriers.arrive(&mut shared, 8, (1, true)).unwrap();
        barriers.arrive(&mut shared, 8, (2, false)).unwrap();
        assert_eq!(barriers.state(&shared, 8), Ok((1, 1 << 32 | 2)));
    }

    #[test]
    fn misuse_is_a_fault() {
        let (mut barriers, mut shared) = (Mbarriers::default(), [0; 8]);
        assert_eq!(barriers.init(&mut shared, 8, 0), Err(AsyncFault::MbarrierCount(0)));
        let none = Err(AsyncFault::NoMbarrier(8));
        assert_eq!(barriers.arrive(&mut shared, 8, (1, false)), none);
        barriers.init(&mut shared, 8, 1).unwrap();
        let again = Err(AsyncFault::MbarrierAgain(8));
        assert_eq!(barriers.init(&mut shared, 8, 1), again);
        let arrivals = AsyncFault::MbarrierArrivals { addr: 8, count: 2, pending: 1 };
        assert_eq!(barriers.arrive(&mut shared, 8, (2, false)), Err(arrivals));
        shared[3] ^= 1;
        let overwritten = Err(AsyncFault::MbarrierOverwritten(8));
        assert_eq!(barriers.arrive(&mut shared, 8, (1, false)), overwritten);
        barriers.init(&mut shared, 8, 1).unwrap();
        barriers.invalidate(&shared, 8).unwrap();
        assert_eq!(barriers.invalidate(&shared, 8), none);
    }
}
