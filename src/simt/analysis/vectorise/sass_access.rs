//! An access of the machine code.

use crate::sim::Access;

/// An access of the machine code, from the place that an instruction of the PTX names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SassAccess {
    /// Bytes from the address that the instruction of the PTX names.
    pub shift: i64,
    /// Bytes per lane.
    pub bytes: u8,
}

impl SassAccess {
    /// The access as it is executed.
    pub fn of(self, access: &Access) -> Access {
        let addrs = access.addrs.map(|addr| addr.wrapping_add_signed(self.shift));
        Access { bytes: self.bytes, addrs, ..access.clone() }
    }
}
