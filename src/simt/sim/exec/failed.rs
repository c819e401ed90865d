//! The failure of an instruction, and the lane in which it happened.

use crate::sim::fault::FaultKind;
use crate::sim::memory::Wrong;
use crate::sim::step::Access;

/// What went wrong, and in which lane if it was one.
pub(super) type Failed = (FaultKind, Option<usize>);

/// What goes wrong with an access in this lane.
pub(super) fn failed(wrong: Wrong, access: &Access, lane: usize) -> Failed {
    let (direction, bytes) = (access.direction, u32::from(access.bytes));
    let kind = match wrong {
        Wrong::Outside(place) => FaultKind::OutOfBounds { direction, bytes, place },
        Wrong::Null(offset) => FaultKind::NullPointer { direction, bytes, offset },
        Wrong::Misaligned(place) => FaultKind::Misaligned { direction, bytes, place },
    };
    (kind, Some(lane))
}
