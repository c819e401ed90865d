//! The failure of an instruction, and the lane in which it happened.

use super::access::Access;
use super::fault::FaultKind;
use super::memory::AddressError;

/// A fault, and the lane in which it occurred if it was a single one.
pub(super) type Failed = (FaultKind, Option<usize>);

/// Describes a failed access of a lane as a fault.
pub(super) fn failed(wrong: AddressError, access: &Access, lane: usize) -> Failed {
    let (direction, bytes) = (access.direction, u32::from(access.bytes));
    let kind = match wrong {
        AddressError::Outside(place) => {
            FaultKind::OutOfBounds { direction, bytes, place, near: None }
        }
        AddressError::Beyond(place, near) => {
            FaultKind::OutOfBounds { direction, bytes, place, near: Some(near) }
        }
        AddressError::Null(offset) => FaultKind::NullPointer { direction, bytes, offset },
        AddressError::Misaligned(place) => FaultKind::Misaligned { direction, bytes, place },
    };
    (kind, Some(lane))
}
