//! Global memory: the sectors and lines that one warp's request touches.

use crate::sim::Access;

/// Bytes of one sector, the unit in which global memory is fetched.
pub const SECTOR: u64 = 32;
/// Bytes of one cache line: four sectors.
pub const LINE: u64 = 128;

/// The cost of one global (or local) memory instruction of one warp.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sectors {
    /// 1, or 0 when no lane was active.
    pub requests: u32,
    /// Distinct 32-byte sectors touched.
    pub sectors: u32,
    /// Distinct 128-byte lines touched.
    pub lines: u32,
    /// Bytes that the lanes asked for, repeats counted.
    pub asked: u32,
    /// Distinct bytes that the lanes asked for.
    pub distinct: u32,
}

/// Counts by the rules measured on an H200.
pub fn sectors(_access: &Access) -> Sectors {
    Sectors::default()
}
