//! One SASS access.

use crate::sim::Access;

/// A SASS access, relative to the address in a PTX instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SassAccess {
    /// Bytes from the address in the PTX instruction.
    pub shift: i64,
    /// Bytes per lane.
    pub bytes: u8,
}

impl SassAccess {
    /// Returns the access that SASS makes in place of `access`.
    pub fn of(self, access: &Access) -> Access {
        let addrs = access.addrs.map(|addr| addr.wrapping_add_signed(self.shift));
        Access { bytes: self.bytes, addrs, ..access.clone() }
    }
}
